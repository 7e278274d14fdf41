#include "lib/persona/offline/lexicon.h"

#include <algorithm>
#include <array>

#include "absl/strings/ascii.h"

namespace conclave::offline {
namespace {

constexpr Phrase Plain(std::string_view text, Keyword keyword) { return {.text = text, .keyword = keyword}; }
constexpr Phrase Of(std::string_view text, Function function, std::string_view quantile = {}) {
  return {.text = text, .keyword = Keyword::kFunction, .function = function, .quantile = quantile};
}
constexpr Phrase InTime(std::string_view text, Function function) {
  return {.text = text, .keyword = Keyword::kFunction, .function = function, .of_time = true};
}
constexpr Phrase Compare(std::string_view text, Test test) { return {.text = text, .keyword = Keyword::kTest, .test = test}; }
constexpr Phrase Part(std::string_view text, DatePart part) {
  return {.text = text, .keyword = Keyword::kDatePart, .part = part};
}
constexpr Phrase Month(std::string_view text, int number) {
  return {.text = text, .keyword = Keyword::kMonthName, .number = number};
}

using F = Function;

constexpr Phrase kPhrases[] = {
    Plain("what", K::kWhat),
    Plain("which", K::kWhat),
    Plain("who", K::kWith),
    Plain("that", K::kWith),
    Plain("which", K::kWith),
    Plain("where", K::kWith),
    Plain("whose", K::kWith),
    Plain("when", K::kWith),
    Plain("with", K::kWith),
    Plain("having", K::kWith),
    Plain("is", K::kBe),
    Plain("are", K::kBe),
    Plain("was", K::kBe),
    Plain("were", K::kBe),
    Plain("do", K::kDo),
    Plain("does", K::kDo),
    Plain("did", K::kDo),
    Plain("has", K::kHave),
    Plain("have", K::kHave),
    Plain("had", K::kHave),
    Plain("give", K::kShow),
    Plain("find", K::kShow),
    Plain("compute", K::kShow),
    Plain("calculate", K::kShow),
    Plain("tell", K::kShow),
    Plain("get", K::kShow),
    Plain("report", K::kShow),
    Plain("determine", K::kShow),
    Plain("show", K::kList),
    Plain("list", K::kList),
    Plain("display", K::kList),
    Plain("how many", K::kHowMany),
    Plain("how much", K::kHowMuch),
    Plain("number of", K::kHowMany),
    Plain("count of", K::kHowMany),
    Plain("count", K::kHowMany),
    Plain("count", K::kCountWord),
    Plain("total number of", K::kHowMany),
    Plain("total count of", K::kHowMany),
    Plain("distinct", K::kDistinct),
    Plain("unique", K::kDistinct),
    Plain("different", K::kDistinct),
    Plain("values", K::kValues),
    Plain("value", K::kValues),
    Plain("entries", K::kValues),
    Plain("cells", K::kValues),
    Plain("missing", K::kMissing),
    Plain("null", K::kMissing),
    Plain("nulls", K::kMissing),
    Plain("empty", K::kMissing),
    Plain("blank", K::kMissing),
    Plain("without", K::kWithout),
    Plain("with no", K::kWithout),
    Plain("have no", K::kWithout),
    Plain("has no", K::kWithout),
    Plain("having no", K::kWithout),
    Plain("not", K::kNot),
    Plain("percent", K::kPercent),
    Plain("percentage", K::kPercent),
    Plain("%", K::kPercent),
    Plain("share", K::kPercent),
    Plain("of", K::kOf),
    Plain("in", K::kIn),
    Plain("on", K::kIn),
    Plain("at", K::kIn),
    Plain("within", K::kIn),
    Plain("during", K::kIn),
    Plain("among", K::kIn),
    Plain("for", K::kIn),
    Plain("from", K::kIn),
    Plain("and", K::kAnd),
    Plain("as well as", K::kAnd),
    Plain(",", K::kComma),
    Plain("or", K::kOr),
    Plain("by", K::kBy),
    Plain("per", K::kBy),
    Plain("for each", K::kBy),
    Plain("for every", K::kBy),
    Plain("in each", K::kBy),
    Plain("in every", K::kBy),
    Plain("of each", K::kBy),
    Plain("within each", K::kBy),
    Plain("grouped by", K::kBy),
    Plain("group by", K::kBy),
    Plain("broken down by", K::kBy),
    Plain("split by", K::kBy),
    Plain("across", K::kBy),
    Plain("top", K::kTop),
    Plain("bottom", K::kBottom),
    Plain("highest", K::kHighest),
    Plain("largest", K::kHighest),
    Plain("greatest", K::kHighest),
    Plain("biggest", K::kHighest),
    Plain("maximum", K::kHighest),
    Plain("lowest", K::kLowest),
    Plain("smallest", K::kLowest),
    Plain("minimum", K::kLowest),
    Plain("most", K::kMost),
    Plain("fewest", K::kFewest),
    Plain("least", K::kFewest),
    Plain("common", K::kCommon),
    Plain("frequent", K::kCommon),
    Plain("often", K::kOften),
    Plain("frequently", K::kOften),
    Plain("occurs", K::kOccurs),
    Plain("occur", K::kOccurs),
    Plain("appears", K::kOccurs),
    Plain("appear", K::kOccurs),
    Plain("first", K::kFirst),
    Plain("descending", K::kDescending),
    Plain("desc", K::kDescending),
    Plain("in descending order", K::kDescending),
    Plain("from highest to lowest", K::kDescending),
    Plain("from largest to smallest", K::kDescending),
    Plain("ascending", K::kAscending),
    Plain("asc", K::kAscending),
    Plain("in ascending order", K::kAscending),
    Plain("from lowest to highest", K::kAscending),
    Plain("from smallest to largest", K::kAscending),
    Plain("sorted by", K::kSorted),
    Plain("ordered by", K::kSorted),
    Plain("sort by", K::kSorted),
    Plain("order by", K::kSorted),
    Plain("sorted", K::kSorted),
    Plain("ordered", K::kSorted),
    Plain("decimals", K::kDecimals),
    Plain("decimal", K::kDecimals),
    Plain("decimal places", K::kDecimals),
    Plain("decimal place", K::kDecimals),
    Plain("rounded to", K::kRoundedTo),
    Plain("round to", K::kRoundedTo),
    Plain("to", K::kRoundedTo),
    Plain("with", K::kRoundedTo),
    Plain("as a", K::kAs),
    Plain("as", K::kAs),
    Plain("in", K::kAs),
    Plain("expressed as a", K::kAs),
    Plain("to", K::kTo),
    Plain("between", K::kBetween),
    Plain("starting with", K::kStarts),
    Plain("starts with", K::kStarts),
    Plain("start with", K::kStarts),
    Plain("beginning with", K::kStarts),
    Plain("begins with", K::kStarts),
    Plain("begin with", K::kStarts),
    Plain("containing", K::kContains),
    Plain("contains", K::kContains),
    Plain("contain", K::kContains),
    Plain("after", K::kAfter),
    Plain("before", K::kBefore),
    Plain("since", K::kSince),
    Plain("until", K::kUntil),
    Plain("column", K::kColumnWord),
    Plain("columns", K::kColumnWord),
    Plain("field", K::kColumnWord),
    Plain("fields", K::kColumnWord),
    Plain("variable", K::kColumnWord),
    Plain("variables", K::kColumnWord),
    Plain("type", K::kType),
    Plain("types", K::kType),
    Plain("data type", K::kType),
    Plain("data types", K::kType),
    Plain("their", K::kTheir),
    Plain("rows", K::kRowNoun),
    Plain("row", K::kRowNoun),
    Plain("records", K::kRowNoun),
    Plain("record", K::kRowNoun),
    Plain("lines", K::kRowNoun),
    Plain("observations", K::kRowNoun),
    Plain("entries", K::kRowNoun),
    Plain("table", K::kTableWord),
    Plain("dataset", K::kTableWord),
    Plain("data set", K::kTableWord),
    Plain("data", K::kTableWord),
    Plain("file", K::kTableWord),
    Plain("+", K::kPlus),
    Plain("plus", K::kPlus),
    Plain("-", K::kMinus),
    Plain("minus", K::kMinus),
    Plain("*", K::kTimes),
    Plain("times", K::kTimes),
    Plain("multiplied by", K::kTimes),
    Plain("/", K::kDivided),
    Plain("divided by", K::kDivided),
    Plain("exist", K::kExist),
    Plain("total", K::kTotal),
    Plain("all", K::kAll),
    Plain("quartiles", K::kQuartiles),
    Plain("percentile", K::kPercentile),
    Plain("mode", K::kMode),

    Of("mean", F::kMean),
    Of("average", F::kMean),
    Of("avg", F::kMean),
    Of("sum", F::kSum),
    Of("total", F::kSum),
    Of("sum total", F::kSum),
    Of("minimum", F::kMinimum),
    Of("min", F::kMinimum),
    Of("lowest", F::kMinimum),
    Of("smallest", F::kMinimum),
    InTime("earliest", F::kMinimum),
    InTime("first", F::kMinimum),
    Of("maximum", F::kMaximum),
    Of("max", F::kMaximum),
    Of("highest", F::kMaximum),
    Of("largest", F::kMaximum),
    Of("greatest", F::kMaximum),
    Of("biggest", F::kMaximum),
    InTime("latest", F::kMaximum),
    InTime("last", F::kMaximum),
    Of("median", F::kMedian),
    Of("range", F::kRange),
    Of("standard deviation", F::kStdSample),
    Of("sample standard deviation", F::kStdSample),
    Of("std", F::kStdSample),
    Of("stdev", F::kStdSample),
    Of("std dev", F::kStdSample),
    Of("sample std", F::kStdSample),
    Of("population standard deviation", F::kStdPopulation),
    Of("population std", F::kStdPopulation),
    Of("variance", F::kVarianceSample),
    Of("sample variance", F::kVarianceSample),
    Of("population variance", F::kVariancePopulation),
    Of("interquartile range", F::kInterquartileRange),
    Of("iqr", F::kInterquartileRange),
    Of("lower quartile", F::kQuantile, "0.25"),
    Of("first quartile", F::kQuantile, "0.25"),
    Of("upper quartile", F::kQuantile, "0.75"),
    Of("third quartile", F::kQuantile, "0.75"),

    Compare("=", Test::kEqual),
    Compare("equal to", Test::kEqual),
    Compare("equals", Test::kEqual),
    Compare("exactly", Test::kEqual),
    Compare("<>", Test::kNotEqual),
    Compare("not equal to", Test::kNotEqual),
    Compare(">", Test::kGreater),
    Compare("greater than", Test::kGreater),
    Compare("more than", Test::kGreater),
    Compare("above", Test::kGreater),
    Compare("over", Test::kGreater),
    Compare("larger than", Test::kGreater),
    Compare("higher than", Test::kGreater),
    Compare("exceeding", Test::kGreater),
    Compare(">=", Test::kGreaterOrEqual),
    Compare("at least", Test::kGreaterOrEqual),
    Compare("no less than", Test::kGreaterOrEqual),
    Compare("greater than or equal to", Test::kGreaterOrEqual),
    Compare("<", Test::kLess),
    Compare("less than", Test::kLess),
    Compare("below", Test::kLess),
    Compare("under", Test::kLess),
    Compare("lower than", Test::kLess),
    Compare("fewer than", Test::kLess),
    Compare("smaller than", Test::kLess),
    Compare("<=", Test::kLessOrEqual),
    Compare("at most", Test::kLessOrEqual),
    Compare("no more than", Test::kLessOrEqual),
    Compare("less than or equal to", Test::kLessOrEqual),
    Compare("up to", Test::kLessOrEqual),

    Part("month", DatePart::kYearMonth),
    Part("months", DatePart::kYearMonth),
    Part("year and month", DatePart::kYearMonth),
    Part("calendar month", DatePart::kMonthOfYear),
    Part("month of year", DatePart::kMonthOfYear),
    Part("month of the year", DatePart::kMonthOfYear),
    Part("weekday", DatePart::kWeekday),
    Part("weekdays", DatePart::kWeekday),
    Part("day of week", DatePart::kWeekday),
    Part("day of the week", DatePart::kWeekday),
    Part("year", DatePart::kYear),
    Part("years", DatePart::kYear),
    Part("quarter", DatePart::kYearQuarter),
    Part("quarters", DatePart::kYearQuarter),
    Part("quarter of year", DatePart::kQuarterOfYear),
    Part("quarter of the year", DatePart::kQuarterOfYear),
    Part("day", DatePart::kDay),
    Part("days", DatePart::kDay),
    Part("date", DatePart::kDay),

    Month("january", 1),
    Month("february", 2),
    Month("march", 3),
    Month("april", 4),
    Month("may", 5),
    Month("june", 6),
    Month("july", 7),
    Month("august", 8),
    Month("september", 9),
    Month("october", 10),
    Month("november", 11),
    Month("december", 12),
};

template <size_t N>
bool Among(const std::array<std::string_view, N>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

constexpr std::string_view kVague = "give a value instead, such as \"above 100\" or \"after 2024-01-31\"";

struct BeyondWord {
  std::string_view word;
  Beyond beyond;
};

constexpr Beyond kCausal = {"the question asks for a cause, and data alone do not hold causes",
                            "ask how a number breaks down instead, such as \"total sales by month\""};
constexpr Beyond kForecast = {"the question asks about the future, and this analyst does not forecast",
                              "ask for past values by month or year instead"};
constexpr Beyond kTraining = {"training or grouping with a learned model is beyond this analyst",
                              "ask for a figure by group instead, such as \"average price by region\""};
constexpr Beyond kLanguage = {"reading texts for their meaning is beyond this analyst",
                              "ask how many texts contain a word instead, or for the columns and their types"};
constexpr Beyond kNoMeasure = {"the question names no measure to rank by", ""};
constexpr Beyond kVagueBound = {"the question gives a bound without a value", kVague};
constexpr Beyond kReadOnly = {"the analyst only reads data",
                              "ask a question whose answer is a number, a text, a list or a table"};
constexpr Beyond kTesting = {"statistical tests are beyond this analyst",
                             "ask for the figures themselves instead, such as \"average price by region\""};
constexpr Beyond kChart = {"drawing is beyond this analyst",
                           "ask for the numbers behind the chart, such as \"total sales by region\""};

constexpr BeyondWord kBeyondWords[] = {
    {"why", kCausal},          {"cause", kCausal},          {"causes", kCausal},
    {"caused", kCausal},       {"because", kCausal},        {"explain", kCausal},
    {"predict", kForecast},    {"forecast", kForecast},     {"will", kForecast},
    {"next", kForecast},       {"future", kForecast},       {"expect", kForecast},
    {"train", kTraining},      {"cluster", kTraining},      {"classify", kTraining},
    {"segment", kTraining},    {"regression", kTraining},   {"forest", kTraining},
    {"summarise", kLanguage},  {"summarize", kLanguage},    {"sentiment", kLanguage},
    {"translate", kLanguage},  {"describe", kLanguage},     {"best", kNoMeasure},
    {"worst", kNoMeasure},     {"matter", kNoMeasure},      {"important", kNoMeasure},
    {"popular", kNoMeasure},   {"interesting", kNoMeasure}, {"good", kNoMeasure},
    {"recent", kVagueBound},   {"large", kVagueBound},      {"small", kVagueBound},
    {"young", kVagueBound},    {"old", kVagueBound},        {"high", kVagueBound},
    {"low", kVagueBound},      {"expensive", kVagueBound},  {"cheap", kVagueBound},
    {"big", kVagueBound},      {"lately", kVagueBound},     {"delete", kReadOnly},
    {"remove", kReadOnly},     {"drop", kReadOnly},         {"write", kReadOnly},
    {"email", kReadOnly},      {"send", kReadOnly},         {"save", kReadOnly},
    {"update", kReadOnly},     {"insert", kReadOnly},       {"execute", kReadOnly},
    {"significant", kTesting}, {"correlation", kTesting},   {"correlate", kTesting},
    {"correlated", kTesting},  {"normally", kTesting},      {"plot", kChart},
    {"chart", kChart},         {"graph", kChart},           {"histogram", kChart},
    {"draw", kChart},          {"scatter", kChart},
};

}  // namespace

std::vector<const Phrase*> PhrasesOf(std::string_view text) {
  std::vector<const Phrase*> result;
  for (const Phrase& phrase : kPhrases) {
    if (phrase.text == text) result.push_back(&phrase);
  }
  return result;
}

bool IsStopWord(std::string_view folded) {
  static constexpr std::array<std::string_view, 8> kStop = {"the", "a", "an", "please", "there", "me", "us", "you"};
  return Among(kStop, folded);
}

std::optional<std::string> NumberWord(std::string_view folded) {
  static constexpr std::array<std::string_view, 13> kWords = {"zero",  "one",   "two",  "three", "four",   "five",  "six",
                                                              "seven", "eight", "nine", "ten",   "eleven", "twelve"};
  const auto at = std::find(kWords.begin(), kWords.end(), folded);
  if (at == kWords.end()) return std::nullopt;
  return std::to_string(at - kWords.begin());
}

std::optional<std::string> Ordinal(std::string_view folded) {
  if (folded.size() < 3 || folded.size() > 4) return std::nullopt;
  const std::string_view ending = folded.substr(folded.size() - 2);
  if (ending != "th" && ending != "st" && ending != "nd" && ending != "rd") return std::nullopt;
  const std::string_view digits = folded.substr(0, folded.size() - 2);
  for (char c : digits) {
    if (!absl::ascii_isdigit(static_cast<unsigned char>(c))) return std::nullopt;
  }
  return std::string(digits);
}

std::string_view Everyday(std::string_view folded) {
  static constexpr std::array<std::array<std::string_view, 2>, 12> kPairs = {{{"quantity", "qty"},
                                                                              {"amount", "amt"},
                                                                              {"number", "num"},
                                                                              {"no", "num"},
                                                                              {"gender", "sex"},
                                                                              {"temperature", "temp"},
                                                                              {"maximum", "max"},
                                                                              {"minimum", "min"},
                                                                              {"average", "avg"},
                                                                              {"mean", "avg"},
                                                                              {"percentage", "pct"},
                                                                              {"percent", "pct"}}};
  for (const auto& pair : kPairs) {
    if (pair[0] == folded) return pair[1];
  }
  return folded;
}

std::string_view SexOf(std::string_view folded) {
  static constexpr std::array<std::string_view, 5> kMale = {"male", "males", "man", "men", "m"};
  static constexpr std::array<std::string_view, 5> kFemale = {"female", "females", "woman", "women", "f"};
  if (Among(kMale, folded)) return "male";
  if (Among(kFemale, folded)) return "female";
  return "";
}

bool IsPersonNoun(std::string_view folded) {
  static constexpr std::array<std::string_view, 18> kNouns = {
      "passenger", "passengers", "people",  "person",   "persons",     "individuals",  "individual", "patient",     "patients",
      "employee",  "employees",  "student", "students", "participant", "participants", "respondent", "respondents", "guests"};
  return Among(kNouns, folded);
}

bool IsAdditiveWord(std::string_view folded) {
  static constexpr std::array<std::string_view, 27> kWords = {
      "cost",     "costs", "total",    "sales",    "sale",          "revenue",  "revenues", "turnover", "amount",
      "amt",      "qty",   "quantity", "units",    "turnovers",     "profit",   "profits",  "expenses", "spend",
      "spending", "gross", "rain",     "rainfall", "precipitation", "snowfall", "deaths",   "births",   "visits"};
  return Among(kWords, folded);
}

bool IsRateWord(std::string_view folded) {
  static constexpr std::array<std::string_view, 18> kWords = {"unit",   "per",     "average", "avg",        "mean",   "rate",
                                                              "ratio",  "percent", "pct",     "percentage", "max",    "min",
                                                              "median", "price",   "margin",  "growth",     "change", "share"};
  return Among(kWords, folded);
}

Beyond BeyondReach(std::string_view folded) {
  // Which column tells the hottest day or the richest state is for a person to say.
  static constexpr std::array<std::string_view, 24> kSuperlatives = {
      "hottest",  "coldest",  "warmest",  "coolest", "wettest",      "driest",       "rainiest",    "snowiest",
      "sunniest", "windiest", "cheapest", "safest",  "richest",      "poorest",      "oldest",      "youngest",
      "longest",  "shortest", "tallest",  "busiest", "northernmost", "southernmost", "easternmost", "westernmost"};
  if (Among(kSuperlatives, folded)) return kNoMeasure;
  for (const BeyondWord& entry : kBeyondWords) {
    if (entry.word == folded) return entry.beyond;
  }
  return {};
}

}  // namespace conclave::offline
