#include "lib/engine/guest_folder.h"

#include <gtest/gtest.h>

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

TEST(GuestFolderTest, TheFolderBesideTheProgramIsFound) { EXPECT_EQ(FindGuestFolder("").value(), CONCLAVE_LIBEXEC_DIR); }

}  // namespace
}  // namespace conclave
