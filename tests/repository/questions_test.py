"""Tests of tests/cases/questions.jsonl: the expected answers are what SQLite computes from the files, without any of our code.

The expected answers were computed with pandas; `sql` in each line is the second, independent computation.
"""

import csv
import json
import pathlib
import re
import sqlite3
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "examples" / "data"
QUESTIONS = ROOT / "tests" / "cases" / "questions.jsonl"

DIALECTS = {
    "unemployment.tsv": {"delimiter": "\t"},
    "modechoice.csv": {"delimiter": ";"},
    "anes96.csv": {"delimiter": "\t", "quotechar": "'"},
}
INTEGER = re.compile(r"-?(0|[1-9]\d*)$")
NUMBER = re.compile(r"-?(0|[1-9]\d*)?\.?\d+$")


def convert(cells):
    """One column of texts as SQLite values: numbers only when every cell that is not empty is one."""
    full = [cell for cell in cells if cell != ""]
    if all(INTEGER.match(cell) for cell in full):
        kind = int
    elif all(NUMBER.match(cell) and not re.match(r"-?0\d", cell) for cell in full):
        kind = float
    else:
        kind = str
    return [None if cell == "" and kind is not str else kind(cell) for cell in cells]


def load(name):
    with open(DATA / name, encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file, **DIALECTS.get(name, {}))
    columns = [convert(cells) for cells in zip(*rows)]
    database = sqlite3.connect(":memory:")
    names = ", ".join('"' + column.replace('"', '""') + '"' for column in header)
    database.execute(f"create table t ({names})")
    database.executemany(f"insert into t values ({', '.join('?' * len(header))})", zip(*columns))
    return database


def plain(value):
    """A wire value as rows of plain values."""
    if isinstance(value, dict) and "$table" in value:
        return [[plain(cell)[0][0] for cell in row] for row in value["$table"]["rows"]]
    if isinstance(value, dict):
        return [[value["$date"]]]
    if isinstance(value, list):
        return [[item] for item in value]
    return [[value]]


class QuestionsTest(unittest.TestCase):
    def assert_same(self, expected, found, ordered):
        if not ordered:
            expected, found = sorted(expected, key=str), sorted(found, key=str)
        self.assertEqual(len(expected), len(found))
        for one, other in zip(expected, found):
            self.assertEqual(len(one), len(other))
            for a, b in zip(one, other):
                if isinstance(a, str):
                    self.assertEqual(a, b)
                else:
                    self.assertAlmostEqual(a, b, delta=1e-9 * max(1.0, abs(a)))

    def test_second_computation_agrees(self):
        databases = {}
        for number, line in enumerate(QUESTIONS.read_text(encoding="utf-8").splitlines(), 1):
            case = json.loads(line)
            with self.subTest(line=number, question=case["question"]):
                name = case["file"]
                self.assertTrue((DATA / name).is_file(), name)
                if case["outcome"] == "none":
                    self.assertNotIn("expect", case)
                    continue
                if name not in databases:
                    databases[name] = load(name)
                    self.addCleanup(databases[name].close)
                found = [list(row) for row in databases[name].execute(case["sql"])]
                self.assert_same(plain(case["expect"]), found, case.get("ordered", False))


if __name__ == "__main__":
    unittest.main()
