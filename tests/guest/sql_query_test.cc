// Statements over small column stores, from request to frames. Figures were worked out with pandas 1.5 and numpy, or by hand.
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/base/descriptor.h"
#include "lib/base/json.h"
#include "lib/guest/sql/sql_request.h"
#include "tests/support/column_table.h"

namespace conclave::guest {
namespace {

struct NamedTable {
  std::string name;
  std::vector<TestColumn> columns;
};

const std::vector<NamedTable>& Tables() {
  static const auto* tables = new std::vector<NamedTable>{
      {"sales",
       {TestColumn::Integer("id", {1, 2, 3, 4, 5, 6, 7, 8}),
        TestColumn::Text("region", {"North", "South", "North", std::nullopt, "East", "South", "North", "Żabno"}),
        TestColumn::Integer("qty", {3, 5, 2, 7, std::nullopt, 5, 1, 4}),
        TestColumn::Real("price", {1.5, 2.25, 10.0, std::nullopt, 3.0, 0.1, 0.2, 0.3}),
        TestColumn::Boolean("paid", {true, false, true, true, std::nullopt, false, true, false}),
        TestColumn::Date("day", {"2024-02-29", "2024-03-01", "2023-12-31", "2024-01-01", std::nullopt, "2024-03-31",
                                 "2024-04-01", "2021-01-03"}),
        TestColumn::Timestamp("at", {"2024-02-29 10:00:00", "2024-03-01 00:00:00", "2023-12-31 23:59:59", "2024-01-01 12:30:15",
                                     std::nullopt, "2024-03-31 01:02:03", "2024-04-01 00:00:00", "2021-01-03 00:00:01"}),
        TestColumn::Timestamp("sent",
                              {"2024-02-29 10:00:00", "2024-03-01 00:00:00", "2023-12-31 23:59:59", "2024-01-01 12:30:15",
                               std::nullopt, "2024-03-31 01:02:03", "2024-04-01 00:00:00", "2021-01-03 00:00:01"},
                              true),
        TestColumn::Text("note", {"a", "b", "Ärger", "", "x_y", "100%", "ab", std::nullopt}, StoredLayout::kPlain)}},
      {"regions",
       {TestColumn::Text("region", {"North", "South", "West"}), TestColumn::Text("head", {"Ann", "Bob", "Cy"}),
        TestColumn::Integer("code", {1, 2, 3})}},
      {"big",
       {TestColumn::Integer("n", {9007199254740993, 9007199254740992, 9223372036854775807}),
        TestColumn::Integer("m", {std::numeric_limits<int64_t>::min(), -1, 1}), TestColumn::Real("r", {1e16, 1.0, -1e16})}},
      {"empty", {TestColumn::Integer("n", {}), TestColumn::Text("t", {}), TestColumn::Date("d", {})}},
      {"odd \"name\"; DROP",
       {TestColumn::Text("Größe (cm)", {"ß", "ü"}), TestColumn::Integer("select", {1, 2}),
        TestColumn::Real("a \"b\".c", {0.5, 1.5}), TestColumn::Integer("名前", {10, 20}), TestColumn::Integer("Total", {1, 1}),
        TestColumn::Integer("total", {2, 2})}}};
  return *tables;
}

// All frames of one run over the tables above.
std::vector<Json> RunFrames(const std::string& sql, const std::string& shape = "{}", int64_t memory = 256 << 20) {
  std::vector<Descriptor> stores;
  std::vector<int> descriptors;
  Json names = Json::Array();
  for (const NamedTable& table : Tables()) {
    stores.push_back(MakeColumnStore(table.columns));
    descriptors.push_back(stores.back().get());
    names.Append(Json::Object({{"name", Json::String(table.name)}}));
  }
  const Json request = Json::Object(
      {{"code", Json::String(sql)}, {"tables", names}, {"shape", *ParseJson(shape)}, {"memory_bytes", Json::Integer(memory)}});
  const Descriptor out(::memfd_create("frames", MFD_CLOEXEC));
  EXPECT_EQ(RunSqlRequest(request, descriptors, out.get()), 0);
  ::lseek(out.get(), 0, SEEK_SET);
  const std::string bytes = *ReadAll(out.get(), 64 << 20);
  std::vector<Json> frames;
  for (size_t at = 0; at + 4 <= bytes.size();) {
    size_t size = 0;
    for (size_t i = 0; i < 4; ++i) size |= static_cast<size_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
    const absl::StatusOr<Json> frame = ParseJson(std::string_view(bytes).substr(at + 4, size));
    EXPECT_TRUE(frame.ok()) << frame.status();
    if (!frame.ok()) break;
    frames.push_back(*frame);
    at += 4 + size;
  }
  return frames;
}

// The closing frame's content as text: the answer's members, or "error: ...".
std::string Closing(const std::string& sql, const std::string& shape = "{}", int64_t memory = 256 << 20) {
  const std::vector<Json> frames = RunFrames(sql, shape, memory);
  if (frames.empty()) return "no frame";
  if (const Json* answer = frames.back().Find("answer")) return answer->Text();
  return "error: " + frames.back().Text();
}

// The value of an answer; a table's rows alone.
std::string Value(const std::string& sql) {
  const std::vector<Json> frames = RunFrames(sql);
  const Json* answer = frames.empty() ? nullptr : frames.back().Find("answer");
  if (answer == nullptr) return frames.empty() ? "no frame" : frames.back().Text();
  const Json* value = answer->Find("value");
  if (value == nullptr) return answer->Find("kind")->string();
  const Json* table = value->Find("$table");
  return table == nullptr ? value->Text() : table->Find("rows")->Text();
}

double Number(const std::string& sql) {
  const std::string text = Value(sql);
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  EXPECT_EQ(*end, '\0') << text;
  return value;
}

TEST(SqlQuery, FramesComeInOrder) {
  const std::vector<Json> frames = RunFrames("SELECT region, sum(qty) AS n FROM sales GROUP BY region ORDER BY n DESC");
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_EQ(frames[0].Find("frame")->string(), "engine");
  EXPECT_EQ(frames[0].Find("name")->string().substr(0, 9), "sqlite 3.");
  EXPECT_EQ(frames[1].Text(), R"({"frame":"loaded","table":"sales","columns":["region","qty"]})");
  EXPECT_EQ(frames[2].Text(),
            R"({"frame":"answer","answer":{"kind":"table","value":{"$table":{"columns":["region","n"],"rows":)"
            R"([["South",10],[null,7],["North",6],["Żabno",4],["East",null]]}},"ordered":true}})");
}

TEST(SqlQuery, OnlyColumnsThatWereNamedAreLoaded) {
  const std::vector<Json> frames = RunFrames("SELECT count(*) FROM sales WHERE at >= '2024-03-01'");
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_EQ(frames[1].Find("columns")->Text(), R"(["at"])");
  EXPECT_EQ(RunFrames("SELECT count(*) FROM sales").size(), 2u);
}

TEST(SqlQuery, InstantsAreShownByTheClocksOfAZone) {
  // Two o'clock does not exist on 2024-03-31 in Berlin; 21:30 in UTC is the evening before there only in winter.
  EXPECT_EQ(Value("SELECT timezone('Europe/Berlin', sent), timezone('America/St_Johns', sent) FROM sales WHERE id = 6"),
            R"([[{"$date":"2024-03-31T03:02:03"},{"$date":"2024-03-30T22:32:03"}]])");
  EXPECT_EQ(Value("SELECT year(timezone('Europe/Berlin', sent)), day(timezone('Asia/Tokyo', sent)) FROM sales WHERE id = 3"),
            "[[2024,1]]");
  EXPECT_EQ(Closing("SELECT timezone('UTC', sent) FROM sales WHERE id = 5"), R"({"kind":"undefined","ordered":false})");
}

TEST(SqlQuery, ZonesAreNamedByTheDatabaseOfZones) {
  for (const char* name : {"Nowhere/Town", "localtime", "/etc/localtime", "../zoneinfo/UTC", "", ":UTC", "file:UTC"}) {
    const std::string frame = Closing(std::string("SELECT timezone('") + name + "', sent) FROM sales");
    EXPECT_NE(frame.find("no time zone"), std::string::npos) << name << ": " << frame;
  }
}

TEST(SqlQuery, TheMiddleOfTwoIntegersIsExact) {
  EXPECT_EQ(Value("SELECT median(x) FROM (SELECT 9007199254740995 AS x UNION ALL SELECT 1)"), "4503599627370498.0");
  EXPECT_EQ(Value("SELECT median(x) FROM (SELECT 9223372036854775807 AS x UNION ALL SELECT -9223372036854775807)"), "0.0");
  EXPECT_EQ(Value("SELECT median(x) FROM (SELECT 9007199254740993 AS x UNION ALL SELECT 9007199254740995)"),
            "9007199254740994.0");
  EXPECT_EQ(Value("SELECT quantile_cont(x, 0.25) FROM (SELECT 1 AS x UNION ALL SELECT 5)"), "2.0");
  EXPECT_EQ(Value("SELECT median(x) FROM (SELECT 1 AS x UNION ALL SELECT 2.5)"), "1.75");
  EXPECT_EQ(Value("SELECT median(x) FROM (SELECT 1.7e308 AS x UNION ALL SELECT 1.5e308)"), "1.6e+308");
}

// All frames of a statement over the table `wide` with 5,000 columns c0 to c4999, each of the values 1 and its number.
std::string ClosingOverWide(const std::string& sql) {
  std::vector<TestColumn> columns;
  for (int64_t i = 0; i < 5000; ++i) columns.push_back(TestColumn::Integer("c" + std::to_string(i), {1, i}));
  const Descriptor store = MakeColumnStore(columns);
  const Json request = Json::Object({{"code", Json::String(sql)},
                                     {"tables", Json::Array({Json::Object({{"name", Json::String("wide")}})})},
                                     {"memory_bytes", Json::Integer(256 << 20)}});
  const Descriptor out(::memfd_create("frames", MFD_CLOEXEC));
  EXPECT_EQ(RunSqlRequest(request, {store.get()}, out.get()), 0);
  ::lseek(out.get(), 0, SEEK_SET);
  return *ReadAll(out.get(), 64 << 20);
}

TEST(SqlQuery, TablesMayBeWiderThanSqliteHolds) {
  const auto has = [](const std::string& frames, const std::string& part) { return frames.find(part) != std::string::npos; };
  const std::string total = ClosingOverWide("SELECT sum(C4999) AS n FROM wide WHERE \"c3000\" = 3000 AND c64 > 1");
  EXPECT_TRUE(has(total, R"("value":4999)")) << total;
  EXPECT_TRUE(has(total, R"("columns":["c64","c3000","c4999"])")) << total;
  EXPECT_TRUE(has(ClosingOverWide("SELECT count(*) FROM wide"), R"("value":2)"));
  EXPECT_TRUE(has(ClosingOverWide("SELECT w.c7 FROM wide AS w JOIN wide AS v USING (c4000) WHERE v.c7 = 7"), "7"));
  const std::string star = ClosingOverWide("SELECT * FROM wide");
  EXPECT_TRUE(has(star, "* makes 5000 columns, and a result has at most 2000: name the columns")) << star;
  std::string many = "SELECT c0";
  for (int i = 1; i < 2001; ++i) many += " + c" + std::to_string(i);
  const std::string refused = ClosingOverWide(many + " FROM wide");
  EXPECT_TRUE(has(refused, "names 2001 columns of table")) << refused;
}

TEST(SqlQuery, ScalarsHaveTheirKind) {
  EXPECT_EQ(Closing("SELECT count(*) FROM sales"), R"({"kind":"integer","value":8,"ordered":false})");
  EXPECT_EQ(Closing("SELECT max(price) FROM sales"), R"({"kind":"number","value":10.0,"ordered":false})");
  EXPECT_EQ(Closing("SELECT min(day) FROM sales"), R"({"kind":"date","value":{"$date":"2021-01-03"},"ordered":false})");
  EXPECT_EQ(Closing("SELECT max(at) FROM sales"), R"({"kind":"date","value":{"$date":"2024-04-01T00:00:00"},"ordered":false})");
  EXPECT_EQ(Closing("SELECT max(sent) FROM sales"),
            R"({"kind":"date","value":{"$date":"2024-04-01T00:00:00Z"},"ordered":false})");
  EXPECT_EQ(Closing("SELECT max(qty) > 6 FROM sales"), R"({"kind":"boolean","value":true,"ordered":false})");
  EXPECT_EQ(Closing("SELECT max(region) FROM sales"), R"({"kind":"text","value":"Żabno","ordered":false})");
  EXPECT_EQ(Closing("SELECT 1e400"), R"({"kind":"number","value":{"$num":"inf"},"ordered":false})");
}

TEST(SqlQuery, SourcesOfTheStatementItselfMayBeCounted) {
  EXPECT_EQ(Value("WITH x AS (SELECT DISTINCT i FROM (SELECT 1 AS i UNION ALL SELECT 1)) SELECT count(*) FROM x"), "1");
}

TEST(SqlQuery, NothingIsToldFromNothing) {
  EXPECT_EQ(Closing("SELECT avg(n) FROM empty"), R"({"kind":"undefined","ordered":false})");
  EXPECT_EQ(Closing("SELECT sum(n) FROM empty"), R"({"kind":"undefined","ordered":false})");
  EXPECT_EQ(Closing("SELECT count(n) FROM empty"), R"({"kind":"integer","value":0,"ordered":false})");
  EXPECT_EQ(Closing("SELECT n, t FROM empty"), R"({"kind":"empty","ordered":false})");
  EXPECT_EQ(Closing("SELECT t, count(*) FROM empty GROUP BY t"), R"({"kind":"empty","ordered":false})");
  EXPECT_EQ(Closing("SELECT median(n), mode(t), max(d), stddev(n), corr(n, n) FROM empty"),
            R"#({"kind":"table","value":{"$table":{"columns":["median(n)","mode(t)","max(d)","stddev(n)","corr(n, n)"],)#"
            R"("rows":[[null,null,null,null,null]]}},"ordered":false})");
}

TEST(SqlQuery, TheShapeAskedForIsCopied) {
  EXPECT_EQ(Closing("SELECT 100.0 * count_if(paid) / count(*) FROM sales", R"({"decimals":1,"unit":"percent","ordered":true})"),
            R"({"kind":"number","value":50.0,"unit":"percent","decimals":1,"ordered":true})");
}

TEST(SqlQuery, IntegersStayExact) {
  EXPECT_EQ(Value("SELECT n FROM big ORDER BY n"), "[[9007199254740992],[9007199254740993],[9223372036854775807]]");
  EXPECT_EQ(Value("SELECT sum(n) FROM big WHERE n < 9223372036854775807"), "18014398509481985");
  EXPECT_EQ(Value("SELECT sum(m) FROM big WHERE m <> -1"), "-9223372036854775807");
  EXPECT_EQ(Value("SELECT count(*) FROM big WHERE n = 9007199254740993"), "1");
}

TEST(SqlQuery, IntegersBeyond64BitsAreAnErrorThatNamesThem) {
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "the exact sum 9241386435364257792 does not fit",
                      Closing("SELECT sum(n) FROM big"));
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "integer overflow", Closing("SELECT max(n) * 2 AS twice FROM big"));
  EXPECT_EQ(Value("SELECT sum(CAST(n AS DOUBLE)) FROM big"), "9241386435364257792.0");
}

