#include "search/depth_first.hpp"

#include <algorithm>

namespace primewood::search {

DepthFirst::Verdict DepthFirst::run(int budget) {
  region_.open(box_);
  trail_.clear();
  at_.assign(margin_.first.begin(), margin_.first.end());
  upper_ = margin_.base;
  for (int i = 0; i < margin_.trees(); i++) upper_ += favourite(i).weight;
  left_ = budget;
  dispute_.open(box_);
  find_range();
  return visit();
}

// The most that one tree can lose.
void DepthFirst::find_range() {
  range_ = 1;
  for (int i = 0; i < margin_.trees(); i++) {
    int lightest = margin_.last[i] - 1;
    while (lightest > at_[i] && margin_.forbidden(margin_.leaves[lightest])) lightest--;
    range_ = std::max(range_, favourite(i).weight - margin_.leaves[lightest].weight);
  }
  unit_ = std::max<Int>(1, range_ / kUnits);
}

DepthFirst::Verdict DepthFirst::visit() {
  if (upper_ < margin_.threshold) return Verdict::kSafe;
  if (--left_ < 0) return Verdict::kUnfinished;
  if (left_ % kOften == 0) limits_.check();
  limits_.count_node();
  const Cut cut = choose();
  if (!cut.found()) return settle();
  const Int after_first = upper_inside(cut, true), after_second = upper_inside(cut, false);
  const bool heavier = after_first >= after_second;
  for (bool first : {heavier, !heavier}) {
    if ((first ? after_first : after_second) < margin_.threshold) continue;
    const Verdict verdict = inside(cut, first, [&] { return visit(); });
    if (verdict != Verdict::kSafe) return verdict;
  }
  return Verdict::kSafe;
}

// What the favourite leaves sum up to on one side of a cut.
Int DepthFirst::upper_inside(const Cut& cut, bool first) {
  Int upper = 0;
  inside(cut, first, [&] {
    upper = upper_;
    return Verdict::kSafe;
  });
  return upper;
}

template <class Action>
DepthFirst::Verdict DepthFirst::inside(const Cut& cut, bool first, Action action) {
  const int j = cut.variable;
  const int low = region_.low[j], high = region_.high[j];
  const std::uint8_t missing = region_.missing[j];
  const std::size_t mark = trail_.size();
  cut.apply(region_, first);
  repoint(j);
  const Verdict verdict = action();
  point_back(mark);
  region_.low[j] = low;
  region_.high[j] = high;
  region_.missing[j] = missing;
  return verdict;
}

// Move the pointers of trees whose leaf the region no longer meets in variable j.
void DepthFirst::repoint(int j) {
  for (int i = 0; i < int(at_.size()); i++) {
    if (meets_in(favourite(i), j)) continue;
    trail_.push_back({i, at_[i]});
    upper_ -= favourite(i).weight;
    int p = at_[i] + 1;
    while (!meets(margin_.leaves[p])) p++;
    assert(p < margin_.last[i]);
    at_[i] = p;
    upper_ += margin_.leaves[p].weight;
    if (upper_ < margin_.threshold) return;
  }
}

void DepthFirst::point_back(std::size_t mark) {
  while (trail_.size() > mark) {
    const auto [tree, leaf] = trail_.back();
    trail_.pop_back();
    upper_ += margin_.leaves[leaf].weight - favourite(tree).weight;
    at_[tree] = leaf;
  }
}

bool DepthFirst::meets_in(const Leaf& leaf, int j) const {
  for (int e = leaf.begin; e < leaf.end; e++)
    if (margin_.entries[e].variable == j) return region_.meets(margin_.entries[e]);
  return true;
}

bool DepthFirst::meets(const Leaf& leaf) const {
  for (int e = leaf.begin; e < leaf.end; e++)
    if (!region_.meets(margin_.entries[e])) return false;
  return true;
}

// What a tree loses if it must leave its leaf; a rule, as much as any tree can.
Int DepthFirst::gap(int i) const {
  const Int w = favourite(i).weight;
  for (int p = at_[i] + 1; p < margin_.last[i]; p++)
    if (margin_.leaves[p].weight < w) return std::min(range_, w - margin_.leaves[p].weight);
  return 0;
}

// The cut on which the trees' favourite leaves disagree most; none if one point suits them all.
Cut DepthFirst::choose() {
  dispute_.clear();
  for (int i = 0; i < int(at_.size()); i++) {
    const Leaf& leaf = favourite(i);
    Int cost = -1;  // in whole units: sums of them must cancel exactly
    for (int e = leaf.begin; e < leaf.end; e++) {
      const Entry& entry = margin_.entries[e];
      const int j = entry.variable;
      if (region_.inside(entry)) continue;
      if (region_.missing[j] && region_.has_ranks(j)) return {j, -1};
      if (!region_.has_ranks(j)) continue;
      if (cost < 0) cost = 1 + gap(i) / unit_;
      count_loss(entry, cost);
    }
  }
  return dispute_.choose(region_);
}

void DepthFirst::count_loss(const Entry& entry, Int cost) {
  const int j = entry.variable;
  if (entry.low > region_.low[j]) dispute_.say_from(j, entry.low, cost);
  if (entry.high < region_.high[j]) dispute_.say_up_to(j, entry.high, cost);
}

// All favourite leaves meet in a cell: it is a counterexample, or it is cut out.
DepthFirst::Verdict DepthFirst::settle() {
  const Region cell = find_cell();
  cell.pick_point(box_, counterexample);
  if (margin_.is_counterexample(counterexample, upper_)) return Verdict::kCounterexample;
  return search_around(cell);
}

Region DepthFirst::find_cell() const {
  Region cell = region_;
  for (int i = 0; i < int(at_.size()); i++) {
    const Leaf& leaf = favourite(i);
    for (int e = leaf.begin; e < leaf.end; e++) {
      const Entry& entry = margin_.entries[e];
      const int j = entry.variable;
      if (!cell.has_ranks(j)) continue;
      cell.low[j] = std::max(cell.low[j], entry.low);
      cell.high[j] = std::min(cell.high[j], entry.high);
    }
  }
  return cell;
}

// The rest of the region, outside a cell in which the decision stays.
DepthFirst::Verdict DepthFirst::search_around(const Region& cell) {
  Cut cut;
  for (int j = 0; j < forest_.n_variables && !cut.found(); j++) cut = cut_towards(cell, j);
  if (!cut.found()) return Verdict::kSafe;
  for (bool first : {true, false}) {
    const Verdict verdict = inside(cut, first, [&] { return visit(); });
    if (verdict != Verdict::kSafe) return verdict;
  }
  return Verdict::kSafe;
}

// A cut of one variable that has the whole cell on one side; none if the cell has all of its ranks.
Cut DepthFirst::cut_towards(const Region& cell, int j) const {
  if (!region_.has_ranks(j)) return {};
  const bool above = cell.low[j] > region_.low[j], below = cell.high[j] < region_.high[j];
  if (region_.missing[j] && cell.has_ranks(j) && (above || below)) return {j, -1};
  if (above) return {j, cell.low[j] - 1};
  if (below) return {j, cell.high[j]};
  return {};
}

}  // namespace primewood::search
