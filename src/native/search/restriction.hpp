// A box cut out of the forest: its allowed values, renumbered so that each variable's are 0, 1, ...
//
// A set of values that is not contiguous becomes a line of ranks at no cost. The rank after the last
// ordered one stands for "missing" where that is allowed.
#pragma once

#include <cassert>
#include <cstdint>
#include <vector>

#include "forest/forest.hpp"

namespace primewood::search {

using forest::Forest;
using forest::Int;

class Restriction {
 public:
  // A node of the forest with its test in ranks, together for the sake of the cache.
  struct Test {
    int variable;  // -1 at a leaf
    int split;     // ranks below it go left
    int left, right;
    bool missing_left;
  };

  explicit Restriction(const Forest& f);

  const Forest& forest;
  std::vector<int> size;              // per variable: how many ordered values are allowed
  std::vector<std::uint8_t> missing;  // per variable: whether "missing" is allowed
  std::vector<Test> tests;            // per node

  // mask: one byte per atom.
  void set(const std::uint8_t* mask);

  bool is_set() const { return set_; }
  int ranks(int j) const { return size[j] + missing[j]; }

  // The leaf of a tree at a point of ranks.
  int leaf(int tree, const int* x) const {
    assert(set_);
    int n = forest.root[tree];
    while (tests[n].variable >= 0) n = goes_left(tests[n], x[tests[n].variable]) ? tests[n].left : tests[n].right;
    return n;
  }

  // "Missing" is the rank after the last one, so it is right of every split.
  bool goes_left(const Test& test, int rank) const {
    return rank < test.split || (test.missing_left && rank >= size[test.variable]);
  }

  // From values to the nearest ranks, and back.
  int rank_of(int j, int value) const;
  int value_of(int j, int rank) const;
  void to_ranks(const std::vector<int>& point, std::vector<int>& x) const;
  void to_values(const std::vector<int>& x, std::vector<int>& point) const;

 private:
  void number_values(int j, const std::uint8_t* allowed);

  std::vector<int> start_;  // per variable: where its own begin in `below_`
  std::vector<int> below_;  // per variable and value: how many allowed values are less; one more at the end
  std::vector<std::vector<int>> testing_;  // per variable: the nodes that test it
  std::vector<std::uint8_t> mask_;         // of the box, per atom
  bool set_ = false;
};

}  // namespace primewood::search
