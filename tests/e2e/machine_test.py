"""Machines that lack something: an interpreter, pandas, room on the disk, a home."""

import ctypes
import os
import resource
import signal
import subprocess
import unittest
import venv

from conclave_command import (ANSWERED, CONCLAVE, DATA, FAILED, NOT_AGREED, PATIENCE, ConclaveTest,
                              temporary_folders)

QUESTION = "What is the mean temp_max?"
FILE = DATA / "seattle-weather.csv"
CLONE_NEWNS = 0x20000
MS_PRIVATE_RECURSIVE = (1 << 18) | (1 << 14)
LIBC = ctypes.CDLL(None, use_errno=True)


def mounts_can_be_made():
    """True when a process may have mounts of its own: root with the right to."""
    pid = os.fork()
    if pid == 0:
        made = LIBC.unshare(CLONE_NEWNS) == 0 and LIBC.mount(b"none", b"/", None, MS_PRIVATE_RECURSIVE, None) == 0
        os._exit(0 if made else 1)
    return os.waitpid(pid, 0)[1] == 0


def mount_small(folder, size):
    """For the child between fork and exec: a file system of `size` bytes at `folder`, seen by nobody else."""
    def mount():
        LIBC.unshare(CLONE_NEWNS)
        LIBC.mount(b"none", b"/", None, MS_PRIVATE_RECURSIVE, None)
        LIBC.mount(b"tmpfs", os.fsencode(folder), b"tmpfs", 0, f"size={size},mode=0700".encode())
    return mount


def limit_files(size):
    """For the child between fork and exec: no file may grow beyond `size`."""
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return limit


class MachineTest(ConclaveTest):
    def ask(self, *options, **settings):
        return self.conclave("ask", FILE, QUESTION, "--quiet", *options, **settings)

    def assert_one_execution(self, result):
        self.assert_code(result, NOT_AGREED)
        self.assertIn("16.4", result.out.splitlines()[0], str(result))
        self.assertIn("one execution, not cross-checked", result.out.lower())
        self.assertIn("pandas", result.out)

    def test_no_interpreter(self):
        self.assert_one_execution(self.ask("--python", "/nonexistent/python3"))

    def test_interpreter_without_pandas(self):
        self.folder.chmod(0o755)  # every user may run it, so that nothing but pandas is missing
        venv.create(self.folder / "bare", symlinks=True, with_pip=False)
        self.assert_one_execution(self.ask("--python", self.folder / "bare/bin/python3"))

    def test_interpreter_that_is_no_interpreter(self):
        self.assert_one_execution(self.ask("--python", "/bin/true"))

    def test_chosen_interpreter_is_passed_over_for_one_with_pandas(self):
        result = self.ask(environment={"CONCLAVE_PYTHON": "/nonexistent/python3"})
        self.assert_code(result, ANSWERED)

    def test_doctor_says_how_to_get_pandas(self):
        result = self.conclave("doctor", "--python", "/nonexistent/python3")
        self.assert_code(result, FAILED)
        self.assertIn("✗ python", result.out)
        self.assertIn("python3-pandas", result.out)

    def test_no_guest_programs(self):
        empty = self.folder / "empty"
        empty.mkdir()
        result = self.ask("--guest-folder", empty)
        self.assertNotEqual(result.code, ANSWERED, str(result))
        self.assertIn("conclave-", result.err)
        self.assert_code(self.conclave("doctor", "--guest-folder", empty), FAILED)

    def test_full_disk(self):
        store = self.folder / "store"
        store.mkdir(mode=0o700)
        before = temporary_folders()
        if mounts_can_be_made():
            self.assert_refused(self.ask(preexec_fn=mount_small(store, 65536)), FAILED, "no space is left", "column store")
        self.assert_refused(self.ask(preexec_fn=limit_files(65536)), FAILED)
        self.assert_nothing_left(before)

    def test_full_standard_output(self):
        with open("/dev/full", "wb") as full:
            process = subprocess.run([CONCLAVE, "--help"], stdout=full, stderr=subprocess.PIPE, timeout=PATIENCE, check=False)
        self.assertEqual(process.returncode, FAILED)
        self.assertIn(b"standard output: cannot write: No space left on device", process.stderr)

    def test_home_that_cannot_be_written(self):
        result = self.ask(environment={"CONCLAVE_STORE": "/proc/conclave", "HOME": "/proc"})
        self.assert_code(result, ANSWERED)
        self.assertIn("nothing will be kept after the end", result.err)

    def test_no_environment_at_all(self):
        self.environment = {}
        result = self.ask()
        self.assert_code(result, ANSWERED)
        self.assertIn("nothing will be kept after the end", result.err)

    def test_closed_standard_streams(self):
        def close_all():
            for descriptor in (0, 1, 2):
                os.close(descriptor)
        before = FILE.read_bytes()
        process = subprocess.run([CONCLAVE, "ask", FILE, QUESTION], env=self.environment, timeout=PATIENCE,
                                 preexec_fn=close_all, check=False)
        self.assertEqual(process.returncode, FAILED)  # the answer found nobody
        self.assertEqual(FILE.read_bytes(), before)
        self.assert_code(self.ask(), ANSWERED)  # nothing was written into the store that does not belong there


if __name__ == "__main__":
    unittest.main()
