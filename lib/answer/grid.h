// Grid: lists, maps and tables as one shape, rows of cells under named columns, so that one comparison serves all three.
//
// Thread safety: value type.
// Ownership: borrows the cells, which must outlive it.
#ifndef CONCLAVE_LIB_ANSWER_GRID_H_
#define CONCLAVE_LIB_ANSWER_GRID_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "conclave/v1/answer.pb.h"
#include "lib/answer/quantity.h"

namespace conclave {

struct Grid {
  std::vector<std::string> columns;                 // an empty name is no name
  std::vector<std::vector<const v1::Value*>> rows;  // each as long as `columns`
  NumberClaims claims;

  size_t width() const { return columns.size(); }
  size_t height() const { return rows.size(); }

  // Rows and cells of `value`. A list has one unnamed column; a list of rows or of maps with the same keys is the table it
  // spells; a map has two unnamed columns. Absent when `value` is a scalar.
  static std::optional<Grid> From(const v1::Value& value, const NumberClaims& claims);

  // A map with text keys as one row under its keys. Absent for everything else.
  static std::optional<Grid> RowOf(const v1::Value& value, const NumberClaims& claims);

  // Without column `column`.
  Grid Without(size_t column) const;

  // The column that only numbers the rows, from 0 or 1 in steps of one, under a name that says so or under none.
  std::optional<size_t> IndexColumn() const;
};

// The only cell of a list, map or table, looked for inside it as well; `value` itself when there is none.
const v1::Value& Unwrap(const v1::Value& value);

}  // namespace conclave

#endif  // CONCLAVE_LIB_ANSWER_GRID_H_
