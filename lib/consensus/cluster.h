// Clusters: answers that pairwise agree. Agreement within a tolerance is not transitive, so a cluster is a clique, never a
// chain.
//
// Thread safety: pure functions.
#ifndef CONCLAVE_LIB_CONSENSUS_CLUSTER_H_
#define CONCLAVE_LIB_CONSENSUS_CLUSTER_H_

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "conclave/v1/insight.pb.h"
#include "lib/answer/comparison_context.h"

namespace conclave {

// One vote: a program's answer, and who stands behind it.
struct Voter {
  const v1::Ballot* ballot = nullptr;
  std::string digest;    // of the canonical answer
  size_t precision = 0;  // how finely the answer is stated
};

struct AnswerCluster {
  std::vector<size_t> members;  // indices of voters, ascending
  size_t medoid = 0;            // the member whose answer stands for the cluster
  std::set<std::string> lineages;
  bool chained = false;  // some answer outside agrees with some member, though not with all
};

// Partitions the voters: the heaviest clique first (lineages, then votes, then exact matches, then the smallest digest), then
// the heaviest among the rest, and so on. Answers with the same digest are one node; beyond 16 different answers those with the
// fewest votes stand alone.
std::vector<AnswerCluster> FindClusters(const std::vector<Voter>& voters, const ComparisonContext& context);

}  // namespace conclave

#endif  // CONCLAVE_LIB_CONSENSUS_CLUSTER_H_
