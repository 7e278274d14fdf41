// What a language model says: any bytes, in either language, whole or cut off.
#include <cstddef>
#include <cstdint>
#include <string>

#include "lib/persona/model/reply.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  conclave::ModelReply reply;
  reply.text.assign(reinterpret_cast<const char*>(data), size);
  for (const conclave::v1::Language language : {conclave::v1::SQL, conclave::v1::PYTHON}) {
    for (const bool truncated : {false, true}) {
      reply.truncated = truncated;
      const absl::StatusOr<conclave::ReadReply> read = conclave::ReadModelReplyText(reply, language);
      // One of the two, and never neither: what is empty is an error.
      if (read.ok() && read->code.empty() == read->decline.empty()) __builtin_trap();
    }
  }
  return 0;
}
