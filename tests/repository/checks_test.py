"""Tests of the checks in scripts/: each finds what it is there to find, and says where."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"


class CheckTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = pathlib.Path(folder.name)

    def write(self, path, text):
        file = self.tree / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def run_check(self, name, *arguments):
        """Returns (exit status, what it printed on standard error)."""
        run = subprocess.run([sys.executable, str(SCRIPTS / name), *map(str, arguments)], capture_output=True, text=True)
        return run.returncode, run.stderr

    def assert_refused(self, run, *words):
        status, printed = run
        self.assertEqual(status, 1, printed)
        for word in words:
            self.assertIn(word, printed)

    def assert_passed(self, run):
        self.assertEqual(run, (0, ""))


class ArrowsTest(CheckTest):
    def check(self, path, include):
        self.write(path, f'// A source.\n#include "{include}"\n')
        return self.run_check("check-arrows", "--tree", self.tree)

    def test_down_and_sideways_pass(self):
        self.check("lib/engine/a.cc", "lib/sandbox/b.h")
        self.check("lib/persona/a.cc", "lib/plan/plan.h")
        self.check("lib/sandbox/a.cc", "conclave/sandbox.h")
        self.check("lib/guest/sql/a.cc", "lib/guest/columns/b.h")
        self.check("tests/guest/a.cc", "lib/guest/columns/b.h")
        self.assert_passed(self.check("tools/conclave/a.cc", "conclave/engine.h"))

    def test_up_is_refused(self):
        self.assert_refused(self.check("lib/sandbox/a.cc", "lib/engine/b.h"), "lib/sandbox/a.cc:2", "engine is above sandbox")

    def test_up_by_way_of_a_public_header_is_refused(self):
        self.assert_refused(self.check("lib/model/a.cc", "conclave/analyzer.h"), "analyzer is above model")

    def test_host_does_not_include_guests(self):
        self.assert_refused(self.check("lib/dataset/a.h", "lib/guest/columns/b.h"), "trust boundary")

    def test_guests_do_not_include_the_host(self):
        self.assert_refused(self.check("lib/guest/sql/a.cc", "lib/engine/b.h"), "not engine")

    def test_shipped_code_does_not_include_tests(self):
        self.assert_refused(self.check("lib/store/a.cc", "tests/support/b.h"), "nothing of the tests")

    def test_circle_among_equals_is_refused(self):
        self.check("lib/persona/a.cc", "lib/plan/b.h")
        self.assert_refused(self.check("lib/plan/c.cc", "lib/persona/d.h"), "persona -> plan -> persona")

    def test_folder_without_a_place_is_refused(self):
        self.assert_refused(self.check("lib/misc/a.cc", "lib/base/b.h"), "no folder that has a rank")

    def test_binary_that_is_none_is_refused(self):
        text = self.write("text", "not a program\n")
        self.assert_refused(self.run_check("check-arrows", "--tree", self.tree, "--binary", text), str(text))


class TreeTest(CheckTest):
    def check(self):
        return self.run_check("check-tree", "--tree", self.tree)

    def test_good_folder_passes(self):
        self.write("lib/base/a.cc", "int a;\n")
        self.write("lib/base/README.md", "# lib/base\n")
        self.assert_passed(self.check())

    def test_missing_readme(self):
        self.write("lib/base/a.cc", "int a;\n")
        self.assert_refused(self.check(), "lib/base: no README.md")

    def test_long_readme(self):
        self.write("lib/base/a.cc", "int a;\n")
        self.write("lib/base/README.md", "line\n" * 21)
        self.assert_refused(self.check(), "longer than 20 lines")

    def test_unfinished_work(self):
        self.write("docs/a.md", "one\nTO" "DO: two\n")
        self.assert_refused(self.check(), "docs/a.md:2", "unfinished work")

    def test_path_of_a_machine(self):
        self.write("docs/a.md", "see /ho" "me/ann/conclave\n")
        self.assert_refused(self.check(), "docs/a.md:1", "somebody's machine")

    def test_white_space_at_the_end(self):
        self.write("docs/a.md", "one \n")
        self.assert_refused(self.check(), "docs/a.md:1", "white space")

    def test_long_file_is_only_a_warning(self):
        self.write("lib/base/a.cc", "int a;\n" * 501)
        self.write("lib/base/README.md", "# lib/base\n")
        status, printed = self.check()
        self.assertEqual(status, 0)
        self.assertIn("501 lines", printed)


class SkipsTest(CheckTest):
    REPORT = """<?xml version="1.0"?>
<testsuite tests="3">
  <testcase name="a.Passes" status="run"/>
  <testcase name="a.Fails" status="fail"><failure message=""/></testcase>
  <testcase name="a.Skips" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/></testcase>
  <testcase name="a.Disabled" status="disabled"><skipped message=""/></testcase>
</testsuite>
"""

    def check(self, allowed):
        return self.run_check("check-skips", self.write("junit.xml", self.REPORT), self.write("allowed.txt", allowed))

    def test_skips_are_refused(self):
        status, printed = self.check("# nothing is allowed\n")
        self.assertEqual(status, 1)
        self.assertIn("a.Skips", printed)
        self.assertIn("a.Disabled", printed)
        self.assertNotIn("a.Fails", printed)

    def test_allowed_skips_pass(self):
        self.assert_passed(self.check("a\\.Ski.* the kernel lacks it\na\\.Disabled another reason\n"))

    def test_the_whole_name_counts(self):
        self.assert_refused(self.check("a\\.Skip a reason\na\\.Disabled a reason\n"), "a.Skips")

    def test_a_reason_is_needed(self):
        self.assert_refused(self.check("a\\.Skips\n"), "gives no reason")

    def test_a_report_is_needed(self):
        allowed = self.write("allowed.txt", "")
        self.assert_refused(self.run_check("check-skips", self.tree / "none.xml", allowed), "none.xml")


if __name__ == "__main__":
    unittest.main()
