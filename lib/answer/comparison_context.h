// ComparisonContext: what the question and the data's profile fixed about an answer before anyone answered.
//
// Thread safety: value type.
#ifndef CONCLAVE_LIB_ANSWER_COMPARISON_CONTEXT_H_
#define CONCLAVE_LIB_ANSWER_COMPARISON_CONTEXT_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "conclave/v1/answer.pb.h"

namespace conclave {

// A default-constructed context fixes nothing: the comparison then agrees only where no reading of the question could make the
// two differ.
struct ComparisonContext {
  // The expected kind; narrower than v1::AnswerKind for two readings of numbers.
  v1::AnswerKind kind = v1::ANSWER_KIND_UNSPECIFIED;
  bool timestamp = false;  // numbers are seconds since 1970
  bool weekday = false;    // numbers are days of the week, counted as `week_start` says

  std::optional<int> decimals;  // asked for; in the unit asked for
  std::string unit;             // asked for: bare numbers are in it
  std::string currency;         // asked for or that of the column: bare amounts are in it
  std::optional<bool> ordered;  // absent: order counts when both answers claim one
  std::optional<int> top_n;

  std::optional<bool> day_first;  // how the column writes dates; absent: unknown
  std::string week_start;         // "monday0", "monday1", "sunday0", "sunday1"; empty: unknown
  std::string frequency;          // of the series a date labels: "D", "W", "M", "Q", "Y"; empty: unknown

  std::string property;                       // what a yes/no question asks for: "significant"
  std::set<std::string> column_has;           // values of the column the labels come from, where spellings may collide
  std::map<std::string, std::string> scores;  // label to the number lexeme it is ranked by, to see ties

  bool float32 = false;              // the column is single precision
  double absolute_tolerance = 1e-9;  // against an exact zero only

  static ComparisonContext From(const v1::Expectation& expectation) {
    ComparisonContext context;
    context.kind = expectation.kind();
    if (expectation.has_decimals()) context.decimals = expectation.decimals();
    context.unit = expectation.unit();
    if (expectation.has_ordered()) context.ordered = expectation.ordered();
    if (expectation.has_top_n()) context.top_n = expectation.top_n();
    return context;
  }
};

}  // namespace conclave

#endif  // CONCLAVE_LIB_ANSWER_COMPARISON_CONTEXT_H_
