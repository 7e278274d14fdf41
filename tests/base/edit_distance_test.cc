#include "lib/base/edit_distance.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"

namespace conclave {
namespace {

size_t Edits(std::string_view a, std::string_view b) { return EditDistance(a, b); }
size_t Slips(std::string_view a, std::string_view b) { return EditDistance(a, b, NeighbourSwap::kOneEdit); }

TEST(EditDistanceTest, CountsInsertionsRemovalsAndReplacements) {
  EXPECT_EQ(Edits("", ""), 0u);
  EXPECT_EQ(Edits("", "abc"), 3u);
  EXPECT_EQ(Edits("abc", ""), 3u);
  EXPECT_EQ(Edits("sale.csv", "sales.csv"), 1u);
  EXPECT_EQ(Edits("kitten", "sitting"), 3u);
  EXPECT_EQ(Edits("sitting", "kitten"), 3u);
}

TEST(EditDistanceTest, SwapOfNeighboursIsOneSlipOrTwoEdits) {
  EXPECT_EQ(Edits("porfile", "profile"), 2u);
  EXPECT_EQ(Slips("porfile", "profile"), 1u);
  EXPECT_EQ(Slips("ba", "ab"), 1u);
  EXPECT_EQ(Slips("ca", "abc"), 3u);  // swapped letters are not edited further
  EXPECT_EQ(Slips("kitten", "sitting"), 3u);
}

TEST(EditDistanceTest, CodePointsCountAsOneLetterEach) {
  EXPECT_EQ(Edits("z\xC3\xBCrich", "zurich"), 2u);
  const std::vector<uint32_t> umlaut = {'z', 0xFC, 'r', 'i', 'c', 'h'};
  const std::vector<uint32_t> plain = {'z', 'u', 'r', 'i', 'c', 'h'};
  EXPECT_EQ(EditDistance(umlaut, plain), 1u);
}

}  // namespace
}  // namespace conclave
