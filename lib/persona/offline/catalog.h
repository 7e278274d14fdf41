// Catalog: what the words of a question can mean in one table: its columns, its known values, its rows.
// Only the profile is looked at; the analyst never sees the data.
//
// Thread safety: const functions may run concurrently.
// Ownership: borrows the profile, which must outlive it.
#ifndef CONCLAVE_LIB_PERSONA_OFFLINE_CATALOG_H_
#define CONCLAVE_LIB_PERSONA_OFFLINE_CATALOG_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conclave/v1/profile.pb.h"
#include "lib/persona/offline/words.h"
#include "lib/plan/plan.h"

namespace conclave::offline {

// How sure it is that words mean a column. Lower is surer; only the surest of several fits counts.
enum class Fit { kExact = 1, kFolded, kNumberForm, kEveryday, kVerbForm, kPartial, kInside };

struct ColumnFit {
  const v1::ColumnProfile* column = nullptr;
  Fit fit = Fit::kExact;
};

struct ValueFit {
  const v1::ColumnProfile* column = nullptr;
  std::string value;
  Fit fit = Fit::kExact;
};

// A word as a literal of a column, or why it cannot be one.
struct LiteralFit {
  std::optional<Literal> literal;
  std::string assumption;
  std::string problem;
  std::vector<std::string> suggestions;
};

class Catalog {
 public:
  // `time_zone` is the zone that days of instants are meant in.
  explicit Catalog(const v1::Profile& profile, std::string time_zone = "UTC");

  const v1::Profile& profile() const { return profile_; }
  const std::string& time_zone() const { return time_zone_; }

  // Columns that `words` can name, all of the same fit.
  std::vector<ColumnFit> Columns(const std::vector<Word>& words) const;

  // Known values of text columns that `words` can name, all of the same fit.
  std::vector<ValueFit> Values(const std::vector<Word>& words) const;

  // True when the words name the rows of the table ("passengers"); `assumption` is set when that is not certain.
  bool NamesRows(const std::vector<Word>& words, std::string* assumption) const;

  // True when the words are the table's own name.
  bool NamesTable(const std::vector<Word>& words) const;

  LiteralFit AsLiteral(const v1::ColumnProfile& column, const Word& word) const;

  std::vector<const v1::ColumnProfile*> DateColumns() const;
  std::vector<const v1::ColumnProfile*> NumericColumns() const;

  // Names of columns and values that look like `word`, closest first.
  std::vector<std::string> CloseTo(std::string_view word) const;

 private:
  const v1::Profile& profile_;
  const std::string time_zone_;
};

bool IsNumeric(const v1::ColumnProfile& column);
bool IsDateLike(const v1::ColumnProfile& column);

// The value that stands for yes in a column that says yes or no in some form; nullopt for other columns.
struct YesNo {
  Literal yes, no;
};
std::optional<YesNo> AsYesNo(const v1::ColumnProfile& column);

// Numbers and texts that name things and are not measured: `customer_id`, `zip`, every text.
bool NamesThings(const v1::ColumnProfile& column);

// Numbers that stand on a calendar, by their name and range: `year` from 1000 to 2999, `month` from 1 to 12.
bool IsCalendarNumber(const v1::ColumnProfile& column);

// True when every row has its own value.
bool IsUniquePerRow(const v1::ColumnProfile& column, const v1::Profile& profile);

// First and last year of a date column, from its range; of instants, the years that a zone anywhere may show.
std::optional<std::pair<int, int>> YearsOf(const v1::ColumnProfile& column);

Column PlanColumn(const v1::ColumnProfile& column);

// True when the two are one value but for case and blanks at the ends.
bool IsSameValue(std::string_view a, std::string_view b);

// The known values of a text column that are `value` but for case and blanks at the ends, most frequent first.
std::vector<std::string> SpellingsOf(const v1::ColumnProfile& column, std::string_view value);

// True when the profile lists every value of the column.
bool KnowsAllValues(const v1::ColumnProfile& column);

std::string_view TypeName(v1::ColumnType type);

// The text of a profile's value, whatever its kind.
std::string ValueText(const v1::Value& value);

}  // namespace conclave::offline

#endif  // CONCLAVE_LIB_PERSONA_OFFLINE_CATALOG_H_
