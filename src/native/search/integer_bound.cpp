#include "search/integer_bound.hpp"

#include <algorithm>
#include <limits>

#include "search/sums.hpp"

namespace primewood::search {

namespace {

constexpr Int kNoTarget = std::numeric_limits<Int>::max();

}  // namespace

void IntegerBound::open(const Node& node, Int unit) {
  node_ = &node;
  unit_ = unit;
  of_variable_.resize(node.region.low.size());
  for (auto& own : of_variable_) own.clear();
  for (std::size_t k = 0; k < size(); k++) of_variable_[relaxation_.multipliers_[k].variable].push_back(int(k));
  charge_.resize(relaxation_.charged_first_.size());
  pay_.resize(relaxation_.rank_.size() + 1);
  best_.resize(node.trees());
  worth_.resize(node.region.low.size());
}

bool IntegerBound::closes(const std::vector<Int>& multipliers) {
  w_ = multipliers;
  idle_.assign(node_->weight.size(), 0);
  evaluate();
  target_ = margin_.threshold;
  return total_ < target_ || find_idle();
}

void IntegerBound::evaluate() {
  total_ = margin_.base;
  for (int p : node_->settled) total_ += margin_.leaves[p].weight;
  for (int i = 0; i < node_->trees(); i++) total_ += (best_[i] = find_best(i)).worth;
  for (int j = 0; j < int(worth_.size()); j++) {
    worth_[j] = find_worth(j);
    total_ += worth_[j];
  }
  if (prices_) total_ += Wide(price) * prices_->budget;
}

// Find the leaves that are idle, and the target without them; false if the bound reaches it.
bool IntegerBound::find_idle() {
  const Wide slack = total_ - margin_.threshold;
  Sums sums(margin_, *node_);
  const auto counts = [&](int tree, int leaf) {
    idle_[leaf] = best_[tree].worth - leaf_value(leaf) > slack;
    return !idle_[leaf];
  };
  single_ = false;
  coarse_ = sums.add(counts, Int(std::min<Wide>(slack, std::numeric_limits<Int>::max())));
  if (!coarse_) return false;
  for (int i = 0; i < node_->trees(); i++) best_[i] = find_best(i);
  single_ = sums.single();
  target_ = sums.any() ? sums.next() : kNoTarget;
  return total_ < target_;
}

bool IntegerBound::leaves_one_sum(std::vector<int>& leaves) {
  if (!single_) return false;
  leaves.clear();
  for (int i = 0; i < node_->trees(); i++) {
    int first = node_->first[i];
    while (idle_[first]) first++;  // the best leaf is not idle
    const Leaf& known = margin_.leaves[node_->leaf[first]];
    for (int p = first; p < node_->first[i + 1]; p++)
      if (!idle_[p] && !margin_.alike(known, margin_.leaves[node_->leaf[p]])) return false;
    leaves.push_back(known.node);
  }
  target_ = kNoTarget;
  return true;
}

bool IntegerBound::are_idle(const std::vector<std::uint8_t>& kind) const {
  const Wide slack = total_ - margin_.threshold;
  const auto is_of_kind = [&](int leaf) { return kind[margin_.leaves[leaf].node] != 0; };
  for (int node : margin_.settled)
    if (kind[node]) return false;
  if (std::any_of(node_->settled.begin(), node_->settled.end(), is_of_kind)) return false;
  for (int i = 0; i < node_->trees(); i++)
    for (int p = node_->first[i]; p < node_->first[i + 1]; p++)
      if (is_of_kind(node_->leaf[p]) && best_[i].worth - leaf_value(p) <= slack) return false;
  return true;
}

void IntegerBound::list_rivals(std::vector<int>& leaves) const {
  leaves.clear();
  for (int i = 0; i < node_->trees() && coarse_; i++) {
    const std::size_t before = leaves.size();
    for (int p = node_->first[i]; p < node_->first[i + 1]; p++)
      if (!idle_[p]) leaves.push_back(p);
    if (leaves.size() == before + 1) leaves.pop_back();
  }
}

bool IntegerBound::change_if_closed(std::size_t k, Int value) {
  const auto& m = relaxation_.multipliers_[k];
  const Int before = w_[k];
  w_[k] = value;
  const Best best = find_best(m.tree), best_before = best_[m.tree];
  const Wide worth = find_worth(m.variable);
  const Wide total = total_ + (best.worth - best_before.worth) + worth - worth_[m.variable];
  best_[m.tree] = best;
  const auto stay_idle = [&](const Best& b) { return b.lead > total - margin_.threshold; };
  if (total >= target_ || !std::all_of(best_.begin(), best_.end(), stay_idle)) {
    w_[k] = before;
    best_[m.tree] = best_before;
    return false;
  }
  total_ = total;
  worth_[m.variable] = worth;
  return true;
}

// The best leaf of a tree after charges.
IntegerBound::Best IntegerBound::find_best(int tree) {
  const auto& r = relaxation_;
  for (int s = r.tree_sets_[tree]; s < r.tree_sets_[tree + 1]; s++) {
    Int sum = 0;
    for (int c = r.charged_first_[s]; c < r.charged_first_[s + 1]; c++) sum += w_[r.charged_[c]];
    charge_[s] = sum * unit_;
  }
  constexpr Int kNone = std::numeric_limits<Int>::min();
  Int top = kNone, top_idle = kNone;
  for (int p = node_->first[tree]; p < node_->first[tree + 1]; p++) {
    Int& highest = idle_[p] ? top_idle : top;
    highest = std::max(highest, leaf_value(p));
  }
  top = std::max(top, top_idle);
  return {top, top_idle == kNone ? std::numeric_limits<Int>::max() : top - top_idle};
}

Int IntegerBound::leaf_value(int leaf) const {
  Int v = margin_.leaves[node_->leaf[leaf]].weight;
  for (int e = node_->entry[leaf]; e < node_->entry[leaf + 1]; e++) v -= charge_[relaxation_.set_of_entry_[e]];
  return v;
}

// What the best paid value of a variable is paid, less the price of what it costs.
Wide IntegerBound::find_worth(int variable) {
  const auto& r = relaxation_;
  const bool priced = prices_ && price > 0;
  if (of_variable_[variable].empty() && !priced) return 0;
  const int begin = r.first_[variable], end = r.first_[variable + 1];
  std::fill(pay_.begin() + begin, pay_.begin() + end, 0);
  Int missing = 0;
  for (int k : of_variable_[variable]) {
    const auto& m = r.multipliers_[k];
    if (m.to > m.from) {
      pay_[m.from] += w_[k];
      pay_[m.to] -= w_[k];
    }
    if (m.missing) missing += w_[k];
  }
  constexpr Wide kNone = std::numeric_limits<Int>::min();
  Int sum = 0;
  Wide top = priced ? kNone * 4 : 0;
  for (int p = begin; p < end - 1; p++) {
    sum += pay_[p];
    top = std::max(top, Wide(sum) * unit_ - (priced ? price_at(variable, r.rank_[p], r.rank_[p + 1]) : 0));
  }
  if (!node_->region.missing[variable]) return top;
  const int none = prices_ ? prices_->start[variable + 1] - prices_->start[variable] - 1 : 0;
  return std::max(top, Wide(missing) * unit_ - (priced ? price_at(variable, none, none + 1) : 0));
}

// The price of the cheapest of some ranks.
Wide IntegerBound::price_at(int variable, int rank, int end) const {
  const auto first = prices_->of_rank.begin() + prices_->start[variable];
  return Wide(price) * *std::min_element(first + rank, first + end);
}

}  // namespace primewood::search
