// From a decision diagram to the reason of a decision, one block of restrictions per level.
//
// Let G(node) be the reason of what is below a node. A node with the children c_v, v a value, gets
//     G(node) = AND over the allowed values v of G(c_v),
// as a function of the restrictions of its level, which say what is allowed. Which restrictions there are, and which
// of them can hold together, is the literal language:
// - sets: each group of values with equal columns is excluded by itself (but let go of value by value);
// - intervals: numbers are excluded from either end inwards (restriction k holds only with those farther out, so
//   "not k" goes on without the rest of its chain); "missing" is excluded by itself, or all numbers are;
// - values: all values but one are excluded.
// Around an instance its own value stays allowed; without one, a literal must not exclude everything.
#pragma once

#include "diagram/plain.hpp"
#include "diagram/reasons.hpp"

namespace primewood::diagram {

enum class Language { kSets = 0, kIntervals = 1, kValues = 2 };

// What a restriction takes away: values of the variable at a level.
struct Restriction {
  int level;
  std::vector<int> excludes;
};

class Blocks {
 public:
  // `ordered[j]`: how many values of level j are in a line (0 for none); the value after them is "missing".
  // `point[j]`: the instance's value; empty for all primes of the decision. `contrast`: functions of what is let go.
  Blocks(const Plain& diagram, const std::vector<int>& ordered, Language language, const std::vector<int>& point,
         bool contrast, Reasons& reasons)
      : d_(diagram), ordered_(ordered), language_(language), point_(point), contrast_(contrast), r_(reasons) {}

  std::vector<Restriction> restrictions;  // by variable of the functions and families

  // The reason of "the terminal is this label".
  Id reason(Id label) {
    std::vector<Id> below;
    for (Id t = 0; t < d_.terminals; t++) below.push_back((t == label) != opposite());
    std::vector<int> first(d_.depth());
    for (int j = 0; j < d_.depth(); j++) first[j] = declare(j);
    for (int j = d_.depth() - 1; j >= 0; j--) {
      std::vector<Id> here(d_.nodes(j)), children(d_.width[j]);
      for (Id i = 0; i < d_.nodes(j); i++) {
        for (int v = 0; v < d_.width[j]; v++) children[v] = below[d_.row(j, i)[v]];
        here[i] = block(j, first[j], children);
      }
      below = std::move(here);
    }
    const Id g = below[d_.root];
    return contrast_ && !opposite() ? r_.dual(g) : g;
  }

  // True iff every value of some variable is excluded: such sets are no terms.
  Id nothing_left() {
    Id g = 0;
    for (int last = int(restrictions.size()) - 1; last >= 0;) {
      int start = last;
      while (start > 0 && restrictions[start - 1].level == restrictions[last].level) start--;
      if (language_ != Language::kValues && !in_line(restrictions[last].level)) {
        Id all = 1;
        for (int e = last; e >= start; e--) all = r_.node(e, g, all);
        g = all;
      }
      last = start - 1;
    }
    return g;
  }

 private:
  bool global() const { return point_.empty(); }
  bool in_line(int j) const { return language_ == Language::kIntervals && ordered_[j] > 0; }
  // In `intervals` letting go goes outwards from the instance, so its functions are built as such.
  bool opposite() const { return contrast_ && language_ == Language::kIntervals; }
  Id join(Id a, Id b) { return opposite() ? r_.disjunction(a, b) : r_.conjunction(a, b); }
  Id neutral() const { return opposite() ? 0 : 1; }

  bool same_column(int j, int v, int w) const {
    for (Id i = 0; i < d_.nodes(j); i++)
      if (d_.row(j, i)[v] != d_.row(j, i)[w]) return false;
    return true;
  }

