// Text table: rows of cells as aligned columns. Whatever goes into a cell is made safe for a terminal here.
//
// Thread safety: belongs to one thread.
// Ownership: value type.
//
//   TextTable table({{"column"}, {"rows", Align::kRight}});
//   table.Add({"fare", "891"});
//   std::string text = table.Render(Paint(false), 80);
#ifndef CONCLAVE_TOOLS_CONCLAVE_VIEW_TEXT_TABLE_H_
#define CONCLAVE_TOOLS_CONCLAVE_VIEW_TEXT_TABLE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "tools/conclave/view/paint.h"

namespace conclave::cli {

enum class Align { kLeft, kRight };

class TextTable {
 public:
  struct Column {
    std::string title;
    Align align = Align::kLeft;
  };

  explicit TextTable(std::vector<Column> columns, size_t cell_bytes = 60);

  // Missing cells are empty, further ones are ignored.
  void Add(const std::vector<std::string>& cells);

  // Titles in bold, two spaces between columns, no trailing spaces. Columns that do not fit into `width` (0: no bound) are
  // left out from the right, and a last line names them; the first column always stays.
  std::string Render(const Paint& paint, int width) const;

 private:
  std::vector<Column> columns_;
  size_t cell_bytes_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace conclave::cli

#endif  // CONCLAVE_TOOLS_CONCLAVE_VIEW_TEXT_TABLE_H_
