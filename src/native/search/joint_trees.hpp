// The trees of a joint forest, put together from those of its parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "forest/forest.hpp"
#include "limits.hpp"

namespace primewood::search {

using forest::Forest;
using forest::TreeArrays;
using forest::VariableArrays;
using forest::VoteArrays;

// Thrown where the trees outgrow their cap.
struct JointTooLarge {};

// One of the forests, and for each of its variables the joint variable that it is.
struct JointPart {
  Forest forest;
  std::vector<int> place;
  int first_class = 0, first_output = 0;  // where its own begin among those of the joint forest
};

class JointTrees {
 public:
  // The empty vote has its number of classes, and a start per output; its leaves are what is made here.
  JointTrees(const std::vector<JointPart>& parts, const VariableArrays& variables, VoteArrays empty_vote,
             std::size_t most_nodes, Limits& limits);

  // Add all trees, those of the parts two by two or one after the other, then all rules.
  void add(bool paired, const TreeArrays& relations);

  TreeArrays trees;
  VoteArrays vote;

 private:
  static constexpr int kNothing = -1;  // a part that has no tree here

  // A node of the joint tree, the nodes of the copies that it stands for, and what its variable may be there.
  struct Fork {
    int node;
    std::vector<int> at;
    int leading;  // the copy whose test it is
    int low, high;
    std::uint8_t missing;
    bool on_left;
  };

  void add_pairs();
  void add_each();
  void add_tree(std::vector<int> at);
  int add_node();
  int settle(std::vector<int>& at) const;
  int settle_copy(const JointPart& part, int n) const;
  Fork fork(const std::vector<int>& at, int leading);
  void turn(Fork& fork);
  std::vector<int> go_below(const Fork& fork);
  void widen(const Fork& fork);
  void fill(int node, const std::vector<int>& at);
  void add_rule(const TreeArrays& from, const std::vector<int>& place, int tree);

  const std::vector<JointPart>& parts_;
  const std::size_t most_nodes_;
  Limits& limits_;
  std::vector<int> low_, high_;  // the ranges of the joint variables on the current path
  std::vector<std::uint8_t> missing_;
};

}  // namespace primewood::search
