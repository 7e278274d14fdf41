#include "lib/guest/ingest/dialect_detection.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "absl/strings/match.h"
#include "lib/guest/ingest/cell_kind.h"

namespace conclave::guest {
namespace {

constexpr std::string_view kDelimiters = ",;\t|\x1f";
constexpr size_t kSampleBytes = 256u << 10;
constexpr size_t kRecordBytes = 8u << 20;  // how far the last record of a sample may run past its end
constexpr size_t kSampleRecords = 1000;
constexpr size_t kMostTitles = 20;

// The first part of a text. Records that begin in `start` are tried, and `text` has the rest of the last one: a quoted cell may
// be longer than the sample, and cut in two it would speak for the wrong dialect.
struct Sample {
  std::string_view start;
  std::string_view text;
};

Sample SampleOf(std::string_view text) { return {text.substr(0, kSampleBytes), text.substr(0, kSampleBytes + kRecordBytes)}; }

// How a candidate cuts the sample.
struct Trial {
  size_t records = 0;
  size_t width = 1;
  size_t consistent = 0;  // records of that width
  size_t cells = 0;
  size_t clean = 0;            // cells without another delimiter in them
  size_t typed = 0;            // cells that are numbers, dates, booleans or empty
  size_t texts = 0;            // cells that are words
  size_t enclosed = 0;         // of these: in the candidate's quotes
  size_t spaced = 0;           // cells after a delimiter that begin with a space
  size_t after_delimiter = 0;  // not empty cells after a delimiter
  size_t figures_after = 0;    // of these: numbers, dates, identifiers
  size_t split = 0;            // records of more than one cell
  size_t broken_quotes = 0;
  size_t first_width = 0;  // of the first record

