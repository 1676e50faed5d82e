// Branch and bound with a Lagrangian bound.
//
// Relax "all trees see the same point": each tree picks its own leaf, each variable its own value. A
// multiplier w >= 0 belongs to a tree, a variable and a set S of its values; it charges every leaf of
// the tree that allows only values in S, and pays every value in S. Where trees and variables agree,
// charges and payments cancel or leave a surplus, so
//
//   U(w) = base + sum over trees of max_leaf (weight - charges) + sum over variables of max_value payments
//
// bounds the largest sum from above for every w. U is lowered by Polyak steps towards the threshold; what
// the best w shows to be too expensive (leaves, values) is removed for good; the rest is cut in two.
//
// Weights are scaled to one per tree. All sums here have far fewer than 10^5 terms of magnitude below
// 10^3, so rounding stays below 1e-8; a region is closed only where U is below the threshold by 1e-7,
// with the payments summed afresh.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "falsifier.hpp"
#include "node.hpp"

namespace primewood {

class Lagrangian {
 public:
  Lagrangian(Margin& m, Falsifier& f, Limits& l)
      : margin(m), falsifier(f), limits(l), box(m.box), forest(m.forest) {}

  std::vector<int> counterexample;

  // Search the whole box; true if it holds a counterexample.
  bool run() {
    setup();
    visited_ = 0;
    return visit(0);
  }

 private:
  static constexpr double TOLERANCE = 1e-7;
  static constexpr int ROOT_STEPS = 150, NODE_STEPS = 12;
  static constexpr int ROOT_WALKS = 10, ASCEND_EVERY = 4, WALK_EVERY = 24, SHORT_WALK = 6;

  void setup() {
    const int n = forest.n_variables;
    start_.assign(n + 1, 0);
    for (int j = 0; j < n; j++) start_[j + 1] = start_[j] + box.size[j] + 2;
    pay_.assign(start_.back(), 0.0);
    lost_left_.assign(start_.back(), 0.0);
    lost_right_.assign(start_.back(), 0.0);
    pay_missing_.assign(n, 0.0);
    value_.assign(n, 0);
    worth_.assign(n, 0.0);
    of_variable_.assign(n, -1);
    if (nodes_.empty()) nodes_.resize(1);
    Int range = 1;
    for (std::size_t i = 0; i < margin.first.size(); i++)
      range = std::max(range, margin.leaves[margin.first[i]].weight - margin.leaves[margin.last[i] - 1].weight);
    scale_ = 1.0 / double(range);
    root(nodes_[0]);
    threshold_ = scaled(reachable_threshold() - offset_);
    choose_multipliers(nodes_[0]);
  }

  // Weights are taken relative to the heaviest leaf of each tree, so that they are small; what that
  // takes away is in offset_.
  double scaled(Int w) const { return double(w) * scale_; }

  void root(Node& node) {
    node.clear();
    node.region.open(box);
    node.step = 1;
    offset_ = margin.base;
    for (std::size_t i = 0; i < margin.first.size(); i++) {
      const Int heaviest = margin.leaves[margin.first[i]].weight;
      offset_ += heaviest;
      for (int p = margin.first[i]; p < margin.last[i]; p++) {
        const Leaf& leaf = margin.leaves[p];
        for (int e = leaf.begin; e < leaf.end; e++)
          if (!node.region.inside(margin.entries[e])) node.entries.push_back(margin.entries[e]);
        node.weight.push_back(scaled(leaf.weight - heaviest));
        node.entry.push_back(int(node.entries.size()));
      }
      node.tree.push_back(int(i));
      node.first.push_back(int(node.weight.size()));
    }
  }

  // The smallest sum that is at least the threshold and that leaves can add up to.
  Int reachable_threshold() const {
    Int g = 0, top = margin.base;
    for (std::size_t i = 0; i < margin.first.size(); i++) {
      const Int heaviest = margin.leaves[margin.first[i]].weight;
      top += heaviest;
      for (int p = margin.first[i]; p < margin.last[i]; p++) {
        Int a = heaviest - margin.leaves[p].weight;
        while (a) {
          const Int r = g % a;
          g = a;
          a = r;
        }
      }
    }
    if (g <= 1) return margin.threshold;
    Int r = (top - margin.threshold) % g;
    if (r < 0) r += g;
    return margin.threshold + r;
  }

