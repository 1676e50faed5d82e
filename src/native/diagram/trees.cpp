#include "diagram/trees.hpp"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <utility>

namespace primewood::diagram {

Trees::Trees(const Forest& forest, std::vector<int> level_of, LeafVote leaf_vote, Votes& votes, Sums& sums)
    : forest_(forest),
      level_of_(std::move(level_of)),
      leaf_vote_(leaf_vote),
      votes_(votes),
      sums_(sums),
      values_(forest.n_outputs) {
  assert(static_cast<int>(level_of_.size()) == forest.n_variables);
}

Edge Trees::make(int tree) {
  const int root = forest_.root[tree];
  made_.clear();
  std::vector<int> open{root};
  while (!open.empty()) {
    const int node = open.back(), child = first_open_child(node);
    if (child >= 0) {
      open.push_back(child);
      continue;
    }
    if (made_.count(node) == 0)
      made_[node] = forest_.variable[node] < 0 ? Sums::constant(make_leaf(node)) : make_inner(node);
    open.pop_back();
  }
  return made_[root];
}

int Trees::first_open_child(int node) const {
  if (forest_.variable[node] < 0) return -1;
  for (const int child : {forest_.left[node], forest_.right[node]})
    if (made_.count(child) == 0) return child;
  return -1;
}

Edge Trees::make_inner(int node) {
  const int x = forest_.variable[node];
  std::vector<std::uint8_t> goes_left(forest_.values(x));
  for (int v = 0; v < forest_.values(x); v++)
    goes_left[v] = v < forest_.ordered[x] ? v < forest_.prefix[node] : forest_.missing_left[node] != 0;
  return sums_.choose(level_of_[x], goes_left, made_.at(forest_.left[node]), made_.at(forest_.right[node]));
}

Id Trees::make_leaf(int node) {
  if (leaf_vote_ == LeafVote::kIdentity) return number_leaf(node);
  const Int* weights = &forest_.weight[static_cast<std::size_t>(node) * forest_.n_classes];
  if (leaf_vote_ == LeafVote::kModel) return votes_.make(weights, forest_.exact[node] != 0);
  std::vector<Int> hard(forest_.n_classes, 0);
  hard[std::max_element(weights, weights + forest_.n_classes) - weights] = 1;
  return votes_.make(hard.data(), true);
}

Id Trees::number_leaf(int node) {
  const double* values = &forest_.value[static_cast<std::size_t>(node) * forest_.n_outputs];
  std::vector<Int> bits(forest_.n_outputs);
  static_assert(sizeof(Int) == sizeof(double));
  std::memcpy(bits.data(), values, bits.size() * sizeof(double));
  const Int number = values_.intern(bits.data());
  return votes_.make(&number, true);
}

}  // namespace primewood::diagram
