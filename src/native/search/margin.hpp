// The margin of a rival class over the decided one, on the leaves that a box can reach.
//
// Exactness ("slack per leaf"): a leaf that is flagged exact counts as it is. Any other leaf
// gets the whole band of possible rounding on top, so a sum below the threshold proves that the library
// does not decide for the rival; a sum in the doubtful zone above it is settled by the library's own
// float sum.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "search/restriction.hpp"

namespace primewood::search {

using forest::kForbidden;
using forest::Link;

// The ranks of one variable that a path allows: [low, high], and "missing" if flagged.
// Without ordered ranks: low > high.
struct Entry {
  int variable, low, high;
  bool missing;
};

constexpr int NONE_LOW = 1 << 29, NONE_HIGH = -1;

struct Leaf {
  Int weight;
  int begin, end;  // entries; those of sorted leaves are not consecutive, so both are kept
  int node;        // a leaf of the forest, one of those that were merged
};

// A node of a tree of which only what the box can reach is left. A leaf has no variable.
struct Branch {
  int variable, split;  // ranks below the split go left
  int left, right;
  bool missing_left;
  Int weight;
};

class Margin {
 public:
  explicit Margin(const Restriction& r)
      : box(r),
        forest(r.forest),
        low_(forest.n_variables),
        high_(forest.n_variables),
        missing_(forest.n_variables),
        on_path_(forest.n_variables, 0),
        testing_(forest.n_variables) {}

  const Restriction& box;
  const Forest& forest;
  int label = 0, rival = 0;
  Int threshold = 0;  // a sum below it is no counterexample
  Int sure = 0;       // a sum from here on is one
  Int base = 0;       // the sum of the trees that have one reachable leaf left
  std::vector<Leaf> leaves;
  std::vector<Entry> entries;
  std::vector<int> first, last;  // per tree that still varies: its leaves, heaviest first
  std::vector<int> settled;      // the leaves (nodes of the forest) of the other trees
  std::vector<Branch> branches;  // what is left of these trees
  std::vector<int> roots;        // per tree that still varies: its first branch

  void choose(int decided, int other) {
    label = decided;
    rival = other;
    threshold = other < decided ? 0 : 1;  // a tie goes to the class that comes first
    sure = threshold + Int(forest.rounding_trees + 1) * forest.band;
    if (int(known_.size()) < forest.n_classes) known_.resize(forest.n_classes);
    if (known_label_ != decided) {
      for (auto& known : known_) known.clear();
      known_label_ = decided;
    }
    if (known_[other].empty()) weigh(known_[other]);
    weights_ = known_[other].data();
  }

  // No margin in particular: leaves weigh nothing, and those are merged that are alike for every class.
  void choose_none() {
    label = rival = -1;
    nothing_.resize(forest.variable.size(), 0);
    for (std::size_t n = 0; n < nothing_.size(); n++)
      if (forest.forbidden[n]) nothing_[n] = kForbidden;
    weights_ = nothing_.data();
  }

  Int weight(int leaf) const { return weights_[leaf]; }
  bool forbidden(const Leaf& leaf) const { return forest.forbidden[leaf.node] != 0; }

  // Whether every rule still has a leaf that is allowed; the leaves have been collected.
  bool possible() const {
    if (forest.n_rules == 0) return true;
    return std::none_of(settled.begin(), settled.end(), [&](int node) { return forest.forbidden[node]; }) &&
           std::none_of(first.begin(), first.end(), [&](int p) { return forbidden(leaves[p]); });
  }

  // The largest sum if every tree could pick its own best reachable leaf.
  Int bound() {
    open();
    Int total = 0;
    for (int t = 0; t < forest.all_trees(); t++) total += best(forest.root[t]);
    return total;
  }

  // Collect what the box can reach of the trees, siblings that are alike merged.
  void collect() {
    open();
    leaves.clear();
    entries.clear();
    first.clear();
    last.clear();
    branches.clear();
    roots.clear();
    settled.clear();
    for (auto& trees : testing_) trees.clear();
    base = 0;
    for (int t = 0; t < forest.all_trees(); t++) {
      const int from = int(leaves.size()), root = int(branches.size());
      gather(forest.root[t]);
      if (int(leaves.size()) == from + 1) {
        base += leaves[from].weight;
        settled.push_back(leaves[from].node);
        entries.resize(leaves[from].begin);
        leaves.resize(from);
        branches.resize(root);
        continue;
      }
      for (std::size_t b = root; b < branches.size(); b++) {
        if (branches[b].variable < 0) continue;
        auto& trees = testing_[branches[b].variable];
        if (trees.empty() || trees.back() != root) trees.push_back(root);
      }
      roots.push_back(root);
      std::sort(leaves.begin() + from, leaves.end(), [](const Leaf& a, const Leaf& b) {
        if (a.weight != b.weight) return a.weight > b.weight;
        if (a.end - a.begin != b.end - b.begin) return a.end - a.begin < b.end - b.begin;
        return a.begin < b.begin;
      });
      first.push_back(from);
      last.push_back(int(leaves.size()));
    }
  }

