#include "lib/answer/wire.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace conclave {
namespace {

absl::StatusOr<v1::Answer> Decode(const std::string& text) {
  absl::StatusOr<Json> json = ParseJson(text);
  if (!json.ok()) return json.status();
  return DecodeAnswer(*json);
}

struct Refusal {
  const char* text;
  const char* named;  // what the message must name
};

TEST(Wire, RefusesWhatIsNoAnswerAndSaysWhere) {
  const std::vector<Refusal> refusals = {
      {R"([])", "must be an object"},
      {R"({})", "answer.kind"},
      {R"({"kind": 3})", "answer.kind"},
      {R"({"kind": "nmuber", "value": 1})", "nmuber"},
      {R"({"kind": "unspecified"})", "unspecified"},
      {R"({"kind": "number"})", "kind \"number\" with a value of nothing"},
      {R"({"kind": "number", "value": "5"})", "kind \"number\" with a value of text"},
      {R"({"kind": "number", "value": null})", "value of null"},
      {R"({"kind": "integer", "value": 1.0})", "kind \"integer\" with a value of number"},
      {R"({"kind": "boolean", "value": 1})", "value of integer"},
      {R"({"kind": "text", "value": {"$date": "2024"}})", "value of date"},
      {R"({"kind": "list", "value": {}})", "value of map"},
      {R"({"kind": "table", "value": []})", "value of list"},
      {R"({"kind": "empty", "value": [1]})", "kind \"empty\""},
      {R"({"kind": "undefined", "value": 0})", "kind \"undefined\""},
      {R"({"kind": "declined", "value": 1})", "kind \"declined\""},
      {R"({"kind": "error"})", "answer.error"},
      {R"({"kind": "number", "value": 1, "error": {"type": "X"}})", "answer.error"},
      {R"({"kind": "number", "value": 1, "reason": "why"})", "answer.reason"},
      {R"({"kind": "number", "value": 1, "colour": 1})", "colour"},
      {R"({"kind": "number", "value": 1, "unit": 5})", "answer.unit"},
      {R"({"kind": "number", "value": 1, "decimals": -1})", "answer.decimals"},
      {R"({"kind": "number", "value": 1, "decimals": 2.5})", "answer.decimals"},
      {R"({"kind": "number", "value": 1, "decimals": 4294967296})", "answer.decimals"},
      {R"({"kind": "number", "value": 1, "ordered": "yes"})", "answer.ordered"},
      {R"({"kind": "number", "value": 1, "notes": ["x"]})", "answer.notes"},
      {R"({"kind": "number", "value": 1, "notes": {"ddof": 1}})", "notes[\"ddof\"]"},
      {R"({"kind": "number", "value": {"$num": "1,5"}})", "1,5"},
      {R"({"kind": "number", "value": {"$num": "0x10"}})", "0x10"},
      {R"({"kind": "number", "value": {"$num": "Infinity"}})", "Infinity"},
      {R"({"kind": "number", "value": {"$num": ""}})", "$num"},
      {R"({"kind": "number", "value": {"$num": ".5"}})", ".5"},
      {R"({"kind": "number", "value": {"$num": "1e"}})", "1e"},
      {R"({"kind": "number", "value": {"$num": 5}})", "must be a string"},
      {R"({"kind": "integer", "value": {"$int": "007"}})", "007"},
      {R"({"kind": "integer", "value": {"$int": "1.0"}})", "1.0"},
      {R"({"kind": "integer", "value": {"$int": "--1"}})", "--1"},
      {R"({"kind": "date", "value": {"$date": "2023-02-29"}})", "2023-02-29"},
      {R"({"kind": "date", "value": {"$date": "2024-Q5"}})", "2024-Q5"},
      {R"({"kind": "date", "value": {"$date": "2023-W53"}})", "2023-W53"},
      {R"({"kind": "date", "value": {"$date": "2024-03-01T24:00:00"}})", "24:00:00"},
      {R"({"kind": "date", "value": {"$date": "01/03/2024"}})", "01/03/2024"},
      {R"({"kind": "text", "value": {"$file": "/etc/passwd"}})", "$file"},
      {R"({"kind": "map", "value": {"$int": "1", "b": 2}})", "only member"},
      {R"({"kind": "map", "value": {"$map": {"a": 1}}})", "pairs"},
      {R"({"kind": "map", "value": {"$map": [["a", 1], ["b"]]}})", "answer.value[1]"},
      {R"({"kind": "table", "value": {"$table": {"columns": ["a"]}}})", "rows"},
      {R"({"kind": "table", "value": {"$table": {"columns": ["a"], "rows": [], "x": 1}}})", "exactly two"},
      {R"({"kind": "table", "value": {"$table": {"columns": [1], "rows": []}}})", "[columns][0]"},
      {R"({"kind": "table", "value": {"$table": {"columns": ["a"], "rows": [[1], [1, 2]]}}})", "[rows][1]"},
      {R"({"kind": "table", "value": {"$table": {"columns": ["a"], "rows": [[1], 2]}}})", "[rows][1]"},
      {R"({"kind": "table", "value": {"$table": {"columns": ["a"], "rows": [[{"$num": "x"}]]}}})", "[rows][0][0]"},
  };
  for (const Refusal& refusal : refusals) {
    absl::StatusOr<v1::Answer> answer = Decode(refusal.text);
    ASSERT_FALSE(answer.ok()) << refusal.text;
    EXPECT_TRUE(absl::IsInvalidArgument(answer.status())) << refusal.text << answer.status();
    EXPECT_NE(std::string(answer.status().message()).find(refusal.named), std::string::npos)
        << refusal.text << " -> " << answer.status();
  }
}

TEST(Wire, RefusesTextThatIsNotUtf8) {
  const Json json = Json::Object({{"kind", Json::String("text")}, {"value", Json::String("a\xff")}});
  EXPECT_TRUE(absl::IsInvalidArgument(DecodeAnswer(json).status()));
}

Json Answer(const char* kind, Json value) { return Json::Object({{"kind", Json::String(kind)}, {"value", std::move(value)}}); }

std::string ErrorOf(const Json& json) {
  absl::StatusOr<v1::Answer> answer = DecodeAnswer(json);
  if (!answer.ok()) return answer.status().ToString();
  if (answer->kind() != v1::ERROR) return "";
  return answer->error().type() + ": " + answer->error().message();
}

TEST(Wire, AnAnswerBeyondABoundIsAnErrorThatNamesTheBound) {
  Json deep = Json::Integer(1);
  for (int i = 0; i < 15; ++i) deep = Json::Array({deep});
  EXPECT_EQ(ErrorOf(Answer("list", deep)), "");
  deep = Json::Array({deep});
  EXPECT_NE(ErrorOf(Answer("list", deep)).find("AnswerTooLarge: answer.value[0]"), std::string::npos);
  EXPECT_NE(ErrorOf(Answer("list", deep)).find("deeper than 16 levels"), std::string::npos);

  Json rows = Json::Array(std::vector<Json>(100'000, Json::Array()));
  auto table = [](Json columns, Json rows_of) {
    return Json::Object({{"$table", Json::Object({{"columns", std::move(columns)}, {"rows", std::move(rows_of)}})}});
  };
  EXPECT_EQ(ErrorOf(Answer("table", table(Json::Array(), rows))), "");
  rows.Append(Json::Array());
  EXPECT_NE(ErrorOf(Answer("table", table(Json::Array(), rows))).find("100000 rows"), std::string::npos);

  const Json columns = Json::Array(std::vector<Json>(2'001, Json::String("c")));
  EXPECT_NE(ErrorOf(Answer("table", table(columns, Json::Array()))).find("2000 columns"), std::string::npos);

  EXPECT_NE(ErrorOf(Answer("list", Json::Array(std::vector<Json>(2'000'000)))).find("2000000 values"), std::string::npos);
  EXPECT_NE(ErrorOf(Answer("text", Json::String(std::string((16u << 20) + 1, 'x')))).find("16777216 bytes"), std::string::npos);
}

TEST(Wire, KeepsLexemes) {
  absl::StatusOr<v1::Answer> answer = Decode(R"({"kind": "number", "value": 34.650, "unit": "USD", "decimals": 2})");
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->value().number(), "34.650");
  EXPECT_EQ(answer->unit(), "USD");
  EXPECT_EQ(answer->decimals(), 2);

  answer = Decode(R"({"kind": "integer", "value": 123456789012345678901234567890})");
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->value().integer(), "123456789012345678901234567890");
}

TEST(Wire, WhatIsDecodedEncodesToTheSameAndBack) {
  const std::vector<std::string> texts = {
      R"({"kind":"number","value":1.50,"unit":"percent","decimals":2,"notes":{"ddof":"1","rows_used":"714"}})",
      R"({"kind":"number","value":{"$num":"nan"}})",
      R"({"kind":"number","value":{"$num":"1e400"}})",
      R"({"kind":"number","value":{"$num":"5"}})",
      R"({"kind":"integer","value":-7})",
      R"({"kind":"integer","value":{"$int":"18446744073709551616"}})",
      R"({"kind":"boolean","value":false})",
      R"({"kind":"text","value":"caf\u00e9 \"x\" \u0000 $table"})",
      R"({"kind":"date","value":{"$date":"2024-03-01T10:00:00.25+01:00"}})",
      R"({"kind":"list","value":[1,"a",null,true,{"$date":"2024-W09"},[2.5]],"ordered":true})",
      R"({"kind":"map","value":{"$map":[["a",1],[{"$date":"2024-Q1"},2.0],[["x",1],null]]}})",
      R"({"kind":"table","value":{"$table":{"columns":["k","k"],"rows":[["a",1],[null,{"$num":"inf"}]]}}})",
      R"({"kind":"empty","value":{"$table":{"columns":["k"],"rows":[]}}})",
      R"({"kind":"empty"})",
      R"({"kind":"undefined","value":null})",
      R"({"kind":"declined","reason":"needs a forecast"})",
      R"({"kind":"error","error":{"type":"KeyError","message":"fare","line":3,"source_line":"df.fare","repairable":true}})",
  };
  for (const std::string& text : texts) {
    absl::StatusOr<v1::Answer> answer = Decode(text);
    ASSERT_TRUE(answer.ok()) << text << answer.status();
    const std::string encoded = EncodeAnswer(*answer).Text();
    EXPECT_EQ(ParseJson(encoded)->Text(), ParseJson(text)->Text());
    absl::StatusOr<v1::Answer> again = Decode(encoded);
    ASSERT_TRUE(again.ok()) << encoded << again.status();
    EXPECT_EQ(again->SerializeAsString().size(), answer->SerializeAsString().size());
    EXPECT_EQ(EncodeAnswer(*again).Text(), encoded);
  }
}

TEST(Wire, AnObjectWithoutTagsIsAMapWithTextKeys) {
  absl::StatusOr<v1::Answer> answer = Decode(R"({"kind": "map", "value": {"male": 577, "female": 314}})");
  ASSERT_TRUE(answer.ok()) << answer.status();
  ASSERT_EQ(answer->value().map().entries_size(), 2);
  EXPECT_EQ(answer->value().map().entries(0).key().text(), "male");
  EXPECT_EQ(answer->value().map().entries(0).value().integer(), "577");
}

TEST(Wire, DatesThatExist) {
  for (const char* date : {"2024", "0001", "2024-Q4", "2024-12", "2020-W53", "2024-02-29", "2000-02-29", "2024-03-01T23:59:59",
                           "2024-03-01T10:00:00Z", "2024-03-01T10:00:00.123456789", "2024-03-01T10:00:00-05:30"}) {
    EXPECT_TRUE(IsDateLexeme(date)) << date;
  }
  for (const char* date : {"", "24", "0000", "2024-", "2024-Q0", "2024-13", "2024-W00", "2021-W53", "1900-02-29", "2024-04-31",
                           "2024-3-1", "2024-03-01 10:00:00", "2024-03-01T10:00", "2024-03-01T10:00:60", "2024-03-01T10:00:00.",
                           "2024-03-01T10:00:00z", "2024-03-01T10:00:00+0100", "2024-03-01x"}) {
    EXPECT_FALSE(IsDateLexeme(date)) << date;
  }
}

}  // namespace
}  // namespace conclave
