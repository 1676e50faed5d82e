#include "search/moving_point.hpp"

#include <utility>

namespace primewood::search {

MovingPoint::MovingPoint(const forest::Forest& f, std::vector<int> values)
    : forest_(f), values_(std::move(values)), leaf_(f.all_trees()), tested_(f.all_trees()) {
  for (int t = 0; t < f.all_trees(); t++) walk(t);
}

void MovingPoint::move(int j, int value) {
  values_[j] = value;
  for (int t = 0; t < forest_.all_trees(); t++)
    if (tested_[t] & bit(j)) walk(t);
}

void MovingPoint::walk(int tree) {
  std::uint64_t tested = 0;
  leaf_[tree] = forest_.leaf(tree, values_.data(), [&](int j) { tested |= bit(j); });
  tested_[tree] = tested;
}

}  // namespace primewood::search
