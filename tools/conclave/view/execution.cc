#include "tools/conclave/view/execution.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "lib/base/text.h"
#include "tools/conclave/units.h"
#include "tools/conclave/view/answer.h"
#include "tools/conclave/view/evidence.h"
#include "tools/conclave/view/layout.h"
#include "tools/conclave/view/paint.h"

namespace conclave::cli {
namespace {

constexpr size_t kLines = 20;
constexpr size_t kLineBytes = 200;

std::string Plain(const std::string& line) {
  std::string expanded;
  for (const char c : line) expanded += c == '\t' ? std::string("    ") : std::string(1, c);
  if (expanded.ends_with('\r')) expanded.pop_back();
  return Excerpt(expanded, kLineBytes);
}

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines = absl::StrSplit(text, '\n');
  if (lines.back().empty()) lines.pop_back();
  return lines;
}

// The first and last lines of what the program printed, and how much lies between.
std::string RenderStream(std::string_view name, const v1::CapturedStream& stream, const View& view) {
  if (stream.head().empty() && stream.tail().empty()) return "";
  const Paint paint(view.colour);
  std::vector<std::string> lines = LinesOf(stream.head());
  std::string gap;
  if (stream.dropped() > 0) {
    gap = absl::StrCat("... ", ShowBytes(stream.dropped()), " not kept ...");
  }
  const std::vector<std::string> tail = stream.dropped() > 0 ? LinesOf(stream.tail()) : LinesOf(stream.head() + stream.tail());
  std::string body;
  if (gap.empty()) {
    lines = tail;
    if (lines.size() > 2 * kLines)
      gap = absl::StrCat("... ", Counted(static_cast<int64_t>(lines.size() - 2 * kLines), "line", "lines"), " ...");
  }
  const size_t first = gap.empty() ? lines.size() : std::min(lines.size(), kLines);
  for (size_t i = 0; i < first; ++i) body += Plain(lines[i]) + "\n";
  if (!gap.empty()) {
    body += paint.Dim(gap) + "\n";
    for (size_t i = tail.size() - std::min(tail.size(), kLines); i < tail.size(); ++i) body += Plain(tail[i]) + "\n";
  }
  return absl::StrCat(paint.Dim(name), "\n", Indent(body, 2));
}

}  // namespace

std::string RenderExecution(const v1::Execution& execution, const View& view, bool with_evidence) {
  const Paint paint(view.colour);
  const v1::Answer& answer = execution.answer();
  std::string text;
  if (answer.kind() == v1::ANSWER_KIND_UNSPECIFIED || answer.kind() == v1::ERROR) text = paint.Bad("No answer.") + "\n";
  if (answer.kind() != v1::ANSWER_KIND_UNSPECIFIED) text += RenderAnswer(answer, view);
  const std::string streams =
      RenderStream("standard output", execution.stdout(), view) + RenderStream("standard error", execution.stderr(), view);
  if (!streams.empty()) text += "\n" + streams;
  if (!with_evidence) return text;
  return text + "\n" + RenderEvidence({{&execution, "", ""}}, view);
}

}  // namespace conclave::cli
