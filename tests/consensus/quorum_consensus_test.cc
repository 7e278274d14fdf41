#include "lib/consensus/quorum_consensus.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/answer/compare.h"

namespace conclave {
namespace {

v1::Answer Number(const std::string& lexeme) {
  v1::Answer answer;
  answer.set_kind(v1::NUMBER);
  answer.mutable_value()->set_number(lexeme);
  return answer;
}

v1::Answer OfKind(v1::AnswerKind kind) {
  v1::Answer answer;
  answer.set_kind(kind);
  if (kind == v1::ERROR) answer.mutable_error()->set_message("division by zero");
  return answer;
}

v1::Ballot Vote(const std::string& persona, const std::string& lineage, const v1::Answer& answer) {
  v1::Ballot ballot;
  ballot.set_persona(persona);
  ballot.set_lineage(lineage);
  ballot.set_program_id("program of " + persona);
  ballot.set_engine("engine of " + persona);
  *ballot.mutable_answer() = answer;
  ballot.set_counts(true);
  return ballot;
}

v1::Ballot Abstention(const std::string& persona, v1::AnswerKind kind) {
  v1::Ballot ballot = Vote(persona, "offline", OfKind(kind));
  ballot.set_counts(false);
  return ballot;
}

v1::Outcome Judge(const std::vector<v1::Ballot>& ballots, const Evidence& evidence = Evidence()) {
  return QuorumConsensus(evidence).Judge(ballots, v1::Expectation());
}

std::vector<std::string> Reasons(const v1::Outcome& outcome) { return {outcome.reasons().begin(), outcome.reasons().end()}; }

using Words = std::vector<std::string>;

TEST(QuorumConsensus, NothingToJudgeIsNone) {
  EXPECT_EQ(Judge({}).kind(), v1::NONE);
  EXPECT_EQ(Reasons(Judge({})), Words{"no_ballots"});
  v1::Outcome declined = Judge({Abstention("a", v1::DECLINED), Abstention("b", v1::DECLINED)});
  EXPECT_EQ(declined.kind(), v1::NONE);
  EXPECT_EQ(Reasons(declined), Words{"declined"});
  v1::Ballot first = Abstention("a", v1::DECLINED), second = Abstention("b", v1::DECLINED);
  first.set_why_not("two different values at once");
  second.set_why_not("two different values at once");
  EXPECT_EQ(Judge({first, second}).explanation(),
            "Every analyst that was asked declined to answer: two different values at once");
  second.set_why_not("another");
  EXPECT_EQ(Judge({first, second}).explanation(), "Every analyst that was asked declined to answer.");
  EXPECT_EQ(Reasons(Judge({Abstention("a", v1::DECLINED), Abstention("b", v1::ERROR)})), Words{"all_failed"});
  EXPECT_EQ(Reasons(Judge({Abstention("a", v1::ERROR), Abstention("b", v1::ANSWER_KIND_UNSPECIFIED)})), Words{"all_failed"});
}

TEST(QuorumConsensus, ADeclineSaysWhereTheFormsOfQuestionsAreListed) {
  const v1::Outcome outcome = Judge({Abstention("a", v1::DECLINED), Abstention("b", v1::DECLINED)});
  EXPECT_EQ(Reasons(outcome), Words{"declined"});
  EXPECT_NE(outcome.way_out().find("`conclave ask --help` lists the forms of questions"), std::string::npos);
}

TEST(QuorumConsensus, ErrorsNeverFormACluster) {
  std::vector<v1::Ballot> ballots = {Vote("a", "x", OfKind(v1::ERROR)), Vote("b", "y", OfKind(v1::ERROR)),
                                     Vote("c", "z", OfKind(v1::ERROR))};
  v1::Outcome outcome = Judge(ballots, {CheckState::kPassed, CheckState::kPassed});
  EXPECT_EQ(outcome.kind(), v1::NONE);
  EXPECT_EQ(Reasons(outcome), Words{"all_failed"});
  EXPECT_TRUE(outcome.clusters().empty());
}

TEST(QuorumConsensus, OneExecutionIsShownButNotDelivered) {
  v1::Outcome outcome = Judge({Vote("a", "offline", Number("1.5")), Abstention("b", v1::ERROR)});
  EXPECT_EQ(outcome.kind(), v1::NONE);
  EXPECT_EQ(Reasons(outcome), Words{"one_execution"});
  ASSERT_EQ(outcome.clusters_size(), 1);
  EXPECT_EQ(outcome.clusters(0).answer().value().number(), "1.5");
  EXPECT_NE(outcome.way_out(), "");
}

TEST(QuorumConsensus, TheSameProgramTwiceIsOneExecution) {
  std::vector<v1::Ballot> ballots = {Vote("a", "offline", Number("1.5")), Vote("b", "model", Number("1.5"))};
  ballots[1].set_program_id(ballots[0].program_id());
  EXPECT_EQ(Reasons(Judge(ballots)), Words{"one_execution"});
  *ballots[1].mutable_answer() = Number("2.5");
  EXPECT_EQ(Judge(ballots).kind(), v1::DISPUTED);
  EXPECT_TRUE(Judge(ballots).clusters().empty());
}

TEST(QuorumConsensus, OneLineageSupports) {
  v1::Outcome outcome = Judge({Vote("a", "offline", Number("29.699")), Vote("b", "offline", Number("29.69911764705882"))});
  EXPECT_EQ(outcome.kind(), v1::SUPPORTED);
  EXPECT_EQ(Reasons(outcome), (Words{"one_lineage", "checks_not_run"}));
  EXPECT_NE(outcome.explanation().find("the reading itself was not cross-checked"), std::string::npos);
  EXPECT_NE(outcome.way_out().find("nobody else has read"), std::string::npos);
  ASSERT_EQ(outcome.clusters_size(), 1);
  EXPECT_EQ(outcome.clusters(0).answer().value().number(), "29.69911764705882") << "the finest statement stands for both";
  EXPECT_EQ(outcome.clusters(0).personas_size(), 2);
  EXPECT_EQ(outcome.clusters(0).engines_size(), 2);
}

TEST(QuorumConsensus, TwoLineagesConfirmOnlyWithEvidence) {
  const std::vector<v1::Ballot> ballots = {Vote("a", "offline", Number("2.5")), Vote("b", "model", Number("2.5"))};
  EXPECT_EQ(Judge(ballots).kind(), v1::SUPPORTED);
  EXPECT_EQ(Reasons(Judge(ballots)), Words{"checks_not_run"});
  EXPECT_EQ(Judge(ballots, {CheckState::kPassed, CheckState::kNotRun}).kind(), v1::SUPPORTED);
  EXPECT_EQ(Judge(ballots, {CheckState::kPassed, CheckState::kPassed}).kind(), v1::CONFIRMED);
  EXPECT_EQ(Judge(ballots, {CheckState::kFailed, CheckState::kPassed}).kind(), v1::DISPUTED);
  EXPECT_EQ(Reasons(Judge(ballots, {CheckState::kPassed, CheckState::kFailed})), Words{"check_failed"});
}

TEST(QuorumConsensus, OneLineageIsNeverConfirmed) {
  std::vector<v1::Ballot> ballots;
  for (const char* persona : {"a", "b", "c", "d", "e"}) ballots.push_back(Vote(persona, "offline", Number("2.5")));
  EXPECT_EQ(Judge(ballots, {CheckState::kPassed, CheckState::kPassed}).kind(), v1::SUPPORTED);
}

TEST(QuorumConsensus, DissentDisputesEvenAgainstAMajority) {
  v1::Outcome outcome = Judge({Vote("a", "x", Number("1.5")), Vote("b", "y", Number("1.5")), Vote("c", "z", Number("2.5"))},
                              {CheckState::kPassed, CheckState::kPassed});
  EXPECT_EQ(outcome.kind(), v1::DISPUTED);
  EXPECT_EQ(Reasons(outcome), Words{"majority"});
  ASSERT_EQ(outcome.clusters_size(), 2);
  EXPECT_EQ(outcome.clusters(0).answer().value().number(), "1.5");
  EXPECT_EQ(outcome.clusters(1).answer().value().number(), "2.5");
}

TEST(QuorumConsensus, MoreVotesOfOneLineageDoNotOutweighTwo) {
  v1::Outcome outcome = Judge({Vote("a", "x", Number("1.5")), Vote("b", "y", Number("1.5")), Vote("c", "z", Number("2.5")),
                               Vote("d", "z", Number("2.5")), Vote("e", "z", Number("2.5"))});
  EXPECT_EQ(outcome.clusters(0).answer().value().number(), "1.5");
}

TEST(QuorumConsensus, ATieIsNeverConsensus) {
  v1::Outcome outcome = Judge({Vote("a", "x", Number("1.5")), Vote("b", "y", Number("2.5"))});
  EXPECT_EQ(outcome.kind(), v1::DISPUTED);
  EXPECT_EQ(Reasons(outcome), Words{"disputed"});
  EXPECT_EQ(outcome.clusters_size(), 2);
}

TEST(QuorumConsensus, AChainOfNearAnswersIsFragile) {
  // 1000.4 and 1000.44 agree, 1000.44 and 1000.437 agree, 1000.4 and 1000.437 agree; 1000.5 agrees with 1000.46 only.
  v1::Outcome outcome =
      Judge({Vote("a", "x", Number("1000.44")), Vote("b", "y", Number("1000.4")), Vote("c", "z", Number("1000.436"))});
  EXPECT_EQ(outcome.clusters_size(), 1) << outcome.explanation();
  outcome = Judge({Vote("a", "x", Number("12.34")), Vote("b", "y", Number("12.3")), Vote("c", "z", Number("12.2501"))});
  EXPECT_EQ(outcome.kind(), v1::DISPUTED);
  EXPECT_EQ(Reasons(outcome), (Words{"majority", "fragile"}));
}

// Ballots with few distinct answers, so that agreement, ties and chains are common.
std::vector<v1::Ballot> RandomBallots(std::mt19937_64* random) {
  static const char* const kNumbers[] = {"1.5", "1.50", "12.34", "12.3", "12.2501", "7", "1.5000000001", "nan"};
  static const char* const kLineages[] = {"offline", "model a", "model b"};
  std::vector<v1::Ballot> ballots;
  const size_t count = (*random)() % 7;
  for (size_t i = 0; i < count; ++i) {
    v1::Answer answer = Number(kNumbers[(*random)() % 8]);
    if ((*random)() % 6 == 0) answer = OfKind((*random)() % 2 ? v1::ERROR : v1::DECLINED);
    ballots.push_back(Vote("p" + std::to_string(i), kLineages[(*random)() % 3], answer));
    if ((*random)() % 8 == 0) ballots.back().set_counts(false);
    if ((*random)() % 8 == 0 && i > 0) ballots.back().set_program_id(ballots[0].program_id());
  }
  return ballots;
}

bool Delivered(const v1::Outcome& outcome) { return outcome.kind() == v1::CONFIRMED || outcome.kind() == v1::SUPPORTED; }

bool CountsAsVote(const v1::Ballot& ballot) {
  return ballot.counts() && ballot.answer().kind() != v1::ERROR && ballot.answer().kind() != v1::DECLINED;
}

TEST(QuorumConsensusProperty, OrderAndRepeatedDeliveryChangeNothing) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 500; ++round) {
    std::vector<v1::Ballot> ballots = RandomBallots(&random);
    const std::string outcome = Judge(ballots).SerializeAsString();
    EXPECT_EQ(Judge(ballots).SerializeAsString(), outcome);
    std::shuffle(ballots.begin(), ballots.end(), random);
    EXPECT_EQ(Judge(ballots).SerializeAsString(), outcome);
    if (ballots.empty()) continue;
    ballots.push_back(ballots[random() % ballots.size()]);
    EXPECT_EQ(Judge(ballots).SerializeAsString(), outcome);
  }
}

