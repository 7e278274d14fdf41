// RealRuntimesTest: a fixture with the real sandbox and both runtimes over it, for tests of programs that are really run.
#ifndef CONCLAVE_TESTS_SUPPORT_REAL_RUNTIMES_TEST_H_
#define CONCLAVE_TESTS_SUPPORT_REAL_RUNTIMES_TEST_H_

#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "lib/runtime/python_runtime.h"
#include "lib/runtime/sql_runtime.h"
#include "lib/sandbox/process_sandbox.h"

namespace conclave {

class RealRuntimesTest : public testing::Test {
 protected:
  void SetUp() override {
    absl::StatusOr<std::unique_ptr<Sandbox>> sandbox = CreateProcessSandbox(ProcessSandboxOptions());
    ASSERT_TRUE(sandbox.ok()) << sandbox.status();
    sandbox_ = *std::move(sandbox);
    sql_ = CreateSqlRuntime(*sandbox_, CONCLAVE_LIBEXEC_DIR);
    python_ = CreatePythonRuntime(*sandbox_, PythonRuntimeOptions());
  }

  std::unique_ptr<Sandbox> sandbox_;
  std::unique_ptr<Runtime> sql_, python_;
};

}  // namespace conclave

#endif  // CONCLAVE_TESTS_SUPPORT_REAL_RUNTIMES_TEST_H_
