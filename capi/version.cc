#include <algorithm>
#include <array>
#include <string_view>

#include "capi/conclave.h"
#include "lib/base/release.h"

#define CONCLAVE_TEXT_OF(x) #x
#define CONCLAVE_TEXT(x) CONCLAVE_TEXT_OF(x)
#define CONCLAVE_VERSION_TEXT           \
  CONCLAVE_TEXT(CONCLAVE_VERSION_MAJOR) \
  "." CONCLAVE_TEXT(CONCLAVE_VERSION_MINOR) "." CONCLAVE_TEXT(CONCLAVE_VERSION_PATCH)
static_assert(std::string_view(CONCLAVE_VERSION_TEXT) == conclave::kRelease);

uint32_t conclave_version_number(void) { return CONCLAVE_VERSION_NUMBER; }
const char* conclave_version_string(void) { return CONCLAVE_VERSION_TEXT; }
uint32_t conclave_abi_version(void) { return CONCLAVE_ABI_VERSION; }
const char* conclave_features(void) { return "analysis execution profile compare model_callback"; }

const char* conclave_code_name(conclave_code code) {
  static constexpr std::array kNames = {
      "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
      "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
      "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
      "DATA_LOSS", "UNAUTHENTICATED"};
  return code >= 0 && static_cast<size_t>(code) < kNames.size() ? kNames[static_cast<size_t>(code)] : "UNKNOWN";
}
