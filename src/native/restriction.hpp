// A box cut out of the forest: its allowed values, renumbered so that each variable's are 0, 1, ...
//
// A set of values that is not contiguous becomes a line of ranks at no cost. The rank after the last
// ordered one stands for "missing" where that is allowed.
#pragma once

#include <cstdint>
#include <vector>

#include "forest.hpp"

namespace primewood {

class Restriction {
 public:
  explicit Restriction(const Forest& f)
      : forest(f), size(f.n_variables), missing(f.n_variables), start_(f.n_variables) {
    int total = 0;
    for (int j = 0; j < f.n_variables; j++) {
      start_[j] = total;
      total += f.ordered[j] + 1;
    }
    below_.resize(total);
  }

  const Forest& forest;
  std::vector<int> size;               // per variable: how many ordered values are allowed
  std::vector<std::uint8_t> missing;   // per variable: whether "missing" is allowed

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
  }

  // How many ranks of its variable a node sends left.
  int split(int node) const { return below_[start_[forest.variable[node]] + forest.prefix[node]]; }

  // The leaf of a tree at a point of ranks.
  int leaf(int tree, const int* x) const {
    int n = forest.root[tree];
    while (forest.variable[n] >= 0) n = goes_left(n, x[forest.variable[n]]) ? forest.left[n] : forest.right[n];
    return n;
  }

  bool goes_left(int node, int rank) const {
    const int j = forest.variable[node];
    return rank < size[j] ? rank < split(node) : forest.missing_left[node] != 0;
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

}  // namespace primewood
