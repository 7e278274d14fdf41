"""Tests of how the Python runner encodes `result`: one process, no sandbox."""

import collections
import datetime
import decimal
import enum
import fractions
import itertools
import json
import os
import unittest
import uuid

import numpy as np
import pandas as pd
import runner_modules  # noqa: F401

from conclave_guest import answers, errors, values


def encode(value, meta=None, shape=None, rows=0):
    return json.loads(answers.answer_frame(value, meta, shape, {}, rows))["answer"]


def table(names, rows):
    return {"kind": "table", "value": {"$table": {"columns": names, "rows": rows}}}


class ScalarTest(unittest.TestCase):
    CASES = [
        # Python
        (5, "integer", 5),
        (-(1 << 63), "integer", -(1 << 63)),
        ((1 << 63) - 1, "integer", (1 << 63) - 1),
        (1 << 63, "integer", {"$int": "9223372036854775808"}),
        (-(10**40), "integer", {"$int": "-1" + "0" * 40}),
        (10**5000, "integer", {"$int": "1" + "0" * 5000}),
        (True, "boolean", True),
        (0.1, "number", 0.1),
        (5.0, "number", 5.0),
        (1e300, "number", 1e300),
        (float("inf"), "number", {"$num": "inf"}),
        (-float("inf"), "number", {"$num": "-inf"}),
        (decimal.Decimal("34.650"), "number", {"$num": "34.650"}),
        (decimal.Decimal("1E+2"), "number", {"$num": "100"}),
        (decimal.Decimal("-1E-7"), "number", {"$num": "-1E-7"}),
        (decimal.Decimal("1E+400"), "number", {"$num": "1E+400"}),
        (decimal.Decimal("Infinity"), "number", {"$num": "inf"}),
        (fractions.Fraction(1, 4), "number", 0.25),
        (fractions.Fraction(8, 4), "integer", 2),
        ("Linz", "text", "Linz"),
        ("", "text", ""),
        ("\u00e9\u4e2d\U0001f600", "text", "\u00e9\u4e2d\U0001f600"),
        ("a\ud800b", "text", "a\ufffdb"),
        ("\ud83d\ude00", "text", "\U0001f600"),
        ("nul\0", "text", "nul\0"),
        (datetime.date(2024, 3, 1), "date", {"$date": "2024-03-01"}),
        (datetime.date(1, 1, 1), "date", {"$date": "0001-01-01"}),
        (datetime.datetime(2024, 3, 1, 10, 0, 5), "date", {"$date": "2024-03-01T10:00:05"}),
        (datetime.datetime(2024, 3, 1), "date", {"$date": "2024-03-01"}),
        (datetime.datetime(2024, 3, 1, 0, 0, 0, 7), "date", {"$date": "2024-03-01T00:00:00.000007"}),
        (
            datetime.datetime(2024, 3, 1, 23, tzinfo=datetime.timezone(datetime.timedelta(hours=-5))),
            "date",
            {"$date": "2024-03-02T04:00:00Z"},
        ),
        (datetime.time(9, 30), "text", "09:30:00"),
        (datetime.timedelta(days=5, hours=1), "text", "P5DT1H0M0S"),
        (uuid.UUID(int=1), "text", "00000000-0000-0000-0000-000000000001"),
        (enum.Enum("Colour", "RED").RED, "integer", 1),
        (None, "undefined", None),
        (float("nan"), "undefined", None),
        (decimal.Decimal("NaN"), "undefined", None),
        # numpy
        (np.int64(7), "integer", 7),
        (np.uint64(1 << 63), "integer", {"$int": "9223372036854775808"}),
        (np.int8(-3), "integer", -3),
        (np.bool_(False), "boolean", False),
        (np.float64(0.1), "number", 0.1),
        (np.float32(0.1), "number", {"$num": "0.1"}),
        (np.float32("inf"), "number", {"$num": "inf"}),
        (np.float64("nan"), "undefined", None),
        (np.str_("x"), "text", "x"),
        (np.datetime64("2024-03-01"), "date", {"$date": "2024-03-01"}),
        (np.datetime64("2024-03-01T10:00:00.5"), "date", {"$date": "2024-03-01T10:00:00.500000"}),
        (np.datetime64("NaT"), "undefined", None),
        (np.timedelta64(90, "m"), "text", "P0DT1H30M0S"),
        (np.array(4), "integer", 4),
        # pandas
        (pd.NA, "undefined", None),
        (pd.NaT, "undefined", None),
        (pd.Timestamp("2024-03-01 10:00"), "date", {"$date": "2024-03-01T10:00:00"}),
        (pd.Timestamp("2024-03-01"), "date", {"$date": "2024-03-01"}),
        (pd.Timestamp("2024-03-01 00:00:00.000000001"), "date", {"$date": "2024-03-01T00:00:00.000000001"}),
        (pd.Timestamp("2024-07-01 12:00", tz="Europe/Vienna"), "date", {"$date": "2024-07-01T10:00:00Z"}),
        (pd.Period("2024", "A"), "date", {"$date": "2024"}),
        (pd.Period("2024Q1", "Q"), "date", {"$date": "2024-Q1"}),
        (pd.Period("2024-03", "M"), "date", {"$date": "2024-03"}),
        (pd.Period("2024-12-31", "W"), "date", {"$date": "2025-W01"}),
        (pd.Period("2024-03-01", "D"), "date", {"$date": "2024-03-01"}),
        (pd.Timedelta("1 days 02:00:00"), "text", "P1DT2H0M0S"),
        (pd.Interval(0, 10), "text", "(0, 10]"),
        (np.dtype("int64"), "text", "int64"),
        (pd.Int64Dtype(), "text", "Int64"),
        (pd.Categorical(["b"])[0], "text", "b"),
        (pd.DataFrame({"mean": [5.5]}), "number", 5.5),
        (pd.DataFrame({"mean": [np.nan]}), "undefined", None),
        (pd.Series(["x"]), "text", "x"),
    ]

    def test_kind_and_value(self):
        for value, kind, wire in self.CASES:
            with self.subTest(value=repr(value)[:60]):
                answer = encode(value)
                self.assertEqual(answer["kind"], kind)
                self.assertEqual(answer.get("value"), wire)
                self.assertIs(type(answer.get("value")), type(wire))

    def test_floats_are_written_shortest_and_integers_whole(self):
        body = answers.answer_frame([0.1, 1 / 3, 5.0, 1e16, 9007199254740993], None, None, {}, 0)
        self.assertIn(b"[0.1,0.3333333333333333,5.0,1e+16,9007199254740993]", body)


