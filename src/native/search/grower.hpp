// Growing an instance's cell to a prime box: steps in a given order, each taken iff the box stays safe.
//
// Where a limit comes near before that is done, a second box is made quickly. The answer is then the wider one of the
// two, and it is interrupted.
#pragma once

#include <vector>

#include "search/growing_box.hpp"
#include "search/widening.hpp"

namespace primewood::search {

class Grower {
 public:
  Grower(Oracle& oracle, const Weakening& weakening, const std::vector<int>& point);

  Grown run();

  // While it runs, at any time that the limits poll: the box so far, and how many of all steps are done.
  Grown so_far() const;
  int steps_done() const { return done_ + widening_.settled(); }
  int steps() const { return int(weakening_.steps.size() + weakening_.order.size()); }

 private:
  // Up to which share of the limits the strict order works (only up to the first one if it is behind by then), then the
  // quick box is made, then the strict order goes on; the rest is for widening the better one of the two.
  static constexpr double kEarlyShare = 0.2, kStrictShare = 0.4, kQuickShare = 0.88, kLateShare = 0.95;

  bool is_behind() const;
  bool grow_until(double share);

  void take(const std::vector<Weakening::Atom>& step);
  std::vector<std::vector<int>> fresh_values(const std::vector<Weakening::Atom>& step) const;
  void take_together(const std::vector<int>& touched, const std::vector<std::vector<int>>& values);

  const Forest& forest_;
  Oracle& oracle_;
  const Weakening& weakening_;
  const std::vector<int>& point_;
  GrowingBox box_;
  Widening widening_;
  int done_ = 0;  // of the steps
};

}  // namespace primewood::search
