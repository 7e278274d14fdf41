#include "lib/runtime/sql_runtime.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "lib/sandbox/process_sandbox.h"

namespace conclave {
namespace {

TEST(SqlRuntimeTest, AMissingGuestIsNamedWithTheWayOut) {
  absl::StatusOr<std::unique_ptr<Sandbox>> sandbox = CreateProcessSandbox(ProcessSandboxOptions());
  ASSERT_TRUE(sandbox.ok()) << sandbox.status();
  std::unique_ptr<Runtime> runtime = CreateSqlRuntime(**sandbox, "/nonexistent");
  absl::StatusOr<std::string> engine = runtime->Engine();
  EXPECT_EQ(engine.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(
      std::string(engine.status().message()),
      "the SQL engine cannot be used: /nonexistent/conclave-sql: No such file or directory. It is installed with Conclave; "
      "set CONCLAVE_LIBEXEC to the folder that holds conclave-sql");
  EXPECT_EQ(runtime->Run(v1::Program(), {}, RunOptions(), Cancellation()).status(), engine.status());
}

}  // namespace
}  // namespace conclave
