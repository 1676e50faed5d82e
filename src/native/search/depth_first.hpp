// Depth-first search with pointers: each tree points at its heaviest leaf that the region still meets.
//
// Cheap per node, weak bound: it settles the easy questions before the Lagrangian bound is set up.
#pragma once

#include <vector>

#include "search/falsifier.hpp"
#include "search/region.hpp"

namespace primewood::search {

class DepthFirst {
 public:
  enum class Outcome { safe, counterexample, unfinished };

  DepthFirst(Margin& m, Limits& l) : margin(m), box(m.box), forest(m.forest), limits(l) {}

  std::vector<int> counterexample;

  // Search the whole box with at most `budget` nodes.
  Outcome run(int budget) {
    region_.open(box);
    trail_.clear();
    const int trees = int(margin.first.size());
    at_.assign(margin.first.begin(), margin.first.end());
    upper_ = margin.base;
    for (int i = 0; i < trees; i++) upper_ += margin.leaves[at_[i]].weight;
    left_ = budget;
    start_.assign(forest.n_variables + 1, 0);
    for (int j = 0; j < forest.n_variables; j++) start_[j + 1] = start_[j] + box.size[j] + 1;
    lost_left_.assign(start_.back(), 0);
    lost_right_.assign(start_.back(), 0);
    range_ = 1;
    for (int i = 0; i < trees; i++) {
      int lightest = margin.last[i] - 1;
      while (lightest > at_[i] && margin.forbidden(margin.leaves[lightest])) lightest--;
      range_ = std::max(range_, margin.leaves[at_[i]].weight - margin.leaves[lightest].weight);
    }
    unit_ = std::max<Int>(1, range_ / 1024);
    return visit();
  }

 private:
  Outcome visit() {
    if (upper_ < margin.threshold) return Outcome::safe;
    if (--left_ < 0) return Outcome::unfinished;
    limits.check();
    limits.count_node();
    const Cut cut = choose();
    if (!cut.found()) return settle();
    Int after[2];
    for (int side = 0; side < 2; side++)
      inside(cut, side == 0, [&] {
        after[side] = upper_;
        return Outcome::safe;
      });
    const int heavier = after[1] > after[0] ? 1 : 0;
    for (int side : {heavier, 1 - heavier}) {
      if (after[side] < margin.threshold) continue;
      const Outcome outcome = inside(cut, side == 0, [&] { return visit(); });
      if (outcome != Outcome::safe) return outcome;
    }
    return Outcome::safe;
  }

  // Narrow the region to one side of a cut, do something there, and come back.
  template <class Action>
  Outcome inside(const Cut& cut, bool first, Action action) {
    const int j = cut.variable;
    const int low = region_.low[j], high = region_.high[j];
    const std::uint8_t missing = region_.missing[j];
    const std::size_t mark = trail_.size();
    cut.apply(region_, first);
    repoint(j);
    const Outcome outcome = action();
    while (trail_.size() > mark) {
      const auto [tree, leaf] = trail_.back();
      trail_.pop_back();
      upper_ += margin.leaves[leaf].weight - margin.leaves[at_[tree]].weight;
      at_[tree] = leaf;
    }
    region_.low[j] = low;
    region_.high[j] = high;
    region_.missing[j] = missing;
    return outcome;
  }

  // Move the pointers of trees whose leaf the region no longer meets in variable j.
  void repoint(int j) {
    for (int i = 0; i < int(at_.size()); i++) {
      if (meets_in(margin.leaves[at_[i]], j)) continue;
      trail_.push_back({i, at_[i]});
      upper_ -= margin.leaves[at_[i]].weight;
      int p = at_[i] + 1;
      while (!meets(margin.leaves[p])) p++;
      at_[i] = p;
      upper_ += margin.leaves[p].weight;
      if (upper_ < margin.threshold) return;
    }
  }

  bool meets_in(const Leaf& leaf, int j) const {
    for (int e = leaf.begin; e < leaf.end; e++)
      if (margin.entries[e].variable == j) return region_.meets(margin.entries[e]);
    return true;
  }

