// The forest: trees over variables with finitely many values, and the exact vote of their leaves.
#pragma once

#include <cassert>
#include <vector>

#include "forest/arrays.hpp"

namespace primewood::forest {

constexpr int kMostRules = 4096;

// Where there are rules, sums of ordinary weights stay below 2 to the power of this.
constexpr int kRoomWithRules = 45;

// A leaf of a rule that no possible point reaches weighs this: far more than any sum of ordinary weights makes good.
constexpr Int kForbidden = -(Int(1) << 50);
static_assert(-kForbidden >> kRoomWithRules >= 32, "a forbidden leaf outweighs all others");
static_assert(kMostRules <= INT64_MAX / -kForbidden, "sums of forbidden leaves fit into 64 bits");

struct Forest : VariableArrays, TreeArrays, VoteArrays {
  // Throws std::invalid_argument if the arrays do not make a forest.
  Forest(VariableArrays variables, TreeArrays trees, VoteArrays vote);

  // The same without a decision of its own: the leaves are summed up, but nothing says what becomes of the sums.
  static Forest make_undecided(VariableArrays variables, TreeArrays trees, VoteArrays vote);

  int n_variables, n_trees, n_outputs;
  std::vector<int> offset;  // per variable: its first atom (variable, value); one more at the end
  int rounding_trees = 0;   // how many trees have a leaf that does not add exactly

  int values(int j) const { return ordered[j] + has_missing[j]; }
  int atoms() const { return offset[n_variables]; }

  // The leaf of a tree at a point; point[j] is the index of a value, `ordered[j]` is "missing".
  int leaf(int tree, const int* point) const {
    int n = root[tree];
    while (variable[n] >= 0) {
      const int v = point[variable[n]];
      assert(v >= 0 && v < values(variable[n]));
      const bool go_left = v < ordered[variable[n]] ? v < prefix[n] : missing_left[n] != 0;
      n = go_left ? left[n] : right[n];
    }
    return n;
  }

  const Int* weights(int node) const { return &weight[std::size_t(node) * n_classes]; }
  const double* leaf_values(int node) const { return &value[std::size_t(node) * n_outputs]; }

  // Whether a row can be there.
  bool possible(const int* point) const;

  // The decision at a point as the library takes it: sums in the order of the trees, means of groups among them,
  // divided in the end; the first of the largest, or the number of cuts that are reached.
  int decide(const int* point) const { return pick_class(scores(point)); }

  // The same in two steps: the scores before the link, and the class that they make.
  std::vector<double> scores(const int* point) const;
  int pick_class(std::vector<double> scores) const;

  // Whether a class is preferred to another by these scores; false where only the values of the link can tell.
  bool prefers(const std::vector<double>& scores, int label, int rival) const;

  // The scores where each tree ends in a leaf; or has given values there.
  std::vector<double> scores_at(const std::vector<int>& leaves) const;
  std::vector<double> scores_of(const std::vector<const double*>& values) const;

 private:
  enum class Checks { kAll, kTreesAlone };
  Forest(VariableArrays variables, TreeArrays trees, VoteArrays vote, Checks checks);

  void check_vote() const;
  void check_lengths() const;
  void check_nodes() const;
  void check_roots() const;
  void count_rounding_trees();
  template <class ValuesOf>
  std::vector<double> sum_up(const ValuesOf& values_of) const;
  void add(std::vector<double>& sum, const double* values) const;
};

}  // namespace primewood::forest
