#include "search/costs.hpp"

#include <algorithm>

#include "search/rounding.hpp"

namespace primewood::search {

void Costs::set(const std::vector<double>& of_atom, double budget) {
  assert(box_.is_set());
  const Forest& forest = box_.forest;
  const double unit = budget > 0 ? 1 / budget : 1;
  most_ = 1 + std::max(kLeastRounding, rounding_of_sum(double(forest.n_variables) + 2, 1));
  start_.assign(std::size_t(forest.n_variables) + 1, 0);
  for (int j = 0; j < forest.n_variables; j++) start_[j + 1] = start_[j] + box_.size[j] + 1;
  of_rank_.assign(start_.back(), 0.0);
  for (int j = 0; j < forest.n_variables; j++)
    for (int rank = 0; rank < box_.ranks(j); rank++)
      of_rank_[start_[j] + rank] = of_atom[forest.offset[j] + box_.value_of(j, rank)] * unit;
}

bool Costs::affordable(const std::vector<int>& x) const {
  double sum = 0;
  for (std::size_t j = 0; j < x.size(); j++) sum += at(int(j), x[j]);
  return sum <= most_;
}

bool Costs::narrow(Region& region) const {
  const int n = int(region.low.size());
  double total = 0;
  cheapest_.resize(n);
  for (int j = 0; j < n; j++) total += cheapest_[j] = cheapest(region, j).second;
  if (total > most_) return false;
  for (int j = 0; j < n; j++) drop_above(region, j, most_ - total + cheapest_[j]);
  return true;
}

void Costs::drop_above(Region& region, int j, double most) const {
  int& low = region.low[j];
  int& high = region.high[j];
  while (low <= high && at(j, low) > most) low++;
  while (low <= high && at(j, high) > most) high--;
  if (low > high) region.drop_ranks(j);
  if (region.missing[j] && at(j, box_.size[j]) > most) region.missing[j] = 0;
}

void Costs::pick_point(const Region& region, std::vector<int>& x) const {
  x.resize(region.low.size());
  for (std::size_t j = 0; j < x.size(); j++) x[j] = cheapest(region, int(j)).first;
}

// The cheapest rank of a variable, and its cost.
std::pair<int, double> Costs::cheapest(const Region& region, int j) const {
  constexpr double kNever = 1e300;
  std::pair<int, double> found{box_.size[j], region.missing[j] ? at(j, box_.size[j]) : kNever};
  for (int v = region.low[j]; v <= region.high[j]; v++)
    if (at(j, v) < found.second) found = {v, at(j, v)};
  return found;
}

}  // namespace primewood::search
