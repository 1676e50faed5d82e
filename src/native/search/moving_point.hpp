// A point that moves along one variable at a time, and where it ends in every tree. Only trees that test the variable
// on their way are walked again.
#pragma once

#include <cstdint>
#include <vector>

#include "forest/forest.hpp"

namespace primewood::search {

class MovingPoint {
 public:
  MovingPoint(const forest::Forest& f, std::vector<int> values);

  const std::vector<int>& values() const { return values_; }
  void move(int j, int value);

  // Give the variables from `first` on these values.
  void move(int first, const std::vector<int>& values);

  // What the forest says of it.
  int decide() const { return forest_.decide_leaves(leaf_.data()); }
  bool is_possible() const { return forest_.possible_leaves(leaf_.data()); }

 private:
  void walk(int tree);
  void walk_again(std::uint64_t moved);

  const forest::Forest& forest_;
  std::vector<int> values_;
  std::vector<int> leaf_;              // per tree
  std::vector<std::uint64_t> tested_;  // per tree: the variables on the way to the leaf, as path bits
};

}  // namespace primewood::search
