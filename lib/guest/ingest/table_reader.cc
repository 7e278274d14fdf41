#include "lib/guest/ingest/table_reader.h"

#include <algorithm>

#include "lib/base/text.h"

namespace conclave::guest {

TableReader::TableReader(const Content& content, const TableStart& start, bool has_header)
    : content_(content), keeps_blanks_(start.width == 1), scanner_(content.text.substr(start.offset), start.dialect) {
  if (!has_header) return;
  std::vector<Cell> cells;
  while (NextRecord(&cells)) {
    if (IsBlank(cells)) continue;
    for (Cell& cell : cells) {
      header_texts_.emplace_back(cell.text);
      header_.push_back({header_texts_.back(), cell.quoted});
    }
    keeps_blanks_ &= header_.size() == 1;
    return;
  }
}

void TableReader::Repair(std::vector<Cell>* cells) {
  repaired_.clear();
  for (Cell& cell : *cells) {
    const bool invalid = content_.invalid_utf8 && !IsValidUtf8(cell.text);
    const bool nul = content_.has_nul && cell.text.find('\0') != std::string_view::npos;
    if (!invalid && !nul) continue;
    invalid_utf8_ += invalid ? 1 : 0;
    nul_bytes_ += nul ? 1 : 0;
    std::string text = invalid ? RepairUtf8(cell.text) : std::string(cell.text);
    if (nul) {
      std::string clean;
      for (const char c : text) {
        if (c == '\0') {
          clean += "\xEF\xBF\xBD";
        } else {
          clean += c;
        }
      }
      text = std::move(clean);
    }
    repaired_.push_back(std::move(text));
    cell.text = repaired_.back();
  }
}

bool TableReader::NextRecord(std::vector<Cell>* cells) {
  invalid_utf8_ = 0;
  nul_bytes_ = 0;
  if (!scanner_.Next(cells)) return false;
  if (content_.invalid_utf8 || content_.has_nul) Repair(cells);
  return true;
}

bool TableReader::Next(std::vector<Cell>* cells) {
  if (held_blanks_ > 0 && held_record_) {
    --held_blanks_;
    ++row_;
    cells->assign(1, Cell{});
    return true;
  }
  if (held_record_) {
    held_record_ = false;
    ++row_;
    cells->swap(held_);
    return true;
  }
  while (NextRecord(cells)) {
    if (!IsBlank(*cells)) {
      if (held_blanks_ == 0) {
        ++row_;
        return true;
      }
      held_record_ = true;
      held_.swap(*cells);
      return Next(cells);
    }
    if (keeps_blanks_ && row_ > 0) {
      ++held_blanks_;
    } else {
      ++blank_lines_;
    }
  }
  blank_lines_ += held_blanks_;
  held_blanks_ = 0;
  return false;
}

}  // namespace conclave::guest
