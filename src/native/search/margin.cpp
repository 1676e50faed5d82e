#include "search/margin.hpp"

#include <algorithm>
#include <limits>

namespace primewood::search {

using forest::kForbidden;
using forest::Link;

Margin::Margin(const Restriction& r, Limits& limits)
    : box(r),
      forest(r.forest),
      limits_(limits),
      low_(forest.n_variables),
      high_(forest.n_variables),
      missing_(forest.n_variables),
      on_path_(forest.n_variables, 0),
      testing_(forest.n_variables) {}

void Margin::choose(int decided, int other) {
  assert(decided != other);
  label = decided;
  rival = other;
  threshold = other < decided ? 0 : 1;  // a tie goes to the class that comes first
  sure = threshold + Int(forest.rounding_trees + 1) * forest.band;
  collected_ = false;
  if (int(known_.size()) < forest.n_classes) known_.resize(forest.n_classes);
  if (known_label_ != decided) {
    for (auto& known : known_) known.clear();
    known_label_ = decided;
  }
  if (known_[other].empty()) weigh(known_[other]);
  weights_ = known_[other].data();
}

void Margin::choose_none() {
  label = rival = -1;
  collected_ = false;
  nothing_.resize(forest.nodes(), 0);
  for (std::size_t n = 0; n < nothing_.size(); n++)
    if (forest.forbidden[n]) nothing_[n] = kForbidden;
  weights_ = nothing_.data();
}

// The margin of every leaf for the current rival; the same for all boxes.
void Margin::weigh(std::vector<Int>& weights) const {
  weights.resize(forest.nodes());
  for (std::size_t n = 0; n < weights.size(); n++) {
    const Int* w = forest.weights(int(n));
    weights[n] = forest.forbidden[n] ? kForbidden : w[rival] - w[label] + (forest.exact[n] ? 0 : forest.band);
  }
}

bool Margin::possible() const {
  assert(collected_);
  if (forest.n_rules == 0) return true;
  return std::none_of(settled.begin(), settled.end(), [&](int node) { return forest.forbidden[node]; }) &&
         std::none_of(first.begin(), first.end(), [&](int p) { return forbidden(leaves[p]); });
}

Int Margin::bound() {
  open();
  Int total = 0;
  for (int t = 0; t < forest.all_trees(); t++) total += heaviest(forest.root[t]);
  return total;
}

void Margin::collect() {
  open();
  clear();
  for (int t = 0; t < forest.all_trees(); t++) {
    collect_tree(t);
    if (t == 0) make_room();
  }
  collected_ = true;
}

// Room for as many trees like the first one. Where they are large, moving what is collected to a larger place takes
// long.
void Margin::make_room() {
  const std::size_t trees = std::size_t(forest.all_trees());
  leaves.reserve(trees * leaves.size());
  entries.reserve(trees * entries.size());
  branches.reserve(trees * branches.size());
}

void Margin::clear() {
  leaves.clear();
  entries.clear();
  first.clear();
  last.clear();
  branches.clear();
  roots.clear();
  settled.clear();
  for (auto& trees : testing_) trees.clear();
  base = 0;
}

bool Margin::is_counterexample(const std::vector<int>& x, Int total) const {
  assert(label >= 0);
  if (total < threshold) return false;
  if (total >= sure) return true;
  if (forest.any_order) return some_order_reaches(x);
  std::vector<int> point;
  box.to_values(x, point);
  return forest.decide(point.data()) != label;
}

// Whether rounding, in some order of summation, could take the rival's score to the threshold.
bool Margin::some_order_reaches(const std::vector<int>& x) const {
  Int total = 0;
  bool rounds = false;
  for (int t = 0; t < forest.all_trees(); t++) {
    const int n = box.leaf(t, x.data());
    total += weight(n) - (forest.exact[n] ? 0 : forest.band);
    rounds = rounds || !forest.exact[n];
  }
  return total + (rounds ? forest.band : 0) >= threshold;
}

// The library adds the same numbers for both classes, or, where the decision depends on more than these two scores, for
// all. Equal weights alone are not enough: 1/3 and 1/3 + 1/2 - 1/2 may be rounded differently.
bool Margin::alike(const Leaf& a, const Leaf& b) const {
  if (a.weight != b.weight) return false;
  const double* u = forest.leaf_values(a.node);
  const double* v = forest.leaf_values(b.node);
  if (label >= 0 && forest.band == 0) return true;
  if (label >= 0 && forest.cuts.empty() && forest.link == Link::kIdentity)
    return u[label] == v[label] && u[rival] == v[rival];
  return forest.exact[a.node] == forest.exact[b.node] && std::equal(u, u + forest.n_outputs, v);
}

// Start from all that the box allows, even where a walk was broken off before.
void Margin::open() {
  assert(box.is_set() && weights_);
  while (!path_.empty()) shorten_path();
  forks_.clear();
  gathering_.clear();
  for (int j = 0; j < forest.n_variables; j++) {
    low_[j] = box.size[j] ? 0 : kNoLow;
    high_[j] = box.size[j] ? box.size[j] - 1 : kNoHigh;
    missing_[j] = box.missing[j];
  }
}

// Whether what is left of a node's variable can go left, and right.
Margin::Sides Margin::sides(int n) const {
  const auto& test = box.tests[n];
  const int j = test.variable, k = test.split;
  const bool goes = test.missing_left;
  return {low_[j] < k || (missing_[j] && goes), high_[j] >= k || (missing_[j] && !goes)};
}

// Visit, from left to right, the leaves of a tree that the box can reach. A tree may be as deep as it has nodes, so
// the forks on the way down are kept in a list of our own.
template <class Visitor>
void Margin::walk(int n, Visitor&& visit) {
  for (;;) {
    if (++walked_ % kOften == 0) limits_.check();
    visit.leaf(walk_down(n, visit));
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
    n = box.tests[n].right;
  }
}

// The first leaf below a node.
template <class Visitor>
int Margin::walk_down(int n, Visitor& visit) {
  while (box.tests[n].variable >= 0) {
    const Sides open = sides(n);
    if (open.left && open.right) {
      const int j = box.tests[n].variable;
      forks_.push_back({n, low_[j], high_[j], missing_[j] != 0, true});
      visit.enter(n);
      narrow(n, true);
    }
    n = open.left ? box.tests[n].left : box.tests[n].right;
  }
  return n;
}

// Take what a node sends to one side.
void Margin::narrow(int n, bool left) {
  const auto& test = box.tests[n];
  const int j = test.variable;
  if (left) {
    high_[j] = std::min(high_[j], test.split - 1);
  } else {
    low_[j] = std::max(low_[j], test.split);
  }
  if (low_[j] > high_[j]) {
    low_[j] = kNoLow;
    high_[j] = kNoHigh;
  }
  missing_[j] = missing_[j] && test.missing_left == left;
}

void Margin::widen(const Fork& fork) {
  const int j = box.tests[fork.node].variable;
  low_[j] = fork.low;
  high_[j] = fork.high;
  missing_[j] = fork.missing;
}

// A visitor that finds the heaviest leaf.
struct Margin::Heaviest {
  const Margin& margin;
  Int weight = std::numeric_limits<Int>::min();

