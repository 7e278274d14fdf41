#include "lib/plan/pandas_writer.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/plan/pandas_expressions.h"

namespace conclave {
namespace {

using pandas::Mask;
using pandas::Py;
using pandas::PyList;
using pandas::Series;

// Writes one program, statement by statement.
class Program {
 public:
  explicit Program(const Plan& plan) : plan_(plan) {}

  std::string Write() {
    Line("import pandas as pd");
    Line("");
    switch (plan_.subject) {
      case Subject::kGroups:
      case Subject::kDistinct:
      case Subject::kRows: WriteRowsOrGroups(); break;
      case Subject::kColumnCount:
        Line("frame = load(", TableOnly(), ")");
        Line("result = len(frame.columns)");
        break;
      case Subject::kColumnTypes: WriteTypes(); break;
      case Subject::kMissingPerColumn:
      case Subject::kMostMissingColumns: WriteMissing(); break;
    }
    WriteMeta();
    return code_;
  }

 private:
  template <typename... Parts>
  void Line(const Parts&... parts) {
    absl::StrAppend(&code_, parts..., "\n");
  }

  std::string TableOnly() const { return absl::StrCat("table=", Py(plan_.table)); }

  void Note(const Column& column) {
    if (!column.name.empty() && std::find(loaded_.begin(), loaded_.end(), column.name) == loaded_.end()) {
      loaded_.push_back(column.name);
    }
  }
  void Note(const Term& term) {
    Note(term.column);
    Note(term.other);
  }

  // Counting rows needs some column to be loaded; the plan's first column is as good as any.
  void WriteLoad() {
    for (const Filter& filter : plan_.filters) Note(filter.term);
    for (const Key& key : plan_.keys) Note(key.term);
    for (const Aggregate& aggregate : plan_.aggregates) {
      Note(aggregate.term);
      for (const Filter& filter : aggregate.condition) Note(filter.term);
    }
    if (loaded_.empty() && !plan_.columns.empty()) Note(plan_.columns[0]);
    if (loaded_.empty()) {
      Line("frame = load(", TableOnly(), ")");
    } else {
      Line("frame = load(", PyList(loaded_), ", ", TableOnly(), ")");
    }
  }

  void WriteFilters() {
    for (const Filter& filter : plan_.filters) Line("frame = frame[", Mask("frame", filter), "]");
  }

  static bool NeedsFloat(Function function) {
    switch (function) {
      case Function::kMean:
      case Function::kStdSample:
      case Function::kStdPopulation:
      case Function::kVarianceSample:
      case Function::kVariancePopulation:
      case Function::kMedian:
      case Function::kQuantile:
      case Function::kInterquartileRange: return true;
      default: return false;
    }
  }

  // The column of values that an aggregate is taken over, one for each row of `frame`.
  std::string Values(const Aggregate& aggregate) {
    if (aggregate.function == Function::kPercentOfRows) return PercentValues(aggregate);
    if (aggregate.function == Function::kCountNull) return absl::StrCat(Series("frame", aggregate.term), ".isna()");
    if (aggregate.term.column.name.empty()) return "1";
    const std::string series = Series("frame", aggregate.term);
    if (AddsIntegers(aggregate)) return absl::StrCat("exact(", series, ")");
    if (SpreadsIntegers(aggregate))
      return plan_.keys.empty() ? absl::StrCat("apart(", series, ", ", series, ".min())") : series;
    if (NeedsFloat(aggregate.function)) return absl::StrCat(series, ".astype(\"float64\")");
    if (aggregate.term.column.type == v1::COLUMN_BOOLEAN) return absl::StrCat(series, ".astype(\"Int64\")");
    return series;
  }

  // 100 where the condition holds, 0 where it does not, null where it cannot be decided: the mean is the percentage.
  static std::string PercentValues(const Aggregate& aggregate) {
    std::string met;
    std::string known;
    for (const Filter& filter : aggregate.condition) {
      absl::StrAppend(&met, met.empty() ? "(" : " & (", Mask("frame", filter), ")");
      const bool decidable = filter.test == Test::kIsNull || filter.test == Test::kIsNotNull ||
                             (!filter.term.column.nullable && !filter.term.other.nullable);
      if (!decidable) absl::StrAppend(&known, known.empty() ? "" : " & ", Series("frame", filter.term), ".notna()");
    }
    const std::string hundred = absl::StrCat("(", met, ").astype(\"float64\") * 100");
    return known.empty() ? hundred : absl::StrCat("(", hundred, ").where(", known, ")");
  }

