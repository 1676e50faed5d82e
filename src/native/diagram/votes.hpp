// What trees add to the scores of the classes.
#pragma once

#include <cstddef>
#include <vector>

#include "diagram/row_table.hpp"
#include "forest/forest.hpp"

namespace primewood::diagram {

using forest::Int;

// Numbered vectors: the integer weights of the classes, and how many leaves in the sum do not add exactly.
class Votes {
 public:
  static constexpr Id kZero = 0;

  explicit Votes(int classes);

  int classes() const { return classes_; }

  // The weights of the classes, then the number of inexact leaves.
  const Int* row(Id vote) const { return table_.row(vote); }

  // The vote of a leaf with these weights, one per class.
  Id make(const Int* weights, bool exact);

  Id sum(Id a, Id b) {
    if (a == kZero || b == kZero) return a + b;
    return combine(a, b, 1, sums_);
  }

  Id difference(Id a, Id b) {
    if (a == b) return kZero;
    return b == kZero ? a : combine(a, b, -1, differences_);
  }

 private:
  // Results that were needed lately; a newer one pushes out an older one.
  struct Recent {
    Id a = kNone, b = kNone, result = kNone;
  };
  using RecentResults = std::vector<Recent>;
  static constexpr int kRecentBits = 15;

  // The vote a + sign * b.
  Id combine(Id a, Id b, Int sign, RecentResults& results);

  int classes_;
  RowTable<Int> table_;
  std::vector<Int> row_;
  RecentResults sums_, differences_;
};

}  // namespace primewood::diagram
