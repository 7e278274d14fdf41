// Comparison of two grids: which column is which, then row by row or as multisets.
//
// Thread safety: pure functions.
#ifndef CONCLAVE_LIB_ANSWER_GRID_COMPARE_H_
#define CONCLAVE_LIB_ANSWER_GRID_COMPARE_H_

#include <cstddef>
#include <vector>

#include "lib/answer/compare.h"
#include "lib/answer/grid.h"

namespace conclave {

// One sentence piece showing a value: its text, cut and escaped.
std::string ShowValue(const v1::Value& value);

// Finds the columns of `b` that are those of `a` (same name, folded name, then type and values), and compares rows, in order
// when `ordered`, else as multisets. Takes time about linear in the cells, but for a bounded search among renamed columns.
Comparison CompareGrids(const Grid& a, const Grid& b, bool ordered, const ComparisonContext& context);

// Compares the rows of `a` with those of `b` under a given pairing: column i of `a` is column `columns[i]` of `b`.
Comparison CompareRows(const Grid& a, const Grid& b, const std::vector<size_t>& columns, bool ordered,
                       const ComparisonContext& context);

}  // namespace conclave

#endif  // CONCLAVE_LIB_ANSWER_GRID_COMPARE_H_