  // `values` is a Series, or a grouped one; both have the same methods for all that is used here.
  static std::string Summary(const std::string& values, const Aggregate& aggregate) {
    const auto call = [&](std::string_view method) { return absl::StrCat(values, ".", std::string(method)); };
    switch (aggregate.function) {
      case Function::kCountRows: return call("size()");
      case Function::kCount: return call("count()");
      case Function::kCountDistinct: return call("nunique()");
      case Function::kCountNull: return call("sum()");
      case Function::kSum: return call("sum(min_count=1)");
      case Function::kMean:
        if (AddsIntegers(aggregate)) return absl::StrCat(values, ".sum(min_count=1) / ", values, ".count()");
        return call("mean()");
      case Function::kPercentOfRows: return call("mean()");
      case Function::kMinimum: return call("min()");
      case Function::kMaximum: return call("max()");
      case Function::kRange: return absl::StrCat(values, ".max() - ", values, ".min()");
      case Function::kStdSample: return call("std(ddof=1)");
      case Function::kStdPopulation: return call("std(ddof=0)");
      case Function::kVarianceSample: return call("var(ddof=1)");
      case Function::kVariancePopulation: return call("var(ddof=0)");
      case Function::kMedian: return call("median()");
      case Function::kQuantile: return call(absl::StrCat("quantile(", aggregate.quantile, ")"));
      case Function::kInterquartileRange: return absl::StrCat(values, ".quantile(0.75) - ", values, ".quantile(0.25)");
      case Function::kPercentOfTotal: {
        const bool rows = aggregate.term.column.name.empty();
        return rows ? call("size() / len(frame) * 100") : call("sum(min_count=1)");
      }
    }
    return values;
  }

  // Whether the values of a term are 64-bit integers in pandas too.
  static bool IsWhole(const Term& term) {
    const bool integer = term.column.type == v1::COLUMN_INTEGER && term.part == DatePart::kNone;
    return integer && (term.arithmetic == Arithmetic::kNone ||
                       (term.arithmetic != Arithmetic::kDivide && term.other.type == v1::COLUMN_INTEGER));
  }

  // Totals of integers pass 64 bits in pandas without a word, and means of large ones lose their last digits.
  static bool AddsIntegers(const Aggregate& aggregate) {
    const Function function = aggregate.function;
    return IsWhole(aggregate.term) &&
           (function == Function::kSum || function == Function::kMean || function == Function::kPercentOfTotal);
  }

  // Spreads do not change with the origin, and as reals large integers that lie close together are all alike.
  static bool SpreadsIntegers(const Aggregate& aggregate) {
    switch (aggregate.function) {
      case Function::kStdSample:
      case Function::kStdPopulation:
      case Function::kVarianceSample:
      case Function::kVariancePopulation: return IsWhole(aggregate.term);
      default: return false;
    }
  }

  // Figures that pass the range of reals although the values do not.
  static bool MayBeInfinite(const Aggregate& aggregate) {
    const Term& term = aggregate.term;
    const bool real = term.arithmetic == Arithmetic::kDivide || term.column.type == v1::COLUMN_REAL ||
                      (term.arithmetic != Arithmetic::kNone && term.other.type == v1::COLUMN_REAL);
    switch (aggregate.function) {
      case Function::kSum:
      case Function::kMean:
      case Function::kRange:
      case Function::kStdSample:
      case Function::kStdPopulation:
      case Function::kVarianceSample:
      case Function::kVariancePopulation: return real;
      default: return false;
    }
  }

  bool Any(bool (*is)(const Aggregate&)) const { return std::any_of(plan_.aggregates.begin(), plan_.aggregates.end(), is); }

  void WriteApart() {
    if (!Any(SpreadsIntegers)) return;
    Line("def apart(values, least):");
    Line("    # Large integers lose their last digits as reals; how far they lie from the least of them does not.");
    Line("    distances = values - least");
    Line("    if (distances < 0).any():  # beyond 64 bits");
    Line("        distances = (values.astype(\"object\") - least).astype(\"Float64\")");
    Line("    return distances.astype(\"float64\")");
  }

  void WriteExact() {
    if (!Any(AddsIntegers)) return;
    Line("def exact(values):");
    Line("    # Integers whose total might pass 64 bits are added up as Python's, which know no bound.");
    Line("    return values if values.astype(\"float64\").abs().sum() < 2**62 else values.astype(\"object\")");
  }

