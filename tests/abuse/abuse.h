// What all tests of misbehaving programs share: they run in a folder of their own, and afterwards nothing of the run may be
// left, neither a process nor a file nor a descriptor.
#ifndef CONCLAVE_TESTS_ABUSE_ABUSE_H_
#define CONCLAVE_TESTS_ABUSE_ABUSE_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "conclave/sandbox.h"
#include "gtest/gtest.h"
#include "lib/base/descriptor.h"

namespace conclave {

class AbuseTest : public ::testing::Test {
 protected:
  AbuseTest();
  ~AbuseTest() override;

  void SetUp() override;
  void TearDown() override;

  // From now on runs have just this level of isolation; by default they have the best that this machine has.
  void UseLevel(int level);

  // The best level of this machine, and all up to it.
  static int BestLevel();
  static std::vector<int> Levels();

  // A request for one of the programs in programs/, with small limits: CPU 5 s, 64 MB, 16 MB on disk, 200 inodes. The wall
  // limit of 60 s is reached only by what hangs, however busy the machine is.
  SandboxRequest Program(const std::string& name, const std::vector<std::string>& arguments = {});

  // Runs it; fails the test when no run took place.
  SandboxResult Run(const SandboxRequest& request, const Cancellation& cancellation = Cancellation());

  // Runs `name` where it may have one process, and where it may have four: the filter of system calls differs.
  std::vector<SandboxResult> RunAloneAndInCompany(const std::string& name);

  const Sandbox& sandbox() const { return *sandbox_; }
  const std::string& temporary_folder() const { return temporary_folder_; }
  // Part of the name of every process a request of this test starts.
  const std::string& mark() const { return mark_; }

  static bool IsRoot();
  static std::string PathOf(const std::string& program);
  // Processes whose command line contains `mark`.
  static std::vector<int> ProcessesMarked(const std::string& mark);
  // Waits until `condition` holds, for a minute at most.
  static bool Eventually(const std::function<bool()>& condition);
  static int OpenDescriptors();
  static int Threads();
  std::vector<std::string> FilesLeft() const;

 private:
  void AwaitRemovers() const;

  std::unique_ptr<Sandbox> sandbox_;
  std::string temporary_folder_;
  std::string mark_;
  std::vector<Descriptor> programs_;
};

}  // namespace conclave

#endif  // CONCLAVE_TESTS_ABUSE_ABUSE_H_
