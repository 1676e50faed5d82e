#include "search/costs.hpp"

#include <functional>

#include "search/rounding.hpp"

namespace primewood::search {

void Costs::set(const std::vector<double>& of_atom, double budget) {
  assert(box_.is_set());
  const Forest& forest = box_.forest;
  const double unit = budget > 0 ? 1 / budget : 1;
  budget_ = 1;
  rounding_ = std::max(kLeastRounding, rounding_of_sum(3 * double(forest.n_variables) + 2, 1));
  start_.assign(std::size_t(forest.n_variables) + 1, 0);
  for (int j = 0; j < forest.n_variables; j++) start_[j + 1] = start_[j] + box_.size[j] + 1;
  of_rank_.assign(start_.back(), 0.0);
  lowest_.resize(forest.n_variables);
  one_valley_.resize(forest.n_variables);
  for (int j = 0; j < forest.n_variables; j++) {
    for (int rank = 0; rank < box_.ranks(j); rank++)
      of_rank_[start_[j] + rank] = of_atom[forest.offset[j] + box_.value_of(j, rank)] * unit;
    find_valley(j);
  }
}

void Costs::find_valley(int j) {
  const auto begin = of_rank_.begin() + start_[j], end = begin + box_.size[j];
  const auto lowest = std::min_element(begin, end);
  lowest_[j] = int(lowest - begin);
  one_valley_[j] = std::is_sorted(begin, lowest, std::greater<>()) && std::is_sorted(lowest, end);
}

bool Costs::affordable(const std::vector<int>& x) const {
  double sum = 0;
  for (std::size_t j = 0; j < x.size(); j++) sum += at(int(j), x[j]);
  return sum <= most();
}

bool Costs::narrow(Region& region) {
  const int n = int(region.low.size());
  total_ = 0;
  least_.resize(n);
  for (int j = 0; j < n; j++)
    total_ += least_[j] = cheapest(j, region.low[j], region.high[j], region.missing[j] != 0).second;
  if (total_ > most()) return false;
  for (int j = 0; j < n; j++) drop_above(region, j, most() - total_ + least_[j]);
  return true;
}

bool Costs::can_reach(const Region& region, const Entry* begin, const Entry* end) const {
  double sum = total_;
  for (const Entry* x = begin; x < end; x++) {
    const int j = x->variable, low = std::max(x->low, region.low[j]), high = std::min(x->high, region.high[j]);
    sum += cheapest(j, low, high, x->missing && region.missing[j]).second - least_[j];
  }
  return sum <= most();
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
  for (int j = 0; j < int(x.size()); j++)
    x[j] = cheapest(j, region.low[j], region.high[j], region.missing[j] != 0).first;
}

// The cheapest of a run of ranks and, if it is allowed, "missing"; with its cost.
std::pair<int, double> Costs::cheapest(int j, int low, int high, bool missing) const {
  const std::pair<int, double> none{box_.size[j], missing ? at(j, box_.size[j]) : kNever};
  if (low > high) return none;
  const int rank = cheapest_in(j, low, high);
  return at(j, rank) < none.second ? std::pair(rank, at(j, rank)) : none;
}

int Costs::scan(int j, int low, int high) const {
  int found = low;
  for (int rank = low + 1; rank <= high; rank++)
    if (at(j, rank) < at(j, found)) found = rank;
  return found;
}

}  // namespace primewood::search
