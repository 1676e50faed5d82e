// What trees add to the scores of the classes.
#pragma once

#include <algorithm>

#include "forest.hpp"
#include "levels.hpp"

namespace primewood::diagram {

// Numbered vectors: the integer weights of the classes, and how many leaves in the sum do not add exactly.
class Votes {
 public:
  explicit Votes(int classes) : classes(classes), table_(classes + 1), row_(classes + 1, 0) {
    table_.intern(row_.data());
  }

  static constexpr Id kZero = 0;
  const int classes;

  const Int* row(Id vote) const { return table_.row(vote); }

  Id of(const Int* weights, bool exact) {
    std::copy(weights, weights + classes, row_.begin());
    row_[classes] = !exact;
    return table_.intern(row_.data());
  }

  Id sum(Id a, Id b) {
    if (a == kZero || b == kZero) return a + b;
    return combine(a, b, 1);
  }

  Id difference(Id a, Id b) {
    if (a == b) return kZero;
    return b == kZero ? a : combine(a, b, -1);
  }

 private:
  Id combine(Id a, Id b, Int sign) {
    for (int c = 0; c <= classes; c++) row_[c] = table_.row(a)[c] + sign * table_.row(b)[c];
    return table_.intern(row_.data());
  }

  RowTable<Int> table_;
  std::vector<Int> row_;
};

}  // namespace primewood::diagram
