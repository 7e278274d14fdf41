#include "lib/analyzer/question_analyzer.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "lib/consensus/quorum_consensus.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_runtime.h"
#include "tests/support/scripted_persona.h"
#include "tests/support/temporary_folder.h"

namespace conclave {
namespace {

// One SQL and one Python persona over fakes; a program's code names the integer that its run answers.
class QuestionAnalyzerTest : public testing::Test {
 protected:
  QuestionAnalyzerTest() {
    ledger_ = Ledger::Open(folder_ / "conclave.db").value();
    job_.set_question("How many rows are there?");
    job_.add_datasets()->set_path("a.csv");
  }

  static absl::StatusOr<v1::Execution> AnswerCode(const v1::Program& program, const RunOptions&, const Cancellation&) {
    return FakeRuntime::Integer(program.code().substr(program.code().find(' ') + 1));
  }

  absl::StatusOr<v1::Insight> Ask(std::vector<const Persona*> personas) {
    const ProgramRunner runner(admit_, {&sql_, &python_});
    AnalyzerParts parts;
    parts.read = read_;
    parts.runner = &runner;
    parts.panel = [personas] {
      std::vector<PersonaPtr> panel;
      for (const Persona* persona : personas) panel.emplace_back(PersonaPtr(), persona);
      return panel;
    };
    parts.consensus = &consensus_;
    parts.ledger = ledger_.get();
    parts.clock = &clock_;
    return QuestionAnalyzer(std::move(parts)).Analyze(job_, source_.token(), [&](const v1::Event& event) {
      events_.push_back(event);
    });
  }

  absl::StatusOr<v1::Insight> AskBoth(const std::string& sql_code, const std::string& python_code) {
    auto sql = ScriptedPersona::Drafting("offline-sql", "offline", v1::SQL, sql_code);
    auto python = ScriptedPersona::Drafting("offline-pandas", "offline", v1::PYTHON, python_code);
    return Ask({&sql, &python});
  }

  std::string Phases() const {
    std::string phases;
    for (const v1::Event& event : events_) {
      phases += event.phase() + (event.persona().empty() ? "" : "(" + event.persona() + ")") + ":" + event.state() + " ";
    }
    return phases;
  }

