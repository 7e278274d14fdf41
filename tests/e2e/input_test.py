"""Files and questions that cannot be used: a clear error that names the thing and the way out, and nothing left behind."""

import os
import threading
import unittest

from conclave_command import ANSWERED, DATA, DECLINED, INPUT, USAGE, ConclaveTest

QUESTION = "How many rows are there?"


class InputTest(ConclaveTest):
    def ask(self, file, question=QUESTION, **options):
        return self.conclave("ask", file, question, "--quiet", **options)

    def test_missing_file_is_named_with_the_near_one(self):
        self.write("sales.csv", "a\n1\n")
        self.assert_refused(self.ask("sale.csv"), INPUT, "sale.csv", "no such file")

    def test_second_of_two_files_missing(self):
        result = self.conclave("ask", DATA / "statecrime.csv", "absent.csv", QUESTION, "--quiet")
        self.assert_refused(result, INPUT, "absent.csv")

    def test_folder(self):
        self.assert_refused(self.ask(self.folder), INPUT, "folder")

    def test_device(self):
        self.assert_refused(self.ask("/dev/zero"), INPUT, "/dev/zero")

    def test_named_pipe_is_read_like_standard_input(self):
        os.mkfifo(self.folder / "pipe")
        writer = threading.Thread(target=(self.folder / "pipe").write_bytes, args=(b"a\n1\n2\n",))
        writer.start()
        result = self.ask("pipe")
        writer.join()
        self.assert_code(result, ANSWERED)

    def test_empty_file(self):
        self.assert_refused(self.ask(self.write("empty.csv", "")), INPUT, "empty")

    def test_empty_standard_input(self):
        self.assert_refused(self.ask("-"), INPUT, "empty")

    def test_binary_junk(self):
        junk = b"\x7fELF\x02\x01\x01" + bytes(range(256)) * 64
        self.assert_refused(self.ask(self.write("junk.csv", junk)), INPUT, "junk.csv")

    def test_file_name_that_is_no_text(self):
        path = os.fsencode(self.folder) + b"/bad-\xff\x1b[31m.csv"
        with open(path, "wb") as file:
            file.write(b"a\n1\n")
        result = self.conclave("ask", path, QUESTION, "--quiet")
        self.assertIn(result.code, (ANSWERED, INPUT), str(result))
        self.assertNotIn("\x1b", result.out + result.err)

    def test_unreadable_file(self):
        if os.geteuid() == 0:
            # Root reads everything; a folder in place of a file's folder is the nearest thing.
            self.assert_refused(self.ask(self.write("plain.csv", "a\n1\n") + "/inner.csv"), INPUT, "inner.csv")
            return
        os.chmod(self.write("secret.csv", "a\n1\n"), 0)
        self.assert_refused(self.ask("secret.csv"), INPUT, "secret.csv")

    def test_header_without_rows(self):
        result = self.ask(self.write("header.csv", "name,price\n"))
        self.assertIn(result.code, (ANSWERED, DECLINED, INPUT), str(result))
        self.assertNotIn("Traceback", result.out + result.err)

    def test_no_question(self):
        self.assert_refused(self.conclave("ask", DATA / "statecrime.csv"), USAGE, "question is missing")

    def test_no_file(self):
        self.assert_refused(self.conclave("ask", QUESTION), USAGE, "no file was given")

    def test_question_before_file(self):
        self.assert_refused(self.conclave("ask", QUESTION, DATA / "statecrime.csv"), USAGE, "last argument is the question")

    def test_empty_question(self):
        self.assert_refused(self.ask(DATA / "statecrime.csv", ""), USAGE, "question is empty")

    def test_question_of_ten_kilobytes(self):
        self.assert_refused(self.ask(DATA / "statecrime.csv", "mean " * 2048), USAGE, "10,240 bytes")

    def test_question_that_is_no_text(self):
        self.assert_refused(self.ask(DATA / "statecrime.csv", b"mean \xff"), USAGE, "UTF-8")

    def test_mistyped_command_and_option(self):
        self.assert_refused(self.conclave("profiel", DATA / "statecrime.csv"), USAGE, "did you mean conclave profile?")
        self.assert_refused(self.conclave("ask", "--jsno", DATA / "statecrime.csv", QUESTION), USAGE, "did you mean --json?")

    def test_limits_that_make_no_sense(self):
        for option, value in (("--wall", "0s"), ("--memory", "512"), ("--cpu", "fast"), ("--deadline", "-1s")):
            self.assert_refused(self.conclave("ask", DATA / "statecrime.csv", QUESTION, option, value), USAGE, option)


if __name__ == "__main__":
    unittest.main()
