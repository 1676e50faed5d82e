// The Lagrangian bound of a node.
//
// Relax "all trees see the same point": each tree picks its own leaf, each variable its own value. A
// multiplier w >= 0 belongs to a tree, a variable and a set S of its values; it charges every leaf of
// the tree that allows only values in S, and pays every value in S. Where trees and variables agree,
// charges and payments cancel or leave a surplus, so
//
//   U(w) = base + sum over trees of max_leaf (weight - charges) + sum over variables of max_value payments
//
// bounds the largest sum from above for every w. Polyak steps lower U towards a target. A step changes few
// multipliers, so U is evaluated again only for the trees and variables that they belong to.
//
// Where points cost something and only those within a budget count, a price p >= 0 is one more multiplier: values
// are paid p times their cost less, and U goes up by p times the budget.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "limits.hpp"
#include "search/costs.hpp"
#include "search/node.hpp"

namespace primewood::search {

class Relaxation {
 public:
  Relaxation(const Restriction& b, Limits& l) : limits(l), box(b) {}

  std::vector<int> value;    // per variable: the rank it picks
  std::vector<int> pick;     // per tree: the leaf it picks
  std::vector<double> best;  // per tree: the value of that leaf after charges

  // A new question: the multipliers of its root, all zero. They are, per tree and variable, the sets of its
  // leaves; a run in the middle also gives the two half-lines that it is the meeting of. Costs may be null.
  void open(Node& root, const Costs* costs) {
    costs_ = costs;
    price_ = 0;
    const int n = int(box.size.size());
    start_.assign(n + 1, 0);
    for (int j = 0; j < n; j++) start_[j + 1] = start_[j] + box.size[j] + 2;
    is_end_.assign(start_.back(), 0);
    place_.resize(start_.back());
    value.assign(n, 0);
    worth_.assign(n, 0.0);
    of_variable_.assign(n, -1);
    everywhere_.clear();
    for (int i = 0; i < root.trees(); i++) {
      spans_.clear();
      for (int e = root.entry[root.first[i]]; e < root.entry[root.first[i + 1]]; e++) {
        const Entry& x = root.entries[e];
        const int j = x.variable;
        spans_.push_back({j, {x.low, x.high, x.missing}});
        if (x.low > root.region.low[j] && x.high < root.region.high[j] && x.low <= x.high) {
          spans_.push_back({j, {root.region.low[j], x.high, x.missing}});
          spans_.push_back({j, {x.low, root.region.high[j], x.missing}});
        }
      }
      std::sort(spans_.begin(), spans_.end());
      spans_.erase(std::unique(spans_.begin(), spans_.end()), spans_.end());
      for (const auto& [j, span] : spans_) {
        root.multipliers.push_back(int(everywhere_.size()));
        everywhere_.push_back({0.0, j, span});
      }
      root.multiplier_first.push_back(int(root.multipliers.size()));
    }
  }

  // Set up the relaxation of a node. A block is a tree with a variable that it still tests; its sets are
  // the distinct ones of its leaves, its multipliers those of the node, narrowed to the hull of the sets
  // that they charge. Multipliers that charge nothing any more are taken off the node's list.
  void prepare(Node& node) {
    block_sets_.assign(1, 0);
    tree_sets_.assign(1, 0);
    charged_first_.assign(1, 0);
    charged_.clear();
    multipliers_.clear();
    spans_.clear();
    source_.clear();
    set_of_entry_.resize(node.entries.size());
    int live = 0;
    for (int i = 0; i < node.trees(); i++) live = prepare_tree(node, i, live);
    node.multipliers.resize(live);
    charge_.resize(charged_first_.size() - 1);
    pick.assign(node.trees(), 0);
    best.assign(node.trees(), 0.0);
    tree_changed_.assign(node.trees(), 0);
    variable_changed_.assign(box.size.size(), 0);
    lowest_ = INFINITY;
    stamp_ = 0;
    place_payments(node.region);
    const std::size_t count = multipliers_.size();
    positive_.resize(2 * count + 1);
    rising_.resize(count + 1);
    falling_.resize(2 * count + 1);
    positive_count_ = 0;
    for (std::size_t k = 0; k < count; k++) {
      multipliers_[k].listed = multipliers_[k].w > 0;
      if (multipliers_[k].listed) positive_[positive_count_++] = int(k);
    }
    start_afresh();
  }

