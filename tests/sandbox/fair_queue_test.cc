#include "lib/sandbox/fair_queue.h"

#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace conclave {
namespace {

// A queue over 100 units of memory and plenty of the rest, that remembers whose each run is. Jobs are letters.
class FairQueueTest : public ::testing::Test {
 protected:
  static Amounts Memory(int64_t amount) { return {{amount, 1, 1, 1}}; }

  FairQueue::Number Enter(char job, int64_t memory) {
    const FairQueue::Number number = queue_.Enter(JobOf(job), Memory(memory));
    runs_[number] = {job, memory};
    return number;
  }

  // Admits all there is room for; returns their jobs in order.
  std::string Admit() {
    std::string jobs;
    while (const std::optional<FairQueue::Number> number = queue_.Next()) {
      jobs += runs_[*number].first;
      running_.push_back(*number);
    }
    return jobs;
  }

  // Ends the run that was admitted first, and admits.
  std::string EndOne() {
    End(running_.front());
    return Admit();
  }

  void End(FairQueue::Number number) {
    std::erase(running_, number);
    queue_.Return(JobOf(runs_[number].first), Memory(runs_[number].second));
  }

  const void* JobOf(char job) const { return &jobs_[job - 'a']; }

  char jobs_[26] = {};
  FairQueue queue_{Amounts{{100, 1000, 1000, 1000}}};
  std::map<FairQueue::Number, std::pair<char, int64_t>> runs_;
  std::vector<FairQueue::Number> running_;
};

TEST_F(FairQueueTest, OneRunOfAnotherJobIsNextAfterFiveHundred) {
  for (int i = 0; i < 500; ++i) Enter('a', 50);
  EXPECT_EQ(Admit(), "aa");
  Enter('b', 50);
  EXPECT_EQ(Admit(), "");
  EXPECT_EQ(EndOne(), "b");
  EXPECT_EQ(EndOne(), "a");
}

TEST_F(FairQueueTest, JobsTakeTurnsWhenOnlyOneRunFits) {
  for (int i = 0; i < 3; ++i) Enter('a', 100);
  for (int i = 0; i < 3; ++i) Enter('b', 100);
  for (int i = 0; i < 3; ++i) Enter('c', 100);
  std::string order = Admit();
  while (!running_.empty()) order += EndOne();
  EXPECT_EQ(order, "abcabcabc");
}

TEST_F(FairQueueTest, AJobThatComesBackTakesItsTurnAgain) {
  for (int i = 0; i < 4; ++i) Enter('a', 100);
  std::string order = Admit();
  for (int i = 0; i < 3; ++i) {
    Enter('b', 100);  // one at a time, as a job does that waits for each of its runs
    order += EndOne();
    order += EndOne();
  }
  // Its first run came after the other job's second; from then on they take turns.
  EXPECT_EQ(order, "aababab");
}

TEST_F(FairQueueTest, TheJobThatUsesTheLeastIsNext) {
  Enter('a', 60);
  Enter('b', 20);
  Enter('c', 20);
  EXPECT_EQ(Admit(), "abc");
  const FairQueue::Number last = running_.back();
  Enter('a', 20);
  Enter('b', 20);
  End(last);
  EXPECT_EQ(Admit(), "b") << "it uses 20 and the other 60, though the other came first";
}

TEST_F(FairQueueTest, TheLargestPartOfAnyDimensionCounts) {
  FairQueue queue(Amounts{{100, 100, 100, 100}});
  const Amounts hungry = {{90, 1, 1, 1}};
  const Amounts busy = {{1, 1, 1, 80}};
  const FairQueue::Number first = queue.Enter(JobOf('a'), hungry);
  const FairQueue::Number second = queue.Enter(JobOf('b'), busy);
  EXPECT_EQ(queue.Next(), first);
  EXPECT_EQ(queue.Next(), second);
  queue.Enter(JobOf('a'), Amounts{{1, 1, 1, 1}});
  const FairQueue::Number less = queue.Enter(JobOf('b'), Amounts{{1, 1, 1, 1}});
  EXPECT_EQ(queue.Next(), less) << "80 in a hundred of CPU is less than 90 of memory";
}

TEST_F(FairQueueTest, FirstComeFirstServedWithinAJob) {
  Enter('a', 60);
  EXPECT_EQ(Admit(), "a");
  Enter('a', 90);
  const FairQueue::Number small = Enter('a', 10);
  EXPECT_EQ(Admit(), "") << "the small one came later";
  EXPECT_EQ(queue_.StandingOf(JobOf('a'), small).ahead, 1u);
}

TEST_F(FairQueueTest, SmallRunsOfOthersUseTheRoomALargeOneCannot) {
  Enter('a', 60);
  Admit();
  Enter('b', 90);
  Enter('c', 40);
  EXPECT_EQ(Admit(), "c");
}

TEST_F(FairQueueTest, ALargeRunIsNotStarvedBySmallOnes) {
  Enter('a', 50);
  Enter('a', 50);
  Admit();
  Enter('b', 100);
  // There are always small runs, of jobs that have used nothing yet and so would go first.
  int passed = 0;
  bool served = false;
  for (int i = 0; i < 100 && !served; ++i) {
    Enter(static_cast<char>('c' + i % 20), 50);
    const std::string admitted = EndOne();
    served = admitted.find('b') != std::string::npos;
    passed += static_cast<int>(admitted.size()) - (served ? 1 : 0);
  }
  EXPECT_TRUE(served);
  EXPECT_EQ(passed, FairQueue::kPatience);
}

TEST_F(FairQueueTest, AStreamOfNewJobsDoesNotStarveOneThatRunsAlready) {
  Enter('a', 50);
  Enter('z', 50);
  Admit();
  Enter('a', 50);
  std::string order;
  for (int i = 0; i < 40; ++i) {
    Enter(static_cast<char>('b' + i % 20), 50);
    End(running_.back());  // the first run of `a` goes on and on
    order += Admit();
  }
  EXPECT_EQ(order.find('a'), static_cast<size_t>(FairQueue::kPatience)) << order;
}

TEST_F(FairQueueTest, OnlyTheFirstOfALineGrowsOverdue) {
  for (int i = 0; i < 100; ++i) Enter('a', 100);
  std::string order = Admit();
  for (int i = 0; i < 60; ++i) {
    Enter(static_cast<char>('b' + i % 20), 100);
    order += EndOne();
  }
  Enter('z', 100);
  // Were all of them overdue, the newcomer would wait for a hundred.
  std::string until;
  while (until.find('z') == std::string::npos) until += EndOne();
  EXPECT_LE(until.size(), 25u) << until;
}

TEST_F(FairQueueTest, WhoLeavesHoldsNobodyUp) {
  Enter('a', 60);
  Admit();
  const FairQueue::Number large = Enter('b', 90);
  Enter('b', 10);
  EXPECT_EQ(Admit(), "");
  queue_.Leave(JobOf('b'), large);
  EXPECT_EQ(Admit(), "b");
  EXPECT_EQ(queue_.waiting(), 0u);
}

TEST_F(FairQueueTest, StandingTellsThePlaceAndWhatIsShort) {
  Enter('a', 100);
  Admit();
  const FairQueue::Number first = Enter('a', 30);
  const FairQueue::Number second = Enter('a', 30);
  const FairQueue::Number other = Enter('b', 40);
  EXPECT_EQ(queue_.StandingOf(JobOf('b'), other).ahead, 0u);
  EXPECT_EQ(queue_.StandingOf(JobOf('b'), other).lacking, Amounts::kMemory);
  EXPECT_EQ(queue_.StandingOf(JobOf('b'), other).amount, 40);
  EXPECT_EQ(queue_.StandingOf(JobOf('a'), first).ahead, 1u);
  EXPECT_EQ(queue_.StandingOf(JobOf('a'), second).ahead, 2u);

  FairQueue narrow(Amounts{{100, 100, 2, 100}});
  narrow.Enter(JobOf('a'), Amounts{{50, 1, 2, 1}});
  ASSERT_TRUE(narrow.Next().has_value());
  const FairQueue::Number waits = narrow.Enter(JobOf('b'), Amounts{{60, 1, 1, 1}});
  EXPECT_EQ(narrow.StandingOf(JobOf('b'), waits).lacking, Amounts::kProcesses)
      << "half of the whole, against a tenth of memory";
  EXPECT_EQ(narrow.StandingOf(JobOf('b'), waits).amount, 1);
}

// Whatever comes and goes, in whatever order: never more than the whole, and all are served.
TEST_F(FairQueueTest, AnyOrderOfEventsEndsWithAllServedAndNothingLost) {
  std::mt19937 random(4);
  for (int round = 0; round < 20; ++round) {
    std::vector<FairQueue::Number> waiting;
    for (int step = 0; step < 500; ++step) {
      const auto kind = random() % 5;
      if (kind < 2) {
        waiting.push_back(Enter(static_cast<char>('a' + random() % 7), 1 + static_cast<int64_t>(random() % 100)));
      } else if (kind == 2 && !waiting.empty()) {
        const FairQueue::Number leaver = waiting[random() % waiting.size()];
        queue_.Leave(JobOf(runs_[leaver].first), leaver);
        std::erase(waiting, leaver);
      } else if (!running_.empty()) {
        End(running_[random() % running_.size()]);
      }
      Admit();
      for (const FairQueue::Number number : running_) std::erase(waiting, number);
      int64_t used = 0;
      for (const FairQueue::Number number : running_) used += runs_[number].second;
      ASSERT_LE(used, 100);
      ASSERT_EQ(queue_.waiting(), waiting.size());
    }
    while (!running_.empty()) EndOne();
    EXPECT_EQ(queue_.waiting(), 0u);
    Enter('a', 100);
    EXPECT_EQ(Admit(), "a") << "something was lost";
    EndOne();
  }
}

}  // namespace
}  // namespace conclave
