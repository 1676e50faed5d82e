// What it costs to leave an instance: a number of at least 0 per value, summed over the variables, and a budget.
#pragma once

#include <algorithm>
#include <cassert>
#include <utility>
#include <vector>

#include "search/region.hpp"

namespace primewood::search {

class Costs {
 public:
  explicit Costs(const Restriction& box) : box_(box) {}

  // Costs of the box's values, in units of the budget: a point is affordable at 1 in sum, until the budget shrinks.
  void set(const std::vector<double>& of_atom, double budget);

  // In units of the first budget.
  double budget() const { return budget_; }
  void shrink(double budget) { budget_ = budget; }

  // "Missing" is the rank after the last one.
  double at(int j, int rank) const {
    assert(!of_rank_.empty());
    return of_rank_[start_[j] + rank];
  }

  bool affordable(const std::vector<int>& x) const;

  // A point counts as affordable if its sum is above the budget by no more than this: as much as sums may be rounded.
  double rounding() const { return rounding_; }

  // Leave out of a region what is too expensive even beside the cheapest of everything else; false if nothing is left.
  bool narrow(Region& region);

  // Whether a leaf of the region that was narrowed last has an affordable point; `begin` to `end` are its entries.
  bool can_reach(const Region& region, const Entry* begin, const Entry* end) const;

  // The cheapest rank of a run.
  int cheapest_in(int j, int low, int high) const {
    return one_valley_[j] ? std::clamp(lowest_[j], low, high) : scan(j, low, high);
  }

  // The cheapest point of a region.
  void pick_point(const Region& region, std::vector<int>& x) const;

 private:
  static constexpr double kLeastRounding = 1e-12;
  static constexpr double kNever = 1e300;

  double most() const { return budget_ + rounding_; }
  void find_valley(int j);
  int scan(int j, int low, int high) const;
  std::pair<int, double> cheapest(int j, int low, int high, bool missing) const;
  void drop_above(Region& region, int j, double most) const;

  const Restriction& box_;
  std::vector<int> start_;
  std::vector<double> of_rank_;
  double budget_ = 1, rounding_ = 0;

  // Per variable: the cheapest rank, and whether costs never fall on the way away from it.
  std::vector<int> lowest_;
  std::vector<std::uint8_t> one_valley_;

  // of the region that was narrowed last: per variable, the least cost, and their sum
  std::vector<double> least_;
  double total_ = 0;
};

}  // namespace primewood::search
