// What is left of the forest in a region: the leaves that each tree can still end in.
#pragma once

#include <vector>

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
};

// A node of the branch and bound. Buffers are kept per depth and used again.
struct Node {
  Region region;
  double base = 0, step = 1;
  double threshold = 0;        // a sum below it is of no interest
  std::vector<int> first;      // per tree: its first leaf; one more at the end
  bool sorted = true;          // the leaves of a tree come heaviest first
  std::vector<double> weight;  // per leaf
  std::vector<int> leaf;       // per leaf: which of the margin's it is
  std::vector<int> settled;    // the leaves of trees that have no other left; they are in the base
  std::vector<int> entry;      // per leaf: its first entry; one more at the end
  std::vector<Entry> entries;
  std::vector<int> multiplier_first, multipliers;  // per tree: which multipliers still charge a leaf

  void clear() {
    base = 0;
    first.assign(1, 0);
    sorted = true;
    weight.clear();
    leaf.clear();
    settled.clear();
    entry.assign(1, 0);
    entries.clear();
    multiplier_first.assign(1, 0);
    multipliers.clear();
  }

  int trees() const { return int(first.size()) - 1; }

  // The largest sum if every tree could pick its own leaf.
  double bound() const {
    double total = base;
    for (int i = 0; i < trees(); i++)
      total += sorted ? weight[first[i]] : *std::max_element(weight.begin() + first[i], weight.begin() + first[i + 1]);
    return total;
  }

  // Build a root: the leaves of a tree one after the other, then its end.
  void add_leaf(int which, double w, const Margin& margin) {
    const Leaf& from = margin.leaves[which];
    for (int e = from.begin; e < from.end; e++)
      if (!region.inside(margin.entries[e])) entries.push_back(margin.entries[e]);
    leaf.push_back(which);
    weight.push_back(w);
    entry.push_back(int(entries.size()));
  }

  void end_tree() { first.push_back(int(weight.size())); }

  bool meets(int p) const {
    for (int e = entry[p]; e < entry[p + 1]; e++)
      if (!region.meets(entries[e])) return false;
    return true;
  }

  // Take over the leaves of a node that the flags and this region allow; a tree with one leaf that
  // restricts nothing goes to the base. False if a tree has no leaf left.
  bool take(const Node& from, const std::vector<std::uint8_t>* keep) {
    base = from.base;
    sorted = from.sorted;
    settled = from.settled;
    for (int i = 0; i < from.trees(); i++) {
      const std::size_t leaves = weight.size();
      for (int p = from.first[i]; p < from.first[i + 1]; p++)
        if (!keep || (*keep)[p]) take_leaf(from, p);
      if (weight.size() == leaves) return false;
      if (weight.size() == leaves + 1 && entry[leaves + 1] == entry[leaves]) {
        base += weight[leaves];
        settled.push_back(leaf.back());
        leaf.pop_back();
        weight.pop_back();
        entry.pop_back();
        continue;
      }
      first.push_back(int(weight.size()));
      multipliers.insert(multipliers.end(), from.multipliers.begin() + from.multiplier_first[i],
                         from.multipliers.begin() + from.multiplier_first[i + 1]);
      multiplier_first.push_back(int(multipliers.size()));
    }
    return true;
  }

 private:
  void take_leaf(const Node& from, int p) {
    const std::size_t before = entries.size();
    for (int e = from.entry[p]; e < from.entry[p + 1]; e++) {
      if (!region.meets(from.entries[e])) {
        entries.resize(before);
        return;
      }
      take_entry(from.entries[e]);
    }
    leaf.push_back(from.leaf[p]);
    weight.push_back(from.weight[p]);
    entry.push_back(int(entries.size()));
  }

  // What an entry still restricts, clipped to the region.
  void take_entry(const Entry& x) {
    if (region.inside(x)) return;
    const int j = x.variable;
    Entry clipped{j, std::max(x.low, region.low[j]), std::min(x.high, region.high[j]), x.missing && region.missing[j]};
    if (clipped.low > clipped.high) {
      clipped.low = NONE_LOW;
      clipped.high = NONE_HIGH;
    }
    entries.push_back(clipped);
  }
};

}  // namespace primewood::search