  // The multipliers: per tree and variable, the sets of its leaves; a run in the middle also gives the two
  // half-lines that it is the meeting of.
  void choose_multipliers(const Node& node) {
    multiplier_first_.assign(1, 0);
    multiplier_variable_.clear();
    multiplier_span_.clear();
    std::vector<std::pair<int, Span>> found;
    for (int i = 0; i < node.trees(); i++) {
      found.clear();
      for (int e = node.entry[node.first[i]]; e < node.entry[node.first[i + 1]]; e++) {
        const Entry& x = node.entries[e];
        const int j = x.variable;
        found.push_back({j, {x.low, x.high, x.missing}});
        if (x.low > node.region.low[j] && x.high < node.region.high[j] && x.low <= x.high) {
          found.push_back({j, {node.region.low[j], x.high, x.missing}});
          found.push_back({j, {x.low, node.region.high[j], x.missing}});
        }
      }
      std::sort(found.begin(), found.end());
      found.erase(std::unique(found.begin(), found.end()), found.end());
      for (const auto& [j, span] : found) {
        multiplier_variable_.push_back(j);
        multiplier_span_.push_back(span);
      }
      multiplier_first_.push_back(int(multiplier_variable_.size()));
    }
    multiplier_.assign(multiplier_variable_.size(), 0.0);
  }

  bool visit(int depth) {
    limits.count_node();
    visited_++;
    prepare(nodes_[depth]);
    const Verdict verdict = descend(nodes_[depth], depth == 0);
    if (verdict == Verdict::safe) return false;
    if (verdict == Verdict::counterexample) return true;
    if (look_for_points(depth)) return true;
    if (!reduce(nodes_[depth])) return false;
    if (nodes_[depth].bound() < threshold_ - TOLERANCE) return false;
    const Cut cut = choose(nodes_[depth]);
    if (!cut.found()) {
      nodes_[depth].region.point(box, counterexample);
      return margin.is_counterexample(counterexample, margin.total_at(counterexample));
    }
    const bool nearer = cut.first_holds(value_[cut.variable], box.size[cut.variable]);
    if (int(nodes_.size()) <= depth + 1) nodes_.resize(depth + 2);
    for (int turn = 0; turn < 2; turn++) {
      if (!narrow(nodes_[depth], cut, (turn == 0) == nearer, nodes_[depth + 1])) continue;
      if (nodes_[depth + 1].bound() < threshold_ - TOLERANCE) continue;
      if (visit(depth + 1)) return true;
    }
    return false;
  }

  bool look_for_points(int depth) {
    if (depth == 0) return falsifier.wander(ROOT_WALKS, counterexample);
    if (visited_ % ASCEND_EVERY == 0) {
      counterexample = value_;
      if (falsifier.ascend(counterexample)) return true;
    }
    return visited_ % WALK_EVERY == 0 && falsifier.wander(SHORT_WALK, counterexample);
  }

  // ---- the relaxation of one node -------------------------------------------------------------------
  // A block is a tree with a variable that it still tests; its sets are the distinct ones of its leaves,
  // its local multipliers the global ones, narrowed to the hull of the sets that they charge.

  void prepare(const Node& node) {
    block_first_.assign(1, 0);
    block_variable_.clear();
    block_sets_.assign(1, 0);
    block_multipliers_.assign(1, 0);
    sets_.clear();
    charged_first_.assign(1, 0);
    charged_.clear();
    local_span_.clear();
    local_variable_.clear();
    local_global_.clear();
    local_.clear();
    set_of_entry_.resize(node.entries.size());
    for (int i = 0; i < node.trees(); i++) prepare_tree(node, i);
    charge_.resize(sets_.size());
    slope_.resize(local_.size());
  }

