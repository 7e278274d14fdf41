#include "lib/plan/pandas_expressions.h"

#include <cstdio>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/plan/case_folding.h"

namespace conclave::pandas {
namespace {

std::string Get(const std::string& frame, const Column& column) { return absl::StrCat(frame, "[", Py(column.name), "]"); }

std::string Constant(const Literal& literal) {
  switch (literal.kind) {
    case LiteralKind::kNumber: return literal.text;
    case LiteralKind::kText: return Py(literal.text);
    case LiteralKind::kDate: return absl::StrCat("pd.Timestamp(", Py(literal.text), ")");
  }
  return "None";
}

std::string FoldedSeries(const std::string& strings, const std::vector<Literal>& literals) {
  const CaseFolding folding = FoldingFor(literals);
  const auto replaced = [](std::string_view from, std::string_view to) {
    return absl::StrCat(".str.replace(", Py(from), ", ", Py(to), ", regex=False)");
  };
  return absl::StrCat(strings, folding.dotted_i ? replaced(kDottedI, "i") : "", ".str.lower()",
                      folding.sigma ? replaced(kFinalSigma, kSigma) : "");
}

// A text of the question with case folded; what is not ASCII is left to Python, which knows its letters.
std::string FoldedText(std::string_view text) {
  const std::string folded = PartlyFolded(text);
  return IsAscii(folded) ? Py(folded) : absl::StrCat(Py(folded), ".lower()");
}

std::string Matching(const std::string& series, const Filter& filter) {
  const std::string strings = FoldedSeries(series, filter.literals);
  const std::string needle = FoldedText(filter.literals[0].text);
  if (filter.test == Test::kStartsWith) return absl::StrCat(strings, ".str.startswith(", needle, ")");
  return absl::StrCat(strings, ".str.contains(", needle, ", regex=False)");
}

std::string FoldedTest(const std::string& series, const Filter& filter) {
  const std::string folded = FoldedSeries(absl::StrCat(series, ".str.strip(\" \")"), filter.literals);
  const auto value = [](const Literal& literal) { return absl::StrCat(FoldedText(literal.text), ".strip(\" \")"); };
  if (filter.test == Test::kEqual) return absl::StrCat(folded, ".eq(", value(filter.literals[0]), ")");
  if (filter.test == Test::kNotEqual) return absl::StrCat(folded, ".ne(", value(filter.literals[0]), ")");
  std::vector<std::string> values;
  for (const Literal& literal : filter.literals) values.push_back(value(literal));
  return absl::StrCat(folded, ".isin([", absl::StrJoin(values, ", "), "])");
}

// Boolean over the values of `series`; nothing sure where one is missing.
std::string Compared(const std::string& series, const Filter& filter) {
  const auto method = [&](std::string_view name) {
    return absl::StrCat(series, ".", std::string(name), "(", Constant(filter.literals[0]), ")");
  };
  if (filter.folded) return FoldedTest(series, filter);
  switch (filter.test) {
    case Test::kIsNull: return absl::StrCat(series, ".isna()");
    case Test::kIsNotNull: return absl::StrCat(series, ".notna()");
    case Test::kEqual: return method("eq");
    case Test::kNotEqual: return method("ne");
    case Test::kLess: return method("lt");
    case Test::kLessOrEqual: return method("le");
    case Test::kGreaterOrEqual: return method("ge");
    case Test::kGreater: return method("gt");
    case Test::kBetween:
      return absl::StrCat(series, ".between(", Constant(filter.literals[0]), ", ", Constant(filter.literals[1]), ")");
    case Test::kIn: {
      std::vector<std::string> values;
      for (const Literal& literal : filter.literals) values.push_back(Constant(literal));
      return absl::StrCat(series, ".isin([", absl::StrJoin(values, ", "), "])");
    }
    case Test::kStartsWith:
    case Test::kContains: return Matching(series, filter);
  }
  return "";
}

}  // namespace

std::string Py(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\x%02x", static_cast<unsigned>(byte));
      out += escape;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string PyList(const std::vector<std::string>& names) {
  std::string out = "[";
  for (const std::string& name : names) {
    if (out.size() > 1) out += ", ";
    out += Py(name);
  }
  return out + "]";
}

std::string Series(const std::string& frame, const Term& term) {
  std::string left = Get(frame, term.column);
  if (term.arithmetic != Arithmetic::kNone) {
    std::string right = Get(frame, term.other);
    // Integers with missing values and reals would make a column that holds missing values of two kinds.
    const bool left_real = term.column.type == v1::COLUMN_REAL, right_real = term.other.type == v1::COLUMN_REAL;
    if (left_real != right_real && term.arithmetic != Arithmetic::kDivide)
      absl::StrAppend(left_real ? &right : &left, ".astype(\"float64\")");
    switch (term.arithmetic) {
      case Arithmetic::kAdd: return absl::StrCat("(", left, " + ", right, ")");
      case Arithmetic::kSubtract: return absl::StrCat("(", left, " - ", right, ")");
      case Arithmetic::kMultiply: return absl::StrCat("(", left, " * ", right, ")");
      default:
        return absl::StrCat("(", left, ".astype(\"float64\") / ", right, ".astype(\"float64\").where(", right, " != 0))");
    }
  }
  const std::string whole = ".astype(\"Int64\")";
  if (term.column.type == v1::COLUMN_TIMESTAMPTZ && term.part != DatePart::kNone) {
    // What clocks in the zone show: pandas compares days with instants never, so the zone goes.
    absl::StrAppend(&left, ".dt.tz_convert(", Py(term.column.time_zone), ").dt.tz_localize(None)");
  }
  switch (term.part) {
    case DatePart::kNone: return left;
    case DatePart::kDay: return absl::StrCat(left, ".dt.normalize()");
    case DatePart::kYear: return absl::StrCat(left, ".dt.year", whole);
    case DatePart::kQuarterOfYear: return absl::StrCat(left, ".dt.quarter", whole);
    case DatePart::kMonthOfYear: return absl::StrCat(left, ".dt.month", whole);
    case DatePart::kWeekday: return absl::StrCat("(", left, ".dt.weekday + 1)", whole);
    case DatePart::kYearMonth: return absl::StrCat(left, ".dt.strftime(\"%Y-%m\")");
    case DatePart::kYearQuarter:
      return absl::StrCat("(", left, ".dt.strftime(\"%Y-Q\") + ", left, ".dt.quarter", whole,
                          ".astype(\"string\").astype(\"object\"))");
  }
  return left;
}

std::string Mask(const std::string& frame, const Filter& filter) {
  const std::string series = Series(frame, filter.term);
  const std::string mask = Compared(series, filter);
  const bool of_missing = filter.test == Test::kIsNull || filter.test == Test::kIsNotNull;
  if (of_missing || (!filter.term.column.nullable && !filter.term.other.nullable)) return mask;
  // In pandas a missing value differs from everything; here it fails every test.
  return absl::StrCat("(", mask, ".fillna(False).astype(bool) & ", series, ".notna())");
}

}  // namespace conclave::pandas
