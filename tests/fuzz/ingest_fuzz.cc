// Arbitrary bytes as a user's file: they are read or refused, and what was written is a sound column store.

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "lib/base/descriptor.h"
#include "lib/guest/columns/column_store.h"
#include "lib/guest/ingest/ingest.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using conclave::Descriptor;
  const Descriptor input(::memfd_create("input", MFD_CLOEXEC));
  const Descriptor output(::memfd_create("output", MFD_CLOEXEC));
  if (!conclave::WriteAll(input.get(), {reinterpret_cast<const char*>(data), size}).ok()) return 0;
  conclave::guest::IngestOptions options;
  options.counting_bytes = size % 2 == 0 ? 4096 : 1 << 20;
  const absl::StatusOr<conclave::Json> profile = conclave::guest::Ingest(input.get(), output.get(), options);
  if (!profile.ok()) {
    // Bytes that do not change can always be read twice.
    if (absl::IsInternal(profile.status()) || std::string(profile.status().message()).find("changed") != std::string::npos) {
      std::abort();
    }
    return 0;
  }
  const absl::StatusOr<conclave::guest::ColumnStoreView> store = conclave::guest::ColumnStoreView::Map(output.get());
  if (!store.ok() || !store->Verify().ok()) std::abort();
  if (!conclave::ParseJson(profile->Text()).ok()) std::abort();
  return 0;
}
