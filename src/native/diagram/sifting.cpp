#include "diagram/sifting.hpp"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <utility>

namespace primewood::diagram {

namespace {

constexpr double kWorthAnotherPass = 0.99;  // of the size before
constexpr double kGrowth = 1.2;
constexpr std::size_t kGrowthOfSmall = 200;

}  // namespace

template <class Nodes>
Sifting<Nodes>::Sifting(Nodes& nodes, std::vector<int>& order, double budget)
    : nodes_(nodes), order_(order), budget_(budget) {
  assert(static_cast<int>(order.size()) == nodes.depth());
}

template <class Nodes>
void Sifting<Nodes>::run() {
  if (nodes_.depth() < 2) return;
  std::size_t before = SIZE_MAX;
  while (static_cast<double>(nodes_.size()) < kWorthAnotherPass * static_cast<double>(before) && budget_ > 0) {
    before = nodes_.size();
    run_pass();
  }
}

template <class Nodes>
bool Sifting<Nodes>::run_within_limits() {
  try {
    nodes_.check_limits();
    run();
    return true;
  } catch (const LimitReached&) {
    return false;
  }
}

template <class Nodes>
void Sifting<Nodes>::run_pass() {
  std::vector<int> variables(order_);
  std::vector<Id> count(*std::max_element(variables.begin(), variables.end()) + 1);
  for (int j = 0; j < nodes_.depth(); j++) count[order_[j]] = nodes_.nodes(j);
  std::stable_sort(variables.begin(), variables.end(), [&](int a, int b) { return count[a] > count[b]; });
  for (const int variable : variables)
    if (budget_ > 0) place(variable);
}

template <class Nodes>
void Sifting<Nodes>::place(int variable) {
  int level = static_cast<int>(std::find(order_.begin(), order_.end(), variable) - order_.begin());
  int best_level = level;
  best_ = nodes_.size();
  const int nearer_end = level * 2 >= nodes_.depth() ? 1 : -1;
  for (const int direction : {nearer_end, -nearer_end}) {
    while (step(level, direction)) {
      if (nodes_.size() < best_) {
        best_ = nodes_.size();
        best_level = level;
      }
      if (nodes_.size() > limit()) break;
    }
    move(level, best_level);
  }
}

template <class Nodes>
std::size_t Sifting<Nodes>::limit() const {
  return static_cast<std::size_t>(kGrowth * static_cast<double>(best_)) + kGrowthOfSmall;
}

template <class Nodes>
bool Sifting<Nodes>::step(int& level, int direction) {
  if (level + direction < 0 || level + direction >= nodes_.depth()) return false;
  const int upper = std::min(level, level + direction);
  const std::size_t others = nodes_.size() - nodes_.nodes(upper + 1), most = 2 * limit();
  if (others > most || !swap_levels(upper, most - others)) return false;
  level += direction;
  return true;
}

template <class Nodes>
void Sifting<Nodes>::move(int& level, int to) {
  while (level != to) {
    const int direction = to > level ? 1 : -1;
    swap_levels(std::min(level, level + direction), SIZE_MAX);
    level += direction;
  }
}

template <class Nodes>
bool Sifting<Nodes>::swap_levels(int level, std::size_t most) {
  budget_ -= static_cast<double>(nodes_.nodes(level)) * nodes_.width(level) * nodes_.width(level + 1);
  if (!nodes_.swap_levels(level, most)) return false;
  std::swap(order_[level], order_[level + 1]);
  return true;
}

template class Sifting<Store>;
template class Sifting<Sums>;

}  // namespace primewood::diagram
