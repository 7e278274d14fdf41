// FairQueue: which run is admitted next when jobs want more than there is. Pure: no threads, no clock.
//
// Each job has a line of its own, served first come first served. Of the lines whose first run fits beside what is used
// already, the next is the one whose job uses the least: of its memory, disk, processes and CPU the largest part of the whole
// counts (dominant resource fairness). Jobs that use the same take turns. A small run may so go before a large one that has no
// room yet; a run at the head of its line that kPatience later ones have been admitted before is overdue: it is next, and
// nobody goes before it until there is room.
//
// Thread safety: belongs to one thread at a time.
//
//   FairQueue queue(whole);
//   const FairQueue::Number number = queue.Enter(job, wants);
//   while (std::optional<FairQueue::Number> admitted = queue.Next()) { ... }
//   queue.Return(job, wants);
#ifndef CONCLAVE_LIB_SANDBOX_FAIR_QUEUE_H_
#define CONCLAVE_LIB_SANDBOX_FAIR_QUEUE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string_view>

namespace conclave {

// What a run may use, or all runs together; one CPU is 1,000.
struct Amounts {
  enum Dimension { kMemory, kDisk, kProcesses, kCpu, kDimensions };
  std::array<int64_t, kDimensions> of = {};

  void Add(const Amounts& other);
  void Subtract(const Amounts& other);
  bool FitIn(const Amounts& other) const;
  // The largest part of `whole` in any dimension.
  double PartOf(const Amounts& whole) const;
};

// "memory", "disk", "processes", "cpu".
std::string_view NameOf(Amounts::Dimension dimension);

class FairQueue {
 public:
  using Job = const void*;  // any address that is the job's own as long as it lasts
  using Number = uint64_t;  // of a run that waits or was admitted

  static constexpr int kPatience = 16;

  explicit FairQueue(const Amounts& whole) : whole_(whole), free_(whole) {}

  // Puts a run at the end of its job's line. It must fit in the whole.
  Number Enter(Job job, const Amounts& wants);
  // Admits the run whose turn it is, if there is room for it. Called until it gives none after each other call.
  std::optional<Number> Next();
  // Takes a run that still waits out of its line.
  void Leave(Job job, Number number);
  // Gives back what an admitted run had.
  void Return(Job job, const Amounts& had);

  // How a run that waits stands.
  struct Standing {
    size_t ahead = 0;  // runs that will be admitted before it if all jobs take turns from now on
    Amounts::Dimension lacking = Amounts::kMemory;
    int64_t amount = 0;  // of what is lacking, in the dimension's unit
  };
  Standing StandingOf(Job job, Number number) const;

  size_t waiting() const { return waiting_; }

 private:
  struct Entry {
    Number number;
    Amounts wants;
    int passed = 0;  // later runs that were admitted while this was the first of its line
  };
  struct Line {
    std::deque<Entry> entries;
    Amounts used;
    double part = 0;    // of the whole, that `used` is
    uint64_t turn = 0;  // when it was last served, or came
  };
  using Lines = std::map<Job, Line>;

  bool GoesBefore(const Line& line, const Line& other) const;
  // The first run that is overdue, in a line of its own; lines_.end() when none is.
  Lines::const_iterator Overdue() const;
  void SetUsed(Line* line, const Amounts& used) const;
  void DropIfIdle(Lines::iterator line);

  const Amounts whole_;
  Amounts free_;
  Lines lines_;  // of jobs that use or want something
  Number last_number_ = 0;
  uint64_t last_turn_ = 0;
  size_t waiting_ = 0;
};

}  // namespace conclave

#endif  // CONCLAVE_LIB_SANDBOX_FAIR_QUEUE_H_
