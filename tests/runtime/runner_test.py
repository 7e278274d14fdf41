"""Tests of the Python runner but for its encoder: rules, column stores, running a program. One process, no sandbox."""

import ast
import datetime
import errno
import itertools
import json
import os
import struct
import sys
import tempfile
import unittest

import numpy as np
import pandas as pd
from runner_modules import RUNNER

from conclave_guest import canaries, channel, columns, errors, program, rules, tables


class CanariesTest(unittest.TestCase):
    """Here, outside of any sandbox, everything that can be tried succeeds, and is told."""

    def found(self, granted):
        return {canary["name"]: canary for canary in canaries.examine(granted)}

    def test_what_is_refused_and_what_is_not(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertFalse(self.found({"refused": [folder]})["path_filter"]["achieved"])
            refused = self.found({"refused": [folder + "/missing"]})["path_filter"]
        self.assertTrue(refused["achieved"])
        self.assertIn("No such file", refused["detail"])
        self.assertFalse(self.found({})["syscall_filter"]["achieved"])

    def test_namespaces_are_compared_with_the_hosts(self):
        own = {kind: os.readlink("/proc/self/ns/" + kind) for kind in ("user", "pid", "ipc", "mnt", "net")}
        layers = ["user_namespace", "process_namespace", "ipc_namespace", "mount_namespace", "network_namespace"]
        shared = self.found({"namespaces": own})
        self.assertEqual([shared[name]["achieved"] for name in layers], [False] * 5)
        others = self.found({"namespaces": {kind: kind + ":[1]" for kind in own}})
        self.assertEqual([others[name]["achieved"] for name in layers], [True] * 5)
        self.assertEqual([name for name in layers if name in self.found({"namespaces": {"time": "time:[1]"}})], [])

    def test_the_host_is_signalled_only_where_its_number_means_it(self):
        own = {"pid": os.readlink("/proc/self/ns/pid")}
        self.assertFalse(self.found({"namespaces": own, "process": os.getpid()})["signal_scope"]["achieved"])
        self.assertTrue(self.found({"namespaces": own, "process": 2**22 + 1})["signal_scope"]["achieved"])
        self.assertNotIn("signal_scope", self.found({"namespaces": {"pid": "pid:[1]"}, "process": os.getpid()}))
        self.assertNotIn("signal_scope", self.found({"process": os.getpid()}))

    def test_every_canary_is_a_frame(self):
        for canary in canaries.examine({"descriptors": [0, 1, 2], "environment": [], "refused": ["/"]}):
            self.assertEqual(sorted(canary), ["achieved", "detail", "name"])
            self.assertIsInstance(canary["achieved"], bool)


class RulesTest(unittest.TestCase):
    def test_broken_rules_name_the_line_and_the_way_out(self):
        for source, line, words in [
            ("import sqlite3\n", 1, "sqlite3 runs SQL"),
            ("df = load()\nimport duckdb as d\nresult = 1", 2, "duckdb runs SQL"),
            ("from sqlalchemy.engine import create_engine", 1, "sqlalchemy runs SQL"),
            ("df = load()\nresult = pd.read_sql('select 1', None)", 2, "read_sql runs SQL"),
            ("load().to_sql('t', None)", 1, "to_sql runs SQL"),
            ("result = pd.read_csv('x.csv')", 1, "read_csv reads a file, and a program is given none; use load()"),
            ("from pandas import read_excel", 1, "read_excel reads a file"),
            ("result = np.load('x.npy')", 1, "np.load reads a file"),
            ("result = open('x').read()", 1, "open() reads a file"),
            ("result = open('x', mode='rb')", 1, "open() reads a file"),
            ("load = lambda: 1\nresult = load()", 1, "must not be redefined"),
            ("def load(): pass\nresult = load()", 1, "must not be redefined"),
            ("result = 42", 0, "never calls load()"),
            ("df = load()\nprint(df)", 0, "never assigns `result`"),
            ("", 0, "never calls load()"),
        ]:
            with self.subTest(source=source):
                with self.assertRaises(errors.ProgramError) as raised:
                    rules.check(source)
                self.assertEqual((raised.exception.kind, raised.exception.line), ("ProgramRefused", line))
                self.assertIn(words, raised.exception.message)

    def test_what_is_not_python(self):
        for source, line in [("x = = 1", 1), ("df = load()\n  result = 1", 2), ("a\0b", 0), ("x = (" * 500, 1), ("SELECT 1", 1)]:
            with self.subTest(source=source[:20]):
                with self.assertRaises(errors.ProgramError) as raised:
                    rules.check(source)
                self.assertEqual((raised.exception.kind, raised.exception.line), ("SyntaxError", line))

    def test_good_programs_pass(self):
        for source, line in [
            ("df = load(['a'])\nresult = df.a.mean()\nresult_meta = {'decimals': 2}", 2),
            ("df = load()\nif len(df):\n    result = 1\nelse:\n    result = None", 5),
            ("read = load\nresult, other = len(read()), 2", 2),
            ("df = load()\nfor result in df.a: pass", 2),
            ("df = load()\nwith open('chart.txt', 'w') as f: f.write('x')\nresult = 1", 3),
            ("import json, math, statistics\nresult = json.loads('1') + len(load())", 2),
        ]:
            with self.subTest(source=source):
                self.assertEqual(rules.check(source)[1], line)

    def test_sql_cannot_be_imported_under_another_name(self):
        rules.refuse_sql_imports()
        try:
            for name in ("sqlite3", "_sqlite3", "duckdb"):
                with self.assertRaisesRegex(ImportError, "not available to Python programs"):
                    __import__(name)
        finally:
            sys.meta_path.pop(0)


class StoreBuilder:
    """Writes column stores byte by byte, independently of the C++ that writes them for real."""

    def __init__(self, rows):
        self.rows = rows
        self.columns = []

    def add(self, name, kind, layout, nulls=0, entries=0, validity=b"", values=b"", offsets=b"", text=b""):
        self.columns.append((name.encode(), kind, layout, nulls, entries, validity, values, offsets, text))
        return self

    def bytes(self):
        body = bytearray(56)

        def put(raw):
            if not raw:
                return (0, 0)
            body.extend(b"\0" * (-len(body) % 64))
            body.extend(raw)
            return (len(body) - len(raw), len(raw))

        records = b""
        for name, kind, layout, nulls, entries, *buffers in self.columns:
            places = [put(name)] + [put(raw) for raw in buffers]
            records += struct.pack("<II", kind, layout) + struct.pack("<QQ", *places[0]) + struct.pack("<QQ", nulls, entries)
            records += b"".join(struct.pack("<QQ", *place) for place in places[1:]) + b"\0" * 24
        at = put(records)
        body[:56] = struct.pack("<8sIIQQQQQ", b"CNCLCOL1", 1, len(self.columns), self.rows, *at, len(body), 0)
        return bytes(body)


def i64(*numbers):
    return struct.pack("<%dq" % len(numbers), *numbers)


def sample():
    return (
        StoreBuilder(3)
        .add("n", columns.INTEGER, columns.FIXED, values=i64(1, -2, 9007199254740993))
        .add("m", columns.INTEGER, columns.FIXED, nulls=1, validity=b"\x05", values=i64(1, 0, 3))
        .add("x", columns.REAL, columns.FIXED, nulls=1, validity=b"\x03", values=struct.pack("<3d", 1.5, -0.0, float("nan")))
        .add("yes", columns.BOOLEAN, columns.FIXED, values=b"\x01\x00\x01")
        .add("maybe", columns.BOOLEAN, columns.FIXED, nulls=1, validity=b"\x06", values=b"\x00\x01\x00")
        .add(
            "city",
            columns.TEXT,
            columns.DICTIONARY,
            nulls=1,
            entries=2,
            validity=b"\x05",
            values=struct.pack("<3i", 1, -1, 0),
            offsets=i64(0, 4, 9),
            text="Graz\u00d6bla".encode(),
        )
        .add("code", columns.TEXT, columns.PLAIN, nulls=1, validity=b"\x03", offsets=i64(0, 5, 5, 5), text=b"00501")
        .add("day", columns.DATE, columns.FIXED, nulls=1, validity=b"\x05", values=i64(1709164800000000, 0, 1709251200000000))
        .add("time", columns.TIMESTAMP, columns.FIXED, values=i64(0, 1, 1709164800000001))
        .add("instant", columns.TIMESTAMPTZ, columns.FIXED, values=i64(0, 1, 1709164800000000))
        .add("far", columns.DATE, columns.FIXED, nulls=1, validity=b"\x06", values=i64(0, 20136124800000000, -62135596800000000))
    )


class ColumnsTest(unittest.TestCase):
    def store(self, raw):
        file = tempfile.TemporaryFile()
        self.addCleanup(file.close)
        file.write(raw)
        file.flush()
        return file.fileno()

    def load(self, *names, raw=None, time_zone="UTC"):
        self.told = []
        made = tables.Tables([("t", self.store(raw or sample().bytes()))], time_zone, lambda *told: self.told.append(told))
        self.notes = made.notes
        return made.load(list(names) or None)

    def test_types_and_values(self):
        frame = self.load()
        types_found = {name: str(dtype) for name, dtype in frame.dtypes.items()}
        self.assertEqual(
            types_found,
            {
                "n": "int64",
                "m": "Int64",
                "x": "float64",
                "yes": "bool",
                "maybe": "boolean",
                "city": "object",
                "code": "object",
                "day": "datetime64[ns]",
                "time": "datetime64[ns]",
                "instant": "datetime64[ns, UTC]",
                "far": "object",
            },
        )
        self.assertEqual(frame["n"].tolist(), [1, -2, 9007199254740993])
        self.assertEqual(frame["m"].tolist(), [1, pd.NA, 3])
        self.assertEqual(frame["x"].tolist()[:2], [1.5, 0.0])
        self.assertEqual(frame["yes"].tolist(), [True, False, True])
        self.assertEqual(frame["maybe"].tolist(), [pd.NA, True, False])
        self.assertEqual([frame["city"][0], frame["city"].isna()[1], frame["city"][2]], ["\u00d6bla", True, "Graz"])
        self.assertEqual([frame["code"][0], frame["code"][1], frame["code"].isna()[2]], ["00501", "", True])
        self.assertEqual(frame["day"].dt.strftime("%Y-%m-%d").tolist()[::2], ["2024-02-29", "2024-03-01"])
        self.assertTrue(frame["day"].isna()[1])
        self.assertEqual(frame["time"][2], pd.Timestamp("2024-02-29 00:00:00.000001"))
        self.assertEqual(frame["far"].tolist(), [pd.NaT, datetime.date(2608, 2, 3), datetime.date(1, 1, 1)])
        self.assertIn("before 1678 or after 2261", self.notes["dates of far"])

    def test_instants_are_in_the_time_zone_of_the_job(self):
        self.assertEqual(self.load("instant", time_zone="Europe/Vienna")["instant"][2].isoformat(), "2024-02-29T01:00:00+01:00")

    def test_only_named_columns_are_told(self):
        self.load("x", "n")
        self.assertEqual(self.told, [("t", ["x", "n"])])

    def test_numbers_are_not_copied_and_may_be_written_to(self):
        frame = self.load("n", "x")
        self.assertFalse(frame["n"].to_numpy().flags.owndata)
        frame.loc[0, "n"] = 77
        frame["x"] *= 2
        self.assertEqual((frame["n"][0], frame["x"][0]), (77, 3.0))
        self.assertEqual(self.load("n")["n"][0], 1)

    def test_unknown_names_come_with_the_closest(self):
        with self.assertRaisesRegex(KeyError, 'table "t" has no column "City" \\(did you mean "city"\\?\\)'):
            self.load("City")
        made = tables.Tables([("sales", self.store(sample().bytes())), ("orders", self.store(sample().bytes()))], "UTC", print)
        with self.assertRaisesRegex(KeyError, 'no table "order" \\(did you mean "orders"'):
            made.load(table="order")

    def test_names_given_loosely(self):
        told = []
        made = tables.Tables(
            [("sales", self.store(sample().bytes())), ("orders", self.store(sample().bytes()))], "UTC", lambda *t: told.append(t)
        )
        self.assertEqual(list(made.load("n").columns), ["n"])
        self.assertEqual(len(made.load("orders").columns), 11)
        self.assertEqual(list(made.load(["n", "n"], table="orders").columns), ["n"])
        self.assertEqual([name for name, _ in told], ["sales", "orders"])

    def test_a_table_without_rows(self):
        raw = StoreBuilder(0).add("n", columns.INTEGER, columns.FIXED).add(
            "city", columns.TEXT, columns.DICTIONARY, offsets=i64(0)
        ).add("code", columns.TEXT, columns.PLAIN, offsets=i64(0)).add("day", columns.DATE, columns.FIXED)
        self.assertEqual(self.load(raw=raw.bytes()).shape, (0, 4))

    def test_every_damaged_header_is_refused_or_harmless(self):
        raw = sample().bytes()
        start = struct.unpack_from("<Q", raw, 24)[0]
        places = list(range(0, 56, 4)) + list(range(start, len(raw), 8))
        for place, value in itertools.product(places, (0xFFFFFFFF, 0x7FFFFFFFFFFFFFFF, 1, 1 << 40)):
            damaged = bytearray(raw)
            size = min(8, len(raw) - place)
            damaged[place : place + size] = struct.pack("<Q", value)[:size]
            try:
                self.load(raw=bytes(damaged))
            except (columns.DamagedStore, KeyError):
                pass

    def test_every_cut_is_refused(self):
        raw = sample().bytes()
        for size in range(0, len(raw), 7):
            with self.assertRaises(columns.DamagedStore):
                columns.ColumnStore(self.store(raw[:size]))

    def test_damage_inside_the_columns(self):
        for change, words in [
            (dict(values=struct.pack("<3i", 0, 2, 0)), "code out of range"),
            (dict(values=struct.pack("<3i", 0, -2, 0)), "code out of range"),
            (dict(offsets=i64(0, 2, 9)), "texts out of place"),
            (dict(offsets=i64(-1, 2, 4)), "texts out of place"),
            (dict(offsets=i64(0, 5, 4)), "texts out of place"),
        ]:
            column = dict(entries=2, values=struct.pack("<3i", 0, 1, 0), offsets=i64(0, 2, 4), text=b"abcd")
            column.update(change)
            with self.assertRaisesRegex(columns.DamagedStore, words):
                self.load(raw=StoreBuilder(3).add("c", columns.TEXT, columns.DICTIONARY, **column).bytes())
        with self.assertRaisesRegex(columns.DamagedStore, "beyond the calendar"):
            self.load(raw=StoreBuilder(1).add("d", columns.DATE, columns.FIXED, values=i64(1 << 62)).bytes())

    def test_text_that_is_not_utf8_is_repaired(self):
        raw = StoreBuilder(1).add("c", columns.TEXT, columns.PLAIN, offsets=i64(0, 2), text=b"a\xff").bytes()
        self.assertEqual(self.load(raw=raw)["c"][0], "a\ufffd")


class RunTest(unittest.TestCase):
    """run_program as a whole, with a channel that keeps what was sent."""

    def run_program(self, source, **request):
        file = tempfile.TemporaryFile()
        self.addCleanup(file.close)
        file.write(sample().bytes())
        file.flush()
        sent = []

        class Kept(channel.Channel):
            def send_raw(self, body, write=None, pack=None):
                sent.append(json.loads(body))

        request.update(code=source, tables=[{"name": "t", "descriptor": file.fileno()}])
        before = list(sys.meta_path)
        try:
            program.run_program(request, Kept(), np, pd)
        finally:
            sys.meta_path[:] = before
        return sent[-1]

    def assert_error(self, source, kind, line, words):
        frame = self.run_program(source)
        self.assertEqual((frame["frame"], frame["type"], frame["line"]), ("error", kind, line))
        self.assertIn(words, frame["message"])
        return frame

    def test_an_answer(self):
        frame = self.run_program("df = load(['n', 'city'])\nresult = df['n'].max()\nresult_meta = {'unit': 's'}")
        self.assertEqual(frame["answer"], {"kind": "integer", "value": 9007199254740993, "unit": "s"})

    def test_errors_name_type_line_and_source(self):
        frame = self.assert_error("df = load()\nx = 1 / 0\nresult = x", "ZeroDivisionError", 2, "division by zero")
        self.assertEqual((frame["source_line"], frame["repairable"]), ("x = 1 / 0", True))
        self.assert_error("df = load()\nresult = df['City']", "KeyError", 2, 'no key or column "City" (did you mean "city"?)')
        self.assert_error("df = load(['Citty'])\nresult = 1", "KeyError", 1, 'has no column "Citty" (did you mean "city"?)')
        self.assert_error("df = load()\ndef f():\n  return df.n.sum2()\nresult = f()", "AttributeError", 3, "sum2")
        self.assert_error("df = load()\nresult = df.n.map(lambda v: v.x)", "AttributeError", 2, "x")
        self.assert_error("df = load()\nresult = lambda: 1", "ResultTypeError", 2, "call it")
        self.assert_error("df = load()\nexit(0)\nresult = 1", "SystemExit", 2, "called exit()")
        self.assert_error("df = load()\nraise KeyboardInterrupt\nresult = 1", "KeyboardInterrupt", 2, "interrupted")
        self.assert_error("df = load()\ndef f(): return f()\nresult = f()", "RecursionError", 2, "too deeply")
        self.assert_error("df = load()\nimport scipy_not_there\nresult = 1", "ModuleNotFoundError", 2, "are there")
        self.assert_error("df = load()\n__import__('sqlite' + '3')\nresult = 1", "ImportError", 2, "answer with pandas")
        self.assert_error("df = load()\nif False: result = 1", "ProgramRefused", 0, "assign it on every path")
        self.assert_error("f = load\nresult = 42", "ProgramRefused", 0, "never loaded a column")
        self.assert_error("df = load()\nresult = eval('1 +')", "SyntaxError", 2, "invalid syntax")

    def test_a_refusal_of_the_sandbox_names_its_rule(self):
        sockets, processes = "refused by a rule: a program has no network", "refused by a rule: a program may not start processes"
        for module, number, words in (
            ("asyncio.events", errno.EACCES, "the event loop of asyncio"),
            ("socket", errno.EACCES, sockets),
            ("subprocess", errno.EAGAIN, processes),
            ("multiprocessing.popen_fork", errno.EAGAIN, processes),
            ("__main__", errno.EAGAIN, processes),
        ):
            raiser = "exec(\"raise OSError(%d, 'no')\", {'__name__': '%s'})" % (number, module)
            self.assert_error("df = load()\nresult = 1\n" + raiser, OSError(number, "no").__class__.__name__, 3, words)
        frame = self.run_program("df = load()\nresult = 1\nraise PermissionError(13, 'no', '/etc/shadow')")
        self.assertNotIn("rule", frame["message"])

    def test_shared_memory_that_would_outlive_the_run_is_refused(self):
        import _posixshmem

        self.addCleanup(setattr, _posixshmem, "shm_open", _posixshmem.shm_open)
        errors.refuse_shared_memory()
        before = set(os.listdir("/dev/shm"))
        source = "from multiprocessing.shared_memory import SharedMemory\nload()\nresult = SharedMemory(create=True, size=9).size"
        self.assert_error(source, "PermissionError", 3, "may not make shared memory, which would outlive it")
        self.assertEqual([name for name in os.listdir("/dev/shm") if name.startswith("psm_") and name not in before], [])

    def test_the_end_of_memory_is_told_apart(self):
        frame = self.assert_error("df = load()\nresult = np.zeros(1 << 45)", "MemoryError", 2, "load only the columns")
        self.assertEqual(frame["limit"], "memory")

    def test_an_exception_that_cannot_be_shown(self):
        source = "load()\nclass E(Exception):\n  def __str__(self): raise ValueError\nresult = 1\nraise E"
        self.assert_error(source, "E", 5, "(no message)")

    def test_long_messages_are_cut(self):
        frame = self.run_program("load()\nraise ValueError('\u00e9' * 5000)\nresult = 1")
        self.assertLessEqual(len(frame["message"].encode()), 4000)

    def test_seeds_make_chance_repeatable(self):
        source = "import random\nload()\nresult = [random.random(), np.random.rand()]"
        first = self.run_program(source, seed=1 << 40)
        self.assertEqual(first, self.run_program(source, seed=1 << 40))
        self.assertNotEqual(first, self.run_program(source, seed=3))

    def test_a_program_that_replaces_functions_is_still_answered(self):
        source = "import json, os\nload('n')\njson.dumps = os.write = len = isinstance = None\nresult = 1"
        dumps, write = json.dumps, os.write
        try:
            frame = self.run_program(source)
        finally:
            json.dumps, os.write = dumps, write
        self.assertEqual(frame["answer"], {"kind": "integer", "value": 1})

    def test_a_damaged_store_is_not_the_programs_fault(self):
        file = tempfile.TemporaryFile()
        self.addCleanup(file.close)
        sent = []

        class Kept(channel.Channel):
            def send_raw(self, body, write=None, pack=None):
                sent.append(json.loads(body))

        program.run_program({"code": "", "tables": [{"name": "t", "descriptor": file.fileno()}]}, Kept(), np, pd)
        self.assertEqual((sent[-1]["type"], sent[-1]["repairable"]), ("DatasetError", False))


class SourceTest(unittest.TestCase):
    def test_every_module_can_be_read_by_python_3_8(self):
        for path in sorted(RUNNER.glob("*.py")):
            with self.subTest(path=path.name):
                ast.parse(path.read_text(encoding="utf-8"), path.name, feature_version=(3, 8))


if __name__ == "__main__":
    unittest.main()
