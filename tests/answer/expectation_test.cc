#include "lib/answer/expectation.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/answer/wire.h"

namespace conclave {
namespace {

// "kind[, decimals n][, unit u][, top n][, ordered]"
std::string Shown(const v1::Expectation& expectation) {
  std::string text(AnswerKindName(expectation.kind()));
  if (expectation.has_decimals()) text += ", decimals " + std::to_string(expectation.decimals());
  if (!expectation.unit().empty()) text += ", unit " + expectation.unit();
  if (expectation.has_top_n()) text += ", top " + std::to_string(expectation.top_n());
  if (expectation.has_ordered()) text += expectation.ordered() ? ", ordered" : ", unordered";
  return text;
}

struct Row {
  const char* question;
  const char* expected;
};

const Row kRows[] = {
    {"", "unspecified"},
    {"?!", "unspecified"},
    {"How many rows are there?", "integer"},
    {"How many columns, and of which type?", "unspecified"},
    {"Describe the table.", "unspecified"},
    {"What is the mean fare?", "number"},
    {"Mean and standard deviation of fare, 2 decimals", "unspecified, decimals 2"},
    {"Population std of fare", "number"},
    {"Median age", "number"},
    {"90th percentile of price", "unspecified"},
    {"Quartiles and IQR of qty", "unspecified"},
    {"Minimum, maximum and range of tmax", "unspecified"},
    {"Most common region", "unspecified"},
    {"Total revenue", "unspecified"},
    {"How many distinct customers?", "integer"},
    {"List the distinct regions", "list"},
    {"How many missing values in age?", "integer"},
    {"Which column has the most missing values?", "text"},
    {"Share of missing cells per column", "table, unit percent"},
    {"Are there duplicate rows? How many?", "unspecified"},
    {"How many women survived?", "integer"},
    {"Mean age of male passengers in class 1", "number"},
    {"Orders above 1000", "unspecified"},
    {"Rows where region is not North", "unspecified"},
    {"Average fare per class", "table"},
    {"Total sales by region, highest first", "table, ordered"},
    {"Count of passengers by class and sex", "table"},
    {"Pivot mean fare by class and port", "table"},
    {"Top 5 products by quantity", "table, top 5, ordered"},
    {"Bottom 3 regions by revenue", "table, top 3, ordered"},
    {"Which country has the highest score?", "text"},
    {"Which brand has the highest average rating with at least 100 reviews?", "text"},
    {"What percent of passengers survived?", "number, unit percent"},
    {"Share of sales by region", "table, unit percent"},
    {"Ratio of male to female", "unspecified"},
    {"Difference in mean fare between survivors and others", "number"},
    {"Is that difference significant?", "boolean"},
    {"Do means differ among the three classes?", "boolean"},
    {"Is survival related to sex?", "boolean"},
    {"Is fare normally distributed?", "boolean"},
    {"Correlation of high and low", "number"},
    {"Which column correlates most with score?", "text"},
    {"Correlation matrix of numeric columns", "unspecified"},
    {"Outliers in fare by IQR", "unspecified"},
    {"Sales by month", "table"},
    {"Which month had the highest sales?", "unspecified"},
    {"Average temperature by month of year", "table"},
    {"Date with the highest close", "unspecified"},
    {"When was the highest close?", "date"},
    {"On which date did the price peak?", "date"},
    {"What date has the most orders?", "date"},
    {"First and last date, number of days", "unspecified"},
    {"Weighted mean price by qty", "table"},
    {"Sort by price, cheapest first", "unspecified, ordered"},
    {"What is the average price, rounded to two decimal places?", "number, decimals 2"},
    {"What is the average price to 3 decimal places?", "number, decimals 3"},
    {"What is the average price with one decimal?", "number, decimals 1"},
    {"What is the median age to the nearest integer?", "number, decimals 0"},
    {"Average fare to 2 decimals by class, sorted by fare descending", "table, decimals 2, ordered"},
    {"What percentage of orders were refunded, to 1 decimal?", "number, decimals 1, unit percent"},
    {"What share of customers has no e-mail?", "number, unit percent"},
    {"How many orders have a discount above 10 percent?", "integer"},
    {"The three most expensive products", "unspecified, top 3, ordered"},
    {"What are the 5 largest cities?", "unspecified, top 5, ordered"},
    {"Which products are out of stock?", "unspecified"},
    {"Which of the regions grew?", "text"},
    {"Which are the best customers?", "unspecified"},
    {"How many orders and which customers?", "unspecified"},
    {"Mean of price divided by qty", "number"},
    {"How many orders per customer?", "table"},
    {"For each class, the mean fare", "table"},
    {"What is the mean of \"top 5 by x\"?", "number"},
    {"List all products in alphabetical order", "list, ordered"},
    {"Does the price depend on the region?", "boolean"},
    {"MEDIAN \xEF\xBC\xA1ge", "number"},
};

TEST(Expectation, FollowsFromTheWords) {
  for (const Row& row : kRows) EXPECT_EQ(Shown(ExpectationFromQuestion(row.question)), row.expected) << row.question;
}

TEST(Expectation, SurvivesAnyBytes) {
  EXPECT_EQ(Shown(ExpectationFromQuestion(std::string("\xff\x00 \"", 4))), "unspecified");
  EXPECT_EQ(ExpectationFromQuestion("to 99999999999999999999 decimals").has_decimals(), false);
  EXPECT_EQ(ExpectationFromQuestion("top 99999999999999999999").has_top_n(), false);
  ExpectationFromQuestion(std::string(100'000, '"'));
}

}  // namespace
}  // namespace conclave
