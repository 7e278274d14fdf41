#include "lib/persona/offline/finish.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/text.h"
#include "lib/persona/offline/lexicon.h"
#include "lib/plan/contradiction.h"
#include "lib/plan/describe.h"

namespace conclave::offline {
namespace {

std::string_view FunctionWord(Function function) {
  switch (function) {
    case Function::kCountRows:
    case Function::kCount: return "count";
    case Function::kCountDistinct: return "distinct";
    case Function::kCountNull: return "missing";
    case Function::kSum: return "sum";
    case Function::kMean: return "mean";
    case Function::kMinimum: return "min";
    case Function::kMaximum: return "max";
    case Function::kRange: return "range";
    case Function::kStdSample:
    case Function::kStdPopulation: return "std";
    case Function::kVarianceSample:
    case Function::kVariancePopulation: return "var";
    case Function::kMedian: return "median";
    case Function::kQuantile: return "quantile";
    case Function::kInterquartileRange: return "iqr";
    case Function::kPercentOfRows: return "percent";
    case Function::kPercentOfTotal: return "share";
  }
  return "value";
}

std::string TermName(const Term& term) {
  switch (term.arithmetic) {
    case Arithmetic::kNone: break;
    case Arithmetic::kAdd: return absl::StrCat(term.column.name, "_plus_", term.other.name);
    case Arithmetic::kSubtract: return absl::StrCat(term.column.name, "_minus_", term.other.name);
    case Arithmetic::kMultiply: return absl::StrCat(term.column.name, "_times_", term.other.name);
    case Arithmetic::kDivide: return absl::StrCat(term.column.name, "_per_", term.other.name);
  }
  switch (term.part) {
    case DatePart::kNone: return term.column.name;
    case DatePart::kDay: return "day";
    case DatePart::kYear: return "year";
    case DatePart::kYearQuarter:
    case DatePart::kQuarterOfYear: return "quarter";
    case DatePart::kYearMonth:
    case DatePart::kMonthOfYear: return "month";
    case DatePart::kWeekday: return "weekday";
  }
  return term.column.name;
}

std::string MeasureName(const Measure& measure) {
  const std::string word(FunctionWord(*measure.function));
  if (measure.of.column == nullptr) return word;
  if (measure.function == Function::kQuantile)
    return absl::StrCat("q", measure.quantile.substr(2), "_", TermName(measure.of.term));
  return absl::StrCat(word, "_", TermName(measure.of.term));
}

bool IsAdditive(const v1::ColumnProfile& column) {
  const std::vector<std::string> words = NameWords(column.name());
  const bool rate = std::any_of(words.begin(), words.end(), [](const std::string& word) { return IsRateWord(word); });
  return !rate && std::any_of(words.begin(), words.end(), [](const std::string& word) { return IsAdditiveWord(word); });
}

class Finisher {
 public:
  Finisher(const Sketch& sketch, const Catalog& catalog) : sketch_(sketch), catalog_(catalog) {}

  Finished Run() {
    finished_.problem = sketch_.problem;
    finished_.suggestions = sketch_.suggestions;
    finished_.needs_dates = sketch_.needs_dates;
    finished_.assumptions = sketch_.assumptions;
    plan_.table = catalog_.profile().name();
    plan_.filters = sketch_.filters;
    plan_.format.decimals = sketch_.decimals;
    if (finished_.problem.empty()) Build();
    if (finished_.problem.empty()) finished_.problem = Contradiction(plan_);
    if (finished_.problem.empty()) {
      AddSpellings();
      for (std::string& line : Assumptions(plan_)) finished_.assumptions.push_back(std::move(line));
      if (plan_.format.decimals) {
        finished_.assumptions.push_back(absl::StrCat("values are computed in full precision and shown to ",
                                                     *plan_.format.decimals,
                                                     *plan_.format.decimals == 1 ? " decimal" : " decimals"));
      }
    }
    std::vector<std::string> unique;
    for (std::string& line : finished_.assumptions) {
      if (std::find(unique.begin(), unique.end(), line) == unique.end()) unique.push_back(std::move(line));
    }
    finished_.assumptions = std::move(unique);
    finished_.plan = std::move(plan_);
    return std::move(finished_);
  }

