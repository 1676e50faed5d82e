// The trees of a forest as edge-valued diagrams.
#pragma once

#include <unordered_map>
#include <vector>

#include "diagram/sums.hpp"
#include "diagram/votes.hpp"
#include "forest/forest.hpp"

namespace primewood::diagram {

using forest::Forest;

// What a leaf adds: its weights, one for its largest class, or a number that tells apart leaves with different values,
// however they round.
enum class LeafVote { kModel, kHard, kIdentity };

class Trees {
 public:
  // `level_of[x]`: the level of variable x.
  Trees(const Forest& forest, std::vector<int> level_of, LeafVote leaf_vote, Votes& votes, Sums& sums);

  // The function of a tree. A tree may be deep: the nodes on the way down are kept in a list. Tests of sets of values
  // share their children, so that a node may be met again.
  Edge make(int tree);

 private:
  // The first child whose function is not made yet, or -1.
  int first_open_child(int node) const;
  Edge make_inner(int node);
  Id make_leaf(int node);
  Id number_leaf(int node);

  const Forest& forest_;
  const std::vector<int> level_of_;
  const LeafVote leaf_vote_;
  Votes& votes_;
  Sums& sums_;
  RowTable<Int> values_;  // the bits of the values of leaves
  std::unordered_map<int, Edge> made_;
};

}  // namespace primewood::diagram
