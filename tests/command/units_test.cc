#include "tools/conclave/units.h"

#include <gtest/gtest.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "tools/conclave/near_word.h"

namespace conclave::cli {
namespace {

TEST(ParseMillisecondsTest, RefusesNonsenseNamingOptionAndForm) {
  for (const char* text : {"",
                           "0",
                           "0s",
                           "0.0ms",
                           "30",
                           "s",
                           "-1s",
                           "+1s",
                           "1e3s",
                           "nan",
                           "inf",
                           "infs",
                           "1..5s",
                           "1.2.3s",
                           ".s",
                           "30 s",
                           "30x",
                           "0x10s",
                           "31000000000000000000s",
                           "31d",
                           "169h",
                           "0.4ms",
                           "1s "}) {
    const absl::StatusOr<int64_t> parsed = ParseMilliseconds("--wall", text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_EQ(parsed.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_TRUE(std::string(parsed.status().message()).starts_with("--wall: ")) << parsed.status();
  }
  EXPECT_NE(ParseMilliseconds("--wall", "soon").status().message().find("30s"), std::string::npos);
}

TEST(ParseMillisecondsTest, ReadsEveryUnit) {
  EXPECT_EQ(ParseMilliseconds("--wall", "500ms").value(), 500);
  EXPECT_EQ(ParseMilliseconds("--wall", "30s").value(), 30'000);
  EXPECT_EQ(ParseMilliseconds("--wall", "1.5s").value(), 1'500);
  EXPECT_EQ(ParseMilliseconds("--wall", "2M").value(), 120'000);
  EXPECT_EQ(ParseMilliseconds("--wall", "168h").value(), 7LL * 24 * 3600 * 1000);
}

TEST(ParseMemoryTest, RefusesNonsenseNamingOptionAndForm) {
  for (const char* text : {"", "0", "512", "MB", "-1MB", "1e9B", "512 MB", "512TBB", "nanMB"}) {
    const absl::StatusOr<int64_t> parsed = ParseMemory("--memory", text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_TRUE(std::string(parsed.status().message()).starts_with("--memory: ")) << parsed.status();
    EXPECT_NE(parsed.status().message().find("512MB"), std::string::npos);
  }
}

TEST(ParseMemoryTest, RefusesWhatNoRunCanHaveNamingTheBound) {
  for (const char* text : {"0MB", "0.5B", "1kB", "1MB", "15MB"}) {
    EXPECT_NE(ParseMemory("--memory", text).status().message().find("at least 16MB"), std::string::npos) << text;
  }
  for (const char* text : {"4097MB", "5GB", "9999999999GB"}) {
    EXPECT_NE(ParseMemory("--memory", text).status().message().find("at most 4 GB"), std::string::npos) << text;
  }
}

TEST(ParseMemoryTest, ReadsEveryUnitAsPowersOf1024) {
  EXPECT_EQ(ParseMemory("--memory", "16777216B").value(), 16 << 20);
  EXPECT_EQ(ParseMemory("--memory", "65536kB").value(), 64 << 20);
  EXPECT_EQ(ParseMemory("--memory", "512MB").value(), 512 << 20);
  EXPECT_EQ(ParseMemory("--memory", "512MiB").value(), 512 << 20);
  EXPECT_EQ(ParseMemory("--memory", "1.5g").value(), 3LL << 29);
  EXPECT_EQ(ParseMemory("--memory", "4GB").value(), 4LL << 30);
}

TEST(ShowTest, LimitsAreShownAsTheyWereGiven) {
  EXPECT_EQ(ShowTimeLimit(5), "5 ms");
  EXPECT_EQ(ShowTimeLimit(1'234), "1.234 s");
  EXPECT_EQ(ShowTimeLimit(12'500), "12.5 s");
  EXPECT_EQ(ShowTimeLimit(60'000), "60 s");
  EXPECT_EQ(ShowTimeLimit(125'000), "2 min 5 s");
}

TEST(ShowTest, FiguresReadWell) {
  EXPECT_EQ(ShowMicroseconds(0), "0 ms");
  EXPECT_EQ(ShowMicroseconds(85'400), "85 ms");
  EXPECT_EQ(ShowMicroseconds(1'230'000), "1.23 s");
  EXPECT_EQ(ShowMicroseconds(60'000'000), "60 s");
  EXPECT_EQ(ShowMicroseconds(125'000'000), "2 min 5 s");
  EXPECT_EQ(ShowMicroseconds(300'000'000), "5 min");
  EXPECT_EQ(ShowBytes(0), "0 B");
  EXPECT_EQ(ShowBytes(512LL << 20), "512 MB");
  EXPECT_EQ(ShowBytes(64'172'851), "61.2 MB");
  EXPECT_EQ(ShowBytes((1LL << 30) - 1), "1 GB");
  EXPECT_EQ(ShowCount(0), "0");
  EXPECT_EQ(ShowCount(999), "999");
  EXPECT_EQ(ShowCount(1'234'567), "1,234,567");
  EXPECT_EQ(ShowCount(-123'456), "-123,456");
  EXPECT_EQ(Counted(1, "row", "rows"), "1 row");
  EXPECT_EQ(Counted(2'000, "row", "rows"), "2,000 rows");
}

TEST(NearWordTest, FindsSlipsOfTheFingersOnly) {
  const std::vector<std::string> commands = {"ask", "profile", "run", "show", "doctor"};
  EXPECT_EQ(NearWord("profiel", commands), "profile");
  EXPECT_EQ(NearWord("aks", commands), "ask");
  EXPECT_EQ(NearWord("docter", commands), "doctor");
  EXPECT_EQ(NearWord("titanic.csv", commands), std::nullopt);
  EXPECT_EQ(NearWord("", commands), std::nullopt);
  EXPECT_EQ(NearWord(std::string(1 << 20, 'a'), commands), std::nullopt);
}

TEST(ParseIsolationTest, ALevelOrARange) {
  const auto levels = [](std::string_view text) {
    const Isolation isolation = ParseIsolation("--isolation", text).value();
    return std::pair(isolation.required, isolation.preferred);
  };
  EXPECT_EQ(levels("0"), std::pair(0, 0));
  EXPECT_EQ(levels("2"), std::pair(2, 2));
  EXPECT_EQ(levels("1-3"), std::pair(1, 3));
  EXPECT_EQ(levels("3-3"), std::pair(3, 3));
}

TEST(ParseIsolationTest, WhatIsNoLevelIsRefusedWithTheForm) {
  for (const char* text : {"", "4", "-1", "1-4", "1-", "-", "1-2-3", "L2", "two", "02", "1.5", " 2", "1..2"}) {
    const absl::Status status = ParseIsolation("--isolation", text).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_EQ(status.message(), absl::StrCat("--isolation: \"", text,
                                             "\" is no level of isolation: give one from 0 to 3, or the lowest and the highest "
                                             "that will do, such as 1-3"));
  }
  EXPECT_NE(ParseIsolation("--isolation", "3-1").status().message().find("\"3-1\" has the lower level last"),
            std::string::npos);
}

}  // namespace
}  // namespace conclave::cli
