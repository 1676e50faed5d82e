#include "search/cheap_falsifier.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace primewood::search {

void CheapFalsifier::reset() {
  barred_.assign(box_.size.size(), 0);
  random_.reset();
}

double CheapFalsifier::cost_of(const std::vector<int>& x) const {
  double cost = 0;
  for (std::size_t j = 0; j < x.size(); j++) cost += costs_.at(int(j), x[j]);
  return cost;
}

bool CheapFalsifier::repair(std::vector<int>& x, double most) {
  choose_variables(x, most);
  return repair_among(x, most);
}

void CheapFalsifier::improve(std::vector<int>& x) {
  save(x);
  choose_variables(x, cost_of(x));
  std::vector<int> changed;
  for (int idle = 0; idle < kIdle; idle++) {
    changed = x;
    if (!change(changed, cost_of(x) * kLess)) continue;
    x = changed;
    idle = -1;
  }
}

bool CheapFalsifier::repair_among(std::vector<int>& x, double most) {
  Int total = margin_.total_at(x);
  double cost = cost_of(x);
  if (cost > most) return false;
  for (int n = 0; n < kMostMoves && !margin_.is_counterexample(x, total); n++) {
    const Move move = best_move(x, total, cost, most);
    if (!move.found()) return false;
    x[move.variable] = move.rank;
    total = move.total;
    cost = move.cost;
  }
  return margin_.is_counterexample(x, total);
}

CheapFalsifier::Move CheapFalsifier::best_move(const std::vector<int>& x, Int total, double cost, double most) {
  Move best;
  for (int j : variables_)
    if (!barred_[j]) weigh_moves(j, x, total, cost, most, best);
  return best;
}

// Look at all ranks of a variable. What goes beyond the threshold by more than rounding is worth no more.
void CheapFalsifier::weigh_moves(int j, const std::vector<int>& x, Int total, double cost, double most, Move& best) {
  constexpr double kFree = 1e-12;
  limits_.check();
  falsifier_.sweep(j, x, total);
  const double rest = cost - costs_.at(j, x[j]);
  const Int lacks = std::max<Int>(1, margin_.sure - total);
  const Int* const totals = falsifier_.totals().data();
  for (int v = 0; v < box_.ranks(j); v++) {
    if (totals[v] <= total) continue;
    const double there = rest + costs_.at(j, v);
    if (there > most) continue;
    const double gain = double(std::min(lacks, totals[v] - total));
    const double worth = gain / std::max(kFree, there - cost);
    if (worth > best.worth) best = {j, v, totals[v], there, worth};
  }
}

// The variables whose moves are worth most, and those that have moved already.
void CheapFalsifier::choose_variables(const std::vector<int>& x, double most) {
  std::vector<std::pair<double, int>> worth;
  const Int total = margin_.total_at(x);
  const double cost = cost_of(x);
  variables_.clear();
  for (int j = 0; j < int(x.size()); j++) {
    if (box_.ranks(j) < 2 || margin_.testing(j).empty()) continue;
    Move best;
    weigh_moves(j, x, total, cost, most, best);
    worth.push_back({best.worth, j});
  }
  std::sort(worth.begin(), worth.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  for (std::size_t k = 0; k < worth.size(); k++)
    if (k < kWidth || costs_.at(worth[k].second, x[worth[k].second]) > 0) variables_.push_back(worth[k].second);
}

// Move the variables back one by one, the dearest first, while the point stays a counterexample.
void CheapFalsifier::save(std::vector<int>& x) {
  Int total = margin_.total_at(x);
  for (bool saved = true; saved;) {
    saved = false;
    find_moved(x);
    for (int j : moved_) saved |= save_on(x, j, total);
  }
}

bool CheapFalsifier::save_on(std::vector<int>& x, int j, Int& total) {
  limits_.check();
  falsifier_.sweep(j, x, total);
  const std::vector<Int>& totals = falsifier_.totals();
  const int own = x[j];
  int to = own;
  for (int v = 0; v < box_.ranks(j); v++) {
    if (costs_.at(j, v) >= costs_.at(j, to) || totals[v] < margin_.threshold) continue;
    x[j] = v;
    if (margin_.is_counterexample(x, totals[v])) to = v;
  }
  x[j] = to;
  total = totals[to];
  return to != own;
}

void CheapFalsifier::find_moved(const std::vector<int>& x) {
  moved_.clear();
  for (int j = 0; j < int(x.size()); j++)
    if (costs_.at(j, x[j]) > 0) moved_.push_back(j);
  const auto cost = [&](int j) { return costs_.at(j, x[j]); };
  std::stable_sort(moved_.begin(), moved_.end(), [&](int a, int b) { return cost(a) > cost(b); });
}

// Give up one to three of the moves, and find others in their place; false if what that leads to is not cheaper.
bool CheapFalsifier::change(std::vector<int>& x, double most) {
  find_moved(x);
  if (moved_.empty()) return false;
  std::vector<int> given_up;
  for (int k = 1 + random_.below(3); k > 0; k--) given_up.push_back(moved_[random_.below(moved_.size())]);
  for (int j : given_up) {
    x[j] = cheapest_rank(j);
    barred_[j] = 1;
  }
  const bool repaired = repair_among(x, most);
  for (int j : given_up) barred_[j] = 0;
  if (repaired) save(x);
  return repaired;
}

int CheapFalsifier::cheapest_rank(int j) const {
  const int missing = box_.size[j];
  if (box_.size[j] == 0) return missing;
  const int rank = costs_.cheapest_in(j, 0, box_.size[j] - 1);
  return box_.missing[j] && costs_.at(j, missing) < costs_.at(j, rank) ? missing : rank;
}

}  // namespace primewood::search
