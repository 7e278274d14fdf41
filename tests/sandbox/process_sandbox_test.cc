#include "lib/sandbox/process_sandbox.h"

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "gtest/gtest.h"

namespace conclave {
namespace {

class ProcessSandboxTest : public ::testing::Test {
 protected:
  void SetUp() override {
    absl::StatusOr<std::unique_ptr<Sandbox>> sandbox = CreateProcessSandbox(ProcessSandboxOptions());
    ASSERT_TRUE(sandbox.ok()) << sandbox.status();
    sandbox_ = *std::move(sandbox);
  }

  SandboxResult Run(const SandboxRequest& request) {
    absl::StatusOr<SandboxResult> result = sandbox_->Run(request, Cancellation());
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? *std::move(result) : SandboxResult();
  }

  static SandboxRequest Shell(const std::string& script) {
    SandboxRequest request;
    request.arguments = {"/bin/sh", "-c", script};
    request.limits.wall = absl::Seconds(10);
    request.limits.processes = 8;
    return request;
  }

  std::unique_ptr<Sandbox> sandbox_;
};

TEST_F(ProcessSandboxTest, TrueIsOk) {
  SandboxRequest request;
  request.arguments = {"/bin/true"};
  const SandboxResult result = Run(request);
  EXPECT_EQ(result.end_reason, v1::OK) << result.detail;
  EXPECT_EQ(result.isolation_level, 0);
  for (const v1::LayerState& layer : result.layers) EXPECT_TRUE(layer.achieved()) << layer.name() << ": " << layer.detail();
  EXPECT_EQ(result.layers.size(), 7u);
}

TEST_F(ProcessSandboxTest, OutputAndExitStatusComeBack) {
  const SandboxResult result = Run(Shell("echo out; echo err >&2; pwd; echo $HOME; id -u; umask; exit 3"));
  EXPECT_EQ(result.end_reason, v1::EXIT_NONZERO) << result.detail;
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.standard_output.head().substr(0, 4), "out\n");
  EXPECT_EQ(result.standard_error.head(), "err\n");
}

}  // namespace
}  // namespace conclave