TEST(SqlQuery, RealSumsBeyondTheirRangeAreUndefined) {
  for (const char* figure : {"sum(x)", "avg(x)", "stddev(x)"}) {
    for (const char* values : {"SELECT 1e308 AS x UNION ALL SELECT 1.5e308", "SELECT -1e308 AS x UNION ALL SELECT -1.5e308",
                               "SELECT 1e308 AS x UNION ALL SELECT 1.5e308 UNION ALL SELECT 1e308"}) {
      EXPECT_EQ(Closing(absl::StrCat("SELECT ", figure, " FROM (", values, ") AS t")),
                R"({"kind":"undefined","ordered":false})")
          << figure << " of " << values;
    }
  }
}

TEST(SqlQuery, RealSumsDoNotDependOnOrder) {
  EXPECT_EQ(Value("SELECT sum(r), avg(r) FROM big"), "[[1.0,0.3333333333333333]]");
  EXPECT_EQ(Value("SELECT sum(price), avg(price) FROM sales"), "[[17.35,2.4785714285714286]]");
  EXPECT_EQ(Value("SELECT avg(qty) FROM sales"), "3.857142857142857");
  EXPECT_EQ(Value("SELECT avg(n) FROM big WHERE n < 9223372036854775807"), "9007199254740992.0");
}

