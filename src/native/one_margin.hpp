// The goal "a rival reaches the decided class": one margin, the usual case.
#pragma once

#include <vector>

#include "falsifier.hpp"
#include "goal.hpp"

namespace primewood {

class OneMargin final : public Goal {
 public:
  OneMargin(Margin& m, Falsifier& f) : margin(m), falsifier(f) {}

  // Weights are scaled to one per tree, and taken relative to the heaviest leaf of each tree, so that they are
  // small.
  void open(Node& root) override {
    Int range = 1, top = margin.base;
    for (std::size_t i = 0; i < margin.first.size(); i++) {
      const Int heaviest = margin.leaves[margin.first[i]].weight;
      top += heaviest;
      range = std::max(range, heaviest - margin.leaves[margin.last[i] - 1].weight);
    }
    const double scale = 1.0 / double(range);
    for (std::size_t i = 0; i < margin.first.size(); i++) {
      const Int heaviest = margin.leaves[margin.first[i]].weight;
      for (int p = margin.first[i]; p < margin.last[i]; p++)
        root.add_leaf(p, double(margin.leaves[p].weight - heaviest) * scale, margin);
      root.end_tree();
    }
    threshold = double(reachable_threshold(top) - top) * scale;
  }

  bool met(const std::vector<int>& x) override { return margin.is_counterexample(x, margin.total_at(x)); }
  bool ascend(std::vector<int>& x) override { return falsifier.ascend(x); }
  bool wander(int rounds, std::vector<int>& x) override { return falsifier.wander(rounds, x); }

 private:
  // The smallest sum that is at least the threshold and that leaves can add up to.
  Int reachable_threshold(Int top) const {
    Int g = 0;
    for (std::size_t i = 0; i < margin.first.size(); i++)
      for (int p = margin.first[i]; p < margin.last[i]; p++) {
        Int a = margin.leaves[margin.first[i]].weight - margin.leaves[p].weight;
        while (a) {
          const Int r = g % a;
          g = a;
          a = r;
        }
      }
    if (g <= 1) return margin.threshold;
    Int r = (top - margin.threshold) % g;
    if (r < 0) r += g;
    return margin.threshold + r;
  }

  Margin& margin;
  Falsifier& falsifier;
};

}  // namespace primewood
