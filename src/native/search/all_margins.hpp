// The goal "all of these classes win": their margins over their rivals reach their thresholds at once. That is a
// class that is decided, with its rivals; or decisions of several forests over the same variables.
//
// For any shares, at least 0 and 1 in sum, the share-weighted sum of the margins must reach that of the
// thresholds. So every choice of shares gives weights that bound the goal; shares move towards the margins that
// the picked leaves miss most.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "limits.hpp"
#include "search/goal.hpp"
#include "search/margin.hpp"
#include "search/options.hpp"
#include "search/random.hpp"
#include "search/win.hpp"

namespace primewood::search {

class AllMargins final : public Goal {
 public:
  using Decided = std::function<bool(const std::vector<int>&)>;

  AllMargins(Margin& margin, Limits& limits, const SearchOptions& options)
      : margin_(margin), box_(margin.box), forest_(margin.forest), limits_(limits), options_(options) {}

  // What is to win, and who tells at a point of values whether that is decided; the margin has collected the leaves of
  // the box. Wins that are certain are left out: the others' thresholds are within the range of their leaves, so that
  // all numbers stay small.
  void choose(const std::vector<Win>& wins, Decided decided);

  // Two wins that exclude each other wherever two rows of one model end in leaves with the same values; `same` says of
  // which nodes that is true.
  void choose_twins(const std::vector<std::uint8_t>& same);

  void open(Node& root) override;

  // Margins that the picked leaves miss, or reach by less than others, get a larger share.
  bool learn(Node& node, const std::vector<int>& pick) override;

  // Whether every margin by itself can reach its threshold.
  bool possible(Node& node) override;

  // Whether the class is decided at a point; if scores may be added in any order: whether each margin is reached
  // in some order.
  bool met(const std::vector<int>& x) override;

  // Move one coordinate at a time so that the win that is missed most is missed less.
  bool ascend(std::vector<int>& x) override;

  // Ascend from random changes of the best point.
  bool wander(int rounds, std::vector<int>& x) override;

 private:
  static constexpr Int kSimilar = 64;    // ranges that differ by less than this factor are of one unit
  static constexpr int kMostSweeps = 4;  // per variable

  bool is_certain(const Win& win) const;
  bool any_order_met(const std::vector<int>& x);
  void find_margins(std::vector<Int>& range);
  void find_scales(const std::vector<Int>& range);

  Int margin_at(int leaf, std::size_t k) const { return margins_[leaf * wins_.size() + k]; }
  Int margin_of(int node, std::size_t k) const;
  double surplus(std::size_t k, Int reach) const { return scale_[k] * double(reach - wins_[k].threshold); }

  // A weight is at most 1: margins are scaled to that, and shares sum to 1. It is a sum of one term per win, each of
  // them rounded three times; then one weight per tree is summed up.
  void weigh(Node& node) const;
  double weight(int leaf) const;

  // Per win, the sum of a number per tree, with the trees that have one leaf left.
  template <class Number>
  void sum_up(const Node& node, Number number);

  bool twins_possible(const Node& node) const;

  double missed(const std::vector<Int>& reach) const;
  bool move(std::vector<int>& x, int j, double& level);
  void find_trees();
  void add_up(const std::vector<int>& x, std::vector<Int>& sums) const;
  void take_out(const std::vector<int>& x, int j);
  void put_in(const std::vector<int>& x, int j, std::vector<Int>& sums) const;
  void add(int node, Int sign, std::vector<Int>& sums) const;

  Margin& margin_;
  const Restriction& box_;
  const Forest& forest_;
  Limits& limits_;
  const SearchOptions& options_;
  std::vector<Win> wins_;
  const std::vector<std::uint8_t>* same_ = nullptr;  // per node of the forest
  std::pair<int, int> twins_{-1, -1};
  Decided decided_;
  std::vector<int> point_;
  std::vector<Int> margins_, base_, reach_;  // per leaf and win; per win
  std::vector<double> share_, scale_;        // per win

  // local search
  std::vector<std::vector<int>> trees_of_;  // per variable: the trees that test it
  std::vector<Int> rest_, moved_, best_reach_;
  std::vector<int> best_;
  double best_level_ = 0;
  Random random_;
};

}  // namespace primewood::search
