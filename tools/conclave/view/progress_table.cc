#include "tools/conclave/view/progress_table.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/text.h"
#include "tools/conclave/units.h"
#include "tools/conclave/view/layout.h"
#include "tools/conclave/view/paint.h"

namespace conclave::cli {
namespace {

constexpr size_t kPersonas = 16;  // more would push the answer off the screen

int64_t NumberOf(const v1::Event& event, const std::string& name) {
  const auto found = event.numbers().find(name);
  return found == event.numbers().end() ? 0 : found->second;
}

std::string Extras(const v1::Event& event) {
  std::string text;
  if (!event.message().empty()) absl::StrAppend(&text, ", ", Excerpt(event.message(), 200));
  if (const int64_t rows = NumberOf(event, "rows"); rows > 0) absl::StrAppend(&text, ", ", Counted(rows, "row", "rows"));
  if (const int64_t bytes = NumberOf(event, "memory_peak_bytes"); bytes > 0) absl::StrAppend(&text, ", ", ShowBytes(bytes));
  return text;
}

}  // namespace

std::string ProgressLine(const v1::Event& event) {
  const std::string persona = event.persona().empty() ? "" : Excerpt(event.persona(), 40) + "  ";
  return absl::StrCat(ShowMicroseconds(event.elapsed_us()), "  ", persona, Excerpt(event.phase(), 40), " ",
                      Excerpt(event.state(), 40), Extras(event), "\n");
}

ProgressTable::Row& ProgressTable::RowOf(const std::string& persona) {
  const auto found = std::find_if(rows_.begin(), rows_.end(), [&](const Row& row) { return row.persona == persona; });
  if (found != rows_.end()) return *found;
  if (rows_.size() > kPersonas) return rows_.back();
  Row& row = rows_.emplace_back();
  row.persona = persona;
  return row;
}

void ProgressTable::Observe(const v1::Event& event) {
  Row& row = RowOf(Excerpt(event.persona(), 40));
  const std::string phase = Excerpt(event.phase(), 40);
  if (phase == "queue" && row.phase != "queue") row.interrupted = row.ended_us < 0 ? row.phase : "";
  if (phase == "queue" && event.state() == "finished" && !row.interrupted.empty()) {
    // Reading waited for room: what it waited with goes on.
    row.phase = row.interrupted;
    row.state = "started";
    row.message.clear();
    row.since_us = event.elapsed_us();
    row.ended_us = -1;
    return;
  }
  if (phase != row.phase || event.state() == "started") row.since_us = event.elapsed_us();
  row.phase = phase;
  row.state = Excerpt(event.state(), 40);
  row.message = Excerpt(event.message(), 200);
  row.ended_us = event.state() == "started" || event.state() == "waiting" ? -1 : event.elapsed_us();
  row.memory_bytes = std::max(row.memory_bytes, NumberOf(event, "memory_peak_bytes"));
}

std::string ProgressTable::Render(int64_t elapsed_us, const View& view) const {
  const Paint paint(view.colour);
  size_t widest = 0;
  for (const Row& row : rows_) widest = std::max(widest, DisplayWidth(row.persona));
  std::string out;
  for (const Row& row : rows_) {
    const int64_t took = (row.ended_us < 0 ? std::max(elapsed_us, row.since_us) : row.ended_us) - row.since_us;
    std::string line = absl::StrCat(PadRight(row.persona, widest), widest > 0 ? "  " : "", PadRight(row.phase, 8), " ",
                                    PadRight(row.state, 8), " ", PadLeft(ShowMicroseconds(took), 9), "  ",
                                    PadLeft(row.memory_bytes > 0 ? ShowBytes(row.memory_bytes) : "", 8), "  ", row.message);
    line.erase(line.find_last_not_of(' ') + 1);
    // A line as wide as the terminal wraps on some of them.
    if (view.width > 1) line = CutToWidth(line, static_cast<size_t>(view.width - 1));
    out += (row.state == "failed" ? paint.Bad(line) : row.ended_us < 0 ? line : paint.Dim(line)) + "\n";
  }
  return out;
}

}  // namespace conclave::cli
