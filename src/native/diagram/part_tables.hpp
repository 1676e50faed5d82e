// What is computed once for the nodes of the parts of a sum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "diagram/class_pairs.hpp"
#include "diagram/sums.hpp"
#include "diagram/votes.hpp"

namespace primewood::diagram {

// Per node: the least that the difference of each pair of classes can be below it.
class LeastDifferences {
 public:
  LeastDifferences(const Sums& parts, const Votes& votes, const ClassPairs& pairs);

  // One number per pair.
  const Int* row(int level, Id node) const { return least_[level].data() + static_cast<std::size_t>(node) * pairs_; }

 private:
  void fill(int level, const Sums& parts, const Votes& votes, const ClassPairs& pairs);

  std::size_t pairs_;
  std::vector<std::vector<Int>> least_;  // per level
};

// Per node: the values whose edge differs from that of the value before.
class Changes {
 public:
  // Values as bits; they are asked for by number.
  using Bits = std::vector<std::uint64_t>;

  explicit Changes(const Sums& parts);

  // The values at which any of these nodes changes.
  void collect(int level, const std::vector<Id>& nodes, Bits& found) const;

  static bool contains(const Bits& values, int value) { return (values[value / 64] >> value % 64 & 1) != 0; }

 private:
  void fill(int level, const Sums& parts);

  std::vector<std::size_t> words_;  // per level: how many a node has
  std::vector<Bits> changes_;       // per level, node by node
};

}  // namespace primewood::diagram
