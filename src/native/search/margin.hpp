// The margin of a rival class over the decided one, on the leaves that a box can reach.
//
// Exactness ("slack per leaf"): a leaf that is flagged exact counts as it is. Any other leaf
// gets the whole band of possible rounding on top, so a sum below the threshold proves that the library
// does not decide for the rival; a sum in the doubtful zone above it is settled by the library's own
// float sum.
#pragma once

#include <cassert>
#include <vector>

#include "limits.hpp"
#include "search/leaves.hpp"
#include "search/restriction.hpp"

namespace primewood::search {

class Margin {
 public:
  Margin(const Restriction& r, Limits& limits);

  const Restriction& box;
  const Forest& forest;
  int label = 0, rival = 0;
  Int threshold = 0;  // a sum below it is no counterexample
  Int sure = 0;       // a sum from here on is one
  Int base = 0;       // the sum of the trees that have one reachable leaf left
  std::vector<Leaf> leaves;
  std::vector<Entry> entries;
  std::vector<int> first, last;  // per tree that still varies: its leaves, heaviest first
  std::vector<int> settled;      // the leaves (nodes of the forest) of the other trees
  std::vector<Branch> branches;  // what is left of these trees
  std::vector<int> roots;        // per tree that still varies: its first branch

  void choose(int decided, int other);

  // No margin in particular: leaves weigh nothing, and those are merged that are alike for every class.
  void choose_none();

  Int weight(int leaf) const { return weights_[leaf]; }
  bool forbidden(const Leaf& leaf) const { return forest.forbidden[leaf.node] != 0; }

  // Whether two leaves are one for every question about this margin.
  bool alike(const Leaf& a, const Leaf& b) const;

  // Whether every rule still has a leaf that is allowed.
  bool possible() const;

  // The largest sum if every tree could pick its own best reachable leaf. The clock is checked on the way, here and
  // while leaves are collected: a box may reach a million of them.
  Int bound();

  // Collect what the box can reach of the trees, siblings that are alike merged.
  void collect();

  int trees() const { return int(first.size()); }

  // The roots of the trees that still test a variable.
  const std::vector<int>& testing(int j) const {
    assert(collected_);
    return testing_[j];
  }

  // "Missing" is the rank after the last one, so it is right of every split.
  bool goes_left(const Branch& branch, int rank) const {
    return rank < branch.split || (branch.missing_left && rank >= box.size[branch.variable]);
  }

  // Whether a point of ranks, whose weights sum to `total`, is decided otherwise.
  bool is_counterexample(const std::vector<int>& x, Int total) const;

  Int total_at(const std::vector<int>& x) const {
    assert(collected_);
    Int total = base;
    for (int b : roots) {
      while (branches[b].variable >= 0)
        b = goes_left(branches[b], x[branches[b].variable]) ? branches[b].left : branches[b].right;
      total += branches[b].weight;
    }
    return total;
  }

 private:
  // A node both of whose sides are open, and what its variable may be there.
  struct Fork {
    int node, low, high;
    bool missing, on_left;
  };

  // What was there when a fork was entered: leaves, then those of its left side, and branches.
  struct Gathered {
    int first, middle, branch;
    bool tests_first;  // no fork above it tests the same variable
  };

  struct Sides {
    bool left, right;
  };

  struct Heaviest;
  struct Gatherer;

  bool some_order_reaches(const std::vector<int>& x) const;
  void weigh(std::vector<Int>& weights) const;
  void open();
  void clear();
  void collect_tree(int tree);
  void make_room();
  void settle_tree(int leaf, int root);
  void note_tests(int root);
  void sort_leaves(int from);

  template <class Visitor>
  void walk(int n, Visitor&& visit);
  template <class Visitor>
  int walk_down(int n, Visitor& visit);
  inline Sides sides(int n) const;
  inline void narrow(int n, bool left);
  inline void widen(const Fork& fork);
  Int heaviest(int root);

  inline bool lengthen_path(int j);
  inline void shorten_path();
  inline void emit(int node);
  inline void merge(const Gathered& fork);

  static constexpr int kOften = 256;  // leaves between two looks at the clock

  Limits& limits_;
  int walked_ = 0;  // leaves
  std::vector<int> low_, high_;
  std::vector<std::uint8_t> missing_, on_path_;
  std::vector<int> path_;
  std::vector<Fork> forks_;                // on the way down, while a tree is walked
  std::vector<Gathered> gathering_;        // one per fork, while leaves are gathered
  std::vector<std::vector<int>> testing_;  // per variable
  std::vector<std::vector<Int>> known_;    // per rival: the margin of every leaf
  std::vector<Int> nothing_;
  int known_label_ = -1;
  const Int* weights_ = nullptr;
  bool collected_ = false;
};

}  // namespace primewood::search
