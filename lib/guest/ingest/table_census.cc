#include "lib/guest/ingest/table_census.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/text.h"
#include "lib/guest/ingest/ingest.h"
#include "lib/guest/ingest/refusal.h"

namespace conclave::guest {
namespace {

constexpr int64_t kSampleRows = 1000;
constexpr int64_t kCensusProgressRows = 1 << 16;

// What a reading of rows found besides the cells.
struct RowFaults {
  Occurrences short_rows;
  Occurrences long_rows;
  std::string surplus;  // the first surplus cells, as text
  Occurrences invalid_utf8;
  Occurrences nul_bytes;
  Occurrences unclosed_quotes;
  Occurrences stray_quotes;
  uint64_t blank_lines = 0;
  uint64_t lf = 0;
  uint64_t crlf = 0;
  uint64_t cr = 0;
};

struct Reading {
  std::vector<std::unique_ptr<ColumnCensus>> columns;
  RowFaults faults;
  uint64_t rows = 0;
};

void NoteSurplus(const std::vector<Cell>& cells, size_t width, int64_t row, RowFaults* faults) {
  faults->long_rows.Add(row);
  for (size_t i = width; i < cells.size() && faults->surplus.size() < 200; ++i) {
    if (!faults->surplus.empty()) faults->surplus += ", ";
    absl::StrAppend(&faults->surplus, "row ", row, ": \"", Excerpt(cells[i].text, 40), "\"");
  }
}

void NoteFaults(const TableReader& reader, RowFaults* faults) {
  if (reader.faults().unclosed_quote) faults->unclosed_quotes.Add(reader.row());
  if (reader.faults().stray_quote) faults->stray_quotes.Add(reader.row());
  if (reader.invalid_utf8() > 0) faults->invalid_utf8.Add(reader.row());
  if (reader.nul_bytes() > 0) faults->nul_bytes.Add(reader.row());
}

// Columns that must have a cell in every row: those up to the last one with a name.
size_t NamedWidth(const std::vector<Cell>& header, size_t width) {
  if (header.empty()) return width;
  size_t named = header.size();
  while (named > 0 && Trimmed(header[named - 1].text).empty()) --named;
  return std::min(named, width);
}

// Reads up to `most` rows into a census.
Reading ReadRows(TableReader* reader, size_t width, int64_t most, MemoryBudget* budget, const std::vector<bool>& expect_text,
                 const ReadingProgress& progress) {
  Reading reading;
  reading.columns.reserve(width);
  for (size_t i = 0; i < width; ++i) {
    reading.columns.push_back(std::make_unique<ColumnCensus>(budget));
    if (i < expect_text.size() && expect_text[i]) reading.columns[i]->ExpectText();
  }
  const size_t named = NamedWidth(reader->header(), width);
  std::vector<Cell> cells;
  while (reader->row() < most && reader->Next(&cells)) {
    const int64_t row = reader->row();
    NoteFaults(*reader, &reading.faults);
    if (cells.size() < named) reading.faults.short_rows.Add(row);
    if (cells.size() > width && UsedWidth(cells) > width) NoteSurplus(cells, width, row, &reading.faults);
    cells.resize(width);
    for (size_t i = 0; i < width; ++i) reading.columns[i]->Add(cells[i], row);
    if (row % kCensusProgressRows == 0) progress(reader->position(), static_cast<uint64_t>(row));
  }
  reading.rows = static_cast<uint64_t>(reader->row());
  reading.faults.blank_lines = reader->blank_lines();
  reading.faults.lf = reader->scanner().lf();
  reading.faults.crlf = reader->scanner().crlf();
  reading.faults.cr = reader->scanner().cr();
  return reading;
}

std::vector<ColumnDecision> DecideAll(const std::vector<std::unique_ptr<ColumnCensus>>& columns, const Dialect& dialect) {
  FileHints hints{.semicolons = dialect.delimiter == ';'};
  for (const auto& column : columns) column->Hint(&hints);
  std::vector<ColumnDecision> decisions;
  decisions.reserve(columns.size());
  for (const auto& column : columns) decisions.push_back(column->Decide(hints));
  return decisions;
}

bool LooksLikeYear(const CellShape& shape) {
  return shape.number.fraction == 0 && shape.number.fits && shape.number.unit.empty() && shape.number.integer >= 1500 &&
         shape.number.integer <= 2200;
}

// Is the first record a header? `decisions` are those of the rows below it. A name in a column of numbers says yes, a number
// there says no, unless it may be a year.
bool DecideHeader(const std::vector<Cell>& first, const std::vector<ColumnDecision>& decisions,
                  const std::vector<std::unique_ptr<ColumnCensus>>& columns, bool rows_below, bool repeats_below) {
  size_t votes_for = 0;
  size_t votes_against = 0;
  size_t words = 0;
  for (size_t i = 0; i < first.size() && i < decisions.size(); ++i) {
    const CellShape shape = ReadCell(first[i].text.substr(0, 1000));
    if (shape.kind == CellKind::kEmpty) continue;
    const bool word = shape.kind == CellKind::kText || shape.kind == CellKind::kTrueFalse || shape.kind == CellKind::kYesNo ||
                      shape.kind == CellKind::kMarker;
    words += word ? 1 : 0;
    if (!rows_below || columns[i]->cells() == 0) continue;
    const StoredType type = decisions[i].type;
    if (type == StoredType::kText) {
      if (decisions[i].identifier && shape.kind == CellKind::kText) ++votes_for;
      if (decisions[i].identifier && shape.kind == CellKind::kIdentifier) ++votes_against;
    } else if (type == StoredType::kBoolean) {
      shape.kind == CellKind::kTrueFalse || shape.kind == CellKind::kYesNo ? ++votes_against : ++votes_for;
    } else if (shape.kind == CellKind::kText) {
      ++votes_for;
    } else if (shape.kind == CellKind::kDate) {
      type == StoredType::kInteger || type == StoredType::kReal ? ++votes_for : ++votes_against;
    } else if (shape.kind == CellKind::kNumber && !LooksLikeYear(shape)) {
      ++votes_against;
    }
  }
  if (votes_for + votes_against > 0) return votes_for > 0 && votes_for >= votes_against;
  return words > 0 && !repeats_below;
}

// Do the first record's words occur again below, column by column? Then they are values.
class FirstRowEcho {
 public:
  explicit FirstRowEcho(const std::vector<Cell>& first) : first_(first), echoed_(first.size()) {}

