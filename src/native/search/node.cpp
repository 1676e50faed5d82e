#include "search/node.hpp"

#include <algorithm>
#include <cmath>

#include "search/rounding.hpp"

namespace primewood::search {

void Node::clear() {
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

double Node::bound() const {
  double total = base;
  for (int i = 0; i < trees(); i++)
    total += sorted ? weight[first[i]] : *std::max_element(weight.begin() + first[i], weight.begin() + first[i + 1]);
  return total;
}

double Node::rounding_of_bound() const {
  return rounding_of_sum(double(trees()) + 1, magnitude + std::abs(threshold)) + inexactness;
}

void Node::add_leaf(int which, double w, const Margin& margin) {
  const Leaf& from = margin.leaves[which];
  for (int e = from.begin; e < from.end; e++)
    if (!region.inside(margin.entries[e])) entries.push_back(margin.entries[e]);
  leaf.push_back(which);
  weight.push_back(w);
  entry.push_back(int(entries.size()));
}

bool Node::take(const Node& from, const std::vector<std::uint8_t>* keep) {
  base = from.base;
  sorted = from.sorted;
  settled = from.settled;
  for (int i = 0; i < from.trees(); i++) {
    const std::size_t leaves = weight.size();
    for (int p = from.first[i]; p < from.first[i + 1]; p++)
      if (!keep || (*keep)[p]) take_leaf(from, p);
    if (weight.size() == leaves) return false;
    if (weight.size() == leaves + 1 && entry[leaves + 1] == entry[leaves]) {
      settle_last_leaf();
    } else {
      end_tree();
      take_multipliers(from, i);
    }
  }
  return true;
}

void Node::settle_last_leaf() {
  base += weight.back();
  settled.push_back(leaf.back());
  leaf.pop_back();
  weight.pop_back();
  entry.pop_back();
}

void Node::take_multipliers(const Node& from, int tree) {
  multipliers.insert(multipliers.end(), from.multipliers.begin() + from.multiplier_first[tree],
                     from.multipliers.begin() + from.multiplier_first[tree + 1]);
  multiplier_first.push_back(int(multipliers.size()));
}

void Node::take_leaf(const Node& from, int p) {
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
void Node::take_entry(const Entry& x) {
  if (region.inside(x)) return;
  const int j = x.variable;
  Entry clipped{j, std::max(x.low, region.low[j]), std::min(x.high, region.high[j]), x.missing && region.missing[j]};
  if (clipped.low > clipped.high) {
    clipped.low = kNoLow;
    clipped.high = kNoHigh;
  }
  entries.push_back(clipped);
}

}  // namespace primewood::search
