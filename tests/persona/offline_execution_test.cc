// Programs of the offline analyst in the real sandbox, on both engines, against values that were computed separately
// (tests/persona/known_answers.txt).
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/answer/compare.h"
#include "lib/answer/wire.h"
#include "lib/base/json.h"
#include "lib/persona/offline_persona.h"
#include "tests/support/column_table.h"
#include "tests/support/real_runtimes_test.h"
#include "tests/support/tables.h"

namespace conclave {
namespace {

guest::TestColumn StoredColumn(const v1::ColumnProfile& column, const std::vector<std::string>& cells) {
  guest::Cells<int64_t> integers;
  guest::Cells<double> reals;
  guest::Cells<bool> booleans;
  guest::Cells<std::string> texts;
  for (const std::string& cell : cells) {
    const bool missing = cell.empty();
    texts.push_back(missing ? std::nullopt : std::optional<std::string>(cell));
    integers.push_back(missing ? std::nullopt : std::optional<int64_t>(std::atoll(cell.c_str())));
    reals.push_back(missing ? std::nullopt : std::optional<double>(std::strtod(cell.c_str(), nullptr)));
    booleans.push_back(missing ? std::nullopt : std::optional<bool>(cell == "true"));
  }
  switch (column.type()) {
    case v1::COLUMN_INTEGER: return guest::TestColumn::Integer(column.name(), integers);
    case v1::COLUMN_REAL: return guest::TestColumn::Real(column.name(), reals);
    case v1::COLUMN_BOOLEAN: return guest::TestColumn::Boolean(column.name(), booleans);
    case v1::COLUMN_DATE: return guest::TestColumn::Date(column.name(), texts);
    case v1::COLUMN_TIMESTAMP: return guest::TestColumn::Timestamp(column.name(), texts);
    case v1::COLUMN_TIMESTAMPTZ: return guest::TestColumn::Timestamp(column.name(), texts, true);
    default: return guest::TestColumn::Text(column.name(), texts);
  }
}

DatasetPtr Stored(const tests::Table& table) {
  std::vector<guest::TestColumn> columns;
  for (int i = 0; i < table.profile.columns_size(); ++i) {
    std::vector<std::string> cells;
    for (const auto& row : table.rows) cells.push_back(row[static_cast<size_t>(i)]);
    columns.push_back(StoredColumn(table.profile.columns(i), cells));
  }
  return std::make_shared<const Dataset>(table.profile, guest::MakeColumnStore(columns).Release());
}

// Midnight and the last second of a day are where days go wrong.
std::string Log(const std::string& type) {
  std::string text = absl::StrCat("seen:", type, ",duration_ms:integer,service:text\n");
  for (const char* row : {"2024-03-30T00:00:00Z,10,web", "2024-03-31T23:59:59Z,20,api", "2024-04-01T00:00:00Z,30,web",
                          "2024-04-01T12:30:00Z,50,api", "2024-04-01T23:59:59Z,90,web", "2024-04-02T23:30:00Z,40,web",
                          "2024-04-03T00:00:00Z,60,api", ",70,web", "2023-12-31T23:59:59Z,80,api"}) {
    const std::vector<std::string> cells = absl::StrSplit(row, absl::MaxSplits(',', 1));
    const size_t kept = type == "timestamptz" ? 20 : type == "timestamp" ? 19 : 10;
    absl::StrAppend(&text, cells[0].substr(0, kept), ",", cells[1], "\n");
  }
  return text;
}

class OfflineExecutionTest : public RealRuntimesTest {
 protected:
  void SetUp() override {
    RealRuntimesTest::SetUp();
    ASSERT_NE(sandbox_, nullptr);
    for (const char* name : {"titanic", "sales", "weather", "cars"}) datasets_[name] = Stored(tests::LoadTable(name));
    // One log three times: with instants in UTC, with times of no zone, with days.
    for (const char* type : {"timestamptz", "timestamp", "date"}) {
      const std::string name = absl::StrCat("log_", type);
      datasets_[name] = Stored(tests::ParseTable(name, Log(type)));
    }
    datasets_["visits"] = Stored(tests::ParseTable("visits",
                                                   "seen:timestamptz,amount:integer\n"
                                                   "2024-03-31T21:30:00Z,1\n2024-03-31T22:30:00Z,20\n2024-04-01T12:00:00Z,300\n"
                                                   "2023-12-31T23:30:00Z,4000\n"));
    datasets_["shops"] = Stored(tests::ParseTable("shops",
                                                  "region:text,town:text,sales:integer\n"
                                                  "South,Graz,1\nSouth,Kansas ,20\nsouth,kansas,300\nNorth,Kansas,4000\n"
                                                  "North,ÖBLARN,50000\n,Öblarn,600000\nNorth,a1,0\nNorth,a2,0\nNorth,a3,0\n"
                                                  "North,a4,0\nNorth,a5,0\nNorth,zuerich,7000000\n"));
    // The letters whose case is folded differently by the two engines, left to themselves.
    datasets_["places"] = Stored(tests::ParseTable(
        "places",
        "place:text,sales:integer\nCAF\u00c9 Bar,1\nle caf\u00e9,20\nCafe,300\n\u0130zmir,4000\nizmir,50000\nIZMIR,600000\n"
        "\u039f\u0394\u039f\u03a3,7000000\n\u03bf\u03b4\u03bf\u03c2 2,80000000\nStra\u00dfe,900000000\nSTRASSE,0\na,0\nb,0\n"));
    // Reals and integers, each with missing cells of its own.
    datasets_["gaps"] = Stored(tests::ParseTable("gaps", "x:real,n:integer\n1.5,2\n2.5,\n,3\n4,10\n"));
    datasets_["members"] = Stored(tests::ParseTable(
        "members",
        "member_id:integer,active:boolean,city:text\n1,true,Graz\n2,false,Linz\n3,,Graz\n4,true,Wels\n5,true,Linz\n"));
  }

