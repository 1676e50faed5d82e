// What a forest is made of, as flat arrays. Python fills them in, field by field.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "forest/link.hpp"

namespace primewood::forest {

using Int = std::int64_t;

// A variable has `ordered` values in a line, 0, 1, ..., and perhaps one more, "missing", after them.
struct VariableArrays {
  std::vector<int> ordered;               // per variable
  std::vector<std::uint8_t> has_missing;  // per variable
};

// Trees, the nodes of one after those of the other; children come after their parents.
// A node sends the values below `prefix` to the left, and "missing" where `missing_left` says.
struct TreeArrays {
  std::vector<int> root;                           // per tree
  std::vector<int> variable, prefix, left, right;  // per node; variable is -1 at a leaf
  std::vector<std::uint8_t> missing_left;          // per node
  // Knowledge: the last trees are rules, which add nothing. A point that ends in a forbidden leaf is no possible row.
  std::vector<std::uint8_t> forbidden;  // per node
  int n_rules = 0;

  int all_trees() const { return int(root.size()); }
  std::size_t nodes() const { return variable.size(); }

  // The node after the last one of a tree.
  int end_of(int tree) const { return tree + 1 < all_trees() ? root[std::size_t(tree) + 1] : int(nodes()); }
};

// How the leaves decide. Two forms of the vote stand side by side. `weight`, integers per leaf and class, add exactly
// and decide wherever a margin exceeds `band`. `value`, floats per leaf and output, add as the library adds them and
// settle the rest.
struct VoteArrays {
  int n_classes = 0;
  std::vector<Int> weight;          // per node and class: the leaf's value as an integer
  std::vector<double> value;        // per node and output: the leaf's value as the library has it
  std::vector<std::uint8_t> exact;  // per node: its values add without rounding
  Int band = 0;                     // how far rounding can move a margin, in units of `weight`
  bool any_order = false;           // the decision must hold for every order of summation
  std::vector<int> group_size;      // trees whose values are averaged, and weighted, before they count
  std::vector<double> group_weight;
  double divisor = 1;           // of the sums, in the end
  std::vector<double> start;    // per output: what the sums begin with
  bool single = false;          // sums are rounded to float32
  Link link = Link::kIdentity;  // what the scores go through before the largest wins
  std::vector<double> cuts;     // if any: one score, and the class is the number of cuts that it reaches
};

}  // namespace primewood::forest
