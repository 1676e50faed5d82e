#include "search/one_margin.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "search/rounding.hpp"

namespace primewood::search {

void OneMargin::open(Node& root) {
  find_scale();
  for (int i = 0; i < margin_.trees(); i++) {
    for (int p = margin_.first[i], end = end_of(i); p < end; p++)
      root.add_leaf(p, double(margin_.leaves[p].weight - heaviest(i)) * scale_, margin_);
    root.end_tree();
  }
}

void OneMargin::join(const OneMargin& other) {
  top_ = other.top_;
  grain_ = other.grain_;
  scale_ = other.scale_;
}

void OneMargin::find_scale() {
  Int range = 1;
  top_ = margin_.base;
  grain_ = 0;
  for (int i = 0; i < margin_.trees(); i++) {
    top_ += heaviest(i);
    for (int p = margin_.first[i], end = end_of(i); p < end; p++) {
      const Int difference = heaviest(i) - margin_.leaves[p].weight;
      range = std::max(range, difference);
      grain_ = std::gcd(grain_, difference);
    }
  }
  scale_ = 1.0 / double(range);
}

// Where the leaves of a tree that are allowed end; forbidden ones are the lightest.
int OneMargin::end_of(int tree) const {
  int end = margin_.last[tree];
  while (end > margin_.first[tree] && margin_.forbidden(margin_.leaves[end - 1])) end--;
  return end;
}

bool OneMargin::possible(Node& node) {
  Int top = margin_.base, differences = 0;
  for (int p : node.settled) top += margin_.leaves[p].weight;
  for (int i = 0; i < node.trees(); i++) {
    const Int heaviest_left = margin_.leaves[node.leaf[node.first[i]]].weight;
    top += heaviest_left;
    for (int p = node.first[i]; p < node.first[i + 1]; p++)
      differences |= heaviest_left - margin_.leaves[node.leaf[p]].weight;
  }
  if (top < margin_.threshold) return false;
  const Int power = differences & -differences;
  Int above = top - margin_.threshold;  // how far the next sum is above the threshold
  if (differences) above %= std::max<Int>(std::max(power, grain_), 1);
  node.threshold = double(margin_.threshold + above - top_) * scale_;
  node.magnitude = margin_.trees();
  node.inexactness = rounding_of_sum(node.magnitude + 2, node.magnitude + std::abs(node.threshold));
  return true;
}

}  // namespace primewood::search
