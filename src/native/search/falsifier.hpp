// Looking for counterexamples by local search: coordinate ascent on the margin, with restarts.
#pragma once

#include <cstdint>
#include <vector>

#include "limits.hpp"
#include "search/margin.hpp"

namespace primewood::search {

class Falsifier {
 public:
  Falsifier(Margin& m, Limits& l) : margin(m), box(m.box), forest(m.forest), limits(l) {}

  std::vector<int> best;  // the heaviest point seen that is no counterexample
  Int best_total = INT64_MIN;

  void reset() {
    best.clear();
    best_total = INT64_MIN;
    state_ = 88172645463325252ull;  // the same walk for the same question
  }

  // How much the heaviest point seen lacks.
  Int distance() const { return best.empty() ? INT64_MAX : margin.threshold - best_total; }

  // How the sum changes along one variable: totals()[v] is the sum at rank v (missing comes last).
  void sweep(int j, const std::vector<int>& x, Int total) {
    const int size = box.size[j];
    along_.assign(std::size_t(size) + 2, 0);
    for (int root : margin.testing(j)) spread(root, j, 0, size - 1, box.missing[j] != 0, x);
    const Int missing = along_[std::size_t(size) + 1];
    for (int v = 1; v < size; v++) along_[v] += along_[v - 1];
    along_[size] = missing;
    const Int rest = total - along_[x[j]];  // what the trees without this variable add
    for (int v = 0; v <= size; v++) along_[v] += rest;
  }

  const std::vector<Int>& totals() const { return along_; }
  int ranks(int j) const { return box.size[j] + box.missing[j]; }

  // Move one coordinate at a time uphill; true if x becomes a counterexample.
  bool ascend(std::vector<int>& x) {
    Int total = margin.total_at(x);
    if (margin.is_counterexample(x, total)) return true;
    int idle = 0;
    for (int j = 0, steps = 0; idle < forest.n_variables && steps < 20 * forest.n_variables;
         j = (j + 1) % forest.n_variables, steps++) {
      idle++;
      if (margin.testing(j).empty()) continue;
      limits.check();
      sweep(j, x, total);
      int to = -1;
      for (int v = 0; v < ranks(j); v++) {
        if (along_[v] > total) {
          total = along_[v];
          to = v;
        }
      }
      if (to < 0) continue;
      x[j] = to;
      idle = 0;
      if (margin.is_counterexample(x, total)) return true;
    }
    reached_ = total;
    if (total > best_total) {
      best_total = total;
      best = x;
    }
    return false;
  }

  // Ascend from random changes of the best point; true with the counterexample in `x`.
  bool wander(int rounds, std::vector<int>& x) {
    free_.clear();
    for (int j = 0; j < forest.n_variables; j++)
      if (ranks(j) > 1 && !margin.testing(j).empty()) free_.push_back(j);
    if (free_.empty() || best.empty()) return false;
    std::vector<int> current = best;
    Int level = best_total;
    for (int round = 0; round < rounds; round++) {
      limits.check();
      x = current;
      for (int k = 2 + int(random() % 3); k > 0; k--) {
        const int j = free_[random() % free_.size()];
        x[j] = int(random() % ranks(j));
      }
      if (ascend(x)) return true;
      if (reached_ >= level) {
        level = reached_;
        current = x;
      }
    }
    return false;
  }

 private:
  // Add a tree's weight to the ranks of variable j in [low, high], and to "missing".
  void spread(int b, int j, int low, int high, bool missing, const std::vector<int>& x) {
    for (;;) {
      const Branch& branch = margin.branches[b];
      if (branch.variable < 0) break;
      if (branch.variable != j) {
        b = margin.goes_left(branch, x[branch.variable]) ? branch.left : branch.right;
        continue;
      }
      const int k = branch.split;
      const bool goes = branch.missing_left;
      const bool left = low < k && low <= high, right = high >= k && low <= high;
      if ((left || (missing && goes)) && (right || (missing && !goes))) {
        spread(branch.left, j, low, std::min(high, k - 1), missing && goes, x);
        b = branch.right;
        low = std::max(low, k);
        missing = missing && !goes;
      } else {
        b = left || (missing && goes) ? branch.left : branch.right;
      }
    }
    const Int w = margin.branches[b].weight;
    if (low <= high) {
      along_[low] += w;
      along_[std::size_t(high) + 1] -= w;
    }
    if (missing) along_[std::size_t(box.size[j]) + 1] += w;
  }

  std::uint64_t random() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }

  Margin& margin;
  const Restriction& box;
  const Forest& forest;
  Limits& limits;
  std::vector<Int> along_;
  std::vector<int> free_;
  Int reached_ = 0;
  std::uint64_t state_ = 88172645463325252ull;
};

}  // namespace primewood::search
