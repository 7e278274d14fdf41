// Why a layer cannot be had, from what /proc and /sys of machines that people really have would say.
#include "lib/sandbox/isolation_facts.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <string>

#include "lib/sandbox/layers.h"
#include "tests/support/temporary_folder.h"

namespace conclave {
namespace {

IsolationFacts Modern() {
  IsolationFacts facts;
  facts.kernel = "6.8.0-31-generic";
  facts.seccomp_mode = 0;
  for (const char* kind : {"user", "pid", "ipc", "mnt", "net"}) facts.most_namespaces[kind] = 15'000;
  return facts;
}

// Both the cause and the fix have to be there.
void ExpectSays(const std::string& text, const std::string& cause, const std::string& fix) {
  const size_t border = text.find("; ");
  ASSERT_NE(border, std::string::npos) << text;
  EXPECT_NE(text.substr(0, border).find(cause), std::string::npos) << text;
  EXPECT_NE(text.substr(border).find(fix), std::string::npos) << text;
  EXPECT_NE(text.back(), '.') << text;
}

TEST(CauseAndFixTest, AppArmorKeepsUserNamespacesFromPrograms) {
  IsolationFacts facts = Modern();
  facts.apparmor_restricts_userns = 1;
  for (const char* layer : {"user_namespace", "mount_namespace", "network_namespace"}) {
    for (const int error : {EPERM, EACCES, 0}) {
      ExpectSays(CauseAndFix(layer, error, facts), "kernel.apparmor_restrict_unprivileged_userns is 1",
                 "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0");
    }
  }
  facts.apparmor_restricts_userns = 0;
  EXPECT_EQ(CauseAndFix("user_namespace", EPERM, facts).find("apparmor_restrict"), std::string::npos);
}

TEST(CauseAndFixTest, NamespacesAreSwitchedOff) {
  IsolationFacts facts = Modern();
  facts.most_namespaces["user"] = 0;
  ExpectSays(CauseAndFix("user_namespace", ENOSPC, facts), "user.max_user_namespaces is 0",
             "sysctl -w user.max_user_namespaces=16384");
  ExpectSays(CauseAndFix("process_namespace", EPERM, facts), "user.max_user_namespaces is 0", "user.max_user_namespaces=");
  facts = Modern();
  facts.most_namespaces["net"] = 0;
  ExpectSays(CauseAndFix("network_namespace", ENOSPC, facts), "user.max_net_namespaces is 0", "user.max_net_namespaces=");
  EXPECT_EQ(CauseAndFix("user_namespace", EPERM, facts).find("max_net"), std::string::npos);
  facts = Modern();
  facts.userns_clone = 0;
  ExpectSays(CauseAndFix("user_namespace", EPERM, facts), "kernel.unprivileged_userns_clone is 0",
             "sysctl -w kernel.unprivileged_userns_clone=1");
}

TEST(CauseAndFixTest, NamespacesRanOut) {
  ExpectSays(CauseAndFix("user_namespace", ENOSPC, Modern()), "as many user namespaces as user.max_user_namespaces allows",
             "run fewer at a time");
}

TEST(CauseAndFixTest, AKernelWithoutTheParts) {
  IsolationFacts facts = Modern();
  ExpectSays(CauseAndFix("user_namespace", EINVAL, facts), "built without user namespaces", "CONFIG_USER_NS=y");
  ExpectSays(CauseAndFix("path_filter", ENOSYS, facts), "built without Landlock", "CONFIG_SECURITY_LANDLOCK=y");
  facts.seccomp_mode.reset();
  ExpectSays(CauseAndFix("syscall_filter", EINVAL, facts), "built without filters of system calls", "CONFIG_SECCOMP_FILTER=y");
  facts.kernel = "5.10.0-28-amd64";
  ExpectSays(CauseAndFix("path_filter", ENOSYS, facts), "Linux 5.10.0-28-amd64 has no Landlock", "newer kernel");
  facts.kernel = "6.1.0-18-amd64";
  ExpectSays(CauseAndFix("signal_scope", EINVAL, facts), "which came with 6.12", "newer kernel");
}

TEST(CauseAndFixTest, LandlockIsNotAmongTheSecurityModules) {
  IsolationFacts facts = Modern();
  facts.lsms = {"lockdown", "capability", "yama", "apparmor"};
  for (const int error : {EOPNOTSUPP, 0}) {
    ExpectSays(CauseAndFix("path_filter", error, facts), "(lockdown,capability,yama,apparmor)",
               "add lsm=landlock,lockdown,capability,yama,apparmor to the kernel's command line");
  }
  facts.lsms.reset();
  ExpectSays(CauseAndFix("path_filter", EOPNOTSUPP, facts), "not among the security modules", "lsm=landlock");
}

TEST(CauseAndFixTest, AContainerFiltersSystemCalls) {
  IsolationFacts facts = Modern();
  facts.container = true;
  facts.seccomp_mode = 2;
  ExpectSays(CauseAndFix("user_namespace", EPERM, facts), "the seccomp filter of the container", "--security-opt seccomp=");
  ExpectSays(CauseAndFix("path_filter", ENOSYS, facts), "the seccomp filter of the container refuses the calls of Landlock",
             "seccomp");
  facts.container = false;
  ExpectSays(CauseAndFix("user_namespace", EPERM, facts), "this process was started under", "systemd");
}

TEST(CauseAndFixTest, AContainerMasksProc) {
  IsolationFacts facts = Modern();
  facts.container = true;
  facts.seccomp_mode = 0;
  facts.masked = {"/proc/kcore", "/proc/keys"};
  ExpectSays(CauseAndFix("mount_namespace", EPERM, facts), "/proc/kcore and others", "systempaths=unconfined");
  EXPECT_EQ(CauseAndFix("user_namespace", EPERM, facts).find("systempaths"), std::string::npos);
}

TEST(CauseAndFixTest, EveryLayerHasAnAnswerForAnyError) {
  for (int level = 0; level <= kStrongestLevel; ++level) {
    for (const Layer& layer : LayersOfLevel(level)) {
      for (const int error : {0, EPERM, EACCES, ENOSYS, EINVAL, ENOSPC, ENOMEM, EUSERS, EOPNOTSUPP, E2BIG, 9999}) {
        ExpectSays(CauseAndFix(layer.name, error, IsolationFacts()), "", "");
        ExpectSays(CauseAndFix(layer.name, error, Modern()), "", "");
      }
    }
  }
}

TEST(WeaknessesTest, OnlyTheNativePageIsOne) {
  IsolationFacts facts = Modern();
  facts.vsyscall = "emulate";
  EXPECT_TRUE(Weaknesses(facts).empty());
  facts.vsyscall = "native";
  ASSERT_EQ(Weaknesses(facts).size(), 1u);
  EXPECT_NE(Weaknesses(facts)[0].find("vsyscall=none"), std::string::npos);
}

class FactsFolder {
 public:
  void Set(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(folder_ / path).parent_path());
    folder_.Write(path, text);
  }
  IsolationFacts Read() const { return ReadIsolationFacts(folder_.path()); }

