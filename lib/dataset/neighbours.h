// What to say about the folder around a path that was not right.
//
// Thread safety: reads the file system; otherwise pure functions.
#ifndef CONCLAVE_LIB_DATASET_NEIGHBOURS_H_
#define CONCLAVE_LIB_DATASET_NEIGHBOURS_H_

#include <string>

namespace conclave {

// ` (did you mean "sales.csv"?)` when the path's folder holds a file of a similar name; ` (there is no folder "x")` when it is
// the folder that is missing; else empty.
std::string DidYouMean(const std::string& path);

// ` (a.csv, b.csv, ...)`: the first few files in a folder; empty when there are none.
std::string FilesIn(const std::string& folder);

}  // namespace conclave

#endif  // CONCLAVE_LIB_DATASET_NEIGHBOURS_H_
