// OddPaths: file names that are not UTF-8. A job is a protocol buffer, whose text has to be; so such files are opened here and
// go into the job as descriptors.
//
// Thread safety: pure functions over their arguments.
// Ownership: `held` owns the descriptors; the job may be used as long as it lives.
#ifndef CONCLAVE_LIB_ENGINE_ODD_PATHS_H_
#define CONCLAVE_LIB_ENGINE_ODD_PATHS_H_

#include <vector>

#include "absl/status/status.h"
#include "conclave/v1/job.pb.h"
#include "lib/base/descriptor.h"

namespace conclave {

using Sources = google::protobuf::RepeatedPtrField<v1::DatasetSource>;

bool HasOddPaths(const Sources& sources);

// NotFound, PermissionDenied and so on, as for any other file; begins with the place in the job.
absl::Status OpenOddPaths(Sources* sources, std::vector<Descriptor>* held);

}  // namespace conclave

#endif  // CONCLAVE_LIB_ENGINE_ODD_PATHS_H_
