#!/usr/bin/env python3
"""The package as its users meet it."""

import doctest
import inspect
import io
import os
import re
import tempfile
import threading
import unittest
import unittest.mock

from support import SOURCE, WEATHER

import conclave
from conclave import _engine, _insight


class Asking(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.engine = conclave.Engine()

    @classmethod
    def tearDownClass(cls):
        cls.engine.close()

    def test_an_insight_tells_everything(self):
        insight = self.engine.ask(WEATHER, "What is the average wind by weather?")
        self.assertEqual(insight.outcome, "supported")
        self.assertTrue(insight.delivered)
        self.assertIn("2 programs agree", insight.why)
        self.assertEqual(insight.answer["columns"], ["weather", "mean_wind"])
        self.assertEqual([voice.persona for voice in insight.voices], ["offline-sql", "offline-pandas"])
        self.assertTrue(all(voice.counts for voice in insight.voices))
        self.assertIn("drizzle", str(insight))
        self.assertEqual(self.engine.recall(insight.id).answer, insight.answer)

    def test_a_declined_question_is_no_exception(self):
        insight = self.engine.ask(str(WEATHER), "Why did it rain?")
        self.assertEqual((insight.outcome, insight.delivered, insight.answer), ("none", False, None))
        self.assertIn("cause", insight.why)
        self.assertIn("none: ", str(insight))

    def test_what_one_program_alone_says_is_no_answer(self):
        insight = self.engine.ask(WEATHER, "What is the average wind by weather?", personas=["offline-sql"])
        self.assertEqual((insight.outcome, insight.delivered), ("none", False))
        self.assertEqual((insight.sentence, insight.answer, insight.text, insight.unit), ("", None, "", ""))
        self.assertEqual(len(insight.table), 0)
        self.assertEqual(insight.raw["answer"]["kind"], "table")
        self.assertEqual(insight.voices[0].answer["kind"], "table")
        self.assertEqual(repr(insight), "<Insight none: One execution, not cross-checked.>")
        self.assertRegex(insight.way_out, r"without choosing personas, or choose another one as well.*offline-pandas \(offline\)")

    def test_errors_have_kinds_and_name_the_field(self):
        with self.assertRaises(conclave.NotFound) as caught:
            self.engine.ask("/nonexistent.csv", "How many rows?")
        self.assertIsInstance(caught.exception, LookupError)
        self.assertEqual(caught.exception.field, "datasets[0].path")
        with self.assertRaises(conclave.InvalidArgument) as caught:
            self.engine.ask(WEATHER, "How many rows?", run_limits={"memory": 1})
        self.assertIn("memory", str(caught.exception))
        self.assertEqual(caught.exception.field, "context.run_limits.memory")
        with self.assertRaises(conclave.InvalidArgument) as caught:
            self.engine.ask({"path": WEATHER, "Sheet 1": "x"}, "How many rows?")
        self.assertEqual(caught.exception.field, "datasets[0].Sheet 1")
        with self.assertRaises(conclave.InvalidArgument):
            self.engine.ask([], "How many rows?")
        with self.assertRaises(conclave.InvalidArgument):
            conclave.Engine(budget_processes=-1)
        for isolation, field in ((4, "isolation_required"), ((1, 4), "isolation_preferred"), ((2, 1), "isolation_preferred")):
            with self.assertRaises(conclave.InvalidArgument) as caught:
                conclave.Engine(isolation=isolation)
            self.assertEqual(caught.exception.field, "options." + field)
        for isolation in ("2", True, (1,), (1, 2, 3), (1, None), 1.0, {1, 2}):
            with self.assertRaisesRegex(TypeError, "^isolation: "):
                conclave.Engine(isolation=isolation)
        for isolation in (0, 1, (0, 3), [1, 2]):
            conclave.Engine(isolation=isolation).close()
        with self.assertRaises(conclave.NotFound):
            self.engine.recall("0000")

    def test_datasets_in_every_form(self):
        with open(WEATHER, encoding="utf-8") as file:
            open_file = {"descriptor": file.fileno(), "name": "opened.csv"}
            for files, names in ((str(WEATHER), ["seattle_weather"]), ({"path": WEATHER, "name": "rain.csv"}, ["rain"]),
                                 (open_file, ["opened"]), ([open_file, WEATHER, {"path": str(WEATHER)}],
                                                           ["opened", "seattle_weather", "seattle_weather_2"]),
                                 (WEATHER.parent.glob("seattle-*.csv"), ["seattle_weather"])):
                self.assertEqual([profile["name"] for profile in self.engine.profile(files)], names)

    def test_what_is_no_dataset_is_refused_with_what_is_one(self):
        accepted = 'give a path, {"path": "sales.csv", "name": "..."}, {"descriptor": 7, "name": "sales.csv"}, or a list'
        with open(WEATHER, "rb") as file:
            for files, place, way_out in (
                    (file, "files: BufferedReader ", "file.fileno()"),
                    ([WEATHER, file], "files[1]: BufferedReader ", "file.fileno()"),
                    (b"a,b", "files: bytes b'a,b' ", "in a file"), (io.StringIO("a,b"), "files: StringIO ", "in a file"),
                    ({"path": b"x"}, 'files["path"]: bytes ', "os.fsdecode"),
                    (7, "files: int 7 ", ""), (None, "files: None ", ""), ({"a", "b"}, "files: set ", "")):
                with self.assertRaises(TypeError) as caught:
                    self.engine.ask(files, "How many rows?")
                message = str(caught.exception)
                self.assertTrue(message.startswith(place), message)
                self.assertIn(accepted, message)
                self.assertIn(way_out, message)
            with self.assertRaisesRegex(TypeError, r"BufferedReader .* is not the number of an open file: give file.fileno"):
                self.engine.ask({"descriptor": file}, "How many rows?")
        for files, message in (({"path": WEATHER, "descriptor": 0}, "exactly one of path and descriptor"),
                               ({"file": "x.csv"}, "file"), ({"descriptor": 9999}, "9999 is not open for reading")):
            with self.assertRaisesRegex(conclave.InvalidArgument, message):
                self.engine.ask(files, "How many rows?")

    def test_text_without_utf8_is_named(self):
        odd = os.fsdecode(b"caf\xe9.csv")
        with self.assertRaises(conclave.InvalidArgument) as caught:
            self.engine.ask([WEATHER, odd], "How many rows?")
        self.assertIsInstance(caught.exception, ValueError)
        self.assertEqual(caught.exception.field, "datasets[1].path")
        self.assertIn(r"datasets[1].path: 'caf\udce9.csv' has no UTF-8 form; rename the file, or open", str(caught.exception))
        for call, field in ((lambda: self.engine.ask(WEATHER, odd), "question"),
                            (lambda: self.engine.recall(odd), "insight_id"),
                            (lambda: self.engine.ask(WEATHER, "?", scope=odd), "context.scope"),
                            (lambda: conclave.Engine(store_folder=odd), "store_folder"),
                            (lambda: self.engine.add_model("a\0b", str), "name")):
            with self.assertRaises(conclave.InvalidArgument) as caught:
                call()
            self.assertEqual(caught.exception.field, field)
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, odd), "w+", encoding="utf-8") as file:
                file.write("a\n1\n2\n")
                file.flush()
                self.assertEqual(self.engine.profile({"descriptor": file.fileno(), "name": "cafe.csv"})[0]["rows"], 2)

    def test_floats_that_are_no_number_are_named(self):
        for call, field in ((lambda: conclave.Engine(budget_cpus=float("nan")), "budget_cpus"),
                            (lambda: self.engine.ask(WEATHER, "?", run_limits={"wall_ms": float("inf")}),
                             "context.run_limits.wall_ms"),
                            (lambda: conclave.compare({}, {"value": [1, float("nan")]}), "b.value[1]"),
                            (lambda: conclave.compare({"value": "\udcff"}, {}), "a.value")):
            with self.assertRaises(conclave.InvalidArgument) as caught:
                call()
            self.assertEqual(caught.exception.field, field)
            self.assertTrue(str(caught.exception).startswith(f"{field}: "))

    def test_what_is_no_text_is_named(self):
        with self.assertRaisesRegex(TypeError, "question: int 7 is not a str"):
            self.engine.ask(WEATHER, 7)
        with self.assertRaisesRegex(TypeError, "insight_id: None is not a str"):
            self.engine.recall(None)

    def test_programs_and_profiles(self):
        execution = self.engine.run(WEATHER, "SELECT max(wind) FROM seattle_weather")
        self.assertEqual((execution["end_reason"], execution["answer"]["value"]), ("ok", 9.5))
        execution = self.engine.run(WEATHER, "result = len(load())", language="python")
        self.assertEqual(execution["answer"]["value"], 1461)
        profile, = self.engine.profile(WEATHER)
        self.assertEqual(profile["rows"], 1461)
        with self.assertRaisesRegex(TypeError, "code: PosixPath"):
            self.engine.run("SELECT 1", WEATHER)

    def test_a_closed_engine_refuses(self):
        engine = conclave.Engine()
        engine.close()
        engine.close()
        with self.assertRaises(conclave.FailedPrecondition):
            engine.ask(WEATHER, "How many rows are there?")

    def test_threads_share_an_engine(self):
        answers = []
        threads = [threading.Thread(target=lambda: answers.append(self.engine.ask(WEATHER, "How many rows are there?").answer))
                   for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(answers, [1461] * 4)

    def test_the_engine_examines_itself(self):
        report = self.engine.examine()
        self.assertTrue(report["good"], report)


class Values(unittest.TestCase):
    def test_plain_json_becomes_python(self):
        for given, expected in (
                (1.5, 1.5), ({"$int": "12345678901234567890"}, 12345678901234567890), ({"$num": "inf"}, float("inf")),
                ({"$date": "2024-03-01"}, "2024-03-01"), ({"$map": [[1, "a"], [None, 2]]}, {1: "a", None: 2}),
                ({"a": [1, {"$int": "2"}]}, {"a": [1, 2]}),
                ({"$table": {"columns": ["x"], "rows": [[{"$num": "1.50"}]]}}, {"columns": ["x"], "rows": [[1.5]]})):
            self.assertEqual(_insight.to_python(given), expected)

    def test_integers_that_python_does_not_read_stay_digits(self):
        digits = "1" + "0" * 5000
        self.assertEqual(_insight.to_python({"$int": digits}), digits)
        raw = f'{{"outcome": {{"kind": "supported"}}, "answer": {{"kind": "integer", "value": {digits}}}}}'.encode()
        insight = _insight.from_json(raw, digits)
        self.assertEqual(insight.answer, digits)
        self.assertIn("supported", insight._repr_html_())

    def test_notebooks_show_text_as_text(self):
        insight = conclave.Insight(raw={
            "question": "q", "outcome": {"kind": "supported"}, "sentence": "<script>alert(1)</script>:",
            "answer": {"kind": "table", "value": {"$table": {"columns": ["<b>"], "rows": [["<img src=x>"], [None]]}}},
            "assumptions": ["a < b"]})
        page = insight._repr_html_()
        for bad in ("<script>", "<b>&", "<img"):
            self.assertNotIn(bad, page)
        self.assertIn("&lt;img src=x&gt;", page)

    def test_tables_of_every_kind(self):
        for value, kind, columns in ((3, "integer", ["answer"]), ([1, 2], "list", ["answer"]),
                                     ({"$map": [["a", 1]]}, "map", ["key", "answer"])):
            insight = conclave.Insight(raw={"outcome": {"kind": "supported"}, "answer": {"kind": kind, "value": value}})
            self.assertEqual(list(insight.table.columns), columns)

    def test_tables_without_pandas_are_dicts(self):
        table = {"kind": "table", "value": {"$table": {"columns": ["day", "n"], "rows": [[{"$date": "2024-03-01"}, 2]]}}}
        with unittest.mock.patch.dict("sys.modules", {"pandas": None}):
            for outcome, expected in (("confirmed", [{"day": "2024-03-01", "n": 2}]), ("disputed", [])):
                insight = conclave.Insight(raw={"outcome": {"kind": outcome}, "answer": table})
                self.assertEqual(insight.table, expected)

    def test_without_pandas_columns_of_one_name_are_all_there(self):
        table = {"columns": ["n", "n_2", "n", "n"], "rows": [[1, 2, 3, 4]]}
        insight = conclave.Insight(raw={"outcome": {"kind": "supported"}, "answer": {"kind": "table", "value": {"$table": table}}})
        self.assertEqual(list(insight.table.columns), table["columns"])
        with unittest.mock.patch.dict("sys.modules", {"pandas": None}):
            self.assertEqual(insight.table, [{"n": 1, "n_2": 2, "n_3": 3, "n_4": 4}])
        self.assertEqual(insight.answer, table)

    def test_insights_and_voices_can_be_collected_in_sets(self):
        def insight(number, answer):
            return conclave.Insight(raw={"id": number, "ballots": [{"persona": "a", "answer": {"value": answer}}]})
        self.assertEqual({insight("1f", 1), insight("1f", 1), insight("1f", 2), insight("2f", 1)},
                         {insight("1f", 1), insight("1f", 2), insight("2f", 1)})
        self.assertEqual(len({insight("1f", 1).voices[0], insight("1f", 1).voices[0], insight("1f", 2).voices[0]}), 2)

    def test_nothing_states_an_answer_that_is_not_delivered(self):
        raw = {"sentence": "It is 7 s.", "answer": {"kind": "integer", "value": 7, "unit": "s"}}
        for outcome in ("confirmed", "supported", "disputed", "none"):
            insight = conclave.Insight(raw={**raw, "outcome": {"kind": outcome, "explanation": "Because."}}, text="7 s")
            told = (insight.sentence, insight.answer, insight.text, insight.unit, len(insight.table))
            self.assertEqual(told, ("It is 7 s.", 7, "7 s", "s", 1) if insight.delivered else ("", None, "", "", 0), outcome)
            self.assertEqual("7" in f"{insight}{insight!r}{insight._repr_html_()}", insight.delivered, outcome)

    def test_reprs_are_short(self):
        insight = conclave.Insight(raw={"outcome": {"kind": "supported"}, "sentence": "It is long. " * 100})
        self.assertTrue(repr(insight).startswith("<Insight supported: It is long. "))
        self.assertLess(len(repr(insight)), 130)

    def test_comparison(self):
        self.assertTrue(conclave.compare({"kind": "integer", "value": 3}, {"kind": "number", "value": 3.0})["agree"])
        with self.assertRaises(conclave.InvalidArgument):
            conclave.compare({"kind": "nonsense"}, {})


class Documentation(unittest.TestCase):
    PAGE = (SOURCE / "docs/python.md").read_text(encoding="utf-8")

    @staticmethod
    def public(owner):
        return [(name, member) for name, member in vars(owner).items() if not name.startswith("_")]

    def test_every_signature_is_in_the_documentation(self):
        functions = {f"conclave.{name}": getattr(conclave, name) for name in ("ask", "compare", "Engine")}
        for owner in (conclave.Engine, conclave.Job):
            functions.update((f"{owner.__name__}.{name}", member) for name, member in self.public(owner) if callable(member))
        page = " ".join(self.PAGE.split())
        for name, function in functions.items():
            signature = inspect.signature(function)
            parameters = [parameter.replace(annotation=signature.empty) for parameter in signature.parameters.values()
                          if parameter.name != "self"]
            plain = signature.replace(parameters=parameters, return_annotation=signature.empty)
            self.assertIn(f"{name}{plain}", page)

    def test_every_property_and_name_is_in_the_documentation(self):
        for owner in (conclave.Insight, conclave.ModelRequest):
            for name, _ in self.public(owner):
                self.assertIn(f"`.{name}`", self.PAGE)
        for name in ("raw", *conclave.Voice.__annotations__):
            self.assertIn(f"`.{name}`", self.PAGE)
        for name in conclave.__all__:
            self.assertIn(name, self.PAGE)

    def test_links_lead_somewhere(self):
        for link in re.findall(r"\]\(([^)#]+)\)", self.PAGE):
            self.assertTrue((SOURCE / "docs" / link).exists(), link)


def load_tests(_loader, tests, _pattern):
    os.chdir(SOURCE)
    for module in (conclave, _engine):
        tests.addTests(doctest.DocTestSuite(module))
    tests.addTests(doctest.DocFileSuite(str(SOURCE / "docs/python.md"), module_relative=False))
    return tests


if __name__ == "__main__":
    unittest.main()
