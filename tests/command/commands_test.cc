#include <gtest/gtest.h>

#include "lib/base/json.h"
#include "lib/base/release.h"
#include "tests/command/samples.h"
#include "tests/command/stage.h"

namespace conclave::cli {
namespace {

class CommandsTest : public testing::Test {
 protected:
  Stage stage_;
  std::string file_ = stage_.folder.Write("titanic.csv", "fare\n1\n");
};

v1::Profile SampleProfile() {
  v1::Profile profile;
  profile.set_name("titanic");
  profile.set_source("titanic.csv");
  profile.set_rows(891);
  profile.set_bytes(61'194);
  profile.set_format("csv");
  profile.set_encoding("utf-8");
  profile.set_delimiter(",");
  profile.set_has_header(true);
  v1::ColumnProfile& fare = *profile.add_columns();
  fare.set_name("fare");
  fare.set_type(v1::COLUMN_REAL);
  fare.set_nulls(3);
  fare.set_distinct(248);
  fare.set_distinct_is_exact(true);
  fare.mutable_min()->set_number("0");
  fare.mutable_max()->set_number("512.3292");
  v1::TopValue& top = *fare.add_top();
  top.mutable_value()->set_number("8.05");
  top.set_count(43);
  v1::Quirk& quirk = *profile.add_quirks();
  quirk.set_code("short_row");
  quirk.set_detail("rows with too few cells were filled with nulls");
  quirk.set_count(2);
  quirk.add_rows(17);
  quirk.add_rows(204);
  quirk.set_notable(true);
  return profile;
}

TEST_F(CommandsTest, VersionIsOneLine) {
  EXPECT_EQ(stage_.Run({"--version"}), kAnswered);
  EXPECT_TRUE(stage_.out.starts_with("conclave ")) << stage_.out;
  EXPECT_EQ(stage_.out.find('\n'), stage_.out.size() - 1);
}

TEST_F(CommandsTest, WrongUsageGoesToStandardErrorOnly) {
  EXPECT_EQ(stage_.Run({"profiel", file_}), kUsage);
  EXPECT_EQ(stage_.out, "");
  EXPECT_TRUE(stage_.err.starts_with("conclave: ")) << stage_.err;
}

TEST_F(CommandsTest, ProfileNeedsAFile) {
  EXPECT_EQ(stage_.Run({"profile"}), kUsage);
  EXPECT_TRUE(Mentions(stage_.err, "no file was given"));
}

TEST_F(CommandsTest, ProfileShowsColumnsAndWhatIsOdd) {
  stage_.script.profiles = std::vector<v1::Profile>{SampleProfile()};
  EXPECT_EQ(stage_.Run({"profile", file_}), kAnswered);
  for (const char* part : {"titanic", "891 rows", "59.8 kB", "fare", "real", "248", "0 .. 512.3292", "8.05 ×43",
                           "rows with too few cells were filled with nulls (2×, row 17, 204)"}) {
    EXPECT_TRUE(Mentions(stage_.out, part)) << part << "\n" << stage_.out;
  }
}

TEST_F(CommandsTest, ProfileAsJsonListsEveryFile) {
  stage_.script.profiles = std::vector<v1::Profile>{SampleProfile(), SampleProfile()};
  EXPECT_EQ(stage_.Run({"profile", file_, file_, "--json"}), kAnswered);
  const absl::StatusOr<Json> document = ParseJson(stage_.out);
  ASSERT_TRUE(document.ok()) << document.status();
  ASSERT_EQ(document->Find("profiles")->items().size(), 2u);
  EXPECT_EQ(document->Find("profiles")->items()[0].Find("rows")->lexeme(), "891");
}

TEST_F(CommandsTest, RunRefusesWhatCannotBeRun) {
  const auto refusal = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "run");
    EXPECT_NE(stage_.Run(arguments), kAnswered);
    return stage_.err;
  };
  EXPECT_TRUE(Mentions(refusal({file_}), "--code is missing"));
  EXPECT_TRUE(Mentions(refusal({"--code", "q.sql"}), "no file was given"));
  EXPECT_TRUE(Mentions(refusal({"--code", "-", file_}), "--language is missing"));
  EXPECT_TRUE(
      Mentions(refusal({"--code", "-", "--language", "sql", "-"}), "standard input was named for the program and for data"));
  EXPECT_TRUE(Mentions(refusal({"--code", stage_.folder / "absent.sql", file_}), "no such file"));
  EXPECT_TRUE(Mentions(refusal({"--code", stage_.folder.path(), "--language", "sql", file_}), "is a folder"));
  EXPECT_TRUE(Mentions(refusal({"--code", stage_.folder.Write("empty.sql", " \n"), file_}), "is empty"));
  EXPECT_TRUE(Mentions(refusal({"--code", stage_.folder.Write("long.sql", std::string((1 << 20) + 1, ' ')), file_}),
                       "longer than 1 MB"));
  EXPECT_TRUE(stage_.script.options.empty()) << "an engine was made";
}

TEST_F(CommandsTest, RunTakesTheLanguageFromTheNameAndCodeFromStandardInput) {
  stage_.script.execution = SampleExecution("p", "sqlite 3.40.1");
  stage_.Run({"run", "--code", stage_.folder.Write("fares.py", "result = 1"), file_});
  EXPECT_EQ(stage_.script.execution_job.language(), v1::PYTHON);
  EXPECT_EQ(stage_.script.execution_job.code(), "result = 1");
  stage_.standard_input = "SELECT 1";
  stage_.Run({"run", "--code", "-", "--language", "sql", file_});
  EXPECT_EQ(stage_.script.execution_job.language(), v1::SQL);
  EXPECT_EQ(stage_.script.execution_job.code(), "SELECT 1");
}

TEST_F(CommandsTest, RunShowsAnswerStreamsAndHowItEnded) {
  v1::Execution execution = SampleExecution("p", "pandas 1.5.3");
  *execution.mutable_answer() = NumberAnswer("34.65");
  execution.mutable_stdout()->set_head("first\nsecond\n");
  execution.mutable_stderr()->set_head("warning: x\n");
  stage_.script.execution = execution;
  stage_.standard_input = "result = 34.65";
  EXPECT_EQ(stage_.Run({"run", "--code", "-", "--language", "python", file_}), kAnswered);
  EXPECT_TRUE(stage_.out.starts_with("34.65\n")) << stage_.out;
  for (const char* part : {"standard output\n  first\n  second\n", "standard error\n  warning: x\n", "pandas 1.5.3", " ok "}) {
    EXPECT_TRUE(Mentions(stage_.out, part)) << part << "\n" << stage_.out;
  }
}

TEST_F(CommandsTest, RunThatBroughtNoAnswerEndsWith3AndKeepsWhatWasPrinted) {
  v1::Execution execution = SampleExecution("p", "pandas 1.5.3");
  execution.set_end_reason(v1::WALL_LIMIT);
  execution.set_detail("ended after 2 s of wall-clock time");
  execution.mutable_stdout()->set_head("start\n");
  execution.mutable_stdout()->set_tail("last\n");
  execution.mutable_stdout()->set_dropped(5 << 20);
  stage_.script.execution = execution;
  stage_.standard_input = "while True: pass";
  EXPECT_EQ(stage_.Run({"run", "--code", "-", "--language", "python", file_}), kNotAgreed);
  for (const char* part :
       {"No answer.", "wall_limit", "ended after 2 s of wall-clock time", "start\n", "5 MB not kept", "last\n"}) {
    EXPECT_TRUE(Mentions(stage_.out, part)) << part << "\n" << stage_.out;
  }
  execution.set_end_reason(v1::CANCELLED);
  stage_.script.execution = execution;
  EXPECT_EQ(stage_.Run({"run", "--code", "-", "--language", "python", file_}), kCancelled);
}

TEST_F(CommandsTest, RunNamesTheLineOfAnError) {
  v1::Execution execution = SampleExecution("p", "sqlite 3.40.1");
  execution.mutable_answer()->set_kind(v1::ERROR);
  v1::ProgramError& error = *execution.mutable_answer()->mutable_error();
  error.set_type("SqlError");
  error.set_message("no such column: fair");
  error.set_line(3);
  error.set_source_line("SELECT fair");
  stage_.script.execution = execution;
  stage_.standard_input = "SELECT fair";
  EXPECT_EQ(stage_.Run({"run", "--code", "-", "--language", "sql", file_}), kNotAgreed);
  EXPECT_TRUE(Mentions(stage_.out, "SqlError: no such column: fair (line 3: SELECT fair)")) << stage_.out;
}

TEST_F(CommandsTest, ShowRecallsFromItsScope) {
  stage_.script.insight = DisputedInsight();
  EXPECT_EQ(stage_.Run({"show", "3f2a9c", "--scope", "team"}), kAnswered);
  EXPECT_EQ(stage_.script.recalled, (std::pair<std::string, std::string>{"team", "3f2a9c"}));
  EXPECT_EQ(stage_.Run({"show"}), kUsage);
  EXPECT_EQ(stage_.Run({"show", "a", "b"}), kUsage);
  stage_.script.insight = absl::NotFoundError("\"zzz\": no such id");
  EXPECT_EQ(stage_.Run({"show", "zzz"}), kInput);
  stage_.environment.clear();
  EXPECT_EQ(stage_.Run({"show", "zzz"}), kInput);
  EXPECT_TRUE(Mentions(stage_.err, "--store")) << stage_.err;
}

TEST_F(CommandsTest, DoctorSucceedsOnlyWhereQuestionsCanBeAnswered) {
  stage_.script.findings = {{"sandbox", true, "level 0"}, {"python", false, "no pandas: apt-get install python3-pandas"}};
  EXPECT_EQ(stage_.Run({"doctor"}), kFailed);
  EXPECT_EQ(stage_.out, "✓ sandbox  level 0\n✗ python   no pandas: apt-get install python3-pandas\n");
  EXPECT_EQ(stage_.Run({"doctor", "--json"}), kFailed);
  EXPECT_FALSE(ParseJson(stage_.out).value().Find("good")->BooleanOr(true)) << stage_.out;
  stage_.script.findings[0].good = false;
  EXPECT_EQ(stage_.Run({"doctor"}), kIsolationMissing);
  stage_.script.findings = {{"sandbox", true, "level 0"}, {"sandbox process_limit", false, "no filter"}, {"python", true, "3"}};
  EXPECT_EQ(stage_.Run({"doctor"}), kAnswered);
  EXPECT_EQ(stage_.Run({"doctor", "--json"}), kAnswered);
  const Json report = ParseJson(stage_.out).value();
  EXPECT_TRUE(report.Find("good")->BooleanOr(false)) << stage_.out;
  EXPECT_EQ(report.Find("version")->StringOr(""), kRelease);
  stage_.script.created = absl::FailedPreconditionError("no guests beside the library");
  EXPECT_EQ(stage_.Run({"doctor"}), kFailed);
  EXPECT_TRUE(
      stage_.out.starts_with("✗ engine                 no guests beside the library\n✓ sandbox                level 0\n"))
      << stage_.out;
  EXPECT_EQ(stage_.Run({"doctor", "now"}), kUsage);
}

}  // namespace
}  // namespace conclave::cli
