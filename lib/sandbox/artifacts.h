// Artifacts: files a run left in its private folder, copied out as bytes. Everything in the folder is hostile: only plain
// files that belong to the run, have one name and fit the caps are read, never through a link.
//
// Thread safety: functions may run concurrently on different folders.
// Ownership: values only.
#ifndef CONCLAVE_LIB_SANDBOX_ARTIFACTS_H_
#define CONCLAVE_LIB_SANDBOX_ARTIFACTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "conclave/sandbox.h"

namespace conclave {

struct ArtifactBounds {
  int32_t count = 0;
  int64_t file_bytes = 16LL << 20;
  int64_t total_bytes = 64LL << 20;
};

struct CollectedArtifacts {
  std::vector<SandboxArtifact> kept;  // in order of their names
  std::vector<std::string> refused;   // "plot.png: is a symbolic link"; at most 20, the last saying how many more
};

// Collects from the open `folder`, after all processes of the run have ended. Names that begin with a dot, and what lies in
// folders so named, are the program's own business and are passed over.
CollectedArtifacts CollectArtifacts(int folder, const ArtifactBounds& bounds);

}  // namespace conclave

#endif  // CONCLAVE_LIB_SANDBOX_ARTIFACTS_H_
