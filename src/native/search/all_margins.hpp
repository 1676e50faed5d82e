// The goal "all of these classes win": their margins over their rivals reach their thresholds at once. That is a
// class that is decided, with its rivals; or decisions of several forests over the same variables.
//
// For any shares, at least 0 and 1 in sum, the share-weighted sum of the margins must reach that of the
// thresholds. So every choice of shares gives weights that bound the goal; shares move towards the margins that
// the picked leaves miss most.
#pragma once

#include <cmath>
#include <functional>
#include <vector>

#include "limits.hpp"
#include "search/goal.hpp"
#include "search/margin.hpp"

namespace primewood::search {

// A class whose score is to reach another's, or to exceed it by the threshold, in units of the weights.
struct Win {
  int winner, rival;
  Int threshold, band;
  int twin = -1;        // a number that it shares with the opposite win of another row,
  bool upward = false;  // which goes the other way
};

class AllMargins final : public Goal {
 public:
  using Decided = std::function<bool(const std::vector<int>&)>;

  AllMargins(Margin& m, Limits& l) : margin(m), box(m.box), forest(m.forest), limits(l) {}

  // What is to win, and who tells at a point of values whether that is decided; the margin has collected the leaves of
  // the box. Wins that are certain are left out: the others' thresholds are within the range of their leaves, so that
  // all numbers stay small.
  void choose(const std::vector<Win>& wins, Decided decided) {
    decided_ = std::move(decided);
    wins_.clear();
    for (const Win& win : wins)
      if (!is_certain(win)) wins_.push_back(win);
    share_.assign(wins_.size(), wins_.empty() ? 0.0 : 1.0 / double(wins_.size()));
    reach_.assign(wins_.size(), 0);
    same_ = nullptr;
    twins_ = {-1, -1};
    best_.clear();
    best_level_ = -INFINITY;
    state_ = 88172645463325252ull;  // the same walk for the same question
  }

  // Two wins that exclude each other wherever two rows of one model end in leaves with the same values; `same` says of
  // which nodes that is true.
  void choose_twins(const std::vector<std::uint8_t>* same) {
    same_ = same;
    twins_ = {-1, -1};
    for (std::size_t a = 0; same && a < wins_.size(); a++)
      for (std::size_t b = a + 1; b < wins_.size(); b++)
        if (wins_[a].twin >= 0 && wins_[a].twin == wins_[b].twin && wins_[a].upward != wins_[b].upward)
          twins_ = {int(a), int(b)};
  }

  // One class against all others.
  static std::vector<Win> of_class(const Forest& forest, int winner) {
    std::vector<Win> wins;
    for (int c = 0; c < forest.n_classes; c++)
      if (c != winner) wins.push_back({winner, c, winner < c ? 0 : 1, forest.band});
    return wins;
  }

  void open(Node& root) override {
    const std::size_t n = wins_.size();
    margins_.resize(margin.leaves.size() * n);
    std::vector<Int> range(n, 1);
    for (std::size_t p = 0; p < margin.leaves.size(); p++)
      for (std::size_t k = 0; k < n; k++) {
        const Int m = margins_[p * n + k] = margin_of(margin.leaves[p].node, k);
        range[k] = std::max(range[k], m < 0 ? -m : m);
      }
    scale_.resize(n);
    // In one unit where that is possible: what two rows of one model have in common then cancels.
    const Int widest = n ? *std::max_element(range.begin(), range.end()) : 1;
    for (std::size_t k = 0; k < n; k++) scale_[k] = 1.0 / double(range[k] > widest / SIMILAR ? widest : range[k]);
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
    for (std::size_t k = 0; k < wins_.size(); k++)
      most = std::max(most, std::abs(scale_[k] * double(reach_[k] - wins_[k].threshold)));
    if (most == 0) return false;
    double total = 0;
    for (std::size_t k = 0; k < wins_.size(); k++)
      total += share_[k] *= std::exp(-0.5 * scale_[k] * double(reach_[k] - wins_[k].threshold) / most);
    for (double& share : share_) share /= total;
    weigh(node);
    return true;
  }

  // Whether every margin by itself can reach its threshold.
  bool possible(Node& node) override {
    sum_up(node, [&](int tree, std::size_t k) {
      Int best = INT64_MIN;
      for (int p = node.first[tree]; p < node.first[tree + 1]; p++) best = std::max(best, margin_at(node.leaf[p], k));
      return best;
    });
    for (std::size_t k = 0; k < wins_.size(); k++)
      if (reach_[k] < wins_[k].threshold) return false;
    if (twins_.first >= 0 && !twins_possible(node)) return false;
    weigh(node);
    return true;
  }

