// Belongings: what this process has open, running and on disk, so that a test can tell what something left behind.
//
// Thread safety: no other thread may open or start anything meanwhile.
#ifndef CONCLAVE_TESTS_FAILURE_BELONGINGS_H_
#define CONCLAVE_TESTS_FAILURE_BELONGINGS_H_

#include <string>
#include <vector>

namespace conclave {

struct Belongings {
  std::vector<std::string> descriptors;  // "7 pipe:[123]"
  std::vector<std::string> threads;
  std::vector<std::string>
      children;                      // "1234 Z (sh)"; not those that only this process's adoption made ours and that have ended
  std::vector<std::string> entries;  // of the folder

  // `folder`: whose entries count.
  static Belongings Of(const std::string& folder);

  // What is here and was not in `before`; empty when nothing is.
  std::string Beyond(const Belongings& before) const;
};

// Makes this process the one that orphans of its descendants fall to, so that none escapes the count.
void AdoptOrphans();

// As Belongings::Of, once there are no children any more, or after `patience_ms`: what was killed takes a moment to be gone.
Belongings SettledBelongings(const std::string& folder, int patience_ms = 5000);

}  // namespace conclave

#endif  // CONCLAVE_TESTS_FAILURE_BELONGINGS_H_