// As doubles these integers are all alike.
TEST(SqlQuery, SpreadsOfIntegersThatAreNoDoublesAreRight) {
  std::string rows = "SELECT 4611686018427387904 AS n, 1 AS x";
  for (int i = 1; i < 6; ++i) absl::StrAppend(&rows, " UNION ALL SELECT ", 4611686018427387904 + i, ", ", 1 + 2 * i);
  const auto figure = [&](const char* call) { return Number(absl::StrCat("SELECT ", call, " FROM (", rows, ") AS t")); };
  EXPECT_NEAR(figure("var_pop(n)"), 35.0 / 12, 1e-12);
  EXPECT_NEAR(figure("stddev(n)"), 1.8708286933869707, 1e-12);
  EXPECT_NEAR(figure("covar_pop(n, n)"), 35.0 / 12, 1e-12);
  EXPECT_NEAR(figure("corr(n, x)"), 1, 1e-12);
  EXPECT_NEAR(figure("regr_slope(x, n)"), 2, 1e-12);
  EXPECT_NEAR(figure("regr_slope(n, x)"), 0.5, 1e-12);
  const std::string close = "SELECT 1e15 AS r UNION ALL SELECT 1e15 + 1 UNION ALL SELECT 1e15 + 2";
  EXPECT_NEAR(Number(absl::StrCat("SELECT stddev(r) FROM (", close, ") AS t")), 1, 1e-12);
  const std::string wide = "SELECT -9223372036854775807 AS n UNION ALL SELECT 9223372036854775807";
  EXPECT_NEAR(Number(absl::StrCat("SELECT stddev_pop(n) FROM (", wide, ") AS t")), 9223372036854775807.0, 1);
}

