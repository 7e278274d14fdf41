// Job descriptors and options as a host gives them: any bytes through the C interface. Nothing is started.
#include <cstddef>
#include <cstdint>

#include "capi/conclave.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static conclave_engine* const engine = [] {
    conclave_engine* made = nullptr;
    conclave_engine_create(nullptr, &made, nullptr);
    return made;
  }();
  for (int32_t kind = CONCLAVE_ANALYSIS; kind <= CONCLAVE_PROFILE; ++kind) {
    for (int32_t format = CONCLAVE_PROTO; format <= CONCLAVE_JSON; ++format) {
      conclave_job* job = nullptr;
      conclave_error* error = nullptr;
      const conclave_code code = conclave_job_create(engine, kind, format, data, size, &job, &error);
      if ((code == CONCLAVE_OK) != (job != nullptr) || (code == CONCLAVE_OK) != (error == nullptr)) __builtin_trap();
      conclave_error_destroy(error);
      conclave_job_destroy(job);
    }
  }
  conclave_buffer* verdict = nullptr;
  conclave_compare(data, size, data, size, nullptr, 0, &verdict, nullptr);
  conclave_buffer_destroy(verdict);
  return 0;
}
