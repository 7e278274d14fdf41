// What guests find out about their isolation: here, outside of any sandbox, that there is none.
#include <gtest/gtest.h>
#include <unistd.h>

#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/guest/protocol/guest_protocol.h"
#include "tests/support/temporary_folder.h"

namespace conclave::guest {
namespace {

constexpr int kBeyondAll = 1 << 20;

std::map<std::string, bool> Found(const Json* granted, int first_free = kBeyondAll) {
  std::map<std::string, bool> found;
  for (const Json& canary : TryIsolation(first_free, granted)) {
    EXPECT_EQ(canary.Find("frame")->StringOr(""), "canary");
    EXPECT_NE(canary.Find("detail")->StringOr(""), "");
    found[canary.Find("name")->StringOr("")] = canary.Find("achieved")->BooleanOr(false);
  }
  return found;
}

std::string OwnNamespace(const std::string& kind) {
  char mark[64];
  const ssize_t size = ::readlink(absl::StrCat("/proc/self/ns/", kind).c_str(), mark, sizeof mark);
  return std::string(mark, size < 0 ? 0 : static_cast<size_t>(size));
}

Json Namespaces(bool own) {
  Json namespaces = Json::Object();
  for (const char* kind : {"user", "pid", "ipc", "mnt", "net"}) {
    namespaces.Set(kind, Json::String(own ? OwnNamespace(kind) : "other:[1]"));
  }
  return namespaces;
}

TEST(TryIsolationTest, WithoutARequestOnlyWhatNeedsNone) {
  const std::map<std::string, bool> found = Found(nullptr);
  EXPECT_FALSE(found.at("syscall_filter"));
  EXPECT_TRUE(found.at("descriptors_closed"));
  EXPECT_EQ(found.count("path_filter") + found.count("signal_scope") + found.count("user_namespace"), 0u);
}

TEST(TryIsolationTest, DescriptorsBeyondThoseGiven) {
  const int extra = ::dup(STDERR_FILENO);
  EXPECT_FALSE(Found(nullptr, extra).at("descriptors_closed"));
  ::close(extra);
}

TEST(TryIsolationTest, Folders) {
  const TemporaryFolder folder;
  Json granted = Json::Object({{"refused", Json::Array({Json::String(folder.path())})}});
  EXPECT_FALSE(Found(&granted).at("path_filter"));
  granted = Json::Object({{"refused", Json::Array({Json::String(folder / "missing")})}});
  EXPECT_TRUE(Found(&granted).at("path_filter"));
}

TEST(TryIsolationTest, NamespacesAndTheHostsProcess) {
  Json granted = Json::Object({{"namespaces", Namespaces(/*own=*/true)}, {"process", Json::Integer(::getpid())}});
  std::map<std::string, bool> found = Found(&granted);
  for (const char* layer : {"user_namespace", "process_namespace", "ipc_namespace", "mount_namespace", "network_namespace"}) {
    EXPECT_FALSE(found.at(layer)) << layer;
  }
  EXPECT_FALSE(found.at("signal_scope"));
  granted = Json::Object({{"namespaces", Namespaces(/*own=*/false)}, {"process", Json::Integer(::getpid())}});
  found = Found(&granted);
  EXPECT_TRUE(found.at("process_namespace"));
  EXPECT_TRUE(found.at("network_namespace"));
  EXPECT_EQ(found.count("signal_scope"), 0u) << "the number means another process there";
}

TEST(TryIsolationTest, AnyRequestIsTaken) {
  for (const char* text : {"[]", "7", "{}", R"({"refused":"/"})", R"({"refused":[7]})", R"({"namespaces":[]})",
                           R"({"namespaces":{"pid":7},"process":1})", R"({"process":"x"})"}) {
    const Json granted = ParseJson(text).value();
    EXPECT_EQ(Found(&granted).count("signal_scope"), 0u) << text;
  }
}

}  // namespace
}  // namespace conclave::guest