TEST(SqlQuery, StatisticsHaveTheirUsualDefinitions) {
  EXPECT_NEAR(Number("SELECT stddev(price) FROM sales"), 3.498792308647031, 1e-12);
  EXPECT_NEAR(Number("SELECT stddev_pop(price) FROM sales"), 3.23925224427503, 1e-12);
  EXPECT_NEAR(Number("SELECT var_samp(price) FROM sales"), 12.241547619047621, 1e-12);
  EXPECT_NEAR(Number("SELECT var_pop(price) FROM sales"), 10.492755102040817, 1e-12);
  EXPECT_NEAR(Number("SELECT skewness(price) FROM sales"), 2.119565769373935, 1e-12);
  EXPECT_NEAR(Number("SELECT kurtosis(price) FROM sales"), 4.823199035106763, 1e-12);
  EXPECT_NEAR(Number("SELECT corr(qty, price) FROM sales"), -0.3261118790397336, 1e-12);
  EXPECT_NEAR(Number("SELECT covar_samp(qty, price) FROM sales"), -2.0366666666666666, 1e-12);
  EXPECT_NEAR(Number("SELECT covar_pop(qty, price) FROM sales"), -1.6972222222222222, 1e-12);
  EXPECT_NEAR(Number("SELECT regr_slope(price, qty) FROM sales"), -0.76375, 1e-12);
  EXPECT_NEAR(Number("SELECT regr_intercept(price, qty) FROM sales"), 4.9375, 1e-12);
  EXPECT_NEAR(Number("SELECT regr_r2(price, qty) FROM sales"), 0.10634895765082583, 1e-12);
  EXPECT_EQ(Value("SELECT regr_count(price, qty), stddev(price) FROM sales WHERE id = 1"), "[[1,null]]");
}