  // Forget what was summed up in steps; everything is evaluated anew.
  void start_afresh() {
    std::fill(pay_.begin(), pay_.end(), 0.0);
    std::fill(pay_missing_.begin(), pay_missing_.end(), 0.0);
    for (const Multiplier& m : multipliers_)
      if (m.w > 0) pay(m, m.w);
    std::fill(tree_changed_.begin(), tree_changed_.end(), 1);
    std::fill(variable_changed_.begin(), variable_changed_.end(), 1);
  }

  // U at the current multipliers.
  double evaluate(const Node& node) {
    for (int i = 0; i < node.trees(); i++) {
      if (!tree_changed_[i]) continue;
      tree_changed_[i] = 0;
      charge_tree(i);
      pick_leaf(node, i);
    }
    for (int j = 0; j < int(variable_changed_.size()); j++) {
      if (!variable_changed_[j]) continue;
      variable_changed_[j] = 0;
      pick_value(node.region, j);
    }
    double total = node.base + price_;
    for (double b : best) total += b;
    for (double w : worth_) total += w;
    return total;
  }

  // One Polyak step towards the target; false if there is no direction.
  //
  // The slope of a multiplier is -1 if it charges the tree's leaf and does not pay the variable's rank, +1
  // the other way round (where it can go down), else 0. What is true is hardly predictable, so the lists are
  // written without branches: an item stays if the count goes up.
  bool step(const Node& node, double upper, double target, double length) {
    stamp_++;
    Multiplier* const m = multipliers_.data();
    const int* const at = at_.data();
    int* const up = rising_.data();
    int* const down = falling_.data();
    std::size_t n_up = 0, n_down = 0, n_positive = 0;
    for (int i = 0; i < node.trees(); i++)
      for (int e = node.entry[pick[i]]; e < node.entry[pick[i] + 1]; e++) {
        const int s = set_of_entry_[e];
        for (int q = charged_first_[s]; q < charged_first_[s + 1]; q++) {
          const int k = charged_[q];
          m[k].chosen = stamp_;
          up[n_up] = k;
          n_up += !m[k].pays(at[m[k].variable]);
        }
      }
    for (std::size_t p = 0; p < positive_count_; p++) {
      const int k = positive_[p];
      const bool stays = m[k].w > 0;
      m[k].listed = stays;
      positive_[n_positive] = k;
      n_positive += stays;
      down[n_down] = k;
      n_down += stays & (m[k].chosen != stamp_) & m[k].pays(at[m[k].variable]);
    }
    const double dearer = costs_ ? PRICE_SCALE * price_slope() : 0;
    const double norm = double(n_up + n_down) + dearer * dearer;
    if (norm == 0) return false;
    const double size = std::max(0.0, length * (upper - target)) / norm;
    if (dearer != 0) set_price(std::clamp(price_ - size * dearer * PRICE_SCALE, 0.0, HIGHEST_PRICE));
    for (std::size_t p = 0; p < n_up; p++) {
      const int k = up[p];
      change(m[k], m[k].w + size);
      positive_[n_positive] = k;
      n_positive += !m[k].listed;
      m[k].listed = true;
    }
    for (std::size_t p = 0; p < n_down; p++) change(m[down[p]], std::max(0.0, m[down[p]].w - size));
    positive_count_ = n_positive;
    return true;
  }

  // Keep these multipliers if U is the lowest so far at this node.
  bool keep_if_lowest(double upper) {
    if (upper >= lowest_ - 1e-5) return false;
    lowest_ = upper;
    lowest_price_ = price_;
    lowest_at_.resize(multipliers_.size());
    for (std::size_t k = 0; k < multipliers_.size(); k++) lowest_at_[k] = multipliers_[k].w;
    return true;
  }

  void return_to_lowest() {
    price_ = lowest_price_;
    for (std::size_t k = 0; k < multipliers_.size(); k++) multipliers_[k].w = lowest_at_[k];
    start_afresh();
  }

