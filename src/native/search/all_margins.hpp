// The goal "this class is decided": its margins over all rivals reach their thresholds at once.
//
// For any shares, at least 0 and 1 in sum, the share-weighted sum of the margins must reach that of the
// thresholds. So every choice of shares gives weights that bound the goal; shares move towards the margins that
// the picked leaves miss most.
#pragma once

#include <cmath>
#include <vector>

#include "goal.hpp"
#include "margin.hpp"

namespace primewood {

class AllMargins final : public Goal {
 public:
  explicit AllMargins(Margin& m) : margin(m), box(m.box), forest(m.forest) {}

  // The class that is to win; the margin has collected the leaves of the box. Rivals that it beats everywhere are
  // left out: the others' thresholds are within the range of their leaves, so that all numbers stay small.
  void choose(int winner) {
    winner_ = winner;
    rivals_.clear();
    for (int c = 0; c < forest.n_classes; c++)
      if (c != winner && !beats_everywhere(c)) rivals_.push_back(c);
    share_.assign(rivals_.size(), rivals_.empty() ? 0.0 : 1.0 / double(rivals_.size()));
    reach_.assign(rivals_.size(), 0);
  }

  void open(Node& root) override {
    const std::size_t n = rivals_.size();
    margins_.resize(margin.leaves.size() * n);
    Int range = 1;
    for (std::size_t p = 0; p < margin.leaves.size(); p++)
      for (std::size_t k = 0; k < n; k++) {
        const Int m = margins_[p * n + k] = margin_of(margin.leaves[p].node, k);
        range = std::max(range, m < 0 ? -m : m);
      }
    scale_ = 1.0 / double(range);
    base_.assign(n, 0);
    for (int node : margin.settled)
      for (std::size_t k = 0; k < n; k++) base_[k] += margin_of(node, k);
    for (std::size_t i = 0; i < margin.first.size(); i++) {
      for (int p = margin.first[i]; p < margin.last[i]; p++)
        if (!margin.forbidden(margin.leaves[p])) root.add_leaf(p, 0.0, margin);
      root.end_tree();
    }
    root.sorted = false;
  }

  // Margins that the picked leaves miss, or reach by less than others, get a larger share.
  bool learn(Node& node, const std::vector<int>& pick) override {
    sum_up(node, [&](int tree, std::size_t k) { return margin_at(node.leaf[pick[tree]], k); });
    double most = 0;
    for (std::size_t k = 0; k < rivals_.size(); k++)
      most = std::max(most, std::abs(scale_ * double(reach_[k] - threshold_of(k))));
    if (most == 0) return false;
    double total = 0;
    for (std::size_t k = 0; k < rivals_.size(); k++)
      total += share_[k] *= std::exp(-0.5 * scale_ * double(reach_[k] - threshold_of(k)) / most);
    for (double& share : share_) share /= total;
    weigh(node);
    return true;
  }

  // Whether every margin by itself can reach its threshold.
  bool possible(Node& node) override {
    sum_up(node, [&](int tree, std::size_t k) {
      Int best = INT64_MIN;
      for (int p = node.first[tree]; p < node.first[tree + 1]; p++)
        best = std::max(best, margin_at(node.leaf[p], k));
      return best;
    });
    for (std::size_t k = 0; k < rivals_.size(); k++)
      if (reach_[k] < threshold_of(k)) return false;
    weigh(node);
    return true;
  }

  // Whether the class is decided at a point; if scores may be added in any order: whether each margin is reached
  // in some order.
  bool met(const std::vector<int>& x) override {
    box.values(x, point_);
    if (!forest.possible(point_.data())) return false;
    if (!forest.any_order) return forest.decide(point_.data()) == winner_;
    std::fill(reach_.begin(), reach_.end(), 0);
    bool rounds = false;
    for (int t = 0; t < forest.n_trees; t++) {
      const int n = box.leaf(t, x.data());
      rounds = rounds || !forest.exact[n];
      for (std::size_t k = 0; k < rivals_.size(); k++)
        reach_[k] += margin_of(n, k) - (forest.exact[n] ? 0 : forest.band);
    }
    for (std::size_t k = 0; k < rivals_.size(); k++)
      if (reach_[k] + (rounds ? forest.band : 0) < threshold_of(k)) return false;
    return true;
  }

  bool ascend(std::vector<int>& x) override { return met(x); }
  bool wander(int, std::vector<int>&) override { return false; }

 private:
  // Whether even the smallest sum, less all that rounding can do, is above the rival.
  bool beats_everywhere(int rival) const {
    const auto least = [&](int node) {
      const Int* w = &forest.weight[std::size_t(node) * forest.n_classes];
      return w[winner_] - w[rival] - (forest.exact[node] ? 0 : forest.band);
    };
    Int total = 0;
    for (int node : margin.settled) total += least(node);
    for (std::size_t i = 0; i < margin.first.size(); i++) {
      Int lowest = INT64_MAX;
      for (int p = margin.first[i]; p < margin.last[i]; p++)
        if (!margin.forbidden(margin.leaves[p])) lowest = std::min(lowest, least(margin.leaves[p].node));
      total += lowest;
    }
    return total > 0;
  }

  Int threshold_of(std::size_t k) const { return winner_ < rivals_[k] ? 0 : 1; }
  Int margin_at(int leaf, std::size_t k) const { return margins_[leaf * rivals_.size() + k]; }

  Int margin_of(int node, std::size_t k) const {
    const Int* w = &forest.weight[std::size_t(node) * forest.n_classes];
    return w[winner_] - w[rivals_[k]] + (forest.exact[node] ? 0 : forest.band);
  }

  // The weights of a node's leaves, and its threshold, under the current shares.
  void weigh(Node& node) const {
    for (std::size_t p = 0; p < node.weight.size(); p++) node.weight[p] = weight(node.leaf[p]);
    node.base = 0;
    for (int leaf : node.settled) node.base += weight(leaf);
    node.threshold = 0;
    for (std::size_t k = 0; k < rivals_.size(); k++)
      node.threshold += share_[k] * scale_ * double(threshold_of(k) - base_[k]);
  }

  double weight(int leaf) const {
    double sum = 0;
    for (std::size_t k = 0; k < rivals_.size(); k++) sum += share_[k] * scale_ * double(margin_at(leaf, k));
    return sum;
  }

  // Per rival, the sum of a number per tree, with the trees that have one leaf left.
  template <class Number>
  void sum_up(const Node& node, Number number) {
    for (std::size_t k = 0; k < rivals_.size(); k++) {
      reach_[k] = base_[k];
      for (int leaf : node.settled) reach_[k] += margin_at(leaf, k);
      for (int i = 0; i < node.trees(); i++) reach_[k] += number(i, k);
    }
  }

  Margin& margin;
  const Restriction& box;
  const Forest& forest;
  int winner_ = 0;
  std::vector<int> rivals_, point_;
  std::vector<Int> margins_, base_, reach_;  // per leaf and rival; per rival
  std::vector<double> share_;
  double scale_ = 1;
};

}  // namespace primewood