 private:
  TemporaryFolder folder_;
};

TEST(ReadIsolationFactsTest, WhatIsNotThereIsAbsent) {
  const IsolationFacts facts = FactsFolder().Read();
  EXPECT_EQ(facts.kernel, "");
  EXPECT_FALSE(facts.lsms.has_value());
  EXPECT_FALSE(facts.apparmor_restricts_userns.has_value());
  EXPECT_FALSE(facts.userns_clone.has_value());
  EXPECT_FALSE(facts.seccomp_mode.has_value());
  EXPECT_TRUE(facts.most_namespaces.empty());
  EXPECT_TRUE(facts.masked.empty());
  EXPECT_FALSE(facts.container);
  EXPECT_EQ(facts.vsyscall, "none");
}

TEST(ReadIsolationFactsTest, AContainerOnUbuntu) {
  FactsFolder folder;
  folder.Set(".dockerenv", "");
  folder.Set("proc/sys/kernel/osrelease", "6.8.0-31-generic\n");
  folder.Set("proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1\n");
  folder.Set("proc/sys/kernel/unprivileged_userns_clone", "1\n");
  folder.Set("proc/sys/user/max_user_namespaces", "62815\n");
  folder.Set("proc/sys/user/max_net_namespaces", "0\n");
  folder.Set("sys/kernel/security/lsm", "lockdown,capability,landlock,yama,apparmor\n");
  folder.Set("proc/self/status", "Name:\tcat\nNoNewPrivs:\t0\nSeccomp:\t2\nSeccomp_filters:\t1\n");
  folder.Set("proc/self/mountinfo",
             "1 2 0:3 / /proc rw - proc proc rw\n3 1 0:4 / /proc/kcore rw - tmpfs tmpfs rw\n"
             "4 1 0:5 / /proc/sys/fs/binfmt_misc rw - autofs systemd-1 rw\n5 1 0:6 / /process rw - tmpfs tmpfs rw\nbroken\n");
  folder.Set("proc/cmdline", "root=/dev/sda1 quiet\n");
  folder.Set("proc/self/maps", "7f00-7f01 r-xp 00000000 00:00 0 [vdso]\nffff-fff1 --xp 00000000 00:00 0 [vsyscall]\n");
  const IsolationFacts facts = folder.Read();
  EXPECT_EQ(facts.kernel, "6.8.0-31-generic");
  EXPECT_EQ(facts.apparmor_restricts_userns, 1);
  EXPECT_EQ(facts.userns_clone, 1);
  EXPECT_EQ(facts.most_namespaces.at("user"), 62'815);
  EXPECT_EQ(facts.most_namespaces.at("net"), 0);
  EXPECT_EQ(facts.lsms->size(), 5u);
  EXPECT_EQ(facts.seccomp_mode, 2);
  EXPECT_TRUE(facts.container);
  EXPECT_EQ(facts.masked, std::vector<std::string>{"/proc/kcore"});
  EXPECT_EQ(facts.vsyscall, "xonly");
}

TEST(ReadIsolationFactsTest, RubbishIsAbsent) {
  FactsFolder folder;
  folder.Set("proc/sys/kernel/unprivileged_userns_clone", "yes\n");
  folder.Set("proc/sys/user/max_user_namespaces", "99999999999999999999\n");
  folder.Set("proc/self/status", "Seccomp:\tx\n");
  folder.Set("proc/cmdline", "vsyscall=native quiet");
  const IsolationFacts facts = folder.Read();
  EXPECT_FALSE(facts.userns_clone.has_value());
  EXPECT_TRUE(facts.most_namespaces.empty());
  EXPECT_FALSE(facts.seccomp_mode.has_value());
  EXPECT_EQ(facts.vsyscall, "native");
}

TEST(ReadIsolationFactsTest, ThisMachineHasAKernel) { EXPECT_NE(ReadIsolationFacts().kernel, ""); }

}  // namespace
}  // namespace conclave