  // Hand the last multipliers to later nodes, not the best ones: children start better from them.
  void remember() {
    for (std::size_t k = 0; k < multipliers_.size(); k++) everywhere_[source_[k]].w = multipliers_[k].w;
  }

  // The value of a leaf after charges; evaluate() has been called.
  double leaf_value(const Node& node, int leaf) const {
    const int* const entry = node.entry.data();
    double v = node.weight[leaf];
    for (int e = entry[leaf]; e < entry[leaf + 1]; e++) v -= charge_[set_of_entry_[e]];
    return v;
  }

  // Narrow a variable to the run of ranks that are paid at most `slack` less than the best, and "missing".
  void drop_values(Region& region, int j, double slack) const {
    double sum = 0;
    int low = 1, high = 0;
    for (int p = first_[j]; p < first_[j + 1] - 1; p++) {
      sum += pay_[p];
      if (worth_[j] - (sum - charge(j, rank_[p])) > slack) continue;
      if (low > high) low = rank_[p];
      high = rank_[p + 1] - 1;
    }
    region.low[j] = low;
    region.high[j] = high;
    if (region.missing[j] && worth_[j] - (pay_missing_[j] - charge(j, box.size[j])) > slack) region.missing[j] = 0;
  }

 private:
  static constexpr double PRICE_SCALE = 10;  // the price moves in larger steps than the other multipliers
  // Beyond this price, rounding would not stay small; below this slope, a step would be rounding and nothing else.
  static constexpr double HIGHEST_PRICE = 1000, LEAST_SLOPE = 1e-6;
  // A tree with many leaves takes long to set up. The clock is looked at once per this many entries or multipliers.
  static constexpr int OFTEN = 64;

  // What a rank costs at the current price.
  double charge(int j, int rank) const { return costs_ ? price_ * costs_->at(j, rank) : 0; }

  // How U changes with the price: by the budget less the cost of the picked ranks; 0 where it cannot go down.
  double price_slope() const {
    double slope = 1;
    for (std::size_t j = 0; j < value.size(); j++) slope -= costs_->at(int(j), value[j]);
    if (std::abs(slope) < LEAST_SLOPE) return 0;
    return (slope > 0 && price_ == 0) || (slope < 0 && price_ == HIGHEST_PRICE) ? 0 : slope;
  }

  void set_price(double price) {
    price_ = price;
    std::fill(variable_changed_.begin(), variable_changed_.end(), 1);
  }

  // A multiplier of the node. Ranks between the ends of its span are paid: pay_[from] goes up, pay_[to] down.
  struct Multiplier {
    double w;
    int from, to, variable, tree;
    int chosen;  // the last step at which the tree's leaf was charged
    bool missing, listed;

    // Whether it pays the rank at a place.
    bool pays(int at) const { return ((at >= from) & (at < to)) | ((at < 0) & missing); }
  };

  // A multiplier of the whole search.
  struct Source {
    double w;
    int variable;
    Span span;
  };

  int prepare_tree(Node& node, int i, int live) {
    const int begin = node.entry[node.first[i]], end = node.entry[node.first[i + 1]];
    tested_.clear();
    for (int e = begin; e < end; e++) {
      const Entry& x = node.entries[e];
      int b = of_variable_[x.variable];
      if (b < 0) {
        b = of_variable_[x.variable] = int(tested_.size());
        tested_.push_back(x.variable);
        if (b >= int(distinct_.size())) distinct_.emplace_back();
        distinct_[b].clear();
      }
      auto& known = distinct_[b];
      if (e % OFTEN == 0) limits.check();
      int k = 0;
      while (k < int(known.size()) && !same(known[k], x)) k++;
      if (k == int(known.size())) known.push_back(x);
      set_of_entry_[e] = k;
    }
    // The multipliers of the tree come sorted by variable.
    sources_.assign(tested_.size(), {0, 0});
    const int from = node.multiplier_first[i], to = node.multiplier_first[i + 1];
    node.multiplier_first[i] = live;
    for (int at = from; at < to;) {
      const int j = everywhere_[node.multipliers[at]].variable, first = live;
      const int b = of_variable_[j];
      for (; at < to && everywhere_[node.multipliers[at]].variable == j; at++) {
        if (at % OFTEN == 0) limits.check();
        if (b >= 0 && charges_some(everywhere_[node.multipliers[at]].span, distinct_[b]))
          node.multipliers[live++] = node.multipliers[at];
      }
      if (b >= 0) sources_[b] = {first, live};
    }
    if (i + 1 == node.trees()) node.multiplier_first[i + 1] = live;
    const int first_block = int(block_sets_.size()) - 1;
    for (int b = 0; b < int(tested_.size()); b++) prepare_block(node, i, b);
    for (int e = begin; e < end; e++)
      set_of_entry_[e] += block_sets_[first_block + of_variable_[node.entries[e].variable]];
    for (int j : tested_) of_variable_[j] = -1;
    tree_sets_.push_back(block_sets_.back());
    return live;
  }