TEST(SqlQuery, QuantilesAndModes) {
  EXPECT_EQ(Value("SELECT median(price), quantile_cont(price, 0.25) FROM sales"), "[[1.5,0.25]]");
  EXPECT_NEAR(Number("SELECT quantile_cont(price, 0.9) FROM sales"), 5.8, 1e-12);
  EXPECT_EQ(Value("SELECT median(qty), quantile_disc(qty, 0.5), quantile_disc(region, 0.5), quantile_disc(qty, 0), "
                  "quantile_disc(qty, 1) FROM sales"),
            R"([[4.0,4,"North",1,7]])");
  EXPECT_EQ(Value("SELECT mode(region), mode(qty), mode(paid) FROM sales"), R"([["North",5,true]])");
  EXPECT_EQ(Value("SELECT mode(id) FROM sales"), "1");  // of several the smallest
  EXPECT_EQ(Value("SELECT median(qty) OVER (ORDER BY id ROWS 1 PRECEDING) AS m FROM sales ORDER BY id"),
            "[[3.0],[4.0],[3.5],[4.5],[7.0],[5.0],[3.0],[2.5]]");
  EXPECT_EQ(Value("SELECT sum(price) OVER (ORDER BY id ROWS 1 PRECEDING) AS s FROM sales WHERE id > 5 ORDER BY id"),
            "[[0.1],[0.30000000000000004],[0.5]]");
}

