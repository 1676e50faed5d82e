// Looking for a good order of the levels: Rudell's sifting, by swaps of neighbours.
#pragma once

#include <algorithm>

#include "diagram/levels.hpp"

namespace primewood::diagram {

// Moves each variable, the one with the most nodes first, to the level where the diagram is smallest. `order` names
// the variable of each level and moves along.
template <class Diagram>
class Sifting {
 public:
  // `budget`: how many entries may be moved before it stops (after the variable that it is at).
  Sifting(Diagram& diagram, std::vector<int>& order, double budget)
      : d_(diagram), order_(order), budget_(budget) {}

  // Passes until one gains less than a hundredth.
  void run() {
    if (d_.depth() < 2) return;
    std::size_t before = SIZE_MAX;
    while (double(d_.size()) < 0.99 * double(before) && budget_ > 0) {
      before = d_.size();
      pass();
    }
  }

 private:
  static constexpr double kGrowth = 1.2;

  void pass() {
    std::vector<int> variables(order_);
    std::vector<Id> nodes(*std::max_element(variables.begin(), variables.end()) + 1);
    for (int j = 0; j < d_.depth(); j++) nodes[order_[j]] = d_.nodes(j);
    std::stable_sort(variables.begin(), variables.end(), [&](int a, int b) { return nodes[a] > nodes[b]; });
    for (int x : variables)
      if (budget_ > 0) place(x);
  }

  void place(int x) {
    int at = int(std::find(order_.begin(), order_.end(), x) - order_.begin()), best_at = at;
    const int first = at * 2 >= d_.depth() ? 1 : -1;
    best_ = d_.size();
    for (int direction : {first, -first}) {
      while (at + direction >= 0 && at + direction < d_.depth() && step(at, direction)) {
        if (d_.size() < best_) best_ = d_.size(), best_at = at;
        if (d_.size() > limit()) break;
      }
      go(at, best_at);
    }
  }

  std::size_t limit() const { return std::size_t(kGrowth * double(best_)) + 200; }

  // Swap upwards or downwards unless the diagram would outgrow the limit by far.
  bool step(int& at, int direction) {
    const int j = std::min(at, at + direction);
    const std::size_t others = d_.size() - d_.nodes(j + 1), most = 2 * limit();
    if (others > most || !swap(j, most - others)) return false;
    at += direction;
    return true;
  }

  void go(int& at, int to) {
    while (at != to) {
      const int direction = to > at ? 1 : -1;
      swap(std::min(at, at + direction), SIZE_MAX);
      at += direction;
    }
  }

  bool swap(int j, std::size_t most) {
    budget_ -= double(d_.nodes(j)) * d_.width(j) * d_.width(j + 1);
    if (!d_.swap(j, most)) return false;
    std::swap(order_[j], order_[j + 1]);
    return true;
  }

  Diagram& d_;
  std::vector<int>& order_;
  double budget_;
  std::size_t best_ = 0;
};

}  // namespace primewood::diagram
