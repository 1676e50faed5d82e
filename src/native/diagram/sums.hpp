// Sums of trees as edge-valued diagrams: a node stands for a function up to a constant.
//
// An edge carries a vote that is added on the way down, and the first edge of every node carries zero, so two
// functions that differ by a constant are the same node. Node 0 of each level is the constant zero.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "diagram/levels.hpp"
#include "diagram/votes.hpp"

namespace primewood::diagram {

class Sums : public Levels<Edge> {
 public:
  Sums(std::vector<int> widths, Votes& votes, Limits& limits);

  // The function that adds one vote everywhere.
  static Edge constant(Id vote) { return {0, vote}; }

  // The function `left` where the variable of level `test` has a value in `goes_left`, else `right`.
  Edge choose(int test, const std::vector<std::uint8_t>& goes_left, Edge left, Edge right);

  Edge sum(Edge a, Edge b);

  Edge plus(Edge edge, Id vote) const { return {edge.node, votes_.sum(edge.vote, vote)}; }

  // The function of a level with these edges, which are normalised.
  Edge make(int level, std::vector<Edge>& edges);

  // Drop what the roots do not reach; they get their new ids.
  void trim(std::vector<Edge>& roots);

  // Swap a level with the next one; false, and nothing changes, if the lower one gets more than `most` nodes.
  bool swap_levels(int level, std::size_t most);

 private:
  struct Key {
    Id a, b, vote;
    bool operator==(const Key& other) const { return a == other.a && b == other.b && vote == other.vote; }
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };
  using Memo = std::unordered_map<Key, Edge, KeyHash>;
  struct Choice {
    int test;
    const std::vector<std::uint8_t>& goes_left;
    std::vector<Memo> memo;  // per level
  };

  static std::vector<Edge> zeros(int width);
  // Subtract the vote of the first edge from all; return it.
  Id normalise(std::vector<Edge>& edges) const;
  // The function `left`, or `right` plus the vote.
  Edge choose(int level, Choice& choice, Id left, Id right, Id vote);
  Edge choose_entry(int level, Choice& choice, int value, Edge left, Edge right);
  Edge sum(int level, Id a, Id b, std::vector<Memo>& memo);

  Votes& votes_;
};

}  // namespace primewood::diagram
