// Recount: reads a file a second time, with other code than the ingest reader, and holds every cell against the column store.
//
// Thread safety: one call at a time on one descriptor.
// Ownership: descriptors are borrowed.
#ifndef CONCLAVE_LIB_GUEST_RECOUNT_RECOUNT_H_
#define CONCLAVE_LIB_GUEST_RECOUNT_RECOUNT_H_

#include "lib/base/json.h"

namespace conclave::guest {

// `request` holds `profile`, the Profile the first reader gave, in plain JSON. Writes a `recount` frame to `frames`:
//   {"frame": "recount", "rows": n, "rows_differ": 0, "cells_differ": 0, "cells_lost": 0,
//    "columns": [{"name": ..., "differ": n, "lost": n, "example": ...}]}   (only columns with something to say)
// or an `error` frame. Returns the guest's exit code: 0 when a frame was written.
int Recount(const Json& request, int file, int column_store, int frames);

}  // namespace conclave::guest

#endif  // CONCLAVE_LIB_GUEST_RECOUNT_RECOUNT_H_
