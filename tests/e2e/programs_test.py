"""`profile`, `run`, `doctor`: what is in a file, programs of a person's own, and what the machine offers."""

import unittest

from conclave_command import ANSWERED, DATA, FAILED, INPUT, NOT_AGREED, USAGE, ConclaveTest, SLEEPER


class ProfileTest(ConclaveTest):
    def test_profile_keeps_identifiers_and_counts_what_is_missing(self):
        result = self.conclave("profile", DATA / "birdstrikes.csv", DATA / "species.csv", "--json", "--quiet")
        self.assert_code(result, ANSWERED)
        birds, species = result.json["profiles"]
        self.assertEqual(birds["rows"], 10000)
        speed = next(column for column in birds["columns"] if column["name"] == "Speed IAS in knots")
        self.assertEqual(speed["nulls"], 2836)
        county = next(column for column in species["columns"] if column["name"] == "county_id")
        self.assertEqual(county["type"], "text")
        self.assertEqual(county["distinct"], 3090)

    def test_profile_for_people(self):
        result = self.conclave("profile", DATA / "seattle-weather.csv", "--quiet")
        self.assert_code(result, ANSWERED)
        for part in ("seattle_weather", "1,461 rows", "temp_max", "real", "date", "2012-01-01 .. 2015-12-31"):
            self.assertIn(part, result.out, str(result))


class RunTest(ConclaveTest):
    def run_code(self, language, code, *options, file=DATA / "seattle-weather.csv"):
        return self.conclave("run", "--language", language, "--code", "-", file, "--quiet", *options, stdin=code.encode())

    def test_sql(self):
        result = self.run_code("sql", "SELECT count(*) FROM seattle_weather WHERE weather = 'snow'")
        self.assert_code(result, ANSWERED)
        self.assertEqual(result.out.splitlines()[0], "26", str(result))

    def test_python(self):
        code = "print('looking')\nresult = load(['weather'])['weather'].value_counts()['snow']\n"
        result = self.run_code("python", code)
        self.assert_code(result, ANSWERED)
        self.assertEqual(result.out.splitlines()[0], "26", str(result))
        self.assertIn("standard output\n  looking\n", result.out)

    def test_code_from_a_file_names_its_language(self):
        code = self.write("snow.sql", "SELECT max(temp_max) FROM seattle_weather")
        result = self.conclave("run", "--code", code, DATA / "seattle-weather.csv", "--json", "--quiet")
        self.assert_code(result, ANSWERED)
        self.assertEqual(float(result.json["answer"]["value"]), 35.6)
        self.assertEqual(result.json["end_reason"], "ok")

    def test_errors_name_what_is_wrong(self):
        result = self.run_code("sql", "SELECT avg(temp) FROM seattle_weather")
        self.assert_code(result, NOT_AGREED)
        self.assertIn("temp", result.out)
        result = self.run_code("python", "x = 1\nresult = load()['absent'].mean()\n")
        self.assert_code(result, NOT_AGREED)
        self.assertIn("absent", result.out)
        self.assertIn("line 2", result.out)

    def test_refusals_name_the_rule(self):
        for code, words in (("import asyncio\nload()\nasync def f():\n    return 1\nresult = asyncio.run(f())", "no sockets of any kind"),
                            ("import socket\nload()\nresult = socket.socket()", "no network"),
                            ("import subprocess\nload()\nresult = subprocess.run(['true'])", "may not start processes"),
                            ("from multiprocessing.shared_memory import SharedMemory\nload()\n"
                             "result = SharedMemory(create=True, size=4096).size", "may not make shared memory")):
            result = self.run_code("python", code)
            self.assert_code(result, NOT_AGREED)
            self.assertIn("rule", result.out, str(result))
            self.assertIn(words, result.out, str(result))

    def test_runaway_programs_end_at_their_limit_and_keep_what_they_printed(self):
        result = self.run_code("python", "print('begun', flush=True)\n" + SLEEPER, "--wall", "10s")
        self.assert_code(result, NOT_AGREED)
        self.assertIn("wall_limit", result.out)
        self.assertIn("begun", result.out)
        result = self.run_code("python", "result = load()\nwhile True: pass\n", "--cpu", "2s")
        self.assertIn("cpu_limit", result.out, str(result))
        greedy = "y = load()\nx = bytearray(900 << 20)\nx[:] = b'1' * len(x)\nresult = len(x)\n"
        result = self.run_code("python", greedy, "--memory", "400MB")
        self.assert_code(result, NOT_AGREED)
        self.assertIn("memory_", result.out, str(result))

    def test_missing_data_and_code(self):
        self.assert_refused(self.run_code("sql", "SELECT 1", file="absent.csv"), INPUT, "absent.csv")
        self.assert_refused(self.conclave("run", "--code", "absent.sql", DATA / "statecrime.csv"), INPUT, "absent.sql")

    def test_a_level_of_isolation_is_asked_for_or_refused(self):
        for levels in ("4", "1-", "high"):
            self.assert_refused(self.run_code("sql", "SELECT 1", "--isolation", levels), USAGE, "--isolation")
        result = self.run_code("sql", "SELECT count(*) FROM seattle_weather", "--isolation", "0", "--json")
        self.assert_code(result, ANSWERED)
        self.assertEqual(result.json.get("isolation_level", 0), 0)  # 0 is left out


class DoctorTest(ConclaveTest):
    def test_doctor_finds_isolation_and_python(self):
        result = self.conclave("doctor")
        self.assert_code(result, ANSWERED)
        self.assertIn("✓ sandbox", result.out)
        findings = self.conclave("doctor", "--json").json["findings"]
        self.assertTrue(all({"part", "good", "message"} <= set(finding) for finding in findings))
        self.assertTrue(next(finding["good"] for finding in findings if finding["part"] == "sandbox"))
        levels = {finding["part"]: finding for finding in findings if finding["part"].startswith("sandbox L")}
        self.assertEqual(sorted(levels), ["sandbox L0", "sandbox L1", "sandbox L2", "sandbox L3"])
        for finding in levels.values():
            self.assertIn(" deny " if not finding["good"] else "denies ", finding["message"])
        self.assertTrue(next(finding["good"] for finding in findings if finding["part"] == "temporary folder"))

    def test_without_guest_programs_the_rest_is_examined_all_the_same(self):
        result = self.conclave("doctor", environment={"CONCLAVE_LIBEXEC": "/nonexistent"})
        self.assert_code(result, FAILED)
        for part in ("✗ engine", "CONCLAVE_LIBEXEC", "✓ sandbox ", "✓ temporary folder", "✓ python"):
            self.assertIn(part, result.out, str(result))

    def test_a_temporary_folder_that_cannot_be_used_is_named(self):
        result = self.conclave("doctor", environment={"TMPDIR": "/nonexistent"})
        self.assert_code(result, FAILED)
        self.assertRegex(result.out, "✗ temporary folder +/nonexistent \\(named by TMPDIR\\): No such file or directory; ", str(result))


if __name__ == "__main__":
    unittest.main()
