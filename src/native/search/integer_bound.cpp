#include "search/integer_bound.hpp"

#include <algorithm>
#include <limits>

namespace primewood::search {

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

Wide IntegerBound::evaluate(const std::vector<Int>& multipliers) {
  w_ = multipliers;
  total_ = margin_.base;
  for (int p : node_->settled) total_ += margin_.leaves[p].weight;
  for (int i = 0; i < node_->trees(); i++) total_ += best_[i] = find_best(i);
  for (int j = 0; j < int(worth_.size()); j++) {
    worth_[j] = find_worth(j);
    total_ += Wide(worth_[j]) * unit_;
  }
  return total_;
}

bool IntegerBound::change_if_below(std::size_t k, Int value, Int limit) {
  const auto& m = relaxation_.multipliers_[k];
  const Int before = w_[k];
  w_[k] = value;
  const Int best = find_best(m.tree), worth = find_worth(m.variable);
  const Wide total = total_ + (best - best_[m.tree]) + Wide(worth - worth_[m.variable]) * unit_;
  if (total >= limit) {
    w_[k] = before;
    return false;
  }
  total_ = total;
  best_[m.tree] = best;
  worth_[m.variable] = worth;
  return true;
}

// The heaviest leaf of a tree after charges.
Int IntegerBound::find_best(int tree) {
  const auto& r = relaxation_;
  for (int s = r.tree_sets_[tree]; s < r.tree_sets_[tree + 1]; s++) {
    Int sum = 0;
    for (int c = r.charged_first_[s]; c < r.charged_first_[s + 1]; c++) sum += w_[r.charged_[c]];
    charge_[s] = sum * unit_;
  }
  Int top = std::numeric_limits<Int>::min();
  for (int p = node_->first[tree]; p < node_->first[tree + 1]; p++) {
    Int v = margin_.leaves[node_->leaf[p]].weight;
    for (int e = node_->entry[p]; e < node_->entry[p + 1]; e++) v -= charge_[r.set_of_entry_[e]];
    top = std::max(top, v);
  }
  return top;
}

// What the best paid value of a variable is paid, in units.
Int IntegerBound::find_worth(int variable) {
  const auto& r = relaxation_;
  if (of_variable_[variable].empty()) return 0;
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
  Int sum = 0, top = 0;
  for (int p = begin; p < end - 1; p++) top = std::max(top, sum += pay_[p]);
  return node_->region.missing[variable] ? std::max(top, missing) : top;
}

}  // namespace primewood::search
