// The trees of a joint forest, put together from those of its parts.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "forest/forest.hpp"
#include "limits.hpp"

namespace primewood::search {

using forest::Forest;

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
  // `whole` has its variables and its numbers of classes and outputs; its trees are what is made here.
  JointTrees(const std::vector<JointPart>& parts, Forest& whole, std::size_t most_nodes, Limits& limits)
      : parts_(parts),
        whole_(whole),
        most_nodes_(most_nodes),
        limits_(limits),
        low_(whole.n_variables, 0),
        high_(whole.ordered),
        missing_(whole.has_missing) {
    for (int& high : high_) high--;
  }

  // Add all trees, those of the parts two by two or one after the other, then all rules.
  void add(bool paired, const Forest& relations) {
    paired ? add_pairs() : add_each();
    whole_.n_trees = int(whole_.root.size());
    for (const JointPart& part : parts_)
      for (int t = part.forest.n_trees; t < part.forest.all_trees(); t++) add_rule(part.forest, part.place, t);
    std::vector<int> same(relations.n_variables);
    std::iota(same.begin(), same.end(), 0);
    for (std::size_t t = 0; t < relations.root.size(); t++) add_rule(relations, same, int(t));
    whole_.n_rules = int(whole_.root.size()) - whole_.n_trees;
  }

 private:
  static constexpr int NOTHING = -1;

  void add_pairs() {
    for (int t = 0; t < parts_[0].forest.n_trees; t++) {
      std::vector<int> at;
      for (const JointPart& part : parts_) at.push_back(part.forest.root[t]);
      add_tree(at);
    }
  }

  void add_each() {
    for (std::size_t p = 0; p < parts_.size(); p++)
      for (int t = 0; t < parts_[p].forest.n_trees; t++) {
        std::vector<int> at(parts_.size(), NOTHING);
        at[p] = parts_[p].forest.root[t];
        add_tree(at);
      }
  }

  int add_node() {
    if (whole_.variable.size() >= most_nodes_) throw JointTooLarge{};
    if ((whole_.variable.size() & 1023) == 0) limits_.check();
    whole_.variable.push_back(-1);
    whole_.prefix.push_back(0);
    whole_.left.push_back(-1);
    whole_.right.push_back(-1);
    whole_.missing_left.push_back(0);
    whole_.exact.push_back(1);
    whole_.forbidden.push_back(0);
    whole_.weight.resize(whole_.weight.size() + whole_.n_classes, 0);
    whole_.value.resize(whole_.value.size() + whole_.n_outputs, 0.0);
    return int(whole_.variable.size()) - 1;
  }

  // A node of the joint tree, the nodes of the copies that it stands for, and what its variable may be there.
  struct Fork {
    int node;
    std::vector<int> at;
    int leading;  // the copy whose test it is
    int low, high;
    std::uint8_t missing;
    bool on_left;
  };

  // The tree of what the copies, each at a node of its own, decide together. It may be deep: the forks on the way down
  // are kept in a list.
  void add_tree(std::vector<int> at) {
    whole_.root.push_back(int(whole_.variable.size()));
    std::vector<Fork> forks;
    for (;;) {
      for (int leading; (leading = settle(at)) >= 0;) {
        forks.push_back(fork(at, leading));
        at = below(forks.back());
      }
      fill(add_node(), at);
      while (!forks.empty() && !forks.back().on_left) {
        widen(forks.back());
        forks.pop_back();
      }
      if (forks.empty()) return;
      turn(forks.back());
      at = below(forks.back());
    }
  }

  // Move every copy down as far as the current ranges leave no choice; the first that still has something to test, or
  // -1.
  int settle(std::vector<int>& at) const {
    int leading = -1;
    for (std::size_t p = 0; p < parts_.size(); p++) {
      if (at[p] == NOTHING) continue;
      at[p] = settled(parts_[p], at[p]);
      if (leading < 0 && parts_[p].forest.variable[at[p]] >= 0) leading = int(p);
    }
    return leading;
  }

  Fork fork(const std::vector<int>& at, int leading) {
    const Forest& f = parts_[leading].forest;
    const int node = add_node(), n = at[leading], j = parts_[leading].place[f.variable[n]];
    whole_.variable[node] = j;
    whole_.prefix[node] = f.prefix[n];
    whole_.missing_left[node] = f.missing_left[n];
    whole_.left[node] = node + 1;
    return {node, at, leading, low_[j], high_[j], missing_[j], true};
  }

  // From the left side of a fork, which is done, to the right one, which comes next.
  void turn(Fork& fork) {
    widen(fork);
    fork.on_left = false;
    whole_.right[fork.node] = int(whole_.variable.size());
  }

  // The copies on the side of a fork that is walked; the ranges are narrowed to it.
  std::vector<int> below(const Fork& fork) {
    const Forest& f = parts_[fork.leading].forest;
    const int n = fork.at[fork.leading], j = whole_.variable[fork.node];
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

  void widen(const Fork& fork) {
    const int j = whole_.variable[fork.node];
    low_[j] = fork.low;
    high_[j] = fork.high;
    missing_[j] = fork.missing;
  }

  // Go down as far as the current ranges leave no choice.
  int settled(const JointPart& part, int n) const {
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

  void fill(int node, const std::vector<int>& at) {
    for (std::size_t p = 0; p < parts_.size(); p++) {
      if (at[p] == NOTHING) continue;
      const Forest& f = parts_[p].forest;
      for (int c = 0; c < f.n_classes; c++)
        whole_.weight[std::size_t(node) * whole_.n_classes + parts_[p].first_class + c] =
            f.weight[std::size_t(at[p]) * f.n_classes + c];
      for (int c = 0; c < f.n_outputs; c++)
        whole_.value[std::size_t(node) * whole_.n_outputs + parts_[p].first_output + c] =
            f.value[std::size_t(at[p]) * f.n_outputs + c];
      if (!f.exact[at[p]]) whole_.exact[node] = 0;
    }
  }

  // Copy a rule; its nodes come after one another.
  void add_rule(const Forest& from, const std::vector<int>& place, int tree) {
    const int begin = from.root[tree];
    const int end = tree + 1 < int(from.root.size()) ? from.root[tree + 1] : int(from.variable.size());
    const int shift = int(whole_.variable.size()) - begin;
    whole_.root.push_back(begin + shift);
    for (int n = begin; n < end; n++) {
      const int node = add_node();
      if (from.variable[n] < 0) {
        whole_.forbidden[node] = from.forbidden[n];
        continue;
      }
      whole_.variable[node] = place[from.variable[n]];
      whole_.prefix[node] = from.prefix[n];
      whole_.left[node] = from.left[n] + shift;
      whole_.right[node] = from.right[n] + shift;
      whole_.missing_left[node] = from.missing_left[n];
    }
  }

  const std::vector<JointPart>& parts_;
  Forest& whole_;
  const std::size_t most_nodes_;
  Limits& limits_;
  std::vector<int> low_, high_;  // the ranges of the joint variables on the current path
  std::vector<std::uint8_t> missing_;
};

}  // namespace primewood::search
