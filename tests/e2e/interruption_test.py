"""Commands that are ended early: whatever ends them, no process and no folder stays behind."""

import os
import pathlib
import pty
import re
import signal
import subprocess
import time
import unittest

from conclave_command import (CANCELLED, CONCLAVE, DATA, PATIENCE, SLEEPER, ConclaveTest, living_children,
                              sleeper_runs, temporary_folders)

FILE = DATA / "seattle-weather.csv"


class InterruptionTest(ConclaveTest):
    def start_sleeper(self, *options, code=SLEEPER, **settings):
        """Starts a program that never ends and returns once it runs."""
        self.folders_before = temporary_folders()
        path = self.write("sleeper.py", code)
        process = self.start("run", "--code", path, FILE, *options, **settings)
        self.wait_for_line(process, r"\brun started")
        give_up = time.monotonic() + PATIENCE
        while not sleeper_runs():
            self.assertIsNone(process.poll(), "the program ended")
            self.assertLess(time.monotonic(), give_up, "the program never started")
            time.sleep(0.02)
        return process

    def wait_until_it_catches(self, process, number):
        """Waits until the process has a handler for the signal; before that it would end as any process does."""
        give_up = time.monotonic() + PATIENCE
        while True:
            status = pathlib.Path("/proc", str(process.pid), "status").read_text()
            if int(re.search(r"^SigCgt:\s*([0-9a-f]+)$", status, re.MULTILINE).group(1), 16) >> (number - 1) & 1:
                return
            self.assertLess(time.monotonic(), give_up, "the signal is not caught")
            time.sleep(0.02)

    def assert_cancelled(self, process):
        out, err = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, CANCELLED, (out, err))
        self.assert_nothing_left(self.folders_before)

    def test_each_ending_signal_cancels(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(signal=number.name):
                process = self.start_sleeper()
                process.send_signal(number)
                self.assert_cancelled(process)

    def test_second_signal_does_not_cut_the_cleaning_short(self):
        process = self.start_sleeper()
        for _ in range(20):
            process.send_signal(signal.SIGINT)
            time.sleep(0.005)
            if process.poll() is not None:
                break
        self.assert_cancelled(process)

    def test_programs_that_ignore_signals_and_hide_go_too(self):
        code = ("import os, signal\nfor number in (1, 2, 3, 15):\n    signal.signal(number, signal.SIG_IGN)\n"
                "try:\n    if os.fork() == 0:\n        os.setsid()\nexcept OSError:\n    pass\n") + SLEEPER
        process = self.start_sleeper(code=code)
        process.send_signal(signal.SIGINT)
        self.assert_cancelled(process)

    def test_interrupted_while_a_file_is_read(self):
        path = self.folder / "large.csv"
        with open(path, "wb") as file:
            file.write(b"name,price,day\n")
            block = b"".join(b"item %d,%d.25,2024-03-%02d\n" % (i, i, i % 28 + 1) for i in range(50000))
            for _ in range(60):
                file.write(block)
        self.folders_before = temporary_folders()
        process = self.start("ask", path, "What is the mean price?")
        self.wait_for_line(process, r"\bread started")
        process.send_signal(signal.SIGINT)
        self.assert_cancelled(process)

    def test_interrupted_while_standard_input_is_awaited(self):
        self.folders_before = temporary_folders()
        read_end, write_end = os.pipe()
        process = subprocess.Popen([CONCLAVE, "ask", "-", "How many rows are there?"], stdin=read_end, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=self.environment, cwd=self.folder)
        self.addCleanup(self.finish, process)
        os.close(read_end)
        os.write(write_end, b"a\n1\n")
        self.wait_until_it_catches(process, signal.SIGINT)
        process.send_signal(signal.SIGINT)
        self.assert_cancelled(process)
        os.close(write_end)

    def test_interrupted_while_a_named_pipe_is_awaited(self):
        os.mkfifo(self.folder / "pipe")
        self.folders_before = temporary_folders()
        process = self.start("ask", "pipe", "How many rows are there?")
        self.wait_for_line(process, r"\bread started")
        process.send_signal(signal.SIGINT)
        self.assert_cancelled(process)

    def test_host_killed_outright_leaves_no_process(self):
        process = self.start_sleeper()
        process.kill()
        process.communicate(timeout=PATIENCE)
        give_up = time.monotonic() + PATIENCE / 2
        while living_children() and time.monotonic() < give_up:
            time.sleep(0.05)
        self.assertEqual(living_children(), [])

    def test_what_a_host_left_that_was_killed_at_its_start_is_swept_by_the_next(self):
        self.folder.chmod(0o711)
        place = self.folder / "tmp"
        place.mkdir(mode=0o777)
        place.chmod(0o1777)
        self.environment["TMPDIR"] = str(place)
        for milliseconds in range(0, 60, 3):
            process = self.start("ask", FILE, "How many rows are there?", "--no-store", "--quiet")
            time.sleep(milliseconds / 1000)
            process.kill()
            process.communicate(timeout=PATIENCE)
        give_up = time.monotonic() + PATIENCE / 2
        while living_children() and time.monotonic() < give_up:
            time.sleep(0.05)
        for folder in place.glob("conclave-store-*"):
            if not (folder / "lock").exists():
                os.utime(folder, (1, 1))  # older than any start takes
        self.assertEqual(self.conclave("ask", FILE, "How many rows are there?", "--quiet").code, 0)
        self.assertEqual(list(place.iterdir()), [])

    def test_stopped_host_cannot_suspend_the_limits(self):
        process = self.start_sleeper("--wall", "20s")
        process.send_signal(signal.SIGSTOP)
        give_up = time.monotonic() + PATIENCE / 2
        while sleeper_runs() and time.monotonic() < give_up:
            time.sleep(0.05)
        self.assertFalse(sleeper_runs())
        process.send_signal(signal.SIGCONT)
        out, _ = process.communicate(timeout=PATIENCE)
        self.assertIn(b"wall_limit", out)

    def test_signals_that_were_ignored_stay_ignored(self):
        process = self.start_sleeper("--wall", "20s", preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        process.send_signal(signal.SIGHUP)
        out, _ = process.communicate(timeout=PATIENCE)
        self.assertIn(b"wall_limit", out, "nohup has no effect")

    def test_control_c_on_a_terminal(self):
        path = self.write("sleeper.py", SLEEPER)
        self.folders_before = temporary_folders()
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.folder)
            os.execve(CONCLAVE, [CONCLAVE, "run", "--code", path, str(FILE)], self.environment | {"TERM": "xterm"})
        give_up = time.monotonic() + PATIENCE
        while not sleeper_runs():
            self.assertLess(time.monotonic(), give_up, "the program never started")
            os.read(terminal, 4096)  # the table is drawn again several times a second
        os.write(terminal, b"\x03")
        try:
            while os.read(terminal, 4096):
                pass
        except OSError:
            pass  # what a terminal gives at its end
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), CANCELLED)
        os.close(terminal)
        self.assert_nothing_left(self.folders_before)

    def test_reader_that_goes_away_ends_it_quietly(self):
        read_end, write_end = os.pipe()
        os.close(read_end)
        process = subprocess.Popen([CONCLAVE, "profile", str(FILE), "--quiet"], stdin=subprocess.DEVNULL, stdout=write_end,
                                   stderr=subprocess.PIPE, env=self.environment, cwd=self.folder, restore_signals=True)
        os.close(write_end)
        _, err = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 141)
        self.assertEqual(err, b"")

    def test_interrupted_while_nobody_reads_the_result(self):
        self.folders_before = temporary_folders()
        code = self.write("all.sql", "SELECT * FROM birdstrikes")
        process = self.start("run", "--code", code, DATA / "birdstrikes.csv", "--json")
        self.wait_for_line(process, r"\bdone\b")
        time.sleep(0.5)  # now the pipe is full
        process.send_signal(signal.SIGINT)
        process.wait(timeout=PATIENCE)
        self.assertEqual(process.returncode, CANCELLED)
        self.assert_nothing_left(self.folders_before)

    def test_host_that_ignores_its_children(self):
        result = self.conclave("ask", FILE, "What is the mean temp_max?", "--quiet",
                               preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
        self.assert_code(result, 0)

    def test_deadline_of_the_whole_command(self):
        code = self.write("sleeper.py", SLEEPER)
        result = self.conclave("run", "--code", code, FILE, "--deadline", "3s", "--quiet")
        self.assertEqual(result.code, 3, str(result))
        self.assertIn("deadline", result.out + result.err)


if __name__ == "__main__":
    unittest.main()
