// The sums that leaves can make, one per tree: they differ from the largest by multiples of a grain.
#pragma once

#include <algorithm>
#include <limits>
#include <numeric>

#include "search/margin.hpp"
#include "search/node.hpp"

namespace primewood::search {

class Sums {
 public:
  // Those of a node's settled trees; the leaves of the others are to be added.
  Sums(const Margin& margin, const Node& node) : margin_(margin), node_(node), top_(margin.base) {
    for (int p : node.settled) top_ += margin.leaves[p].weight;
  }

  // Add the leaves of all trees for which a test is true, and at least one per tree; false as soon as the grain is at
  // most `fine`.
  template <class Test>
  bool add(Test&& counts, Int fine = 0) {
    for (int i = 0; i < node_.trees(); i++) {
      Int heaviest = kNone, any = kNone;
      for (int p = node_.first[i]; p < node_.first[i + 1]; p++) {
        if (!counts(i, p)) continue;
        const Int weight = margin_.leaves[node_.leaf[p]].weight;
        if (any == kNone) any = weight;
        heaviest = std::max(heaviest, weight);
        if (grain_ != 1) grain_ = std::gcd(grain_, any - weight);
        if (grain_ > 0 && grain_ <= fine) return false;
      }
      if (heaviest != kNone) top_ += heaviest;
    }
    return true;
  }

  // Whether a sum reaches the threshold; the least that does so, or less.
  bool any() const { return top_ >= margin_.threshold; }
  Int next() const {
    const Int above = top_ - margin_.threshold;
    return margin_.threshold + (grain_ == 0 ? above : above % grain_);
  }

  // Whether all sums are one.
  bool single() const { return grain_ == 0; }

 private:
  static constexpr Int kNone = std::numeric_limits<Int>::min();

  const Margin& margin_;
  const Node& node_;
  Int top_, grain_ = 0;
};

}  // namespace primewood::search
