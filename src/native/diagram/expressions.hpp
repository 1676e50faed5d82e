// Expressions as diagrams: literals, connectives, and the gate "at least k of these".
#pragma once

#include "diagram/decision.hpp"
#include "diagram/store.hpp"

namespace primewood::diagram {

class Expressions {
 public:
  Expressions(std::vector<int> width, std::size_t most_nodes, Limits& limits)
      : limits_(limits), store_(std::move(width), limits), most_nodes_(most_nodes) {
    store_.allow(most_nodes);
  }

  Store& store() { return store_; }
  Id constant(bool value) { return store_.sink(0, value); }

  Id literal(int level, const std::vector<std::uint8_t>& allowed) {
    std::vector<Id> row(store_.width(level));
    for (int v = 0; v < store_.width(level); v++) row[v] = store_.sink(level + 1, allowed[v]);
    Id node = store_.intern(level, row.data());
    for (int j = level - 1; j >= 0; j--) {
      row.assign(store_.width(j), node);
      node = store_.intern(j, row.data());
    }
    return node;
  }

  Id negation(Id a) {
    return store_.product(a, a, [](Id x, Id) { return 1 - x; });
  }
  Id conjunction(Id a, Id b) {
    return store_.product(a, b, [](Id x, Id y) { return x & y; });
  }
  Id disjunction(Id a, Id b) {
    return store_.product(a, b, [](Id x, Id y) { return x | y; });
  }

  // Each argument is a vote for class 1, and class 0 has k - 1 votes, which is enough for a tie.
  Id at_least(Int count, const std::vector<Id>& arguments) {
    std::vector<int> width;
    for (int j = 0; j < store_.depth(); j++) width.push_back(store_.width(j));
    Votes votes(2);
    Sums sums(width, votes, limits_);
    const Int one[2] = {0, 1}, rest[2] = {count - 1, 0};
    const Id yes = votes.of(one, true);
    std::vector<Edge> parts{{0, votes.of(rest, true)}};
    std::vector<std::vector<Edge>> known(store_.depth() + 1);
    for (Id a : arguments) parts.push_back(vote(0, a, yes, sums, known));
    Decision decision(sums, votes, {}, store_, 4 * most_nodes_);
    return decision.root(parts);
  }

 private:
  // A Boolean function as an edge-valued one: the vote where it is true.
  Edge vote(int j, Id a, Id yes, Sums& sums, std::vector<std::vector<Edge>>& known) {
    if (j == store_.depth()) return {0, a ? yes : Votes::kZero};
    if (a >= Id(known[j].size())) known[j].resize(a + 1, Edge{-1, -1});
    if (known[j][a].node < 0) {
      std::vector<Edge> edges;
      for (int v = 0; v < store_.width(j); v++) edges.push_back(vote(j + 1, store_.row(j, a)[v], yes, sums, known));
      known[j][a] = sums.make(j, edges);
    }
    return known[j][a];
  }

  Limits& limits_;
  Store store_;
  const std::size_t most_nodes_;
};

}  // namespace primewood::diagram
