// Any bytes as an answer frame: refused, or an answer that encodes and decodes to itself.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "lib/answer/wire.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const absl::StatusOr<conclave::Json> json = conclave::ParseJson({reinterpret_cast<const char*>(bytes), size});
  if (!json.ok()) return 0;
  const absl::StatusOr<conclave::v1::Answer> answer = conclave::DecodeAnswer(*json);
  if (!answer.ok()) return 0;
  const std::string encoded = conclave::EncodeAnswer(*answer).Text();
  const absl::StatusOr<conclave::Json> parsed = conclave::ParseJson(encoded);
  if (!parsed.ok()) std::abort();
  const absl::StatusOr<conclave::v1::Answer> again = conclave::DecodeAnswer(*parsed);
  if (!again.ok() || conclave::EncodeAnswer(*again).Text() != encoded) std::abort();
  return 0;
}
