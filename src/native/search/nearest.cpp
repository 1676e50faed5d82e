#include "search/nearest.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

namespace primewood::search {

Nearest::Nearest(Oracle& oracle, Question question, Norm norm, const std::vector<int>& instance,
                 std::vector<double> cost)
    : forest_(oracle.forest),
      oracle_(oracle),
      question_(question),
      asked_(norm),
      norm_(norm),
      instance_(instance),
      mask_(cost.size()),
      cost_(std::move(cost)) {
  for (std::size_t a = 0; a < cost_.size(); a++) mask_[a] = std::isfinite(cost_[a]);
}

NearestAnswer Nearest::run() {
  try {
    search();
    best_.interrupted = false;
    if (asked_ == Norm::kLargest || whole_ || best_.point.empty()) best_.lower = best_.upper;
  } catch (const LimitReached&) {  // the bounds so far are the answer
  }
  norm_ = asked_;
  if (!best_.point.empty()) best_.upper = cost_of(best_.point);
  return std::move(best_);
}

void Nearest::search() {
  find_whole();
  if (asked_ == Norm::kLargest) {
    search_largest();
  } else {
    search_sums();
  }
}

void Nearest::search_largest() {
  norm_ = Norm::kLargest;
  levels_.clear();
  for (int a = 0; a < forest_.atoms(); a++)
    if (mask_[a]) levels_.push_back(cost_[a]);
  oracle_.limits.check();
  std::sort(levels_.begin(), levels_.end());
  levels_.erase(std::unique(levels_.begin(), levels_.end()), levels_.end());
  std::vector<int> found;
  for (;;) {
    const double level = middle_level();
    if (level < 0) return;
    if (ask_within_level(level, found)) {
      take(found);
    } else {
      best_.lower = below_ = level;
    }
  }
}

void Nearest::search_sums() {
  if (!find_first()) return;
  narrow_sums();
  if (answers_ > kFewAnswers) polish();
}

// Some answer that is cheap in sum, if there is any. Where local search finds none, the one whose largest cost is least
// is near in sum, too.
bool Nearest::find_first() {
  if (look_around()) return true;
  std::vector<int> found;
  if (whole_) {
    if (oracle_.ask(mask_.data(), question_, {&instance_}, found)) take(found);
  } else {
    search_largest();
    norm_ = Norm::kSum;
    if (!best_.point.empty()) best_.upper = cost_of(best_.point);
  }
  if (best_.point.empty()) return false;
  look_from(best_.point, best_.upper);
  return true;
}

// Local search around the instance, in ever larger boxes: small ones take little time.
bool Nearest::look_around() {
  for (double share : {1.0 / 64, 1.0 / 16, 1.0 / 4, 1.0}) {
    const double level = find_level(share);
    look_from(instance_, level);
    if (best_.point.empty()) continue;
    if (best_.upper > level) look_from(best_.point, best_.upper);
    return true;
  }
  return false;
}

// The level that a share of all costs is up to.
double Nearest::find_level(double share) {
  levels_.clear();
  std::copy_if(cost_.begin(), cost_.end(), std::back_inserter(levels_), [](double c) { return std::isfinite(c); });
  const auto at = levels_.begin() + std::ptrdiff_t(share * double(levels_.size() - 1));
  std::nth_element(levels_.begin(), at, levels_.end());
  return *at;
}

// Local search from a point among values that cost no more than a level.
void Nearest::look_from(const std::vector<int>& start, double level) {
  restrict_box(level);
  std::vector<int> found;
  if (oracle_.look_within(box_.data(), question_, cost_, start, found)) keep_if_cheaper(std::move(found));
}

void Nearest::narrow_sums() {
  for (;;) {
    const double budget = middle();
    if (budget < 0) return;
    search_within(budget);
  }
}

// Whether all costs are whole numbers, and few enough of them can be a sum.
void Nearest::find_whole() {
  double most = 0;
  whole_ = true;
  for (int j = 0; j < forest_.n_variables; j++) {
    double dearest = 0;
    for (int a = forest_.offset[j]; a < forest_.offset[j + 1]; a++) {
      if (!mask_[a]) continue;
      whole_ = whole_ && cost_[a] == std::floor(cost_[a]);
      dearest = std::max(dearest, cost_[a]);
    }
    most += dearest;
  }
  whole_ = whole_ && most < kMany;
}

// Close to the optimum there are ever more points that cost nearly the same: telling them apart may double the
// work, no more.
void Nearest::polish() {
  oracle_.limits.allow(oracle_.limits.visited());
  answers_ = 0;
  try {
    narrow_sums();
  } catch (const LimitReached&) {  // near enough
  }
}

// A level among those that are open, -1 if none is: near the lower end as long as nothing was found beyond it, as
// small boxes are quick to decide; then the one in the middle.
double Nearest::middle_level() {
  const auto from = std::upper_bound(levels_.begin(), levels_.end(), below_);
  const auto to = std::lower_bound(levels_.begin(), levels_.end(), best_.upper);
  if (from >= to) return -1;
  const auto half = (to - from) / 2;
  stride_ *= 2;
  return *(from + std::min<std::ptrdiff_t>(half, stride_));
}

// The largest budget that is worth a search: less than the upper bound by one if costs are whole, else by a share, and
// by one float at least, as shares are lost among the smallest floats.
double Nearest::less() const {
  if (whole_) return best_.upper - 1;
  const double share = answers_ > kFewAnswers ? kGrain : kPolish;
  return std::min(best_.upper * (1 - share), std::nextafter(best_.upper, 0.0));
}

// A budget between the bounds, -1 if they are close enough.
double Nearest::middle() const {
  const double last = less(), below = std::max(0.0, below_);
  if (last <= below_ || best_.upper == 0) return -1;
  if (best_.upper - below <= kClose * best_.upper) return last;
  const double half = (below + best_.upper) / 2;
  return std::min(last, whole_ ? std::floor(half) : half);
}

// Whether there is an answer none of whose costs is above a level.
bool Nearest::ask_within_level(double level, std::vector<int>& found) {
  restrict_box(level);
  Seeds seeds{&instance_};
  if (!best_.point.empty()) seeds.push_back(&best_.point);
  return oracle_.ask(box_.data(), question_, seeds, found);
}

// Search for cheaper and cheaper answers within a budget.
void Nearest::search_within(double budget) {
  restrict_box(budget);
  const auto found = [this](const std::vector<int>& x) {
    answers_++;
    take(x);
    return less();
  };
  best_.lower = below_ = oracle_.search_within(box_.data(), question_, cost_, budget, found);
}

void Nearest::restrict_box(double most) {
  box_ = mask_;
  for (int a = 0; a < forest_.atoms(); a++)
    if (cost_[a] > most) box_[a] = 0;
}

double Nearest::cost_of(const std::vector<int>& x) const {
  double cost = 0;
  for (int j = 0; j < forest_.n_variables; j++)
    cost = norm_ == Norm::kSum ? cost + cost_at(j, x[j]) : std::max(cost, cost_at(j, x[j]));
  return cost;
}

// An answer, moved back towards the instance one variable at a time, the dearest first, while it stays one. In any
// order of summation, only what the oracle has found counts: an evaluation cannot tell.
void Nearest::take(std::vector<int> x) {
  if (!forest_.any_order)
    for (int j : dearest_first(x)) move_back(x, j);
  keep_if_cheaper(std::move(x));
}

void Nearest::keep_if_cheaper(std::vector<int> x) {
  const double cost = cost_of(x);
  if (cost >= best_.upper) return;
  best_.upper = cost;
  best_.point = std::move(x);
}

std::vector<int> Nearest::dearest_first(const std::vector<int>& x) const {
  std::vector<int> order(forest_.n_variables);
  std::iota(order.begin(), order.end(), 0);
  const auto cost = [&](int j) { return cost_at(j, x[j]); };
  std::sort(order.begin(), order.end(), [&](int a, int b) { return cost(a) != cost(b) ? cost(a) > cost(b) : a < b; });
  return order;
}

// Move one variable to its cheapest value at which the point is still an answer.
void Nearest::move_back(std::vector<int>& x, int j) {
  if (cost_at(j, x[j]) == 0) return;
  oracle_.limits.check();
  oracle_.find_answers_along(j, x, question_, answering_);
  for (int v = 0; v < forest_.values(j); v++)
    if (answering_[v] && mask_[forest_.offset[j] + v] && cost_at(j, v) < cost_at(j, x[j])) x[j] = v;
}

}  // namespace primewood::search