  TemporaryFolder folder_;
  FakeClock clock_;
  QuorumConsensus consensus_;
  std::unique_ptr<Ledger> ledger_;
  FakeRuntime sql_{v1::SQL, std::string("sqlite 3"), &AnswerCode};
  FakeRuntime python_{v1::PYTHON, std::string("pandas 1"), &AnswerCode};
  ReadDatasets read_ = [](const auto&, const ResolvedContext&, const Cancellation&, EventStream&) {
    v1::Profile profile;
    profile.set_name("a");
    return std::vector<DatasetPtr>{std::make_shared<const Dataset>(profile, -1)};
  };
  AdmitRun admit_ = [](const Limits&, const AdmissionTicket&, const Cancellation&,
                       absl::Time) -> absl::StatusOr<std::shared_ptr<void>> { return std::shared_ptr<void>(); };
  v1::AnalysisJob job_;
  CancellationSource source_;
  std::vector<v1::Event> events_;
  bool waited_ = false;
};

TEST_F(QuestionAnalyzerTest, AFileThatCannotBeReadEndsTheJobAndIsRecorded) {
  read_ = [](const auto&, const ResolvedContext&, const Cancellation&, EventStream&) {
    return absl::NotFoundError("datasets[0].path: no such file: \"a.csv\"");
  };
  absl::StatusOr<v1::Insight> insight = AskBoth("sql 3", "py 3");
  EXPECT_EQ(insight.status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(events_.back().phase(), "done");
  EXPECT_EQ(events_.back().state(), "failed");
}

TEST_F(QuestionAnalyzerTest, WithoutIsolationThereIsNoAnswer) {
  python_ = FakeRuntime(v1::PYTHON, std::string("pandas 1"), [](const auto&, const auto&, const auto&) {
    return absl::FailedPreconditionError("layer no_new_privs is missing");
  });
  absl::StatusOr<v1::Insight> insight = AskBoth("sql 3", "py 3");
  EXPECT_EQ(insight.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(insight.status().ToString().find("no_new_privs"), std::string::npos);
}

TEST_F(QuestionAnalyzerTest, AMissingEngineLeavesOneExecution) {
  python_ = FakeRuntime(v1::PYTHON, absl::UnavailableError("no interpreter can import pandas"), &AnswerCode);
  v1::Insight insight = AskBoth("sql 3", "py 3").value();
  EXPECT_EQ(insight.outcome().kind(), v1::NONE);
  ASSERT_EQ(insight.outcome().reasons_size(), 1);
  EXPECT_EQ(insight.outcome().reasons(0), "one_execution");
  EXPECT_EQ(insight.answer().value().integer(), "3");
  EXPECT_EQ(insight.ballots(1).why_not(), "no interpreter can import pandas");
}

TEST_F(QuestionAnalyzerTest, AKilledRunDoesNotVote) {
  python_ = FakeRuntime(v1::PYTHON, std::string("pandas 1"), [](const auto&, const auto&, const auto&) {
    return FakeRuntime::Ended(v1::MEMORY_LIMIT, "memory limit of 512 MB");
  });
  v1::Insight insight = AskBoth("sql 3", "py 3").value();
  EXPECT_EQ(insight.outcome().kind(), v1::NONE);
  EXPECT_FALSE(insight.ballots(1).counts());
  EXPECT_EQ(insight.ballots(1).why_not(), "memory limit of 512 MB");
}

TEST_F(QuestionAnalyzerTest, DifferentAnswersAreDisputedAndNoneIsDelivered) {
  v1::Insight insight = AskBoth("sql 3", "py 4").value();
  EXPECT_EQ(insight.outcome().kind(), v1::DISPUTED);
  EXPECT_EQ(insight.outcome().clusters_size(), 2);
  EXPECT_FALSE(insight.has_answer());
  EXPECT_EQ(insight.sentence(), "");
}

TEST_F(QuestionAnalyzerTest, TwoEnginesOfOneLineageSupportAnAnswer) {
  v1::Insight insight = AskBoth("sql 3", "py 3").value();
  EXPECT_EQ(insight.outcome().kind(), v1::SUPPORTED);
  EXPECT_EQ(insight.answer().value().integer(), "3");
  EXPECT_EQ(insight.sentence(), "The answer is 3.");
  EXPECT_EQ(insight.executions_size(), 2);
}

TEST_F(QuestionAnalyzerTest, WhenAllDeclineTheWordsAreNamedOnce) {
  Decline decline{"I do not know these words", {"refunded"}, {"status"}};
  auto first = ScriptedPersona::Declining("offline-sql", "offline", decline);
  auto second = ScriptedPersona::Declining("offline-pandas", "offline", decline);
  v1::Insight insight = Ask({&first, &second}).value();
  EXPECT_EQ(insight.outcome().kind(), v1::NONE);
  EXPECT_EQ(insight.outcome().reasons(0), "declined");
  ASSERT_EQ(insight.not_understood_size(), 1);
  EXPECT_EQ(insight.not_understood(0), "refunded");
  EXPECT_EQ(insight.executions_size(), 0);
}

TEST_F(QuestionAnalyzerTest, TheDeadlineIsNamedAsTheReason) {
  auto late = [](const auto&, const auto&, const auto&) { return FakeRuntime::Ended(v1::DEADLINE, "the job's deadline"); };
  sql_ = FakeRuntime(v1::SQL, std::string("sqlite 3"), late);
  python_ = FakeRuntime(v1::PYTHON, std::string("pandas 1"), late);
  v1::Insight insight = AskBoth("sql 3", "py 3").value();
  EXPECT_EQ(insight.outcome().kind(), v1::NONE);
  EXPECT_EQ(insight.outcome().reasons(insight.outcome().reasons_size() - 1), "deadline");
  EXPECT_NE(insight.outcome().explanation().find("Time ran out"), std::string::npos) << insight.outcome().explanation();
}

TEST_F(QuestionAnalyzerTest, ADeadlineThatCutsOneRunIsNoMissingEngine) {
  python_ = FakeRuntime(v1::PYTHON, std::string("pandas 1"), [](const auto&, const auto&, const auto&) {
    return FakeRuntime::Ended(v1::DEADLINE, "the job's deadline");
  });
  v1::Insight insight = AskBoth("sql 3", "py 3").value();
  ASSERT_EQ(insight.outcome().reasons_size(), 2);
  EXPECT_EQ(insight.outcome().reasons(0), "one_execution");
  EXPECT_EQ(insight.outcome().reasons(1), "deadline");
  EXPECT_EQ(insight.outcome().explanation(), "Time ran out: one execution, not cross-checked.");
  EXPECT_EQ(insight.outcome().way_out(), "Allow the job more time (context.deadline_ms; `conclave ask --deadline`).");
}

TEST_F(QuestionAnalyzerTest, WhoeverChoseOnePersonaIsToldOfTheOthers) {
  auto sql = ScriptedPersona::Drafting("offline-sql", "offline", v1::SQL, "sql 3");
  auto python = ScriptedPersona::Drafting("offline-pandas", "offline", v1::PYTHON, "py 3");
  auto model = ScriptedPersona::Drafting("local-sql", "local", v1::SQL, "model 3");
  job_.add_personas("offline-sql");
  EXPECT_EQ(Ask({&sql, &python, &model})->outcome().way_out(),
            "Ask without choosing personas, or choose another one as well, best one of another lineage (in brackets): "
            "local-sql (local), offline-pandas (offline).");
  // There is nobody else to ask.
  EXPECT_EQ(Ask({&sql})->outcome().way_out(), "Make a second engine available (`conclave doctor` says what is missing).");
}

TEST_F(QuestionAnalyzerTest, WhoeverChoseTwoIsToldWhatBecameOfTheSecond) {
  auto sql = ScriptedPersona::Drafting("offline-sql", "offline", v1::SQL, "sql 3");
  auto python = ScriptedPersona::Declining("offline-pandas", "offline", Decline{"I do not know these words.", {}, {}});
  auto model = ScriptedPersona::Drafting("local-sql", "local", v1::SQL, "model 3");
  job_.add_personas("offline-sql");
  job_.add_personas("offline-pandas");
  EXPECT_EQ(Ask({&sql, &python, &model})->outcome().way_out(),
            "See why the other analyst declined: offline-pandas: I do not know these words.");
}

TEST_F(QuestionAnalyzerTest, CancellingEndsTheJobAsCancelled) {
  sql_ = FakeRuntime(v1::SQL, std::string("sqlite 3"), [&](const auto&, const auto&, const Cancellation& token) {
    source_.Cancel();
    while (!token.cancelled()) std::this_thread::yield();
    return FakeRuntime::Ended(v1::CANCELLED, "cancelled");
  });
  absl::StatusOr<v1::Insight> insight = AskBoth("sql 3", "py 3");
  EXPECT_EQ(insight.status().code(), absl::StatusCode::kCancelled);
}

TEST_F(QuestionAnalyzerTest, ARunThatDoesNotFitTheBudgetEndsTheJob) {
  admit_ = [](const Limits&, const AdmissionTicket&, const Cancellation&, absl::Time) -> absl::StatusOr<std::shared_ptr<void>> {
    return absl::ResourceExhaustedError("memory: 8 GB asked for, the engine has 4 GB");
  };
  EXPECT_EQ(AskBoth("sql 3", "py 3").status().code(), absl::StatusCode::kResourceExhausted);
}

TEST_F(QuestionAnalyzerTest, AWaitForRoomIsToldUnderThePersona) {
  std::set<const void*> jobs;
  std::mutex mutex;
  admit_ = [&](const Limits&, const AdmissionTicket& ticket, const Cancellation&,
               absl::Time) -> absl::StatusOr<std::shared_ptr<void>> {
    const std::lock_guard<std::mutex> lock(mutex);
    jobs.insert(ticket.job);
    if (jobs.size() == 1 && !waited_) {
      waited_ = true;
      ticket.watch({.place = 2, .waiting = 5, .short_of = "memory", .lacking = 7, .waited = absl::Milliseconds(1)});
      ticket.watch({.admitted = true, .waited = absl::Milliseconds(3)});
    }
    return std::shared_ptr<void>();
  };
  ASSERT_TRUE(AskBoth("sql 3", "py 3").ok());
  EXPECT_EQ(jobs.size(), 1u) << "both programs are the same job's";
  std::vector<v1::Event> told;
  for (const v1::Event& event : events_) {
    if (event.phase() == "queue" && event.state() != "started") told.push_back(event);
  }
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[0].state(), "waiting");
  EXPECT_FALSE(told[0].persona().empty());
  EXPECT_EQ(told[0].message(), "short of memory, place 2 of 5");
  EXPECT_EQ(told[0].numbers().at("place"), 2);
  EXPECT_EQ(told[0].numbers().at("waiting"), 5);
  EXPECT_EQ(told[0].numbers().at("short_memory_bytes"), 7);
  EXPECT_EQ(told[1].state(), "finished");
  EXPECT_EQ(told[1].numbers().at("waited_us"), 3000);
}

TEST_F(QuestionAnalyzerTest, AnUnknownPersonaIsRefusedWithTheKnownOnes) {
  job_.add_personas("oracle");
  const absl::Status status = AskBoth("sql 3", "py 3").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(status.ToString().find("offline-sql, offline-pandas"), std::string::npos);
}

TEST_F(QuestionAnalyzerTest, PersonasWorkSideBySide) {
  std::atomic<int> running{0};
  auto meet = [&](const v1::Program& program, const RunOptions&, const Cancellation&) {
    ++running;
    while (running < 2) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return AnswerCode(program, RunOptions(), Cancellation());
  };
  sql_ = FakeRuntime(v1::SQL, std::string("sqlite 3"), meet);
  python_ = FakeRuntime(v1::PYTHON, std::string("pandas 1"), meet);
  EXPECT_EQ(AskBoth("sql 3", "py 3")->outcome().kind(), v1::SUPPORTED);
}

TEST_F(QuestionAnalyzerTest, EventsTellEveryStepInOrder) {
  auto sql = ScriptedPersona::Drafting("offline-sql", "offline", v1::SQL, "sql 3");
  ASSERT_TRUE(Ask({&sql}).ok());
  EXPECT_EQ(Phases(),
            "expect:started expect:finished draft(offline-sql):started draft(offline-sql):finished "
            "queue(offline-sql):started run(offline-sql):started run(offline-sql):finished judge:started judge:finished "
            "narrate:finished done:finished ");
  for (size_t i = 0; i < events_.size(); ++i) EXPECT_EQ(events_[i].sequence(), static_cast<int64_t>(i) + 1);
}

TEST_F(QuestionAnalyzerTest, TheLedgerGivesTheInsightBack) {
  v1::Insight insight = AskBoth("sql 3", "py 3").value();
  EXPECT_EQ(ledger_->Recall("default", insight.id())->SerializeAsString(), insight.SerializeAsString());
}

}  // namespace
}  // namespace conclave