  static bool charges_some(const Span& span, const std::vector<Entry>& sets) {
    for (const Entry& x : sets)
      if (span.holds(x)) return true;
    return false;
  }

  void prepare_block(const Node& node, int i, int b) {
    const int j = tested_[b];
    const auto& known = distinct_[b];
    const int from = int(multipliers_.size());
    for (int at = sources_[b].first; at < sources_[b].second; at++) {
      const Source& wide = everywhere_[node.multipliers[at]];
      if (at % OFTEN == 0) limits.check();
      Span hull{NONE_LOW, NONE_HIGH, false};
      for (const Entry& x : known) {
        if (!wide.span.holds(x)) continue;
        hull.low = std::min(hull.low, x.low);
        hull.high = std::max(hull.high, x.high);
        hull.missing = hull.missing || x.missing;
      }
      if (node.region.inside({j, hull.low, hull.high, hull.missing})) continue;
      bool again = false;
      for (int q = from; q < int(multipliers_.size()) && !again; q++) again = spans_[q].second == hull;
      if (again && wide.w == 0) continue;
      multipliers_.push_back({wide.w, 0, 0, j, i, 0, hull.missing, false});
      spans_.push_back({j, hull});
      source_.push_back(node.multipliers[at]);
    }
    for (std::size_t k = 0; k < known.size(); k++) {
      if (k % OFTEN == 0) limits.check();
      for (int q = from; q < int(multipliers_.size()); q++)
        if (spans_[q].second.holds(known[k])) charged_.push_back(q);
      charged_first_.push_back(int(charged_.size()));
    }
    block_sets_.push_back(int(charged_first_.size()) - 1);
  }

  static bool same(const Entry& a, const Entry& b) {
    return a.low == b.low && a.high == b.high && a.missing == b.missing;
  }

  // Payments change only at the ends of spans, and where costs change: number these places, per variable in the
  // order of ranks.
  void place_payments(const Region& region) {
    for (const auto& [j, span] : spans_)
      if (span.low <= span.high) is_end_[start_[j] + span.low] = is_end_[start_[j] + span.high + 1] = 1;
    rank_.clear();
    first_.assign(1, 0);
    for (int j = 0; j < int(box.size.size()); j++) {
      for (int v = region.low[j]; v <= region.high[j]; v++) {
        const bool same_cost = !costs_ || (v > region.low[j] && costs_->at(j, v) == costs_->at(j, v - 1));
        if (!is_end_[start_[j] + v] && v > region.low[j] && same_cost) continue;
        is_end_[start_[j] + v] = 0;
        place_[start_[j] + v] = int(rank_.size());
        rank_.push_back(v);
      }
      const int past = start_[j] + region.high[j] + 1;
      is_end_[past] = 0;
      place_[past] = int(rank_.size());
      rank_.push_back(region.high[j] + 1);
      first_.push_back(int(rank_.size()));
    }
    for (std::size_t k = 0; k < multipliers_.size(); k++) {
      const auto& [j, span] = spans_[k];
      const bool ranks = span.low <= span.high;
      multipliers_[k].from = ranks ? place_[start_[j] + span.low] : 0;
      multipliers_[k].to = ranks ? place_[start_[j] + span.high + 1] : 0;
    }
    pay_.resize(rank_.size());
    pay_missing_.resize(box.size.size());
    at_.assign(box.size.size(), 0);
  }

