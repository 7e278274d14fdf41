#include "lib/sandbox/budget.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/clock.h"
#include "gtest/gtest.h"
#include "tests/support/fake_sandbox.h"

namespace conclave {
namespace {

constexpr int64_t kMegabyte = 1 << 20;

EngineBudget Megabytes(int64_t memory) {
  EngineBudget budget;
  budget.memory_bytes = memory * kMegabyte;
  budget.cpus = 100;
  return budget;
}

Limits Wants(int64_t memory) {
  Limits limits;
  limits.memory_bytes = memory * kMegabyte;
  return limits;
}

void WaitForQueue(const Budget& budget, size_t size) {
  while (budget.waiting() != size) std::this_thread::yield();
}

TEST(BudgetTest, MoreThanTheWholeIsRefusedAtOnceNamingTheDimension) {
  const Budget budget(Megabytes(100));
  Limits limits = Wants(101);
  absl::Status status = budget.Admit(limits, AdmissionTicket(), Cancellation(), absl::InfiniteFuture()).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_NE(status.message().find("context.run_limits.memory_bytes: 105906176 is more than"), absl::string_view::npos)
      << status;
  EXPECT_NE(status.message().find("budget.memory_bytes"), absl::string_view::npos) << status;

  limits = Wants(1);
  limits.disk_bytes = 1LL << 50;
  status = budget.Admit(limits, AdmissionTicket(), Cancellation(), absl::InfiniteFuture()).status();
  EXPECT_NE(status.message().find("limits.disk_bytes"), absl::string_view::npos) << status;
  limits = Wants(1);
  limits.processes = 65;
  status = budget.Admit(limits, AdmissionTicket(), Cancellation(), absl::InfiniteFuture()).status();
  EXPECT_NE(status.message().find("limits.processes"), absl::string_view::npos) << status;
}

TEST(BudgetTest, ManyProcessesAreNoReasonToRefuseOnASmallMachine) {
  EngineBudget small = Megabytes(100);
  small.cpus = 1;
  const Budget budget(small);
  Limits limits = Wants(1);
  limits.processes = 8;
  EXPECT_TRUE(budget.Admit(limits, AdmissionTicket(), Cancellation(), absl::InfiniteFuture()).ok());
}

TEST(BudgetTest, DeadlineEndsTheWait) {
  const Budget budget(Megabytes(100));
  const absl::StatusOr<Budget::Admission> held =
      budget.Admit(Wants(60), AdmissionTicket(), Cancellation(), absl::InfiniteFuture());
  ASSERT_TRUE(held.ok());
  const absl::Status status =
      budget.Admit(Wants(60), AdmissionTicket(), Cancellation(), absl::Now() + absl::Milliseconds(20)).status();
  EXPECT_TRUE(absl::IsDeadlineExceeded(status)) << status;
  EXPECT_EQ(budget.waiting(), 0u);
}

TEST(BudgetTest, CancellationWakesAWaiterAndLetsTheNextOneIn) {
  const Budget budget(Megabytes(100));
  const absl::StatusOr<Budget::Admission> held =
      budget.Admit(Wants(60), AdmissionTicket(), Cancellation(), absl::InfiniteFuture());
  ASSERT_TRUE(held.ok());
  const CancellationSource source;
  absl::Status large;
  bool small = false;
  std::thread first(
      [&] { large = budget.Admit(Wants(90), AdmissionTicket(), source.token(), absl::InfiniteFuture()).status(); });
  WaitForQueue(budget, 1);
  std::thread second([&] { small = budget.Admit(Wants(10), AdmissionTicket(), Cancellation(), absl::InfiniteFuture()).ok(); });
  WaitForQueue(budget, 2);  // it would fit, but it came later
  source.Cancel();
  first.join();
  second.join();
  EXPECT_TRUE(absl::IsCancelled(large)) << large;
  EXPECT_TRUE(small);
}

TEST(BudgetTest, FirstComeFirstServed) {
  const Budget budget(Megabytes(100));
  std::optional<Budget::Admission> held = *budget.Admit(Wants(100), AdmissionTicket(), Cancellation(), absl::InfiniteFuture());
  std::mutex mutex;
  std::vector<int> order;
  std::vector<std::thread> threads;
  for (int i = 0; i < 5; ++i) {
    threads.emplace_back([&, i] {
      const absl::StatusOr<Budget::Admission> share =
          budget.Admit(Wants(100), AdmissionTicket(), Cancellation(), absl::InfiniteFuture());
      const std::lock_guard<std::mutex> lock(mutex);
      if (share.ok()) order.push_back(i);
    });
    WaitForQueue(budget, static_cast<size_t>(i) + 1);
  }
  held.reset();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST(BudgetTest, NeverGivesOutMoreThanItHas) {
  const Budget budget(Megabytes(100));
  std::atomic<int64_t> used{0};
  std::atomic<int64_t> most{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 50; ++round) {
        const int64_t wants = 1 + (i * 7 + round * 13) % 60;
        const absl::StatusOr<Budget::Admission> share =
            budget.Admit(Wants(wants), AdmissionTicket(), Cancellation(), absl::InfiniteFuture());
        ASSERT_TRUE(share.ok());
        const int64_t now = used += wants;
        for (int64_t before = most; before < now && !most.compare_exchange_weak(before, now);) {}
        used -= wants;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(most, 100);
  EXPECT_TRUE(budget.Admit(Wants(100), AdmissionTicket(), Cancellation(), absl::Now() + absl::Seconds(60)).ok())
      << "a share was lost";
}

// What one run heard while it waited; the test can wait for it.
class Heard {
 public:
  AdmissionTicket Ticket(const void* job = nullptr) {
    return {job, [this](const QueueStanding& standing) {
              const std::lock_guard<std::mutex> lock(mutex_);
              standings_.push_back(standing);
            }};
  }
  std::vector<QueueStanding> all() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return standings_;
  }
  void WaitFor(size_t count) {
    while (all().size() < count) std::this_thread::yield();
  }

 private:
  std::mutex mutex_;
  std::vector<QueueStanding> standings_;
};

TEST(BudgetTest, AWaitIsToldFromItsBeginningToItsEnd) {
  const Budget budget(Megabytes(100));
  std::optional<Budget::Admission> held = *budget.Admit(Wants(100), AdmissionTicket(), Cancellation(), absl::InfiniteFuture());
  Heard heard;
  std::thread waits(
      [&] { EXPECT_TRUE(budget.Admit(Wants(30), heard.Ticket(&heard), Cancellation(), absl::InfiniteFuture()).ok()); });
  heard.WaitFor(1);
  EXPECT_FALSE(heard.all()[0].admitted);
  EXPECT_EQ(heard.all()[0].place, 1u);
  EXPECT_EQ(heard.all()[0].waiting, 1u);
  EXPECT_EQ(heard.all()[0].short_of, "memory");
  EXPECT_EQ(heard.all()[0].lacking, 30 * kMegabyte);

  // News come when the standing changes, and not more often.
  std::thread later([&] { EXPECT_TRUE(budget.Admit(Wants(30), {}, Cancellation(), absl::InfiniteFuture()).ok()); });
  heard.WaitFor(2);
  EXPECT_EQ(heard.all()[1].waiting, 2u);
  EXPECT_GE(heard.all()[1].waited - heard.all()[0].waited, absl::Milliseconds(500));

  held.reset();
  waits.join();
  later.join();
  ASSERT_EQ(heard.all().size(), 3u);
  EXPECT_TRUE(heard.all()[2].admitted);
  EXPECT_GE(heard.all()[2].waited, heard.all()[1].waited);
}

TEST(BudgetTest, WhoIsAdmittedAtOnceHearsNothing) {
  const Budget budget(Megabytes(100));
  Heard heard;
  EXPECT_TRUE(budget.Admit(Wants(100), heard.Ticket(), Cancellation(), absl::InfiniteFuture()).ok());
  EXPECT_TRUE(heard.all().empty());
}

TEST(BudgetTest, ADeadlineSaysWhatWasShort) {
  EngineBudget narrow = Megabytes(100);
  narrow.processes = 3;
  const Budget budget(narrow);
  Limits limits = Wants(10);
  limits.processes = 2;
  const absl::StatusOr<Budget::Admission> held = budget.Admit(limits, {}, Cancellation(), absl::InfiniteFuture());
  const absl::Status status = budget.Admit(limits, {}, Cancellation(), absl::Now() + absl::Milliseconds(5)).status();
  EXPECT_NE(status.message().find("short of processes"), absl::string_view::npos) << status;
}

TEST(BudgetTest, OneRunOfAnotherJobIsNextAfterFiveHundred) {
  const Budget budget(Megabytes(100));
  std::optional<Budget::Admission> held = *budget.Admit(Wants(100), {}, Cancellation(), absl::InfiniteFuture());
  const int many = 0;
  const int single = 0;
  std::mutex mutex;
  std::vector<const void*> order;
  std::vector<std::thread> threads;
  const auto submit = [&](const void* job) {
    threads.emplace_back([&, job] {
      const absl::StatusOr<Budget::Admission> share =
          budget.Admit(Wants(100), {job, nullptr}, Cancellation(), absl::InfiniteFuture());
      const std::lock_guard<std::mutex> lock(mutex);
      order.push_back(share.ok() ? job : nullptr);
    });
  };
  for (int i = 0; i < 500; ++i) submit(&many);
  WaitForQueue(budget, 500);
  submit(&single);
  WaitForQueue(budget, 501);
  held.reset();
  for (std::thread& thread : threads) thread.join();
  ASSERT_EQ(order.size(), 501u);
  EXPECT_EQ(order[1], &single) << "one of the many was before it in the round";
}

// From 64 threads, of which some give up: nobody hangs, and the whole is there in the end.
TEST(BudgetTest, AThousandSubmissionsLeaveNothing) {
  const Budget budget(Megabytes(100));
  std::atomic<int> admitted{0};
  std::atomic<int> gave_up{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 64; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 16; ++round) {
        const CancellationSource source;
        const bool cancels = (i + round) % 5 == 0;
        if (cancels) source.Cancel();
        const absl::Time deadline = (i + round) % 7 == 0 ? absl::Now() : absl::InfiniteFuture();
        const void* const job = &threads + i % 8;
        const int64_t wants = 1 + (i * 7 + round * 13) % 100;
        const bool got = budget.Admit(Wants(wants), {job, [](const QueueStanding&) {}}, source.token(), deadline).ok();
        (got ? admitted : gave_up) += 1;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(admitted + gave_up, 1024);
  EXPECT_EQ(budget.waiting(), 0u);
  EXPECT_TRUE(budget.Admit(Wants(100), {}, Cancellation(), absl::Now() + absl::Seconds(60)).ok()) << "a share was lost";
}

TEST(BudgetTest, AdmissionMayOutliveTheBudget) {
  auto budget = std::make_unique<Budget>(Megabytes(100));
  const absl::StatusOr<Budget::Admission> share =
      budget->Admit(Wants(100), AdmissionTicket(), Cancellation(), absl::InfiniteFuture());
  budget.reset();
  EXPECT_TRUE(share.ok());
}

TEST(BudgetedSandboxTest, RunThatIsCancelledWhileItWaitsEndsCancelled) {
  FakeSandbox fake;
  fake.Push(FakeSandbox::Good("answer"));
  const Budget budget(Megabytes(100));
  const std::unique_ptr<Sandbox> sandbox = CreateBudgetedSandbox(fake, budget, AdmissionTicket());
  std::optional<Budget::Admission> held = *budget.Admit(Wants(100), AdmissionTicket(), Cancellation(), absl::InfiniteFuture());
  SandboxRequest request;
  request.limits = Wants(50);
  const CancellationSource source;
  source.Cancel();
  const absl::StatusOr<SandboxResult> cancelled = sandbox->Run(request, source.token());
  ASSERT_TRUE(cancelled.ok());
  EXPECT_EQ(cancelled->end_reason, v1::CANCELLED);
  request.deadline = absl::Now();
  EXPECT_EQ(sandbox->Run(request, Cancellation())->end_reason, v1::DEADLINE);
  EXPECT_TRUE(fake.seen().empty());
  held.reset();
  request.deadline = absl::InfiniteFuture();
  EXPECT_EQ(sandbox->Run(request, Cancellation())->result, "answer");
}

}  // namespace
}  // namespace conclave
