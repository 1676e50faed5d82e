// The goal "a rival reaches the decided class": one margin, the usual case.
#pragma once

#include <vector>

#include "search/falsifier.hpp"
#include "search/goal.hpp"
#include "search/options.hpp"

namespace primewood::search {

class OneMargin final : public Goal {
 public:
  OneMargin(Margin& margin, Falsifier& falsifier, const SearchOptions& options)
      : margin_(margin), falsifier_(falsifier), options_(options) {}

  // Weights are scaled to at most one per tree, and taken relative to the heaviest leaf of each tree, so that they are
  // small. An integer is rounded when it becomes a double, and again when it is scaled; then one weight per tree is
  // summed up, as soon as a tree is settled.
  void open(Node& root) override;

  // The node's leaves add up to `top`, or to less by multiples of a grain: of the greatest common divisor of
  // all differences, and of a power of two that may be larger where few leaves are left. The threshold is the
  // next such sum; without it, every tie of exact votes would be cut down to single cells.
  bool possible(Node& node) override;

  bool met(const std::vector<int>& x) override { return margin_.is_counterexample(x, margin_.total_at(x)); }
  bool ascend(std::vector<int>& x) override { return options_.local_search ? falsifier_.ascend(x) : met(x); }
  bool wander(int rounds, std::vector<int>& x) override {
    return options_.local_search && falsifier_.wander(rounds, x);
  }
  bool can_be_shared() const override { return true; }

  // Take over what is known of the root from the goal of another thread.
  void join(const OneMargin& other);

 private:
  Int heaviest(int tree) const { return margin_.leaves[margin_.first[tree]].weight; }
  int end_of(int tree) const;
  void find_scale();

  Margin& margin_;
  Falsifier& falsifier_;
  const SearchOptions& options_;
  Int top_ = 0, grain_ = 0;
  double scale_ = 1;
};

}  // namespace primewood::search