  v1::Answer Run(const Persona& persona, const Runtime& runtime, const std::string& table, const std::string& question,
                 const std::string& time_zone = "UTC") {
    PersonaQuestion asked;
    asked.context.set_time_zone(time_zone);
    asked.question = question;
    asked.profiles = {datasets_[table]->profile()};
    absl::StatusOr<Draft> draft = persona.Write(asked, Cancellation());
    EXPECT_TRUE(draft.ok() && draft->program) << question;
    if (!draft.ok() || !draft->program) return v1::Answer();
    RunOptions options;
    options.time_zone = time_zone;
    absl::StatusOr<v1::Execution> execution = runtime.Run(*draft->program, {datasets_[table]}, options, Cancellation());
    EXPECT_TRUE(execution.ok()) << execution.status();
    if (!execution.ok()) return v1::Answer();
    EXPECT_EQ(execution->end_reason(), v1::OK) << question << "\n"
                                               << draft->program->code() << "\n"
                                               << execution->detail() << execution->stderr().head();
    return execution->answer();
  }

  std::map<std::string, DatasetPtr> datasets_;
};

v1::Answer Known(const std::string& json) {
  const absl::StatusOr<Json> parsed = ParseJson(json);
  EXPECT_TRUE(parsed.ok()) << json;
  const absl::StatusOr<v1::Answer> answer = DecodeAnswer(*parsed);
  EXPECT_TRUE(answer.ok()) << json;
  return answer.ok() ? *answer : v1::Answer();
}

TEST_F(OfflineExecutionTest, BothProgramsGiveTheKnownAnswer) {
  const std::unique_ptr<Persona> sql = CreateOfflinePersona(v1::SQL);
  const std::unique_ptr<Persona> pandas = CreateOfflinePersona(v1::PYTHON);
  std::ifstream stream(absl::StrCat(CONCLAVE_SOURCE_DIR, "/tests/persona/known_answers.txt"));
  int questions = 0;
  for (std::string line; std::getline(stream, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::vector<std::string> parts = absl::StrSplit(line, absl::MaxSplits(" | ", 2));
    ASSERT_EQ(parts.size(), 3u) << line;
    const v1::Answer known = Known(parts[2]);
    const std::vector<std::string> tables = absl::StrSplit(parts[0], ' ');
    for (const std::string& each : tables) {
      const std::vector<std::string> names = absl::StrSplit(each, '@');
      const std::string& table = names[0];
      const std::string zone = names.size() > 1 ? names[1] : "UTC";
      SCOPED_TRACE(absl::StrCat(each, ": ", parts[1]));
      const v1::Answer by_sql = Run(*sql, *sql_, table, parts[1], zone);
      const v1::Answer by_pandas = Run(*pandas, *python_, table, parts[1], zone);
      const ComparisonContext context;
      for (const v1::Answer* answer : {&by_sql, &by_pandas}) {
        const Comparison comparison = Compare(known, *answer, context);
        EXPECT_TRUE(comparison.agree) << (answer == &by_sql ? "sql: " : "pandas: ") << EncodeAnswer(*answer).Text()
                                      << "\nknown: " << parts[2] << "\n"
                                      << comparison.reason << " " << comparison.difference;
      }
      const Comparison between = Compare(by_sql, by_pandas, context);
      EXPECT_TRUE(between.agree) << between.reason << " " << between.difference;
      ++questions;
    }
  }
  EXPECT_GE(questions, 20);
}

// Totals beyond the range of numbers are undefined for both, means of large integers keep their digits, and no total of
// integers comes out as another number.
TEST_F(OfflineExecutionTest, BothProgramsEndTheSameWayAtTheEndOfTheRange) {
  datasets_["huge"] = Stored(tests::ParseTable("huge",
                                               "amount:real,number:integer,count:integer,city:text\n"
                                               "1e308,9007199254740993,9223372036854775807,Graz\n"
                                               "1.5e308,9007199254740995,9223372036854775807,Graz\n"
                                               "1,1152921504606846977,3,Linz\n1,-1152921504606846976,4,Linz\n,,,Wels\n"));
  const std::unique_ptr<Persona> sql = CreateOfflinePersona(v1::SQL);
  const std::unique_ptr<Persona> pandas = CreateOfflinePersona(v1::PYTHON);
  const auto both = [&](const std::string& question) {
    const v1::Answer by_sql = Run(*sql, *sql_, "huge", question);
    const v1::Answer by_pandas = Run(*pandas, *python_, "huge", question);
    const Comparison between = Compare(by_sql, by_pandas, ComparisonContext());
    EXPECT_TRUE(between.agree) << question << ": " << between.reason << " " << between.difference;
    return std::pair(by_sql, by_pandas);
  };
  for (const char* question : {"total amount", "mean amount", "standard deviation of amount"}) {
    const auto [by_sql, by_pandas] = both(question);
    EXPECT_EQ(by_sql.kind(), v1::UNDEFINED) << question;
    EXPECT_EQ(by_pandas.kind(), v1::UNDEFINED) << question;
  }
  for (const char* question : {"total amount by city", "mean amount by city", "mean number", "mean number by city",
                               "total number by city", "mean count by city"}) {
    both(question);
  }
  EXPECT_EQ(both("mean number where city is Linz").second.value().number(), "0.5");
  for (const char* question : {"total count", "total count by city"}) {
    EXPECT_EQ(Run(*sql, *sql_, "huge", question).kind(), v1::ERROR) << question;
    EXPECT_EQ(Run(*pandas, *python_, "huge", question).kind(), v1::ERROR) << question;
  }
  datasets_["far"] =
      Stored(tests::ParseTable("far", "number:integer,city:text\n9223372036854775807,Graz\n-1,Graz\n5,Linz\n,Linz\n9,Linz\n"));
  for (const char* question : {"range of number", "range of number by city"}) {
    EXPECT_EQ(Run(*sql, *sql_, "far", question).kind(), v1::ERROR) << question;
    EXPECT_EQ(Run(*pandas, *python_, "far", question).kind(), v1::ERROR) << question;
  }
}

}  // namespace
}  // namespace conclave