TEST(QuorumConsensusProperty, RelabellingPersonasKeepsTheKindAndTheWeights) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 300; ++round) {
    std::vector<v1::Ballot> ballots = RandomBallots(&random);
    const v1::Outcome before = Judge(ballots);
    for (v1::Ballot& ballot : ballots) ballot.set_persona("renamed " + ballot.persona());
    const v1::Outcome after = Judge(ballots);
    EXPECT_EQ(before.kind(), after.kind());
    EXPECT_EQ(Reasons(before), Reasons(after));
    EXPECT_EQ(before.clusters_size(), after.clusters_size());
  }
}

TEST(QuorumConsensusProperty, DeliveryNeedsTwoPersonasThatPairwiseAgreeAndNoDissent) {
  std::mt19937_64 random(3);
  int delivered = 0;
  for (int round = 0; round < 1000; ++round) {
    const std::vector<v1::Ballot> ballots = RandomBallots(&random);
    const v1::Outcome outcome = Judge(ballots, {CheckState::kPassed, CheckState::kPassed});
    for (const v1::Cluster& cluster : outcome.clusters()) {
      bool actual = false;
      for (const v1::Ballot& a : ballots) {
        actual = actual || (CountsAsVote(a) && a.answer().SerializeAsString() == cluster.answer().SerializeAsString());
        for (const v1::Ballot& b : ballots) {
          const auto& personas = cluster.personas();
          const bool both = std::count(personas.begin(), personas.end(), a.persona()) > 0 &&
                            std::count(personas.begin(), personas.end(), b.persona()) > 0;
          EXPECT_TRUE(!both || Compare(a.answer(), b.answer(), ComparisonContext()).agree);
        }
      }
      EXPECT_TRUE(actual) << "a cluster shows a value that no program gave";
    }
    if (!Delivered(outcome)) continue;
    ++delivered;
    ASSERT_EQ(outcome.clusters_size(), 1);
    EXPECT_GE(outcome.clusters(0).personas_size(), 2);
    EXPECT_EQ(outcome.kind() == v1::CONFIRMED, outcome.clusters(0).lineages_size() >= 2);
  }
  EXPECT_GT(delivered, 20);
}