  void Look(const std::vector<Cell>& cells) {
    const size_t width = std::min(cells.size(), first_.size());
    size_t equal = 0;
    for (size_t i = 0; i < width; ++i) equal += cells[i].text == first_[i].text ? 1 : 0;
    // A header that is repeated as a whole is a header.
    if (equal == 0 || (equal == first_.size() && first_.size() > 1)) return;
    for (size_t i = 0; i < width; ++i) {
      if (!first_[i].text.empty() && cells[i].text == first_[i].text) echoed_[i] = true;
    }
  }
  bool values() const {
    const auto echoed = static_cast<size_t>(std::count(echoed_.begin(), echoed_.end(), true));
    return echoed * 2 > echoed_.size() || (echoed * 2 == echoed_.size() && echoed > 1);
  }

 private:
  const std::vector<Cell>& first_;
  std::vector<bool> echoed_;
};

struct HeaderGuess {
  bool has_header = false;
  bool repeats_below = false;
  size_t width = 1;
  std::vector<bool> text_columns;
};

// From the first rows: is there a header, how wide is the table, which columns will be text.
HeaderGuess GuessHeader(const Content& content, const TableStart& start, MemoryBudget* budget) {
  HeaderGuess guess;
  TableReader with_header(content, start, true);
  const std::vector<Cell>& first = with_header.header();
  guess.width = std::max(first.size(), start.width);
  FirstRowEcho echo(first);
  {
    TableReader again(content, start, true);
    std::vector<Cell> cells;
    while (again.row() < kSampleRows && again.Next(&cells)) echo.Look(cells);
  }
  guess.repeats_below = echo.values();
  const Reading reading = ReadRows(&with_header, guess.width, kSampleRows, budget, {}, [](uint64_t, uint64_t) {});
  const std::vector<ColumnDecision> decisions = DecideAll(reading.columns, start.dialect);
  guess.has_header = DecideHeader(first, decisions, reading.columns, reading.rows > 0, guess.repeats_below);
  if (!guess.has_header) guess.width = start.width;
  for (size_t i = 0; i < guess.width; ++i) guess.text_columns.push_back(decisions[i].type == StoredType::kText);
  return guess;
}

void AddQuirk(std::vector<IngestQuirk>* quirks, std::string_view code, const Occurrences& where, std::string detail,
              bool notable) {
  if (where.count == 0) return;
  quirks->push_back({std::string(code), where.count, where.rows, std::move(detail), notable});
}

std::vector<IngestQuirk> FileQuirks(const Content& content, const TableCensus& census, const RowFaults& faults) {
  std::vector<IngestQuirk> quirks;
  if (content.encoding_guessed) {
    quirks.push_back(
        {"encoding_guessed", 0, {}, absl::StrCat("the text is not UTF-8; it was read as ", content.encoding), false});
  }
  if (content.marks > 1) {
    quirks.push_back({"repeated_mark",
                      static_cast<int64_t>(content.marks),
                      {},
                      "byte order marks at the start of the file, where one is enough, were left out",
                      false});
  }
  if (content.replaced > 0) {
    quirks.push_back({"undecodable",
                      static_cast<int64_t>(content.replaced),
                      {},
                      absl::StrCat("bytes that are not ", content.encoding, " were replaced by U+FFFD"),
                      true});
  }
  if (census.start.skipped_lines > 0) {
    quirks.push_back({"skipped_lines",
                      static_cast<int64_t>(census.start.skipped_lines),
                      {},
                      "lines before the table were skipped",
                      census.start.skipped_titles});
  }
  if (!census.has_header) {
    quirks.push_back({"no_header", 0, {}, "the first line is data; columns are called column_1, column_2, ...", false});
  } else if (census.header.size() < census.width) {
    quirks.push_back({"short_header",
                      0,
                      {},
                      absl::StrCat("most rows have ", census.width, " cells and the header ", census.header.size(),
                                   "; the last columns have no name"),
                      true});
  }
  AddQuirk(&quirks, "short_row", faults.short_rows, "rows with fewer cells than the header; the last ones became missing",
           true);
  AddQuirk(&quirks, "long_row", faults.long_rows,
           absl::StrCat("rows with more cells than the header; the surplus was left out: ", faults.surplus), true);
  AddQuirk(&quirks, "unclosed_quote", faults.unclosed_quotes, "quotes that are never closed were read as characters", true);
  AddQuirk(&quirks, "stray_quote", faults.stray_quotes, "quotes inside quoted cells were read as characters", true);
  AddQuirk(&quirks, "invalid_utf8", faults.invalid_utf8, "bytes that are not UTF-8 were replaced by U+FFFD", true);
  AddQuirk(&quirks, "nul_byte", faults.nul_bytes, "NUL bytes were replaced by U+FFFD", true);
  if (faults.blank_lines > 0) {
    quirks.push_back(
        {"blank_line", static_cast<int64_t>(faults.blank_lines), {}, "lines that hold nothing were skipped", false});
  }
  return quirks;
}

std::string NewlineName(const RowFaults& faults) {
  const int kinds = (faults.lf > 0 ? 1 : 0) + (faults.crlf > 0 ? 1 : 0) + (faults.cr > 0 ? 1 : 0);
  if (kinds > 1) return "mixed";
  return faults.crlf > 0 ? "crlf" : faults.cr > 0 ? "cr" : "lf";
}

// Text columns whose texts were not collected from the first row on, because they looked like something else, are read again;
// so are those among whose texts are spellings of "missing" that are none of their values.
void CompleteTexts(const Content& content, TableCensus* census, MemoryBudget* budget, const ReadingProgress& progress) {
  std::vector<size_t> incomplete;
  for (size_t i = 0; i < census->width; ++i) {
    if (census->decisions[i].type != StoredType::kText) {
      census->columns[i]->DropTexts();
    } else if (!census->columns[i]->Complete() || census->decisions[i].null_count > census->columns[i]->empty()) {
      census->columns[i]->StartTextsAnew(budget);
      incomplete.push_back(i);
    }
  }
  if (incomplete.empty()) return;
  TableReader reader(content, census->start, census->has_header);
  std::vector<Cell> cells;
  while (reader.Next(&cells)) {
    for (const size_t i : incomplete) {
      if (i >= cells.size() || (cells[i].text.empty() && !cells[i].quoted)) continue;
      if (census->decisions[i].missing_in_text && SaysMissing(cells[i].text)) continue;
      census->columns[i]->AddText(cells[i].text);
    }
    if (reader.row() % kCensusProgressRows == 0) progress(reader.position(), static_cast<uint64_t>(reader.row()));
  }
}

}  // namespace

absl::StatusOr<TableCensus> TakeCensus(const Content& content, MemoryBudget* budget, const ReadingProgress& progress) {
  TableCensus census;
  census.start = DetectDialect(content.text);
  HeaderGuess guess = GuessHeader(content, census.start, budget);
  if (guess.width > kMostColumns) {
    return Refuse("TooManyColumns", absl::StrCat("a line of the file has more than ", kMostColumns,
                                                 " cells: keep the columns you need, or turn columns into rows"));
  }
  census.has_header = guess.has_header;
  bool header_settled = false;
  Reading reading;
  while (true) {
    census.reader_of_header = std::make_unique<TableReader>(content, census.start, census.has_header);
    census.width = std::max(census.has_header ? census.reader_of_header->header().size() : 1, census.start.width);
    TableReader reader(content, census.start, census.has_header);
    reading = Reading();
    reading = ReadRows(&reader, census.width, INT64_MAX, budget, guess.text_columns, progress);
    const RowFaults& faults = reading.faults;
    if (census.start.dialect.delimiter == '\t' && census.start.dialect.quote == '"' &&
        faults.unclosed_quotes.count + faults.stray_quotes.count > 0) {
      census.start.dialect.quote = '\0';
      continue;
    }
    census.decisions = DecideAll(reading.columns, census.start.dialect);
    if (census.has_header && !header_settled) {
      // What the sample could not know: a column that is of numbers only in its first rows speaks no longer for a header.
      header_settled = true;
      if (!DecideHeader(census.reader_of_header->header(), census.decisions, reading.columns, reading.rows > 0,
                        guess.repeats_below)) {
        census.has_header = false;
        continue;
      }
    }
    break;
  }
  census.header = census.reader_of_header->header();
  census.rows = reading.rows;
  census.columns = std::move(reading.columns);
  census.newline = NewlineName(reading.faults);
  // Unnamed columns without a value at the end are an artefact of delimiters that end lines.
  while (census.width > 1 && census.has_header && census.columns.back()->cells() == 0 &&
         census.columns.back()->quoted_empty() == 0 &&
         (census.width > census.header.size() || Trimmed(census.header[census.width - 1].text).empty())) {
    census.columns.pop_back();
    census.decisions.pop_back();
    --census.width;
  }
  census.quirks = FileQuirks(content, census, reading.faults);
  CompleteTexts(content, &census, budget, progress);
  return census;
}

}  // namespace conclave::guest
