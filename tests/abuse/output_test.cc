// Programs that say too much, nothing, or nonsense.
#include "tests/abuse/abuse.h"

namespace conclave {
namespace {

using OutputAbuseTest = AbuseTest;

TEST_F(OutputAbuseTest, FloodEndsTheRunAndKeepsHeadAndTail) {
  const SandboxResult result = Run(Program("flood"));
  EXPECT_EQ(result.end_reason, v1::OUTPUT_LIMIT) << result.detail;
  EXPECT_NE(result.detail.find("standard output passed 256 kB"), std::string::npos) << result.detail;
  EXPECT_EQ(result.standard_output.head(), std::string(2048, 'x'));
  EXPECT_EQ(result.standard_output.tail(), std::string(2048, 'x'));
  EXPECT_GT(result.standard_output.dropped(), 60 * 4096);
  EXPECT_LT(result.standard_output.dropped(), 256 * 1024 + (1 << 17));
}

TEST_F(OutputAbuseTest, FloodOnStandardErrorIsNamed) {
  const SandboxResult result = Run(Program("flood", {"2"}));
  EXPECT_EQ(result.end_reason, v1::OUTPUT_LIMIT) << result.detail;
  EXPECT_NE(result.detail.find("standard error"), std::string::npos) << result.detail;
}

TEST_F(OutputAbuseTest, ResultBeyondItsLimitEndsTheRun) {
  SandboxRequest request = Program("flood", {"7"});
  request.result_descriptor = 7;
  request.result_bytes = 1000;
  const SandboxResult result = Run(request);
  EXPECT_EQ(result.end_reason, v1::OUTPUT_LIMIT) << result.detail;
  EXPECT_EQ(result.result.size(), 1000u);
  EXPECT_NE(result.detail.find("result limit of 1000 bytes"), std::string::npos) << result.detail;
}

TEST_F(OutputAbuseTest, BytesComeThroughAsTheyAre) {
  const SandboxResult result = Run(Program("odd_bytes"));
  std::string all(256, '\0');
  for (int i = 0; i < 256; ++i) all[static_cast<size_t>(i)] = static_cast<char>(i);
  EXPECT_EQ(result.standard_output.head() + result.standard_output.tail(), all);
  EXPECT_EQ(result.standard_error.head(), "\033[2J\xff\xfe");
}

TEST_F(OutputAbuseTest, ExitIsSeenAfterAllOutputWasClosed) {
  const SandboxResult result = Run(Program("close_output"));
  EXPECT_EQ(result.exit_code, 7) << result.detail;
}

TEST_F(OutputAbuseTest, StandardInputIsEmpty) { EXPECT_EQ(Run(Program("read_input")).end_reason, v1::OK); }

TEST_F(OutputAbuseTest, OnlyGrantedDescriptorsAreOpen) {
  SandboxRequest request = Program("list_descriptors");
  request.descriptors = {{request.executable, 9}};
  request.result_bytes = 10;
  EXPECT_EQ(Run(request).standard_output.head(), "0 1 2 3 9 ");
}

TEST_F(OutputAbuseTest, StartsInACleanState) {
  SandboxRequest request = Program("print_state");
  request.environment = {"LANG=C"};
  EXPECT_EQ(Run(request).standard_output.head(), "blocked 0 ignored 0 session 1 umask 77 variables 3");
}

}  // namespace
}  // namespace conclave
