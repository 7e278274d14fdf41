#include "lib/analyzer/reading_evidence.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"

namespace conclave {
namespace {

bool Loaded(const std::vector<v1::Execution>& executions, const std::string& column) {
  return std::any_of(executions.begin(), executions.end(), [&](const v1::Execution& execution) {
    return std::find(execution.columns().begin(), execution.columns().end(), column) != execution.columns().end();
  });
}

// One sentence about the first difference that matters; empty when there is none.
std::string Difference(const v1::Profile& profile, const std::vector<v1::Execution>& executions) {
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

}  // namespace

void WeighReadings(const std::vector<v1::Profile>& profiles, const std::vector<v1::Execution>& executions,
                   v1::Outcome* outcome) {
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
