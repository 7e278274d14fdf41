// What the suite saw, as lines of Markdown tables: `abuse_test --table=FILE` writes them when all has run.
//
// Thread safety: none needed; tests run one after the other.
#ifndef CONCLAVE_TESTS_ABUSE_RECORD_H_
#define CONCLAVE_TESTS_ABUSE_RECORD_H_

#include <string>
#include <vector>

namespace conclave {

void RecordLine(const std::string& table, const std::string& line);
const std::vector<std::string>& RecordedLines(const std::string& table);

}  // namespace conclave

#endif  // CONCLAVE_TESTS_ABUSE_RECORD_H_
