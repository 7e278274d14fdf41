// Distance: numbers as distances from the first of them. Integers that are too large for doubles keep their differences that
// way, and so do reals that are large and close together.
//
// Thread safety: belongs to one thread.
// Ownership: value type.
#ifndef CONCLAVE_LIB_GUEST_SQL_DISTANCE_H_
#define CONCLAVE_LIB_GUEST_SQL_DISTANCE_H_

#include <sqlite3.h>

#include <cmath>

namespace conclave::guest {

class Distance {
 public:
  // The first number, if it is finite, becomes the origin. A long double holds every 64-bit integer.
  double From(sqlite3_value* value) {
    const long double number = sqlite3_value_type(value) == SQLITE_INTEGER
                                   ? static_cast<long double>(sqlite3_value_int64(value))
                                   : static_cast<long double>(sqlite3_value_double(value));
    if (!any_ && std::isfinite(number)) origin_ = number;
    any_ = true;
    return static_cast<double>(number - origin_);
  }
  long double origin() const { return origin_; }

 private:
  bool any_ = false;
  long double origin_ = 0;
};

}  // namespace conclave::guest

#endif  // CONCLAVE_LIB_GUEST_SQL_DISTANCE_H_
