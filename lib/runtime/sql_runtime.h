// SqlRuntime: runs SQL programs in the sandbox with the program conclave-sql (lib/guest/sql).
//
// Thread safety: const functions may run concurrently.
// Ownership: borrows the sandbox, which must outlive it; owns its descriptor of the guest program.
#ifndef CONCLAVE_LIB_RUNTIME_SQL_RUNTIME_H_
#define CONCLAVE_LIB_RUNTIME_SQL_RUNTIME_H_

#include <memory>
#include <string>

#include "conclave/runtime.h"
#include "conclave/sandbox.h"

namespace conclave {

// `guest_folder` holds conclave-sql, which is opened now, so that a run needs no path to it and always gets the same file. When
// it is not there, Engine() and Run() return Unavailable, which names the file and the way out.
std::unique_ptr<Runtime> CreateSqlRuntime(const Sandbox& sandbox, const std::string& guest_folder);

}  // namespace conclave

#endif  // CONCLAVE_LIB_RUNTIME_SQL_RUNTIME_H_