  // What SQL calls an error, or undefined, must not come out as some other number here.
  void WriteBounds() {
    for (const Aggregate& aggregate : plan_.aggregates) {
      const std::string cell = absl::StrCat("table[", Py(aggregate.name), "]");
      if (aggregate.function == Function::kSum && AddsIntegers(aggregate)) {
        Line("if ", cell, ".dtype in (\"object\", \"uint64\"):");
        Line("    if not all(-(2**63) <= total < 2**63 for total in ", cell, ".dropna()):");
        Line("        raise OverflowError(\"the sum does not fit in 64 bits\")");
        Line("    ", cell, " = ", cell, ".astype(\"Int64\")");
      }
      if (aggregate.function == Function::kRange && IsWhole(aggregate.term)) {
        // A difference beyond 64 bits comes out negative, as no range is.
        Line("if (", cell, ".dropna() < 0).any():");
        Line("    raise OverflowError(\"the range does not fit in 64 bits\")");
      }
      if (MayBeInfinite(aggregate)) Line(cell, " = ", cell, ".where(", cell, ".abs() != float(\"inf\"))");
    }
  }

  void WriteWhole() {
    std::vector<std::string> cells;
    for (const Aggregate& aggregate : plan_.aggregates) {
      const std::string value = aggregate.function == Function::kCountRows
                                    ? "len(frame)"
                                    : Summary(absl::StrCat("(", Values(aggregate), ")"), aggregate);
      cells.push_back(absl::StrCat(Py(aggregate.name), ": ", value));
    }
    Line("table = pd.DataFrame([{", absl::StrJoin(cells, ", "), "}])");
    WriteBounds();
  }

  // Values get names that no key can have, because keys are named in the result and these are not.
  void WriteGroups() {
    std::vector<std::string> columns;
    std::vector<std::string> keys;
    for (size_t i = 0; i < plan_.keys.size(); ++i) {
      keys.push_back(absl::StrCat("key ", i));
      columns.push_back(absl::StrCat(Py(keys.back()), ": ", KeyValues(plan_.keys[i])));
    }
    for (size_t i = 0; i < plan_.aggregates.size(); ++i) {
      columns.push_back(absl::StrCat(Py(absl::StrCat("value ", i)), ": ", Values(plan_.aggregates[i])));
    }
    Line("work = pd.DataFrame({", absl::StrJoin(columns, ", "), "})");
    const std::string groups =
        absl::StrCat("groups = work.groupby(", PyList(keys), ", dropna=False, observed=True, sort=False)");
    Line(groups);
    for (size_t i = 0; i < plan_.aggregates.size(); ++i) {
      if (!SpreadsIntegers(plan_.aggregates[i])) continue;
      const std::string value = Py(absl::StrCat("value ", i));
      Line("work[", value, "] = apart(work[", value, "], groups[", value, "].transform(\"min\"))");
    }
    if (Any(SpreadsIntegers)) Line(groups);
    std::vector<std::string> cells;
    for (size_t i = 0; i < plan_.aggregates.size(); ++i) {
      const std::string values = absl::StrCat("groups[", Py(absl::StrCat("value ", i)), "]");
      cells.push_back(absl::StrCat(Py(plan_.aggregates[i].name), ": ", Summary(values, plan_.aggregates[i])));
    }
    Line("table = pd.DataFrame({", absl::StrJoin(cells, ", "), "})");
    for (const Aggregate& aggregate : plan_.aggregates) {
      if (aggregate.function != Function::kPercentOfTotal || aggregate.term.column.name.empty()) continue;
      const std::string cell = absl::StrCat("table[", Py(aggregate.name), "]");
      const std::string total = absl::StrCat("(", Values(aggregate), ").sum()");
      Line("total = ", total);
      Line(cell, " = ", cell, ".astype(\"float64\") * 100 / total if 0 < abs(total) < float(\"inf\") else float(\"nan\")");
    }
    for (const Aggregate& aggregate : plan_.aggregates) {
      if (aggregate.function != Function::kMean || !AddsIntegers(aggregate)) continue;
      const std::string cell = absl::StrCat("table[", Py(aggregate.name), "]");
      Line(cell, " = ", cell, ".astype(\"float64\")");
    }
    WriteBounds();
    std::vector<std::string> names;
    for (const Key& key : plan_.keys) names.push_back(key.name);
    Line("table.index.names = ", PyList(names));
    Line("table = table.reset_index()");
    for (const Having& having : plan_.having) {
      Filter filter;
      filter.term.column = {plan_.aggregates[having.aggregate].name, v1::COLUMN_REAL, true};
      filter.test = having.test;
      filter.literals = having.literals;
      Line("table = table[", Mask("table", filter), "]");
    }
  }

  static std::string KeyValues(const Key& key) { return Series("frame", key.term); }

  void WriteRows() {
    std::vector<std::string> columns;
    for (const Key& key : plan_.keys) columns.push_back(absl::StrCat(Py(key.name), ": ", KeyValues(key)));
    Line("table = pd.DataFrame({", absl::StrJoin(columns, ", "), "})");
  }

