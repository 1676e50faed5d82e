#include "forest/forest.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace primewood::forest {

Forest::Forest(VariableArrays variables, TreeArrays trees, VoteArrays vote)
    : Forest(std::move(variables), std::move(trees), std::move(vote), Checks::kAll) {}

Forest Forest::make_undecided(VariableArrays variables, TreeArrays trees, VoteArrays vote) {
  return Forest(std::move(variables), std::move(trees), std::move(vote), Checks::kTreesAlone);
}

Forest::Forest(VariableArrays variables, TreeArrays trees, VoteArrays vote, Checks checks)
    : VariableArrays(std::move(variables)), TreeArrays(std::move(trees)), VoteArrays(std::move(vote)) {
  n_variables = int(ordered.size());
  n_trees = all_trees() - n_rules;
  n_outputs = int(start.size());
  if (checks == Checks::kAll) check_vote();
  check_lengths();
  offset.assign(ordered.size() + 1, 0);
  for (int j = 0; j < n_variables; j++) offset[j + 1] = offset[j] + values(j);
  check_nodes();
  check_roots();
  count_rounding_trees();
}

void Forest::check_vote() const {
  const bool one_score_per_class = cuts.empty() && n_outputs == n_classes;
  const bool one_cut_score = !cuts.empty() && n_outputs == 1 && int(cuts.size()) == n_classes - 1;
  const bool groups_fit = group_size.size() == group_weight.size() &&
                          std::none_of(group_size.begin(), group_size.end(), [](int size) { return size < 1; }) &&
                          std::accumulate(group_size.begin(), group_size.end(), 0) == n_trees;
  if (!groups_fit || !(one_score_per_class || one_cut_score))
    throw std::invalid_argument("the arrays of the vote differ in length");
}

void Forest::check_lengths() const {
  const auto one_per_node = [&](const auto& array) { return array.size() == nodes(); };
  const bool tests_fit =
      one_per_node(prefix) && one_per_node(left) && one_per_node(right) && one_per_node(missing_left);
  const bool leaves_fit = one_per_node(exact) && one_per_node(forbidden) && weight.size() == nodes() * n_classes &&
                          value.size() == nodes() * n_outputs;
  const bool counts_fit = n_trees >= 1 && n_rules >= 0 && n_rules <= kMostRules;
  if (!tests_fit || !leaves_fit || !counts_fit || int(has_missing.size()) != n_variables)
    throw std::invalid_argument("the arrays of the forest differ in length");
}

void Forest::check_nodes() const {
  const int count = int(nodes());
  const auto comes_after = [&](int child, int node) { return child > node && child < count; };
  for (int n = 0; n < count; n++) {
    if (variable[n] < 0) continue;
    if (variable[n] >= n_variables || prefix[n] < 0 || prefix[n] > ordered[variable[n]])
      throw std::invalid_argument("a node tests what is not there");
    if (!comes_after(left[n], n) || !comes_after(right[n], n))
      throw std::invalid_argument("a node's children do not come after it");
  }
}

void Forest::check_roots() const {
  for (int t = 0; t < all_trees(); t++)
    if (root[t] < 0 || root[t] >= end_of(t) || end_of(t) > int(nodes()))
      throw std::invalid_argument("a tree has no root");
}

void Forest::count_rounding_trees() {
  for (int t = 0; t < all_trees(); t++)
    rounding_trees += std::any_of(exact.begin() + root[t], exact.begin() + end_of(t), [](auto flag) { return !flag; });
}

bool Forest::possible(const int* point) const {
  for (int t = n_trees; t < all_trees(); t++)
    if (forbidden[leaf(t, point)]) return false;
  return true;
}

std::vector<double> Forest::scores(const int* point) const {
  return sum_up([&](int tree) { return leaf_values(leaf(tree, point)); });
}

std::vector<double> Forest::scores_at(const std::vector<int>& leaves) const {
  return sum_up([&](int tree) { return leaf_values(leaves[tree]); });
}

std::vector<double> Forest::scores_of(const std::vector<const double*>& values) const {
  return sum_up([&](int tree) { return values[tree]; });
}

template <class ValuesOf>
std::vector<double> Forest::sum_up(const ValuesOf& values_of) const {
  assert(!group_size.empty());  // it has a decision of its own
  std::vector<double> sum(start), part(n_outputs);
  int tree = 0;
  for (std::size_t g = 0; g < group_size.size(); g++) {
    if (group_size[g] == 1) {
      add(sum, values_of(tree++));
      continue;
    }
    std::fill(part.begin(), part.end(), 0.0);
    for (const int end = tree + group_size[g]; tree < end; tree++) add(part, values_of(tree));
    for (int k = 0; k < n_outputs; k++) sum[k] += part[k] / group_size[g] * group_weight[g];
  }
  for (double& s : sum) s /= divisor;
  return sum;
}

int Forest::pick_class(std::vector<double> sum) const {
  if (!cuts.empty()) return int(std::upper_bound(cuts.begin(), cuts.end(), sum[0]) - cuts.begin());
  apply(link, sum.data(), sum.size());
  return int(std::max_element(sum.begin(), sum.end()) - sum.begin());
}

bool Forest::prefers(const std::vector<double>& scores, int label, int rival) const {
  if (!cuts.empty()) return (scores[0] >= cuts[std::min(label, rival)]) == (label > rival);
  const double ahead = scores[label] - scores[rival], slack = slack_of(link);
  return slack > 0 ? ahead > slack : ahead > 0 || (ahead == 0 && label < rival);
}

// The sum of two float32 numbers in float64, rounded to float32, is their sum in float32.
void Forest::add(std::vector<double>& sum, const double* values) const {
  for (int k = 0; k < n_outputs; k++) sum[k] = single ? double(float(sum[k] + values[k])) : sum[k] + values[k];
}

}  // namespace primewood::forest
