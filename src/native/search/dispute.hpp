// The cut on which favourite leaves disagree most.
//
// A leaf that wants to lie from a rank on loses by a cut above that rank if one stays below it; a leaf that wants to
// lie up to a rank loses the other way round. A variable may have thousands of ranks, and leaves may name only
// a few of them. Then only the named ones are cleared and considered.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/region.hpp"

namespace primewood::search {

template <class Number>
class Dispute {
 public:
  // Begin with a box, about which nothing is said.
  void open(const Restriction& box) {
    const std::size_t n = box.size.size();
    start_.assign(n + 1, 0);
    for (std::size_t j = 0; j < n; j++) start_[j + 1] = start_[j] + box.size[j] + 1;
    from_.assign(std::size_t(start_.back()), 0);
    up_to_.assign(std::size_t(start_.back()), 0);
    named_.resize(n);
    for (auto& ranks : named_) ranks.clear();
    is_named_.assign(n, 0);
    variables_.clear();
  }

  // Forget what was said.
  void clear() {
    for (int j : variables_) {
      if (has_many_ranks(j)) {
        for (int rank : named_[j]) from_[start_[j] + rank] = up_to_[start_[j] + rank] = 0;
        named_[j].clear();
      } else {
        std::fill(from_.begin() + start_[j], from_.begin() + start_[j + 1], 0);
        std::fill(up_to_.begin() + start_[j], up_to_.begin() + start_[j + 1], 0);
      }
      is_named_[j] = 0;
    }
    variables_.clear();
  }

  // Something, of an amount above 0, wants to lie from a rank on, or up to it.
  void say_from(int j, int rank, Number amount) {
    name(j, rank);
    from_[start_[j] + rank] += amount;
  }

  void say_up_to(int j, int rank, Number amount) {
    name(j, rank);
    up_to_[start_[j] + rank] += amount;
  }

  // The best cut of a region; of equal ones, the first of the variable that was named first.
  Cut choose(const Region& region) {
    best_ = -1;
    cut_ = {};
    for (int j : variables_) consider(region, j);
    return cut_;
  }

  // The same; of equal ones, that of the first variable.
  Cut choose_in_order(const Region& region) {
    std::sort(variables_.begin(), variables_.end());
    return choose(region);
  }

 private:
  static constexpr int kMany = 256;

  bool has_many_ranks(int j) const { return start_[j + 1] - start_[j] > kMany; }

  void name(int j, int rank) {
    if (!is_named_[j]) {
      is_named_[j] = 1;
      variables_.push_back(j);
    }
    if (!has_many_ranks(j)) return;
    const int at = start_[j] + rank;
    if (from_[at] == 0 && up_to_[at] == 0) named_[j].push_back(rank);
  }

  void consider(const Region& region, int j) {
    if (has_many_ranks(j)) {
      consider_named(region, j);
    } else {
      Number below = 0, above = 0;
      for (int rank = region.low[j]; rank <= region.high[j]; rank++) below += from_[start_[j] + rank];
      for (int rank = region.low[j]; rank < region.high[j]; rank++) consider_cut(j, rank, below, above);
    }
  }

  // What is lost changes only at ranks that are named, so cuts elsewhere are no better than the one before them.
  void consider_named(const Region& region, int j) {
    auto& ranks = named_[j];
    std::sort(ranks.begin(), ranks.end());
    const auto first = std::lower_bound(ranks.begin(), ranks.end(), region.low[j]);
    const auto last = std::upper_bound(first, ranks.end(), region.high[j]);
    Number below = 0, above = 0;
    for (auto rank = first; rank != last; ++rank) below += from_[start_[j] + *rank];
    for (auto rank = first; rank != last && *rank < region.high[j]; ++rank) consider_cut(j, *rank, below, above);
  }

  // below, above: what is lost by staying below the cut before, or above it.
  void consider_cut(int j, int rank, Number& below, Number& above) {
    below -= from_[start_[j] + rank];
    above += up_to_[start_[j] + rank];
    if (below <= 0 || above <= 0) return;
    const std::int64_t score = 4 * std::min(below, above) + std::max(below, above);
    if (score <= best_) return;
    best_ = score;
    cut_ = {j, rank};
  }

  std::vector<int> start_;               // per variable: where its own ranks begin
  std::vector<Number> from_, up_to_;     // per variable and rank
  std::vector<std::vector<int>> named_;  // per variable with many ranks: those at which something is said
  std::vector<std::uint8_t> is_named_;   // per variable
  std::vector<int> variables_;           // those that are named
  std::int64_t best_ = -1;
  Cut cut_;
};

}  // namespace primewood::search