  // The restrictions of a level, in the order in which `block` asks for them; returns the number of the first.
  int declare(int j) {
    const int first = int(restrictions.size()), width = d_.width[j];
    groups_.push_back(grouped(j));
    bool matters = false;
    for (int v = 1; v < width && !matters; v++) matters = !same_column(j, 0, v);
    if (!matters) return -1;
    if (language_ == Language::kValues) {
      for (int v = 0; v < width; v++)
        if (global() || v == point_[j]) restrictions.push_back({j, others(j, v)});
    } else if (in_line(j)) {
      declare_line(j);
    } else {
      for (const auto& group : groups_[j])
        if (global() || std::find(group.begin(), group.end(), point_[j]) == group.end())
          restrictions.push_back({j, group});
    }
    return first;
  }

  // The values of a level, those together that no explanation tells apart: equal columns, on a line equal neighbours.
  std::vector<std::vector<int>> grouped(int j) const {
    std::vector<std::vector<int>> groups;
    const bool together = !contrast_ && language_ != Language::kValues;
    for (int v = 0; v < d_.width[j]; v++) {
      std::size_t at = groups.size();
      if (together && !in_line(j))
        for (at = 0; at < groups.size() && !same_column(j, groups[at][0], v);) at++;
      else if (together && v > 0 && v < ordered_[j] && same_column(j, v - 1, v))
        at = groups.size() - 1;
      if (at == groups.size()) groups.emplace_back();
      groups[at].push_back(v);
    }
    return groups;
  }

  std::vector<int> others(int j, int value) const {
    std::vector<int> found;
    for (int v = 0; v < d_.width[j]; v++)
      if (v != value) found.push_back(v);
    return found;
  }

  int runs(int j) const { return int(groups_[j].size()) - (d_.width[j] > ordered_[j]); }
  int run_of(int j, int value) const {
    int r = 0;
    while (std::find(groups_[j][r].begin(), groups_[j][r].end(), value) == groups_[j][r].end()) r++;
    return r;
  }
  bool missing_point(int j) const { return !global() && point_[j] == ordered_[j]; }
  bool may_miss(int j) const { return d_.width[j] > ordered_[j]; }

  // Restrictions of a line of numbers: [all numbers] [lower chain] [upper chain] [missing].
  void declare_line(int j) {
    const auto& groups = groups_[j];
    const int n = runs(j);
    if (may_miss(j) && (global() || missing_point(j))) {
      std::vector<int> numbers(ordered_[j]);
      for (int v = 0; v < ordered_[j]; v++) numbers[v] = v;
      restrictions.push_back({j, numbers});
    }
    if (missing_point(j) && opposite()) return;
    const bool around = !global() && !missing_point(j);
    const int a = around ? run_of(j, point_[j]) : -1;
    std::vector<int> lower, upper;
    for (int k = 0; k < (around ? a : n - 1); k++) lower.push_back(k);
    for (int k = n - 1; k > (around ? a : 0); k--) upper.push_back(k);
    if (opposite()) std::reverse(lower.begin(), lower.end()), std::reverse(upper.begin(), upper.end());
    for (int k : lower) restrictions.push_back({j, groups[k]});
    for (int k : upper) restrictions.push_back({j, groups[k]});
    if (may_miss(j) && !missing_point(j)) restrictions.push_back({j, {ordered_[j]}});
  }

  Id block(int j, int first, const std::vector<Id>& g) {
    if (first < 0) return g[0];
    if (language_ == Language::kValues) return values(j, first, g);
    return in_line(j) ? line(j, first, g) : sets(j, first, g);
  }

  Id sets(int j, int first, const std::vector<Id>& g) {
    const auto& groups = groups_[j];
    std::vector<Id> atoms;
    Id acc = neutral();
    for (const auto& group : groups) {
      if (!global() && std::find(group.begin(), group.end(), point_[j]) != group.end())
        acc = g[group[0]];
      else
        atoms.push_back(g[group[0]]);
    }
    for (int e = int(atoms.size()) - 1; e >= 0; e--)
      acc = opposite() ? r_.node(first + e, acc, join(atoms[e], acc)) : r_.node(first + e, join(atoms[e], acc), acc);
    return acc;
  }