 private:
  void Fail(std::string problem, std::vector<std::string> suggestions = {}) {
    if (!finished_.problem.empty()) return;
    finished_.problem = std::move(problem);
    finished_.suggestions = std::move(suggestions);
  }
  void Assume(std::string line) { finished_.assumptions.push_back(std::move(line)); }

  // Groups and distinct values are those of the file, letter by letter.
  void AddSpellings() {
    if (plan_.subject == Subject::kRows) return;
    std::vector<std::string> told;
    for (const Key& key : plan_.keys) told.push_back(key.term.column.name);
    for (const Aggregate& aggregate : plan_.aggregates) {
      if (aggregate.function == Function::kCountDistinct) told.push_back(aggregate.term.column.name);
    }
    for (const v1::ColumnProfile& column : catalog_.profile().columns()) {
      if (std::find(told.begin(), told.end(), column.name()) == told.end()) continue;
      const std::string apart = SpellingsApart(column);
      if (apart.empty()) continue;
      finished_.notes.push_back(apart);
      finished_.spellings.push_back(column.name());
    }
  }

  void Build() {
    switch (sketch_.form) {
      case Form::kMeasures: BuildMeasures(); break;
      case Form::kRank: BuildRank(); break;
      case Form::kCommon: BuildCommon(); break;
      case Form::kDistinct: BuildDistinct(); break;
      case Form::kRows: BuildRows(); break;
      case Form::kHaving: BuildHaving(); break;
      case Form::kColumnCount: BuildSchema(Subject::kColumnCount); break;
      case Form::kColumnTypes: BuildSchema(Subject::kColumnTypes); break;
      case Form::kMissingPerColumn: BuildSchema(Subject::kMissingPerColumn); break;
      case Form::kMostMissing: BuildSchema(Subject::kMostMissingColumns); break;
    }
    const bool percent =
        !plan_.aggregates.empty() && std::all_of(plan_.aggregates.begin(), plan_.aggregates.end(), [](const Aggregate& a) {
          return a.function == Function::kPercentOfRows || a.function == Function::kPercentOfTotal;
        });
    if (percent) plan_.format.unit = "percent";
    if (sketch_.percent_format && !percent) Fail("a percentage was asked for, but the question does not say of what");
    if (sketch_.sort && sketch_.form != Form::kMeasures && sketch_.form != Form::kDistinct)
      Fail("this answer has an order of its own");
    if (sketch_.sort && plan_.keys.empty()) Fail("there is nothing to sort in an answer without groups");
  }

  std::string UniqueName(const std::string& name) const {
    const auto taken = [&](const std::string& candidate) {
      const std::string folded = FoldCase(candidate);
      return std::any_of(plan_.keys.begin(), plan_.keys.end(), [&](const Key& key) { return FoldCase(key.name) == folded; }) ||
             std::any_of(plan_.aggregates.begin(), plan_.aggregates.end(),
                         [&](const Aggregate& a) { return FoldCase(a.name) == folded; });
    };
    std::string result = name;
    for (int i = 2; taken(result); ++i) result = absl::StrCat(name, "_", i);
    return result;
  }

  // A column `month` beside a column `year` counts the months of all years together, unless the year is told too.
  void AssumeAllYears(const NamedTerm& key) {
    const std::vector<std::string> words = NameWords(key.term.column.name);
    if (key.term.part != DatePart::kNone || words.size() != 1) return;
    if (words[0] != "month" && words[0] != "quarter" && words[0] != "week") return;
    const auto is_year = [](const Term& term) { return IsNamedYear(term.column.name) || term.part == DatePart::kYear; };
    const auto& columns = catalog_.profile().columns();
    const bool has_year =
        std::any_of(columns.begin(), columns.end(), [](const auto& column) { return IsNamedYear(column.name()); });
    const bool told = std::any_of(sketch_.keys.begin(), sketch_.keys.end(), [&](const auto& k) { return is_year(k.term); }) ||
                      std::any_of(sketch_.filters.begin(), sketch_.filters.end(),
                                  [&](const Filter& filter) { return filter.test == Test::kEqual && is_year(filter.term); });
    if (has_year && !told) Assume(absl::StrCat(words[0], "s of all years are taken together"));
  }

