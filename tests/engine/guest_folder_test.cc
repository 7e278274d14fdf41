#include "lib/engine/guest_folder.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/support/temporary_folder.h"

namespace conclave {
namespace {

TEST(GuestFolderTest, AFolderWithoutGuestsIsRefusedByName) {
  TemporaryFolder folder;
  const absl::Status status = FindGuestFolder(folder.path()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(status.ToString().find(folder.path()), std::string::npos);
}

TEST(GuestFolderTest, AVariableThatIsSetWronglyIsNotToldToBeSet) {
  ASSERT_EQ(::setenv("CONCLAVE_LIBEXEC", "/nowhere", 1), 0);
  const absl::Status status = FindGuestFolder("").status();
  ASSERT_EQ(::unsetenv("CONCLAVE_LIBEXEC"), 0);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(status.ToString().find("CONCLAVE_LIBEXEC names /nowhere, a folder without guest programs"), std::string::npos)
      << status;
  EXPECT_EQ(status.ToString().find("set CONCLAVE_LIBEXEC"), std::string::npos) << status;
}

TEST(GuestFolderTest, ARelativeFolderIsMadeAbsolute) {
  const std::string relative = std::filesystem::relative(CONCLAVE_LIBEXEC_DIR).string();
  ASSERT_NE(relative.front(), '/');
  const GuestFolder found = FindGuestFolder(relative).value();
  EXPECT_EQ(found.path, CONCLAVE_LIBEXEC_DIR);
  EXPECT_EQ(found.origin, "the option guest_folder");
}

TEST(GuestFolderTest, TheFolderBesideTheProgramIsFound) {
  const GuestFolder found = FindGuestFolder("").value();
  EXPECT_EQ(found.path, CONCLAVE_LIBEXEC_DIR);
  EXPECT_EQ(found.origin, "near the library " + std::filesystem::read_symlink("/proc/self/exe").string());
}

}  // namespace
}  // namespace conclave