  void prepare_tree(const Node& node, int i) {
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
      int k = 0;
      while (k < int(known.size()) && !same(known[k], x)) k++;
      if (k == int(known.size())) known.push_back(x);
      set_of_entry_[e] = k;
    }
    const int first_block = int(block_variable_.size());
    const int t = node.tree[i];
    globals_.assign(tested_.size(), {0, 0});
    for (int k = multiplier_first_[t]; k < multiplier_first_[t + 1];) {
      const int j = multiplier_variable_[k], from = k;
      while (k < multiplier_first_[t + 1] && multiplier_variable_[k] == j) k++;
      if (of_variable_[j] >= 0) globals_[of_variable_[j]] = {from, k};
    }
    for (int b = 0; b < int(tested_.size()); b++) prepare_block(node, b);
    for (int e = begin; e < end; e++)
      set_of_entry_[e] += block_sets_[first_block + of_variable_[node.entries[e].variable]];
    for (int j : tested_) of_variable_[j] = -1;
    block_first_.push_back(int(block_variable_.size()));
  }

  void prepare_block(const Node& node, int b) {
    const int j = tested_[b];
    const auto& known = distinct_[b];
    const int from = int(local_.size());
    for (int k = globals_[b].first; k < globals_[b].second; k++) {
      const Span& wide = multiplier_span_[k];
      Span hull{NONE_LOW, NONE_HIGH, false};
      bool any = false;
      for (const Entry& x : known) {
        if (!wide.holds(x)) continue;
        any = true;
        hull.low = std::min(hull.low, x.low);
        hull.high = std::max(hull.high, x.high);
        hull.missing = hull.missing || x.missing;
      }
      if (!any || node.region.inside({j, hull.low, hull.high, hull.missing})) continue;
      bool again = false;
      for (int q = from; q < int(local_.size()) && !again; q++) again = local_span_[q] == hull;
      if (again && multiplier_[k] == 0) continue;
      local_span_.push_back(hull);
      local_variable_.push_back(j);
      local_global_.push_back(k);
      local_.push_back(multiplier_[k]);
    }
    for (const Entry& x : known) {
      sets_.push_back(x);
      for (int q = from; q < int(local_.size()); q++)
        if (local_span_[q].holds(x)) charged_.push_back(q);
      charged_first_.push_back(int(charged_.size()));
    }
    block_variable_.push_back(j);
    block_sets_.push_back(int(sets_.size()));
    block_multipliers_.push_back(int(local_.size()));
  }

  static bool same(const Entry& a, const Entry& b) {
    return a.low == b.low && a.high == b.high && a.missing == b.missing;
  }

  void pay_afresh() {
    std::fill(pay_.begin(), pay_.end(), 0.0);
    std::fill(pay_missing_.begin(), pay_missing_.end(), 0.0);
    for (std::size_t k = 0; k < local_.size(); k++) pay(int(k), local_[k]);
  }

  void pay(int k, double amount) {
    const Span& s = local_span_[k];
    const int j = local_variable_[k];
    if (s.low <= s.high) {
      pay_[start_[j] + s.low] += amount;
      pay_[start_[j] + s.high + 1] -= amount;
    }
    if (s.missing) pay_missing_[j] += amount;
  }

  // U(w) at the current multipliers, with the trees' leaves in pick_ and the variables' values in value_.
  // `all` computes the value of every leaf, not only of those that may be the best.
  double evaluate(const Node& node, bool all) {
    for (std::size_t s = 0; s < sets_.size(); s++) {
      double sum = 0;
      for (int q = charged_first_[s]; q < charged_first_[s + 1]; q++) sum += local_[charged_[q]];
      charge_[s] = sum;
    }
    const int trees = node.trees();
    pick_.resize(trees);
    best_.resize(trees);
    if (all) leaf_value_.resize(node.weight.size());
    double total = node.base;
    for (int i = 0; i < trees; i++) {
      double best = -INFINITY;
      int pick = node.first[i];
      for (int p = node.first[i]; p < node.first[i + 1]; p++) {
        double v = node.weight[p];
        if (!all && v <= best) break;
        for (int e = node.entry[p]; e < node.entry[p + 1]; e++) v -= charge_[set_of_entry_[e]];
        if (all) leaf_value_[p] = v;
        if (v > best) {
          best = v;
          pick = p;
        }
      }
      total += best;
      pick_[i] = pick;
      best_[i] = best;
    }
    for (int j = 0; j < forest.n_variables; j++) total += evaluate_variable(node.region, j);
    return total;
  }

