// Profile view: what is in a file, for people.
//
// Thread safety: pure functions.
#ifndef CONCLAVE_TOOLS_CONCLAVE_VIEW_PROFILE_H_
#define CONCLAVE_TOOLS_CONCLAVE_VIEW_PROFILE_H_

#include <string>

#include "conclave/v1/profile.pb.h"
#include "tools/conclave/surroundings.h"

namespace conclave::cli {

// A heading with the table name, a row for each column, then everything odd about columns and file. Ends with a newline.
std::string RenderProfile(const v1::Profile& profile, const View& view);

}  // namespace conclave::cli

#endif  // CONCLAVE_TOOLS_CONCLAVE_VIEW_PROFILE_H_
