// RunSqlRequest: what conclave-sql does between its request and its closing frame.
//
// Thread safety: one request at a time in a process, because SQLite's memory limit is the process's.
// Ownership: descriptors are borrowed.
#ifndef CONCLAVE_LIB_GUEST_SQL_SQL_REQUEST_H_
#define CONCLAVE_LIB_GUEST_SQL_SQL_REQUEST_H_

#include <vector>

#include "lib/base/json.h"

namespace conclave::guest {

// Runs the request of docs/guest-protocol.md over column stores: `stores[i]` is an open descriptor of table i. Writes frames to
// `frames`: engine, the canaries when the request has a member `canaries`, loaded (one for each table read), then answer or
// error. Returns the exit code: 0 when a closing frame was written.
int RunSqlRequest(const Json& request, const std::vector<int>& stores, int frames);

}  // namespace conclave::guest

#endif  // CONCLAVE_LIB_GUEST_SQL_SQL_REQUEST_H_
