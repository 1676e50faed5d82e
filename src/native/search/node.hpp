// What is left of the forest in a region: the leaves that each tree can still end in.
#pragma once

#include <cstdint>
#include <vector>

#include "search/margin.hpp"
#include "search/region.hpp"

namespace primewood::search {

// A set of values of one variable: a run of ranks, and "missing" if flagged.
struct Span {
  int low, high;
  bool missing;

  bool holds(const Entry& e) const { return e.low >= low && e.high <= high && (!e.missing || missing); }
  bool operator==(const Span& o) const { return low == o.low && high == o.high && missing == o.missing; }
  bool operator<(const Span& o) const {
    if (low != o.low) return low < o.low;
    if (high != o.high) return high < o.high;
    return missing < o.missing;
  }

  // Widen it so that it holds an entry.
  void include(const Entry& e) {
    low = e.low < low ? e.low : low;
    high = e.high > high ? e.high : high;
    missing = missing || e.missing;
  }
};

// A node of the branch and bound. Buffers are kept per depth and used again.
struct Node {
  Region region;
  double base = 0, step = 1;
  double threshold = 0;        // a sum below it is of no interest
  double magnitude = 0;        // the magnitudes of one weight per tree sum to no more, settled trees included
  double inexactness = 0;      // how far base, weights and threshold together are from what they stand for
  std::vector<int> first;      // per tree: its first leaf; one more at the end
  bool sorted = true;          // the leaves of a tree come heaviest first
  std::vector<double> weight;  // per leaf
  std::vector<int> leaf;       // per leaf: which of the margin's it is
  std::vector<int> settled;    // the leaves of trees that have no other left; they are in the base
  std::vector<int> entry;      // per leaf: its first entry; one more at the end
  std::vector<Entry> entries;
  std::vector<int> multiplier_first, multipliers;  // per tree: which multipliers still charge a leaf

  void clear();

  int trees() const { return int(first.size()) - 1; }

  // The largest sum if every tree could pick its own leaf.
  double bound() const;

  // How far rounding may have moved that sum from the threshold.
  double rounding_of_bound() const;

  // Build a root: the leaves of a tree one after the other, then its end.
  void add_leaf(int which, double w, const Margin& margin);
  void end_tree() { first.push_back(int(weight.size())); }

  bool meets(int p) const {
    for (int e = entry[p]; e < entry[p + 1]; e++)
      if (!region.meets(entries[e])) return false;
    return true;
  }

  // Take over the leaves of a node that the flags and this region allow; a tree with one leaf that
  // restricts nothing goes to the base. False if a tree has no leaf left.
  bool take(const Node& from, const std::vector<std::uint8_t>* keep);

 private:
  inline void take_leaf(const Node& from, int p);
  inline void take_entry(const Entry& x);
  void take_multipliers(const Node& from, int tree);
  void settle_last_leaf();
};

}  // namespace primewood::search
