// Python programs in the real sandbox. Every run imports pandas, so each checks as much as belongs together.
#include "lib/runtime/python_runtime.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/answer/wire.h"
#include "lib/sandbox/process_sandbox.h"
#include "tests/runtime/sales_table.h"
#include "tests/support/temporary_folder.h"

namespace conclave {
namespace {

class PythonRuntimeTest : public testing::Test {
 protected:
  void SetUp() override {
    absl::StatusOr<std::unique_ptr<Sandbox>> sandbox = CreateProcessSandbox(ProcessSandboxOptions());
    ASSERT_TRUE(sandbox.ok()) << sandbox.status();
    sandbox_ = *std::move(sandbox);
    runtime_ = WithInterpreter("/usr/bin/python3");
  }

  std::unique_ptr<Runtime> WithInterpreter(const std::string& interpreter) {
    PythonRuntimeOptions options;
    options.interpreter = interpreter;
    return CreatePythonRuntime(*sandbox_, options);
  }

  v1::Execution Run(const std::string& code, const RunOptions& options = RunOptions()) {
    v1::Program program;
    program.set_language(v1::PYTHON);
    program.set_code(code);
    absl::StatusOr<v1::Execution> execution = runtime_->Run(program, {sales_}, options, Cancellation());
    EXPECT_TRUE(execution.ok()) << execution.status();
    return execution.ok() ? *execution : v1::Execution();
  }

  // The answer of a run that must succeed, as JSON.
  std::string Answer(const std::string& code, const RunOptions& options = RunOptions()) {
    v1::Execution execution = Run(code, options);
    EXPECT_EQ(execution.end_reason(), v1::OK) << execution.detail() << execution.stderr().head();
    return EncodeAnswer(execution.answer()).Text();
  }

  void ExpectError(const std::string& code, const std::string& type, int line, const std::string& words) {
    v1::Execution execution = Run(code);
    EXPECT_EQ(execution.end_reason(), v1::OK) << execution.detail();
    EXPECT_EQ(execution.answer().kind(), v1::ERROR);
    EXPECT_EQ(execution.answer().error().type(), type);
    EXPECT_EQ(execution.answer().error().line(), line);
    EXPECT_TRUE(execution.answer().error().repairable());
    EXPECT_NE(execution.answer().error().message().find(words), std::string::npos) << execution.answer().error().message();
    EXPECT_NE(execution.detail().find(type), std::string::npos) << execution.detail();
  }

