#include "search/all_margins.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "search/rounding.hpp"

namespace primewood::search {

void AllMargins::choose(const std::vector<Win>& wins, Decided decided) {
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
  random_.reset();
}

void AllMargins::choose_twins(const std::vector<std::uint8_t>& same) {
  same_ = &same;
  twins_ = {-1, -1};
  for (std::size_t a = 0; a < wins_.size(); a++)
    for (std::size_t b = a + 1; b < wins_.size(); b++)
      if (wins_[a].twin >= 0 && wins_[a].twin == wins_[b].twin && wins_[a].upward != wins_[b].upward)
        twins_ = {int(a), int(b)};
}

// Whether even the smallest sum, less all that rounding can do, is above the rival.
bool AllMargins::is_certain(const Win& win) const {
  const auto least = [&](int node) {
    const Int* w = forest_.weights(node);
    return w[win.winner] - w[win.rival] - (forest_.exact[node] ? 0 : win.band);
  };
  Int total = 0;
  for (int node : margin_.settled) total += least(node);
  for (int i = 0; i < margin_.trees(); i++) {
    Int lowest = INT64_MAX;
    for (int p = margin_.first[i]; p < margin_.last[i]; p++)
      if (!margin_.forbidden(margin_.leaves[p])) lowest = std::min(lowest, least(margin_.leaves[p].node));
    total += lowest;
  }
  return total > 0;
}

void AllMargins::open(Node& root) {
  std::vector<Int> range(wins_.size(), 1);
  find_margins(range);
  find_scales(range);
  base_.assign(wins_.size(), 0);
  for (int node : margin_.settled)
    for (std::size_t k = 0; k < wins_.size(); k++) base_[k] += margin_of(node, k);
  for (int i = 0; i < margin_.trees(); i++) {
    for (int p = margin_.first[i]; p < margin_.last[i]; p++)
      if (!margin_.forbidden(margin_.leaves[p])) root.add_leaf(p, 0.0, margin_);
    root.end_tree();
  }
  root.sorted = false;
}

void AllMargins::find_margins(std::vector<Int>& range) {
  const std::size_t n = wins_.size();
  margins_.resize(margin_.leaves.size() * n);
  for (std::size_t p = 0; p < margin_.leaves.size(); p++)
    for (std::size_t k = 0; k < n; k++) {
      const Int m = margins_[p * n + k] = margin_of(margin_.leaves[p].node, k);
      range[k] = std::max(range[k], m < 0 ? -m : m);
    }
}

// In one unit where that is possible: what two rows of one model have in common then cancels.
void AllMargins::find_scales(const std::vector<Int>& range) {
  scale_.resize(range.size());
  const Int widest = range.empty() ? 1 : *std::max_element(range.begin(), range.end());
  for (std::size_t k = 0; k < range.size(); k++)
    scale_[k] = 1.0 / double(range[k] > widest / kSimilar ? widest : range[k]);
}

bool AllMargins::learn(Node& node, const std::vector<int>& pick) {
  sum_up(node, [&](int tree, std::size_t k) { return margin_at(node.leaf[pick[tree]], k); });
  double most = 0;
  for (std::size_t k = 0; k < wins_.size(); k++) most = std::max(most, std::abs(surplus(k, reach_[k])));
  if (most == 0) return false;
  double total = 0;
  for (std::size_t k = 0; k < wins_.size(); k++)
    total += share_[k] *= std::exp(-0.5 * scale_[k] * double(reach_[k] - wins_[k].threshold) / most);
  for (double& share : share_) share /= total;
  weigh(node);
  return true;
}

bool AllMargins::possible(Node& node) {
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

bool AllMargins::met(const std::vector<int>& x) {
  box_.to_values(x, point_);
  if (!forest_.possible(point_.data())) return false;
  return forest_.any_order ? any_order_met(x) : decided_(point_);
}

bool AllMargins::any_order_met(const std::vector<int>& x) {
  std::fill(reach_.begin(), reach_.end(), 0);
  bool rounds = false;
  for (int t = 0; t < forest_.n_trees; t++) {
    const int n = box_.leaf(t, x.data());
    rounds = rounds || !forest_.exact[n];
    for (std::size_t k = 0; k < wins_.size(); k++)
      reach_[k] += margin_of(n, k) - (forest_.exact[n] ? 0 : wins_[k].band);
  }
  for (std::size_t k = 0; k < wins_.size(); k++)
    if (reach_[k] + (rounds ? wins_[k].band : 0) < wins_[k].threshold) return false;
  return true;
}

bool AllMargins::ascend(std::vector<int>& x) {
  if (met(x)) return true;
  if (!options_.local_search) return false;
  if (trees_of_.empty()) find_trees();
  add_up(x, reach_);
  double level = missed(reach_);
  const int n = forest_.n_variables;
  int idle = 0;
  for (int j = 0, steps = 0; idle < n && steps < kMostSweeps * n; j = (j + 1) % n, steps++) {
    idle++;
    if (!move(x, j, level)) continue;
    idle = 0;
    if (level >= 0 && met(x)) return true;
  }
  if (level > best_level_) {
    best_level_ = level;
    best_ = x;
  }
  return false;
}

// Move one coordinate to where least is missed; false if it stays.
bool AllMargins::move(std::vector<int>& x, int j, double& level) {
  const int own = x[j], ranks = box_.ranks(j);
  if (ranks < 2 || trees_of_[j].empty()) return false;
  take_out(x, j);
  int to = own;
  for (int v = 0; v < ranks; v++) {
    if (v == own) continue;
    limits_.check();
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
  if (to == own) return false;
  reach_ = best_reach_;
  return true;
}

bool AllMargins::wander(int rounds, std::vector<int>& x) {
  if (!options_.local_search || best_.empty()) return false;
  for (int round = 0; round < rounds; round++) {
    x = best_;
    for (int k = 2 + random_.below(3); k > 0; k--) {
      const int j = random_.below(forest_.n_variables);
      x[j] = random_.below(std::max(1, box_.ranks(j)));
    }
    if (ascend(x)) return true;
  }
  return false;
}

Int AllMargins::margin_of(int node, std::size_t k) const {
  const Int* w = forest_.weights(node);
  return w[wins_[k].winner] - w[wins_[k].rival] + (forest_.exact[node] ? 0 : wins_[k].band);
}

// The weights of a node's leaves, and its threshold, under the current shares.
void AllMargins::weigh(Node& node) const {
  for (std::size_t p = 0; p < node.weight.size(); p++) node.weight[p] = weight(node.leaf[p]);
  node.base = 0;
  for (int leaf : node.settled) node.base += weight(leaf);
  node.threshold = 0;
  double magnitude = 0;
  for (std::size_t k = 0; k < wins_.size(); k++) {
    const double part = share_[k] * scale_[k] * double(wins_[k].threshold - base_[k]);
    node.threshold += part;
    magnitude += std::abs(part);
  }
  node.magnitude = margin_.trees();
  node.inexactness = rounding_of_sum(node.magnitude + double(wins_.size()) + 3, node.magnitude + magnitude);
}

double AllMargins::weight(int leaf) const {
  double sum = 0;
  for (std::size_t k = 0; k < wins_.size(); k++) sum += share_[k] * scale_[k] * double(margin_at(leaf, k));
  return sum;
}

template <class Number>
void AllMargins::sum_up(const Node& node, Number number) {
  for (std::size_t k = 0; k < wins_.size(); k++) {
    reach_[k] = base_[k];
    for (int leaf : node.settled) reach_[k] += margin_at(leaf, k);
    for (int i = 0; i < node.trees(); i++) reach_[k] += number(i, k);
  }
}

// Two rows of one model whose leaves all have the same values are decided alike, to the last bit. So in some tree the
// two must part, and with that the trees must add up to what both wins need together.
bool AllMargins::twins_possible(const Node& node) const {
  assert(same_);
  const auto [a, b] = twins_;
  Int total = 0, lost = INT64_MAX;  // what the trees lose at least for parting in one of them
  const auto one_leaf = [&](int forest_node, Int sum) {
    total += sum;
    if (!(*same_)[forest_node]) lost = 0;
  };
  for (int forest_node : margin_.settled) one_leaf(forest_node, margin_of(forest_node, a) + margin_of(forest_node, b));
  for (int leaf : node.settled) one_leaf(margin_.leaves[leaf].node, margin_at(leaf, a) + margin_at(leaf, b));
  for (int i = 0; i < node.trees(); i++) {
    Int best = INT64_MIN, parting = INT64_MIN;
    for (int p = node.first[i]; p < node.first[i + 1]; p++) {
      const int leaf = node.leaf[p];
      const Int sum = margin_at(leaf, a) + margin_at(leaf, b);
      best = std::max(best, sum);
      if (!(*same_)[margin_.leaves[leaf].node]) parting = std::max(parting, sum);
    }
    total += best;
    if (parting > INT64_MIN) lost = std::min(lost, best - parting);
  }
  return lost < INT64_MAX && total - lost >= wins_[a].threshold + wins_[b].threshold;
}

// By how much the win that is furthest away is missed; 0 and more if none is.
double AllMargins::missed(const std::vector<Int>& reach) const {
  double least = INFINITY;
  for (std::size_t k = 0; k < wins_.size(); k++) least = std::min(least, surplus(k, reach[k]));
  return least;
}

void AllMargins::find_trees() {
  trees_of_.resize(forest_.n_variables);
  for (int t = 0; t < forest_.n_trees; t++)
    for (int n = forest_.root[t]; n < forest_.end_of(t); n++) {
      if (forest_.variable[n] < 0) continue;
      auto& trees = trees_of_[forest_.variable[n]];
      if (trees.empty() || trees.back() != t) trees.push_back(t);
    }
}

void AllMargins::add_up(const std::vector<int>& x, std::vector<Int>& sums) const {
  sums.assign(wins_.size(), 0);
  for (int t = 0; t < forest_.n_trees; t++) add(box_.leaf(t, x.data()), 1, sums);
}

void AllMargins::take_out(const std::vector<int>& x, int j) {
  rest_ = reach_;
  for (int t : trees_of_[j]) add(box_.leaf(t, x.data()), -1, rest_);
}

void AllMargins::put_in(const std::vector<int>& x, int j, std::vector<Int>& sums) const {
  for (int t : trees_of_[j]) add(box_.leaf(t, x.data()), 1, sums);
}

void AllMargins::add(int node, Int sign, std::vector<Int>& sums) const {
  const Int* w = forest_.weights(node);
  for (std::size_t k = 0; k < wins_.size(); k++) sums[k] += sign * (w[wins_[k].winner] - w[wins_[k].rival]);
}

}  // namespace primewood::search