  // The roots of the trees that still test a variable.
  const std::vector<int>& testing(int j) const { return testing_[j]; }

  // "Missing" is the rank after the last one, so it is right of every split.
  bool goes_left(const Branch& branch, int rank) const {
    return rank < branch.split || (branch.missing_left && rank >= box.size[branch.variable]);
  }

  // Whether a point of ranks, whose weights sum to `total`, is decided otherwise.
  bool is_counterexample(const std::vector<int>& x, Int total) {
    if (total < threshold) return false;
    if (total >= sure) return true;
    if (forest.any_order) return some_order_reaches(x);
    box.values(x, point_);
    return forest.decide(point_.data()) != label;
  }

  Int total_at(const std::vector<int>& x) const {
    Int total = base;
    for (int b : roots) {
      while (branches[b].variable >= 0)
        b = goes_left(branches[b], x[branches[b].variable]) ? branches[b].left : branches[b].right;
      total += branches[b].weight;
    }
    return total;
  }

 private:
  // Whether rounding, in some order of summation, could take the rival's score to the threshold.
  bool some_order_reaches(const std::vector<int>& x) const {
    Int total = 0;
    bool rounds = false;
    for (int t = 0; t < forest.all_trees(); t++) {
      const int n = box.leaf(t, x.data());
      total += weight(n) - (forest.exact[n] ? 0 : forest.band);
      rounds = rounds || !forest.exact[n];
    }
    return total + (rounds ? forest.band : 0) >= threshold;
  }

  // Whether two leaves are one for every question about this margin: the library adds the same numbers for
  // both classes, or, where the decision depends on more than these two scores, for all. Equal weights alone are not
  // enough: 1/3 and 1/3 + 1/2 - 1/2 may be rounded differently.
  bool alike(const Leaf& a, const Leaf& b) const {
    if (a.weight != b.weight) return false;
    const double* u = &forest.value[std::size_t(a.node) * forest.n_outputs];
    const double* v = &forest.value[std::size_t(b.node) * forest.n_outputs];
    if (label >= 0 && forest.band == 0) return true;
    if (label >= 0 && forest.cuts.empty() && forest.link == Link::identity)
      return u[label] == v[label] && u[rival] == v[rival];
    return forest.exact[a.node] == forest.exact[b.node] && std::equal(u, u + forest.n_outputs, v);
  }

  // The margin of every leaf for the current rival; the same for all boxes.
  void weigh(std::vector<Int>& weights) const {
    weights.resize(forest.variable.size());
    for (std::size_t n = 0; n < weights.size(); n++) {
      const Int* w = &forest.weight[n * forest.n_classes];
      weights[n] = forest.forbidden[n] ? kForbidden : w[rival] - w[label] + (forest.exact[n] ? 0 : forest.band);
    }
  }

  void open() {
    for (int j = 0; j < forest.n_variables; j++) {
      low_[j] = box.size[j] ? 0 : NONE_LOW;
      high_[j] = box.size[j] ? box.size[j] - 1 : NONE_HIGH;
      missing_[j] = box.missing[j];
    }
  }

  // Whether what is left of a node's variable can go left, and right.
  struct Sides {
    bool left, right;
  };

  Sides sides(int n) const {
    const auto& node = box.nodes[n];
    const int j = node.variable, k = node.split;
    const bool goes = node.missing_left;
    return {low_[j] < k || (missing_[j] && goes), high_[j] >= k || (missing_[j] && !goes)};
  }

  // A node both of whose sides are open, and what its variable may be there.
  struct Fork {
    int node, low, high;
    bool missing, on_left;
  };