  // Whether the class is decided at a point; if scores may be added in any order: whether each margin is reached
  // in some order.
  bool met(const std::vector<int>& x) override {
    box.values(x, point_);
    if (!forest.possible(point_.data())) return false;
    if (!forest.any_order) return decided_(point_);
    std::fill(reach_.begin(), reach_.end(), 0);
    bool rounds = false;
    for (int t = 0; t < forest.n_trees; t++) {
      const int n = box.leaf(t, x.data());
      rounds = rounds || !forest.exact[n];
      for (std::size_t k = 0; k < wins_.size(); k++)
        reach_[k] += margin_of(n, k) - (forest.exact[n] ? 0 : wins_[k].band);
    }
    for (std::size_t k = 0; k < wins_.size(); k++)
      if (reach_[k] + (rounds ? wins_[k].band : 0) < wins_[k].threshold) return false;
    return true;
  }

  // Move one coordinate at a time so that the win that is missed most is missed less.
  bool ascend(std::vector<int>& x) override {
    if (met(x)) return true;
    if (!forest.local_search) return false;
    if (trees_of_.empty()) find_trees();
    add_up(x, reach_);
    double level = missed(reach_);
    int idle = 0;
    for (int j = 0, steps = 0; idle < forest.n_variables && steps < 4 * forest.n_variables;
         j = (j + 1) % forest.n_variables, steps++) {
      idle++;
      const int own = x[j], ranks = box.size[j] + box.missing[j];
      if (ranks < 2 || trees_of_[j].empty()) continue;
      take_out(x, j);
      int to = own;
      for (int v = 0; v < ranks; v++) {
        if (v == own) continue;
        limits.check();
        x[j] = v;
        moved_ = rest_;
        put_in(x, j, moved_);
        const double there = missed(moved_);
        if (there <= level) continue;
        level = there;
        to = v;
        best_reach_ = moved_;
      }
      x[j] = to;
      if (to == own) continue;
      reach_ = best_reach_;
      idle = 0;
      if (level >= 0 && met(x)) return true;
    }
    if (level > best_level_) {
      best_level_ = level;
      best_ = x;
    }
    return false;
  }

  // Ascend from random changes of the best point.
  bool wander(int rounds, std::vector<int>& x) override {
    if (!forest.local_search || best_.empty()) return false;
    for (int round = 0; round < rounds; round++) {
      x = best_;
      for (int k = 2 + int(random() % 3); k > 0; k--) {
        const int j = int(random() % forest.n_variables);
        x[j] = int(random() % std::max(1, box.size[j] + box.missing[j]));
      }
      if (ascend(x)) return true;
    }
    return false;
  }

 private:
  static constexpr Int SIMILAR = 64;

