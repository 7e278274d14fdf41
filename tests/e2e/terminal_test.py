"""What reaches a terminal: colours and a live table where they belong, and nothing that a file or program sent."""

import os
import pty
import re
import unittest

from conclave_command import ANSWERED, CONCLAVE, DATA, ConclaveTest

FILE = DATA / "seattle-weather.csv"
QUESTION = "What is the mean temp_max?"

# A colour, a hyperlink, the eight-bit CSI, a right-to-left override and a zero-width space.
HOSTILE = "\x1b[31mX\x1b]8;;http://x\x07\x9b2J\u202eY\u200b"
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]")


class TerminalTest(ConclaveTest):
    def on_terminal(self, *arguments, environment=None):
        """Everything the command writes to a terminal of 100 columns, and its exit code."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.folder)
            os.execve("/bin/sh", ["sh", "-c", 'stty cols 100 && exec "$0" "$@"', CONCLAVE, *map(str, arguments)],
                      self.environment | {"TERM": "xterm"} | (environment or {}))
        shown = b""
        try:
            while chunk := os.read(terminal, 65536):
                shown += chunk
        except OSError:
            pass  # what a terminal gives at its end
        os.close(terminal)
        return shown.decode(), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

    def test_colours_and_a_table_that_goes_away(self):
        shown, code = self.on_terminal("ask", FILE, QUESTION)
        self.assertEqual(code, ANSWERED, shown)
        self.assertIn("\x1b[32msupported\x1b[0m", shown)
        before, after = shown.rsplit("\x1b[J", 1)
        self.assertIn("run", before, "the live table was drawn")
        self.assertNotIn("\x1b[J", after)
        self.assertIn("supported", after)

    def test_no_colours_when_they_are_unwanted_or_impossible(self):
        for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            shown, _ = self.on_terminal("ask", FILE, QUESTION, "--quiet", environment=environment)
            self.assertIn("16.4", shown)
            self.assertNotIn("\x1b", shown)

    def test_nothing_but_text_elsewhere(self):
        result = self.conclave("ask", FILE, QUESTION)
        self.assert_code(result, ANSWERED)
        self.assertNotIn("\x1b", result.out + result.err)
        self.assertRegex(result.err, r"read (started|finished)")

    def test_quiet_means_quiet(self):
        result = self.conclave("ask", FILE, QUESTION, "--quiet")
        self.assertEqual(result.err, "")

    def assert_harmless(self, result):
        self.assertIsNone(STEERING.search(result.out), str(result).encode("unicode_escape"))
        self.assertIsNone(STEERING.search(result.err), str(result).encode("unicode_escape"))
        self.assertIn("X", result.out + result.err)

    def test_headers_and_cells(self):
        name = f"file{HOSTILE}.csv".replace("/", "")
        path = self.write(name, f'city,"{HOSTILE}"\nA,{HOSTILE}\nB,{HOSTILE}\nA,{HOSTILE}\n')
        self.assert_harmless(self.conclave("profile", path))
        self.assert_harmless(self.conclave("profile", path, "--json"))
        for question in ("What is the most common city?", f"What is the mean {HOSTILE}?", "Count of rows by city"):
            self.assert_harmless(self.conclave("ask", path, question))
            self.assert_harmless(self.conclave("ask", path, question, "--json"))

    def test_what_programs_print_and_raise(self):
        path = self.write("plain.csv", "a\n1\n")
        code = (f"import sys\nresult = load()\nprint({HOSTILE!r})\nprint({HOSTILE!r}, file=sys.stderr)\n"
                f"raise ValueError({HOSTILE!r})\n")
        result = self.conclave("run", "--language", "python", "--code", "-", path, stdin=code.encode())
        self.assert_harmless(result)
        self.assertIn("ValueError", result.out)
        for quote in ("'", '"'):
            statement = f"SELECT {quote}{HOSTILE}{quote} FROM plain"
            self.assert_harmless(self.conclave("run", "--language", "sql", "--code", "-", path, stdin=statement.encode()))

    def test_errors(self):
        self.assert_harmless(self.conclave("ask", f"X{HOSTILE}".replace("/", ""), QUESTION))
        self.assert_harmless(self.conclave("show", HOSTILE))
        self.assert_harmless(self.conclave("run", "--code", f"{HOSTILE}.sql", FILE))


if __name__ == "__main__":
    unittest.main()
