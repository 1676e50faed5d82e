#include "search/moving_point.hpp"

#include <utility>

#include "search/path_bits.hpp"

namespace primewood::search {

MovingPoint::MovingPoint(const forest::Forest& f, std::vector<int> values)
    : forest_(f), values_(std::move(values)), leaf_(f.all_trees()), tested_(f.all_trees()) {
  for (int t = 0; t < f.all_trees(); t++) walk(t);
}

void MovingPoint::move(int j, int value) {
  values_[j] = value;
  walk_again(path_bit(j));
}

void MovingPoint::move(int first, const std::vector<int>& values) {
  std::uint64_t moved = 0;
  for (int i = 0; i < int(values.size()); i++) {
    if (values_[first + i] == values[i]) continue;
    values_[first + i] = values[i];
    moved |= path_bit(first + i);
  }
  walk_again(moved);
}

void MovingPoint::walk_again(std::uint64_t moved) {
  for (int t = 0; t < forest_.all_trees(); t++)
    if (tested_[t] & moved) walk(t);
}

void MovingPoint::walk(int tree) {
  std::uint64_t tested = 0;
  leaf_[tree] = forest_.leaf(tree, values_.data(), [&](int j) { tested |= path_bit(j); });
  tested_[tree] = tested;
}

}  // namespace primewood::search
