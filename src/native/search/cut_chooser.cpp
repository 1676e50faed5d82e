#include "search/cut_chooser.hpp"

namespace primewood::search {

void CutChooser::count(const Node& node, const std::vector<int>& picked) {
  for (int p : picked) {
    for (int e = node.entry[p]; e < node.entry[p + 1]; e++) {
      const Entry& x = node.entries[e];
      const int j = x.variable;
      if (x.low > x.high) continue;
      if (x.low > node.region.low[j]) dispute_.say_from(j, x.low, 1);
      if (x.high < node.region.high[j]) dispute_.say_up_to(j, x.high, 1);
    }
  }
}

Cut CutChooser::choose(const Node& node) {
  const Region& region = node.region;
  const Cut disputed = dispute_.choose_in_order(region);
  if (disputed.found()) return disputed;
  for (const Entry& x : node.entries) {
    const int j = x.variable;
    if (region.missing[j] && region.has_ranks(j)) return {j, -1};
    if (x.low > region.low[j] && x.low <= region.high[j]) return {j, x.low - 1};
    if (x.high < region.high[j] && x.high >= region.low[j]) return {j, x.high};
  }
  return {};
}

}  // namespace primewood::search
