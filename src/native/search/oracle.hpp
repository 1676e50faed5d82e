// Is there a point of a box that the forest does not decide for the label? Cheapest means first.
#pragma once

#include <vector>

#include "all_margins.hpp"
#include "depth_first.hpp"
#include "falsifier.hpp"
#include "lagrangian.hpp"
#include "limits.hpp"
#include "margin.hpp"
#include "one_margin.hpp"

namespace primewood {

struct Counts {
  std::int64_t queries = 0, bounded = 0, falsified = 0, searched = 0, relaxed = 0;
};

class Oracle {
 public:
  explicit Oracle(const Forest& f)
      : forest(f), box(f), margin(box), falsifier(margin, limits), depth_first(margin, limits),
        one_margin(margin, falsifier), all_margins(margin), lagrangian(box, limits), x_(f.n_variables) {}

  Oracle(const Oracle&) = delete;
  Oracle& operator=(const Oracle&) = delete;

  const Forest& forest;
  Limits limits;
  Counts counts;

  // Begin a run: the same run gives the same answers, whatever the oracle was used for before.
  void start(double seconds, std::int64_t nodes, std::function<void()> poll) {
    limits.start(seconds, nodes, std::move(poll));
    counts = {};
    patience_ = forest.patience;
  }

  // True with a counterexample (value indices) in `point`. The seeds are points to start from.
  bool query(const std::uint8_t* mask, int label, const std::vector<const std::vector<int>*>& seeds,
             std::vector<int>& point) {
    counts.queries++;
    limits.check();
    box.set(mask);
    rivals_.clear();
    for (int rival = 0; rival < forest.n_classes; rival++) {
      if (rival == label) continue;
      margin.choose(label, rival);
      if (margin.bound() < margin.threshold) {
        counts.bounded++;
        continue;
      }
      margin.collect();
      if (falsify(seeds)) {
        box.values(x_, point);
        return true;
      }
      rivals_.push_back({falsifier.distance(), rival});
    }
    // What local search brought nearest to a counterexample comes first.
    std::sort(rivals_.begin(), rivals_.end());
    for (const auto& [distance, rival] : rivals_) {
      if (rival != margin.rival) {
        margin.choose(label, rival);
        margin.collect();
        falsifier.reset();
      }
      if (!search()) continue;
      box.values(x_, point);
      return true;
    }
    return false;
  }

  // True with a point of the box that is decided for the label. With two classes that is one margin.
  bool reach(const std::uint8_t* mask, int label, std::vector<int>& point) {
    if (forest.n_classes == 2) return query(mask, 1 - label, {}, point);
    counts.queries++;
    limits.check();
    box.set(mask);
    margin.choose_none();
    margin.collect();
    if (!margin.possible()) return false;
    all_margins.choose(label);
    if (!lagrangian.run(all_margins)) return false;
    box.values(lagrangian.point, point);
    return true;
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
  static constexpr int LEAST_PATIENCE = 50;

  // Local search from points that are known; true with a counterexample in x_.
  bool falsify(const std::vector<const std::vector<int>*>& seeds) {
    falsifier.reset();
    if (!forest.local_search) return false;
    for (const auto* seed : seeds) {
      for (int j = 0; j < forest.n_variables; j++) x_[j] = box.rank_of(j, (*seed)[j]);
      if (falsifier.ascend(x_)) {
        counts.falsified++;
        return true;
      }
    }
    return false;
  }

  // Exact search; true with a counterexample in x_.
  bool search() {
    counts.searched++;
    switch (depth_first.run(patience_)) {
      case DepthFirst::Outcome::safe:
        patience_ = forest.patience;
        return false;
      case DepthFirst::Outcome::counterexample:
        patience_ = forest.patience;
        x_ = depth_first.counterexample;
        return true;
      case DepthFirst::Outcome::unfinished:
        patience_ = std::min(forest.patience, std::max(LEAST_PATIENCE, patience_ / 2));
        break;
    }
    counts.relaxed++;
    if (!lagrangian.run(one_margin)) return false;
    x_ = lagrangian.point;
    return true;
  }

  Restriction box;
  Margin margin;
  Falsifier falsifier;
  DepthFirst depth_first;
  OneMargin one_margin;
  AllMargins all_margins;
  Lagrangian lagrangian;
  std::vector<int> x_;
  std::vector<std::pair<Int, int>> rivals_;
  int patience_ = 0;  // nodes that the depth-first search may take: fewer after it failed
};

}  // namespace primewood