class ContainerTest(unittest.TestCase):
    def test_lists(self):
        for value, wire in [
            ([1, "a", None, float("nan")], [1, "a", None, {"$num": "nan"}]),
            ((1, 2), [1, 2]),
            ({"b", "a"}, ["a", "b"]),
            (frozenset([3, 1, 2]), [1, 2, 3]),
            (range(3), [0, 1, 2]),
            ({"x": 1}.keys(), ["x"]),
            ({"x": 1}.values(), [1]),
            ([(1,), (2,)], [[1], [2]]),
            ([(1, 2), (3,)], [[1, 2], [3]]),
            (collections.deque([1]), [1]),
            (np.array([1, 2]), [1, 2]),
            (np.array([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
            (np.array([1.5, np.nan]), [1.5, {"$num": "nan"}]),
            (np.array(["a", "b"]), ["a", "b"]),
            (np.array(["2024-03-01"], "M8[D]"), [{"$date": "2024-03-01"}]),
            (pd.Index([3, 4], name="n"), [3, 4]),
            (pd.Series([1.5, None]), [1.5, None]),
            (pd.array([1, None], dtype="Int64"), [1, None]),
            (pd.array([True, None], dtype="boolean"), [True, None]),
            (pd.Series(["a", None, "c"], dtype="category"), ["a", None, "c"]),
            (pd.Series(pd.to_datetime(["2024-03-01", None])), [{"$date": "2024-03-01"}, None]),
            (
                pd.Series(pd.to_datetime(["2024-03-01", "2024-03-01 06:00"])),
                [{"$date": "2024-03-01T00:00:00"}, {"$date": "2024-03-01T06:00:00"}],
            ),
            (pd.Series([1, 2], dtype="uint64") + np.uint64((1 << 63) - 2), [(1 << 63) - 1, {"$int": str(1 << 63)}]),
            (pd.Series([np.inf, 1.0]), [{"$num": "inf"}, 1.0]),
            (pd.Series([decimal.Decimal("1.50"), decimal.Decimal("2")]), [{"$num": "1.50"}, {"$num": "2"}]),
        ]:
            with self.subTest(value=repr(value)):
                self.assertEqual(encode(value), {"kind": "list", "value": wire})

    def test_maps(self):
        self.assertEqual(
            encode({"b": 1, 2: [1], None: {"x": 1.5}, ("a", 1): True}),
            {"kind": "map", "value": {"$map": [["b", 1], [2, [1]], [None, {"$map": [["x", 1.5]]}], [["a", 1], True]]}},
        )

    def test_nothing(self):
        for value in [[], (), {}, set(), np.array([]), pd.Series([], dtype=float), pd.DataFrame(), pd.DataFrame({"a": []})]:
            with self.subTest(value=repr(value)):
                self.assertEqual(encode(value), {"kind": "empty"})

    def test_records_are_a_table(self):
        self.assertEqual(encode([{"k": "a", "v": 1}, {"v": np.nan, "k": "b"}]), table(["k", "v"], [["a", 1], ["b", None]]))
        self.assertEqual(encode([{"k": 1}, {"v": 2}])["kind"], "list")
        self.assertEqual(encode({"x": 1}.items()), table(["column_1", "column_2"], [["x", 1]]))
        rows = pd.DataFrame({"k": ["a", "b"], "v": [1, 2]}).itertuples(index=False)
        self.assertEqual(encode(list(rows)), table(["k", "v"], [["a", 1], ["b", 2]]))

    def test_series_with_named_index(self):
        frame = pd.DataFrame({"city": ["Graz", "Linz", "Graz"], "year": [2023, 2024, 2024], "price": [1.0, 2.0, 4.0]})
        self.assertEqual(encode(frame.groupby("city")["price"].mean()), table(["city", "price"], [["Graz", 2.5], ["Linz", 2.0]]))
        self.assertEqual(encode(frame.groupby("city").size()), table(["city", "value"], [["Graz", 2], ["Linz", 1]]))
        self.assertEqual(
            encode(frame.groupby(["city", "year"])["price"].sum()),
            table(["city", "year", "price"], [["Graz", 2023, 1.0], ["Graz", 2024, 4.0], ["Linz", 2024, 2.0]]),
        )

    def test_unnamed_index_is_dropped_where_it_numbers_rows(self):
        frame = pd.DataFrame({"city": ["Graz", "Linz", "Wien"], "n": [5, 7, 6]})
        self.assertEqual(encode(frame[frame.n > 5]["city"], rows=3), {"kind": "list", "value": ["Linz", "Wien"]})
        self.assertEqual(encode(frame.nlargest(2, "n"), rows=3), table(["city", "n"], [["Linz", 7], ["Wien", 6]]))
        self.assertEqual(encode(frame[1:], rows=3), table(["city", "n"], [["Linz", 7], ["Wien", 6]]))
        values.name_keys()
        totals = frame.groupby("city", as_index=False)["n"].sum()
        self.assertEqual(encode(totals[totals.n > 5], rows=3), table(["city", "n"], [["Linz", 7], ["Wien", 6]]))
        self.assertEqual(encode(frame["n"].sort_values(ascending=False), rows=3), {"kind": "list", "value": [7, 6, 5]})
        self.assertEqual(encode(frame.groupby([0, 1, 0]).head(1), rows=3), table(["city", "n"], [["Graz", 5], ["Linz", 7]]))

    def test_keys_of_groups_are_kept_though_they_could_number_rows(self):
        values.name_keys()
        frame = pd.DataFrame({"size": [3, 3, 1, 3], "n": [1, 2, 4, 8]})
        codes = np.array([0, 1, 0, 1])
        kept = table(["index", "n"], [[0, 5], [1, 10]])
        ways = [codes, list(codes), pd.Series(codes), pd.Index(codes), pd.array(codes), lambda row: row % 2, frame.index % 2]
        for by in ways + [{0: 0, 1: 1, 2: 0, 3: 1}]:
            self.assertEqual(encode(frame["n"].groupby(by).sum(), rows=4), kept)
            self.assertEqual(encode(frame[["n"]].groupby(by).sum(), rows=4), kept)
            self.assertEqual(encode(frame.groupby(by)["n"].sum(), rows=4), kept)
        self.assertEqual(encode(frame["n"].groupby(codes, sort=False).agg("sum").nlargest(1), rows=4), table(["index", "n"], [[1, 10]]))
        self.assertEqual(encode(frame["n"].groupby(codes).size() > 1, rows=4), table(["index", "n"], [[0, True], [1, True]]))
        days = frame["n"].set_axis(pd.date_range("2024-03-01", periods=4))
        self.assertEqual(encode(days.groupby(codes).sum(), rows=4), kept)
        self.assertEqual(encode(days.groupby(days.index.day // 3).sum(), rows=4), table(["index", "n"], [[0, 3], [1, 12]]))
        sizes = encode(frame.groupby("size")["n"].sum(), rows=4)
        self.assertEqual(sizes, table(["size", "n"], [[1, 4], [3, 11]]))

    def test_programs_see_no_name_of_a_key(self):
        values.name_keys()
        frame = pd.DataFrame({"n": [1, 2, 4, 8]})
        codes = np.array([0, 1, 0, 1])
        self.assertEqual(list(frame.groupby(codes).sum().reset_index()["index"]), [0, 1])
        self.assertEqual(list(frame.rename(columns={"n": "index"}).groupby(codes).sum().reset_index().columns), ["level_0", "index"])
        self.assertEqual(frame.groupby(codes, as_index=False).sum().to_dict("list"), {"n": [5, 10]})
        self.assertEqual(list(frame.groupby(codes)["n"].transform("sum")), [5, 10, 5, 10])
        self.assertEqual([key for key, _ in frame.groupby(codes)], [0, 1])
        self.assertEqual(frame.groupby(codes).get_group(1)["n"].tolist(), [2, 8])

    def test_unnamed_index_is_kept_where_it_holds_values(self):
        self.assertEqual(encode(pd.Series([1, 2], index=[2023, 2024]), rows=100), table(["key", "value"], [[2023, 1], [2024, 2]]))
        self.assertEqual(encode(pd.Series([1, 2], index=range(2023, 2025)), rows=3), table(["key", "value"], [[2023, 1], [2024, 2]]))
        self.assertEqual(encode(pd.Series({"a": 1.5, "b": 2.0}, name="x")), table(["key", "x"], [["a", 1.5], ["b", 2.0]]))

    def test_value_counts_keep_their_values(self):
        values.name_keys()
        frame = pd.DataFrame({"size": [3, 3, 1, 3]})
        counted = encode(frame["size"].value_counts(), rows=4)["value"]["$table"]
        self.assertEqual((counted["columns"][0], counted["rows"]), ("size", [[3, 3], [1, 1]]))
        shares = encode((frame["size"].value_counts(normalize=True) * 100).round(1).head(1), rows=4)["value"]["$table"]
        self.assertEqual(shares["rows"], [[3, 75.0]])
        renamed = frame["size"].value_counts().rename_axis("size").reset_index(name="n")
        self.assertEqual(encode(renamed, rows=4), table(["size", "n"], [[3, 3], [1, 1]]))
        self.assertEqual(encode(frame["size"].value_counts().reset_index(), rows=4)["value"]["$table"]["rows"], [[3, 3], [1, 1]])

    def test_frames(self):
        frame = pd.DataFrame({"k": ["a", "b"], "x": pd.array([1, None], dtype="Int64"), "day": pd.to_datetime(["2024-03-01", None])})
        self.assertEqual(encode(frame), table(["k", "x", "day"], [["a", 1, {"$date": "2024-03-01"}], ["b", None, None]]))
        self.assertEqual(
            encode(frame.set_index("k")), table(["k", "x", "day"], [["a", 1, {"$date": "2024-03-01"}], ["b", None, None]])
        )
        described = encode(pd.DataFrame({"x": [1.0, 3.0]}).describe().loc[["mean", "max"]])
        self.assertEqual(described, table(["key", "x"], [["mean", 2.0], ["max", 3.0]]))

    def test_names_of_columns(self):
        grouped = pd.DataFrame({"k": ["a", "a"], "x": [1, 2]}).groupby("k").agg({"x": ["min", "max"]})
        self.assertEqual(encode(grouped), table(["k", "x_min", "x_max"], [["a", 1, 2]]))
        self.assertEqual(encode(grouped.reset_index()), table(["k", "x_min", "x_max"], [["a", 1, 2]]))
        twice = pd.DataFrame([[1, 2, 3]], columns=["x", "x", "x_2"], index=pd.Index(["a"], name="x"))
        self.assertEqual(encode(twice), table(["x", "x_2", "x_3", "x_2_2"], [["a", 1, 2, 3]]))
        odd = pd.DataFrame([[1, 2, 3, 4]], columns=[2024, pd.Timestamp("2024-03-01"), np.nan, pd.Period("2024-03", "M")])
        self.assertEqual(encode(odd)["value"]["$table"]["columns"], ["2024", "2024-03-01", "", "2024-03"])

    def test_labels_of_periods(self):
        days = pd.date_range("2024-01-30", periods=4)
        series = pd.Series([1, 2, 3, 4], index=days, name="n")
        monthly = table(["key", "n"], [[{"$date": "2024-01"}, 3], [{"$date": "2024-02"}, 7]])
        self.assertEqual(encode(series.resample("MS").sum()), monthly)
        self.assertEqual(encode(series.groupby(series.index.to_period("M")).sum()), monthly)
        self.assertEqual(encode(series.resample("QS").sum())["value"]["$table"]["rows"], [[{"$date": "2024-Q1"}, 10]])

    def test_one_by_one_with_a_key_stays_a_table(self):
        self.assertEqual(encode(pd.DataFrame({"n": [2]}, index=pd.Index(["a"], name="k"))), table(["k", "n"], [["a", 2]]))


class RefusalTest(unittest.TestCase):
    def refused(self, value, kind, words, **options):
        with self.assertRaises(errors.ProgramError) as raised:
            encode(value, **options)
        self.assertEqual(raised.exception.kind, kind)
        self.assertTrue(raised.exception.repairable)
        self.assertIn(words, raised.exception.message)

    def test_what_is_no_value(self):
        for value, words in [
            (1 + 2j, "complex"),
            (b"x", "decode"),
            (np.void(b"x"), "decode"),
            (len, "is a function; call it"),
            (lambda: 1, "is a function; call it"),
            (int, "is a class"),
            (os, "is a module"),
            ((x for x in []), "a generator; wrap it in list()"),
            (zip([1], [2]), "wrap it in list()"),
            (map(str, [1]), "wrap it in list()"),
            (itertools.count(), "wrap it in list()"),
            (pd.DataFrame({"a": [1]}).groupby("a"), "aggregate it"),
            (pd.Series([1, 2]).rolling(2), "aggregate it"),
            (object(), "holds a object; assign a number"),
            ([1, [object()]], "holds a object"),
            (pd.Series([object(), object()]), "holds a object"),
            (np.datetime64("20000-01-01"), "beyond the years"),
        ]:
            with self.subTest(value=repr(value)):
                self.refused(value, "ResultTypeError", words)

    def test_what_is_too_large(self):
        loop = []
        loop.append(loop)
        for value, words in [
            (list(range(100001)), "100,001 rows, and an answer at most 100,000"),
            (pd.DataFrame({"a": np.zeros(100001)}), "100,001 rows"),
            (pd.Series(np.zeros(100001)), "100,001 rows"),
            ({n: n for n in range(100001)}, "100,001 rows"),
            (pd.DataFrame(np.zeros((1, 2001))), "2,001 columns"),
            (pd.DataFrame(np.zeros((2000, 1001))), "more than 2,000,000 values"),
            ("x" * (16 << 20), "bytes, and an answer at most 16,777,216"),
            (loop, "deeper than 16"),
            (10**100001, "100000 digits"),
        ]:
            with self.subTest(words=words):
                self.refused(value, "AnswerTooLarge", words)

    def test_the_largest_answer_passes(self):
        self.assertEqual(len(encode(list(range(100000)))["value"]), 100000)

    def test_meta(self):
        for meta, words in [
            ([], "must be a dict"),
            ({"units": "s"}, 'no member "units"'),
            ({"unit": 5}, '["unit"] must be text'),
            ({"unit": "x" * 65}, "at most 64 bytes"),
            ({"decimals": 1.5}, '["decimals"] must be an integer from 0 to 100'),
            ({"decimals": True}, '["decimals"]'),
            ({"decimals": -1}, '["decimals"]'),
            ({"ordered": 1}, '["ordered"] must be True or False'),
            ({"notes": "x"}, '["notes"]'),
            ({"notes": {"a": []}}, '["notes"]'),
        ]:
            with self.subTest(meta=meta):
                self.refused(1, "ResultMetaError", words, meta=meta)


class MetaTest(unittest.TestCase):
    def test_meta_is_taken_and_wins_over_the_declared_shape(self):
        self.assertEqual(
            encode(1.5, {"unit": "percent", "decimals": np.int64(2), "ordered": np.bool_(True), "notes": {"ddof": 1}}),
            {"kind": "number", "value": 1.5, "unit": "percent", "decimals": 2, "ordered": True, "notes": {"ddof": "1"}},
        )
        shape = {"unit": "USD", "decimals": 0, "ordered": False}
        self.assertEqual(encode(1.5, None, shape), {"kind": "number", "value": 1.5, "unit": "USD", "decimals": 0, "ordered": False})
        self.assertEqual(encode(1.5, {"decimals": 3}, shape)["decimals"], 3)


if __name__ == "__main__":
    unittest.main()
