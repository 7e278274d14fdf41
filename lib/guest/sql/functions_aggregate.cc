#include "lib/guest/sql/functions_aggregate.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/guest/sql/distance.h"
#include "lib/guest/sql/sql_cell.h"
#include "lib/guest/sql/sqlite_support.h"

namespace conclave::guest {
namespace {

__extension__ typedef __int128 Wide;

template <typename T>
using HeapVector = std::vector<T, SqliteAllocator<T>>;

enum Moment { kVarSamp, kVarPop, kStddevSamp, kStddevPop, kSkewness, kKurtosis };
enum PairMoment { kCovarSamp, kCovarPop, kCorr, kSlope, kIntercept, kR2, kPairs };

std::string WideText(Wide value) {
  const bool negative = value < 0;
  std::string digits;
  do {
    const int digit = static_cast<int>(value % 10);
    digits.push_back(static_cast<char>('0' + (digit < 0 ? -digit : digit)));
    value /= 10;
  } while (value != 0);
  if (negative) digits.push_back('-');
  std::reverse(digits.begin(), digits.end());
  return digits;
}

// False, with an error given, for a value that is no number: SQLite would count text as 0.
bool NeedNumber(sqlite3_context* context, const char* name, sqlite3_value* value) {
  const int type = sqlite3_value_type(value);
  if (type == SQLITE_INTEGER || type == SQLITE_FLOAT) return true;
  GiveError(context, absl::StrCat(name, "(): a value is text, not a number"));
  return false;
}

// Exact over integers; over reals with the lost low parts carried along (Neumaier), so that the order of rows hardly matters.
class Sum {
 public:
  void Add(sqlite3_context* context, int, sqlite3_value** values) { Move(context, values[0], 1); }
  void Remove(sqlite3_context* context, int, sqlite3_value** values) { Move(context, values[0], -1); }

  // Tag 0: the sum; 1: the mean.
  void Give(sqlite3_context* context, int tag) {
    const int64_t count = integers_ + reals_;
    if (count == 0) return sqlite3_result_null(context);
    if (reals_ == 0) return tag == 0 ? GiveInteger(context) : sqlite3_result_double(context, Mean(total_, count));
    double special = 0;
    if (nan_ > 0 || (plus_ > 0 && minus_ > 0)) special = std::numeric_limits<double>::quiet_NaN();
    if (special == 0 && plus_ > 0) special = std::numeric_limits<double>::infinity();
    if (special == 0 && minus_ > 0) special = -std::numeric_limits<double>::infinity();
    const long double exact =
        static_cast<long double>(total_) + static_cast<long double>(real_) + static_cast<long double>(low_);
    const double sum = special != 0 ? special : static_cast<double>(exact);
    // Beyond the range of reals there is no sum, and no mean that other engines would find.
    if (special == 0 && !std::isfinite(sum)) return sqlite3_result_null(context);
    sqlite3_result_double(context, tag == 0       ? sum
                                   : special != 0 ? special
                                                  : static_cast<double>(exact / static_cast<long double>(count)));
  }

 private:
  static double Mean(Wide total, int64_t count) {
    const Wide quotient = total / count;
    const Wide rest = total % count;
    return static_cast<double>(static_cast<long double>(quotient) +
                               static_cast<long double>(rest) / static_cast<long double>(count));
  }

  void GiveInteger(sqlite3_context* context) const {
    if (total_ > std::numeric_limits<int64_t>::max() || total_ < std::numeric_limits<int64_t>::min()) {
      return GiveError(context, absl::StrCat("sum(): the exact sum ", WideText(total_),
                                             " does not fit in 64 bits: sum CAST(x AS DOUBLE), or parts of the data"));
    }
    sqlite3_result_int64(context, static_cast<int64_t>(total_));
  }

  void Move(sqlite3_context* context, sqlite3_value* value, int sign) {
    if (IsNullValue(value) || !NeedNumber(context, "sum", value)) return;
    if (sqlite3_value_type(value) == SQLITE_INTEGER) {
      integers_ += sign;
      total_ += sign * static_cast<Wide>(sqlite3_value_int64(value));
      return;
    }
    reals_ += sign;
    const double real = sqlite3_value_double(value);
    if (std::isnan(real)) {
      nan_ += sign;
    } else if (std::isinf(real)) {
      (real > 0 ? plus_ : minus_) += sign;
    } else {
      Carry(sign * real);
    }
  }

