#include "lib/sandbox/policy.h"

#include <cstring>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "lib/sandbox/wire.h"

namespace conclave {
namespace {

SandboxRequest GoodRequest() {
  SandboxRequest request;
  request.arguments = {"/bin/true"};
  return request;
}

struct BadRequest {
  const char* message;  // must be part of the error
  std::function<void(SandboxRequest&)> spoil;
};

TEST(PolicyTest, NonsenseIsRefusedNamingFieldAndValue) {
  const BadRequest cases[] = {
      {"limits.wall is 0", [](SandboxRequest& r) { r.limits.wall = absl::ZeroDuration(); }},
      {"limits.wall is -1s", [](SandboxRequest& r) { r.limits.wall = absl::Seconds(-1); }},
      {"limits.wall is inf", [](SandboxRequest& r) { r.limits.wall = absl::InfiniteDuration(); }},
      {"limits.cpu is inf", [](SandboxRequest& r) { r.limits.cpu = absl::InfiniteDuration(); }},
      {"limits.memory_bytes is 0", [](SandboxRequest& r) { r.limits.memory_bytes = 0; }},
      {"limits.memory_bytes is 9223372036854775807", [](SandboxRequest& r) { r.limits.memory_bytes = INT64_MAX; }},
      {"limits.output_bytes is -5", [](SandboxRequest& r) { r.limits.output_bytes = -5; }},
      {"limits.disk_bytes is 0", [](SandboxRequest& r) { r.limits.disk_bytes = 0; }},
      {"limits.disk_inodes is -1", [](SandboxRequest& r) { r.limits.disk_inodes = -1; }},
      {"limits.processes is 0", [](SandboxRequest& r) { r.limits.processes = 0; }},
      {"limits.threads is 0", [](SandboxRequest& r) { r.limits.threads = 0; }},
      {"limits.threads is 2 but limits.processes is 3",
       [](SandboxRequest& r) {
         r.limits.threads = 2;
         r.limits.processes = 3;
       }},
      {"limits.descriptors is 3", [](SandboxRequest& r) { r.limits.descriptors = 3; }},
      {"arguments is empty", [](SandboxRequest& r) { r.arguments.clear(); }},
      {"arguments[0] is \"true\"", [](SandboxRequest& r) { r.arguments = {"true"}; }},
      {"arguments[1] contains a NUL", [](SandboxRequest& r) { r.arguments.push_back(std::string("a\0b", 3)); }},
      {"environment[0] is not of the form", [](SandboxRequest& r) { r.environment = {"NAME"}; }},
      {"environment[0] is not of the form", [](SandboxRequest& r) { r.environment = {"=x"}; }},
      {"environment[0] cannot be given", [](SandboxRequest& r) { r.environment = {"HOME=/"}; }},
      {"environment[1] gives a variable for the second time",
       [](SandboxRequest& r) {
         r.environment = {"A=1", "A=2"};
       }},
      {"executable is 9999", [](SandboxRequest& r) { r.executable = 9999; }},
      {"descriptors[0].host is 9999",
       [](SandboxRequest& r) {
         r.descriptors = {{9999, 4}};
       }},
      {"descriptors[0].guest is 1",
       [](SandboxRequest& r) {
         r.descriptors = {{0, 1}};
       }},
      {"descriptors[0].guest is 128",
       [](SandboxRequest& r) {
         r.descriptors = {{0, 128}};
       }},
      {"descriptors[1].guest is 5",
       [](SandboxRequest& r) {
         r.descriptors = {{0, 5}, {0, 5}};
       }},
      {"descriptors[0].guest is 3",
       [](SandboxRequest& r) {
         r.result_bytes = 1;
         r.descriptors = {{0, 3}};
       }},
      {"result_bytes is -1", [](SandboxRequest& r) { r.result_bytes = -1; }},
      {"result_descriptor is 2",
       [](SandboxRequest& r) {
         r.result_bytes = 1;
         r.result_descriptor = 2;
       }},
      {"artifacts is -1", [](SandboxRequest& r) { r.artifacts = -1; }},
      {"arguments, environment and readable have", [](SandboxRequest& r) { r.arguments.emplace_back(2 << 20, 'x'); }},
      {"arguments has 5001 entries", [](SandboxRequest& r) { r.arguments.resize(5001, "x"); }},
  };
  for (const BadRequest& bad : cases) {
    SandboxRequest request = GoodRequest();
    bad.spoil(request);
    const absl::Status status = CheckRequest(request);
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << bad.message << ": " << status;
    EXPECT_NE(std::string(status.message()).find(bad.message), std::string::npos) << status;
  }
}

TEST(PolicyTest, DefaultsAreGood) { EXPECT_TRUE(CheckRequest(GoodRequest()).ok()); }

TEST(PolicyTest, LentFilesRaiseTheLimitsOfMappingsButNotOfMemory) {
  const std::string wire =
      EncodePolicy(GoodRequest(), {.folder = "/tmp/x", .targets = {0, 1, 2}, .mapped_bytes = 1000, .now = absl::UnixEpoch()});
  conclave_policy policy;
  ASSERT_GT(wire.size(), sizeof policy);
  std::memcpy(&policy, wire.data(), sizeof policy);
  EXPECT_EQ(policy.memory_bytes, 512LL << 20);
  EXPECT_EQ(policy.data_bytes, (512LL << 20) + 1000);
  EXPECT_EQ(policy.address_bytes, (2048LL << 20) + 1000);
  EXPECT_EQ(policy.deadline_ns, 0);
  EXPECT_EQ(wire.size(), sizeof policy + 3 * sizeof(int32_t) + policy.text_bytes);
  EXPECT_EQ(wire.substr(wire.size() - policy.text_bytes), std::string("/tmp/x\0/bin/true\0HOME=/tmp/x\0TMPDIR=/tmp/x\0", 43));
}

TEST(PolicyTest, DeadlineTravelsOnTheClockThatNobodySets) {
  SandboxRequest request = GoodRequest();
  request.deadline = absl::UnixEpoch() + absl::Seconds(5);
  const std::string wire =
      EncodePolicy(request, {.folder = "/tmp/x", .now = absl::UnixEpoch() + absl::Seconds(2), .monotonic_ns = 7});
  conclave_policy policy;
  std::memcpy(&policy, wire.data(), sizeof policy);
  EXPECT_EQ(policy.deadline_ns, 3'000'000'007);
}

}  // namespace
}  // namespace conclave
