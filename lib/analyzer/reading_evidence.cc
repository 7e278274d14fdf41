#include "lib/analyzer/reading_evidence.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/answer/text_folding.h"
#include "lib/base/text.h"

namespace conclave {
namespace {

bool Loaded(const Executions& executions, const std::string& column) {
  return std::any_of(executions.begin(), executions.end(), [&](const v1::Execution& execution) {
    return std::find(execution.columns().begin(), execution.columns().end(), column) != execution.columns().end();
  });
}

// One sentence about the first difference that matters; empty when there is none.
std::string Difference(const v1::Profile& profile, const Executions& executions) {
  const v1::Recount& recount = profile.recount();
  if (recount.rows_differ() > 0) {
    return absl::StrCat("Two readers of ", profile.source(), " disagree about ", recount.rows_differ(), " rows");
  }
  for (const v1::Recount::Column& column : recount.columns()) {
    if (!Loaded(executions, absl::StrCat(profile.name(), ".", column.name()))) continue;
    return absl::StrCat("Two readers of ", profile.source(), " disagree about `", column.name(), "`: ", column.example());
  }
  return "";
}

constexpr size_t kMostNotes = 5;

// "`temp`: infinities and NaN became missing (2 times, first in rows 3, 9)".
std::string NoteOf(const std::string& subject, const v1::Quirk& quirk) {
  std::string note = absl::StrCat(subject, ": ", quirk.detail().empty() ? quirk.code() : quirk.detail());
  if (quirk.count() <= 0) return note;
  absl::StrAppend(&note, " (", quirk.count(), quirk.count() == 1 ? " time" : " times");
  if (quirk.rows_size() > 0) {
    const bool more = quirk.count() > quirk.rows_size();
    absl::StrAppend(&note, more ? ", first in row" : ", in row", quirk.rows_size() == 1 ? " " : "s ",
                    absl::StrJoin(quirk.rows(), ", "));
  }
  return note + ")";
}

}  // namespace

std::vector<std::string> ReadingNotes(const std::vector<v1::Profile>& profiles, const Executions& executions) {
  std::vector<std::string> notes;
  size_t more = 0;
  const auto add = [&](const std::string& subject, const auto& quirks) {
    for (const v1::Quirk& quirk : quirks) {
      if (!quirk.notable()) continue;
      if (notes.size() < kMostNotes) {
        notes.push_back(NoteOf(subject, quirk));
      } else {
        ++more;
      }
    }
  };
  for (const v1::Profile& profile : profiles) {
    add(profile.source(), profile.quirks());
    for (const v1::ColumnProfile& column : profile.columns()) {
      if (Loaded(executions, absl::StrCat(profile.name(), ".", column.name())))
        add(absl::StrCat("`", column.name(), "`"), column.quirks());
    }
  }
  if (more > 0) notes.push_back(absl::StrCat(more, " more like these: `conclave profile` lists them"));
  return notes;
}

std::vector<std::string> SpellingNotes(const v1::Answer& answer, const v1::Program& told) {
  const v1::ValueTable& table = answer.value().table();
  std::vector<std::string> notes;
  for (int column = 0; column < table.columns_size() && table.columns_size() > 1; ++column) {
    const std::string& name = table.columns(column);
    const bool known = std::find(told.spellings().begin(), told.spellings().end(), name) != told.spellings().end();
    std::map<std::string, std::vector<std::string>> labels;  // folded, as they stand
    std::set<std::string> seen;
    bool groups = !known;
    for (const v1::ValueTable::Row& row : table.rows()) {
      const v1::Value& cell = row.cells(column);
      if (!cell.has_text()) continue;
      // A label that comes twice is not that of a group.
      groups = groups && seen.insert(cell.text()).second;
      labels[FoldText(cell.text())].push_back(cell.text());
    }
    for (const auto& [label, spellings] : labels) {
      if (!groups || spellings.size() < 2 || notes.size() >= kMostNotes) continue;
      std::vector<std::string> quoted;
      for (const std::string& spelling : spellings) quoted.push_back(absl::StrCat("'", Excerpt(spelling, 60), "'"));
      notes.push_back(absl::StrCat(Enumerated(quoted), " of `", name, "` are counted apart"));
    }
  }
  return notes;
}

void WeighReadings(const std::vector<v1::Profile>& profiles, const Executions& executions, v1::Outcome* outcome) {
  if (outcome->kind() != v1::CONFIRMED && outcome->kind() != v1::SUPPORTED) return;
  for (const v1::Profile& profile : profiles) {
    if (!profile.recount().done()) {
      outcome->add_reasons("read_once");
      continue;
    }
    const std::string difference = Difference(profile, executions);
    if (difference.empty()) continue;
    outcome->set_kind(v1::DISPUTED);
    outcome->add_reasons("readers_differ");
    outcome->set_explanation(absl::StrCat(difference, "."));
    outcome->set_way_out("Look at the file there: `conclave profile` lists what is unusual about it.");
    return;
  }
}

}  // namespace conclave
