// Finish: a sketch, checked against the types of the table, as a plan; or why it cannot be one.
//
// Thread safety: pure function.
#ifndef CONCLAVE_LIB_PERSONA_OFFLINE_FINISH_H_
#define CONCLAVE_LIB_PERSONA_OFFLINE_FINISH_H_

#include <string>
#include <vector>

#include "lib/persona/offline/catalog.h"
#include "lib/persona/offline/sketch.h"
#include "lib/plan/plan.h"

namespace conclave::offline {

struct Finished {
  Plan plan;                             // meaningful without a problem
  std::vector<std::string> assumptions;  // of the reading and of the plan
  std::vector<std::string> notes;        // what may make the answer another one than was meant
  std::vector<std::string> spellings;    // columns whose spellings counted apart are told in `notes`
  std::string problem;
  bool needs_dates = false;  // Sketch::needs_dates
  std::vector<std::string> suggestions;
};

Finished FinishSketch(const Sketch& sketch, const Catalog& catalog);

}  // namespace conclave::offline

#endif  // CONCLAVE_LIB_PERSONA_OFFLINE_FINISH_H_
