// SqlCell: one SQLite value kept beyond the call it came in, with the order that SQLite gives to values.
//
// Thread safety: value type.
// Ownership: owns its text, in SQLite's memory; may throw std::bad_alloc.
#ifndef CONCLAVE_LIB_GUEST_SQL_SQL_CELL_H_
#define CONCLAVE_LIB_GUEST_SQL_SQL_CELL_H_

#include "lib/guest/sql/sqlite_support.h"

namespace conclave::guest {

class SqlCell {
 public:
  SqlCell() = default;
  explicit SqlCell(sqlite3_value* value) : type_(sqlite3_value_type(value)) {
    if (type_ == SQLITE_INTEGER) {
      integer_ = sqlite3_value_int64(value);
    } else if (type_ == SQLITE_FLOAT) {
      real_ = sqlite3_value_double(value);
    } else if (type_ != SQLITE_NULL) {
      text_ = TextOf(value);
    }
  }

  void Give(sqlite3_context* context) const {
    switch (type_) {
      case SQLITE_INTEGER: return sqlite3_result_int64(context, integer_);
      case SQLITE_FLOAT: return sqlite3_result_double(context, real_);
      case SQLITE_NULL: return sqlite3_result_null(context);
      default: return GiveText(context, text_);
    }
  }

  const HeapText& text() const { return text_; }

  // NULL, then numbers by value, then text by bytes.
  friend bool operator<(const SqlCell& a, const SqlCell& b) {
    if (a.Rank() != b.Rank()) return a.Rank() < b.Rank();
    if (a.Rank() == 2) return a.text_ < b.text_;
    if (a.type_ == SQLITE_INTEGER && b.type_ == SQLITE_INTEGER) return a.integer_ < b.integer_;
    return a.Wide() < b.Wide();
  }
  friend bool operator==(const SqlCell& a, const SqlCell& b) { return !(a < b) && !(b < a); }

 private:
  int Rank() const { return type_ == SQLITE_NULL ? 0 : type_ == SQLITE_INTEGER || type_ == SQLITE_FLOAT ? 1 : 2; }
  // An extended double holds every int64 and every double exactly.
  long double Wide() const {
    return type_ == SQLITE_INTEGER ? static_cast<long double>(integer_) : static_cast<long double>(real_);
  }

  int type_ = SQLITE_NULL;
  int64_t integer_ = 0;
  double real_ = 0;
  HeapText text_;
};

}  // namespace conclave::guest

#endif  // CONCLAVE_LIB_GUEST_SQL_SQL_CELL_H_
