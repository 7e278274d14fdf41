"""What a shell may do to the command before it starts: streams closed or replaced, small limits, an odd home."""

import os
import subprocess
import unittest

from conclave_command import ANSWERED, CONCLAVE, FAILED, INPUT, PATIENCE, ConclaveTest, Result

QUESTION = "How many rows are there?"


class StreamsTest(ConclaveTest):
    def setUp(self):
        super().setUp()
        self.write("t.csv", "a\n1\n2\n")

    def shell(self, script, **environment):
        """Runs `script`, in which $CONCLAVE is the command and $QUESTION a question about t.csv."""
        process = subprocess.run(
            ["/bin/sh", "-c", script], capture_output=True, timeout=PATIENCE, cwd=self.folder, check=False,
            stdin=subprocess.DEVNULL, env=self.environment | {"CONCLAVE": os.path.abspath(CONCLAVE), "QUESTION": QUESTION} | environment)
        return Result([script], process.returncode, process.stdout, process.stderr)

    def test_folder_as_standard_input(self):
        self.assert_refused(self.shell('"$CONCLAVE" profile - < /'), INPUT, "standard input is a folder")

    def test_empty_standard_input(self):
        self.assert_refused(self.shell('"$CONCLAVE" profile -'), INPUT, "standard input is empty")

    def test_closed_standard_input(self):
        result = self.shell('"$CONCLAVE" profile - <&-')
        self.assert_refused(result, INPUT, "standard input")

    def test_closed_standard_output(self):
        for command in ("profile t.csv", 'ask t.csv "$QUESTION"', "--version"):
            self.assert_refused(self.shell(f'"$CONCLAVE" {command} >&-'), FAILED, "standard output is closed")

    def test_small_limit_on_the_size_of_files(self):
        result = self.shell('ulimit -f 8; "$CONCLAVE" ask t.csv "$QUESTION" --quiet --store new')
        self.assert_refused(result, FAILED, "File too large")

    def test_small_limit_on_open_files(self):
        started = 0
        for limit in range(4, 14):
            result = self.shell(f'ulimit -n {limit}; "$CONCLAVE" ask t.csv "$QUESTION" --quiet --store new{limit}')
            if "error while loading shared libraries" in result.err:
                continue
            if result.code == ANSWERED:
                break
            self.assert_refused(result, FAILED, "Too many open files")
            started += 1
        self.assertGreater(started, 0)

    def test_home_that_is_no_absolute_path(self):
        without_store = 'unset CONCLAVE_STORE XDG_DATA_HOME; "$CONCLAVE" ask t.csv "$QUESTION" --quiet'
        result = self.shell(without_store, HOME="relative")
        self.assert_code(result, ANSWERED)
        self.assertIn('HOME, "relative", is no absolute path', result.err)
        self.assertFalse(os.path.exists(self.folder / "relative"))


if __name__ == "__main__":
    unittest.main()
