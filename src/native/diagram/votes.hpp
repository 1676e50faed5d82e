// What trees add to the scores of the classes.
#pragma once

#include <algorithm>

#include "forest/forest.hpp"
#include "diagram/levels.hpp"

namespace primewood::diagram {

using forest::Forest;
using forest::Int;

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
    return combine(a, b, 1, sums_);
  }

  Id difference(Id a, Id b) {
    if (a == b) return kZero;
    return b == kZero ? a : combine(a, b, -1, differences_);
  }

 private:
  // Results that were needed lately; a newer one pushes out an older one.
  struct Recent {
    Id a = -1, b = -1, result = -1;
  };
  using Cache = std::vector<Recent>;
  static constexpr std::size_t kRecent = 1 << 15;

  Id combine(Id a, Id b, Int sign, Cache& cache) {
    Recent& recent = cache[(std::uint32_t(a) * 0x9E3779B1u ^ std::uint32_t(b) * 0x85EBCA77u) >> 17];
    if (recent.a != a || recent.b != b) {
      for (int c = 0; c <= classes; c++) row_[c] = table_.row(a)[c] + sign * table_.row(b)[c];
      recent = {a, b, table_.intern(row_.data())};
    }
    return recent.result;
  }

  RowTable<Int> table_;
  std::vector<Int> row_;
  Cache sums_ = Cache(kRecent), differences_ = Cache(kRecent);
};

}  // namespace primewood::diagram
