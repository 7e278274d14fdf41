// ResultRows: the rows of a result on their way into an answer (docs/guest-protocol.md "Answers on the wire").
//
// Thread safety: belongs to one thread.
// Ownership: owns the values gathered.
#ifndef CONCLAVE_LIB_GUEST_SQL_RESULT_ROWS_H_
#define CONCLAVE_LIB_GUEST_SQL_RESULT_ROWS_H_

#include <sqlite3.h>

#include <cstddef>
#include <string>
#include <vector>

#include "lib/base/json.h"
#include "lib/guest/sql/statement_check.h"

namespace conclave::guest {

// More than this is no answer to a question but a copy of the data.
struct ResultBounds {
  size_t rows = 100'000;
  size_t values = 1'000'000;
  size_t bytes = 12u << 20;  // of text in the values; the frame has 16 MB
};

// How a result became too large or senseless.
struct ResultFault {
  std::string type;  // "AnswerTooLarge", "SqlError"; empty: none
  std::string message;
};

class ResultRows {
 public:
  ResultRows(std::vector<TypedColumn> columns, const ResultBounds& bounds) : columns_(std::move(columns)), bounds_(bounds) {}

  // Takes the row on which `statement` stands.
  ResultFault Add(sqlite3_stmt* statement);

  // The answer without unit, decimals and order: a scalar for one row of one column, `empty` for no row, else a table. One NULL
  // alone is `undefined`.
  Json Answer();

 private:
  Json Cell(sqlite3_stmt* statement, int index, ResultFault* fault);
  std::string_view KindOfScalar(const Json& value) const;

  std::vector<TypedColumn> columns_;
  ResultBounds bounds_;
  std::vector<Json> rows_;
  size_t bytes_ = 0;
};

}  // namespace conclave::guest

#endif  // CONCLAVE_LIB_GUEST_SQL_RESULT_ROWS_H_
