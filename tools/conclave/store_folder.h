// Store folder: where a command keeps what it read and answered.
//
// Thread safety: pure apart from the file system.
#ifndef CONCLAVE_TOOLS_CONCLAVE_STORE_FOLDER_H_
#define CONCLAVE_TOOLS_CONCLAVE_STORE_FOLDER_H_

#include <functional>
#include <optional>
#include <string>

#include "absl/status/status.h"

namespace conclave::cli {

// The folder used when no option names one: CONCLAVE_STORE, else XDG_DATA_HOME/conclave, else HOME/.local/share/conclave.
// Relative XDG_DATA_HOME and HOME are passed over. Empty when the environment names none.
std::string DefaultStoreFolder(const std::function<std::optional<std::string>(const char*)>& environment);

// Makes the folder with mode 0700, and those above it, when it is not there. An error names the folder and the reason;
// also when it is there but no folder, somebody else's, or open to others: the store holds what files said.
absl::Status PrepareStoreFolder(const std::string& folder);

}  // namespace conclave::cli

#endif  // CONCLAVE_TOOLS_CONCLAVE_STORE_FOLDER_H_
