// Several margins as one: which share of the sum each has.
//
// For shares of at least 0, a point at which every margin reaches its threshold reaches the share-weighted sum of the
// thresholds. Shares move towards the margins that the picked leaves miss most. They are whole numbers, so that the
// weights of leaves are.
#pragma once

#include <vector>

#include "search/margin.hpp"
#include "search/node.hpp"
#include "search/win.hpp"

namespace primewood::search {

class Shares {
 public:
  explicit Shares(Margin& margin) : margin_(margin) {}

  // What is to win; the margin has collected the leaves of the box. All have the same share.
  void open(const std::vector<OwnWin>& wins);

  // One number per win.
  std::vector<Int> whole;

  // Weigh the leaves of the margin by these shares. Weights are at most `range()`.
  void take(const std::vector<Int>& shares);
  Int range() const { return range_ * finest_; }

  // A win that the leaves of a node cannot bring about even if every tree does its best; -1 if there is none.
  int find_missed(const Node& node) const;

  // The shares that have one win alone.
  std::vector<Int> alone(int win) const;

  // Move the shares after a look at the leaves that trees picked; false if there is nothing to learn.
  bool learn(const Node& node, const std::vector<int>& pick);

 private:
  static constexpr Int kFinest = 256, kCoarsest = 8;  // the largest share of the widest margin
  static constexpr Int kLargest = Int(1) << 53;       // of weights, if shares can be so coarse
  static constexpr double kRate = 0.5;                // how fast shares move

  Int at(int leaf, std::size_t win) const { return margins_[std::size_t(leaf) * wins_.size() + win]; }
  Int margin_of(int node, std::size_t win) const;
  void make_whole();

  // Per win, the sum of a number per tree, with the trees that have one leaf left.
  template <class Number>
  Int sum_up(const Node& node, std::size_t win, Number number) const;

  Margin& margin_;
  std::vector<OwnWin> wins_;
  std::vector<Int> margins_, base_;  // per leaf and win; per win
  std::vector<double> share_, scale_;
  Int range_ = 1, finest_ = kFinest;
};

}  // namespace primewood::search
