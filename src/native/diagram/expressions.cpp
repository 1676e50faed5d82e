#include "diagram/expressions.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "diagram/decision.hpp"
#include "diagram/sifting.hpp"

namespace primewood::diagram {

namespace {

constexpr std::size_t kStatesPerNode = 4;  // that a gate may expand, for each node that is allowed

}  // namespace

Expressions::Expressions(std::vector<int> widths, std::size_t most_nodes, Limits& limits)
    : limits_(limits), store_(std::move(widths), limits), most_nodes_(most_nodes) {
  assert(store_.depth() <= kMostLevels);
  store_.set_cap(most_nodes);
}

Id Expressions::constant(bool value) { return store_.sink(0, value ? 1 : 0); }

Id Expressions::literal(int level, const std::vector<std::uint8_t>& allowed) {
  assert(level >= 0 && level < store_.depth() && static_cast<int>(allowed.size()) == store_.width(level));
  std::vector<Id> row(store_.width(level));
  for (int v = 0; v < store_.width(level); v++) row[v] = store_.sink(level + 1, allowed[v] != 0 ? 1 : 0);
  Id node = store_.intern(level, row.data());
  for (int j = level - 1; j >= 0; j--) {
    row.assign(store_.width(j), node);
    node = store_.intern(j, row.data());
  }
  return node;
}

Id Expressions::negation(Id a) {
  return store_.product(a, a, [](Id x, Id) { return 1 - x; });
}

Id Expressions::conjunction(Id a, Id b) {
  return store_.product(a, b, [](Id x, Id y) { return std::min(x, y); });
}

Id Expressions::disjunction(Id a, Id b) {
  return store_.product(a, b, [](Id x, Id y) { return std::max(x, y); });
}

// Each argument is a vote for class 1, and class 0 has k - 1 votes, which is enough for a tie.
Id Expressions::at_least(Int count, const std::vector<Id>& arguments) {
  Votes votes(2);
  Sums sums(store_.widths(), votes, limits_);
  const Int one[2] = {0, 1}, rest[2] = {count - 1, 0};
  const Id yes = votes.make(one, true);
  std::vector<Edge> parts{Sums::constant(votes.make(rest, true))};
  VotesByNode known(store_.depth());
  for (const Id a : arguments) parts.push_back(make_vote(0, a, yes, sums, known));
  return Decision(sums, votes, {}, store_, kStatesPerNode * most_nodes_).decide(parts);
}

Edge Expressions::make_vote(int level, Id node, Id yes, Sums& sums, VotesByNode& known) const {
  if (level == store_.depth()) return Sums::constant(node == 1 ? yes : Votes::kZero);
  if (node >= static_cast<Id>(known[level].size())) known[level].resize(node + 1, Edge{kNone, kNone});
  if (known[level][node].node == kNone) {
    std::vector<Edge> edges(store_.width(level));
    for (int v = 0; v < store_.width(level); v++)
      edges[v] = make_vote(level + 1, store_.row(level, node)[v], yes, sums, known);
    known[level][node] = sums.make(level, edges);
  }
  return known[level][node];
}

OrderedDiagram Expressions::finish(Id root, std::vector<int> order, double work) {
  std::vector<Id> roots{root};
  store_.trim(roots);
  store_.set_cap(SIZE_MAX);
  Sifting(store_, order, work).run_within_limits();
  return {Diagram(store_, roots[0], 2), std::move(order)};
}

}  // namespace primewood::diagram
