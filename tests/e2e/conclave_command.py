"""Runs the built `conclave` command in a world of its own, for the tests beside this file."""

import ctypes
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
DATA = SOURCE / "examples" / "data"
CONCLAVE = os.environ.get("CONCLAVE", str(SOURCE / "build" / "dev" / "bin" / "conclave"))

ANSWERED, FAILED, USAGE, NOT_AGREED, DECLINED, ISOLATION_MISSING, INPUT, CANCELLED = 0, 1, 2, 3, 4, 5, 6, 130

# Far above what anything here takes; only a hang reaches it.
PATIENCE = 120

PR_SET_CHILD_SUBREAPER = 36


class Result:
    """What became of one command."""

    def __init__(self, arguments, code, out, err):
        self.arguments = arguments
        self.code = code
        self.out = out.decode("utf-8", "surrogateescape")
        self.err = err.decode("utf-8", "surrogateescape")

    @property
    def json(self):
        return json.loads(self.out)

    @property
    def id(self):
        """The id printed for `conclave show`."""
        return re.search(r"^conclave show (\S+)", self.out, re.MULTILINE).group(1)

    def __str__(self):
        return f"conclave {self.arguments} ended with {self.code}\n--- out\n{self.out}--- err\n{self.err}"


def living_children():
    """Processes below this one, apart from zombies, as "pid name"."""
    children = {}
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit():
            continue
        try:
            stat = pathlib.Path(entry.path, "stat").read_text()
        except OSError:
            continue
        name, rest = stat[stat.index("(") + 1 : stat.rindex(")")], stat[stat.rindex(")") + 2 :].split()
        children.setdefault(int(rest[1]), []).append((int(entry.name), name, rest[0]))
    found, parents = [], [os.getpid()]
    while parents:
        for pid, name, state in children.get(parents.pop(), []):
            parents.append(pid)
            if state not in "ZX":
                found.append(f"{pid} {name}")
    return found


def temporary_folders():
    """Folders that conclave made for a while."""
    return {entry.path for entry in os.scandir("/tmp") if re.match(r"conclave-(?!e2e)", entry.name)}


class ConclaveTest(unittest.TestCase):
    """A test with a home and a store of its own. Processes that lose their parent become children of the test."""

    def setUp(self):
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="conclave-e2e-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        (self.folder / "home").mkdir()
        self.environment = {
            "HOME": str(self.folder / "home"),
            "PATH": "/usr/bin:/bin",
            "CONCLAVE_STORE": str(self.folder / "store"),
            "LC_ALL": "C.UTF-8",
        }

    def write(self, name, content):
        """Writes a file in the folder of the test and returns its path."""
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    def conclave(self, *arguments, stdin=b"", environment=None, **options):
        """Runs the command to its end."""
        words = [word if isinstance(word, bytes) else str(word) for word in arguments]
        process = subprocess.run(
            [CONCLAVE, *words], input=stdin, capture_output=True, timeout=PATIENCE, cwd=self.folder,
            env=self.environment | (environment or {}), check=False, **options)
        return Result(words, process.returncode, process.stdout, process.stderr)

    def start(self, *arguments, **options):
        """Starts the command and returns its process."""
        process = subprocess.Popen(
            [CONCLAVE, *[str(word) for word in arguments]], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
        self.addCleanup(self.finish, process)
        return process

    def finish(self, process):
        if process.poll() is None:
            process.kill()
        process.communicate(timeout=PATIENCE)

    def wait_for_line(self, process, pattern):
        """Reads standard error until a line matches. Fails with what came when none does."""
        lines = []
        for line in process.stderr:
            lines.append(line.decode("utf-8", "replace"))
            if re.search(pattern, lines[-1]):
                return
        self.fail(f"no line matched {pattern!r}: {''.join(lines)}")

    def isolation_level(self):
        """The level that runs get on this machine unless they ask for another."""
        findings = self.conclave("doctor", "--json").json["findings"]
        whole = next(finding["message"] for finding in findings if finding["part"] == "sandbox")
        return int(re.match(r"isolation level L(\d)", whole).group(1))

    def assert_code(self, result, code):
        self.assertEqual(result.code, code, str(result))

    def assert_refused(self, result, code, *parts):
        """The command ended with `code`, printed no result, and one line that says every one of `parts`."""
        self.assert_code(result, code)
        self.assertEqual(result.out, "", str(result))
        lines = [line for line in result.err.splitlines() if line.startswith("conclave: ")]
        self.assertEqual(len(lines), 1, str(result))
        for part in parts:
            self.assertIn(part, lines[0], str(result))

    def assert_nothing_left(self, folders_before):
        """No process and no temporary folder is left; those of other commands on this machine come and go."""
        new_folders = temporary_folders() - folders_before
        give_up = time.monotonic() + PATIENCE / 2
        while time.monotonic() < give_up and (living_children() or any(map(os.path.exists, new_folders))):
            time.sleep(0.05)
        self.assertEqual(living_children(), [])
        self.assertEqual([folder for folder in new_folders if os.path.exists(folder)], [])


# A program that never ends by itself and uses little. It ignores SIGUSR1, so that one can see from outside that it runs.
SLEEPER = """\
import signal, time
result = load()
signal.signal(signal.SIGUSR1, signal.SIG_IGN)
while True:
    time.sleep(1)
"""


def sleeper_runs():
    """True when a program like SLEEPER is below this process and has come to its loop."""
    for child in living_children():
        try:
            status = pathlib.Path("/proc", child.split()[0], "status").read_text()
        except OSError:
            continue
        ignored = int(re.search(r"^SigIgn:\s*([0-9a-f]+)$", status, re.MULTILINE).group(1), 16)
        if ignored >> (signal.SIGUSR1 - 1) & 1:
            return True
    return False