  void AddKeys() {
    for (const NamedTerm& key : sketch_.keys) {
      AssumeAllYears(key);
      for (const Key& other : plan_.keys) {
        if (other.term == key.term) Fail(absl::StrCat("`", key.term.column.name, "` is named twice as a group"));
      }
      plan_.keys.push_back({key.term, UniqueName(TermName(key.term))});
    }
  }

  // Sums and means need numbers that measure something; the smallest and largest need an order.
  void CheckType(Function function, const NamedTerm& of) {
    if (of.column == nullptr || of.term.arithmetic != Arithmetic::kNone) return;
    const v1::ColumnProfile& column = *of.column;
    const bool counts = function == Function::kCountRows || function == Function::kCount ||
                        function == Function::kCountDistinct || function == Function::kCountNull;
    const bool extreme = function == Function::kMinimum || function == Function::kMaximum;
    if (counts || (extreme && HoldsDates(column.type()))) return;
    const std::string type(TypeName(column.type()));
    if (!IsNumeric(column)) {
      std::vector<std::string> numeric;
      for (const v1::ColumnProfile* other : catalog_.NumericColumns()) numeric.push_back(other->name());
      const std::string why = WhyText(column);
      Fail(absl::StrCat("`", column.name(), "` holds ", type, why.empty() ? "" : absl::StrCat(" (", why, ")"),
                        ", which has no ", std::string(FunctionWord(function)),
                        numeric.empty() ? "; no column of the table holds numbers" : "; columns with numbers have one"),
           numeric);
    } else if (IsCalendarNumber(column) && !extreme) {
      Fail(
          absl::StrCat("`", column.name(), "` holds ", std::string(NameWords(column.name()).back()), "s of the calendar, so a ",
                       std::string(FunctionWord(function)), " of it has no meaning; its lowest and highest have one"),
          {absl::StrCat("lowest ", column.name()), absl::StrCat("highest ", column.name())});
    } else if (NamesThings(column) && !extreme) {
      Fail(absl::StrCat("`", column.name(), "` holds ", type, " that name things, so a ", std::string(FunctionWord(function)),
                        " of it has no meaning"));
    }
  }

  // The last of some numbers is the one of the last date, not the highest.
  void CheckTimeWord(const Measure& measure) {
    const bool derived = measure.of.term.arithmetic != Arithmetic::kNone;
    if (measure.time_word.empty() || measure.of.column == nullptr || (!derived && HoldsDates(measure.of.column->type())))
      return;
    const bool last = measure.function == Function::kMaximum;
    const std::string name = measure.of.term.column.name;
    if (const std::string why = derived ? "" : WhyNotDates(*measure.of.column); !why.empty()) {
      Fail(absl::StrCat("\"", measure.time_word, "\" goes by a date, and `", name, "` could not be read as dates: ", why));
      return;
    }
    Fail(absl::StrCat("\"", measure.time_word, "\" goes by a date, and `", name, "` holds none: ", measure.time_word,
                      " by which date? The ", last ? "highest" : "lowest", " value is a different question"),
         {absl::StrCat(last ? "highest " : "lowest ", name)});
  }

  void AddAggregate(const Measure& measure) {
    CheckTimeWord(measure);
    CheckType(*measure.function, measure.of);
    for (const Aggregate& other : plan_.aggregates) {
      if (other.function == *measure.function && other.term == measure.of.term && other.quantile == measure.quantile) {
        Fail("the question asks for one measure twice");
      }
    }
    Aggregate aggregate{.function = *measure.function, .term = measure.of.term, .quantile = measure.quantile};
    if (measure.function == Function::kPercentOfRows) aggregate.condition = sketch_.condition;
    aggregate.name = UniqueName(MeasureName(measure));
    plan_.aggregates.push_back(std::move(aggregate));
  }

  // Programs that only count rows need to look at some column.
  void NameAnyColumn() {
    const v1::Profile& profile = catalog_.profile();
    if (profile.columns_size() > 0) plan_.columns = {catalog_.PlanColumn(profile.columns(0))};
  }

