// What it costs to leave an instance: a number of at least 0 per value, summed over the variables, and a budget.
#pragma once

#include <cassert>
#include <utility>
#include <vector>

#include "search/region.hpp"

namespace primewood::search {

class Costs {
 public:
  explicit Costs(const Restriction& box) : box_(box) {}

  // Costs of the box's values, in units of the budget: a point is affordable at 1 in sum.
  void set(const std::vector<double>& of_atom, double budget);

  // "Missing" is the rank after the last one.
  double at(int j, int rank) const {
    assert(!of_rank_.empty());
    return of_rank_[start_[j] + rank];
  }

  bool affordable(const std::vector<int>& x) const;

  // A point counts as affordable if its sum is above the budget by no more than this: as much as sums may be rounded.
  double rounding() const { return most_ - 1; }

  // Leave out of a region what is too expensive even beside the cheapest of everything else; false if nothing is left.
  bool narrow(Region& region) const;

  // The cheapest point of a region.
  void pick_point(const Region& region, std::vector<int>& x) const;

 private:
  static constexpr double kLeastRounding = 1e-12;

  std::pair<int, double> cheapest(const Region& region, int j) const;
  void drop_above(Region& region, int j, double most) const;

  const Restriction& box_;
  std::vector<int> start_;
  std::vector<double> of_rank_;
  double most_ = 1;  // the budget, and the rounding of sums
  mutable std::vector<double> cheapest_;
};

}  // namespace primewood::search