TEST(SqlQuery, OtherAggregates) {
  EXPECT_EQ(Value("SELECT arg_max(region, price), arg_min(id, price), max_by(id, qty), bool_and(paid), bool_or(paid), "
                  "count_if(qty > 3) FROM sales"),
            R"([["North",6,4,false,true,4]])");
  EXPECT_EQ(Value("SELECT string_agg(DISTINCT region, '; ' ORDER BY region DESC) FROM sales"),
            R"("Żabno; South; North; East")");
  EXPECT_EQ(Value("SELECT group_concat(region ORDER BY id) FROM sales"), R"("North,South,North,East,South,North,Żabno")");
  EXPECT_EQ(Value("SELECT sum(DISTINCT qty), count(DISTINCT region), sum(qty) FILTER (WHERE paid) FROM sales"), "[[22,4,13]]");
}

TEST(SqlQuery, DateParts) {
  EXPECT_EQ(Value("SELECT week(day), isoyear(day), isodow(day), dayofweek(day), quarter(day), dayofyear(day) FROM sales WHERE "
                  "id IN (1, 3, 8) ORDER BY id"),
            "[[9,2024,4,4,1,60],[52,2023,7,0,4,365],[53,2020,7,0,1,3]]");
  EXPECT_EQ(Value("SELECT EXTRACT(hour FROM at), minute(at), second(sent), date_part('doy', day) FROM sales WHERE id = 4"),
            "[[12,30,15,1]]");
  EXPECT_EQ(
      Value("SELECT strftime(day, '%Y-%m'), strftime('%d.%-m.%y', day), dayname(day), monthname(day) FROM sales WHERE id = 2"),
      R"([["2024-03","01.3.24","Friday","March"]])");
  EXPECT_EQ(
      Value("SELECT date_trunc('month', day), date_trunc('week', day), date_trunc('quarter', at), date_trunc('hour', day), "
            "last_day(day) FROM sales WHERE id = 1"),
      R"([[{"$date":"2024-02-01"},{"$date":"2024-02-26"},{"$date":"2024-01-01T00:00:00"},{"$date":"2024-02-29T00:00:00"},{"$date":"2024-02-29"}]])");
}

TEST(SqlQuery, DateArithmetic) {
  EXPECT_EQ(
      Value("SELECT date_diff('day', DATE '2024-02-28', day), date_diff('month', day, '2025-01-01'), date_diff('year', day, "
            "'2025-01-01'), "
            "date_diff('week', DATE '2024-02-25', day), date_diff('hour', at, '2024-02-29 12:59:59') FROM sales WHERE id = 1"),
      "[[1,11,1,1,2]]");
  EXPECT_EQ(
      Value("SELECT DATE '2024-01-31' + INTERVAL 1 MONTH, CAST(DATE '2024-03-01' - INTERVAL '1 day' AS DATE), make_date(2023, "
            "2, 28), "
            "TIMESTAMP '2024-01-01' + INTERVAL 90 MINUTE"),
      R"([[{"$date":"2024-02-29T00:00:00"},{"$date":"2024-02-29"},{"$date":"2023-02-28"},{"$date":"2024-01-01T01:30:00"}]])");
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "there is no day 2023-2-29", Closing("SELECT make_date(2023, 2, 29)"));
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "outside the years", Closing("SELECT DATE '9999-12-31' + INTERVAL 1 DAY"));
  EXPECT_EQ(Value("SELECT strptime('03/01/24 1:05 PM', '%m/%d/%y %I:%M %p')"), R"({"$date":"2024-03-01T13:05:00"})");
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "does not have the form", Closing("SELECT strptime('2024-03-01', '%d.%m.%Y')"));
}

TEST(SqlQuery, DatesCompareAsPointsInTime) {
  EXPECT_EQ(Value("SELECT count(*) FROM sales WHERE at = '2024-03-01'"), "1");
  EXPECT_EQ(Value("SELECT count(*) FROM sales WHERE at > '2024-03-01'"), "2");
  EXPECT_EQ(Value("SELECT count(*) FROM sales WHERE day BETWEEN '2024-01-01' AND '2024-3-31'"), "4");
  EXPECT_EQ(Value("SELECT count(*) FROM sales WHERE at BETWEEN '2024-01-01' AND '2024-03-31'"), "3");
  EXPECT_EQ(Value("SELECT count(*) FROM sales WHERE day <= at"), "7");
  EXPECT_EQ(Value("SELECT id FROM sales WHERE sent = '2024-03-01T02:00:00+02:00'"), "2");
  EXPECT_EQ(Value("SELECT id FROM sales WHERE day IN ('2024-02-29', '2021-01-03') ORDER BY id"), "[[1],[8]]");
}

