#include "lib/base/json.h"

#include <gtest/gtest.h>

namespace conclave {
namespace {

TEST(JsonTest, RefusesWhatIsNotJson) {
  for (const char* text : {"", "{", "[1,]", "nul", "{\"a\":1}x", "\"\xff\"", "[1e999]", "{'a':1}", "01"}) {
    EXPECT_FALSE(ParseJson(text).ok()) << text;
  }
}

TEST(JsonTest, RefusesDuplicateMembers) {
  absl::StatusOr<Json> json = ParseJson(R"({"limit":1,"limit":2})");
  ASSERT_FALSE(json.ok());
  EXPECT_EQ(std::string(json.status().message()), "duplicate member \"limit\"");
}

TEST(JsonTest, RefusesBeyondBounds) {
  EXPECT_FALSE(ParseJson(std::string(100'000, '['), JsonBounds()).ok());
  EXPECT_FALSE(ParseJson("[1,2,3]", JsonBounds{.values = 2}).ok());
  EXPECT_FALSE(ParseJson("[1,2,3]", JsonBounds{.bytes = 4}).ok());
}

TEST(JsonTest, KeepsNumberLexemes) {
  absl::StatusOr<Json> json = ParseJson(R"([1.50, 18446744073709551616, -7, 9007199254740993])");
  ASSERT_TRUE(json.ok());
  EXPECT_EQ(json->items()[0].lexeme(), "1.50");
  EXPECT_EQ(json->items()[1].lexeme(), "18446744073709551616");
  EXPECT_EQ(json->items()[2].lexeme(), "-7");
  EXPECT_EQ(json->items()[3].IntegerOr(0), 9007199254740993);
}

TEST(JsonTest, RoundTrips) {
  const std::string text = R"({"a":[1,2.50,null,true],"b":"line\nbreak \"q\" é","c":{}})";
  absl::StatusOr<Json> json = ParseJson(text);
  ASSERT_TRUE(json.ok());
  EXPECT_EQ(json->Text(), text);
}

}  // namespace
}  // namespace conclave
