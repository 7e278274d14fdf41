#include "tools/conclave/view/text_table.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/text.h"
#include "tools/conclave/units.h"
#include "tools/conclave/view/layout.h"

namespace conclave::cli {

TextTable::TextTable(std::vector<Column> columns, size_t cell_bytes) : columns_(std::move(columns)), cell_bytes_(cell_bytes) {
  for (Column& column : columns_) column.title = Excerpt(column.title, cell_bytes_);
}

void TextTable::Add(const std::vector<std::string>& cells) {
  std::vector<std::string>& row = rows_.emplace_back();
  for (size_t i = 0; i < columns_.size(); ++i) row.push_back(i < cells.size() ? Excerpt(cells[i], cell_bytes_) : "");
}

std::string TextTable::Render(const Paint& paint, int width) const {
  constexpr size_t kGap = 2;
  std::vector<size_t> widths;
  size_t total = 0;
  for (size_t i = 0; i < columns_.size(); ++i) {
    size_t widest = DisplayWidth(columns_[i].title);
    for (const auto& row : rows_) widest = std::max(widest, DisplayWidth(row[i]));
    total += widest + (i > 0 ? kGap : 0);
    if (width > 0 && i > 0 && total > static_cast<size_t>(width)) break;
    widths.push_back(widest);
  }
  const auto line = [&](auto&& cell, bool title) {
    std::string out;
    for (size_t i = 0; i < widths.size(); ++i) {
      const std::string& text = cell(i);
      std::string padded = columns_[i].align == Align::kRight ? PadLeft(text, widths[i]) : PadRight(text, widths[i]);
      if (i + 1 == widths.size()) padded.erase(padded.find_last_not_of(' ') + 1);
      out += std::string(i > 0 ? kGap : 0, ' ') + (title ? paint.Bold(padded) : padded);
    }
    out.erase(out.find_last_not_of(' ') + 1);
    return out + "\n";
  };
  std::string out;
  if (std::any_of(columns_.begin(), columns_.end(), [](const Column& column) { return !column.title.empty(); })) {
    out += line([&](size_t i) -> const std::string& { return columns_[i].title; }, true);
  }
  for (const auto& row : rows_) out += line([&](size_t i) -> const std::string& { return row[i]; }, false);
  if (widths.size() < columns_.size()) {
    std::vector<std::string> hidden;
    for (size_t i = widths.size(); i < columns_.size(); ++i) hidden.push_back(columns_[i].title);
    const std::string count = Counted(static_cast<int64_t>(hidden.size()), "more column", "more columns");
    out += paint.Dim(Paragraph("", absl::StrCat("(", count, " did not fit: ", absl::StrJoin(hidden, ", "), ")"), width));
  }
  return out;
}

}  // namespace conclave::cli
