#include "tools/conclave/view/evidence.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/text.h"
#include "lib/sandbox/layers.h"
#include "tools/conclave/units.h"
#include "tools/conclave/view/layout.h"
#include "tools/conclave/view/text_table.h"

namespace conclave::cli {
namespace {

std::string ShowIsolationLevel(int level) { return level < 0 ? "none" : absl::StrCat("L", level); }

std::string Author(const Evidence& run) { return run.persona.empty() ? "program" : Excerpt(run.persona, 40); }

// Whether the layer is what keeps the run from a level above its own. A run without any level lacks all it lacks.
bool IsOfStrongerLevel(const v1::LayerState& layer, const v1::Execution& execution) {
  const Layer* known = FindLayer(layer.name());
  return known != nullptr && known->required && execution.isolation_level() >= 0 && known->level > execution.isolation_level();
}

// What was preferred and not reached, by the first layer that is missing; empty where nothing is.
std::string ShowNotReached(const v1::Execution& execution) {
  const v1::LayerState* first = nullptr;
  int level = 0;
  for (const v1::LayerState& layer : execution.layers()) {
    if (layer.achieved() || !IsOfStrongerLevel(layer, execution)) continue;
    level = std::max(level, LevelOfLayer(layer.name()));
    if (first == nullptr || LevelOfLayer(layer.name()) < LevelOfLayer(first->name())) first = &layer;
  }
  if (first == nullptr) return "";
  return absl::StrCat(ShowIsolationLevel(level), " was not reached: ", Excerpt(first->name(), 40), " is missing",
                      first->detail().empty() ? "" : absl::StrCat(": ", Excerpt(first->detail(), 400)));
}

// One line for the whole answer: what keeps one run from a level nearly always keeps all.
std::string RenderNotReached(std::string_view title, const std::vector<Evidence>& runs, const View& view) {
  const auto short_of = [](const Evidence& run) { return !ShowNotReached(*run.execution).empty(); };
  const auto first = std::find_if(runs.begin(), runs.end(), short_of);
  if (first == runs.end()) return "";
  const std::string text = ShowNotReached(*first->execution);
  const bool all = std::all_of(runs.begin(), runs.end(), short_of);
  return Paragraph(title, all ? text : absl::StrCat(Author(*first), ": ", text), view.width);
}

std::string ShowIsolation(const v1::Execution& execution) {
  std::vector<std::string> proven, missing;
  for (const v1::LayerState& layer : execution.layers()) {
    std::string name = Excerpt(layer.name(), 40);
    if (layer.achieved()) {
      proven.push_back(std::move(name));
    } else if (!IsOfStrongerLevel(layer, execution)) {
      missing.push_back(layer.detail().empty() ? name : absl::StrCat(name, " (", Excerpt(layer.detail(), 120), ")"));
    }
  }
  std::string text = ShowIsolationLevel(execution.isolation_level());
  if (!proven.empty()) absl::StrAppend(&text, ", proven: ", absl::StrJoin(proven, ", "));
  if (!missing.empty()) absl::StrAppend(&text, "; not held: ", absl::StrJoin(missing, ", "));
  return text;
}

std::string ShowLimits(const v1::Limits& limits) {
  std::vector<std::string> parts;
  const auto add = [&parts](int64_t value, std::string text) {
    if (value > 0) parts.push_back(std::move(text));
  };
  add(limits.wall_ms(), absl::StrCat("wall ", ShowTimeLimit(limits.wall_ms())));
  add(limits.cpu_ms(), absl::StrCat("CPU ", ShowTimeLimit(limits.cpu_ms())));
  add(limits.memory_bytes(), absl::StrCat("memory ", ShowBytes(limits.memory_bytes())));
  add(limits.disk_bytes(), absl::StrCat("disk ", ShowBytes(limits.disk_bytes())));
  add(limits.disk_inodes(), Counted(limits.disk_inodes(), "file", "files"));
  add(limits.output_bytes(), absl::StrCat("output ", ShowBytes(limits.output_bytes())));
  add(limits.processes(), Counted(limits.processes(), "process", "processes"));
  add(limits.threads(), Counted(limits.threads(), "thread", "threads"));
  add(limits.descriptors(), Counted(limits.descriptors(), "descriptor", "descriptors"));
  return absl::StrJoin(parts, ", ");
}

// One line for all runs when they have it in common, else one for each.
template <typename Show>
std::string CommonOrEach(std::string_view title, const std::vector<Evidence>& runs, const View& view, Show show) {
  std::vector<std::string> texts;
  for (const Evidence& run : runs) texts.push_back(show(*run.execution));
  const bool common = std::all_of(texts.begin(), texts.end(), [&](const std::string& text) { return text == texts.front(); });
  std::string out;
  for (size_t i = 0; i < (common ? 1 : texts.size()); ++i) {
    if (texts[i].empty()) continue;
    out += Paragraph(title, common ? texts[i] : absl::StrCat(Author(runs[i]), ": ", texts[i]), view.width);
  }
  return out;
}

// A process may end well although its program did not.
std::string ShowEnd(const v1::Execution& execution) {
  const bool failed = execution.end_reason() == v1::OK && execution.answer().kind() == v1::ERROR;
  return failed ? "error" : ShowEndReason(execution.end_reason());
}

// What a person needs to know about a run that did not go well; empty for one that did.
std::string Trouble(const Evidence& run) {
  const v1::Execution& execution = *run.execution;
  if (execution.answer().kind() == v1::ERROR) {
    if (run.persona.empty()) return "";  // it is the answer, and shown as such
    const v1::ProgramError& error = execution.answer().error();
    return absl::StrCat(Excerpt(error.type(), 80), ": ", Excerpt(error.message(), 400));
  }
  if (execution.end_reason() != v1::OK && !execution.detail().empty()) return Excerpt(execution.detail(), 400);
  return run.remark.empty() ? "" : "did not count: " + Excerpt(run.remark, 400);
}

}  // namespace

std::string ShowEndReason(v1::EndReason reason) {
  const std::string name = v1::EndReason_Name(reason);
  return name.empty() || reason == v1::END_REASON_UNSPECIFIED ? "unknown" : absl::AsciiStrToLower(name);
}

std::string ShowWall(const v1::Usage& usage) { return usage.has_wall_us() ? ShowMicroseconds(usage.wall_us()) : "-"; }

std::string ShowMemory(const v1::Usage& usage) {
  return usage.has_memory_peak_bytes() ? ShowBytes(usage.memory_peak_bytes()) : "-";
}

std::string RenderEvidence(const std::vector<Evidence>& runs, const View& view) {
  if (runs.empty()) return "";
  const Paint paint(view.colour);
  TextTable table({{"run"}, {"engine"}, {"ended"}, {"wall", Align::kRight}, {"memory", Align::kRight}, {"isolation"}});
  std::string troubles;
  for (const Evidence& run : runs) {
    const v1::Execution& execution = *run.execution;
    table.Add({Author(run), execution.engine(), ShowEnd(execution), ShowWall(execution.usage()), ShowMemory(execution.usage()),
               ShowIsolationLevel(execution.isolation_level())});
    if (std::string trouble = Trouble(run); !trouble.empty()) {
      troubles += Paragraph(paint.Doubtful(Author(run)) + "  ", trouble, view.width);
    }
  }
  return table.Render(paint, view.width) + troubles + CommonOrEach(paint.Dim("Isolation") + "  ", runs, view, ShowIsolation) +
         RenderNotReached(paint.Dim("Preferred") + "  ", runs, view) +
         CommonOrEach(paint.Dim("Limits") + "     ", runs, view, [](const v1::Execution& e) { return ShowLimits(e.limits()); });
}

}  // namespace conclave::cli
