"""What is kept between commands, and for whom."""

import os
import stat
import threading
import unittest

from conclave_command import ANSWERED, DATA, INPUT, ConclaveTest, temporary_folders

QUESTION = "What is the mean temp_max?"
FILE = DATA / "seattle-weather.csv"


class StoreTest(ConclaveTest):
    def ask(self, *options):
        return self.conclave("ask", FILE, QUESTION, *options)

    def test_earlier_answer_is_shown_as_it_was(self):
        first = self.ask()
        self.assert_code(first, ANSWERED)
        shown = self.conclave("show", first.id)
        self.assert_code(shown, ANSWERED)
        self.assertTrue(shown.out.startswith(first.out), shown.out)
        self.assertIn("SELECT AVG", shown.out[len(first.out):])
        self.assertEqual(self.conclave("show", first.id, "--json").json["question"], QUESTION)

    def test_unknown_id_is_named(self):
        self.assert_refused(self.conclave("show", "0000"), INPUT, "0000")

    def test_scopes_do_not_see_each_other(self):
        first = self.ask("--scope", "left")
        self.assert_code(first, ANSWERED)
        self.assert_refused(self.conclave("show", first.id, "--scope", "right"), INPUT, first.id)
        self.assert_code(self.conclave("show", first.id, "--scope", "left"), ANSWERED)

    def test_store_is_private(self):
        self.assert_code(self.ask(), ANSWERED)
        self.assertEqual(stat.S_IMODE(os.stat(self.folder / "store").st_mode), 0o700)

    def test_nothing_is_kept_without_a_store(self):
        before = temporary_folders()
        self.assert_code(self.ask("--no-store"), ANSWERED)
        self.assertFalse((self.folder / "store").exists())
        self.assertEqual(list((self.folder / "home").iterdir()), [])
        self.assert_nothing_left(before)

    def test_two_at_a_time_share_a_store(self):
        results = []
        threads = [threading.Thread(target=lambda: results.append(self.ask())) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for result in results:
            self.assert_code(result, ANSWERED)
        self.assertEqual(results[0].out.splitlines()[0], results[1].out.splitlines()[0])
        self.assertNotEqual(results[0].id, results[1].id)
        for result in results:
            self.assert_code(self.conclave("show", result.id), ANSWERED)

    def test_file_that_changed_is_read_again(self):
        path = self.write("prices.csv", "price\n1\n2\n3\n")
        first = self.conclave("ask", path, "What is the mean price?", "--json", "--quiet")
        self.assert_code(first, ANSWERED)
        self.assertEqual(float(first.json["answer"]["value"]), 2)
        self.write("prices.csv", "price\n1\n2\n6\n")
        second = self.conclave("ask", path, "What is the mean price?", "--json", "--quiet")
        self.assertEqual(float(second.json["answer"]["value"]), 3)


if __name__ == "__main__":
    unittest.main()
