// Columns: what a column of a table is to a question: numbers, dates, yes or no, names of things; and its known values.
// Only the profile is looked at.
//
// Thread safety: pure functions.
// Ownership: borrows the profile for the length of a call.
#ifndef CONCLAVE_LIB_PERSONA_OFFLINE_COLUMNS_H_
#define CONCLAVE_LIB_PERSONA_OFFLINE_COLUMNS_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conclave/v1/profile.pb.h"
#include "lib/plan/plan.h"

namespace conclave::offline {

bool IsNumeric(const v1::ColumnProfile& column);

// Why a column that looks like dates, or like numbers or dates, is text all the same; empty for other columns.
std::string WhyNotDates(const v1::ColumnProfile& column);
std::string WhyText(const v1::ColumnProfile& column);

// The value that stands for yes in a column that says yes or no in some form; nullopt for other columns.
struct YesNo {
  Literal yes, no;
};
std::optional<YesNo> AsYesNo(const v1::ColumnProfile& column);

// Numbers and texts that name things and are not measured: `customer_id`, `zip`, every text.
bool NamesThings(const v1::ColumnProfile& column);

// Numbers that stand on a calendar, by their name and range: `year` from 1000 to 2999, `month` from 1 to 12.
bool IsCalendarNumber(const v1::ColumnProfile& column);

// A column by the name of `year`.
bool IsNamedYear(std::string_view name);

// True when every row has its own value.
bool IsUniquePerRow(const v1::ColumnProfile& column, const v1::Profile& profile);

// First and last year of a date column, from its range; of instants, the years that a zone anywhere may show.
std::optional<std::pair<int, int>> YearsOf(const v1::ColumnProfile& column);

// True when the two are one value but for case and blanks at the ends.
bool IsSameValue(std::string_view a, std::string_view b);

// The known values of a text column that are `value` but for case and blanks at the ends, most frequent first.
std::vector<std::string> SpellingsOf(const v1::ColumnProfile& column, std::string_view value);

// Spellings in quotes, as one list: "'South', 'south' and 'SOUTH'".
std::string SpellingList(const std::vector<std::string>& spellings);

// One line that names the values of a column that are one value but for case and blanks; empty when none is known.
std::string SpellingsApart(const v1::ColumnProfile& column);

// True when the profile lists every value of the column.
bool KnowsAllValues(const v1::ColumnProfile& column);

std::string_view TypeName(v1::ColumnType type);

// The text of a profile's value, whatever its kind.
std::string ValueText(const v1::Value& value);

}  // namespace conclave::offline

#endif  // CONCLAVE_LIB_PERSONA_OFFLINE_COLUMNS_H_
