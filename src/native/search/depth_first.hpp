// Depth-first search with pointers: each tree points at its heaviest leaf that the region still meets.
//
// Cheap per node, weak bound: it settles the easy questions before the Lagrangian bound is set up.
#pragma once

#include <utility>
#include <vector>

#include "limits.hpp"
#include "search/dispute.hpp"
#include "search/margin.hpp"
#include "search/region.hpp"

namespace primewood::search {

class DepthFirst {
 public:
  enum class Verdict { kSafe, kCounterexample, kUnfinished };

  DepthFirst(Margin& margin, Limits& limits)
      : margin_(margin), box_(margin.box), forest_(margin.forest), limits_(limits) {}

  std::vector<int> counterexample;  // in ranks

  // Search the whole box with at most `budget` nodes.
  Verdict run(int budget);

 private:
  static constexpr Int kUnits = 1024;  // what trees lose is counted in this many parts of the most that one can lose
  static constexpr int kOften = 8;     // nodes between two looks at the clock

  Verdict visit();

  // Narrow the region to one side of a cut, do something there, and come back.
  template <class Action>
  Verdict inside(const Cut& cut, bool first, Action action);

  const Leaf& favourite(int tree) const { return margin_.leaves[at_[tree]]; }
  void find_range();
  Int upper_inside(const Cut& cut, bool first);
  inline void repoint(int j);
  inline void point_back(std::size_t mark);
  inline bool meets_in(const Leaf& leaf, int j) const;
  inline bool meets(const Leaf& leaf) const;
  inline Int gap(int i) const;
  Cut choose();
  inline void count_loss(const Entry& entry, Int cost);
  Verdict settle();
  Region find_cell() const;
  Verdict search_around(const Region& cell);
  Cut cut_towards(const Region& cell, int j) const;

  Margin& margin_;
  const Restriction& box_;
  const Forest& forest_;
  Limits& limits_;
  Region region_;
  std::vector<int> at_;                     // per tree: the leaf that it points at
  std::vector<std::pair<int, int>> trail_;  // trees and the leaves that they pointed at before
  Int upper_ = 0;                           // the sum of the favourite leaves
  int left_ = 0;                            // nodes that may still be visited

  // where favourite leaves disagree
  Int unit_ = 1, range_ = 1;
  Dispute<Int> dispute_;
};

}  // namespace primewood::search