  void Carry(double value) {
    const double next = real_ + value;
    low_ += std::abs(real_) >= std::abs(value) ? (real_ - next) + value : (value - next) + real_;
    real_ = next;
  }

  Wide total_ = 0;
  int64_t integers_ = 0;
  int64_t reals_ = 0;
  int64_t nan_ = 0;
  int64_t plus_ = 0;
  int64_t minus_ = 0;
  double real_ = 0;
  double low_ = 0;
};

void GiveIf(sqlite3_context* context, bool defined, double value) {
  if (defined && std::isfinite(value)) {
    sqlite3_result_double(context, value);
  } else {
    sqlite3_result_null(context);
  }
}

// Central moments up to the fourth in one pass (Pébay's update).
class Moments {
 public:
  void Add(sqlite3_context* context, int, sqlite3_value** values) {
    if (IsNullValue(values[0]) || !NeedNumber(context, "this aggregate", values[0])) return;
    const double n1 = count_;
    count_ += 1;
    const double delta = distance_.From(values[0]) - mean_;
    const double step = delta / count_;
    const double step2 = step * step;
    const double term = delta * step * n1;
    mean_ += step;
    m4_ += term * step2 * (count_ * count_ - 3 * count_ + 3) + 6 * step2 * m2_ - 4 * step * m3_;
    m3_ += term * step * (count_ - 2) - 3 * step * m2_;
    m2_ += term;
  }

  void Give(sqlite3_context* context, int tag) {
    const double n = count_;
    switch (tag) {
      case kVarPop: return GiveIf(context, n > 0, m2_ / n);
      case kStddevPop: return GiveIf(context, n > 0, std::sqrt(m2_ / n));
      case kVarSamp: return GiveIf(context, n > 1, m2_ / (n - 1));
      case kStddevSamp: return GiveIf(context, n > 1, std::sqrt(m2_ / (n - 1)));
      case kSkewness:
        return GiveIf(context, n > 2 && m2_ > 0, std::sqrt(n * (n - 1)) / (n - 2) * (m3_ / n) / std::pow(m2_ / n, 1.5));
      default:
        return GiveIf(context, n > 3 && m2_ > 0,
                      (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * (n * m4_ / (m2_ * m2_)) - 3 * (n - 1)));
    }
  }

 private:
  Distance distance_;
  double count_ = 0;
  double mean_ = 0;
  double m2_ = 0;
  double m3_ = 0;
  double m4_ = 0;
};

// Second moments of pairs (y, x) of which neither is missing.
class PairMoments {
 public:
  void Add(sqlite3_context* context, int count, sqlite3_value** values) {
    if (AnyNull(count, values)) return;
    if (!NeedNumber(context, "this aggregate", values[0]) || !NeedNumber(context, "this aggregate", values[1])) return;
    const double y = distance_y_.From(values[0]);
    const double x = distance_x_.From(values[1]);
    count_ += 1;
    const double dx = x - mean_x_;
    const double dy = y - mean_y_;
    mean_x_ += dx / count_;
    mean_y_ += dy / count_;
    xx_ += dx * (x - mean_x_);
    yy_ += dy * (y - mean_y_);
    xy_ += dx * (y - mean_y_);
  }

  void Give(sqlite3_context* context, int tag) {
    switch (tag) {
      case kPairs: return sqlite3_result_int64(context, static_cast<int64_t>(count_));
      case kCovarPop: return GiveIf(context, count_ > 0, xy_ / count_);
      case kCovarSamp: return GiveIf(context, count_ > 1, xy_ / (count_ - 1));
      case kCorr: return GiveIf(context, xx_ > 0 && yy_ > 0, xy_ / std::sqrt(xx_) / std::sqrt(yy_));
      case kSlope: return GiveIf(context, xx_ > 0, xy_ / xx_);
      case kIntercept: return GiveIf(context, xx_ > 0, Intercept());
      default: return GiveIf(context, xx_ > 0, yy_ > 0 ? xy_ / xx_ * (xy_ / yy_) : 1);
    }
  }

 private:
  double Intercept() const {
    const long double slope = static_cast<long double>(xy_) / static_cast<long double>(xx_);
    const long double x = distance_x_.origin() + static_cast<long double>(mean_x_);
    return static_cast<double>(distance_y_.origin() + static_cast<long double>(mean_y_) - slope * x);
  }

