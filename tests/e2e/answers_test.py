"""Questions about real files with answers known from elsewhere (tests/cases/questions.jsonl)."""

import json
import math
import unittest

from conclave_command import ANSWERED, DATA, DECLINED, SOURCE, ConclaveTest

CASES = [json.loads(line) for line in (SOURCE / "tests/cases/questions.jsonl").read_text(encoding="utf-8").splitlines()]


def case(question):
    """The golden case of a question."""
    return next(entry for entry in CASES if entry["question"] == question)


def plain(value):
    """A wire value with its number wrappers taken off."""
    if isinstance(value, dict):
        for wrapper in ("$num", "$int"):
            if wrapper in value:
                return float(value[wrapper])
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, list):
        return [plain(part) for part in value]
    return value


class AnswersTest(ConclaveTest):
    def ask(self, question, *options):
        entry = case(question)
        return entry, self.conclave("ask", DATA / entry["file"], question, "--quiet", *options)

    def assert_number(self, question):
        entry, result = self.ask(question, "--json")
        self.assert_code(result, ANSWERED)
        answer = result.json["answer"]
        self.assertTrue(math.isclose(float(plain(answer["value"])), entry["expect"], rel_tol=1e-9), str(result))

    def test_number_from_commas(self):
        self.assert_number("What is the mean temp_max?")

    def test_number_from_tabs_with_rates_that_lack_a_zero(self):
        self.assert_number("What is the average rate?")

    def test_number_from_semicolons(self):
        self.assert_number("What is the median invt?")

    def test_number_from_names_in_single_quotes(self):
        self.assert_number("What is the mean age?")

    def test_count_from_windows_line_ends(self):
        self.assert_number("How many rows are there?")

    def test_text(self):
        entry, result = self.ask("Which state has the highest murder?", "--json")
        self.assert_code(result, ANSWERED)
        self.assertEqual(result.json["answer"]["value"].strip(), entry["expect"])

    def test_date_and_group(self):
        entry, result = self.ask("Average temp_max by weather in 2014", "--json")
        self.assert_code(result, ANSWERED)
        rows = plain(result.json["answer"]["value"])["$table"]["rows"]
        expected = entry["expect"]["$table"]["rows"]
        self.assertEqual(sorted(row[0] for row in rows), sorted(row[0] for row in expected))
        values = {row[0]: float(row[1]) for row in rows}
        for name, value in expected:
            self.assertTrue(math.isclose(values[name], value, rel_tol=1e-9), str(result))

    def test_page_for_people_shows_answer_outcome_reading_evidence_and_id(self):
        result = self.conclave("ask", DATA / "seattle-weather.csv", "What is the mean temp_max?")
        self.assert_code(result, ANSWERED)
        self.assertIn("16.4", result.out.splitlines()[0], str(result))
        for part in ("\nsupported  ", "Not checked:", "sqlite", "pandas", " ok ", "\nIsolation  L", "rlimits", "wall 60 s",
                     "memory 512 MB", "\nconclave show "):
            self.assertIn(part, result.out, str(result))

    def test_quiet_prints_the_answer_alone(self):
        _, result = self.ask("What is the mean temp_max?")
        self.assert_code(result, ANSWERED)
        self.assertEqual(result.err, "")
        self.assertEqual(len(result.out.splitlines()), 1, str(result))
        self.assertIn("16.4", result.out)

    def test_json_has_the_members_of_an_insight(self):
        _, result = self.ask("What is the mean temp_max?", "--json")
        insight = result.json
        for member in ("id", "question", "outcome", "answer", "sentence", "reading", "profiles", "programs", "executions",
                       "ballots"):
            self.assertIn(member, insight)
        self.assertEqual(insight["outcome"]["kind"], "supported")
        self.assertEqual(len({run["engine"].split()[0] for run in insight["executions"]}), 2, "two engines")
        level = self.isolation_level()
        for run in insight["executions"]:
            self.assertEqual(run["end_reason"], "ok")
            self.assertEqual(run.get("isolation_level", 0), level)  # 0 is left out
            self.assertIn("rlimits", [layer["name"] for layer in run["layers"] if layer["achieved"]])
            self.assertGreater(run["usage"]["wall_us"], 0)
            self.assertGreater(run["usage"]["memory_peak_bytes"], 0)
            self.assertEqual(run["limits"]["wall_ms"], 60000)

    def test_limits_given_are_limits_enforced(self):
        _, result = self.ask("What is the mean temp_max?", "--json", "--wall", "20s", "--memory", "300MB")
        self.assert_code(result, ANSWERED)
        for run in result.json["executions"]:
            self.assertEqual(run["limits"]["wall_ms"], 20000)
            self.assertEqual(run["limits"]["memory_bytes"], 300 << 20)

    def test_declined_names_the_words(self):
        _, result = self.ask("Average wind per weather except fog days adjusted for altitude")
        self.assert_code(result, DECLINED)
        self.assertTrue(result.out.startswith("No answer."), str(result))
        self.assertIn("Not understood:", result.out)
        self.assertIn("altitude", result.out)

    def test_unknown_column_is_declined_with_candidates(self):
        result = self.conclave("ask", DATA / "seattle-weather.csv", "What is the mean temp_mx?", "--json", "--quiet")
        self.assert_code(result, DECLINED)
        self.assertIn("temp_mx", result.json["not_understood"])
        self.assertTrue(any("temp_m" in word for word in result.json["suggestions"]), str(result))

    def test_one_more_word_makes_it_decline(self):
        for word in ("except", "refunded"):
            result = self.conclave("ask", DATA / "seattle-weather.csv", f"What is the mean {word} temp_max?", "--quiet")
            self.assert_code(result, DECLINED)
            self.assertIn(word, result.out)

    def test_days_are_days_of_the_zone(self):
        visits = self.write("visits.csv", "seen,amount\n2024-03-31T23:30:00+02:00,1\n2024-04-01T00:30:00+02:00,20\n"
                                          "2024-04-01T12:00:00Z,300\n")
        for zone, rows in (("Europe/Berlin", "2"), ("UTC", "1")):
            result = self.conclave("ask", visits, "How many rows on 2024-04-01?", "--time-zone", zone)
            self.assert_code(result, ANSWERED)
            self.assertIn(f"2024-04-01: {rows}.\n", result.out)
            self.assertIn(zone, result.out)

    def assert_value(self, file, question, value):
        """Both engines give `value`."""
        result = self.conclave("ask", file, question, "--quiet", "--json")
        self.assert_code(result, ANSWERED)
        answers = [result.json["answer"]] + [run["answer"] for run in result.json["executions"]]
        self.assertEqual(len(answers), 3, str(result))
        for answer in answers:
            self.assertTrue(math.isclose(float(plain(answer["value"])), value, rel_tol=1e-12), str(result))
        return result

    def test_numbers_of_a_question_are_read_as_the_column_is_written(self):
        prices = self.write("prices.csv", "name;price\na;1.234,50\nb;7,50\nc;2.000,00\nd;999,00\ne;12,00\n")
        for thousand in ("1.000", "1.000,00", "1000"):
            self.assert_value(prices, f"How many rows have a price above {thousand}?", 2)
        self.assert_value(prices, "How many rows have a price above 1.234,50?", 1)
        self.assert_value(prices, "How many rows have a price above 7,5?", 4)

    def test_what_is_missing_stays_missing_beside_a_cell_that_is_no_date(self):
        days = "".join(f"2024-03-{day:02},{day}\n" for day in range(1, 31))
        file = self.write("days.csv", "day,n\n" + days + "n/a,31\nsoon,32\n")
        result = self.assert_value(file, "How many missing values in day?", 1)
        self.assertTrue(any("30 of 31 values are dates" in note for note in result.json["notes"]), str(result))
        self.assert_value(file, "How many distinct values in day?", 31)
        profile = self.conclave("profile", file, "--json").json["profiles"][0]
        self.assertEqual(profile["columns"][0]["nulls"], 1)
        self.assertEqual(profile["recount"], {"done": True})

    def test_spread_of_integers_that_are_no_doubles(self):
        first = 4611686018427387904
        many = self.write("many.csv", "kind,n\n" + "".join(f"{'ab'[i // 3]},{first + i}\n" for i in range(6)) + "b,\na,1\na,3\n")
        far = self.write("far.csv", "n\n" + "".join(f"{first + i}\n" for i in range(6)))
        self.assert_value(far, "Standard deviation of n", 1.8708286933869707)
        self.assert_value(many, "Standard deviation of n where kind is b", 1)
        wide = self.write("wide.csv", "n\n-9223372036854775807\n9223372036854775807\n\n")
        self.assert_value(wide, "Standard deviation of n", 13043817825332782212)
        result = self.conclave("ask", many, "Standard deviation of n by kind", "--quiet", "--json")
        self.assert_code(result, ANSWERED)
        rows = dict(map(tuple, plain(result.json["answer"]["value"])["$table"]["rows"]))
        self.assertAlmostEqual(float(rows["b"]), 1, msg=str(result))

    def test_a_mean_that_is_cut_to_a_whole_number_is_about_it(self):
        file = self.write("large.csv", "n\n1000000000000000\n1000000000000001\n")
        result = self.conclave("ask", file, "average n", "--quiet")
        self.assert_code(result, ANSWERED)
        self.assertIn("\u22481000000000000000", result.out, str(result))

    def test_what_reading_lost_stands_under_the_answer(self):
        ragged = self.write("ragged.csv", "x,b\n1.5,2\ninf,3,4\n2.5,5\n")
        result = self.conclave("ask", ragged, "mean x", "--quiet", "--json")
        self.assert_code(result, ANSWERED)
        self.assertEqual(len(result.json["notes"]), 2, str(result))
        self.assertIn("ragged.csv", result.json["notes"][0])
        self.assertIn("`x`: infinities", result.json["notes"][1])
        self.assertEqual(len(self.conclave("ask", ragged, "mean b", "--quiet", "--json").json["notes"]), 1)

    def test_case_and_blanks_make_no_difference(self):
        shops = self.write("shops.csv", "region,sales\nSouth,1\nsouth ,20\nNorth,300\n")
        for value in ("south", "SOUTH", '" South"'):
            result = self.conclave("ask", shops, f"Total sales where region is {value}", "--quiet", "--json")
            self.assert_code(result, ANSWERED)
            self.assertEqual(plain(result.json["answer"]["value"]), 21, str(result))

    def test_no_row_is_said_to_be_none(self):
        airports = DATA / "airports.csv"
        result = self.conclave("ask", airports, 'How many rows where name is "Nowhere"?', "--quiet")
        self.assert_code(result, ANSWERED)
        self.assertIn(": 0, because no row has `name` 'Nowhere'.", result.out)

    def test_data_from_standard_input(self):
        entry = case("How many rows have weather snow?")
        data = (DATA / entry["file"]).read_bytes()
        result = self.conclave("ask", "-", entry["question"], "--json", "--quiet", stdin=data)
        self.assert_code(result, ANSWERED)
        self.assertEqual(plain(result.json["answer"]["value"]), entry["expect"])


if __name__ == "__main__":
    unittest.main()
