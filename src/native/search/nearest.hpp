// The nearest point that answers a question, where leaving the instance costs something.
//
// Costs are per atom, 0 at the instance's own values; those of a point's atoms are added up, or the largest counts.
// Bisection: a budget within which there is no answer is a proved lower bound, an answer is an upper one, and is moved
// back towards the instance before it counts.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "search/oracle.hpp"

namespace primewood::search {

class Nearest {
 public:
  enum class Norm { sum, largest };

  // cost: per atom; an infinite one is out of the question.
  Nearest(Oracle& o, Question question, Norm norm, const std::vector<int>& instance, std::vector<double> cost)
      : forest(o.forest),
        oracle(o),
        question_(question),
        asked_(norm),
        norm_(norm),
        instance_(instance),
        mask_(cost.size()),
        cost_(std::move(cost)) {
    for (std::size_t a = 0; a < cost_.size(); a++) mask_[a] = std::isfinite(cost_[a]);
  }

  std::vector<int> point;                                  // the nearest answer so far; empty if there is none
  double upper = std::numeric_limits<double>::infinity();  // its cost
  double lower = 0;                                        // no answer costs less
  bool complete = false;  // the point is the nearest, sums of fractions up to `GRAIN`; or there is none

  void run() {
    try {
      search();
      complete = true;
      if (asked_ == Norm::largest || whole_ || point.empty()) lower = upper;
    } catch (const LimitReached&) {
    }
    norm_ = asked_;
    if (!point.empty()) upper = cost_of(point);
  }

 private:
  static constexpr double CLOSE = 0.1;    // from here on, the last budget is asked about at once
  static constexpr double GRAIN = 1e-3;   // how much less a sum has to cost to be worth a search
  static constexpr double POLISH = 1e-9;  // the same, as far as it is cheap

  // The largest single cost is asked for first: that is cheap, and what is found is near in sum, too. If all costs are
  // whole, their sum is bisected at once.
  void search() {
    std::vector<int> found;
    find_whole();
    if (asked_ == Norm::sum && whole_) {
      if (!oracle.ask(mask_.data(), question_, {&instance_}, found)) return;
      take(found);
      for (int c = 0; c <= upper; c++) levels_.push_back(c);
      bisect();
      return;
    }
    norm_ = Norm::largest;
    for (int a = 0; a < forest.atoms(); a++)
      if (mask_[a]) levels_.push_back(cost_[a]);
    std::sort(levels_.begin(), levels_.end());
    levels_.erase(std::unique(levels_.begin(), levels_.end()), levels_.end());
    bisect();
    if (asked_ == Norm::largest || point.empty()) return;
    norm_ = Norm::sum;
    upper = cost_of(point);
    bisect();
    polish();
  }

  // Whether all costs are whole numbers, and few enough of them can be a sum.
  void find_whole() {
    double most = 0;
    whole_ = true;
    for (int j = 0; j < forest.n_variables; j++) {
      double dearest = 0;
      for (int a = forest.offset[j]; a < forest.offset[j + 1]; a++) {
        if (!mask_[a]) continue;
        whole_ = whole_ && cost_[a] == std::floor(cost_[a]);
        dearest = std::max(dearest, cost_[a]);
      }
      most += dearest;
    }
    whole_ = whole_ && most < MANY;
  }

  // Close to the optimum there are ever more points that cost nearly the same: telling them apart may double the
  // work, no more.
  void polish() {
    std::vector<int> found;
    oracle.limits.allow(oracle.limits.visited());
    try {
      while (upper > 0 && probe(less(POLISH), found)) take(found);
      lower = less(POLISH);
    } catch (const LimitReached&) {
    }
  }

  void bisect() {
    std::vector<int> found;
    for (;;) {
      const double budget = norm_ == Norm::largest || whole_ ? middle_level() : middle();
      if (budget < 0) return;
      if (probe(budget, found)) {
        take(found);
      } else {
        lower = below_ = budget;
      }
    }
  }

  // A level among those that are open, -1 if none is: near the lower end as long as nothing was found beyond it, as
  // small boxes are quick to decide; then the one in the middle.
  double middle_level() {
    const auto from = std::upper_bound(levels_.begin(), levels_.end(), below_);
    const auto to = std::lower_bound(levels_.begin(), levels_.end(), upper);
    if (from >= to) return -1;
    const auto half = (to - from) / 2;
    stride_ *= 2;
    return *(from + std::min<std::ptrdiff_t>(half, stride_));
  }

  // What is less than the upper bound by a share, and by one float at least: among the smallest floats shares are lost.
  double less(double share) const { return std::min(upper * (1 - share), std::nextafter(upper, 0.0)); }

  double middle() const {
    const double last = less(GRAIN);
    if (last <= below_ || upper == 0) return -1;
    return upper - std::max(0.0, below_) <= CLOSE * upper ? last : (std::max(0.0, below_) + upper) / 2;
  }

  bool probe(double budget, std::vector<int>& found) {
    box_ = mask_;
    for (int a = 0; a < forest.atoms(); a++)
      if (cost_[a] > budget) box_[a] = 0;
    if (norm_ == Norm::largest) {
      std::vector<const std::vector<int>*> seeds{&instance_};
      if (!point.empty()) seeds.push_back(&point);
      return oracle.ask(box_.data(), question_, seeds, found);
    }
    return oracle.ask_within(box_.data(), question_, cost_, budget, found);
  }

  double cost_of(const std::vector<int>& x) const {
    double cost = 0;
    for (int j = 0; j < forest.n_variables; j++) {
      const double c = cost_[forest.offset[j] + x[j]];
      cost = norm_ == Norm::sum ? cost + c : std::max(cost, c);
    }
    return cost;
  }

  // An answer, moved back towards the instance one variable at a time, the dearest first, while it stays one.
  void take(std::vector<int> x) {
    std::vector<int> order(forest.n_variables);
    for (int j = 0; j < forest.n_variables; j++) order[j] = j;
    const auto dear = [&](int j) { return cost_[forest.offset[j] + x[j]]; };
    std::sort(order.begin(), order.end(), [&](int a, int b) { return dear(a) != dear(b) ? dear(a) > dear(b) : a < b; });
    for (int j : order) {
      const double now = dear(j);
      candidates_.clear();
      for (int v = 0; v < forest.values(j); v++)
        if (mask_[forest.offset[j] + v] && cost_[forest.offset[j] + v] < now)
          candidates_.push_back({cost_[forest.offset[j] + v], v});
      std::sort(candidates_.begin(), candidates_.end());
      const int own = x[j];
      bool moved = false;
      for (std::size_t k = 0; k < candidates_.size() && !moved; k++) {
        oracle.limits.check();
        x[j] = candidates_[k].second;
        moved = answers(x);
      }
      if (!moved) x[j] = own;
    }
    const double cost = cost_of(x);
    if (cost < upper) {
      upper = cost;
      point = std::move(x);
    }
  }

  // In any order of summation, only what the oracle has found counts: an evaluation cannot tell.
  bool answers(const std::vector<int>& x) const { return !forest.any_order && oracle.answers(x, question_); }

  static constexpr double MANY = 1e6;
  const Forest& forest;
  Oracle& oracle;
  Question question_;
  const Norm asked_;
  Norm norm_;  // what is bisected at the moment
  const std::vector<int>& instance_;
  std::vector<std::uint8_t> mask_, box_;
  std::vector<double> cost_, levels_;
  std::vector<std::pair<double, int>> candidates_;
  std::ptrdiff_t stride_ = 8;
  double below_ = -1;  // the largest budget that is proved to have no answer
  bool whole_ = false;
};

}  // namespace primewood::search
