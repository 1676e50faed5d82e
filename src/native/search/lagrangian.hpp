// Branch and bound with the Lagrangian bound, for a goal over the whole box.
//
// At each node the bound is lowered; what the best multipliers show to be too expensive (leaves, values) is
// removed for good; the rest is cut in two.
//
// Weights are scaled to about one per tree. All sums here have far fewer than 10^5 terms of magnitude below
// 10^3, so rounding stays below 1e-8; a node is closed only where the bound is below the threshold by 1e-7,
// with the payments summed afresh.
#pragma once

#include <cstddef>
#include <vector>

#include "limits.hpp"
#include "search/goal.hpp"
#include "search/relaxation.hpp"

namespace primewood::search {

class Lagrangian {
 public:
  Lagrangian(const Restriction& b, Limits& l) : limits(l), box(b), relaxation(b, l) {}

  std::vector<int> point;  // what was found, in ranks

  // Search the whole box; true if it holds a point that meets the goal, and that is affordable if there are costs.
  bool run(Goal& goal, const Costs* costs = nullptr) {
    goal_ = &goal;
    costs_ = costs;
    setup();
    visited_ = next_ascent_ = 0;
    return visit(0);
  }

 private:
  static constexpr double TOLERANCE = 1e-7;
  static constexpr int ROOT_STEPS = 30, NODE_STEPS = 12;
  static constexpr int ROOT_STEPS_PRICED = 60, NODE_STEPS_PRICED = 8;
  static constexpr int ROOT_ROUNDS = 3;
  static constexpr int ROOT_WALKS = 10, SHORT_WALK = 2;

  void setup() {
    const int n = int(box.size.size());
    start_.assign(n + 1, 0);
    for (int j = 0; j < n; j++) start_[j + 1] = start_[j] + box.size[j] + 1;
    lost_left_.assign(start_.back(), 0);
    lost_right_.assign(start_.back(), 0);
    of_variable_.assign(n, -1);
    if (nodes_.empty()) nodes_.resize(1);
    nodes_[0].clear();
    nodes_[0].region.open(box);
    nodes_[0].step = 1;
    goal_->open(nodes_[0]);
    relaxation.open(nodes_[0], costs_);
  }

  bool visit(int depth) {
    limits.count_node();
    visited_++;
    if (costs_) {
      if (!afford(nodes_[depth])) return false;
      costs_->point(nodes_[depth].region, point);
      if (met(point)) return true;
    }
    if (hopeless(nodes_[depth])) return false;
    for (int round = 0; round < (depth == 0 ? ROOT_ROUNDS : 1); round++) {
      relaxation.prepare(nodes_[depth]);
      const Verdict verdict = descend(nodes_[depth], depth == 0);
      if (verdict == Verdict::none) return false;
      if (verdict == Verdict::found) return true;
      if (!reduce(nodes_[depth]) || hopeless(nodes_[depth])) return false;
    }
    if (look_for_points(depth)) return true;
    const Cut cut = choose(nodes_[depth]);
    if (!cut.found()) {
      if (costs_) {
        costs_->point(nodes_[depth].region, point);
      } else {
        nodes_[depth].region.point(box, point);
      }
      return met(point);
    }
    const bool nearer = cut.first_holds(relaxation.value[cut.variable], box.size[cut.variable]);
    if (int(nodes_.size()) <= depth + 1) nodes_.resize(depth + 2);
    for (int turn = 0; turn < 2; turn++) {
      if (!narrow(nodes_[depth], cut, (turn == 0) == nearer, nodes_[depth + 1])) continue;
      if (visit(depth + 1)) return true;
    }
    return false;
  }

  bool met(const std::vector<int>& x) { return (!costs_ || costs_->affordable(x)) && goal_->met(x); }

  // Narrow a node to what is affordable; false if nothing is.
  bool afford(Node& node) {
    if (!costs_->narrow(node.region)) return false;
    keep_.assign(node.weight.size(), 1);
    return propagate(node) && compact(node);
  }

  bool hopeless(Node& node) const { return !goal_->possible(node) || node.bound() < node.threshold - TOLERANCE; }

  // Local search for a point: often at the first nodes, ever more rarely after them.
  bool look_for_points(int depth) {
    if (costs_) return false;  // it does not look at costs
    if (depth == 0) return goal_->wander(ROOT_WALKS, point);
    if (visited_ < next_ascent_) return false;
    next_ascent_ = visited_ + std::max<long>(4, visited_ / 4);
    point = relaxation.value;
    return goal_->ascend(point) || goal_->wander(SHORT_WALK, point);
  }

