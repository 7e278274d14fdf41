"""Every golden question (tests/cases/questions.jsonl) through the command: its outcome and its value."""

import concurrent.futures
import json
import math
import unittest

from conclave_command import ANSWERED, DATA, DECLINED, SOURCE, ConclaveTest

CASES = [json.loads(line) for line in (SOURCE / "tests/cases/questions.jsonl").read_text(encoding="utf-8").splitlines()]


def plain(value):
    """A wire value as Python values: numbers, texts, dates as texts, years as numbers, lists of rows."""
    if isinstance(value, dict):
        for wrapper in ("$num", "$int"):
            if wrapper in value:
                return float(value[wrapper])
        if "$date" in value:
            return int(value["$date"]) if len(value["$date"]) == 4 else value["$date"]
        return [[plain(cell) for cell in row] for row in value["$table"]["rows"]]
    if isinstance(value, list):
        return [[plain(item)] for item in value]
    return value


def same(value, expected, decimals):
    """True for equal texts, and for numbers that are equal, or equal once shown to the decimals that were asked for."""
    if isinstance(expected, list):
        return isinstance(value, list) and len(value) == len(expected) and all(
            same(left, right, decimals) for left, right in zip(value, expected))
    if isinstance(expected, (int, float)) and not isinstance(expected, bool):
        # Texts are no numbers: an identifier that became one would pass otherwise.
        if isinstance(value, str):
            return False
        if decimals is not None:
            return math.isclose(value, expected, abs_tol=0.5 * 10**-decimals * (1 + 1e-9))
        return math.isclose(value, expected, rel_tol=1e-9)
    return value == expected


def by_labels(rows):
    """Rows in an order that does not depend on their figures, for answers whose order is free."""
    return sorted(rows, key=lambda row: [str(cell) for cell in row if not isinstance(cell, float)])


class QuestionsTest(ConclaveTest):
    def ask(self, case):
        return self.conclave("ask", DATA / case["file"], case["question"], "--quiet", "--json")

    def check(self, case, result):
        if case["outcome"] == "none":
            self.assert_code(result, DECLINED)
            self.assertNotIn("answer", result.json)
            return
        self.assert_code(result, ANSWERED)
        insight = result.json
        self.assertEqual(insight["outcome"]["kind"], case["outcome"], str(result))
        self.assertEqual(insight["answer"].get("unit", ""), case.get("unit", ""), str(result))
        value, expected = plain(insight["answer"]["value"]), plain(case["expect"])
        if isinstance(expected, list) and not case.get("ordered"):
            value, expected = by_labels(value), by_labels(expected)
        self.assertTrue(same(value, expected, 2 if "2 decimals" in case["question"] else None), str(result))

    def test_every_question(self):
        self.assertGreaterEqual(len(CASES), 40)
        for name in sorted({case["file"] for case in CASES}):  # reads each file once, so that the questions find it read
            self.assert_code(self.conclave("profile", DATA / name, "--quiet"), ANSWERED)
        with concurrent.futures.ThreadPoolExecutor(max_workers=3) as pool:
            for case, result in zip(CASES, pool.map(self.ask, CASES)):
                with self.subTest(file=case["file"], question=case["question"]):
                    self.check(case, result)


if __name__ == "__main__":
    unittest.main()