  double evaluate_variable(const Region& region, int j) {
    if (region.fixed(j)) {
      value_[j] = region.has_ranks(j) ? region.low[j] : box.size[j];
      // A fixed variable is in no entry any more, so nothing is paid for it.
      return worth_[j] = 0;
    }
    const double* p = &pay_[start_[j]];
    double sum = 0, best = -INFINITY;
    int from = region.low[j], to = region.low[j];
    for (int v = region.low[j]; v <= region.high[j]; v++) {
      sum += p[v];
      if (sum > best + 1e-12) {
        best = sum;
        from = to = v;
      } else if (to == v - 1 && sum >= best - 1e-12) {
        to = v;
      }
    }
    value_[j] = (from + to) / 2;
    if (region.missing[j] && pay_missing_[j] > best) {
      best = pay_missing_[j];
      value_[j] = box.size[j];
    }
    return worth_[j] = best;
  }

  // One Polyak step towards the threshold; false if there is no direction.
  bool step(const Node& node, double upper, double length) {
    double norm = 0;
    for (int i = 0; i < node.trees(); i++) {
      for (int b = block_first_[i]; b < block_first_[i + 1]; b++) chosen_set_[b] = -1;
      const int p = pick_[i];
      for (int e = node.entry[p]; e < node.entry[p + 1]; e++) {
        const int s = set_of_entry_[e];
        int b = block_first_[i];
        while (block_sets_[b + 1] <= s) b++;
        chosen_set_[b] = s;
      }
    }
    for (int b = 0; b < int(block_variable_.size()); b++) {
      const int j = block_variable_[b], v = value_[j];
      const bool in_line = v < box.size[j];
      const int from = block_multipliers_[b], to = block_multipliers_[b + 1];
      for (int k = from; k < to; k++) {
        const Span& span = local_span_[k];
        slope_[k] = in_line ? v >= span.low && v <= span.high : span.missing;
      }
      if (const int s = chosen_set_[b]; s >= 0)
        for (int q = charged_first_[s]; q < charged_first_[s + 1]; q++) slope_[charged_[q]]--;
      for (int k = from; k < to; k++) {
        if (slope_[k] > 0 && local_[k] <= 0) slope_[k] = 0;
        norm += slope_[k] != 0;
      }
    }
    if (norm == 0) return false;
    const double size = length * (upper - (threshold_ - 2 * TOLERANCE)) / norm;
    for (std::size_t k = 0; k < local_.size(); k++) {
      if (!slope_[k]) continue;
      const double w = std::max(0.0, local_[k] - size * slope_[k]);
      pay(int(k), w - local_[k]);
      local_[k] = w;
    }
    return true;
  }

  enum class Verdict { open, safe, counterexample };

  // Lower U; on the way, count where the trees' leaves disagree and try the variables' values as points.
  Verdict descend(Node& node, bool at_root) {
    const int steps = at_root ? ROOT_STEPS : NODE_STEPS;
    chosen_set_.resize(block_variable_.size());
    std::fill(lost_left_.begin(), lost_left_.end(), 0.0);
    std::fill(lost_right_.begin(), lost_right_.end(), 0.0);
    pay_afresh();
    lowest_ = INFINITY;
    double length = node.step;
    for (int n = 0; n < steps; n++) {
      limits.check();
      const double upper = evaluate(node, false);
      if (upper < threshold_ - TOLERANCE && closed(node)) {
        remember();
        return Verdict::safe;
      }
      if (upper < lowest_ - 1e-5) {
        lowest_ = upper;
        best_multipliers_ = local_;
        length = std::min(2.0, length * 1.05);
      }
      if (n % 8 == 0 || n == steps - 1) {
        const Int total = margin.total_at(value_);
        if (margin.is_counterexample(value_, total)) return found(value_);
        if (at_root && n % 24 == 0) {
          point_ = value_;
          if (falsifier.ascend(point_)) return found(point_);
        }
      }
      if (!at_root || n >= steps / 2) count_disagreement(node);
      if (n < steps - 1 && !step(node, upper, length)) break;
    }
    node.step = length;
    remember();
    return Verdict::open;
  }