  enum class Verdict { open, none, found };

  // Lower the bound; on the way, count where the trees' leaves disagree and try the variables' ranks as points.
  Verdict descend(Node& node, bool at_root) {
    const int steps = at_root ? (costs_ ? ROOT_STEPS_PRICED : ROOT_STEPS) : costs_ ? NODE_STEPS_PRICED : NODE_STEPS;
    std::fill(lost_left_.begin(), lost_left_.end(), 0);
    std::fill(lost_right_.begin(), lost_right_.end(), 0);
    double length = node.step;
    for (int n = 0; n < steps; n++) {
      limits.check();
      const double upper = relaxation.evaluate(node);
      if (upper < node.threshold - TOLERANCE && closed(node)) {
        relaxation.remember();
        return Verdict::none;
      }
      if (relaxation.keep_if_lowest(upper)) length = std::min(2.0, length * 1.05);
      if (n % 8 == 0 || n == steps - 1) {
        point = relaxation.value;
        if (at_root && !costs_ && n % 24 == 0 ? goal_->ascend(point) : met(point)) return Verdict::found;
      }
      if (n % 4 == 3 && goal_->learn(node, relaxation.pick)) {
        relaxation.start_afresh();
        continue;
      }
      if (!at_root || n >= steps / 4) count_disagreement(node);
      if (n < steps - 1 && !relaxation.step(node, upper, node.threshold - 2 * TOLERANCE, length)) break;
    }
    node.step = length;
    relaxation.remember();
    return Verdict::open;
  }

  bool closed(const Node& node) {
    relaxation.start_afresh();
    return relaxation.evaluate(node) < node.threshold - TOLERANCE;
  }

  void count_disagreement(const Node& node) {
    for (int p : relaxation.pick) {
      for (int e = node.entry[p]; e < node.entry[p + 1]; e++) {
        const Entry& x = node.entries[e];
        const int j = x.variable;
        if (x.low > x.high) continue;
        if (x.low > node.region.low[j]) lost_left_[start_[j] + x.low]++;
        if (x.high < node.region.high[j]) lost_right_[start_[j] + x.high]++;
      }
    }
  }

  // Remove leaves and values that the best multipliers show to be too expensive, then what that leaves
  // unreachable; false if nothing is left.
  bool reduce(Node& node) {
    relaxation.return_to_lowest();
    const double slack = relaxation.evaluate(node) - (node.threshold - TOLERANCE);
    keep_.assign(node.weight.size(), 1);
    for (int i = 0; i < node.trees(); i++)
      for (int p = node.first[i]; p < node.first[i + 1]; p++)
        if (relaxation.best[i] - relaxation.leaf_value(node, p) > slack) keep_[p] = 0;
    for (int j = 0; j < int(box.size.size()); j++)
      if (!node.region.fixed(j)) relaxation.drop_values(node.region, j, slack);
    return propagate(node) && compact(node);
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

  // Leave out what was removed; false if that leaves a tree without leaves.
  bool compact(Node& node) {
    spare_.clear();
    spare_.region = node.region;
    spare_.step = node.step;
    if (!spare_.take(node, &keep_)) return false;
    std::swap(node, spare_);
    return true;
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
    Dispute dispute;
    for (int j = 0; j < int(box.size.size()); j++)
      dispute.consider(region, j, &lost_left_[start_[j]], &lost_right_[start_[j]]);
    if (dispute.cut.found()) return dispute.cut;
    for (const Entry& x : node.entries) {
      const int j = x.variable;
      if (region.missing[j] && region.has_ranks(j)) return {j, -1};
      if (x.low > region.low[j] && x.low <= region.high[j]) return {j, x.low - 1};
      if (x.high < region.high[j] && x.high >= region.low[j]) return {j, x.high};
    }
    return {};
  }

  Limits& limits;
  const Restriction& box;
  Relaxation relaxation;
  Goal* goal_ = nullptr;
  const Costs* costs_ = nullptr;
  long visited_ = 0, next_ascent_ = 0;
  std::vector<Node> nodes_;
  Node spare_;
  std::vector<int> start_, lost_left_, lost_right_;  // per variable and rank
  std::vector<std::uint8_t> keep_;                   // per leaf

  // scratch
  std::vector<int> of_variable_, tested_, hull_count_;
  std::vector<Span> hull_;
};

}  // namespace primewood::search
