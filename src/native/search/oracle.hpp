// Is there a point of a box that the forest does not decide for the label? Cheapest means first.
#pragma once

#include <vector>

#include "limits.hpp"
#include "search/all_margins.hpp"
#include "search/costs.hpp"
#include "search/depth_first.hpp"
#include "search/falsifier.hpp"
#include "search/lagrangian.hpp"
#include "search/margin.hpp"
#include "search/one_margin.hpp"

namespace primewood::search {

// What is asked about a decision: a point that is not decided for `label`, or, if `target` names a class, one that is
// decided for the target.
struct Question {
  int label, target = -1;
};

struct Counts {
  std::int64_t queries = 0, bounded = 0, falsified = 0, searched = 0, relaxed = 0;
};

class Oracle {
 public:
  explicit Oracle(const Forest& f)
      : forest(f),
        box(f),
        margin(box),
        falsifier(margin, limits),
        depth_first(margin, limits),
        one_margin(margin, falsifier),
        all_margins(margin, limits),
        lagrangian(box, limits),
        costs(box),
        x_(f.n_variables) {}

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

  // True with a point of the box that answers the question. The seeds are points to start from.
  bool ask(const std::uint8_t* mask, Question question, const std::vector<const std::vector<int>*>& seeds,
           std::vector<int>& point) {
    if (question.target < 0) return query(mask, question.label, seeds, point);
    return reach(mask, question.target, seeds, point);
  }

  // The same, of points whose costs (per atom) add up to the budget at most.
  bool ask_within(const std::uint8_t* mask, Question question, const std::vector<double>& of_atom, double budget,
                  std::vector<int>& point) {
    counts.queries++;
    limits.check();
    box.set(mask);
    costs.set(of_atom, budget);
    if (question.target >= 0 && forest.n_classes > 2)
      return win_all(AllMargins::of_class(forest, question.target), decides(question.target), point, &costs);
    const int label = question.target < 0 ? question.label : 1 - question.target;
    for (int rival = 0; rival < forest.n_classes; rival++) {
      if (rival == label) continue;
      margin.choose(label, rival);
      if (margin.bound() < margin.threshold) continue;
      margin.collect();
      falsifier.reset();
      if (!lagrangian.run(one_margin, &costs)) continue;
      box.values(lagrangian.point, point);
      return true;
    }
    return false;
  }

  bool answers(const std::vector<int>& point, Question question) const {
    const int decided = forest.decide(point.data());
    return (question.target < 0 ? decided != question.label : decided == question.target) &&
           forest.possible(point.data());
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
  bool reach(const std::uint8_t* mask, int label, const std::vector<const std::vector<int>*>& seeds,
             std::vector<int>& point) {
    if (forest.n_classes == 2) return query(mask, 1 - label, seeds, point);
    counts.queries++;
    limits.check();
    box.set(mask);
    return win_all(AllMargins::of_class(forest, label), decides(label), point);
  }

  // True with a point of the box at which all of these win.
  // same: for two rows of one model, the nodes with the same values for both.
  bool win_all(const std::uint8_t* mask, const std::vector<Win>& wins, AllMargins::Decided decided,
               const std::vector<std::uint8_t>* same, std::vector<int>& point) {
    counts.queries++;
    limits.check();
    box.set(mask);
    return win_all(wins, std::move(decided), point, nullptr, same);
  }

  // After an answer: which values of variable j, at this point, answer the question too.
  void along(int j, const std::vector<int>& point, Question question, std::vector<std::uint8_t>& fails) {
    const int values = forest.values(j);
    fails.assign(values, 0);
    if (question.target >= 0 && forest.n_classes > 2) {
      std::vector<int> moved(point);
      for (moved[j] = 0; moved[j] < values; moved[j]++) fails[moved[j]] = answers(moved, question);
      return;
    }
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

  AllMargins::Decided decides(int label) const {
    return [this, label](const std::vector<int>& x) { return forest.decide(x.data()) == label; };
  }

  // The box has been set.
  bool win_all(const std::vector<Win>& wins, AllMargins::Decided decided, std::vector<int>& point,
               const Costs* within = nullptr, const std::vector<std::uint8_t>* same = nullptr) {
    margin.choose_none();
    margin.collect();
    if (!margin.possible()) return false;
    all_margins.choose(wins, std::move(decided));
    if (same) all_margins.choose_twins(same);
    if (!lagrangian.run(all_margins, within)) return false;
    box.values(lagrangian.point, point);
    return true;
  }

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
  Costs costs;
  std::vector<int> x_;
  std::vector<std::pair<Int, int>> rivals_;
  int patience_ = 0;  // nodes that the depth-first search may take: fewer after it failed
};

}  // namespace primewood::search