  // Whether even the smallest sum, less all that rounding can do, is above the rival.
  bool is_certain(const Win& win) const {
    const auto least = [&](int node) {
      const Int* w = &forest.weight[std::size_t(node) * forest.n_classes];
      return w[win.winner] - w[win.rival] - (forest.exact[node] ? 0 : win.band);
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

  Int margin_at(int leaf, std::size_t k) const { return margins_[leaf * wins_.size() + k]; }

  Int margin_of(int node, std::size_t k) const {
    const Int* w = &forest.weight[std::size_t(node) * forest.n_classes];
    return w[wins_[k].winner] - w[wins_[k].rival] + (forest.exact[node] ? 0 : wins_[k].band);
  }

  // The weights of a node's leaves, and its threshold, under the current shares.
  void weigh(Node& node) const {
    for (std::size_t p = 0; p < node.weight.size(); p++) node.weight[p] = weight(node.leaf[p]);
    node.base = 0;
    for (int leaf : node.settled) node.base += weight(leaf);
    node.threshold = 0;
    for (std::size_t k = 0; k < wins_.size(); k++)
      node.threshold += share_[k] * scale_[k] * double(wins_[k].threshold - base_[k]);
  }

  double weight(int leaf) const {
    double sum = 0;
    for (std::size_t k = 0; k < wins_.size(); k++) sum += share_[k] * scale_[k] * double(margin_at(leaf, k));
    return sum;
  }

  // Per win, the sum of a number per tree, with the trees that have one leaf left.
  template <class Number>
  void sum_up(const Node& node, Number number) {
    for (std::size_t k = 0; k < wins_.size(); k++) {
      reach_[k] = base_[k];
      for (int leaf : node.settled) reach_[k] += margin_at(leaf, k);
      for (int i = 0; i < node.trees(); i++) reach_[k] += number(i, k);
    }
  }

  // Two rows of one model whose leaves all have the same values are decided alike, to the last bit. So in some tree the
  // two must part, and with that the trees must add up to what both wins need together.
  bool twins_possible(const Node& node) const {
    const auto [a, b] = twins_;
    Int total = 0, lost = INT64_MAX;  // what the trees lose at least for parting in one of them
    const auto one_leaf = [&](int forest_node, Int sum) {
      total += sum;
      if (!(*same_)[forest_node]) lost = 0;
    };
    for (int forest_node : margin.settled) one_leaf(forest_node, margin_of(forest_node, a) + margin_of(forest_node, b));
    for (int leaf : node.settled) one_leaf(margin.leaves[leaf].node, margin_at(leaf, a) + margin_at(leaf, b));
    for (int i = 0; i < node.trees(); i++) {
      Int best = INT64_MIN, parting = INT64_MIN;
      for (int p = node.first[i]; p < node.first[i + 1]; p++) {
        const int leaf = node.leaf[p];
        const Int sum = margin_at(leaf, a) + margin_at(leaf, b);
        best = std::max(best, sum);
        if (!(*same_)[margin.leaves[leaf].node]) parting = std::max(parting, sum);
      }
      total += best;
      if (parting > INT64_MIN) lost = std::min(lost, best - parting);
    }
    return lost < INT64_MAX && total - lost >= wins_[a].threshold + wins_[b].threshold;
  }

  // By how much the win that is furthest away is missed; 0 and more if none is.
  double missed(const std::vector<Int>& reach) const {
    double least = INFINITY;
    for (std::size_t k = 0; k < wins_.size(); k++)
      least = std::min(least, scale_[k] * double(reach[k] - wins_[k].threshold));
    return least;
  }

  void find_trees() {
    trees_of_.resize(forest.n_variables);
    for (int t = 0; t < forest.n_trees; t++) {
      const int end = t + 1 < forest.all_trees() ? forest.root[t + 1] : int(forest.variable.size());
      for (int n = forest.root[t]; n < end; n++) {
        if (forest.variable[n] < 0) continue;
        auto& trees = trees_of_[forest.variable[n]];
        if (trees.empty() || trees.back() != t) trees.push_back(t);
      }
    }
  }

  void add_up(const std::vector<int>& x, std::vector<Int>& sums) const {
    sums.assign(wins_.size(), 0);
    for (int t = 0; t < forest.n_trees; t++) add(box.leaf(t, x.data()), 1, sums);
  }

  void take_out(const std::vector<int>& x, int j) {
    rest_ = reach_;
    for (int t : trees_of_[j]) add(box.leaf(t, x.data()), -1, rest_);
  }

  void put_in(const std::vector<int>& x, int j, std::vector<Int>& sums) const {
    for (int t : trees_of_[j]) add(box.leaf(t, x.data()), 1, sums);
  }

  void add(int node, Int sign, std::vector<Int>& sums) const {
    const Int* w = &forest.weight[std::size_t(node) * forest.n_classes];
    for (std::size_t k = 0; k < wins_.size(); k++) sums[k] += sign * (w[wins_[k].winner] - w[wins_[k].rival]);
  }

  std::uint64_t random() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }

  Margin& margin;
  const Restriction& box;
  const Forest& forest;
  Limits& limits;
  std::vector<Win> wins_;
  const std::vector<std::uint8_t>* same_ = nullptr;  // per node of the forest
  std::pair<int, int> twins_{-1, -1};
  Decided decided_;
  std::vector<int> point_;
  std::vector<Int> margins_, base_, reach_;  // per leaf and win; per win
  std::vector<double> share_;
  std::vector<double> scale_;  // per win

  // local search
  std::vector<std::vector<int>> trees_of_;  // per variable: the trees that test it
  std::vector<Int> rest_, moved_, best_reach_;
  std::vector<int> best_;
  double best_level_ = 0;
  std::uint64_t state_ = 0;
};

}  // namespace primewood::search
