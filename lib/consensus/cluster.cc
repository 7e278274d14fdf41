#include "lib/consensus/cluster.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

#include "lib/answer/compare.h"

namespace conclave {
namespace {

constexpr size_t kMostNodes = 16;

// Voters whose canonical answers are the same.
struct Node {
  std::string digest;
  std::vector<size_t> voters;
};

class CliqueSearch {
 public:
  CliqueSearch(const std::vector<Voter>& voters, const ComparisonContext& context) : voters_(voters) {
    std::map<std::string, std::vector<size_t>> by_digest;
    for (size_t i = 0; i < voters.size(); ++i) by_digest[voters[i].digest].push_back(i);
    for (auto& [digest, members] : by_digest) nodes_.push_back({digest, std::move(members)});
    std::stable_sort(nodes_.begin(), nodes_.end(), [&](const Node& a, const Node& b) {
      return std::make_pair(Lineages(a).size(), a.voters.size()) > std::make_pair(Lineages(b).size(), b.voters.size());
    });
    searched_ = std::min(nodes_.size(), kMostNodes);
    agrees_.assign(nodes_.size(), 0);
    for (size_t i = 0; i < searched_; ++i) {
      for (size_t j = 0; j < i; ++j) {
        const v1::Answer& a = voters[nodes_[i].voters[0]].ballot->answer();
        const v1::Answer& b = voters[nodes_[j].voters[0]].ballot->answer();
        if (!Compare(a, b, context).agree) continue;
        agrees_[i] |= Bit(j);
        agrees_[j] |= Bit(i);
      }
    }
  }

  std::vector<AnswerCluster> Run() {
    std::vector<AnswerCluster> clusters;
    uint32_t left = static_cast<uint32_t>((uint64_t{1} << searched_) - 1);
    while (left != 0) {
      const uint32_t clique = Heaviest(left);
      clusters.push_back(Cluster(clique));
      left &= ~clique;
    }
    for (size_t i = searched_; i < nodes_.size(); ++i) clusters.push_back(ClusterOf(nodes_[i].voters, false));
    return clusters;
  }

 private:
  static uint32_t Bit(size_t node) { return uint32_t{1} << node; }

  std::set<std::string> Lineages(const Node& node) const {
    std::set<std::string> lineages;
    for (size_t voter : node.voters) lineages.insert(voters_[voter].ballot->lineage());
    return lineages;
  }

  bool IsClique(uint32_t set) const {
    for (uint32_t rest = set; rest != 0; rest &= rest - 1) {
      const auto node = static_cast<size_t>(std::countr_zero(rest));
      if ((set & ~Bit(node) & ~agrees_[node]) != 0) return false;
    }
    return true;
  }

  std::vector<size_t> VotersOf(uint32_t set) const {
    std::vector<size_t> members;
    for (uint32_t rest = set; rest != 0; rest &= rest - 1) {
      const Node& node = nodes_[static_cast<size_t>(std::countr_zero(rest))];
      members.insert(members.end(), node.voters.begin(), node.voters.end());
    }
    std::sort(members.begin(), members.end());
    return members;
  }

  // Pairs of members with the same canonical answer.
  size_t ExactMatches(uint32_t set) const {
    size_t matches = 0;
    for (uint32_t rest = set; rest != 0; rest &= rest - 1) {
      const size_t votes = nodes_[static_cast<size_t>(std::countr_zero(rest))].voters.size();
      matches += votes * (votes - 1) / 2;
    }
    return matches;
  }

  std::string SmallestDigest(uint32_t set) const {
    std::string smallest;
    for (uint32_t rest = set; rest != 0; rest &= rest - 1) {
      const std::string& digest = nodes_[static_cast<size_t>(std::countr_zero(rest))].digest;
      if (smallest.empty() || digest < smallest) smallest = digest;
    }
    return smallest;
  }

  uint32_t Heaviest(uint32_t among) const {
    uint32_t best = 0;
    std::tuple<size_t, size_t, size_t> best_weight;
    for (uint32_t set = among; set != 0; set = (set - 1) & among) {
      if (!IsClique(set)) continue;
      std::set<std::string> lineages;
      size_t votes = 0;
      for (size_t voter : VotersOf(set)) {
        lineages.insert(voters_[voter].ballot->lineage());
        ++votes;
      }
      const std::tuple<size_t, size_t, size_t> weight(lineages.size(), votes, ExactMatches(set));
      if (best == 0 || weight > best_weight || (weight == best_weight && SmallestDigest(set) < SmallestDigest(best))) {
        best = set;
        best_weight = weight;
      }
    }
    return best;
  }

  AnswerCluster Cluster(uint32_t clique) const {
    uint32_t linked = 0;
    for (uint32_t rest = clique; rest != 0; rest &= rest - 1) linked |= agrees_[static_cast<size_t>(std::countr_zero(rest))];
    return ClusterOf(VotersOf(clique), (linked & ~clique) != 0);
  }

  AnswerCluster ClusterOf(std::vector<size_t> members, bool chained) const {
    AnswerCluster cluster;
    cluster.members = std::move(members);
    cluster.chained = chained;
    cluster.medoid = cluster.members[0];
    for (size_t member : cluster.members) {
      cluster.lineages.insert(voters_[member].ballot->lineage());
      // The finest statement stands for all; voters are sorted, so that the first of equals is always the same.
      if (voters_[member].precision > voters_[cluster.medoid].precision) cluster.medoid = member;
    }
    return cluster;
  }

  const std::vector<Voter>& voters_;
  std::vector<Node> nodes_;
  size_t searched_ = 0;
  std::vector<uint32_t> agrees_;
};

}  // namespace

std::vector<AnswerCluster> FindClusters(const std::vector<Voter>& voters, const ComparisonContext& context) {
  return CliqueSearch(voters, context).Run();
}

}  // namespace conclave