  bool meets(const Leaf& leaf) const {
    for (int e = leaf.begin; e < leaf.end; e++)
      if (!region_.meets(margin.entries[e])) return false;
    return true;
  }

  // What a tree loses if it must leave its leaf; a rule, as much as any tree can.
  Int gap(int i) const {
    const Int w = margin.leaves[at_[i]].weight;
    for (int p = at_[i] + 1; p < margin.last[i]; p++)
      if (margin.leaves[p].weight < w) return std::min(range_, w - margin.leaves[p].weight);
    return 0;
  }

  // The cut on which the trees' favourite leaves disagree most; none if one point suits them all.
  Cut choose() {
    used_.clear();
    seen_.assign(forest.n_variables, 0);
    for (int i = 0; i < int(at_.size()); i++) {
      const Leaf& leaf = margin.leaves[at_[i]];
      Int cost = -1;  // in whole units: sums of them must cancel exactly
      for (int e = leaf.begin; e < leaf.end; e++) {
        const Entry& entry = margin.entries[e];
        const int j = entry.variable;
        if (region_.inside(entry)) continue;
        if (region_.missing[j] && region_.has_ranks(j)) return {j, -1};
        if (!region_.has_ranks(j)) continue;
        if (cost < 0) cost = 1 + gap(i) / unit_;
        if (!seen_[j]) {
          seen_[j] = 1;
          used_.push_back(j);
          std::fill(lost_left_.begin() + start_[j], lost_left_.begin() + start_[j + 1], 0);
          std::fill(lost_right_.begin() + start_[j], lost_right_.begin() + start_[j + 1], 0);
        }
        if (entry.low > region_.low[j]) lost_left_[start_[j] + entry.low] += cost;
        if (entry.high < region_.high[j]) lost_right_[start_[j] + entry.high] += cost;
      }
    }
    Dispute dispute;
    for (int j : used_) dispute.consider(region_, j, &lost_left_[start_[j]], &lost_right_[start_[j]]);
    return dispute.cut;
  }

  // All favourite leaves meet in a cell: it is a counterexample, or it is cut out.
  Outcome settle() {
    Region cell = region_;
    for (int i = 0; i < int(at_.size()); i++) {
      const Leaf& leaf = margin.leaves[at_[i]];
      for (int e = leaf.begin; e < leaf.end; e++) {
        const Entry& entry = margin.entries[e];
        const int j = entry.variable;
        if (!cell.has_ranks(j)) continue;
        cell.low[j] = std::max(cell.low[j], entry.low);
        cell.high[j] = std::min(cell.high[j], entry.high);
      }
    }
    cell.point(box, counterexample);
    if (margin.is_counterexample(counterexample, upper_)) return Outcome::counterexample;
    return around(cell);
  }

  // The rest of the region, outside a cell in which the decision stays.
  Outcome around(const Region& cell) {
    for (int j = 0; j < forest.n_variables; j++) {
      if (!region_.has_ranks(j)) continue;
      Cut cut;
      if (region_.missing[j] && cell.has_ranks(j) && (cell.low[j] > region_.low[j] || cell.high[j] < region_.high[j])) {
        cut = {j, -1};
      } else if (cell.low[j] > region_.low[j]) {
        cut = {j, cell.low[j] - 1};
      } else if (cell.high[j] < region_.high[j]) {
        cut = {j, cell.high[j]};
      }
      if (!cut.found()) continue;
      for (bool first : {true, false}) {
        const Outcome outcome = inside(cut, first, [&] { return visit(); });
        if (outcome != Outcome::safe) return outcome;
      }
      return Outcome::safe;
    }
    return Outcome::safe;
  }

  Margin& margin;
  const Restriction& box;
  const Forest& forest;
  Limits& limits;
  Region region_;
  std::vector<int> at_, used_, start_;
  std::vector<std::uint8_t> seen_;
  std::vector<std::pair<int, int>> trail_;
  std::vector<Int> lost_left_, lost_right_;
  Int upper_ = 0, unit_ = 1, range_ = 1;
  int left_ = 0;
};

}  // namespace primewood::search
