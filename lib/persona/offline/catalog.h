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
#include "lib/persona/offline/columns.h"
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

// A word as a literal of a column, or why it cannot be one. Numbers stay as written (numerals.h).
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

  // A column as plans have it, with the zone of its days.
  Column PlanColumn(const v1::ColumnProfile& column) const;

  // Columns that `words` can name, all of the same fit.
  std::vector<ColumnFit> Columns(const std::vector<Word>& words) const;

  // Known values of text columns that `words` can name, all of the same fit.
  std::vector<ValueFit> Values(const std::vector<Word>& words) const;

  // True when the words name the rows of the table ("passengers"); `assumption` is set when that is not certain.
  bool NamesRows(const std::vector<Word>& words, std::string* assumption) const;

  // True when the words are the table's own name.
  bool NamesTable(const std::vector<Word>& words) const;

  LiteralFit AsLiteral(const v1::ColumnProfile& column, const Word& word) const;

  // Why `dates`, which the question does not name, may not be the dates that are meant: another column has the better name, or
  // comes first, and is text only because of some of its cells. Empty when nothing speaks against it.
  std::string WhyOtherDates(const v1::ColumnProfile& dates) const;

  std::vector<const v1::ColumnProfile*> DateColumns() const;
  std::vector<const v1::ColumnProfile*> NumericColumns() const;

  // How to ask for `word` as a value of a text column whose values are not all known: "where region is \"East\"".
  std::vector<std::string> PerhapsValues(const Word& word) const;

  // Names of columns and values that look like `word`, closest first.
  std::vector<std::string> CloseTo(std::string_view word) const;

 private:
  const v1::Profile& profile_;
  const std::string time_zone_;
};

}  // namespace conclave::offline

#endif  // CONCLAVE_LIB_PERSONA_OFFLINE_CATALOG_H_