  void enter(int) {}
  void turn() {}
  void leave() {}
  void leaf(int n) { weight = std::max(weight, margin.weight(n)); }
};

Int Margin::heaviest(int root) {
  Heaviest found{*this};
  walk(root, found);
  return found.weight;
}

// A visitor that gathers the leaves and the branches above them, siblings that are alike merged.
struct Margin::Gatherer {
  Margin& margin;

  void enter(int n) {
    const auto& test = margin.box.tests[n];
    const int branch = int(margin.branches.size());
    margin.branches.push_back({test.variable, test.split, branch + 1, 0, test.missing_left, 0});
    margin.gathering_.push_back({int(margin.leaves.size()), 0, branch, margin.lengthen_path(test.variable)});
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

void Margin::collect_tree(int tree) {
  const int from = int(leaves.size()), root = int(branches.size());
  walk(forest.root[tree], Gatherer{*this});
  if (int(leaves.size()) == from + 1) {
    settle_tree(from, root);
    return;
  }
  note_tests(root);
  sort_leaves(from);
  roots.push_back(root);
  first.push_back(from);
  last.push_back(int(leaves.size()));
}

// A tree with one leaf goes to the base.
void Margin::settle_tree(int leaf, int root) {
  base += leaves[leaf].weight;
  settled.push_back(leaves[leaf].node);
  entries.resize(leaves[leaf].begin);
  leaves.resize(leaf);
  branches.resize(root);
}

void Margin::note_tests(int root) {
  for (std::size_t b = root; b < branches.size(); b++) {
    if (branches[b].variable < 0) continue;
    auto& trees = testing_[branches[b].variable];
    if (trees.empty() || trees.back() != root) trees.push_back(root);
  }
}

// The heaviest first, then the one that tests least.
void Margin::sort_leaves(int from) {
  std::sort(leaves.begin() + from, leaves.end(), [](const Leaf& a, const Leaf& b) {
    if (a.weight != b.weight) return a.weight > b.weight;
    if (a.end - a.begin != b.end - b.begin) return a.end - a.begin < b.end - b.begin;
    return a.begin < b.begin;
  });
}

bool Margin::lengthen_path(int j) {
  if (on_path_[j]) return false;
  on_path_[j] = 1;
  path_.push_back(j);
  return true;
}

void Margin::shorten_path() {
  on_path_[path_.back()] = 0;
  path_.pop_back();
}

void Margin::emit(int node) {
  const int begin = int(entries.size());
  for (int j : path_) entries.push_back({j, low_[j], high_[j], missing_[j] != 0});
  leaves.push_back({weight(node), begin, int(entries.size()), node});
  branches.push_back({-1, 0, 0, 0, false, weight(node)});
}

// Two leaves that are alike become one.
void Margin::merge(const Gathered& fork) {
  if (fork.middle != fork.first + 1 || int(leaves.size()) != fork.first + 2) return;
  if (!alike(leaves[fork.first], leaves[fork.middle])) return;
  const int node = leaves[fork.first].node;
  entries.resize(leaves[fork.first].begin);
  leaves.resize(fork.first);
  branches.resize(fork.branch);
  emit(node);
}

}  // namespace primewood::search