  bool closed(const Node& node) {
    pay_afresh();
    return evaluate(node, false) < threshold_ - TOLERANCE;
  }

  Verdict found(const std::vector<int>& x) {
    counterexample = x;
    return Verdict::counterexample;
  }

  // The last multipliers, not the best ones: children start better from them.
  void remember() {
    for (std::size_t k = 0; k < local_.size(); k++) multiplier_[local_global_[k]] = local_[k];
  }

  void count_disagreement(const Node& node) {
    for (int i = 0; i < node.trees(); i++) {
      const int p = pick_[i];
      for (int e = node.entry[p]; e < node.entry[p + 1]; e++) {
        const Entry& x = node.entries[e];
        const int j = x.variable;
        if (x.low > x.high) continue;
        if (x.low > node.region.low[j]) lost_left_[start_[j] + x.low] += 1;
        if (x.high < node.region.high[j]) lost_right_[start_[j] + x.high] += 1;
      }
    }
  }

  // ---- making a node smaller ------------------------------------------------------------------------

  // Remove leaves and values that the best multipliers show to be too expensive, then what that leaves
  // unreachable; false if nothing is left.
  bool reduce(Node& node) {
    local_.swap(best_multipliers_);
    pay_afresh();
    const double upper = evaluate(node, true);
    const double slack = upper - (threshold_ - TOLERANCE);
    keep_.assign(node.weight.size(), 1);
    for (int i = 0; i < node.trees(); i++)
      for (int p = node.first[i]; p < node.first[i + 1]; p++)
        if (best_[i] - leaf_value_[p] > slack) keep_[p] = 0;
    for (int j = 0; j < forest.n_variables; j++)
      if (!node.region.fixed(j)) drop_values(node.region, j, slack);
    if (!propagate(node)) return false;
    compact(node);
    return true;
  }

  void drop_values(Region& region, int j, double slack) {
    const double* p = &pay_[start_[j]];
    double sum = 0;
    int low = 1, high = 0;
    bool any = false;
    for (int v = region.low[j]; v <= region.high[j]; v++) {
      sum += p[v];
      if (worth_[j] - sum > slack) continue;
      if (!any) low = v;
      any = true;
      high = v;
    }
    region.low[j] = low;
    region.high[j] = high;
    if (region.missing[j] && worth_[j] - pay_missing_[j] > slack) region.missing[j] = 0;
  }

  // A tree must end in one of its leaves: where all of them restrict a variable, so does the tree.
  bool propagate(Node& node) {
    Region& region = node.region;
    for (int round = 0; round < 4; round++) {
      bool changed = false;
      for (int i = 0; i < node.trees(); i++) {
        int kept = 0;
        tested_.clear();
        for (int p = node.first[i]; p < node.first[i + 1]; p++) {
          if (!keep_[p]) continue;
          if (!node.meets(p)) {
            keep_[p] = 0;
            changed = true;
            continue;
          }
          kept++;
          for (int e = node.entry[p]; e < node.entry[p + 1]; e++) widen(node.entries[e]);
        }
        bool possible = kept > 0;
        for (int j : tested_) {
          const int b = of_variable_[j];
          of_variable_[j] = -1;
          if (hull_count_[b] == kept) changed |= tighten(region, j, hull_[b]);
          possible = possible && (region.has_ranks(j) || region.missing[j]);
        }
        if (!possible) return false;
      }
      if (!changed) break;
    }
    return true;
  }

