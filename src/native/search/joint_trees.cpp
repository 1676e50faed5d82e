#include "search/joint_trees.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace primewood::search {

JointTrees::JointTrees(const std::vector<JointPart>& parts, const VariableArrays& variables, VoteArrays empty_vote,
                       std::size_t most_nodes, Limits& limits)
    : vote(std::move(empty_vote)),
      parts_(parts),
      most_nodes_(most_nodes),
      limits_(limits),
      low_(variables.ordered.size(), 0),
      high_(variables.ordered),
      missing_(variables.has_missing) {
  for (int& high : high_) high--;
}

void JointTrees::add(bool paired, const TreeArrays& relations) {
  if (paired) {
    add_pairs();
  } else {
    add_each();
  }
  const int n_trees = trees.all_trees();
  for (const JointPart& part : parts_)
    for (int t = part.forest.n_trees; t < part.forest.all_trees(); t++) add_rule(part.forest, part.place, t);
  std::vector<int> same(low_.size());
  std::iota(same.begin(), same.end(), 0);
  for (int t = 0; t < relations.all_trees(); t++) add_rule(relations, same, t);
  trees.n_rules = trees.all_trees() - n_trees;
}

void JointTrees::add_pairs() {
  for (int t = 0; t < parts_[0].forest.n_trees; t++) {
    std::vector<int> at;
    for (const JointPart& part : parts_) at.push_back(part.forest.root[t]);
    add_tree(std::move(at));
  }
}

void JointTrees::add_each() {
  for (std::size_t p = 0; p < parts_.size(); p++)
    for (int t = 0; t < parts_[p].forest.n_trees; t++) {
      std::vector<int> at(parts_.size(), kNothing);
      at[p] = parts_[p].forest.root[t];
      add_tree(std::move(at));
    }
}

int JointTrees::add_node() {
  if (trees.nodes() >= most_nodes_) throw JointTooLarge{};
  if (trees.nodes() % 1024 == 0) limits_.check();
  trees.variable.push_back(-1);
  trees.prefix.push_back(0);
  trees.left.push_back(-1);
  trees.right.push_back(-1);
  trees.missing_left.push_back(0);
  trees.forbidden.push_back(0);
  vote.exact.push_back(1);
  vote.weight.resize(vote.weight.size() + vote.n_classes, 0);
  vote.value.resize(vote.value.size() + vote.start.size(), 0.0);
  return int(trees.nodes()) - 1;
}

// The tree of what the copies, each at a node of its own, decide together. It may be deep: the forks on the way down
// are kept in a list.
void JointTrees::add_tree(std::vector<int> at) {
  trees.root.push_back(int(trees.nodes()));
  std::vector<Fork> forks;
  for (;;) {
    for (int leading = settle(at); leading >= 0; leading = settle(at)) {
      forks.push_back(fork(at, leading));
      at = go_below(forks.back());
    }
    fill(add_node(), at);
    while (!forks.empty() && !forks.back().on_left) {
      widen(forks.back());
      forks.pop_back();
    }
    if (forks.empty()) return;
    turn(forks.back());
    at = go_below(forks.back());
  }
}

// Move every copy down as far as the current ranges leave no choice; the first that still has something to test, or
// -1.
int JointTrees::settle(std::vector<int>& at) const {
  int leading = -1;
  for (std::size_t p = 0; p < parts_.size(); p++) {
    if (at[p] == kNothing) continue;
    at[p] = settle_copy(parts_[p], at[p]);
    if (leading < 0 && parts_[p].forest.variable[at[p]] >= 0) leading = int(p);
  }
  return leading;
}

int JointTrees::settle_copy(const JointPart& part, int n) const {
  const Forest& f = part.forest;
  while (f.variable[n] >= 0) {
    const int j = part.place[f.variable[n]], k = f.prefix[n];
    const bool some = low_[j] <= high_[j], goes = f.missing_left[n] != 0;
    const bool left = (some && low_[j] < k) || (missing_[j] && goes);
    const bool right = (some && high_[j] >= k) || (missing_[j] && !goes);
    if (left && right) break;
    n = left ? f.left[n] : f.right[n];
  }
  return n;
}

// A new node with the test of the leading copy.
JointTrees::Fork JointTrees::fork(const std::vector<int>& at, int leading) {
  const Forest& f = parts_[leading].forest;
  const int node = add_node(), n = at[leading], j = parts_[leading].place[f.variable[n]];
  trees.variable[node] = j;
  trees.prefix[node] = f.prefix[n];
  trees.missing_left[node] = f.missing_left[n];
  trees.left[node] = node + 1;
  return {node, at, leading, low_[j], high_[j], missing_[j], true};
}

// From the left side of a fork, which is done, to the right one, which comes next.
void JointTrees::turn(Fork& fork) {
  widen(fork);
  fork.on_left = false;
  trees.right[fork.node] = int(trees.nodes());
}

// The copies on the side of a fork that is walked; the ranges are narrowed to it.
std::vector<int> JointTrees::go_below(const Fork& fork) {
  const Forest& f = parts_[fork.leading].forest;
  const int n = fork.at[fork.leading], j = trees.variable[fork.node];
  if (fork.on_left) {
    high_[j] = std::min(high_[j], f.prefix[n] - 1);
  } else {
    low_[j] = std::max(low_[j], f.prefix[n]);
  }
  missing_[j] = missing_[j] && (f.missing_left[n] != 0) == fork.on_left;
  std::vector<int> at(fork.at);
  at[fork.leading] = fork.on_left ? f.left[n] : f.right[n];
  return at;
}

void JointTrees::widen(const Fork& fork) {
  const int j = trees.variable[fork.node];
  low_[j] = fork.low;
  high_[j] = fork.high;
  missing_[j] = fork.missing;
}

// The leaf of a joint tree has the votes of all copies side by side.
void JointTrees::fill(int node, const std::vector<int>& at) {
  const std::size_t first_weight = std::size_t(node) * vote.n_classes, first_value = node * vote.start.size();
  for (std::size_t p = 0; p < parts_.size(); p++) {
    if (at[p] == kNothing) continue;
    const Forest& f = parts_[p].forest;
    std::copy_n(f.weights(at[p]), f.n_classes, &vote.weight[first_weight + parts_[p].first_class]);
    std::copy_n(f.leaf_values(at[p]), f.n_outputs, &vote.value[first_value + parts_[p].first_output]);
    if (!f.exact[at[p]]) vote.exact[node] = 0;
  }
}

// Copy a rule; its nodes come after one another.
void JointTrees::add_rule(const TreeArrays& from, const std::vector<int>& place, int tree) {
  const int begin = from.root[tree], end = from.end_of(tree), shift = int(trees.nodes()) - begin;
  trees.root.push_back(begin + shift);
  for (int n = begin; n < end; n++) {
    const int node = add_node();
    if (from.variable[n] < 0) {
      trees.forbidden[node] = from.forbidden[n];
      continue;
    }
    trees.variable[node] = place[from.variable[n]];
    trees.prefix[node] = from.prefix[n];
    trees.left[node] = from.left[n] + shift;
    trees.right[node] = from.right[n] + shift;
    trees.missing_left[node] = from.missing_left[n];
  }
}

}  // namespace primewood::search
