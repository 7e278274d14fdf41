#include "lib/sandbox/fair_queue.h"

#include <algorithm>
#include <iterator>

namespace conclave {

void Amounts::Add(const Amounts& other) {
  for (size_t i = 0; i < of.size(); ++i) of[i] += other.of[i];
}

void Amounts::Subtract(const Amounts& other) {
  for (size_t i = 0; i < of.size(); ++i) of[i] -= other.of[i];
}

bool Amounts::FitIn(const Amounts& other) const {
  for (size_t i = 0; i < of.size(); ++i) {
    if (of[i] > other.of[i]) return false;
  }
  return true;
}

double Amounts::PartOf(const Amounts& whole) const {
  double largest = 0;
  for (size_t i = 0; i < of.size(); ++i) {
    if (whole.of[i] > 0) largest = std::max(largest, static_cast<double>(of[i]) / static_cast<double>(whole.of[i]));
  }
  return largest;
}

std::string_view NameOf(Amounts::Dimension dimension) {
  switch (dimension) {
    case Amounts::kMemory: return "memory";
    case Amounts::kDisk: return "disk";
    case Amounts::kProcesses: return "processes";
    default: return "cpu";
  }
}

FairQueue::Number FairQueue::Enter(Job job, const Amounts& wants) {
  const auto [place, is_new] = lines_.try_emplace(job);
  Line& line = place->second;
  if (is_new) line.turn = ++last_turn_;
  line.entries.push_back({++last_number_, wants});
  ++waiting_;
  return last_number_;
}

std::optional<FairQueue::Number> FairQueue::Next() {
  auto next = lines_.end();
  if (const auto overdue = Overdue(); overdue != lines_.end()) {
    if (!overdue->second.entries.front().wants.FitIn(free_)) return std::nullopt;
    next = lines_.find(overdue->first);
  } else {
    for (auto line = lines_.begin(); line != lines_.end(); ++line) {
      if (line->second.entries.empty() || !line->second.entries.front().wants.FitIn(free_)) continue;
      if (next == lines_.end() || GoesBefore(line->second, next->second)) next = line;
    }
    if (next == lines_.end()) return std::nullopt;
  }
  Line& line = next->second;
  const Entry admitted = line.entries.front();
  line.entries.pop_front();
  --waiting_;
  free_.Subtract(admitted.wants);
  Amounts used = line.used;
  used.Add(admitted.wants);
  SetUsed(&line, used);
  line.turn = ++last_turn_;
  for (auto& [job, other] : lines_) {
    if (&other != &line && !other.entries.empty() && other.entries.front().number < admitted.number) {
      ++other.entries.front().passed;
    }
  }
  return admitted.number;
}

void FairQueue::Leave(Job job, Number number) {
  const auto line = lines_.find(job);
  if (line == lines_.end()) return;
  std::deque<Entry>& entries = line->second.entries;
  const auto entry = std::find_if(entries.begin(), entries.end(), [&](const Entry& one) { return one.number == number; });
  if (entry == entries.end()) return;
  entries.erase(entry);
  --waiting_;
  DropIfIdle(line);
}

void FairQueue::Return(Job job, const Amounts& had) {
  free_.Add(had);
  const auto line = lines_.find(job);
  if (line == lines_.end()) return;  // it had nothing
  Amounts used = line->second.used;
  used.Subtract(had);
  SetUsed(&line->second, used);
  DropIfIdle(line);
}

FairQueue::Standing FairQueue::StandingOf(Job job, Number number) const {
  Standing standing;
  const auto found = lines_.find(job);
  if (found == lines_.end()) return standing;
  const Line& own = found->second;
  const auto entry =
      std::find_if(own.entries.begin(), own.entries.end(), [&](const Entry& one) { return one.number == number; });
  if (entry == own.entries.end()) return standing;
  const size_t rounds = static_cast<size_t>(std::distance(own.entries.begin(), entry));
  standing.ahead = rounds;
  for (const auto& [other_job, other] : lines_) {
    if (other_job == job) continue;
    standing.ahead += std::min(other.entries.size(), rounds + (GoesBefore(other, own) ? 1 : 0));
  }
  // What has to come free: for the run itself, or else for the one that holds it up.
  const Entry* held_up = &*entry;
  if (const auto overdue = Overdue(); held_up->wants.FitIn(free_)) {
    held_up = overdue == lines_.end() ? &own.entries.front() : &overdue->second.entries.front();
  }
  double worst = 0;
  for (int i = 0; i < Amounts::kDimensions; ++i) {
    const int64_t lacks = held_up->wants.of[i] - free_.of[i];
    const double part = static_cast<double>(lacks) / static_cast<double>(std::max<int64_t>(whole_.of[i], 1));
    if (part <= worst) continue;
    worst = part;
    standing.lacking = static_cast<Amounts::Dimension>(i);
    standing.amount = lacks;
  }
  return standing;
}

bool FairQueue::GoesBefore(const Line& line, const Line& other) const {
  return line.part != other.part ? line.part < other.part : line.turn < other.turn;
}

FairQueue::Lines::const_iterator FairQueue::Overdue() const {
  auto first = lines_.end();
  for (auto line = lines_.begin(); line != lines_.end(); ++line) {
    if (line->second.entries.empty() || line->second.entries.front().passed < kPatience) continue;
    if (first == lines_.end() || line->second.entries.front().number < first->second.entries.front().number) first = line;
  }
  return first;
}

void FairQueue::SetUsed(Line* line, const Amounts& used) const {
  line->used = used;
  line->part = used.PartOf(whole_);
}

void FairQueue::DropIfIdle(Lines::iterator line) {
  if (line->second.entries.empty() && line->second.part == 0) lines_.erase(line);
}

}  // namespace conclave