TEST(SqlQuery, TextFunctionsCountCharacters) {
  EXPECT_EQ(Value("SELECT length(region), upper(region), lower('ÄÖÜ'), left(region, 2), right(region, 3), reverse(region), "
                  "lpad(region, 7, '·') FROM sales WHERE id = 8"),
            R"([[5,"ŻABNO","äöü","Ża","bno","onbaŻ","··Żabno"]])");
  EXPECT_EQ(Value("SELECT split_part('a-b-c', '-', 2), split_part('a-b-c', '-', -1), strpos('żaba', 'b'), starts_with('abc', "
                  "'ab'), contains('abc', 'x'), "
                  "concat('a', NULL, 1), concat_ws('-', 'a', NULL, 'b'), levenshtein('kitten', 'sitting')"),
            R"([["b","c",3,true,false,"a1","a-b",3]])");
  EXPECT_EQ(Value("SELECT regexp_matches('Ärger', '^Ä.g'), regexp_extract('id-42', '(\\w+)-(\\d+)', 2), "
                  "regexp_replace('a.b.c', '\\.', '/', 'g')"),
            R"([[true,"42","a/b/c"]])");
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "regular expression", Closing("SELECT regexp_matches('a', '(')"));
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "longer than", Closing("SELECT repeat('abc', 1000000000)"));
}

TEST(SqlQuery, LikeTellsCases) {
  EXPECT_EQ(Value("SELECT count(*) FROM sales WHERE region LIKE 'n%'"), "0");
  EXPECT_EQ(Value("SELECT count(*) FROM sales WHERE region ILIKE 'N%'"), "3");
  EXPECT_EQ(Value("SELECT count(*) FROM sales WHERE note LIKE '%!_%' ESCAPE '!'"), "1");
}

TEST(SqlQuery, CastsRefuseWhatDoesNotFit) {
  EXPECT_EQ(Value("SELECT CAST(' 42 ' AS INTEGER), CAST('1e3' AS DOUBLE), CAST(1.0 AS VARCHAR), CAST(paid AS VARCHAR), CAST(at "
                  "AS DATE), 0.1 + 0.2 FROM sales WHERE id = 1"),
            R"([[42,1000.0,"1.0","true",{"$date":"2024-02-29"},0.30000000000000004]])");
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "'North' is no integer",
                      Closing("SELECT CAST(region AS INTEGER) FROM sales WHERE id = 1"));
  EXPECT_EQ(Value("SELECT TRY_CAST(region AS INTEGER), TRY_CAST('2024-02-30' AS DATE), TRY_CAST('12' AS DOUBLE) FROM sales "
                  "WHERE id = 1"),
            "[[null,null,12.0]]");
}

TEST(SqlQuery, Numbers) {
  EXPECT_EQ(Value("SELECT round(2.5), round(-2.5), round(1234, -2), round(2.345, 1), mod(7, 3), mod(-7.5, 2), 7 % 3, "
                  "greatest(1, NULL, 3), least(2.5, 1)"),
            "[[3.0,-3.0,1200,2.3,1,-1.5,1,3,1.0]]");
  EXPECT_EQ(Value("SELECT 1.0 * 7 / 2, trunc(1.0 * 7 / 2), 1.0 / 0, power(2, 10), ceil(1.2), floor(-1.2), abs(-3)"),
            "[[3.5,3.0,null,1024.0,2.0,-2.0,3]]");
}

TEST(SqlQuery, MissingValuesSortLast) {
  EXPECT_EQ(Value("SELECT qty FROM sales ORDER BY qty LIMIT 2"), "[[1],[2]]");
  EXPECT_EQ(Value("SELECT id, qty FROM sales ORDER BY qty DESC, id LIMIT 1"), "[[4,7]]");
  EXPECT_EQ(Value("SELECT id FROM sales ORDER BY qty NULLS FIRST LIMIT 1"), "5");
}

