#include "diagram/part_tables.hpp"

#include <algorithm>

namespace primewood::diagram {

LeastDifferences::LeastDifferences(const Sums& parts, const Votes& votes, const ClassPairs& pairs)
    : pairs_(pairs.size()), least_(parts.depth() + 1) {
  least_.back().assign(pairs_, 0);
  for (int j = parts.depth() - 1; j >= 0; j--) fill(j, parts, votes, pairs);
}

void LeastDifferences::fill(int level, const Sums& parts, const Votes& votes, const ClassPairs& pairs) {
  least_[level].assign(parts.nodes(level) * pairs_, INT64_MAX);
  for (Id i = 0; i < parts.nodes(level); i++) {
    const Edge* edges = parts.row(level, i);
    Int* least = least_[level].data() + i * pairs_;
    for (int v = 0; v < parts.width(level); v++) {
      if (v > 0 && edges[v] == edges[v - 1]) continue;
      const Int* below = row(level + 1, edges[v].node);
      const Int* vote = votes.row(edges[v].vote);
      for (int p = 0; p < pairs.size(); p++) least[p] = std::min(least[p], below[p] + pairs.difference(vote, p));
    }
  }
}

Changes::Changes(const Sums& parts) : changes_(parts.depth()) {
  for (int j = 0; j < parts.depth(); j++) {
    words_.push_back(parts.width(j) / 64 + 1);
    fill(j, parts);
  }
}

void Changes::fill(int level, const Sums& parts) {
  changes_[level].assign(parts.nodes(level) * words_[level], 0);
  for (Id i = 0; i < parts.nodes(level); i++) {
    const Edge* edges = parts.row(level, i);
    std::uint64_t* bits = changes_[level].data() + i * words_[level];
    for (int v = 1; v < parts.width(level); v++)
      if (edges[v] != edges[v - 1]) bits[v / 64] |= std::uint64_t{1} << v % 64;
  }
}

void Changes::collect(int level, const std::vector<Id>& nodes, Bits& found) const {
  const std::size_t words = words_[level];
  found.assign(words, 0);
  for (const Id node : nodes) {
    const std::uint64_t* bits = changes_[level].data() + node * words;
    for (std::size_t w = 0; w < words; w++) found[w] |= bits[w];
  }
}

}  // namespace primewood::diagram
