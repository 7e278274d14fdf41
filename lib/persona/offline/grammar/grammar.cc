#include "lib/persona/offline/grammar/grammar.h"

#include <algorithm>

namespace conclave::offline {

std::vector<Sketch> Grammar::Parse() {
  std::vector<Sketch> result;
  const auto collect = [&](const States& states) {
    for (const State& state : states) {
      if (!AtEnd(state)) continue;
      if (std::find(result.begin(), result.end(), state.sketch) == result.end()) result.push_back(state.sketch);
    }
  };
  collect(Counts());
  collect(Measures());
  collect(Percentages());
  collect(Which());
  collect(TopList());
  collect(Common());
  collect(DistinctLists());
  collect(RowLists());
  collect(Schema());
  collect(ColumnsWithMissing());
  return result;
}

}  // namespace conclave::offline