  void BuildMeasures() {
    plan_.subject = Subject::kGroups;
    AddKeys();
    if (sketch_.list && sketch_.keys.empty() && sketch_.measures.size() == 1 &&
        sketch_.measures[0].function == Function::kCountRows && sketch_.bare_count) {
      Fail("the question asks for a list and for a number at once");
    }
    for (Measure measure : sketch_.measures) {
      if (!measure.function) measure.function = IsLookup(measure) ? Function::kMaximum : AddedUp(measure.of);
      if (measure.function) AddAggregate(measure);
    }
    if (sketch_.bare_count) Assume("the number of these rows is given; say \"list\" to have the rows themselves");
    NameAnyColumn();
    AddSort();
  }

  // "murder of Texas": one row can be meant, so that no figure has to be chosen.
  bool IsLookup(const Measure& measure) {
    if (!sketch_.keys.empty() || sketch_.measures.size() != 1 || measure.of.term.arithmetic != Arithmetic::kNone) return false;
    if (!IsNumeric(*measure.of.column) && !HoldsDates(measure.of.column->type())) return false;
    for (const Filter& filter : sketch_.filters) {
      if (filter.test != Test::kEqual || filter.term.part != DatePart::kNone) continue;
      for (const v1::ColumnProfile& column : catalog_.profile().columns()) {
        if (column.name() != filter.term.column.name || !IsUniquePerRow(column, catalog_.profile())) continue;
        Assume(absl::StrCat("one row at most is meant, because `", column.name(), "` differs in every row"));
        return true;
      }
    }
    return false;
  }

  // A measure without a function ("sales by month") is a total where adding up is what people mean.
  std::optional<Function> AddedUp(const NamedTerm& of) {
    const std::string name = TermName(of.term);
    if (of.term.arithmetic == Arithmetic::kNone && IsNumeric(*of.column) && IsAdditive(*of.column)) {
      Assume(absl::StrCat("`", name, "` is added up (total)"));
      return Function::kSum;
    }
    if (of.term.arithmetic == Arithmetic::kNone && !IsNumeric(*of.column)) {
      CheckType(Function::kSum, of);
    } else {
      Fail(absl::StrCat("the question does not say which figure of `", name, "` is meant"),
           {absl::StrCat("total ", name), absl::StrCat("average ", name), absl::StrCat("highest ", name)});
    }
    return std::nullopt;
  }

  void AddSort() {
    if (!sketch_.sort) return;
    plan_.format.ordered = true;
    const SortRequest& sort = *sketch_.sort;
    if (!sort.by) {
      if (plan_.aggregates.size() != 1) {
        if (sketch_.form == Form::kDistinct && plan_.keys.size() == 1) {
          plan_.order = {{plan_.keys[0].name, sort.descending}};
          return;
        }
        Fail("the question asks for an order, but not by which of its figures");
        return;
      }
      plan_.order = {{plan_.aggregates[0].name, sort.descending}};
      return;
    }
    std::vector<Order> found;
    for (const Key& key : plan_.keys) {
      if (key.term.column == sort.by->term.column) found.push_back({key.name, sort.descending});
    }
    for (const Aggregate& aggregate : plan_.aggregates) {
      if (aggregate.term == sort.by->term) found.push_back({aggregate.name, sort.descending});
    }
    if (found.size() == 1) {
      plan_.order = found;
    } else {
      Fail(absl::StrCat("the question asks to sort by `", sort.by->term.column.name, "`, which is ",
                        found.empty() ? "not part of the answer" : "in the answer more than once"));
    }
  }

  bool IsUniqueLabel(const NamedTerm& key) const {
    return key.term.part == DatePart::kNone && key.column->distinct_is_exact() &&
           key.column->distinct() == catalog_.profile().rows() - key.column->nulls();
  }

  // Groups and rows without a label cannot be the answer to "which".
  void LeaveOutUnlabelled(const Key& key) {
    if (!key.term.column.nullable) return;
    plan_.filters.push_back({key.term, Test::kIsNotNull, {}});
    Assume(absl::StrCat("rows without a value of `", key.term.column.name, "` are left out of the ranking"));
  }

