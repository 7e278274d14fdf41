// Insight view: what became of a question, for people: the answer first, then what it rests on.
//
// Thread safety: pure functions.
#ifndef CONCLAVE_TOOLS_CONCLAVE_VIEW_INSIGHT_H_
#define CONCLAVE_TOOLS_CONCLAVE_VIEW_INSIGHT_H_

#include <string>

#include "conclave/v1/insight.pb.h"
#include "tools/conclave/surroundings.h"

namespace conclave::cli {

// The whole page, ending with a newline. No text of a file, program or question reaches the terminal unescaped.
std::string RenderInsight(const v1::Insight& insight, const View& view);

// Of a delivered answer the answer and nothing else.
std::string RenderAnswerAlone(const v1::Insight& insight, const View& view);

// The programs of an insight: who drafted each, its language, and its code with nothing in it that steers a terminal.
std::string RenderPrograms(const v1::Insight& insight, const View& view);

}  // namespace conclave::cli

#endif  // CONCLAVE_TOOLS_CONCLAVE_VIEW_INSIGHT_H_