  void WriteRanking() {
    if (!plan_.ranking) return;
    const std::string by = absl::StrCat("table[", Py(plan_.ranking->by), "]");
    Line("table = table[", by, ".notna()]");
    Line("table = table[", by, ".rank(method=\"min\", ascending=", plan_.ranking->descending ? "False" : "True",
         ") <= ", plan_.ranking->count, "]");
  }

  void WriteOrder() {
    std::vector<std::string> by;
    std::string ascending;
    const auto add = [&](const std::string& name, bool descending) {
      if (std::find(by.begin(), by.end(), name) != by.end()) return;
      by.push_back(name);
      absl::StrAppend(&ascending, ascending.empty() ? "" : ", ", descending ? "False" : "True");
    };
    for (const Order& order : plan_.order) add(order.by, order.descending);
    if (plan_.subject != Subject::kRows || plan_.ranking) {
      for (const Key& key : plan_.keys) add(key.name, false);
    }
    if (by.empty()) return;
    Line("table = table.sort_values(", PyList(by), ", ascending=[", ascending, "], kind=\"stable\", na_position=\"last\")");
  }

  // Days and dates are shown as text, like SQL shows them.
  void WriteShown() {
    for (const Key& key : plan_.keys) {
      const std::string cell = absl::StrCat("table[", Py(key.name), "]");
      if (key.term.part == DatePart::kWeekday) {
        Line(
            "days = dict(enumerate([\"Monday\", \"Tuesday\", \"Wednesday\", \"Thursday\", \"Friday\", \"Saturday\", "
            "\"Sunday\"], 1))");
        Line(cell, " = ", cell, ".astype(\"object\").map(days)");
      }
    }
    if (!plan_.output.empty()) Line("table = table[", PyList(plan_.output), "]");
    Line("table = table.reset_index(drop=True)");
  }

  void WriteRowsOrGroups() {
    WriteLoad();
    WriteFilters();
    WriteExact();
    WriteApart();
    const bool whole = plan_.subject == Subject::kGroups && plan_.keys.empty();
    if (whole) {
      WriteWhole();
    } else if (plan_.subject == Subject::kGroups) {
      WriteGroups();
    } else {
      WriteRows();
    }
    if (plan_.subject == Subject::kDistinct) Line("table = table.dropna().drop_duplicates()");
    WriteRanking();
    WriteOrder();
    WriteShown();
    if (whole && plan_.aggregates.size() == 1) {
      Line("value = table.iloc[0, 0]");
      Line("result = None if pd.isna(value) else value");
    } else {
      Line("result = table");
    }
  }

  void WriteTypes() {
    Line("frame = load(", TableOnly(), ")");
    std::vector<std::string> dates;
    for (const Column& column : plan_.columns) {
      // pandas keeps calendar days as timestamps, so which of them are days comes from reading the file.
      if (column.type == v1::COLUMN_DATE) dates.push_back(column.name);
    }
    Line("days = set(", PyList(dates), ")");
    Line("def word(name, kind):");
    Line("    kind = str(kind)");
    Line("    if kind.startswith(\"datetime64\"):");
    Line("        return \"date\" if name in days else \"timestamp\"");
    Line(
        "    words = {\"int64\": \"integer\", \"Int64\": \"integer\", \"float64\": \"real\", \"bool\": \"boolean\", "
        "\"boolean\": \"boolean\"}");
    Line("    return words.get(kind, \"text\")");
    Line("result = pd.DataFrame({\"column\": list(frame.columns), \"type\": [word(n, k) for n, k in frame.dtypes.items()]})");
  }

  void WriteMissing() {
    Line("frame = load(", TableOnly(), ")");
    Line("missing = frame.isna().sum()");
    if (plan_.subject == Subject::kMissingPerColumn) {
      Line("result = pd.DataFrame({\"column\": list(missing.index), \"missing\": list(missing)})");
      return;
    }
    Line("most = missing[(missing > 0) & (missing == missing.max())]");
    Line("result = pd.DataFrame({\"column\": sorted(most.index)})");
  }

  void WriteMeta() {
    std::vector<std::string> members;
    if (!plan_.format.unit.empty()) members.push_back(absl::StrCat("\"unit\": ", Py(plan_.format.unit)));
    if (plan_.format.decimals) members.push_back(absl::StrCat("\"decimals\": ", *plan_.format.decimals));
    if (plan_.format.ordered) members.push_back("\"ordered\": True");
    if (!members.empty()) Line("result_meta = {", absl::StrJoin(members, ", "), "}");
  }

  const Plan& plan_;
  std::string code_;
  std::vector<std::string> loaded_;
};

}  // namespace

std::string WritePandas(const Plan& plan) { return Program(plan).Write(); }

}  // namespace conclave
