// A part of the box during search: per variable a run of ranks, and "missing" if flagged.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "search/leaves.hpp"
#include "search/restriction.hpp"

namespace primewood::search {

struct Region {
  std::vector<int> low, high;
  std::vector<std::uint8_t> missing;

  // Take all of the box.
  void open(const Restriction& box);

  // Keep, of one variable, the ranks from the first to the last of these values, and "missing" if it is among them.
  void keep(const Restriction& box, int j, const std::vector<int>& values);

  bool has_ranks(int j) const { return low[j] <= high[j]; }
  bool fixed(int j) const { return missing[j] ? low[j] > high[j] : low[j] == high[j]; }

  void drop_ranks(int j) {
    low[j] = 1;
    high[j] = 0;
  }

  bool meets(const Entry& e) const {
    const int j = e.variable;
    return (std::max(low[j], e.low) <= std::min(high[j], e.high)) || (missing[j] && e.missing);
  }

  // Whether an entry allows all that the region allows of its variable.
  bool inside(const Entry& e) const {
    const int j = e.variable;
    return (!has_ranks(j) || (e.low <= low[j] && e.high >= high[j])) && (!missing[j] || e.missing);
  }

  // Some point: the lowest rank, or "missing" where there is no rank.
  void pick_point(const Restriction& box, std::vector<int>& x) const;
};

// A way to cut a region in two: ranks up to `cut` (with "missing") from those above it, or, with
// `cut` < 0, the ranks from "missing".
struct Cut {
  int variable = -1, cut = 0;

  bool found() const { return variable >= 0; }

  // Narrow a region to one of the two parts.
  void apply(Region& region, bool first) const;

  // Which part a rank falls into.
  bool first_holds(int rank, int size) const { return cut < 0 ? rank < size : rank <= cut || rank >= size; }
};

}  // namespace primewood::search
