#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "lib/base/json.h"
#include "tests/command/samples.h"
#include "tests/command/stage.h"

namespace conclave::cli {
namespace {

class AskTest : public testing::Test {
 protected:
  Stage stage_;
  std::string file_ = stage_.folder.Write("titanic.csv", "fare\n1\n");
};

TEST_F(AskTest, FileWithoutQuestionIsExplained) {
  EXPECT_EQ(stage_.Run({"ask", file_}), kUsage);
  EXPECT_TRUE(Mentions(stage_.err, "the question is missing"));
  EXPECT_EQ(stage_.out, "");
}

TEST_F(AskTest, QuestionWithoutFileIsExplained) {
  EXPECT_EQ(stage_.Run({"ask", "How many rows?"}), kUsage);
  EXPECT_TRUE(Mentions(stage_.err, "no file was given: write conclave ask FILE \"How many rows?\"")) << stage_.err;
  EXPECT_EQ(stage_.Run({"ask"}), kUsage);
  EXPECT_TRUE(Mentions(stage_.err, "no file and no question"));
}

TEST_F(AskTest, QuestionBeforeFileIsExplained) {
  EXPECT_EQ(stage_.Run({"ask", "How many rows?", file_}), kUsage);
  EXPECT_TRUE(Mentions(stage_.err, "the last argument is the question")) << stage_.err;
  EXPECT_TRUE(Mentions(stage_.err, "titanic.csv \"How many rows?\"")) << stage_.err;
}

TEST_F(AskTest, QuestionWithoutQuotesIsExplained) {
  EXPECT_EQ(stage_.Run({"ask", file_, "how", "many", "rows"}), kUsage);
  EXPECT_TRUE(Mentions(stage_.err, "\"how many rows\"")) << stage_.err;
}

TEST_F(AskTest, UnreadableQuestionsAreRefusedBeforeAnythingRuns) {
  EXPECT_EQ(stage_.Run({"ask", file_, ""}), kUsage);
  EXPECT_TRUE(Mentions(stage_.err, "the question is empty")) << stage_.err;
  EXPECT_EQ(stage_.Run({"ask", file_, " \n\t"}), kUsage);
  EXPECT_EQ(stage_.Run({"ask", file_, std::string(10'000, 'a')}), kUsage);
  EXPECT_TRUE(Mentions(stage_.err, "10,000 bytes")) << stage_.err;
  EXPECT_EQ(stage_.Run({"ask", file_, "mean \xff?"}), kUsage);
  EXPECT_TRUE(Mentions(stage_.err, "UTF-8")) << stage_.err;
  EXPECT_TRUE(stage_.script.options.empty()) << "an engine was made";
}

TEST_F(AskTest, ExitCodesFollowTheOutcome) {
  const auto code_of = [&](const v1::Insight& insight) {
    stage_.script.insight = insight;
    return stage_.Run({"ask", file_, "q", "--quiet"});
  };
  EXPECT_EQ(code_of(SupportedInsight()), kAnswered);
  EXPECT_EQ(code_of(DisputedInsight()), kNotAgreed);
  EXPECT_EQ(code_of(DeclinedInsight()), kDeclined);
  EXPECT_EQ(code_of(OneExecutionInsight()), kNotAgreed);
  v1::Insight confirmed = SupportedInsight();
  confirmed.mutable_outcome()->set_kind(v1::CONFIRMED);
  EXPECT_EQ(code_of(confirmed), kAnswered);
  v1::Insight nothing;
  EXPECT_EQ(code_of(nothing), kNotAgreed);
}

TEST_F(AskTest, ExitCodesFollowTheStatus) {
  const auto code_of = [&](const absl::Status& status) {
    stage_.script.insight = status;
    const ExitCode code = stage_.Run({"ask", file_, "q"});
    // A person named the file, not its place in a job.
    std::string message(status.message());
    if (const size_t place = message.find("datasets[0].path: "); place == 0) message.erase(0, 18);
    EXPECT_EQ(stage_.err, "conclave: " + message + "\n");
    EXPECT_EQ(stage_.out, "");
    return code;
  };
  EXPECT_EQ(code_of(absl::NotFoundError("datasets[0].path: no such file: \"x\"")), kInput);
  EXPECT_EQ(code_of(absl::InvalidArgumentError("titanic.csv: is a folder")), kInput);
  EXPECT_EQ(code_of(absl::PermissionDeniedError("titanic.csv: may not be read")), kInput);
  EXPECT_EQ(code_of(absl::FailedPreconditionError("layer rlimits is missing")), kIsolationMissing);
  EXPECT_EQ(code_of(absl::CancelledError("cancelled")), kCancelled);
  EXPECT_EQ(code_of(absl::ResourceExhaustedError("the disk is full")), kFailed);
  EXPECT_EQ(code_of(absl::InternalError("broken")), kFailed);
}

TEST_F(AskTest, DeadlineThatPassedBeforeAnyAnswerIsNoFailureInside) {
  stage_.script.insight = absl::DeadlineExceededError(
      "datasets[0] \"titanic.csv\": reading was ended: the job's deadline came when this run had taken 1ms");
  EXPECT_EQ(stage_.Run({"ask", file_, "q", "--deadline", "1ms"}), kNotAgreed);
  EXPECT_TRUE(Mentions(stage_.err, "the job's deadline came when this run had taken 1ms: give more time with --deadline\n"))
      << stage_.err;
  EXPECT_EQ(stage_.out, "");
}

TEST_F(AskTest, QuietShowsADeliveredAnswerAloneAndAllOfWhatIsNone) {
  stage_.script.insight = SupportedInsight();
  EXPECT_EQ(stage_.Run({"ask", file_, "q", "--quiet"}), kAnswered);
  EXPECT_EQ(stage_.out, "The mean fare is 34.65.\n");
  EXPECT_EQ(stage_.Run({"show", "3f2a9c", "-q"}), kAnswered);
  EXPECT_EQ(stage_.out, "The mean fare is 34.65.\n");
  stage_.script.insight = DisputedInsight();
  EXPECT_EQ(stage_.Run({"ask", file_, "q", "--quiet"}), kNotAgreed);
  EXPECT_TRUE(Mentions(stage_.out, "disputed  ")) << stage_.out;
  EXPECT_TRUE(Mentions(stage_.out, "Limits")) << stage_.out;
  stage_.script.insight = OneExecutionInsight();
  EXPECT_EQ(stage_.Run({"ask", file_, "q", "--quiet"}), kNotAgreed);
  EXPECT_TRUE(Mentions(stage_.out, "not cross-checked")) << stage_.out;
}

TEST_F(AskTest, ErrorsNameTheFileInPeoplesWords) {
  const auto told = [&](const std::string& message) {
    stage_.script.insight = absl::InvalidArgumentError(message);
    stage_.Run({"ask", file_, "q"});
    return stage_.err;
  };
  EXPECT_EQ(told("datasets[0].descriptor is empty: give a file"), "conclave: standard input is empty: give a file\n");
  EXPECT_EQ(told("datasets[1] \"bin.csv\": this is a program"), "conclave: \"bin.csv\": this is a program\n");
  EXPECT_EQ(told("datasets[1]: \"b.csv\" changed while it was read"), "conclave: \"b.csv\" changed while it was read\n");
}

TEST_F(AskTest, JsonIsTheWholeInsightAndNothingElse) {
  stage_.script.insight = SupportedInsight();
  EXPECT_EQ(stage_.Run({"ask", file_, "q", "--json", "--quiet"}), kAnswered);
  const absl::StatusOr<Json> document = ParseJson(stage_.out);
  ASSERT_TRUE(document.ok()) << document.status() << stage_.out;
  EXPECT_EQ(document->Find("id")->string(), "3f2a9c");
  EXPECT_EQ(document->Find("outcome")->Find("kind")->string(), "supported");
  EXPECT_EQ(document->Find("executions")->items().size(), 2u);
  EXPECT_EQ(stage_.err, "");
}

TEST_F(AskTest, StandardInputIsHandedOverAsAFileThatCanBeReadAgain) {
  stage_.script.insight = SupportedInsight();
  stage_.standard_input = std::string(300'000, 'x') + "end";
  EXPECT_EQ(stage_.Run({"ask", "-", file_, "q"}), kAnswered);
  ASSERT_EQ(stage_.script.contents.size(), 1u);
  EXPECT_EQ(stage_.script.contents[0], stage_.standard_input);
  EXPECT_EQ(stage_.script.analysis_job.datasets(0).name(), "stdin");
  EXPECT_EQ(stage_.script.analysis_job.datasets(1).path(), file_);
  EXPECT_EQ(stage_.script.analysis_job.question(), "q");
}

TEST_F(AskTest, StandardInputCannotBeReadTwiceOrSpooledNowhere) {
  EXPECT_EQ(stage_.Run({"ask", "-", "-", "q"}), kInput);
  EXPECT_TRUE(Mentions(stage_.err, "named twice"));
  stage_.environment["TMPDIR"] = stage_.folder / "absent";
  EXPECT_NE(stage_.Run({"ask", "-", "q"}), kAnswered);
  EXPECT_TRUE(Mentions(stage_.err, "TMPDIR")) << stage_.err;
}

TEST_F(AskTest, CancelledBeforeAnythingEndsWith130) {
  stage_.script.wait_for_cancellation = true;
  stage_.cancellation.Cancel();
  EXPECT_EQ(stage_.Run({"ask", file_, "q"}), kCancelled);
  EXPECT_EQ(stage_.Run({"ask", "-", "q"}), kCancelled);
  EXPECT_EQ(stage_.script.alive, 0);
}

TEST_F(AskTest, EngineIsGoneBeforeAnythingIsPrinted) {
  stage_.script.insight = SupportedInsight();
  stage_.alive_while_printing = -1;
  EXPECT_EQ(stage_.Run({"ask", file_, "q"}), kAnswered);
  EXPECT_EQ(stage_.alive_while_printing, 0);
}

TEST_F(AskTest, ReaderThatWentAwayEndsQuietly) {
  stage_.script.insight = SupportedInsight();
  stage_.write_status = absl::AbortedError("closed");
  EXPECT_EQ(stage_.Run({"ask", file_, "q", "--quiet"}), kReaderGone);
  EXPECT_EQ(stage_.err, "");
  stage_.write_status = absl::UnknownError("standard output: no space left: the result is incomplete");
  EXPECT_EQ(stage_.Run({"ask", file_, "q", "--quiet"}), kFailed);
  EXPECT_TRUE(Mentions(stage_.err, "incomplete"));
}

TEST_F(AskTest, StoreIsMadePrivateInTheFirstPlaceTheEnvironmentNames) {
  stage_.script.insight = SupportedInsight();
  const auto store_used = [&] {
    EXPECT_EQ(stage_.Run({"ask", file_, "q"}), kAnswered) << stage_.err;
    const std::string store = stage_.script.options.back().store_folder;
    struct stat found = {};
    EXPECT_EQ(::stat(store.c_str(), &found), 0) << store;
    EXPECT_EQ(found.st_mode & 0777, 0700u) << store;
    return store;
  };
  EXPECT_EQ(store_used(), stage_.folder / ".local/share/conclave");
  stage_.environment["XDG_DATA_HOME"] = "relative/is/passed/over";
  EXPECT_EQ(store_used(), stage_.folder / ".local/share/conclave");
  stage_.environment["XDG_DATA_HOME"] = stage_.folder / "xdg";
  EXPECT_EQ(store_used(), stage_.folder / "xdg/conclave");
  stage_.environment["CONCLAVE_STORE"] = stage_.folder / "own";
  EXPECT_EQ(store_used(), stage_.folder / "own");
}

TEST_F(AskTest, DefaultStoreThatCannotBeMadeIsReplacedAndSaid) {
  stage_.script.insight = SupportedInsight();
  stage_.environment["CONCLAVE_STORE"] = file_ + "/store";
  EXPECT_EQ(stage_.Run({"ask", file_, "q"}), kAnswered);
  EXPECT_EQ(stage_.script.options.back().store_folder, "");
  EXPECT_TRUE(Mentions(stage_.err, "nothing will be kept")) << stage_.err;
  stage_.environment.clear();
  EXPECT_EQ(stage_.Run({"ask", file_, "q"}), kAnswered);
  EXPECT_TRUE(Mentions(stage_.err, "HOME")) << stage_.err;
}

TEST_F(AskTest, NamedStoreThatCannotBeMadeIsAnError) {
  EXPECT_EQ(stage_.Run({"ask", file_, "q", "--store", file_ + "/store"}), kInput);
  EXPECT_TRUE(Mentions(stage_.err, "--no-store")) << stage_.err;
  EXPECT_TRUE(stage_.script.options.empty());
}

TEST_F(AskTest, StoreThatOthersMayEnterIsNotUsed) {
  ASSERT_EQ(::mkdir((stage_.folder / "open").c_str(), 0700), 0);
  ASSERT_EQ(::chmod((stage_.folder / "open").c_str(), 0755), 0);
  EXPECT_EQ(stage_.Run({"ask", file_, "q", "--store", stage_.folder / "open"}), kInput);
  EXPECT_TRUE(Mentions(stage_.err, "mode 755")) << stage_.err;
}

TEST_F(AskTest, NoStoreKeepsNothing) {
  stage_.script.insight = SupportedInsight();
  EXPECT_EQ(stage_.Run({"ask", file_, "q", "--no-store"}), kAnswered);
  EXPECT_EQ(stage_.script.options.back().store_folder, "");
  struct stat found;
  EXPECT_NE(::stat((stage_.folder / ".local").c_str(), &found), 0);
}

}  // namespace
}  // namespace conclave::cli
