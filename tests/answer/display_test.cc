#include "lib/answer/display.h"

#include <algorithm>
#include <string>

#include "gtest/gtest.h"
#include "lib/answer/wire.h"

namespace conclave {
namespace {

std::string Display(const std::string& json) {
  absl::StatusOr<Json> parsed = ParseJson(json);
  if (!parsed.ok()) return parsed.status().ToString();
  absl::StatusOr<v1::Answer> answer = DecodeAnswer(*parsed);
  return answer.ok() ? DisplayAnswer(*answer) : answer.status().ToString();
}

TEST(Display, NoControlCharacterReachesATerminal) {
  const std::string shown = Display(
      R"({"kind": "table", "value": {"$table": {"columns": ["a\u001b[31m"], "rows": [["x\u001b]0;t\u0007\n\u202ey"], ["\u009b2J"]]}}})");
  for (char c : shown) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20) << shown;
  EXPECT_EQ(std::count(shown.begin(), shown.end(), '\n'), 2) << shown;
  EXPECT_EQ(shown.find("\xc2\x9b"), std::string::npos);
  EXPECT_EQ(shown.find("\xe2\x80\xae"), std::string::npos);
  EXPECT_EQ(Display(R"({"kind": "declined", "reason": "\u001b[1m"})"), "declined: \\u001b[1m");
}

TEST(Display, Numbers) {
  EXPECT_EQ(DisplayNumber("29.69911764705882"), "29.6991");
  EXPECT_EQ(DisplayNumber("34.650", 2), "34.65");
  EXPECT_EQ(DisplayNumber("34.6", 2), "34.60");
  EXPECT_EQ(DisplayNumber("2.675", 2), "2.68");
  EXPECT_EQ(DisplayNumber("-0.004", 2), "0.00");
  EXPECT_EQ(DisplayNumber("-2.675", 2), "-2.68");
  EXPECT_EQ(DisplayNumber("0.30000000000000004"), "0.3");
  EXPECT_EQ(DisplayNumber("1234567.891"), "1234567.891");
  EXPECT_EQ(DisplayNumber("63397.73"), "63397.73");
  EXPECT_EQ(DisplayNumber("63397.729999999996"), "63397.73");
  EXPECT_EQ(DisplayNumber("5593.995"), "5593.995");
  EXPECT_EQ(DisplayNumber("-63397.123456"), "-63397.123456");
  EXPECT_EQ(DisplayNumber("-63397.12345612345678"), "-63397.1235");
  EXPECT_EQ(DisplayNumber("71.2854475"), "71.2854475");
  EXPECT_EQ(DisplayNumber("0.123456789012345"), "0.123456789012345");
  EXPECT_EQ(DisplayNumber("0.12345678901234567"), "0.123457");
  EXPECT_EQ(DisplayNumber("9007199254740992"), "9007199254740992");
  EXPECT_EQ(DisplayNumber("9007199254740994.0"),
            "\xE2\x89\x88"
            "9007199254740994");
  EXPECT_EQ(DisplayNumber("-2251799813685249.75"),
            "\xE2\x89\x88"
            "-2251799813685250");
  EXPECT_EQ(DisplayNumber("1999.99999999999977"), "2000");
  EXPECT_EQ(DisplayNumber("1000000000000000.5"),
            "\xE2\x89\x88"
            "1000000000000000");
  EXPECT_EQ(DisplayNumber("1000000000000000.5", 1), "1000000000000000.5");
  EXPECT_EQ(DisplayNumber("12345678.0"), "12345678");
  EXPECT_EQ(DisplayNumber("5.0"), "5");
  EXPECT_EQ(DisplayNumber("0.000012345678"), "0.000012345678");
  EXPECT_EQ(DisplayNumber("1e-12"), "1e-12");
  EXPECT_EQ(DisplayNumber("1.23456789e300"), "1.23456789e300");
  EXPECT_EQ(DisplayNumber("1.2345678901234567e300"), "1.23457e300");
  EXPECT_EQ(DisplayNumber("1e999999999999999999999"), "1e1000000000000000");
  EXPECT_EQ(DisplayNumber("-inf"), "-inf");
  EXPECT_EQ(DisplayNumber("0", 3), "0.000");
}

TEST(Display, CellsAreShownInFull) {
  EXPECT_EQ(DisplayNumber("0.12345678901234567", -1, true), "0.12345678901234567");
  // The file may say ...807, of which no double can hold the last digit.
  EXPECT_EQ(DisplayNumber("9223372036854775808.0", -1, true),
            "\xE2\x89\x88"
            "9223372036854775808");
  EXPECT_EQ(DisplayNumber("9007199254740991.0", -1, true), "9007199254740991");
  EXPECT_EQ(DisplayNumber("1.2345678901234567e300", -1, true), "1.2345678901234567e300");
  EXPECT_EQ(DisplayNumber("0.12345678901234567", 2, true), "0.12");
  EXPECT_EQ(Display(R"({"kind": "number", "value": 0.12345678901234567, "notes": {"values": "cells"}})"),
            "0.12345678901234567");
}

TEST(Display, Scalars) {
  EXPECT_EQ(Display(R"({"kind": "number", "value": 38.38383, "unit": "percent", "decimals": 1})"), "38.4 %");
  EXPECT_EQ(Display(R"({"kind": "integer", "value": 123456789012345678901234567890})"), "123456789012345678901234567890");
  EXPECT_EQ(Display(R"({"kind": "boolean", "value": true})"), "true");
  EXPECT_EQ(Display(R"({"kind": "text", "value": "caf\u00e9"})"), "caf\xc3\xa9");
  EXPECT_EQ(Display(R"({"kind": "empty"})"), "(no rows)");
  EXPECT_EQ(Display(R"({"kind": "undefined"})"), "undefined");
  EXPECT_EQ(Display(R"({"kind": "error", "error": {"type": "KeyError", "message": "fare"}})"), "error: KeyError: fare");
}

TEST(Display, AlignsByWhatIsSeen) {
  EXPECT_EQ(Display(R"({"kind": "table", "value": {"$table": {"columns": ["city", "n"],
                        "rows": [["\u6771\u4eac", 5], ["Z\u00fcrich", 1234], [null, null]]}}})"),
            "city               n\n"
            "\xe6\x9d\xb1\xe4\xba\xac               5\n"
            "Z\xc3\xbcrich          1234\n"
            "(missing)  (missing)");
  EXPECT_EQ(Display(R"({"kind": "map", "value": {"male": 577, "female": 314}})"), "male    577\nfemale  314");
  EXPECT_EQ(Display(R"({"kind": "list", "value": ["a", "b"]})"), "a\nb");
  EXPECT_EQ(Display(R"({"kind": "list", "value": ["Open", "Open ", " Open", "a b"]})"), "Open\n\"Open \"\n\" Open\"\na b");
  EXPECT_EQ(Display(R"({"kind": "text", "value": "Open "})"), "\"Open \"");
}

TEST(Display, CutsLongTablesAndSaysHowMuch) {
  std::string items = "0";
  for (int i = 1; i < 60; ++i) items += "," + std::to_string(i);
  const std::string shown = Display("{\"kind\": \"list\", \"value\": [" + items + "]}");
  EXPECT_EQ(std::count(shown.begin(), shown.end(), '\n'), 50);
  EXPECT_TRUE(shown.ends_with("\n... 10 more rows")) << shown;
}

}  // namespace
}  // namespace conclave