TEST(QuorumConsensusProperty, AnEqualVoteNeverLosesAndAbstentionsNeverChangeTheOutcome) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 500; ++round) {
    std::vector<v1::Ballot> ballots = RandomBallots(&random);
    const v1::Outcome before = Judge(ballots);
    std::vector<v1::Ballot> with_abstention = ballots;
    with_abstention.push_back(Abstention("late", v1::ERROR));
    const v1::Outcome abstained = Judge(with_abstention);
    EXPECT_EQ(Delivered(abstained), Delivered(before));
    EXPECT_TRUE(before.clusters().empty() || abstained.SerializeAsString() == before.SerializeAsString());
    if (!Delivered(before)) continue;
    ballots.push_back(Vote("late", "model c", before.clusters(0).answer()));
    EXPECT_TRUE(Delivered(Judge(ballots)));
    ballots.back() = Vote("late", "model c", Number("-3"));
    EXPECT_FALSE(Delivered(Judge(ballots)));
  }
}

TEST(QuorumConsensus, ManyDifferentAnswersAreJudgedInBoundedTime) {
  std::vector<v1::Ballot> ballots;
  for (int i = 0; i < 60; ++i) ballots.push_back(Vote("p" + std::to_string(i), "x", Number(std::to_string(i) + ".5")));
  ballots.push_back(Vote("q", "y", Number("3.5")));
  v1::Outcome outcome = Judge(ballots);
  EXPECT_EQ(outcome.kind(), v1::DISPUTED);
  EXPECT_EQ(outcome.clusters_size(), 60);
  EXPECT_EQ(outcome.clusters(0).answer().value().number(), "3.5");
}

}  // namespace
}  // namespace conclave
