// Progress table: the events of a job as a small table, or as one line each.
//
// Thread safety: belongs to one thread.
// Ownership: value type; keeps no event.
#ifndef CONCLAVE_TOOLS_CONCLAVE_VIEW_PROGRESS_TABLE_H_
#define CONCLAVE_TOOLS_CONCLAVE_VIEW_PROGRESS_TABLE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "conclave/v1/insight.pb.h"
#include "tools/conclave/surroundings.h"

namespace conclave::cli {

// "0.31 s  offline-sql  run finished, 4.1 MB", with a newline. For standard error that is no terminal.
std::string ProgressLine(const v1::Event& event);

class ProgressTable {
 public:
  void Observe(const v1::Event& event);

  // One line for the job and one for each persona: phase, time, memory. No line is wider than `view.width`.
  // `elapsed_us` is the time since the job started, which keeps running between events.
  std::string Render(int64_t elapsed_us, const View& view) const;

 private:
  struct Row {
    std::string persona;
    std::string phase;
    std::string state;
    std::string message;
    std::string interrupted;   // the phase that went on when a wait for room began
    int64_t since_us = 0;      // when the phase started
    int64_t ended_us = -1;     // when it ended; -1 while it lasts
    int64_t memory_bytes = 0;  // the most seen; 0 unknown
  };

  Row& RowOf(const std::string& persona);

  std::vector<Row> rows_;
};

}  // namespace conclave::cli

#endif  // CONCLAVE_TOOLS_CONCLAVE_VIEW_PROGRESS_TABLE_H_