  // Visit, from left to right, the leaves of a tree that the box can reach. A tree may be as deep as it has nodes, so
  // the forks on the way down are kept in a list of our own.
  template <class Visitor>
  void walk(int n, Visitor&& visit) {
    for (;;) {
      while (box.nodes[n].variable >= 0) {
        const Sides s = sides(n);
        if (s.left && s.right) {
          const int j = box.nodes[n].variable;
          forks_.push_back({n, low_[j], high_[j], missing_[j] != 0, true});
          visit.enter(n);
          narrow(n, true);
        }
        n = s.left ? box.nodes[n].left : box.nodes[n].right;
      }
      visit.leaf(n);
      while (!forks_.empty() && !forks_.back().on_left) {
        widen(forks_.back());
        forks_.pop_back();
        visit.leave();
      }
      if (forks_.empty()) return;
      forks_.back().on_left = false;
      widen(forks_.back());
      visit.turn();
      n = forks_.back().node;
      narrow(n, false);
      n = box.nodes[n].right;
    }
  }

  // Take what a node sends to one side.
  void narrow(int n, bool left) {
    const auto& node = box.nodes[n];
    const int j = node.variable;
    if (left) {
      high_[j] = std::min(high_[j], node.split - 1);
    } else {
      low_[j] = std::max(low_[j], node.split);
    }
    if (low_[j] > high_[j]) {
      low_[j] = NONE_LOW;
      high_[j] = NONE_HIGH;
    }
    missing_[j] = missing_[j] && node.missing_left == left;
  }

  void widen(const Fork& fork) {
    const int j = box.nodes[fork.node].variable;
    low_[j] = fork.low;
    high_[j] = fork.high;
    missing_[j] = fork.missing;
  }

  // The heaviest leaf.
  struct Heaviest {
    const Margin& margin;
    Int weight = std::numeric_limits<Int>::min();

    void enter(int) {}
    void turn() {}
    void leave() {}
    void leaf(int n) { weight = std::max(weight, margin.weight(n)); }
  };

  Int best(int root) {
    Heaviest heaviest{*this};
    walk(root, heaviest);
    return heaviest.weight;
  }

  // The leaves and the branches above them, siblings that are alike merged.
  struct Gatherer {
    Margin& margin;

    void enter(int n) {
      const auto& node = margin.box.nodes[n];
      const int branch = int(margin.branches.size());
      margin.branches.push_back({node.variable, node.split, branch + 1, 0, node.missing_left, 0});
      margin.gathering_.push_back({int(margin.leaves.size()), 0, branch, margin.lengthen_path(node.variable)});
    }

    void turn() {
      auto& half = margin.gathering_.back();
      half.middle = int(margin.leaves.size());
      margin.branches[half.branch].right = int(margin.branches.size());
    }

    void leave() {
      const Gathered whole = margin.gathering_.back();
      margin.gathering_.pop_back();
      if (whole.tests_first) margin.shorten_path();
      margin.merge(whole);
    }

    void leaf(int n) { margin.emit(n); }
  };

  // What was there when a fork was entered: leaves, then those of its left side, and branches.
  struct Gathered {
    int first, middle, branch;
    bool tests_first;  // no fork above it tests the same variable
  };

  void gather(int root) { walk(root, Gatherer{*this}); }

  bool lengthen_path(int j) {
    if (on_path_[j]) return false;
    on_path_[j] = 1;
    path_.push_back(j);
    return true;
  }

  void shorten_path() {
    on_path_[path_.back()] = 0;
    path_.pop_back();
  }

  void emit(int node) {
    const int begin = int(entries.size());
    for (int j : path_) entries.push_back({j, low_[j], high_[j], missing_[j] != 0});
    leaves.push_back({weight(node), begin, int(entries.size()), node});
    branches.push_back({-1, 0, 0, 0, false, weight(node)});
  }

  // Two leaves that are alike become one.
  void merge(const Gathered& fork) {
    if (fork.middle != fork.first + 1 || int(leaves.size()) != fork.first + 2) return;
    if (!alike(leaves[fork.first], leaves[fork.middle])) return;
    const int node = leaves[fork.first].node;
    entries.resize(leaves[fork.first].begin);
    leaves.resize(fork.first);
    branches.resize(fork.branch);
    emit(node);
  }

  std::vector<int> low_, high_;
  std::vector<std::uint8_t> missing_, on_path_;
  std::vector<int> path_, point_;
  std::vector<Fork> forks_;                // on the way down, while a tree is walked
  std::vector<Gathered> gathering_;        // one per fork, while leaves are gathered
  std::vector<std::vector<int>> testing_;  // per variable
  std::vector<std::vector<Int>> known_;    // per rival: the margin of every leaf
  std::vector<Int> nothing_;
  int known_label_ = -1;
  const Int* weights_ = nullptr;
};

}  // namespace primewood::search
