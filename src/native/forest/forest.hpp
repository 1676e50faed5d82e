// The forest: trees over variables with finitely many values, and the exact vote of their leaves.
//
// Two forms of the vote stand side by side. `weight`, integers per leaf and class, add exactly and decide wherever a
// margin exceeds `band`. `value`, floats per leaf and output, add as the library adds them and settle the rest.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "forest/link.hpp"

namespace primewood::forest {

using Int = std::int64_t;

// A leaf of a rule that no possible point reaches weighs this. Sums of ordinary weights stay far below it where there
// are rules, and sums of it within 64 bits.
constexpr Int kForbidden = -(Int(1) << 50);
constexpr int kMostRules = 4096;

// A variable has `ordered` values in a line, 0, 1, ..., and perhaps one more, "missing", after them.
// A node sends the values below `prefix` to the left, and "missing" where `missing_left` says.
struct Forest {
  int n_trees = 0, n_variables = 0, n_classes = 0, n_outputs = 0;
  std::vector<int> ordered, offset;                // per variable; offset: first atom (variable, value)
  std::vector<std::uint8_t> has_missing;           // per variable
  std::vector<int> root;                           // per tree
  std::vector<int> variable, prefix, left, right;  // per node; variable is -1 at a leaf
  std::vector<std::uint8_t> missing_left;          // per node
  std::vector<Int> weight;                         // per node and class: the leaf's value as an integer
  std::vector<double> value;                       // per node and output: the leaf's value as the library has it
  std::vector<std::uint8_t> exact;                 // per node: its values add without rounding
  // Knowledge: the last trees are rules, which add nothing. A point that ends in a forbidden leaf is no possible row.
  int n_rules = 0;
  std::vector<std::uint8_t> forbidden;  // per node
  Int band = 0;                         // how far rounding can move a margin, in units of `weight`
  bool any_order = false;               // the decision must hold for every order of summation
  std::vector<int> group_size;          // trees whose values are averaged, and weighted, before they count
  std::vector<double> group_weight;
  double divisor = 1;          // of the sums, in the end
  std::vector<double> start;   // per output: what the sums begin with
  bool single = false;         // sums are rounded to float32
  Link link = Link::identity;  // what the scores go through before the largest wins
  std::vector<double> cuts;    // if any: one score, and the class is the number of cuts that it reaches

  // How to search; it changes no answer. Tests switch parts off, so that the others must do everything.
  int patience = 800;        // nodes that the depth-first search may take
  bool local_search = true;  // look for counterexamples by ascent

  int rounding_trees = 0;  // how many trees have a leaf that does not add exactly

  int all_trees() const { return n_trees + n_rules; }
  int values(int j) const { return ordered[j] + has_missing[j]; }
  int atoms() const { return offset[n_variables]; }

  // Fill in what follows from the rest, and check that the arrays are a forest.
  void finish() {
    if (int(start.size()) != n_outputs ||
        (cuts.empty() ? n_outputs != n_classes : n_outputs != 1 || int(cuts.size()) != n_classes - 1) ||
        group_size.size() != group_weight.size() ||
        std::any_of(group_size.begin(), group_size.end(), [](int size) { return size < 1; }) ||
        std::accumulate(group_size.begin(), group_size.end(), 0) != n_trees)
      throw std::invalid_argument("the arrays of the vote differ in length");
    finish_trees();
  }

  // The same for the trees alone.
  void finish_trees() {
    const std::size_t nodes = variable.size();
    if (prefix.size() != nodes || left.size() != nodes || right.size() != nodes || missing_left.size() != nodes ||
        exact.size() != nodes || forbidden.size() != nodes || int(root.size()) != all_trees() || n_trees < 1 ||
        n_rules < 0 || n_rules > kMostRules || weight.size() != nodes * n_classes ||
        value.size() != nodes * n_outputs || int(has_missing.size()) != n_variables)
      throw std::invalid_argument("the arrays of the forest differ in length");
    offset.assign(n_variables + 1, 0);
    for (int j = 0; j < n_variables; j++) offset[j + 1] = offset[j] + values(j);
    for (std::size_t n = 0; n < nodes; n++) {
      if (variable[n] < 0) continue;
      if (variable[n] >= n_variables || prefix[n] < 0 || prefix[n] > ordered[variable[n]])
        throw std::invalid_argument("a node tests what is not there");
      if (left[n] <= int(n) || right[n] <= int(n) || left[n] >= int(nodes) || right[n] >= int(nodes))
        throw std::invalid_argument("a node's children do not come after it");
    }
    for (int t = 0; t < all_trees(); t++) {
      const int end = t + 1 < all_trees() ? root[t + 1] : int(nodes);
      if (root[t] < 0 || root[t] >= end || end > int(nodes)) throw std::invalid_argument("a tree has no root");
      rounding_trees += std::any_of(exact.begin() + root[t], exact.begin() + end, [](auto flag) { return !flag; });
    }
  }

  // The leaf of a tree at a point; point[j] is the index of a value, `ordered[j]` is "missing".
  int leaf(int tree, const int* point) const {
    int n = root[tree];
    while (variable[n] >= 0) {
      const int v = point[variable[n]];
      const bool go_left = v < ordered[variable[n]] ? v < prefix[n] : missing_left[n] != 0;
      n = go_left ? left[n] : right[n];
    }
    return n;
  }

  // Whether a row can be there.
  bool possible(const int* point) const {
    for (int t = n_trees; t < all_trees(); t++)
      if (forbidden[leaf(t, point)]) return false;
    return true;
  }

  // The decision at a point as the library takes it: sums in the order of the trees, means of groups among them,
  // divided in the end; the first of the largest, or the number of cuts that are reached.
  int decide(const int* point) const {
    std::vector<double> sum(start), part(n_outputs);
    int tree = 0;
    for (std::size_t g = 0; g < group_size.size(); g++) {
      if (group_size[g] == 1) {
        add(sum, tree++, point);
        continue;
      }
      std::fill(part.begin(), part.end(), 0.0);
      for (const int end = tree + group_size[g]; tree < end; tree++) add(part, tree, point);
      for (int k = 0; k < n_outputs; k++) sum[k] += part[k] / group_size[g] * group_weight[g];
    }
    for (double& s : sum) s /= divisor;
    if (!cuts.empty()) return int(std::upper_bound(cuts.begin(), cuts.end(), sum[0]) - cuts.begin());
    apply(link, sum.data(), sum.size());
    return int(std::max_element(sum.begin(), sum.end()) - sum.begin());
  }

 private:
  // The sum of two float32 numbers in float64, rounded to float32, is their sum in float32.
  void add(std::vector<double>& sum, int tree, const int* point) const {
    const double* v = &value[std::size_t(leaf(tree, point)) * n_outputs];
    for (int k = 0; k < n_outputs; k++) sum[k] = single ? float(sum[k] + v[k]) : sum[k] + v[k];
  }
};

}  // namespace primewood::forest
