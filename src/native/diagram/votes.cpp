#include "diagram/votes.hpp"

#include <algorithm>
#include <cassert>
#include <cstdint>

namespace primewood::diagram {

Votes::Votes(int classes)
    : classes_(classes),
      table_(classes + 1),
      row_(static_cast<std::size_t>(classes) + 1, 0),
      sums_(std::size_t{1} << kRecentBits),
      differences_(std::size_t{1} << kRecentBits) {
  table_.intern(row_.data());
}

Id Votes::make(const Int* weights, bool exact) {
  std::copy_n(weights, classes_, row_.begin());
  row_[classes_] = exact ? 0 : 1;
  return table_.intern(row_.data());
}

Id Votes::combine(Id a, Id b, Int sign, RecentResults& results) {
  const std::uint32_t hash = static_cast<std::uint32_t>(a) * 0x9E3779B1u ^ static_cast<std::uint32_t>(b) * 0x85EBCA77u;
  Recent& recent = results[hash >> (32 - kRecentBits)];
  if (recent.a != a || recent.b != b) {
    for (int c = 0; c <= classes_; c++) row_[c] = table_.row(a)[c] + sign * table_.row(b)[c];
    recent = {a, b, table_.intern(row_.data())};
  }
  return recent.result;
}

}  // namespace primewood::diagram
