#include "lib/consensus/quorum_consensus.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/answer/canonical.h"
#include "lib/answer/compare.h"
#include "lib/base/digest.h"
#include "lib/consensus/cluster.h"

namespace conclave {
namespace {

bool IsVote(const v1::Ballot& ballot) {
  const v1::AnswerKind kind = ballot.answer().kind();
  return ballot.counts() && kind != v1::ERROR && kind != v1::DECLINED && kind != v1::ANSWER_KIND_UNSPECIFIED;
}

bool Before(const Voter& a, const Voter& b) {
  auto key = [](const Voter& v) {
    return std::tie(v.digest, v.ballot->lineage(), v.ballot->persona(), v.ballot->program_id(), v.ballot->engine());
  };
  if (key(a) != key(b)) return key(a) < key(b);
  return a.ballot->answer().SerializeAsString() < b.ballot->answer().SerializeAsString();
}

std::vector<Voter> SortedVoters(const std::vector<v1::Ballot>& ballots, const ComparisonContext& context) {
  std::vector<Voter> voters;
  for (const v1::Ballot& ballot : ballots) {
    if (!IsVote(ballot)) continue;
    const std::string canonical = CanonicalAnswer(ballot.answer(), context);
    voters.push_back({&ballot, Digest(canonical), canonical.size()});
  }
  std::sort(voters.begin(), voters.end(), Before);
  return voters;
}

// Votes under the same name (a program's or a persona's) are one vote, and none when they contradict each other: a program that
// says two things is not deterministic, and a persona that does has not made up its mind.
template <typename Name>
std::vector<Voter> OnePer(const std::vector<Voter>& voters, const ComparisonContext& context, Name name) {
  std::map<std::string, std::vector<size_t>> groups;
  for (size_t i = 0; i < voters.size(); ++i) {
    if (!name(voters[i]).empty()) groups[name(voters[i])].push_back(i);
  }
  std::set<size_t> dropped;
  for (const auto& [same, members] : groups) {
    bool agree = true;
    for (size_t member : members) {
      const bool same_digest = voters[member].digest == voters[members[0]].digest;
      agree = agree &&
              (same_digest || Compare(voters[members[0]].ballot->answer(), voters[member].ballot->answer(), context).agree);
    }
    dropped.insert(members.begin() + (agree ? 1 : 0), members.end());
  }
  std::vector<Voter> kept;
  for (size_t i = 0; i < voters.size(); ++i) {
    if (dropped.count(i) == 0) kept.push_back(voters[i]);
  }
  return kept;
}

v1::Cluster Describe(const AnswerCluster& cluster, const std::vector<Voter>& voters) {
  v1::Cluster described;
  *described.mutable_answer() = voters[cluster.medoid].ballot->answer();
  std::set<std::string> personas;
  std::set<std::string> engines;
  for (size_t member : cluster.members) {
    personas.insert(voters[member].ballot->persona());
    engines.insert(voters[member].ballot->engine());
  }
  described.mutable_personas()->Assign(personas.begin(), personas.end());
  described.mutable_lineages()->Assign(cluster.lineages.begin(), cluster.lineages.end());
  described.mutable_engines()->Assign(engines.begin(), engines.end());
  return described;
}

void Explain(v1::OutcomeKind kind, std::vector<std::string> reasons, std::string explanation, std::string way_out,
             v1::Outcome* outcome) {
  outcome->set_kind(kind);
  outcome->mutable_reasons()->Assign(reasons.begin(), reasons.end());
  outcome->set_explanation(std::move(explanation));
  outcome->set_way_out(std::move(way_out));
}

// What all of `ballots`, which are at least one, give as the reason why they do not count; empty where they differ.
std::string CommonReason(const std::vector<v1::Ballot>& ballots) {
  const bool same = std::all_of(ballots.begin(), ballots.end(),
                                [&](const v1::Ballot& ballot) { return ballot.why_not() == ballots[0].why_not(); });
  return same ? ballots[0].why_not() : "";
}

void JudgeNoVotes(const std::vector<v1::Ballot>& ballots, v1::Outcome* outcome) {
  if (ballots.empty()) {
    return Explain(v1::NONE, {"no_ballots"}, "No analyst was asked.", "Name at least one persona.", outcome);
  }
  const bool all_declined = std::all_of(ballots.begin(), ballots.end(),
                                        [](const v1::Ballot& ballot) { return ballot.answer().kind() == v1::DECLINED; });
  if (all_declined) {
    const std::string reason = CommonReason(ballots);
    return Explain(
        v1::NONE, {"declined"},
        absl::StrCat("Every analyst that was asked declined to answer", reason.empty() ? "." : absl::StrCat(": ", reason)),
        "Rephrase the question in the words of the data; `conclave ask --help` lists the forms of questions that are read.",
        outcome);
  }
  Explain(v1::NONE, {"all_failed"}, "No program produced an answer that counts.",
          "See why each run ended; raise the limit that was reached, or rephrase the question.", outcome);
}

bool IsIndependent(const AnswerCluster& cluster, const std::vector<Voter>& voters) {
  std::set<std::string> programs;
  std::set<std::string> engines;
  for (size_t member : cluster.members) {
    programs.insert(voters[member].ballot->program_id());
    engines.insert(voters[member].ballot->engine());
  }
  return programs.size() > 1 || engines.size() > 1;
}

// What is to be learnt from one of the others, who gave no answer that counts.
std::string WayOutOf(const v1::Ballot& silent) {
  std::string reason = silent.why_not();
  while (!reason.empty() && reason.back() == '.') reason.pop_back();
  const std::string who = absl::StrCat(silent.persona(), ": ", reason);
  switch (silent.answer().kind()) {
    case v1::ERROR: return absl::StrCat("See why the other program failed: ", who, ".");
    case v1::DECLINED: return absl::StrCat("See why the other analyst declined: ", who, ".");
    default:
      return absl::StrCat("See why the other analyst has no answer: ", who, " (`conclave doctor` says what is missing).");
  }
}

void JudgeOneExecution(const std::vector<v1::Ballot>& ballots, v1::Outcome* outcome) {
  std::string way_out = "Make a second engine available (`conclave doctor` says what is missing).";
  const v1::Ballot* silent = nullptr;
  for (const v1::Ballot& ballot : ballots) {
    if (ballot.counts() || ballot.why_not().empty()) continue;
    if (silent == nullptr || (ballot.answer().kind() == v1::ERROR && silent->answer().kind() != v1::ERROR)) silent = &ballot;
  }
  if (silent != nullptr) way_out = WayOutOf(*silent);
  Explain(v1::NONE, {"one_execution"}, "One execution, not cross-checked.", std::move(way_out), outcome);
}

void JudgeDispute(const std::vector<AnswerCluster>& clusters, v1::Outcome* outcome) {
  auto weight = [](const AnswerCluster& cluster) { return std::make_pair(cluster.lineages.size(), cluster.members.size()); };
  std::vector<std::string> reasons = {weight(clusters[0]) > weight(clusters[1]) ? "majority" : "disputed"};
  if (clusters[0].chained) reasons.push_back("fragile");
  std::string explanation = absl::StrCat(clusters.size(), " different answers");
  if (reasons[0] == "majority") absl::StrAppend(&explanation, "; the first is given by most, which is no proof");
  if (clusters[0].chained) absl::StrAppend(&explanation, "; some answers lie so close that a small change would decide");
  Explain(v1::DISPUTED, std::move(reasons), explanation + ".",
          "Compare the programs and their assumptions, and say in the question which of them is meant.", outcome);
}

void JudgeAgreement(const AnswerCluster& cluster, const Evidence& evidence, v1::Outcome* outcome) {
  if (evidence.checks == CheckState::kFailed || evidence.readers == CheckState::kFailed) {
    return Explain(v1::DISPUTED, {"check_failed"}, "The programs agree, but a check of them failed.",
                   "See which check failed and why; the answer depends on something that it should not depend on.", outcome);
  }
  const bool checked = evidence.checks == CheckState::kPassed && evidence.readers == CheckState::kPassed;
  std::vector<std::string> reasons;
  if (cluster.lineages.size() > 1) {
    const std::string authors = absl::StrCat(cluster.lineages.size(), " independent authors read the question and agree");
    if (checked) return Explain(v1::CONFIRMED, {}, authors + ", and all checks passed.", "", outcome);
    return Explain(v1::SUPPORTED, {"checks_not_run"}, authors + "; their programs were not checked further.",
                   "Checks of the programs against changed data would confirm it.", outcome);
  }
  reasons.push_back("one_lineage");
  if (!checked) reasons.push_back("checks_not_run");
  Explain(v1::SUPPORTED, std::move(reasons),
          absl::StrCat(cluster.members.size(), " programs agree; the reading itself was not cross-checked."),
          "See that the reading is what you meant; nobody else has read the question.", outcome);
}

}  // namespace

v1::Outcome QuorumConsensus::Judge(const std::vector<v1::Ballot>& ballots, const v1::Expectation& expectation) const {
  return Judge(ballots, ComparisonContext::From(expectation));
}

v1::Outcome QuorumConsensus::Judge(const std::vector<v1::Ballot>& ballots, const ComparisonContext& context) const {
  v1::Outcome outcome;
  std::vector<Voter> voters = SortedVoters(ballots, context);
  if (voters.empty()) {
    JudgeNoVotes(ballots, &outcome);
    return outcome;
  }
  voters = OnePer(voters, context, [](const Voter& voter) { return voter.ballot->program_id(); });
  voters = OnePer(voters, context, [](const Voter& voter) { return voter.ballot->persona(); });
  if (voters.empty()) {
    Explain(v1::DISPUTED, {"disputed"}, "The same program gave different answers.",
            "Remove what makes the program's result change from run to run.", &outcome);
    return outcome;
  }
  const std::vector<AnswerCluster> clusters = FindClusters(voters, context);
  for (const AnswerCluster& cluster : clusters) *outcome.add_clusters() = Describe(cluster, voters);
  if (clusters.size() > 1) {
    JudgeDispute(clusters, &outcome);
  } else if (!IsIndependent(clusters[0], voters)) {
    JudgeOneExecution(ballots, &outcome);
  } else {
    JudgeAgreement(clusters[0], evidence_, &outcome);
  }
  return outcome;
}

}  // namespace conclave