  // Prose: a heading, then lines with commas that are punctuation.
  bool prose() const { return first_width == 1 && after_delimiter > 0 && spaced == after_delimiter; }
  // Ragged, but cut in the first record and in most others; not where every cut may be punctuation between words.
  bool splits_most() const {
    const bool punctuation = spaced == after_delimiter && figures_after == 0;
    return first_width > 1 && split * 2 > records && !punctuation;
  }
  double consistency() const { return records == 0 ? 0 : static_cast<double>(consistent) / static_cast<double>(records); }
  double score() const {
    if (cells == 0) return 0;
    const double share = static_cast<double>(cells);
    const double sense = 1 + 0.2 * static_cast<double>(typed) / share + 0.2 * static_cast<double>(clean) / share;
    return consistency() * sense / (1 + static_cast<double>(broken_quotes) / static_cast<double>(records));
  }
};

Trial TryDialect(const Sample& sample, const Dialect& dialect) {
  Trial trial;
  RecordScanner scanner(sample.text, dialect);
  std::vector<Cell> cells;
  std::map<size_t, size_t> widths;
  while (trial.records < kSampleRecords && scanner.position() < sample.start.size() && scanner.Next(&cells)) {
    if (IsBlank(cells)) continue;
    if (trial.records++ == 0) trial.first_width = cells.size();
    trial.split += cells.size() > 1 ? 1 : 0;
    ++widths[cells.size()];
    if (scanner.faults().unclosed_quote || scanner.faults().stray_quote) ++trial.broken_quotes;
    for (size_t i = 0; i < cells.size(); ++i) {
      const Cell& cell = cells[i];
      ++trial.cells;
      const std::string_view text = cell.text.substr(0, 200);
      const bool clean = cell.quoted || std::none_of(text.begin(), text.end(), [&dialect](char c) {
                           return c != dialect.delimiter && kDelimiters.find(c) != std::string_view::npos;
                         });
      trial.clean += clean ? 1 : 0;
      const CellKind kind = ReadCell(text).kind;
      const bool word = kind == CellKind::kText || kind == CellKind::kMarker;
      trial.typed += word ? 0 : 1;
      trial.texts += word ? 1 : 0;
      trial.enclosed += word && cell.quoted ? 1 : 0;
      if (i > 0 && !cell.text.empty()) {
        ++trial.after_delimiter;
        trial.figures_after += kind == CellKind::kNumber || kind == CellKind::kDate || kind == CellKind::kIdentifier ? 1 : 0;
        trial.spaced += !cell.quoted && cell.text.front() == ' ' ? 1 : 0;
      }
    }
  }
  for (const auto& [width, count] : widths) {
    // Of two widths that are equally frequent, the larger: cells are more often missing than added.
    if (count >= trial.consistent) {
      trial.consistent = count;
      trial.width = width;
    }
  }
  return trial;
}

// The delimiter that a first line "sep=;" names; such a line is removed from `text`.
std::optional<char> TakeSepLine(std::string_view* text) {
  std::string_view line = text->substr(0, 16);
  const bool quoted = !line.empty() && line[0] == '"';
  if (quoted) line.remove_prefix(1);
  if (!absl::EqualsIgnoreCase(std::string(line.substr(0, 4)), "sep=") || line.size() < 6) return std::nullopt;
  const char delimiter = line[4];
  size_t end = (quoted ? 1 : 0) + 5 + (quoted ? 1 : 0);
  if (quoted && line[5] != '"') return std::nullopt;
  if (text->substr(end, 2) == "\r\n") {
    end += 2;
  } else if (text->substr(end, 1) == "\n" || text->substr(end, 1) == "\r") {
    end += 1;
  } else {
    return std::nullopt;
  }
  text->remove_prefix(end);
  return delimiter;
}

struct Candidate {
  Dialect dialect;
  Trial trial;
};

// The better reading of quotes for one delimiter.
Candidate BestQuotes(const Sample& sample, Dialect dialect) {
  dialect.quote = '"';
  Candidate doubles{dialect, TryDialect(sample, dialect)};
  dialect.quote = '\'';
  Candidate singles{dialect, TryDialect(sample, dialect)};
  dialect.quote = '\0';
  Candidate none{dialect, TryDialect(sample, dialect)};
  const Trial& single = singles.trial;
  const bool single_quoted = single.enclosed >= 2 && single.broken_quotes == 0 && doubles.trial.enclosed == 0 &&
                             (single.consistency() > doubles.trial.consistency() || single.enclosed * 10 >= single.texts * 8);
  if (single_quoted) return singles;
  // In tab-separated text a quote is a character like any other, unless every quote has its partner.
  if (doubles.trial.broken_quotes > 0 && dialect.delimiter == '\t') return none;
  return doubles;
}

Candidate BestCandidate(const Sample& sample, char newline, std::optional<char> fixed) {
  Candidate best;
  bool found = false;
  Candidate ragged;
  bool found_ragged = false;
  for (const char delimiter : fixed.has_value() ? std::string(1, *fixed) : std::string(kDelimiters)) {
    Dialect dialect{.delimiter = delimiter, .quote = '"', .newline = newline, .skip_space = false};
    Candidate candidate = BestQuotes(sample, dialect);
    if (candidate.trial.prose() && !fixed.has_value()) continue;
    const bool splits_most = candidate.trial.splits_most();  // asked while spaces still count
    if (candidate.trial.after_delimiter > 0 && candidate.trial.spaced > 0 && delimiter != '\t') {
      // Spaces belong to the delimiter when they follow it everywhere.
      dialect.skip_space = true;
      Candidate spaced = BestQuotes(sample, dialect);
      const Trial& plain = candidate.trial;
      const bool everywhere = plain.spaced == plain.after_delimiter || spaced.trial.consistency() > plain.consistency();
      if (everywhere) candidate = spaced;
    }
    if (fixed.has_value()) return candidate;
    if (candidate.trial.width < 2 || candidate.trial.consistency() < 0.6) {
      if (splits_most && (!found_ragged || candidate.trial.split > ragged.trial.split)) {
        ragged = candidate;
        found_ragged = true;
      }
      continue;
    }
    if (!found || candidate.trial.score() > best.trial.score()) {
      best = candidate;
      found = true;
    }
  }
  if (!found && found_ragged) {
    // Rows of all widths: the first record is the best witness of how many columns are meant.
    ragged.trial.width = ragged.trial.first_width;
    return ragged;
  }
  if (!found) {
    // One column. Its delimiter must not occur; of the candidates the comma is the least surprising, and where it occurs the
    // unit separator, which text does not hold, keeps every line whole.
    Dialect dialect{.delimiter = ',', .quote = '"', .newline = newline, .skip_space = false};
    for (const char delimiter : std::string_view(",;\t|\x1f")) {
      if (sample.start.find(delimiter) != std::string_view::npos && delimiter != '\x1f') continue;
      dialect.delimiter = delimiter;
      break;
    }
    best = BestQuotes(sample, dialect);
  }
  return best;
}

// Lines before the table: comments, and titles that fill one cell where the table has more.
void SkipPreamble(std::string_view text, TableStart* start) {
  RecordScanner scanner(text.substr(start->offset), start->dialect);
  std::vector<Cell> cells;
  size_t lines = 0;
  size_t lines_with_text = 0;
  size_t last_comment = 0;
  bool titles = false;
  bool last_comment_is_wide = false;
  size_t before = 0;
  size_t skip_to = 0;
  while (lines < kMostTitles * 10) {
    before = scanner.position();
    if (!scanner.Next(&cells)) return;
    ++lines;
    if (IsBlank(cells)) continue;
    const bool comment = !cells[0].quoted && !cells[0].text.empty() && cells[0].text.front() == '#';
    const bool title = !comment && start->width >= 2 && UsedWidth(cells) <= 1 && (cells.size() == 1 || start->width >= 3);
    if (!comment && !(title && lines_with_text < kMostTitles)) break;
    // A title must not be quoted data of a table that starts ragged: it has text in its first cell.
    if (title && Trimmed(cells[0].text).empty()) break;
    ++lines_with_text;
    titles |= title;
    if (comment) {
      last_comment = before;
      last_comment_is_wide = cells.size() == start->width && start->width >= 2;
    } else {
      last_comment_is_wide = false;
    }
    skip_to = scanner.position();
  }
  if (skip_to == 0) return;
  if (last_comment_is_wide) {
    // "#id,name": the last comment is the header when what follows is data.
    const bool follows_data = std::any_of(cells.begin(), cells.end(), [](const Cell& cell) {
      const CellKind kind = ReadCell(cell.text.substr(0, 200)).kind;
      return kind == CellKind::kNumber || kind == CellKind::kDate || kind == CellKind::kIdentifier;
    });
    if (follows_data) {
      skip_to = last_comment;
      --lines_with_text;
    }
  }
  start->offset += skip_to;
  start->skipped_lines = lines_with_text;
  start->skipped_titles = titles;
}

}  // namespace

size_t UsedWidth(const std::vector<Cell>& cells) {
  size_t width = cells.size();
  while (width > 0 && cells[width - 1].text.empty() && !cells[width - 1].quoted) --width;
  return width;
}

bool IsBlank(const std::vector<Cell>& cells) { return cells.size() == 1 && !cells[0].quoted && Trimmed(cells[0].text).empty(); }

TableStart DetectDialect(std::string_view text) {
  TableStart start;
  std::string_view rest = text;
  const std::optional<char> fixed = TakeSepLine(&rest);
  start.offset = text.size() - rest.size();
  // Comments say nothing about the dialect.
  std::string_view body = rest;
  while (!body.empty() && body.front() == '#') {
    const size_t end = body.find_first_of("\r\n");
    if (end == std::string_view::npos) break;
    body.remove_prefix(end + 1);
    if (!body.empty() && body.front() == '\n') body.remove_prefix(1);
  }
  const std::string_view head = rest.substr(0, kSampleBytes);
  // Carriage returns end lines only where there are no line feeds.
  const char newline = head.find('\n') == std::string_view::npos && head.find('\r') != std::string_view::npos ? '\r' : '\n';
  Candidate best = BestCandidate(SampleOf(body), newline, fixed);
  start.dialect = best.dialect;
  start.width = best.trial.width;
  SkipPreamble(text, &start);
  if (start.skipped_lines > 0 && !fixed.has_value()) {
    // Without the preamble the candidates may come out differently.
    const Candidate again = BestCandidate(SampleOf(text.substr(start.offset)), newline, fixed);
    if (again.trial.score() > 0 && again.trial.width >= start.width) {
      start.dialect = again.dialect;
      start.width = again.trial.width;
    }
  }
  return start;
}

}  // namespace conclave::guest