  Distance distance_x_;
  Distance distance_y_;
  double count_ = 0;
  double mean_x_ = 0;
  double mean_y_ = 0;
  double xx_ = 0;
  double yy_ = 0;
  double xy_ = 0;
};

// Between two neighbours: exact over integers, rounded once. The middle of two is their mean, as it is elsewhere.
double Between(int64_t lower, int64_t upper, double fraction) {
  if (fraction == 0.5) return static_cast<double>(static_cast<Wide>(lower) + upper) / 2;
  const Wide distance = static_cast<Wide>(upper) - lower;
  return static_cast<double>(static_cast<long double>(lower) + static_cast<long double>(distance) * fraction);
}
double Between(double lower, double upper, double fraction) {
  return fraction == 0.5 ? std::midpoint(lower, upper) : lower + (upper - lower) * fraction;
}

// Quantiles between neighbours. Rows leave a window in the order in which they came, so a queue serves. Integers are kept as
// they are until the first real comes.
class ContinuousQuantile {
 public:
  void Add(sqlite3_context* context, int count, sqlite3_value** values) {
    if (count > 1) share_ = sqlite3_value_double(values[1]);
    if (IsNullValue(values[0]) || !NeedNumber(context, "this aggregate", values[0])) return;
    if (!reals_ && sqlite3_value_type(values[0]) == SQLITE_FLOAT) {
      for (int64_t& kept : kept_) kept = std::bit_cast<int64_t>(static_cast<double>(kept));
      reals_ = true;
    }
    kept_.push_back(reals_ ? std::bit_cast<int64_t>(sqlite3_value_double(values[0])) : sqlite3_value_int64(values[0]));
  }
  void Remove(sqlite3_context*, int, sqlite3_value** values) {
    if (!IsNullValue(values[0]) && !kept_.empty()) kept_.pop_front();
  }
  void Give(sqlite3_context* context, int) {
    if (kept_.empty()) return sqlite3_result_null(context);
    sqlite3_result_double(context, reals_ ? Quantile<double>() : Quantile<int64_t>());
  }

 private:
  template <typename Number>
  double Quantile() const {
    HeapVector<Number> sorted;
    sorted.reserve(kept_.size());
    for (int64_t kept : kept_) sorted.push_back(std::bit_cast<Number>(kept));
    const double rank = share_ * static_cast<double>(sorted.size() - 1);
    const auto low = sorted.begin() + static_cast<std::ptrdiff_t>(std::floor(rank));
    std::nth_element(sorted.begin(), low, sorted.end());
    const double fraction = rank - std::floor(rank);
    if (fraction == 0) return static_cast<double>(*low);
    return Between(*low, *std::min_element(low + 1, sorted.end()), fraction);
  }

  double share_ = 0.5;
  bool reals_ = false;
  std::deque<int64_t, SqliteAllocator<int64_t>> kept_;  // the bits of a double once there is a real
};

class DiscreteQuantile {
 public:
  void Add(sqlite3_context*, int, sqlite3_value** values) {
    share_ = sqlite3_value_double(values[1]);
    if (!IsNullValue(values[0])) values_.emplace_back(values[0]);
  }
  void Remove(sqlite3_context*, int, sqlite3_value** values) {
    if (!IsNullValue(values[0]) && !values_.empty()) values_.pop_front();
  }
  void Give(sqlite3_context* context, int) {
    if (values_.empty()) return sqlite3_result_null(context);
    HeapVector<SqlCell> sorted(values_.begin(), values_.end());
    const double n = static_cast<double>(sorted.size());
    const double place = std::max(1.0, n - std::floor(n - share_ * n)) - 1;
    const auto at = sorted.begin() + static_cast<std::ptrdiff_t>(std::min(place, n - 1));
    std::nth_element(sorted.begin(), at, sorted.end());
    at->Give(context);
  }

