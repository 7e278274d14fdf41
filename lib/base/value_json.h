// The JSON form of v1::Value, as written in docs/guest-protocol.md: number lexemes are kept, so that stated decimals survive.
//
// Thread safety: pure functions.
#ifndef CONCLAVE_LIB_BASE_VALUE_JSON_H_
#define CONCLAVE_LIB_BASE_VALUE_JSON_H_

#include <cstddef>
#include <string_view>

#include "absl/status/status.h"
#include "conclave/v1/answer.pb.h"
#include "lib/base/json.h"

namespace conclave {

// What one decoded value may hold. Beyond a bound decoding stops before more memory is spent.
struct ValueBounds {
  size_t bytes = 16u << 20;  // text and lexemes together
  int depth = 16;            // a scalar is depth 1
  size_t values = 2'000'000;
  size_t rows = 100'000;   // of one table
  size_t columns = 2'000;  // of one table
};

// Decodes `json` into `value`. InvalidArgument names the place ("rows[3][1]") and what is wrong there; ResourceExhausted names
// the bound that was exceeded. On error `value` holds what was read so far and is of no use.
absl::Status DecodeValue(const Json& json, v1::Value* value, const ValueBounds& bounds = ValueBounds());

// The inverse. A value without a kind becomes null. What is decoded and encoded again is the same value; what is encoded and
// decoded again is the same JSON but for the choice between a bare number and its tagged form.
Json EncodeValue(const v1::Value& value);

// The lexical rules of the wire. A number lexeme is that of JSON, or "nan", "inf", "-inf".
bool IsIntegerLexeme(std::string_view text);
bool IsNumberLexeme(std::string_view text);
// A date at one of the granularities of v1::Value::date, that exists in the calendar.
bool IsDateLexeme(std::string_view text);

}  // namespace conclave

#endif  // CONCLAVE_LIB_BASE_VALUE_JSON_H_
