// What a runtime makes of what the sandbox saw and what the guest said.
#include "lib/runtime/guest_run.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "conclave/dataset.h"

namespace conclave {
namespace {

std::string Framed(const std::string& json) {
  std::string frame;
  for (int shift = 0; shift < 32; shift += 8) frame += static_cast<char>(json.size() >> shift & 0xff);
  return frame + json;
}

v1::Program PythonProgram(const std::string& code) {
  v1::Program program;
  program.set_id("p1");
  program.set_language(v1::PYTHON);
  program.set_code(code);
  return program;
}

SandboxResult Ended(v1::EndReason reason, const std::string& result, const std::string& detail = "") {
  SandboxResult ended;
  ended.end_reason = reason;
  ended.result = result;
  ended.detail = detail;
  ended.isolation_level = 0;
  for (const char* name : {"rlimits", "no_new_privs"}) {
    v1::LayerState& layer = ended.layers.emplace_back();
    layer.set_name(name);
    layer.set_achieved(true);
    layer.set_detail("proven");
  }
  return ended;
}

v1::Execution Read(const SandboxResult& result) {
  return ToExecution(PythonProgram("x"), RunOptions(), result, ReadFrames(result.result));
}

const char kSeven[] = R"({"frame":"answer","answer":{"kind":"integer","value":7}})";

TEST(ToExecutionTest, AnAnswer) {
  v1::Execution execution =
      Read(Ended(v1::OK, Framed(R"({"frame":"engine","name":"pandas 1.5.3"})") +
                             Framed(R"({"frame":"loaded","table":"sales","columns":["price","city"]})") + Framed(kSeven)));
  EXPECT_EQ(execution.program_id(), "p1");
  EXPECT_EQ(execution.language(), v1::PYTHON);
  EXPECT_EQ(execution.engine(), "pandas 1.5.3");
  EXPECT_EQ(execution.end_reason(), v1::OK);
  EXPECT_EQ(execution.answer().kind(), v1::INTEGER);
  EXPECT_EQ(execution.answer().value().integer(), "7");
  ASSERT_EQ(execution.columns_size(), 2);
  EXPECT_EQ(execution.tables(0), "sales");
  EXPECT_EQ(execution.columns(1), "sales.city");
  EXPECT_EQ(execution.isolation_level(), 0);
  EXPECT_EQ(execution.limits().memory_bytes(), 512 << 20);
  EXPECT_EQ(execution.limits().wall_ms(), 60'000);
}

TEST(ToExecutionTest, AnAnswerCountsOnlyWhenTheRunEndedWell) {
  for (v1::EndReason reason : {v1::EXIT_NONZERO, v1::SIGNAL, v1::WALL_LIMIT, v1::MEMORY_LIMIT, v1::OUTPUT_LIMIT, v1::CANCELLED,
                               v1::DEADLINE, v1::POLICY_VIOLATION, v1::STATUS_LOST}) {
    v1::Execution execution = Read(Ended(reason, Framed(kSeven), "ended"));
    EXPECT_EQ(execution.end_reason(), reason);
    EXPECT_EQ(execution.answer().kind(), v1::ANSWER_KIND_UNSPECIFIED) << reason;
  }
}

TEST(ToExecutionTest, NoAnswerSaysWhyAndTheWayOut) {
  v1::Execution silent = Read(Ended(v1::OK, ""));
  EXPECT_EQ(silent.end_reason(), v1::NO_RESULT);
  EXPECT_EQ(
      silent.detail(),
      "the program ended without sending an answer; let the program run to its end and leave the sending of its answer to "
      "the runner");
  EXPECT_EQ(silent.answer().kind(), v1::ANSWER_KIND_UNSPECIFIED);

  v1::Execution slow = Read(Ended(v1::WALL_LIMIT, Framed(R"({"frame":"engine","name":"e"})"), "wall limit of 1s reached."));
  EXPECT_EQ(slow.end_reason(), v1::WALL_LIMIT);
  EXPECT_EQ(slow.detail(), "wall limit of 1s reached; ask for less data at a time, or allow the run more time");
}

TEST(ToExecutionTest, RubbishIsATypedError) {
  for (const std::string& result : {std::string("rub"), std::string("abc"), Framed("{}"), Framed(R"({"frame":"answer"})"),
                                    Framed(R"({"frame":"answer","answer":{"kind":"guess"}})"),
                                    Framed(R"({"frame":"answer","answer":{"kind":"integer","value":"7"}})"),
                                    Framed(R"({"frame":"profile","profile":{}})")}) {
    v1::Execution execution = Read(Ended(v1::OK, result));
    EXPECT_EQ(execution.end_reason(), v1::NO_RESULT) << result;
    EXPECT_EQ(execution.answer().kind(), v1::ERROR) << result;
    EXPECT_EQ(execution.answer().error().type(), "ProtocolError") << result;
    EXPECT_NE(execution.detail().find("cannot be read as an answer"), std::string::npos) << execution.detail();
  }
}

TEST(ToExecutionTest, AFrameThatIsTooLongIsAnAnswerThatIsTooLarge) {
  v1::Execution execution = Read(Ended(v1::OK, Framed(std::string(18 << 20, ' '))));
  EXPECT_EQ(execution.end_reason(), v1::NO_RESULT);
  EXPECT_EQ(execution.answer().error().type(), "AnswerTooLarge");
  EXPECT_TRUE(execution.answer().error().repairable());
}

TEST(ToExecutionTest, TheReasonOfTheSandboxIsKeptWhenFramesAreCutOff) {
  v1::Execution execution = Read(Ended(v1::MEMORY_LIMIT, Framed(kSeven).substr(0, 20), "memory limit of 512 MB exceeded"));
  EXPECT_EQ(execution.end_reason(), v1::MEMORY_LIMIT);
  EXPECT_EQ(execution.answer().kind(), v1::ANSWER_KIND_UNSPECIFIED);
}

TEST(ToExecutionTest, AnErrorOfTheProgram) {
  v1::Execution execution =
      Read(Ended(v1::EXIT_NONZERO, Framed(R"({"frame":"error","type":"KeyError","message":"no column \"Fare\"","line":3,)"
                                          R"("source_line":"x = df[\"Fare\"]","repairable":true})")));
  EXPECT_EQ(execution.end_reason(), v1::EXIT_NONZERO);
  ASSERT_EQ(execution.answer().kind(), v1::ERROR);
  EXPECT_EQ(execution.answer().error().type(), "KeyError");
  EXPECT_EQ(execution.answer().error().line(), 3);
  EXPECT_EQ(execution.answer().error().source_line(), "x = df[\"Fare\"]");
  EXPECT_TRUE(execution.answer().error().repairable());
  EXPECT_EQ(execution.detail(), "the program failed at line 3: KeyError: no column \"Fare\"");
}

TEST(ToExecutionTest, AnErrorFrameMayHoldAnything) {
  v1::Execution execution = Read(Ended(
      v1::EXIT_NONZERO, Framed(R"({"frame":"error","type":7,"message":null,"line":-9223372036854775808,"repairable":"yes"})")));
  EXPECT_EQ(execution.answer().kind(), v1::ERROR);
  EXPECT_EQ(execution.answer().error().type(), "Error");
  EXPECT_EQ(execution.answer().error().line(), 0);
  EXPECT_FALSE(execution.answer().error().repairable());
}

TEST(ToExecutionTest, TheEndOfMemoryInsideIsTheMemoryLimit) {
  v1::Execution execution =
      Read(Ended(v1::EXIT_NONZERO,
                 Framed(R"({"frame":"error","type":"MemoryError","message":"Unable to allocate 8 GiB","limit":"memory"})")));
  EXPECT_EQ(execution.end_reason(), v1::MEMORY_LIMIT);
  EXPECT_EQ(execution.detail(),
            "the program ran out of memory under a limit of 512 MB: Unable to allocate 8 GiB; load only the columns that are "
            "needed, or allow the run more memory");
}

TEST(ToExecutionTest, TheGuestsWordLowersLayersAndNeverRaisesThem) {
  SandboxResult result = Ended(v1::OK, Framed(R"({"frame":"canary","name":"rlimits","achieved":true,"detail":"fine"})") +
                                           Framed(R"({"frame":"canary","name":"invented","achieved":true})") + Framed(kSeven));
  result.layers[0].set_achieved(false);
  result.isolation_level = -1;
  v1::Execution raised = Read(result);
  EXPECT_FALSE(raised.layers(0).achieved());
  EXPECT_EQ(raised.layers(0).detail(), "proven");
  EXPECT_EQ(raised.layers_size(), 2);
  EXPECT_EQ(raised.isolation_level(), -1);

  v1::Execution lowered =
      Read(Ended(v1::OK, Framed(R"({"frame":"canary","name":"no_new_privs","achieved":false,"detail":"NoNewPrivs: 0"})") +
                             Framed(kSeven)));
  EXPECT_TRUE(lowered.layers(0).achieved());
  EXPECT_FALSE(lowered.layers(1).achieved());
  EXPECT_EQ(lowered.layers(1).detail(), "disproved inside the run: NoNewPrivs: 0");
  EXPECT_EQ(lowered.isolation_level(), -1);
}

// A run of level 2 that says of itself that some layer did not hold.
v1::Execution Lowered(const std::string& layer, bool listed = true) {
  SandboxResult result =
      Ended(v1::OK, Framed(absl::StrCat(R"({"frame":"canary","name":")", layer, R"(","achieved":false,"detail":"tried"})")) +
                        Framed(kSeven));
  result.isolation_level = 2;
  if (listed) {
    v1::LayerState& state = result.layers.emplace_back();
    state.set_name(layer);
    state.set_achieved(true);
  }
  return Read(result);
}

TEST(ToExecutionTest, ADisprovedLayerLowersTheLevelToBelowItsOwn) {
  EXPECT_EQ(Lowered("environment_clean").isolation_level(), -1);
  EXPECT_EQ(Lowered("path_filter").isolation_level(), 0);
  EXPECT_EQ(Lowered("process_namespace").isolation_level(), 1);
  EXPECT_EQ(Lowered("process_namespace", /*listed=*/false).isolation_level(), 1) << "it is part of the level that is claimed";
  const v1::Execution several = Read([] {
    SandboxResult result =
        Ended(v1::OK, Framed(R"({"frame":"canary","name":"mount_namespace","achieved":false})") +
                          Framed(R"({"frame":"canary","name":"syscall_filter","achieved":false})") +
                          Framed(R"({"frame":"canary","name":"user_namespace","achieved":false})") + Framed(kSeven));
    result.isolation_level = 3;
    return result;
  }());
  EXPECT_EQ(several.isolation_level(), 0);
  EXPECT_EQ(several.layers_size(), 5);
}

TEST(ToExecutionTest, ALayerThatIsNotRequiredIsLostWithoutTheLevel) {
  const v1::Execution execution = Lowered("signal_scope");
  EXPECT_EQ(execution.isolation_level(), 2);
  EXPECT_FALSE(execution.layers(2).achieved());
  EXPECT_EQ(execution.layers(2).detail(), "disproved inside the run: tried");
}

TEST(ToExecutionTest, WhatNobodyClaimedCannotBeLost) {
  for (const char* layer : {"network_namespace", "signal_scope", "invented"}) {
    const v1::Execution execution = Lowered(layer, /*listed=*/false);
    EXPECT_EQ(execution.isolation_level(), 2) << layer;
    EXPECT_EQ(execution.layers_size(), 2) << layer;
  }
}

TEST(CheckRunTest, NamesTheField) {
  const auto message = [](const v1::Program& program, const std::vector<DatasetPtr>& datasets = {}) {
    return std::string(CheckRun(program, v1::PYTHON, datasets, RunOptions()).message());
  };
  EXPECT_EQ(message(PythonProgram("x")), "");
  EXPECT_NE(message(v1::Program()).find("program.language"), std::string::npos);
  EXPECT_EQ(message(PythonProgram(std::string((1 << 20) + 1, 'x'))), "program.code: 1048577 bytes; at most 1048576 are run");
  EXPECT_EQ(message(PythonProgram("\xff")), "program.code: not valid UTF-8");
  v1::Profile profile;
  profile.set_name("sales");
  const auto closed = std::make_shared<const Dataset>(profile, -1);
  EXPECT_EQ(message(PythonProgram("x"), {closed}), "datasets[0]: has no open column store");
}

}  // namespace
}  // namespace conclave
