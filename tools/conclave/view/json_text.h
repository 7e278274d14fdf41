// JSON text: a JSON document that is safe to show on a terminal.
//
// Thread safety: pure function.
#ifndef CONCLAVE_TOOLS_CONCLAVE_VIEW_JSON_TEXT_H_
#define CONCLAVE_TOOLS_CONCLAVE_VIEW_JSON_TEXT_H_

#include <string>

#include "lib/base/json.h"

namespace conclave::cli {

// The document, indented, with a newline at its end. Characters that steer a terminal or deceive a reader (C1 controls,
// bidirectional overrides, zero-width ones) are written as \u escapes: the same document to a parser.
std::string JsonText(const Json& document);

}  // namespace conclave::cli

#endif  // CONCLAVE_TOOLS_CONCLAVE_VIEW_JSON_TEXT_H_