  std::unique_ptr<Sandbox> sandbox_;
  std::unique_ptr<Runtime> runtime_;
  DatasetPtr sales_ = Sales();
};

TEST_F(PythonRuntimeTest, AnswersComeOutTypedAndExact) {
  EXPECT_EQ(Answer(R"(df = load()
result = {
    "mean": df["price"].mean(),
    "by city": df.groupby("city")["price"].sum(),
    "exact": int(df["big"].sum()),
    "pieces": df["pieces"].sum(),
    "missing": int(df["pieces"].isna().sum()),
    "paid": df["paid"].sum() == 2,
    "code": df["code"][0],
    "last": df["day"].max(),
    "months": sorted(df["day"].dropna().dt.to_period("M").unique()),
    "first seen": df["seen"].min(),
    "nothing": None,
}
result_meta = {"unit": "EUR", "decimals": 2, "ordered": True, "notes": {"ddof": 1}}
)"),
            R"({"kind":"map","value":{"$map":[["mean",2.5],["by city",{"$table":{"columns":["city","price"],)"
            R"("rows":[["Graz",5.5],["Linz",2.0]]}}],["exact",18014398509481987],["pieces",15],["missing",1],["paid",true],)"
            R"(["code","00501"],["last",{"$date":"2024-03-31"}],["months",[{"$date":"2024-02"},{"$date":"2024-03"}]],)"
            R"(["first seen",{"$date":"2024-02-29T23:30:00Z"}],["nothing",null]]},)"
            R"("unit":"EUR","decimals":2,"ordered":true,"notes":{"ddof":"1"}})");
}

TEST_F(PythonRuntimeTest, SaysWhatWasLoadedUsedAndIsolated) {
  v1::Execution execution = Run(R"(import os, sys
df = load(["price"])
df = load(["price", "city"], table="sales")
print("to standard output")
print("to standard error", file=sys.stderr)
open("kept.txt", "w").write("x")
result = [sorted(os.environ), os.getcwd() == os.environ["HOME"] == os.environ["TMPDIR"], sys.flags.dont_write_bytecode,
          os.getcwd() in sys.path or "" in sys.path, os.environ["TZ"]]
)");
  ASSERT_EQ(execution.end_reason(), v1::OK) << execution.detail();
  EXPECT_EQ(execution.engine().rfind("pandas ", 0), 0u) << execution.engine();
  EXPECT_NE(execution.engine().find(" (python 3."), std::string::npos) << execution.engine();
  ASSERT_EQ(execution.tables_size(), 1);
  ASSERT_EQ(execution.columns_size(), 2);
  EXPECT_EQ(execution.columns(0), "sales.price");
  EXPECT_EQ(execution.columns(1), "sales.city");
  EXPECT_EQ(execution.stdout().head(), "to standard output\n");
  EXPECT_EQ(execution.stderr().head(), "to standard error\n");
  EXPECT_GT(execution.usage().memory_peak_bytes(), 10 << 20);
  EXPECT_EQ(execution.isolation_level(), sandbox_->Probe()->isolation_level);
  EXPECT_GE(execution.layers_size(), 6);
  for (const v1::LayerState& layer : execution.layers()) {
    EXPECT_EQ(layer.detail().find("disproved"), std::string::npos) << layer.name() << ": " << layer.detail();
  }
  ASSERT_EQ(execution.answer().kind(), v1::LIST);
  const auto& items = execution.answer().value().list().items();
  EXPECT_TRUE(items[1].boolean());
  EXPECT_EQ(items[2].integer(), "1");
  EXPECT_FALSE(items[3].boolean());
  EXPECT_EQ(items[4].text(), "UTC");
}

TEST_F(PythonRuntimeTest, ErrorsOfTheProgramNameTypeLineAndWayOut) {
  ExpectError("df = load()\nx = df['price'].mean() / 0\nresult = undefined_name", "NameError", 3, "undefined_name");
  ExpectError("df = load(['prise'])\nresult = 1", "KeyError", 1, "did you mean \"price\"?");
}

TEST_F(PythonRuntimeTest, SqlAndConstantsAreRefused) {
  ExpectError("import sqlite3\ndf = load()\nresult = 1", "ProgramRefused", 1, "runs SQL");
  ExpectError("df = load()\n__import__('sqlite' + '3')\nresult = 1", "ImportError", 2, "answer with pandas");
  ExpectError("result = 42", "ProgramRefused", 0, "never calls load()");
}

TEST_F(PythonRuntimeTest, MemoryBombsMeetTheMemoryLimit) {
  RunOptions options;
  options.limits.memory_bytes = 160 << 20;
  v1::Execution refused = Run("df = load()\nx = np.ones(1 << 30)\nresult = 1", options);
  EXPECT_EQ(refused.end_reason(), v1::MEMORY_LIMIT) << refused.detail();
  EXPECT_EQ(refused.answer().error().type(), "MemoryError");
  EXPECT_EQ(refused.answer().error().line(), 2);
  v1::Execution grown = Run("df = load()\nx = []\nwhile True: x.append('x' * 100000)\nresult = 1", options);
  EXPECT_EQ(grown.end_reason(), v1::MEMORY_LIMIT) << grown.detail();
}

TEST_F(PythonRuntimeTest, EndlessLoopsMeetTheLimitThatComesFirst) {
  RunOptions options;
  options.limits.cpu = absl::Seconds(4);  // several times what it takes to start
  v1::Execution busy = Run("print('before')\ndf = load()\nwhile True: pass\nresult = 1", options);
  EXPECT_EQ(busy.end_reason(), v1::CPU_LIMIT) << busy.detail();
  EXPECT_EQ(busy.stdout().head(), "before\n");
  EXPECT_EQ(busy.answer().kind(), v1::ANSWER_KIND_UNSPECIFIED);
  options.limits.wall = absl::Seconds(2);
  v1::Execution idle = Run("import time\ndf = load()\ntime.sleep(1000)\nresult = 1", options);
  EXPECT_EQ(idle.end_reason(), v1::WALL_LIMIT) << idle.detail();
}

TEST_F(PythonRuntimeTest, ProgramsThatEndTheirProcessHaveNoResult) {
  v1::Execution quiet = Run("import os\ndf = load()\nresult = 1\nos._exit(0)");
  EXPECT_EQ(quiet.end_reason(), v1::NO_RESULT) << quiet.detail();
  v1::Execution killed = Run("import os, signal\ndf = load()\nresult = 1\nos.kill(os.getpid(), signal.SIGSEGV)");
  EXPECT_EQ(killed.end_reason(), v1::SIGNAL) << killed.detail();
  EXPECT_EQ(killed.signal(), SIGSEGV);
}

TEST_F(PythonRuntimeTest, StandardOutputIsNeverTheAnswer) {
  RunOptions options;
  options.limits.output_bytes = 4096;
  v1::Execution loud = Run("import sys\ndf = load()\nsys.stdout.write('x' * 20000 + 'end')\nresult = len(df)", options);
  EXPECT_EQ(loud.end_reason(), v1::OK) << loud.detail();
  EXPECT_EQ(loud.answer().value().integer(), "4");
  EXPECT_GT(loud.stdout().dropped(), 0);
  EXPECT_EQ(loud.stdout().tail().substr(loud.stdout().tail().size() - 3), "end");
  v1::Execution flood = Run("df = load()\nwhile True: print('x' * 1000)\nresult = 1", options);
  EXPECT_EQ(flood.end_reason(), v1::OUTPUT_LIMIT) << flood.detail();
}

TEST_F(PythonRuntimeTest, WhatAProgramSendsItselfIsItsClaimAtMost) {
  v1::Execution rubbish = Run("import os\ndf = load()\nos.write(3, b'rubbish')\nresult = 1");
  EXPECT_EQ(rubbish.end_reason(), v1::NO_RESULT) << rubbish.detail();
  EXPECT_EQ(rubbish.answer().error().type(), "ProtocolError");
  v1::Execution forged = Run(R"(import os, struct
df = load()
body = b'{"frame":"answer","answer":{"kind":"integer","value":13}}'
os.write(3, struct.pack("<I", len(body)) + body)
result = 1
)");
  EXPECT_EQ(forged.end_reason(), v1::OK);
  EXPECT_EQ(forged.answer().value().integer(), "13");
  EXPECT_EQ(forged.isolation_level(), sandbox_->Probe()->isolation_level);
}

TEST_F(PythonRuntimeTest, ChanceAndOrderAreThoseOfTheSeed) {
  const std::string code =
      "import random\ndf = load()\nresult = [random.random(), np.random.rand(), hash('x'), list({'a', 'b'})]";
  RunOptions options;
  options.seed = 0xffffffffffffffff;
  const std::string first = Answer(code, options);
  EXPECT_EQ(first, Answer(code, options));
  options.seed = 1;
  EXPECT_NE(first, Answer(code, options));
}

TEST_F(PythonRuntimeTest, RunsSideBySideDoNotMix) {
  std::vector<std::thread> threads;
  std::vector<v1::Execution> executions(3);
  for (size_t i = 0; i < executions.size(); ++i) {
    threads.emplace_back([this, i, &executions] { executions[i] = Run(absl::StrCat("df = load()\nresult = len(df) + ", i)); });
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t i = 0; i < executions.size(); ++i) {
    EXPECT_EQ(executions[i].answer().value().integer(), std::to_string(4 + i)) << executions[i].detail();
  }
}

TEST_F(PythonRuntimeTest, TheEngineIsFoundOnceAndNamed) {
  absl::StatusOr<std::string> engine = runtime_->Engine();
  ASSERT_TRUE(engine.ok()) << engine.status();
  EXPECT_EQ(*engine, Run("df = load()\nresult = 1").engine());
}

TEST_F(PythonRuntimeTest, CandidatesThatWillNotDoArePassedOver) {
  TemporaryFolder closed;  // 0700: another user cannot reach what is in it
  const std::string unreachable = closed / "python3";
  ASSERT_EQ(::symlink("/usr/bin/python3", unreachable.c_str()), 0);
  PythonRuntimeOptions options;
  options.surroundings = {.chosen = "/bin/false", .path = closed.path() + "::relative:/nonexistent:/usr/bin", .passed_on = {}};
  runtime_ = CreatePythonRuntime(*sandbox_, options);
  EXPECT_EQ(Answer("df = load()\nresult = len(df)"), R"({"kind":"integer","value":4})");
}

TEST_F(PythonRuntimeTest, NoInterpreterListsEachWithItsReason) {
  TemporaryFolder folder;
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  const std::string script = folder.Write("python3", "#!/bin/sh\n");
  ASSERT_EQ(::chmod(script.c_str(), 0755), 0);
  const struct {
    const char* interpreter;
    const char* words;
  } cases[] = {{"/nonexistent/python3", "/nonexistent/python3: "},
               {"/bin/false", "/bin/false: exited with status 1"},
               {"python3", "python3: not an absolute path"},
               {script.c_str(), "is a script"}};
  for (const auto& [interpreter, words] : cases) {
    runtime_ = WithInterpreter(interpreter);
    absl::StatusOr<std::string> engine = runtime_->Engine();
    EXPECT_EQ(engine.status().code(), absl::StatusCode::kUnavailable);
    const std::string message(engine.status().message());
    EXPECT_NE(message.find(words), std::string::npos) << message;
    EXPECT_NE(message.find("apt install python3-pandas"), std::string::npos) << message;
    v1::Program program;
    program.set_language(v1::PYTHON);
    EXPECT_EQ(runtime_->Run(program, {}, RunOptions(), Cancellation()).status(), engine.status());
  }
}

TEST_F(PythonRuntimeTest, ALimitTooLowForPythonIsNotTakenForAMissingPython) {
  RunOptions options;
  options.limits.memory_bytes = 16 << 20;
  v1::Execution starved = Run("df = load()\nresult = 1", options);
  EXPECT_NE(starved.end_reason(), v1::OK) << starved.detail();
  EXPECT_TRUE(runtime_->Engine().ok()) << runtime_->Engine().status();
  EXPECT_EQ(Answer("df = load()\nresult = len(df)"), R"({"kind":"integer","value":4})");
}

TEST_F(PythonRuntimeTest, ACancelledRunSaysSoAndLeavesTheRuntimeUsable) {
  CancellationSource source;
  source.Cancel();
  v1::Program program;
  program.set_language(v1::PYTHON);
  program.set_code("df = load()\nresult = 1");
  absl::StatusOr<v1::Execution> execution = runtime_->Run(program, {sales_}, RunOptions(), source.token());
  if (execution.ok()) {
    EXPECT_EQ(execution->end_reason(), v1::CANCELLED) << execution->detail();
  } else {
    EXPECT_EQ(execution.status().code(), absl::StatusCode::kCancelled) << execution.status();
  }
  EXPECT_TRUE(runtime_->Engine().ok());
}

TEST(PythonCandidatesTest, ComeInOrderAndOnce) {
  TemporaryFolder folder;
  const std::string own = folder.Write("python3", "");
  ASSERT_EQ(::chmod(own.c_str(), 0755), 0);
  EXPECT_EQ(PythonCandidates("/opt/p", {.chosen = "/opt/q", .path = "/usr/bin", .passed_on = {}}),
            std::vector<std::string>{"/opt/p"});
  EXPECT_EQ(
      PythonCandidates("", {.chosen = "/opt/q", .path = "::bin:/none:" + folder.path() + ":/usr/bin:/bin", .passed_on = {}}),
      (std::vector<std::string>{"/opt/q", own, "/usr/bin/python3"}));
}

}  // namespace
}  // namespace conclave
