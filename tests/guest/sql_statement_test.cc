// The check of statements: what is refused, where, and with which way out; and that sound statements pass.
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/guest/sql/statement_check.h"

namespace conclave::guest {
namespace {

const std::vector<KnownTable>& CheckedTables() {
  static const auto* tables = new std::vector<KnownTable>{
      {"sales",
       {{"id", ValueType::kInteger},
        {"region", ValueType::kText},
        {"qty", ValueType::kInteger},
        {"price", ValueType::kReal},
        {"paid", ValueType::kBoolean},
        {"day", ValueType::kDate},
        {"at", ValueType::kTimestamp},
        {"sent", ValueType::kInstant},
        {"Unit Price (€)", ValueType::kReal}}},
      {"regions",
       {{"region", ValueType::kText}, {"head", ValueType::kText}, {"since", ValueType::kDate}, {"zip", ValueType::kInteger}}}};
  return *tables;
}

std::string Refusal(std::string_view sql) {
  const CheckedStatement checked = CheckStatement(sql, CheckedTables());
  return checked.fault ? checked.fault->message : "accepted as: " + checked.sql;
}

std::string Rewritten(std::string_view sql) {
  const CheckedStatement checked = CheckStatement(sql, CheckedTables());
  return checked.fault ? "refused: " + checked.fault->message : checked.sql;
}

struct Case {
  std::string sql;
  std::string part;  // of the message
};

class Refuses : public testing::TestWithParam<Case> {};

TEST_P(Refuses, WithTheWayOut) { EXPECT_PRED_FORMAT2(testing::IsSubstring, GetParam().part, Refusal(GetParam().sql)); }

INSTANTIATE_TEST_SUITE_P(
    Statements, Refuses,
    testing::Values(
        Case{"", "empty statement"}, Case{"  -- nothing\n /* here */ ", "empty statement"},
        Case{"ATTACH 'x.db' AS x", "only one SELECT"}, Case{"PRAGMA table_info(sales)", "only one SELECT"},
        Case{"VACUUM INTO 'x'", "only one SELECT"}, Case{"INSERT INTO sales VALUES (1)", "only one SELECT"},
        Case{"EXPLAIN SELECT 1", "only one SELECT"}, Case{"WITH x AS (SELECT 1) DELETE FROM sales", "near \"DELETE\""},
        Case{"SELECT 1; SELECT 2", "only one statement"}, Case{"SELECT 1 --\n; DROP TABLE sales", "only one statement"},
        Case{"SELECT 1 /* ; */ ; /**/ SELECT 2", "only one statement"}, Case{std::string("SELECT 1\0", 9), "NUL byte"},
        Case{"SELECT '\xff'", "UTF-8"}, Case{"SELECT 'abc", "without a closing quote"},
        Case{"SELECT /* 1", "comment without an end"}, Case{"SELECT ?", "parameters"}, Case{"SELECT :x", "parameters"},
        Case{"SELECT `id` FROM sales", "quoted with"}, Case{"SELECT [id] FROM sales", "quoted with"},
        Case{"SELECT x'00'", "binary"}, Case{"SELECT 0x10", "unrecognized"}, Case{"SELECT 9223372036854775808", "64 bits"},
        Case{"SELECT (1", "too early"}, Case{"SELECT FROM sales", "near \"FROM\""}));

INSTANTIATE_TEST_SUITE_P(
    Names, Refuses,
    testing::Values(Case{"SELECT regin FROM sales", "no such column: regin (did you mean \"region\"?)"},
                    Case{"SELECT s.prize FROM sales s", "no such column: s.prize (did you mean \"price\"?)"},
                    Case{"SELECT price FROM sale", "no such table: sale (did you mean \"sales\"?)"},
                    Case{"SELECT x.id FROM sales", "no such table: x"}, Case{"SELECT main.sales.id FROM sales", "two parts"},
                    Case{"SELECT 1 FROM main.sales", "no schema"}, Case{"SELECT rowid FROM sales", "row_number()"},
                    Case{"SELECT id FROM sales WHERE region = \"North\"", "text is written 'North'"},
                    Case{"SELECT region FROM sales JOIN regions ON zip = id", "ambiguous column name"},
                    Case{"SELECT 1 FROM sales, sales", "different aliases"},
                    Case{"SELECT 1 FROM sqlite_master", "no such table"},
                    Case{"SELECT 1 FROM pragma_table_info('sales')", "table function"},
                    Case{"SELECT medin(qty) FROM sales", "median"}, Case{"SELECT load_extension('x')", "extensions"},
                    Case{"SELECT readfile('/etc/passwd')", "files cannot be read"},
                    Case{"SELECT current_date", "write the date itself"}, Case{"SELECT date('now')", "CAST(x AS DATE)"},
                    Case{"SELECT random()", "run to run"}, Case{"SELECT total(qty) FROM sales", "coalesce(sum(x), 0)"}));

INSTANTIATE_TEST_SUITE_P(
    Looseness, Refuses,
    testing::Values(
        Case{"SELECT qty / 2 FROM sales", "1.0 * qty / 2"},
        Case{"SELECT sum(qty) / count(*) FROM sales", "1.0 * sum(qty) / count(*)"},
        Case{"SELECT price % 2 FROM sales", "mod(a, b)"}, Case{"SELECT region FROM sales WHERE qty = '5'", "never match"},
        Case{"SELECT qty FROM sales WHERE region = 5", "never match"},
        Case{"SELECT qty FROM sales WHERE qty IN (1, 'x')", "never match"},
        Case{"SELECT qty FROM sales WHERE region BETWEEN 1 AND 2", "never match"},
        Case{"SELECT CASE qty WHEN 'a' THEN 1 END FROM sales", "never match"},
        Case{"SELECT CASE WHEN paid THEN 1 ELSE 'no' END FROM sales", "CASE"},
        Case{"SELECT coalesce(qty, 'none') FROM sales", "coalesce()"}, Case{"SELECT qty == 1 FROM sales", "write ="},
        Case{"SELECT region + 'x' FROM sales", "||"}, Case{"SELECT qty FROM sales WHERE qty LIKE '1%'", "LIKE works on text"},
        Case{"SELECT qty FROM sales WHERE day LIKE '2024%'", "strftime"},
        Case{"SELECT qty FROM sales WHERE day = 2024", "year(x)"},
        Case{"SELECT qty FROM sales WHERE day > '2024'", "write it like '2024-03-01'"},
        Case{"SELECT qty FROM sales WHERE day > '2024-02-30'", "write it like"},
        Case{"SELECT day - day FROM sales", "date_diff"}, Case{"SELECT day + 1 FROM sales", "INTERVAL"},
        Case{"SELECT sent > at FROM sales", "CAST both"}, Case{"SELECT region, sum(qty) FROM sales", "neither in GROUP BY"},
        Case{"SELECT *, count(*) FROM sales", "neither in GROUP BY"},
        Case{"SELECT region, qty FROM sales GROUP BY region", "\"qty\" is neither in GROUP BY"},
        Case{"SELECT region FROM sales GROUP BY region ORDER BY qty", "\"qty\" is neither in GROUP BY"},
        Case{"SELECT region FROM sales GROUP BY region HAVING qty > 1", "\"qty\" is neither in GROUP BY"},
        Case{"SELECT qty FROM sales LIMIT 5", "LIMIT without ORDER BY"},
        Case{"SELECT * FROM (SELECT qty FROM sales LIMIT 5) ORDER BY 1", "LIMIT without ORDER BY"},
        Case{"SELECT row_number() OVER (PARTITION BY region) FROM sales", "without ORDER BY"},
        Case{"SELECT string_agg(region, ', ') FROM sales", "ORDER BY x"},
        Case{"SELECT sum(region) FROM sales", "sum() takes numbers"}, Case{"SELECT avg(paid) FROM sales", "count_if"},
        Case{"SELECT region FROM sales WHERE region", "needs a condition"},
        Case{"SELECT region FROM sales WHERE sum(qty) > 3", "use HAVING"},
        Case{"SELECT sum(avg(qty)) FROM sales", "inside another aggregate"},
        Case{"SELECT qty FROM sales WHERE region = NULL", "IS NULL"},
        Case{"SELECT qty IS 5 FROM sales", "IS NOT DISTINCT FROM"}, Case{"SELECT min(qty, 3) FROM sales", "least(a, b)"},
        Case{"SELECT (1, 2)", "row values"}, Case{"SELECT (SELECT region FROM sales)", "several rows"},
        Case{"SELECT CAST(price AS INTEGER) FROM sales", "round(price)"},
        Case{"SELECT CAST(price AS REAL) FROM sales", "DOUBLE"},
        Case{"SELECT CAST(day AS INTEGER) FROM sales", "makes no sense"},
        Case{"SELECT qty FROM sales UNION SELECT region FROM sales", "CAST one"},
        Case{"SELECT region || price FROM sales", "AS VARCHAR"}, Case{"SELECT * FROM sales NATURAL JOIN regions", "USING"},
        Case{"SELECT 1 FROM sales JOIN regions r ON sales.region = r.zip", "never match"},
        Case{"SELECT region FROM sales ORDER BY 'qty'", "constant text"},
        Case{"SELECT DISTINCT region FROM sales ORDER BY qty", "not in its list"}, Case{"SELECT 1 < 2 < 3", "never match"},
        Case{"SELECT region COLLATE NOCASE FROM sales", "lower(x)"},
        Case{"SELECT stddev(qty) OVER (ORDER BY id) FROM sales", "cannot be used with OVER"},
        Case{"SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY qty) FROM sales", "quantile_cont"},
        Case{"SELECT upper(qty) FROM sales", "works on text"}, Case{"SELECT date_trunc('months', day) FROM sales", "'month'"},
        Case{"SELECT timezone('UTC', at) FROM sales", "takes a timestamp with time zone"},
        Case{"SELECT timezone(region, sent) FROM sales", "takes first the name of a time zone"}));

class Accepts : public testing::TestWithParam<std::string> {};

TEST_P(Accepts, SoundStatement) { EXPECT_PRED_FORMAT2(testing::IsNotSubstring, "refused", Rewritten(GetParam())); }

INSTANTIATE_TEST_SUITE_P(
    Statements, Accepts,
    testing::Values(
        "SELECT 1;", "SELECT 1 ; -- done", "select count(*) from SALES",
        "SELECT * FROM sales WHERE region IN ('N','S') AND qty BETWEEN 1 AND 5",
        "SELECT region, count(*) AS n, sum(price * qty) AS total FROM sales GROUP BY region HAVING total > 10 ORDER BY total "
        "DESC LIMIT 3",
        "SELECT year(day) AS y, avg(price) FROM sales GROUP BY year(day) ORDER BY y",
        "SELECT year(day) y, count(*) FROM sales GROUP BY 1",
        "SELECT region, sum(qty) * 100.0 / (SELECT sum(qty) FROM sales) FROM sales GROUP BY region",
        "SELECT s.region, r.head FROM sales s LEFT JOIN regions AS r USING (region) WHERE s.paid AND NOT r.head IS NULL",
        "WITH m(mo, t) AS (SELECT date_trunc('month', day), sum(qty) FROM sales GROUP BY 1) SELECT mo, t, lag(t) OVER (ORDER "
        "BY mo) FROM m",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10) SELECT sum(i) FROM n",
        "SELECT \"Unit Price (€)\" FROM sales WHERE \"Unit Price (€)\" >= 2.5 ORDER BY 1 DESC LIMIT 2",
        "SELECT sum(qty) FILTER (WHERE paid), count(DISTINCT region) FROM sales", "SELECT max(qty) FROM sales LIMIT 1",
        "SELECT region, rank() OVER (PARTITION BY region ORDER BY sum(qty) DESC) FROM sales GROUP BY region",
        "SELECT sum(qty) OVER w FROM sales WINDOW w AS (ORDER BY id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)",
        "SELECT a.region FROM sales a WHERE EXISTS (SELECT 1 FROM regions r WHERE r.region = a.region)",
        "SELECT qty FROM sales WHERE qty > (SELECT avg(qty) FROM sales)", "SELECT qty * 1.0 / nullif(id, 0) FROM sales",
        "SELECT region FROM sales UNION ALL SELECT region FROM regions ORDER BY region LIMIT 3",
        "SELECT -qty, +price, NOT paid FROM sales",
        "SELECT corr(qty, price), median(price), quantile_cont(price, 0.9), mode(region) FROM sales",
        "SELECT CASE WHEN price > 5 THEN 'dear' WHEN price IS NULL THEN NULL ELSE 'cheap' END AS class, count(*) FROM sales "
        "GROUP BY class",
        "SELECT count(*) FROM sales WHERE paid = 1 OR paid = FALSE OR paid IS NOT TRUE"));

TEST(SqlStatement, DatesAreReadWithTheColumnBesideThem) {
  EXPECT_EQ(Rewritten("SELECT id FROM sales WHERE day >= '2024-3-1' AND at < '2024-04-01'"),
            "SELECT id FROM sales WHERE day >= '2024-03-01' AND at < '2024-04-01 00:00:00'");
  EXPECT_EQ(Rewritten("SELECT id FROM sales WHERE sent = '2024-03-01T10:00:00+02:00'"),
            "SELECT id FROM sales WHERE sent = '2024-03-01 08:00:00+00'");
  EXPECT_EQ(Rewritten("SELECT id FROM sales WHERE day < DATE '2024-01-31' + INTERVAL 1 MONTH"),
            "SELECT id FROM sales WHERE cast_timestamp(day) < date_shift('2024-01-31' , 'month', 1)");
}

TEST(SqlStatement, SpellingsThatSqliteLacksAreRewrittenLineByLine) {
  EXPECT_EQ(Rewritten("SELECT EXTRACT(year\nFROM day) FROM sales"), "SELECT date_part('year', \nday) FROM sales");
  EXPECT_EQ(Rewritten("SELECT qty::DOUBLE / 2, TRY_CAST(region AS INT) FROM sales"),
            "SELECT cast_real(qty) / 2, try_cast_integer(region ) FROM sales");
  EXPECT_EQ(Rewritten("SELECT id FROM sales WHERE region NOT ILIKE 'n%'"),
            "SELECT id FROM sales WHERE lower(region) NOT LIKE lower('n%')");
  EXPECT_EQ(Rewritten("SELECT string_agg(DISTINCT region, '; ' ORDER BY region DESC) FROM sales"),
            "SELECT ordered_text(region, '; ', region, 3) FROM sales");
  EXPECT_EQ(Rewritten("SELECT id FROM sales ORDER BY day DESC, id -- last"),
            "SELECT id FROM sales ORDER BY day DESC NULLS LAST, id NULLS LAST -- last");
}

TEST(SqlStatement, TheResultKnowsItsTypes) {
  const CheckedStatement checked = CheckStatement(
      "SELECT min(day), paid, qty * 2, price, date_trunc('hour', day), max(sent), count(*) > 1 AS many, CASE WHEN paid THEN 1 "
      "ELSE 0.5 END x "
      "FROM sales GROUP BY paid, qty, price, day",
      CheckedTables());
  ASSERT_FALSE(checked.fault) << checked.fault->message;
  std::vector<ValueType> types;
  for (const TypedColumn& column : checked.columns) types.push_back(column.type);
  EXPECT_EQ(types,
            (std::vector<ValueType>{ValueType::kDate, ValueType::kBoolean, ValueType::kInteger, ValueType::kReal,
                                    ValueType::kTimestamp, ValueType::kInstant, ValueType::kBoolean, ValueType::kNumber}));
  EXPECT_EQ(checked.columns[0].name, "min(day)");
  EXPECT_EQ(checked.columns[6].name, "many");
  EXPECT_FALSE(checked.ordered);
}

TEST(SqlStatement, AFaultNamesItsLine) {
  const std::string sql = "SELECT region,\n       qty / 2\nFROM sales";
  const CheckedStatement checked = CheckStatement(sql, CheckedTables());
  ASSERT_TRUE(checked.fault);
  const SourcePlace place = Locate(sql, checked.fault->offset);
  EXPECT_EQ(place.line, 2);
  EXPECT_EQ(place.text, "       qty / 2");
}

TEST(SqlStatement, HostileDepthAndLengthAreRefused) {
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "nested deeper",
                      Refusal("SELECT " + std::string(10'000, '(') + "1" + std::string(10'000, ')')));
  std::string chain = "SELECT 1";
  for (int i = 0; i < 20'000; ++i) chain += "+1";
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "nested deeper", Refusal(chain));
  std::string nested = "1";
  for (int i = 0; i < 150; ++i) nested = "(SELECT 1+1+1+1+" + nested + "+1+1+1+1)";
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "nested deeper", Refusal("SELECT " + nested));
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "bytes; at most", Refusal("SELECT '" + std::string(1 << 20, 'x') + "'"));
  std::string minus = "SELECT " + std::string(100'000, '-') + "1";
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "ends too early", Refusal(minus));  // a comment
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "nested deeper", Refusal("SELECT " + std::string(50'000, '~') + "1"));
}

}  // namespace
}  // namespace conclave::guest
