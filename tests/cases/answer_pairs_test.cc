// answer_pairs.jsonl: pairs of answers, and whether they agree.
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/answer/compare.h"
#include "lib/answer/wire.h"
#include "tests/support/pending_cases.h"

namespace conclave {
namespace {

// The kind a value has when nothing else is said about it.
v1::AnswerKind KindOf(const v1::Value& value) {
  switch (value.kind_case()) {
    case v1::Value::kBoolean: return v1::BOOLEAN;
    case v1::Value::kInteger: return v1::INTEGER;
    case v1::Value::kNumber: return v1::NUMBER;
    case v1::Value::kText: return v1::TEXT;
    case v1::Value::kDate: return v1::DATE;
    case v1::Value::kList: return value.list().items().empty() ? v1::EMPTY : v1::LIST;
    case v1::Value::kMap: return v1::MAP;
    case v1::Value::kTable: return v1::TABLE;
    default: return v1::UNDEFINED;
  }
}

// Absent for charts, claims and images, which the envelope does not hold.
std::optional<v1::Answer> AnswerOf(const Json& json) {
  v1::Answer answer;
  if (const Json* error = json.Find("$error")) {
    answer.set_kind(v1::ERROR);
    answer.mutable_error()->set_type(error->string());
    return answer;
  }
  if (const Json* refused = json.Find("$refused")) {
    answer.set_kind(v1::DECLINED);
    answer.set_reason(refused->string());
    return answer;
  }
  if (!DecodeValue(json, answer.mutable_value()).ok()) return std::nullopt;
  answer.set_kind(KindOf(answer.value()));
  return answer;
}

ComparisonContext ContextOf(const Json* ctx) {
  static const std::map<std::string, v1::AnswerKind> kKinds = {
      {"number", v1::NUMBER}, {"integer", v1::INTEGER}, {"boolean", v1::BOOLEAN}, {"text", v1::TEXT},
      {"list", v1::LIST},     {"date", v1::DATE},       {"table", v1::TABLE}};
  ComparisonContext context;
  if (ctx == nullptr) return context;
  for (const auto& [name, value] : ctx->members()) {
    if (name == "type" && kKinds.count(value.string()) > 0) {
      context.kind = kKinds.at(value.string());
    } else if (name == "type") {
      (value.string() == "timestamp" ? context.timestamp : context.weekday) = true;
    } else if (name == "decimals") {
      context.decimals = static_cast<int>(value.IntegerOr(-1));
    } else if (name == "unit") {
      context.unit = value.string();
    } else if (name == "currency") {
      context.currency = value.string();
    } else if (name == "ordered") {
      context.ordered = value.boolean();
    } else if (name == "top_n") {
      context.top_n = static_cast<int>(value.IntegerOr(-1));
    } else if (name == "day_first") {
      context.day_first = value.boolean();
    } else if (name == "week_start") {
      context.week_start = value.string();
    } else if (name == "freq") {
      context.frequency = value.string();
    } else if (name == "property") {
      context.property = value.string();
    } else if (name == "column_has") {
      for (const Json& item : value.items()) context.column_has.insert(item.string());
    } else if (name == "scores") {
      for (const auto& [label, score] : value.members()) context.scores[label] = score.lexeme();
    } else {
      // What only a near-miss code is about.
      EXPECT_TRUE(name == "n" || name == "nulls" || name == "kind" || name == "tz_column") << "unknown context " << name;
    }
  }
  return context;
}

struct Pair {
  std::string id;
  Json json;
};

std::vector<Pair> ReadPairs() {
  std::vector<Pair> pairs;
  std::ifstream file(CONCLAVE_SOURCE_DIR "/tests/cases/answer_pairs.jsonl");
  for (std::string line; std::getline(file, line);) {
    absl::StatusOr<Json> json = ParseJson(line);
    EXPECT_TRUE(json.ok()) << json.status() << line;
    if (json.ok()) pairs.push_back({json->Find("id")->string(), *json});
  }
  return pairs;
}

TEST(AnswerPairs, AgreeAsLabelled) {
  PendingCases pending("answer_pairs");
  const std::vector<Pair> pairs = ReadPairs();
  ASSERT_GE(pairs.size(), 127u);
  for (const Pair& pair : pairs) {
    const std::optional<v1::Answer> a = AnswerOf(*pair.json.Find("a"));
    const std::optional<v1::Answer> b = AnswerOf(*pair.json.Find("b"));
    if (!a || !b) {
      EXPECT_EQ(pending.Judge(pair.id, false, "the envelope does not hold this"), "");
      continue;
    }
    const ComparisonContext context = ContextOf(pair.json.Find("ctx"));
    const Comparison there = Compare(*a, *b, context);
    const Comparison back = Compare(*b, *a, context);
    EXPECT_EQ(there.agree, back.agree) << pair.id << " depends on the order of its sides";
    EXPECT_EQ(there.agree, there.difference.empty()) << pair.id << ": " << there.difference;
    const bool wanted = pair.json.Find("agree")->boolean();
    EXPECT_EQ(pending.Judge(pair.id, there.agree == wanted,
                            std::string("should ") + (wanted ? "agree: " : "not agree: ") + pair.json.Find("reason")->string() +
                                " Got " + there.reason + " " + there.difference),
              "");
  }
  EXPECT_EQ(pending.Unused(), "");
}

// The code a comparison gives is judged for a class as a whole.
TEST(AnswerPairs, ReportNearMissCodes) {
  PendingCases pending("near_miss");
  std::map<std::string, std::string> missing;  // per class: first pair whose code is not reported
  for (const Pair& pair : ReadPairs()) {
    const std::string name = pair.id.substr(0, pair.id.find('-'));
    std::string& first = missing[name];
    const Json* near = pair.json.Find("near");
    if (near == nullptr || !first.empty()) continue;
    const std::optional<v1::Answer> a = AnswerOf(*pair.json.Find("a"));
    const std::optional<v1::Answer> b = AnswerOf(*pair.json.Find("b"));
    const std::string reported = a && b ? Compare(*a, *b, ContextOf(pair.json.Find("ctx"))).reason : "";
    if (reported != near->string()) first = pair.id + " should report " + near->string() + ", not " + reported;
  }
  for (const auto& [name, first] : missing) EXPECT_EQ(pending.Judge(name, first.empty(), first), "");
  EXPECT_EQ(pending.Unused(), "");
}

TEST(PendingCases, APendingCaseThatPassesIsAFailure) {
  const std::string path = testing::TempDir() + "/pending.txt";
  std::ofstream(path) << "# comment\none a-1 waits for later work\nother a-2 is of another suite\none a-3 names no case\n";
  PendingCases pending("one", path);
  EXPECT_EQ(pending.Judge("a-1", false, "wrong"), "");
  EXPECT_NE(pending.Judge("a-1", true, ""), "");
  EXPECT_EQ(pending.Judge("a-2", true, ""), "");
  EXPECT_EQ(pending.Judge("a-2", false, "wrong"), "a-2: wrong");
  EXPECT_EQ(pending.Unused(), "no such case: a-3");
  EXPECT_NE(PendingCases("one", path + ".not").Judge("a-1", true, ""), "");
}

}  // namespace
}  // namespace conclave
