// ColumnCensus: counts what the cells of one column look like, over all rows; and ColumnDecision: what the column is, given
// that. No cell is judged by a sample, and no value is changed before everything is known.
//
// Thread safety: belongs to one thread.
// Ownership: borrows the budget.
#ifndef CONCLAVE_LIB_GUEST_INGEST_COLUMN_CENSUS_H_
#define CONCLAVE_LIB_GUEST_INGEST_COLUMN_CENSUS_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lib/guest/columns/column_format.h"
#include "lib/guest/ingest/cell_kind.h"
#include "lib/guest/ingest/record_scanner.h"
#include "lib/guest/ingest/text_dictionary.h"

namespace conclave::guest {

// A mark on the input that whoever reads an answer should know of: v1::Quirk without its column.
struct IngestQuirk {
  std::string code;
  int64_t count = 0;
  std::vector<int64_t> rows;  // 1-based
  std::string detail;
  bool notable = false;
};

inline constexpr size_t kQuirkRows = 8;

// Counts occurrences, and remembers the first few rows.
struct Occurrences {
  int64_t count = 0;
  std::vector<int64_t> rows;
  void Add(int64_t row) {
    ++count;
    if (rows.size() < kQuirkRows) rows.push_back(row);
  }
};

// What all columns together say about how numbers are written in this file.
struct FileHints {
  bool comma_decimal = false;  // some column can only be read with a decimal comma
  bool point_decimal = false;  // some column can only be read with a decimal point
  bool semicolons = false;     // the delimiter is ';', as where the comma is the decimal mark
};

struct ColumnDecision {
  StoredType type = StoredType::kText;
  NumberStyle style = kPointDecimal;
  DateOrder order = kIsoDash;
  uint64_t null_count = 0;
  bool missing_in_text = false;  // text only because of some cells: what is missing is what would be without them
  std::string unit;
  std::string decimal_mark;  // "." or ",", where the numbers show it
  int decimals = 0;
  bool identifier = false;
  std::vector<IngestQuirk> quirks;
};

class ColumnCensus {
 public:
  explicit ColumnCensus(MemoryBudget* budget) : texts_(std::make_unique<TextDictionary>(budget)) {}

  // Collect texts from the first row on: the column is expected to be text.
  void ExpectText() { collecting_ = true; }

  void Add(const Cell& cell, int64_t row) {
    if (cell.text.empty()) {
      AddEmpty(cell.quoted);
      return;
    }
    int64_t integer = 0;
    uint8_t decimals = 0;
    if (settled_text_) {
      ++settled_;
    } else if (ReadPlainInteger(cell.text, &integer)) {
      AddInteger(integer);
    } else if (ReadPlainDecimal(cell.text, &decimals)) {
      AddDecimal(decimals);
    } else {
      AddSlowly(cell.text, row);
    }
    if (collecting_) texts_->Add(cell.text);
    ++cells_;
  }

  // Adds a text in a later reading of the rows, made because Complete() was false.
  void AddText(std::string_view text) { texts_->Add(text); }
  // True when every text of the column went to texts().
  bool Complete() const { return texts_->added() == cells_ + quoted_empty_; }
  void StartTextsAnew(MemoryBudget* budget) { texts_ = std::make_unique<TextDictionary>(budget); }

  // Does the column, on its own, decide between decimal comma and decimal point?
  void Hint(FileHints* hints) const;
  ColumnDecision Decide(const FileHints& hints) const;

  TextDictionary& texts() { return *texts_; }
  const TextDictionary& texts() const { return *texts_; }
  void DropTexts() { texts_.reset(); }

  // The range of integers seen, marks ignored; meaningful for a column that is decided to be of integers.
  int64_t least_integer() const { return least_integer_; }
  int64_t greatest_integer() const { return greatest_integer_; }
  uint64_t cells() const { return cells_; }
  uint64_t empty() const { return empty_; }
  uint64_t quoted_empty() const { return quoted_empty_; }

 private:
  void AddEmpty(bool quoted) {
    if (!quoted) {
      ++empty_;
      return;
    }
    ++quoted_empty_;
    if (collecting_) texts_->Add({});
  }
  void AddInteger(int64_t value) {
    ++kinds_[static_cast<size_t>(CellKind::kNumber)];
    if (value < least_integer_) least_integer_ = value;
    if (value > greatest_integer_) greatest_integer_ = value;
  }
  void AddDecimal(uint8_t decimals) {
    ++kinds_[static_cast<size_t>(CellKind::kNumber)];
    ++with_point_;
    styles_ &= kPointDecimal | kApostropheGroups | kSpaceGroupsPoint;
    fraction_ |= kPointDecimal | kApostropheGroups | kSpaceGroupsPoint;
    if (decimals > decimals_) decimals_ = decimals;
  }
  void AddSlowly(std::string_view text, int64_t row);
  void AddNumber(const NumberLexeme& number, int64_t row);
  void AddDate(const DateLexeme& date, int64_t row);

  uint64_t Count(CellKind kind) const { return kinds_[static_cast<size_t>(kind)]; }
  NumberStyle ChooseStyle(const FileHints& hints, ColumnDecision* decision) const;
  void DecideNumbers(const FileHints& hints, ColumnDecision* decision) const;
  void DecideDates(ColumnDecision* decision) const;
  void DecideMixed(uint64_t present, ColumnDecision* decision) const;
  void KeepText(ColumnDecision* decision, std::string_view code, const Occurrences& where, std::string_view why) const;

  std::unique_ptr<TextDictionary> texts_;
  bool collecting_ = false;
  bool settled_text_ = false;  // text beyond doubt, and no type is near enough to be worth mentioning
  uint64_t settled_ = 0;       // cells not looked at because of that
  uint64_t cells_ = 0;         // not empty
  uint64_t empty_ = 0;
  uint64_t quoted_empty_ = 0;
  std::array<uint64_t, kCellKinds> kinds_{};
  std::array<std::vector<int64_t>, kCellKinds> first_rows_;
  std::string example_text_;  // the first cell that is plain text

  // Numbers.
  uint8_t styles_ = kEveryStyle;
  uint8_t fraction_ = 0;
  uint8_t decimals_ = 0;
  int64_t least_integer_ = INT64_MAX;
  int64_t greatest_integer_ = INT64_MIN;
  uint64_t with_point_ = 0;  // plain decimals
  uint64_t grouped_ = 0;
  uint64_t code_like_ = 0;
  uint64_t too_long_ = 0;  // integers beyond 64 bits once marks are gone
  uint64_t parenthesised_ = 0;
  uint64_t scientific_ = 0;
  Occurrences overflow_;
  std::string unit_;
  uint64_t with_unit_ = 0;
  Occurrences other_unit_;
  Occurrences misfit_;  // first cells that share no style with those before

  // Dates.
  uint16_t orders_ = 0xffff;
  uint64_t with_time_ = 0;
  uint64_t zoned_ = 0;
  Occurrences other_zone_;
  Occurrences other_order_;
  Occurrences finer_;
  uint64_t positive_ = 0;  // of booleans
};

}  // namespace conclave::guest

#endif  // CONCLAVE_LIB_GUEST_INGEST_COLUMN_CENSUS_H_
