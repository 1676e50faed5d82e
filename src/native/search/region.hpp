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

// The cut on which favourite leaves disagree most. Per rank of a variable: how much wants to lie from this rank
// on (and loses what is below a cut under it), and how much up to it.
class Dispute {
 public:
  Cut cut;

  template <class Number>
  void consider(const Region& region, int j, const Number* from, const Number* up_to) {
    Number below = 0, above = 0;  // what is lost by staying below the cut, or above it
    for (int v = region.low[j]; v <= region.high[j]; v++) below += from[v];
    for (int c = region.low[j]; c < region.high[j]; c++) {
      below -= from[c];
      above += up_to[c];
      if (below <= 0 || above <= 0) continue;
      const std::int64_t score = 4 * std::min(below, above) + std::max(below, above);
      if (score > best_) {
        best_ = score;
        cut = {j, c};
      }
    }
  }

 private:
  std::int64_t best_ = -1;
};

}  // namespace primewood::search
