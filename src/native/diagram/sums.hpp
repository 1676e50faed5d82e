// Sums of trees as edge-valued diagrams: a node stands for a function up to a constant.
//
// An edge carries a vote that is added on the way down, and the first edge of every node carries zero, so two
// functions that differ by a constant are the same node. Node 0 of each level is the constant zero.
#pragma once

#include <unordered_map>

#include "diagram/levels.hpp"
#include "diagram/votes.hpp"

namespace primewood::diagram {

class Sums : public Levels<Edge> {
 public:
  Sums(std::vector<int> widths, Votes& votes, Limits& limits) : Levels(std::move(widths), limits), votes_(votes) {
    for (int j = 0; j < depth(); j++) {
      const std::vector<Edge> zeros(width(j), Edge{0, Votes::kZero});
      intern(j, zeros.data());
    }
  }

  // `left` where the variable of level `test` has a value in `goes_left`, else `right`.
  Edge choose(int test, const std::vector<std::uint8_t>& goes_left, Edge left, Edge right) {
    Choices choices{test, goes_left, std::vector<Memo>(test + 1)};
    return plus(choose(0, choices, left.node, right.node, votes_.difference(right.vote, left.vote)), left.vote);
  }

  Edge sum(Edge a, Edge b) {
    std::vector<Memo> memo(depth());
    return plus(sum(0, a.node, b.node, memo), votes_.sum(a.vote, b.vote));
  }

  Edge plus(Edge e, Id vote) const { return {e.node, votes_.sum(e.vote, vote)}; }

  // The node with these edges, up to a constant.
  Edge make(int j, std::vector<Edge>& edges) {
    const Id base = normalise(edges);
    return {intern(j, edges.data()), base};
  }

  void trim(std::vector<Edge>& roots) { Levels::trim(roots, 1); }

  bool swap(int j, std::size_t most) {
    RowTable<Id> below = table(width(j));
    const std::vector<Edge> zeros(width(j), Edge{0, Votes::kZero});
    below.intern(&zeros[0].node);
    return Levels::swap(
        j, most, std::move(below), [&](const Edge& a, const Edge& b) { return plus(b, a.vote); },
        [&](std::vector<Edge>& column, RowTable<Id>& table) {
          const Id base = normalise(column);
          return Edge{table.intern(&column[0].node), base};
        });
  }

 private:
  struct Key {
    Id a, b, vote;
    bool operator==(const Key& k) const { return a == k.a && b == k.b && vote == k.vote; }
  };
  struct Hash {
    std::size_t operator()(const Key& k) const { return hash_of(&k.a, 3); }
  };
  using Memo = std::unordered_map<Key, Edge, Hash>;
  struct Choices {
    int test;
    const std::vector<std::uint8_t>& goes_left;
    std::vector<Memo> memo;
  };

  // Subtract the vote of the first edge from all; return it.
  Id normalise(std::vector<Edge>& edges) {
    const Id base = edges[0].vote;
    for (Edge& e : edges) e.vote = votes_.difference(e.vote, base);
    return base;
  }

  // left, or right + vote
  Edge choose(int j, Choices& choices, Id left, Id right, Id vote) {
    if (left == right && vote == Votes::kZero) return {left, Votes::kZero};
    const Key key{left, right, vote};
    if (const auto known = choices.memo[j].find(key); known != choices.memo[j].end()) return known->second;
    std::vector<Edge> edges(width(j));
    for (int v = 0; v < width(j); v++) {
      const Edge l = row(j, left)[v], r = plus(row(j, right)[v], vote);
      if (j == choices.test) {
        edges[v] = choices.goes_left[v] ? l : r;
      } else {
        const Id apart = votes_.difference(r.vote, l.vote);
        edges[v] = plus(choose(j + 1, choices, l.node, r.node, apart), l.vote);
      }
    }
    return choices.memo[j][key] = make(j, edges);
  }

  Edge sum(int j, Id a, Id b, std::vector<Memo>& memo) {
    if (a == 0 || b == 0) return {a + b, Votes::kZero};
    const Key key{std::min(a, b), std::max(a, b), Votes::kZero};
    if (const auto known = memo[j].find(key); known != memo[j].end()) return known->second;
    std::vector<Edge> edges(width(j));
    for (int v = 0; v < width(j); v++) {
      const Edge x = row(j, a)[v], y = row(j, b)[v];
      const bool again = v > 0 && x == row(j, a)[v - 1] && y == row(j, b)[v - 1];
      edges[v] = again ? edges[v - 1] : plus(sum(j + 1, x.node, y.node, memo), votes_.sum(x.vote, y.vote));
    }
    return memo[j][key] = make(j, edges);
  }

  Votes& votes_;
};

// The trees of a forest as edge-valued diagrams; `place[x]` is the level of variable x.
class Trees {
 public:
  // What a leaf adds: its weights (`kModel`), one for its largest class (`kHard`), or a number that tells apart
  // leaves with different values, however they round (`kIdentity`).
  enum Vote { kModel, kHard, kIdentity };

  Trees(const Forest& f, const std::vector<int>& place, Votes& votes, Sums& sums, Vote vote)
      : f_(f), place_(place), votes_(votes), sums_(sums), vote_(vote), values_(2 * f.n_outputs) {}

  // Children first. A tree may be deep: the nodes on the way down are kept in a list. Tests of sets of values share
  // their children, so a node may be met again.
  Edge tree(int t) {
    known_.clear();
    std::vector<int> open{f_.root[t]};
    while (!open.empty()) {
      const int n = open.back(), next = first_unknown(n);
      if (next >= 0) {
        open.push_back(next);
        continue;
      }
      if (!known_.count(n)) known_[n] = f_.variable[n] < 0 ? Edge{0, leaf(n)} : inner(n);
      open.pop_back();
    }
    return known_[f_.root[t]];
  }

 private:
  // The first child whose diagram is not made yet, or -1.
  int first_unknown(int n) const {
    if (f_.variable[n] < 0) return -1;
    for (int child : {f_.left[n], f_.right[n]})
      if (!known_.count(child)) return child;
    return -1;
  }

  Edge inner(int n) {
    const int x = f_.variable[n];
    std::vector<std::uint8_t> goes_left(f_.values(x));
    for (int v = 0; v < f_.values(x); v++)
      goes_left[v] = v < f_.ordered[x] ? v < f_.prefix[n] : f_.missing_left[n] != 0;
    return sums_.choose(place_[x], goes_left, known_.at(f_.left[n]), known_.at(f_.right[n]));
  }

  Id leaf(int n) {
    const Int* weights = &f_.weight[std::size_t(n) * f_.n_classes];
    if (vote_ == kModel) return votes_.of(weights, f_.exact[n] != 0);
    if (vote_ == kIdentity) {
      std::vector<std::int32_t> bits(2 * f_.n_outputs);
      std::memcpy(bits.data(), &f_.value[std::size_t(n) * f_.n_outputs], bits.size() * sizeof(std::int32_t));
      const Int number = values_.intern(bits.data());
      return votes_.of(&number, true);
    }
    std::vector<Int> one(f_.n_classes, 0);
    one[std::max_element(weights, weights + f_.n_classes) - weights] = 1;
    return votes_.of(one.data(), true);
  }

  const Forest& f_;
  const std::vector<int>& place_;
  Votes& votes_;
  Sums& sums_;
  const Vote vote_;
  RowTable<std::int32_t> values_;
  std::unordered_map<int, Edge> known_;
};

}  // namespace primewood::diagram
