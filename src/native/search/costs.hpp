// What it costs to leave an instance: a number of at least 0 per value, summed over the variables, and a budget.
#pragma once

#include <algorithm>
#include <vector>

#include "search/region.hpp"

namespace primewood::search {

class Costs {
 public:
  explicit Costs(const Restriction& b) : box(b) {}

  // Costs of the box's values, in units of the budget: a point is affordable at 1 in sum.
  void set(const std::vector<double>& of_atom, double budget) {
    const Forest& forest = box.forest;
    const double unit = budget > 0 ? 1 / budget : 1;
    start_.assign(forest.n_variables + 1, 0);
    for (int j = 0; j < forest.n_variables; j++) start_[j + 1] = start_[j] + box.size[j] + 1;
    of_rank_.assign(start_.back(), 0.0);
    for (int j = 0; j < forest.n_variables; j++)
      for (int rank = 0; rank < box.size[j] + box.missing[j]; rank++)
        of_rank_[start_[j] + rank] = of_atom[forest.offset[j] + box.value_of(j, rank)] * unit;
  }

  // "Missing" is the rank after the last one.
  double at(int j, int rank) const { return of_rank_[start_[j] + rank]; }

  bool affordable(const std::vector<int>& x) const {
    double sum = 0;
    for (std::size_t j = 0; j < x.size(); j++) sum += at(int(j), x[j]);
    return sum <= 1 + SLACK;
  }

  // Leave out of a region what is too expensive even beside the cheapest of everything else; false if nothing is left.
  bool narrow(Region& region) const {
    const int n = int(region.low.size());
    double total = 0;
    cheapest_.resize(n);
    for (int j = 0; j < n; j++) total += cheapest_[j] = cheapest(region, j).second;
    if (total > 1 + SLACK) return false;
    for (int j = 0; j < n; j++) {
      const double most = 1 + SLACK - total + cheapest_[j];
      int& low = region.low[j];
      int& high = region.high[j];
      while (low <= high && at(j, low) > most) low++;
      while (low <= high && at(j, high) > most) high--;
      if (region.missing[j] && at(j, box.size[j]) > most) region.missing[j] = 0;
      if (low > high) {
        low = 1;
        high = 0;
      }
    }
    return true;
  }

  // The cheapest point of a region.
  void point(const Region& region, std::vector<int>& x) const {
    x.resize(region.low.size());
    for (std::size_t j = 0; j < x.size(); j++) x[j] = cheapest(region, int(j)).first;
  }

 private:
  static constexpr double SLACK = 1e-12;  // rounding of sums

  // The cheapest rank of a variable, and its cost.
  std::pair<int, double> cheapest(const Region& region, int j) const {
    std::pair<int, double> found{box.size[j], region.missing[j] ? at(j, box.size[j]) : 1e300};
    for (int v = region.low[j]; v <= region.high[j]; v++)
      if (at(j, v) < found.second) found = {v, at(j, v)};
    return found;
  }

  const Restriction& box;
  std::vector<int> start_;
  std::vector<double> of_rank_;
  mutable std::vector<double> cheapest_;
};

}  // namespace primewood::search
