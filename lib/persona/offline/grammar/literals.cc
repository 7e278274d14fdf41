#include "lib/persona/offline/grammar/literals.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace conclave::offline {
namespace {

double AsDouble(const std::string& text) {
  double value = NAN;
  return absl::SimpleAtod(text, &value) ? value : NAN;
}

}  // namespace

std::string WhyAbsent(const v1::ColumnProfile& column, const Literal& literal) {
  if (!IsNumeric(column) || literal.kind != LiteralKind::kNumber) return "";
  const double value = AsDouble(literal.text);
  const std::string min = ValueText(column.min()), max = ValueText(column.max());
  if (!min.empty() && (value < AsDouble(min) || value > AsDouble(max))) {
    return absl::StrCat("no value ", literal.text, " occurs in `", column.name(), "`, which runs from ", min, " to ", max);
  }
  if (!column.distinct_is_exact() || column.distinct() != column.top_size()) return "";
  for (const v1::TopValue& top : column.top()) {
    if (AsDouble(ValueText(top.value())) == value) return "";
  }
  return absl::StrCat("no value ", literal.text, " occurs in `", column.name(), "`");
}

void DecideSpelling(const v1::ColumnProfile& column, bool quoted, Filter* filter, std::vector<std::string>* assumptions) {
  const bool equality = filter->test == Test::kEqual || filter->test == Test::kNotEqual || filter->test == Test::kIn;
  if (column.type() != v1::COLUMN_TEXT || !equality) return;
  bool one_spelling = KnowsAllValues(column), as_spelled = quoted;
  std::vector<std::vector<std::string>> several;
  for (const Literal& literal : filter->literals) {
    const std::vector<std::string> spellings = SpellingsOf(column, literal.text);
    const bool known = std::find(spellings.begin(), spellings.end(), literal.text) != spellings.end();
    one_spelling = one_spelling && known && spellings.size() == 1;
    as_spelled = as_spelled && known;
    if (spellings.size() > 1) several.push_back(spellings);
  }
  filter->folded = !one_spelling && !(as_spelled && !several.empty());
  for (const std::vector<std::string>& spellings : several) {
    const std::string all = SpellingList(spellings);
    assumptions->push_back(filter->folded
                               ? absl::StrCat(all, " of `", column.name(), "` are taken together")
                               : absl::StrCat("of ", all, " in `", column.name(), "` only the spelling in quotes is meant"));
  }
}

}  // namespace conclave::offline