  // Each variable has a place after its last one, for what ends there.
  void pay(const Multiplier& m, double amount) {
    pay_[m.from] += amount;
    pay_[m.to] -= amount;
    if (m.missing) pay_missing_[m.variable] += amount;
  }

  void change(Multiplier& m, double w) {
    pay(m, w - m.w);
    m.w = w;
    tree_changed_[m.tree] = 1;
    variable_changed_[m.variable] = 1;
  }

  void charge_tree(int i) {
    const int* const first = charged_first_.data();
    const int* const charged = charged_.data();
    const Multiplier* const m = multipliers_.data();
    for (int s = tree_sets_[i]; s < tree_sets_[i + 1]; s++) {
      double sum = 0;
      for (int q = first[s]; q < first[s + 1]; q++) sum += m[charged[q]].w;
      charge_[s] = sum;
    }
  }

  void pick_leaf(const Node& node, int i) {
    const int* const entry = node.entry.data();
    const int* const set = set_of_entry_.data();
    const double* const charge = charge_.data();
    const double* const weight = node.weight.data();
    const int end = node.first[i + 1];
    double top = -INFINITY;
    int found = node.first[i];
    for (int p = found; p < end && (weight[p] > top || !node.sorted); p++) {
      double v = weight[p];
      for (int e = entry[p]; e < entry[p + 1]; e++) v -= charge[set[e]];
      if (v > top) {
        top = v;
        found = p;
      }
    }
    pick[i] = found;
    best[i] = top;
  }

  // The middle of the best paid run of ranks; with costs, of the ranks between two places.
  void pick_value(const Region& region, int j) {
    if (region.fixed(j)) {  // it is in no entry any more, so nothing is paid for it
      value[j] = region.has_ranks(j) ? region.low[j] : box.size[j];
      worth_[j] = -charge(j, value[j]);
      return;
    }
    double sum = 0, top = -INFINITY;
    int from = first_[j], to = first_[j];
    for (int p = first_[j]; p < first_[j + 1] - 1; p++) {
      sum += pay_[p];
      const double paid = sum - charge(j, rank_[p]);
      if (paid > top + 1e-12 ||
          (costs_ && paid > top - 1e-12 && costs_->at(j, rank_[p]) < costs_->at(j, rank_[from]))) {
        top = std::max(top, paid);
        from = to = p;
      } else if (!costs_ && to == p - 1 && paid >= top - 1e-12) {
        to = p;
      }
    }
    const double missing = pay_missing_[j] - charge(j, box.size[j]);
    if (region.missing[j] && missing > top) {
      worth_[j] = missing;
      value[j] = box.size[j];
      at_[j] = -1;
      return;
    }
    worth_[j] = top;
    value[j] = (rank_[from] + rank_[to + 1] - 1) / 2;
    at_[j] = to;
    while (rank_[at_[j]] > value[j]) at_[j]--;
  }

  Limits& limits;
  const Restriction& box;
  std::vector<Source> everywhere_;

  // multipliers of the node, their spans, and where they come from
  std::vector<Multiplier> multipliers_;
  std::vector<std::pair<int, Span>> spans_;
  std::vector<int> source_;
  std::vector<double> lowest_at_;
  double lowest_ = 0;

  const Costs* costs_ = nullptr;
  double price_ = 0, lowest_price_ = 0;

  // sets of the node, per block and per tree: which multipliers charge them, and how much
  std::vector<int> block_sets_, tree_sets_, charged_first_, charged_, set_of_entry_;
  std::vector<double> charge_;

  // payments per variable, at places where they change, and one place beyond; at_: the place of the picked rank, -1 for
  // "missing"
  std::vector<int> first_, rank_, at_;
  std::vector<double> pay_, pay_missing_, worth_;
  std::vector<int> start_, place_;  // per variable and rank
  std::vector<std::uint8_t> is_end_;

  // what a step touches
  std::vector<int> positive_, rising_, falling_;
  std::size_t positive_count_ = 0;
  std::vector<std::uint8_t> tree_changed_, variable_changed_;
  int stamp_ = 0;

  // scratch
  std::vector<int> of_variable_, tested_;
  std::vector<std::vector<Entry>> distinct_;
  std::vector<std::pair<int, int>> sources_;
};

}  // namespace primewood::search