  Id values(int j, int first, const std::vector<Id>& g) {
    Id acc = 1;
    for (Id child : g) acc = r_.conjunction(acc, child);
    if (!global()) return r_.node(first, acc, g[point_[j]]);
    for (int v = d_.width[j] - 1; v >= 0; v--) acc = r_.node(first + v, acc, g[v]);
    return acc;
  }

  Id line(int j, int first, const std::vector<Id>& g) {
    const int n = runs(j);
    std::vector<Id> run;
    for (int k = 0; k < n; k++) run.push_back(g[groups_[j][k][0]]);
    const Id missing = may_miss(j) ? g[ordered_[j]] : neutral();
    if (missing_point(j)) {
      if (opposite()) {
        Id all = missing;
        for (Id x : run) all = join(all, x);
        return r_.node(first, missing, all);
      }
      for (Id& x : run) x = r_.conjunction(x, missing);
      return r_.node(first, ranges(first + 1, first + n, -1, run, neutral()), missing);
    }
    if (global()) {
      const int start = first + may_miss(j);
      const Id numbers = ranges(start, start + n - 1, may_miss(j) ? start + 2 * (n - 1) : -1, run, missing);
      return may_miss(j) ? r_.node(first, numbers, missing) : numbers;
    }
    return around(first, run_of(j, point_[j]), n, may_miss(j) ? first + n - 1 : -1, run, missing);
  }

  // What is left when the numbers are settled: "missing" is excluded or not.
  Id with_missing(Id numbers, int flag, Id missing) {
    if (flag < 0) return numbers;
    const Id both = join(numbers, missing);
    return opposite() ? r_.node(flag, numbers, both) : r_.node(flag, both, numbers);
  }

  // All runs low..high of the line. Restrictions: `lower` + k excludes run k (with those below it), and
  // `upper` + i excludes run n-1-i (with those above it).
  Id ranges(int lower, int upper, int flag, const std::vector<Id>& run, Id missing) {
    const int n = int(run.size());
    Id acc = 0;
    for (int low = n - 1; low >= 0; low--) {
      Id inside = run[low], here = with_missing(inside, flag, missing);
      for (int high = low + 1; high < n; high++) {
        inside = r_.conjunction(inside, run[high]);
        here = r_.node(upper + (n - 1 - high), with_missing(inside, flag, missing), here);
      }
      acc = low == n - 1 ? here : r_.node(lower + low, here, acc);
    }
    return acc;
  }

  // The runs around run a. Exclusion goes from the outside inwards, letting go (`opposite`) from the inside outwards.
  Id around(int first, int a, int n, int flag, const std::vector<Id>& run, Id missing) {
    const int upper = first + a;
    const auto above = [&](Id inside) {
      std::vector<Id> reach{inside};  // allowed up to run a, a+1, ...
      for (int k = a + 1; k < n; k++) reach.push_back(join(reach.back(), run[k]));
      const int steps = n - 1 - a;
      Id acc = with_missing(reach[opposite() ? steps : 0], flag, missing);
      for (int s = 1; s <= steps; s++) {
        const Id stop = with_missing(reach[opposite() ? steps - s : s], flag, missing);
        acc = r_.node(upper + steps - s, stop, acc);
      }
      return acc;
    };
    std::vector<Id> reach{run[a]};  // allowed down to run a, a-1, ...
    for (int k = a - 1; k >= 0; k--) reach.push_back(join(reach.back(), run[k]));
    Id acc = above(reach[opposite() ? a : 0]);
    for (int s = 1; s <= a; s++) acc = r_.node(first + a - s, above(reach[opposite() ? a - s : s]), acc);
    return acc;
  }

  const Plain& d_;
  const std::vector<int>& ordered_;
  const Language language_;
  const std::vector<int>& point_;
  const bool contrast_;
  Reasons& r_;
  std::vector<std::vector<std::vector<int>>> groups_;
};

}  // namespace primewood::diagram