TEST(SqlQuery, Joins) {
  EXPECT_EQ(Value("SELECT r.head, sum(s.qty) FROM sales s JOIN regions r ON s.region = r.region GROUP BY r.head ORDER BY 1"),
            R"([["Ann",6],["Bob",10]])");
  EXPECT_EQ(Value("SELECT s.id, r.code FROM sales s LEFT JOIN regions r USING (region) ORDER BY s.id"),
            "[[1,1],[2,2],[3,1],[4,null],[5,null],[6,2],[7,1],[8,null]]");
  EXPECT_EQ(Value("SELECT a.id, b.id FROM sales a JOIN sales b ON a.day = b.day AND a.at = b.at AND a.note = b.note WHERE "
                  "a.price = b.price ORDER BY 1"),
            "[[1,1],[2,2],[3,3],[6,6],[7,7]]");
  EXPECT_EQ(Value("SELECT count(*) FROM sales a, sales b WHERE a.qty = b.price"), "1");
  EXPECT_EQ(Value("SELECT region FROM regions WHERE NOT EXISTS (SELECT 1 FROM sales WHERE sales.region = regions.region)"),
            R"("West")");
  EXPECT_EQ(Value("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) SELECT sum(i) FROM n"),
            "5050");
}

TEST(SqlQuery, OddNamesAreReadWhenQuoted) {
  EXPECT_EQ(Value(R"#(SELECT "Größe (cm)", "select", "a ""b"".c", 名前 FROM "odd ""name""; DROP" ORDER BY "select" DESC)#"),
            R"([["ü",2,1.5,20],["ß",1,0.5,10]])");
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "is there twice", Closing(R"(SELECT total FROM "odd ""name""; DROP")"));
}

TEST(SqlQuery, ErrorsCarryLineAndWayOut) {
  EXPECT_EQ(
      Closing("SELECT region,\n  avg(prce)\nFROM sales GROUP BY region"),
      R"#(error: {"frame":"error","type":"SqlError","message":"no such column: prce (did you mean \"price\"?)","repairable":true,"line":2,"source_line":"  avg(prce)"})#");
  EXPECT_PRED_FORMAT2(testing::IsSubstring, R"("line":3)", Closing("SELECT\n1\nFORM sales"));
}

TEST(SqlQuery, TooMuchIsRefusedWithAdvice) {
  const std::string rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100001) SELECT i FROM n";
  EXPECT_PRED_FORMAT2(testing::IsSubstring, R"("type":"AnswerTooLarge","message":"the result has more than 100000 rows)",
                      Closing(rows));
  const std::string bytes =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) SELECT i, repeat('x', 200000) FROM n";
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "AnswerTooLarge", Closing(bytes));
}

TEST(SqlQuery, MemoryEndsAsAMemoryError) {
  const std::string hungry =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000) SELECT median(i), mode(i) FROM n";
  EXPECT_PRED_FORMAT2(testing::IsSubstring, R"("type":"MemoryError")", Closing(hungry, "{}", 32 << 20));
  EXPECT_PRED_FORMAT2(testing::IsSubstring, R"("limit":"memory")", Closing(hungry, "{}", 32 << 20));
  EXPECT_EQ(Value("SELECT 1"), "1");  // the limit is gone with the request
}

TEST(SqlQuery, HostileTextThatReadsAsNothingElse) {
  EXPECT_EQ(Value("SELECT 'x''; DROP TABLE sales; --'"), R"("x'; DROP TABLE sales; --")");
  EXPECT_EQ(Value("SELECT /* ; ATTACH 'x' AS y */ 1 -- ; PRAGMA x"), "1");
}

TEST(SqlRequest, BadRequestsAreErrorsThatNobodyCanRepair) {
  const Descriptor out(::memfd_create("frames", MFD_CLOEXEC));
  const Descriptor junk = std::move(*SealedMemory("junk", "this is no column store"));
  EXPECT_EQ(RunSqlRequest(*ParseJson(R"({"code": "SELECT 1", "tables": [{"name": "t"}]})"), {junk.get()}, out.get()), 0);
  EXPECT_EQ(RunSqlRequest(*ParseJson(R"({"code": "SELECT 1", "tables": [{"name": "t"}]})"), {}, out.get()), 0);
  EXPECT_EQ(RunSqlRequest(*ParseJson(R"({"tables": []})"), {}, out.get()), 0);
  ::lseek(out.get(), 0, SEEK_SET);
  const std::string bytes = *ReadAll(out.get(), 1 << 20);
  EXPECT_PRED_FORMAT2(testing::IsSubstring, R"("type":"DatasetError","message":"tables[0]: )", bytes);
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "names 1 tables, but 0", bytes);
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "no code", bytes);
  EXPECT_PRED_FORMAT2(testing::IsNotSubstring, R"("repairable":true)", bytes);
  EXPECT_EQ(RunSqlRequest(*ParseJson(R"({"code": "SELECT 1", "tables": []})"), {}, -1), 1);
}

}  // namespace
}  // namespace conclave::guest
