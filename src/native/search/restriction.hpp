// A box cut out of the forest: its allowed values, renumbered so that each variable's are 0, 1, ...
//
// A set of values that is not contiguous becomes a line of ranks at no cost. The rank after the last
// ordered one stands for "missing" where that is allowed.
#pragma once

#include <cstdint>
#include <vector>

#include "forest/forest.hpp"

namespace primewood::search {

using forest::Forest;
using forest::Int;

class Restriction {
 public:
  // A node of the forest with its test in ranks, together for the sake of the cache.
  struct Node {
    int variable;  // -1 at a leaf
    int split;     // ranks below it go left
    int left, right;
    bool missing_left;
  };

  explicit Restriction(const Forest& f)
      : forest(f), size(f.n_variables), missing(f.n_variables), nodes(f.variable.size()), start_(f.n_variables) {
    int total = 0;
    for (int j = 0; j < f.n_variables; j++) {
      start_[j] = total;
      total += f.ordered[j] + 1;
    }
    below_.resize(total);
    for (std::size_t n = 0; n < nodes.size(); n++)
      nodes[n] = {f.variable[n], 0, f.left[n], f.right[n], f.missing_left[n] != 0};
  }

  const Forest& forest;
  std::vector<int> size;              // per variable: how many ordered values are allowed
  std::vector<std::uint8_t> missing;  // per variable: whether "missing" is allowed
  std::vector<Node> nodes;

  // mask: one byte per atom.
  void set(const std::uint8_t* mask) {
    for (int j = 0; j < forest.n_variables; j++) {
      int* below = &below_[start_[j]];
      const std::uint8_t* allowed = mask + forest.offset[j];
      int count = 0;
      for (int v = 0; v < forest.ordered[j]; v++) {
        below[v] = count;
        count += allowed[v];
      }
      below[forest.ordered[j]] = count;
      size[j] = count;
      missing[j] = forest.has_missing[j] ? allowed[forest.ordered[j]] : 0;
    }
    for (std::size_t n = 0; n < nodes.size(); n++)
      if (nodes[n].variable >= 0) nodes[n].split = below_[start_[nodes[n].variable] + forest.prefix[n]];
  }

  // The leaf of a tree at a point of ranks.
  int leaf(int tree, const int* x) const {
    int n = forest.root[tree];
    while (nodes[n].variable >= 0) n = goes_left(nodes[n], x[nodes[n].variable]) ? nodes[n].left : nodes[n].right;
    return n;
  }

  // "Missing" is the rank after the last one, so it is right of every split.
  bool goes_left(const Node& node, int rank) const {
    return rank < node.split || (node.missing_left && rank >= size[node.variable]);
  }

  // From values to the nearest ranks, and back.
  int rank_of(int j, int value) const {
    if (value >= forest.ordered[j]) return missing[j] ? size[j] : 0;
    const int rank = below_[start_[j] + value];
    return size[j] == 0 ? 0 : std::min(rank, size[j] - 1);
  }

  int value_of(int j, int rank) const {
    if (rank >= size[j]) return forest.ordered[j];
    const int* below = &below_[start_[j]];
    return int(std::upper_bound(below, below + forest.ordered[j] + 1, rank) - below) - 1;
  }

  void values(const std::vector<int>& x, std::vector<int>& point) const {
    point.resize(forest.n_variables);
    for (int j = 0; j < forest.n_variables; j++) point[j] = value_of(j, x[j]);
  }

 private:
  std::vector<int> start_, below_;
};

}  // namespace primewood::search