 private:
  double share_ = 0.5;
  std::deque<SqlCell, SqliteAllocator<SqlCell>> values_;
};

// The most frequent value, of several the smallest.
class Mode {
 public:
  void Add(sqlite3_context*, int, sqlite3_value** values) {
    if (!IsNullValue(values[0])) ++counts_[SqlCell(values[0])];
  }
  void Remove(sqlite3_context*, int, sqlite3_value** values) {
    if (IsNullValue(values[0])) return;
    auto found = counts_.find(SqlCell(values[0]));
    if (found != counts_.end() && --found->second == 0) counts_.erase(found);
  }
  void Give(sqlite3_context* context, int) {
    const auto best =
        std::max_element(counts_.begin(), counts_.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    if (best == counts_.end()) return sqlite3_result_null(context);
    best->first.Give(context);
  }

 private:
  std::map<SqlCell, int64_t, std::less<>, SqliteAllocator<std::pair<const SqlCell, int64_t>>> counts_;
};

// arg_min(x, key): x of the first row with the smallest key. Tag -1: smallest; 1: largest.
class Extremum {
 public:
  void Add(sqlite3_context* context, int count, sqlite3_value** values) {
    if (AnyNull(count, values)) return;
    SqlCell key(values[1]);
    if (!any_ || (TagOf(context) < 0 ? key < key_ : key_ < key)) {
      key_ = std::move(key);
      value_ = SqlCell(values[0]);
      any_ = true;
    }
  }
  void Give(sqlite3_context* context, int) { value_.Give(context); }

 private:
  bool any_ = false;
  SqlCell key_;
  SqlCell value_;
};

// Tags: 0 bool_and, 1 bool_or, 2 count_if.
class Conditions {
 public:
  void Add(sqlite3_context*, int, sqlite3_value** values) {
    if (IsNullValue(values[0])) return;
    ++(sqlite3_value_int64(values[0]) != 0 ? true_ : false_);
  }
  void Give(sqlite3_context* context, int tag) {
    if (tag == 2) return sqlite3_result_int64(context, true_);
    if (true_ + false_ == 0) return sqlite3_result_null(context);
    sqlite3_result_int(context, tag == 0 ? false_ == 0 : true_ > 0);
  }

 private:
  int64_t true_ = 0;
  int64_t false_ = 0;
};

// ordered_text(x, separator, key, flags): flag 1 descending, 2 distinct.
class OrderedText {
 public:
  void Add(sqlite3_context*, int, sqlite3_value** values) {
    if (IsNullValue(values[0])) return;
    separator_ = TextOf(values[1]);
    flags_ = sqlite3_value_int(values[3]);
    parts_.emplace_back(SqlCell(values[2]), HeapText(TextOf(values[0])));
  }
  void Give(sqlite3_context* context, int) {
    if (parts_.empty()) return sqlite3_result_null(context);
    const bool descending = (flags_ & 1) != 0;
    std::stable_sort(parts_.begin(), parts_.end(),
                     [&](const Part& a, const Part& b) { return descending ? b.first < a.first : a.first < b.first; });
    if ((flags_ & 2) != 0) {
      parts_.erase(std::unique(parts_.begin(), parts_.end(), [](const Part& a, const Part& b) { return a.second == b.second; }),
                   parts_.end());
    }
    HeapText text;
    for (size_t i = 0; i < parts_.size(); ++i) {
      if (i > 0) text += separator_;
      text += parts_[i].second;
    }
    GiveText(context, text);
  }

