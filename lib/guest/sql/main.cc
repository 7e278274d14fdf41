// conclave-sql: runs one SELECT over column stores. The request is on descriptor 4, the stores from descriptor 6 on, frames go
// to descriptor 3; see docs/guest-protocol.md.

#include <string>
#include <vector>

#include "lib/guest/protocol/guest_protocol.h"
#include "lib/guest/sql/sql_request.h"

int main() {
  using namespace conclave::guest;  // NOLINT: one function
  const absl::StatusOr<conclave::Json> request = ReadRequest(kRequestDescriptor);
  if (!request.ok()) {
    return WriteFrame(kFrameDescriptor, ErrorFrame("RequestError", std::string(request.status().message()), false)).ok() ? 0
                                                                                                                         : 1;
  }
  std::vector<int> stores;
  if (const conclave::Json* tables = request->Find("tables")) {
    for (const conclave::Json& table : tables->items()) {
      const conclave::Json* descriptor = table.Find("descriptor");
      stores.push_back(static_cast<int>(descriptor == nullptr ? -1 : descriptor->IntegerOr(-1)));
    }
  }
  return RunSqlRequest(*request, stores, kFrameDescriptor);
}
