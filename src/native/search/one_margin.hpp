// The goal "a rival reaches the decided class": one margin, the usual case.
#pragma once

#include <numeric>
#include <vector>

#include "search/falsifier.hpp"
#include "search/goal.hpp"

namespace primewood::search {

class OneMargin final : public Goal {
 public:
  OneMargin(Margin& m, Falsifier& f) : margin(m), falsifier(f) {}

  // Weights are scaled to one per tree, and taken relative to the heaviest leaf of each tree, so that they are
  // small.
  void open(Node& root) override {
    Int range = 1;
    top_ = margin.base;
    grain_ = 0;
    for (std::size_t i = 0; i < margin.first.size(); i++) {
      const Int heaviest = margin.leaves[margin.first[i]].weight;
      top_ += heaviest;
      for (int p = margin.first[i]; p < margin.last[i] && !margin.forbidden(margin.leaves[p]); p++) {
        range = std::max(range, heaviest - margin.leaves[p].weight);
        grain_ = std::gcd(grain_, heaviest - margin.leaves[p].weight);
      }
    }
    scale_ = 1.0 / double(range);
    for (std::size_t i = 0; i < margin.first.size(); i++) {
      const Int heaviest = margin.leaves[margin.first[i]].weight;
      for (int p = margin.first[i]; p < margin.last[i] && !margin.forbidden(margin.leaves[p]); p++)
        root.add_leaf(p, double(margin.leaves[p].weight - heaviest) * scale_, margin);
      root.end_tree();
    }
  }

  // The node's leaves add up to `top`, or to less by multiples of a grain: of the greatest common divisor of
  // all differences, and of a power of two that may be larger where few leaves are left. The threshold is the
  // next such sum; without it, every tie of exact votes would be cut down to single cells.
  bool possible(Node& node) override {
    Int top = margin.base, differences = 0;
    for (int p : node.settled) top += margin.leaves[p].weight;
    for (int i = 0; i < node.trees(); i++) {
      const Int heaviest = margin.leaves[node.leaf[node.first[i]]].weight;
      top += heaviest;
      for (int p = node.first[i]; p < node.first[i + 1]; p++)
        differences |= heaviest - margin.leaves[node.leaf[p]].weight;
    }
    if (top < margin.threshold) return false;
    const Int power = differences & -differences;
    Int above = top - margin.threshold;  // how far the next sum is above the threshold
    if (differences) above %= std::max<Int>(std::max(power, grain_), 1);
    node.threshold = double(margin.threshold + above - top_) * scale_;
    return true;
  }

  bool met(const std::vector<int>& x) override { return margin.is_counterexample(x, margin.total_at(x)); }
  bool ascend(std::vector<int>& x) override { return searches() ? falsifier.ascend(x) : met(x); }
  bool wander(int rounds, std::vector<int>& x) override { return searches() && falsifier.wander(rounds, x); }

 private:
  bool searches() const { return margin.forest.local_search; }

  Margin& margin;
  Falsifier& falsifier;
  Int top_ = 0, grain_ = 0;
  double scale_ = 1;
};

}  // namespace primewood::search
