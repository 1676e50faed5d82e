// Is there a point of a box that the forest does not decide for the label? Cheapest means first.
#pragma once

#include <vector>

#include "depth_first.hpp"
#include "falsifier.hpp"
#include "lagrangian.hpp"
#include "limits.hpp"
#include "margin.hpp"

namespace primewood {

struct Counts {
  std::int64_t queries = 0, bounded = 0, falsified = 0, searched = 0, relaxed = 0;
};

class Oracle {
 public:
  Oracle(const Forest& f, Limits& l)
      : forest(f), limits(l), box(f), margin(box), falsifier(margin, l), depth_first(margin, l),
        lagrangian(margin, falsifier, l), x_(f.n_variables) {}

  const Forest& forest;
  Limits& limits;
  Counts counts;

  // True with a counterexample (value indices) in `point`. The seeds are points to start from.
  bool query(const std::uint8_t* mask, int label, const std::vector<const std::vector<int>*>& seeds,
             std::vector<int>& point) {
    counts.queries++;
    limits.check();
    box.set(mask);
    for (int rival = 0; rival < forest.n_classes; rival++) {
      if (rival == label) continue;
      margin.choose(label, rival);
      if (margin.bound() < margin.threshold) {
        counts.bounded++;
        continue;
      }
      if (!search(seeds)) continue;
      box.values(x_, point);
      return true;
    }
    return false;
  }

  // After a counterexample: which values of variable j, at this point, are counterexamples too.
  void along(int j, const std::vector<int>& point, std::vector<std::uint8_t>& fails) {
    const int values = forest.values(j);
    fails.assign(values, 0);
    for (int f = 0; f < forest.n_variables; f++) x_[f] = box.rank_of(f, point[f]);
    falsifier.sweep(j, x_, margin.total_at(x_));
    const std::vector<Int> totals(falsifier.totals());
    for (int rank = 0; rank < falsifier.ranks(j); rank++) {
      x_[j] = rank;
      if (margin.is_counterexample(x_, totals[rank])) fails[box.value_of(j, rank)] = 1;
    }
  }

 private:
  static constexpr int SMALL_SEARCH = 300;

  bool search(const std::vector<const std::vector<int>*>& seeds) {
    margin.collect();
    falsifier.reset();
    for (const auto* seed : seeds) {
      for (int j = 0; j < forest.n_variables; j++) x_[j] = box.rank_of(j, (*seed)[j]);
      if (falsifier.ascend(x_)) {
        counts.falsified++;
        return true;
      }
    }
    counts.searched++;
    switch (depth_first.run(SMALL_SEARCH)) {
      case DepthFirst::Outcome::safe:
        return false;
      case DepthFirst::Outcome::counterexample:
        x_ = depth_first.counterexample;
        return true;
      case DepthFirst::Outcome::unfinished:
        break;
    }
    counts.relaxed++;
    if (!lagrangian.run()) return false;
    x_ = lagrangian.counterexample;
    return true;
  }

  Restriction box;
  Margin margin;
  Falsifier falsifier;
  DepthFirst depth_first;
  Lagrangian lagrangian;
  std::vector<int> x_;
};

}  // namespace primewood