  void BuildRank() {
    AddKeys();
    const Measure& measure = sketch_.measures[0];
    if (measure.of.column != nullptr && measure.of.term.column == sketch_.keys[0].term.column &&
        sketch_.keys[0].term.part == DatePart::kNone) {
      Fail("the question ranks a column by itself");
      return;
    }
    if (!measure.function && IsUniqueLabel(sketch_.keys[0])) {
      RankRows(measure);
    } else {
      RankGroups(measure);
    }
    if (!finished_.problem.empty()) return;
    const std::string label = plan_.keys[0].name;
    LeaveOutUnlabelled(plan_.keys[0]);
    plan_.ranking->count = sketch_.count;
    plan_.ranking->descending = sketch_.descending;
    if (sketch_.label_only) {
      plan_.output = {label};
    } else {
      plan_.order = {{plan_.ranking->by, sketch_.descending}};
      plan_.format.ordered = true;
    }
  }

  void RankRows(const Measure& measure) {
    plan_.subject = Subject::kRows;
    const NamedTerm& of = measure.of;
    if (of.term.arithmetic == Arithmetic::kNone && !IsNumeric(*of.column) && !HoldsDates(of.column->type())) {
      CheckType(Function::kMean, of);
      return;
    }
    const std::string name = UniqueName(TermName(of.term));
    plan_.keys.push_back({of.term, name});
    plan_.ranking = Ranking{.by = name};
    Assume(absl::StrCat("every row is taken by itself, because `", sketch_.keys[0].term.column.name, "` differs in every row"));
  }

  void RankGroups(Measure measure) {
    plan_.subject = Subject::kGroups;
    const std::string name = measure.of.column != nullptr ? TermName(measure.of.term) : "rows";
    if (!measure.function) {
      if (measure.of.term.arithmetic == Arithmetic::kNone && IsNumeric(*measure.of.column) && IsAdditive(*measure.of.column)) {
        measure.function = Function::kSum;
        Assume(absl::StrCat("`", name, "` is added up (total)"));
      } else if (measure.of.term.arithmetic == Arithmetic::kNone && !IsNumeric(*measure.of.column)) {
        CheckType(Function::kMean, measure.of);
        return;
      } else {
        Fail(absl::StrCat("several rows share one `", sketch_.keys[0].term.column.name,
                          "`, and the question does not say which figure of `", name, "` is meant"),
             {absl::StrCat("total ", name), absl::StrCat("average ", name), absl::StrCat("maximum ", name)});
        return;
      }
    }
    AddAggregate(measure);
    NameAnyColumn();
    plan_.ranking = Ranking{.by = plan_.aggregates[0].name};
  }

  void BuildCommon() {
    AddKeys();
    plan_.subject = Subject::kGroups;
    AddAggregate({.function = Function::kCountRows});
    LeaveOutUnlabelled(plan_.keys[0]);
    plan_.ranking = Ranking{.by = plan_.aggregates[0].name, .descending = sketch_.descending};
    plan_.output = {plan_.keys[0].name};
  }

  void BuildDistinct() {
    AddKeys();
    plan_.subject = Subject::kDistinct;
    AddSort();
  }

  void BuildRows() {
    plan_.subject = Subject::kRows;
    if (sketch_.keys.empty()) {
      for (const v1::ColumnProfile& column : catalog_.profile().columns()) {
        plan_.keys.push_back({{.column = catalog_.PlanColumn(column)}, column.name()});
      }
    } else {
      AddKeys();
    }
  }

  void BuildHaving() {
    plan_.subject = Subject::kGroups;
    AddKeys();
    AddAggregate(sketch_.measures[0]);
    LeaveOutUnlabelled(plan_.keys[0]);
    plan_.having = {*sketch_.having};
    plan_.output = {plan_.keys[0].name};
  }

  void BuildSchema(Subject subject) {
    plan_.subject = subject;
    for (const v1::ColumnProfile& column : catalog_.profile().columns()) plan_.columns.push_back(catalog_.PlanColumn(column));
  }

  const Sketch& sketch_;
  const Catalog& catalog_;
  Plan plan_;
  Finished finished_;
};

}  // namespace

Finished FinishSketch(const Sketch& sketch, const Catalog& catalog) { return Finisher(sketch, catalog).Run(); }

}  // namespace conclave::offline