 private:
  using Part = std::pair<SqlCell, HeapText>;
  HeapText separator_;
  int flags_ = 0;
  HeapVector<Part> parts_;
};

// Where SQLite's context points to the state of one group. SQLite aligns memory to 8 bytes, which is too little for 128-bit
// sums.
template <typename State>
struct Slot {
  void* memory;
  State* state;
};

// The state of an aggregate; nullptr when there is none yet and none is to be made. SQLite calls Final also for statements that
// fail.
template <typename State>
State* StateOf(sqlite3_context* context, bool create) {
  auto* slot =
      static_cast<Slot<State>*>(sqlite3_aggregate_context(context, create ? static_cast<int>(sizeof(Slot<State>)) : 0));
  if (slot == nullptr) {
    if (create) throw std::bad_alloc();
    return nullptr;
  }
  if (slot->state == nullptr && create) {
    size_t room = sizeof(State) + alignof(State);
    slot->memory = SqliteAllocator<char>().allocate(room);
    void* place = slot->memory;
    slot->state = new (std::align(alignof(State), sizeof(State), place, room)) State();
  }
  return slot->state;
}

template <typename State>
void Step(sqlite3_context* context, int count, sqlite3_value** values) {
  Guarded(context, [&] { StateOf<State>(context, true)->Add(context, count, values); });
}

template <typename State>
void Inverse(sqlite3_context* context, int count, sqlite3_value** values) {
  Guarded(context, [&] { StateOf<State>(context, true)->Remove(context, count, values); });
}

template <typename State>
void Value(sqlite3_context* context) {
  Guarded(context, [&] {
    State* state = StateOf<State>(context, false);
    if (state != nullptr) return state->Give(context, TagOf(context));
    State().Give(context, TagOf(context));
  });
}

template <typename State>
void Final(sqlite3_context* context) {
  Value<State>(context);
  Guarded(context, [&] {
    auto* slot = static_cast<Slot<State>*>(sqlite3_aggregate_context(context, 0));
    if (slot == nullptr || slot->state == nullptr) return;
    slot->state->~State();
    sqlite3_free(slot->memory);
    *slot = {};
  });
}

constexpr int kAggregateFlags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;

template <typename State>
void AddAggregate(sqlite3* db, const char* name, int arguments, int tag, int* code) {
  if (*code == SQLITE_OK) {
    *code =
        sqlite3_create_function_v2(db, name, arguments, kAggregateFlags, reinterpret_cast<void*>(static_cast<intptr_t>(tag)),
                                   nullptr, Step<State>, Final<State>, nullptr);
  }
}

template <typename State>
void AddWindow(sqlite3* db, const char* name, int arguments, int tag, int* code) {
  if (*code == SQLITE_OK) {
    *code = sqlite3_create_window_function(db, name, arguments, kAggregateFlags,
                                           reinterpret_cast<void*>(static_cast<intptr_t>(tag)), Step<State>, Final<State>,
                                           Value<State>, Inverse<State>, nullptr);
  }
}

}  // namespace

absl::Status AddAggregateFunctions(sqlite3* db) {
  int code = SQLITE_OK;
  AddWindow<Sum>(db, "sum", 1, 0, &code);
  AddWindow<Sum>(db, "avg", 1, 1, &code);
  AddWindow<Sum>(db, "mean", 1, 1, &code);
  AddWindow<ContinuousQuantile>(db, "median", 1, 0, &code);
  AddWindow<ContinuousQuantile>(db, "quantile_cont", 2, 0, &code);
  AddWindow<DiscreteQuantile>(db, "quantile_disc", 2, 0, &code);
  AddWindow<Mode>(db, "mode", 1, 0, &code);
  static constexpr std::pair<const char*, int> kMoments[] = {
      {"variance", kVarSamp},       {"var_samp", kVarSamp},     {"var_pop", kVarPop},    {"stddev", kStddevSamp},
      {"stddev_samp", kStddevSamp}, {"stddev_pop", kStddevPop}, {"skewness", kSkewness}, {"kurtosis", kKurtosis}};
  for (const auto& [name, tag] : kMoments) AddAggregate<Moments>(db, name, 1, tag, &code);
  static constexpr std::pair<const char*, int> kPairMoments[] = {
      {"covar_samp", kCovarSamp}, {"covar_pop", kCovarPop},       {"corr", kCorr},       {"regr_slope", kSlope},
      {"regr_r2", kR2},           {"regr_intercept", kIntercept}, {"regr_count", kPairs}};
  for (const auto& [name, tag] : kPairMoments) AddAggregate<PairMoments>(db, name, 2, tag, &code);
  for (const char* name : {"arg_min", "min_by"}) AddAggregate<Extremum>(db, name, 2, -1, &code);
  for (const char* name : {"arg_max", "max_by"}) AddAggregate<Extremum>(db, name, 2, 1, &code);
  AddAggregate<Conditions>(db, "bool_and", 1, 0, &code);
  AddAggregate<Conditions>(db, "bool_or", 1, 1, &code);
  for (const char* name : {"count_if", "countif"}) AddAggregate<Conditions>(db, name, 1, 2, &code);
  AddAggregate<OrderedText>(db, "ordered_text", 4, 0, &code);
  if (code != SQLITE_OK) return absl::InternalError(absl::StrCat("SQLite refused an aggregate: ", sqlite3_errstr(code)));
  return absl::OkStatus();
}

}  // namespace conclave::guest