  void widen(const Entry& x) {
    int b = of_variable_[x.variable];
    if (b < 0) {
      b = of_variable_[x.variable] = int(tested_.size());
      tested_.push_back(x.variable);
      if (b >= int(hull_.size())) {
        hull_.resize(b + 1);
        hull_count_.resize(b + 1);
      }
      hull_[b] = {x.low, x.high, x.missing};
      hull_count_[b] = 1;
      return;
    }
    hull_[b].low = std::min(hull_[b].low, x.low);
    hull_[b].high = std::max(hull_[b].high, x.high);
    hull_[b].missing = hull_[b].missing || x.missing;
    hull_count_[b]++;
  }

  static bool tighten(Region& region, int j, const Span& hull) {
    const int low = region.low[j], high = region.high[j];
    const std::uint8_t missing = region.missing[j];
    region.low[j] = std::max(low, hull.low);
    region.high[j] = std::min(high, hull.high);
    if (region.low[j] > region.high[j]) {
      region.low[j] = 1;
      region.high[j] = 0;
    }
    if (!hull.missing) region.missing[j] = 0;
    return region.low[j] != low || region.high[j] != high || region.missing[j] != missing;
  }

  void compact(Node& node) {
    spare_.clear();
    spare_.region = node.region;
    spare_.step = node.step;
    spare_.take(node, &keep_);
    std::swap(node, spare_);
  }

  // The child of a node on one side of a cut; false if it is empty.
  bool narrow(const Node& from, const Cut& cut, bool first, Node& to) {
    to.clear();
    to.region = from.region;
    cut.apply(to.region, first);
    to.step = std::max(from.step, 1.5);
    return to.take(from, nullptr);
  }

  // The cut on which the leaves that trees picked disagree most; else any that separates leaves.
  Cut choose(const Node& node) const {
    const Region& region = node.region;
    Cut cut;
    double score = -1;
    for (int j = 0; j < forest.n_variables; j++) {
      if (region.low[j] >= region.high[j]) continue;
      const double* l = &lost_left_[start_[j]];
      const double* r = &lost_right_[start_[j]];
      double left = 0, right = 0;
      for (int v = region.low[j]; v <= region.high[j]; v++) left += l[v];
      for (int c = region.low[j]; c < region.high[j]; c++) {
        left -= l[c];
        right += r[c];
        if (left <= 0 || right <= 0) continue;
        const double s = 4 * std::min(left, right) + std::max(left, right);
        if (s > score) {
          score = s;
          cut = {j, c};
        }
      }
    }
    if (cut.found()) return cut;
    for (const Entry& x : node.entries) {
      const int j = x.variable;
      if (region.missing[j] && region.has_ranks(j)) return {j, -1};
      if (x.low > region.low[j] && x.low <= region.high[j]) return {j, x.low - 1};
      if (x.high < region.high[j] && x.high >= region.low[j]) return {j, x.high};
    }
    return cut;
  }

  Margin& margin;
  Falsifier& falsifier;
  Limits& limits;
  const Restriction& box;
  const Forest& forest;

  double scale_ = 1, threshold_ = 0, lowest_ = 0;
  Int offset_ = 0;
  long visited_ = 0;
  std::vector<Node> nodes_;
  Node spare_;

  // multipliers of the whole search, per tree
  std::vector<int> multiplier_first_, multiplier_variable_;
  std::vector<Span> multiplier_span_;
  std::vector<double> multiplier_;

  // the relaxation of the current node
  std::vector<int> block_first_, block_variable_, block_sets_, block_multipliers_;
  std::vector<Entry> sets_;
  std::vector<int> charged_first_, charged_, set_of_entry_, chosen_set_;
  std::vector<Span> local_span_;
  std::vector<int> local_variable_, local_global_;
  std::vector<double> local_, best_multipliers_, charge_;
  std::vector<signed char> slope_;

  // per variable
  std::vector<int> start_, value_, of_variable_;
  std::vector<double> pay_, pay_missing_, worth_, lost_left_, lost_right_;

  // per tree and per leaf
  std::vector<int> pick_;
  std::vector<double> best_, leaf_value_;
  std::vector<std::uint8_t> keep_;

  // scratch
  std::vector<int> tested_, hull_count_, point_;
  std::vector<Span> hull_;
  std::vector<std::vector<Entry>> distinct_;
  std::vector<std::pair<int, int>> globals_;
};

}  // namespace primewood
