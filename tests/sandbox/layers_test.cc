#include "lib/sandbox/layers.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace conclave {
namespace {

std::string Fault(const absl::StatusOr<Isolation>& isolation) { return std::string(isolation.status().message()); }

TEST(LayersTest, EachLayerIsOfOneLevelAndSaysWhatItDenies) {
  std::set<std::string_view> names;
  for (int level = 0; level <= kStrongestLevel; ++level) {
    EXPECT_FALSE(LayersOfLevel(level).empty()) << level;
    EXPECT_FALSE(DeniedByLevel(level).empty()) << level;
    for (const Layer& layer : LayersOfLevel(level)) {
      EXPECT_TRUE(names.insert(layer.name).second) << layer.name;
      EXPECT_EQ(LevelOfLayer(layer.name), level) << layer.name;
      EXPECT_EQ(FindLayer(layer.name)->name, layer.name);
      EXPECT_FALSE(layer.denies.empty()) << layer.name;
      EXPECT_NE(layer.denies.back(), '.') << layer.name;
    }
  }
  EXPECT_EQ(names.size(), 15u);
}

TEST(LayersTest, WhatIsNoLayerOrNoLevel) {
  EXPECT_EQ(LevelOfLayer("invented"), -1);
  EXPECT_EQ(LevelOfLayer(""), -1);
  EXPECT_EQ(FindLayer("rlimit"), nullptr);
  for (const int level : {-1, kStrongestLevel + 1}) {
    EXPECT_TRUE(LayersOfLevel(level).empty());
    EXPECT_TRUE(DeniedByLevel(level).empty());
  }
}

TEST(LayersTest, LevelsAreAsTheKernelsOffer) {
  EXPECT_EQ(LevelOfLayer("rlimits"), 0);
  EXPECT_EQ(LevelOfLayer("path_filter"), 1);
  EXPECT_EQ(LevelOfLayer("process_namespace"), 2);
  EXPECT_EQ(LevelOfLayer("network_namespace"), 3);
  EXPECT_FALSE(FindLayer("signal_scope")->required) << "kernels before 6.12 have level 1 too";
  EXPECT_FALSE(FindLayer("process_limit")->required);
  EXPECT_TRUE(FindLayer("mount_namespace")->required);
}

TEST(IsolationTest, NamesTheField) {
  EXPECT_TRUE(CheckIsolation(Isolation()).ok());
  EXPECT_TRUE(CheckIsolation({0, 0}).ok());
  EXPECT_TRUE(CheckIsolation({3, 3}).ok());
  EXPECT_EQ(CheckIsolation({4, 4}).message(), "isolation.required: 4 is no level of isolation: give one from 0 to 3");
  EXPECT_EQ(CheckIsolation({-1, 2}).message(), "isolation.required: -1 is no level of isolation: give one from 0 to 3");
  EXPECT_EQ(CheckIsolation({1, 4}).message(), "isolation.preferred: 4 is no level of isolation: give one from 0 to 3");
  EXPECT_EQ(CheckIsolation({2, 1}).message(),
            "isolation.preferred: 1 is below the 2 of isolation.required: give at least that");
  EXPECT_EQ(CheckIsolation({2, 1}).code(), absl::StatusCode::kInvalidArgument);
}

TEST(IsolationTest, WhatIsLeftOutFollowsWhatIsGiven) {
  const auto levels = [](std::optional<int> required, std::optional<int> preferred) {
    const Isolation isolation = IsolationOf(required, preferred).value();
    return std::pair(isolation.required, isolation.preferred);
  };
  EXPECT_EQ(levels({}, {}), std::pair(1, 2));
  EXPECT_EQ(levels(0, {}), std::pair(0, 2));
  EXPECT_EQ(levels(3, {}), std::pair(3, 3));
  EXPECT_EQ(levels({}, 0), std::pair(0, 0));
  EXPECT_EQ(levels({}, 3), std::pair(1, 3));
  EXPECT_EQ(levels(2, 3), std::pair(2, 3));
  EXPECT_EQ(Fault(IsolationOf(9, {})), "isolation.required: 9 is no level of isolation: give one from 0 to 3");
  EXPECT_EQ(Fault(IsolationOf({}, -1)), "isolation.preferred: -1 is no level of isolation: give one from 0 to 3");
  EXPECT_EQ(Fault(IsolationOf(2, 0)), "isolation.preferred: 0 is below the 2 of isolation.required: give at least that");
}

}  // namespace
}  // namespace conclave
