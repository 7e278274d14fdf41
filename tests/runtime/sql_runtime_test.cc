#include "lib/runtime/sql_runtime.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/answer/wire.h"
#include "tests/runtime/sales_table.h"
#include "tests/support/real_runtimes_test.h"

namespace conclave {
namespace {

class SqlRuntimeTest : public RealRuntimesTest {
 protected:
  v1::Execution Run(const std::string& code, const RunOptions& options = RunOptions()) {
    v1::Program program;
    program.set_language(v1::SQL);
    program.set_code(code);
    absl::StatusOr<v1::Execution> execution = sql_->Run(program, {sales_}, options, Cancellation());
    EXPECT_TRUE(execution.ok()) << execution.status();
    return execution.ok() ? *execution : v1::Execution();
  }

  std::string Answer(const std::string& code) {
    v1::Execution execution = Run(code);
    EXPECT_EQ(execution.end_reason(), v1::OK) << execution.detail();
    return EncodeAnswer(execution.answer()).Text();
  }

  DatasetPtr sales_ = Sales();
};

TEST_F(SqlRuntimeTest, AnswersComeOutTypedAndExact) {
  EXPECT_EQ(Answer("SELECT avg(price) FROM sales"), R"({"kind":"number","value":2.5})");
  EXPECT_EQ(Answer("SELECT sum(big) FROM sales"), R"({"kind":"integer","value":18014398509481987})");
  EXPECT_EQ(Answer("SELECT code FROM sales WHERE city = 'Graz' AND paid ORDER BY code LIMIT 1"),
            R"({"kind":"text","value":"00501"})");
  EXPECT_EQ(Answer("SELECT max(day) FROM sales"), R"({"kind":"date","value":{"$date":"2024-03-31"}})");
  EXPECT_EQ(Answer("SELECT avg(price) FROM sales WHERE city = 'Wien'"), R"({"kind":"undefined"})");
  EXPECT_EQ(
      Answer("SELECT city, sum(price) AS total FROM sales WHERE city IS NOT NULL GROUP BY city ORDER BY city"),
      R"({"kind":"table","value":{"$table":{"columns":["city","total"],"rows":[["Graz",5.5],["Linz",2.0]]}},"ordered":true})");
}

TEST_F(SqlRuntimeTest, SaysWhatWasLoadedUsedAndIsolated) {
  v1::Execution execution = Run("SELECT count(*) FROM sales WHERE price > 1.7");
  ASSERT_EQ(execution.end_reason(), v1::OK) << execution.detail();
  EXPECT_EQ(execution.engine().rfind("sqlite 3.", 0), 0u) << execution.engine();
  EXPECT_EQ(execution.engine(), *sql_->Engine());
  EXPECT_EQ(execution.isolation_level(), sandbox_->Probe()->isolation_level);
  for (const v1::LayerState& layer : execution.layers()) {
    EXPECT_EQ(layer.detail().find("disproved"), std::string::npos) << layer.name() << ": " << layer.detail();
  }
  ASSERT_EQ(execution.tables_size(), 1);
  EXPECT_EQ(execution.tables(0), "sales");
  ASSERT_EQ(execution.columns_size(), 1);
  EXPECT_EQ(execution.columns(0), "sales.price");
}

TEST_F(SqlRuntimeTest, ErrorsNameTypeLineAndWayOut) {
  v1::Execution execution = Run("SELECT\n  avg(prise)\nFROM sales");
  EXPECT_EQ(execution.end_reason(), v1::OK) << execution.detail();
  ASSERT_EQ(execution.answer().kind(), v1::ERROR);
  EXPECT_EQ(execution.answer().error().line(), 2);
  EXPECT_TRUE(execution.answer().error().repairable());
  EXPECT_NE(execution.answer().error().message().find("price"), std::string::npos) << execution.answer().error().message();
  EXPECT_EQ(execution.detail().rfind("the program failed at line 2: ", 0), 0u) << execution.detail();
}

TEST_F(SqlRuntimeTest, EndlessStatementsMeetALimit) {
  RunOptions options;
  options.limits.cpu = absl::Seconds(1);
  std::string tables = "sales t0";
  for (int i = 1; i < 24; ++i) absl::StrAppend(&tables, ", sales t", i);
  v1::Execution busy = Run(absl::StrCat("SELECT count(*) FROM ", tables, " WHERE t0.price < t23.price"), options);
  EXPECT_EQ(busy.end_reason(), v1::CPU_LIMIT) << busy.detail() << busy.answer().error().message();
}

TEST(SqlRuntimeMissingTest, AMissingGuestIsNamedWithTheWayOut) {
  absl::StatusOr<std::unique_ptr<Sandbox>> sandbox = CreateProcessSandbox(ProcessSandboxOptions());
  ASSERT_TRUE(sandbox.ok()) << sandbox.status();
  std::unique_ptr<Runtime> runtime = CreateSqlRuntime(**sandbox, "/nonexistent");
  absl::StatusOr<std::string> engine = runtime->Engine();
  EXPECT_EQ(engine.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(
      std::string(engine.status().message()),
      "the SQL engine cannot be used: /nonexistent/conclave-sql: No such file or directory. It is installed with Conclave; "
      "set CONCLAVE_LIBEXEC to the folder that holds conclave-sql");
  EXPECT_EQ(runtime->Run(v1::Program(), {}, RunOptions(), Cancellation()).status(), engine.status());
}

}  // namespace
}  // namespace conclave
