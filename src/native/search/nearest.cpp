#include "search/nearest.hpp"

#include <algorithm>
#include <cmath>
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

// The largest single cost is asked for first: that is cheap, and what is found is near in sum, too. If all costs are
// whole, their sum is bisected at once.
void Nearest::search() {
  find_whole();
  if (asked_ == Norm::kSum && whole_) {
    search_whole_sums();
    return;
  }
  search_largest();
  if (asked_ == Norm::kSum && !best_.point.empty()) search_sums();
}

void Nearest::search_whole_sums() {
  std::vector<int> found;
  if (!oracle_.ask(mask_.data(), question_, {&instance_}, found)) return;
  take(found);
  for (int c = 0; c <= best_.upper; c++) levels_.push_back(c);
  bisect();
}

void Nearest::search_largest() {
  norm_ = Norm::kLargest;
  for (int a = 0; a < forest_.atoms(); a++)
    if (mask_[a]) levels_.push_back(cost_[a]);
  oracle_.limits.check();
  std::sort(levels_.begin(), levels_.end());
  levels_.erase(std::unique(levels_.begin(), levels_.end()), levels_.end());
  bisect();
}

void Nearest::search_sums() {
  norm_ = Norm::kSum;
  best_.upper = cost_of(best_.point);
  bisect();
  polish();
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
  std::vector<int> found;
  oracle_.limits.allow(oracle_.limits.visited());
  try {
    while (best_.upper > 0 && probe(less(kPolish), found)) take(found);
    best_.lower = less(kPolish);
  } catch (const LimitReached&) {  // near enough
  }
}

void Nearest::bisect() {
  std::vector<int> found;
  for (;;) {
    const double budget = norm_ == Norm::kLargest || whole_ ? middle_level() : middle();
    if (budget < 0) return;
    if (probe(budget, found)) {
      take(found);
    } else {
      best_.lower = below_ = budget;
    }
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

// What is less than the upper bound by a share, and by one float at least: among the smallest floats shares are lost.
double Nearest::less(double share) const {
  return std::min(best_.upper * (1 - share), std::nextafter(best_.upper, 0.0));
}

// A budget between the bounds, -1 if they are close enough.
double Nearest::middle() const {
  const double last = less(kGrain), below = std::max(0.0, below_);
  if (last <= below_ || best_.upper == 0) return -1;
  return best_.upper - below <= kClose * best_.upper ? last : (below + best_.upper) / 2;
}

// Whether there is an answer within a budget.
bool Nearest::probe(double budget, std::vector<int>& found) {
  box_ = mask_;
  for (int a = 0; a < forest_.atoms(); a++)
    if (cost_[a] > budget) box_[a] = 0;
  if (norm_ == Norm::kSum) return oracle_.ask_within(box_.data(), question_, cost_, budget, found);
  Seeds seeds{&instance_};
  if (!best_.point.empty()) seeds.push_back(&best_.point);
  return oracle_.ask(box_.data(), question_, seeds, found);
}

double Nearest::cost_of(const std::vector<int>& x) const {
  double cost = 0;
  for (int j = 0; j < forest_.n_variables; j++)
    cost = norm_ == Norm::kSum ? cost + cost_at(j, x[j]) : std::max(cost, cost_at(j, x[j]));
  return cost;
}

// An answer, moved back towards the instance one variable at a time, the dearest first, while it stays one.
void Nearest::take(std::vector<int> x) {
  for (int j : dearest_first(x)) move_back(x, j);
  const double cost = cost_of(x);
  if (cost < best_.upper) {
    best_.upper = cost;
    best_.point = std::move(x);
  }
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
  const int own = x[j];
  find_cheaper(j, cost_at(j, own));
  for (const auto& [cost, v] : cheaper_) {
    oracle_.limits.check();
    x[j] = v;
    if (answers(x)) return;
  }
  x[j] = own;
}

void Nearest::find_cheaper(int j, double cost) {
  cheaper_.clear();
  for (int v = 0; v < forest_.values(j); v++)
    if (mask_[forest_.offset[j] + v] && cost_at(j, v) < cost) cheaper_.push_back({cost_at(j, v), v});
  std::sort(cheaper_.begin(), cheaper_.end());
}

// In any order of summation, only what the oracle has found counts: an evaluation cannot tell.
bool Nearest::answers(const std::vector<int>& x) const { return !forest_.any_order && oracle_.answers(x, question_); }

}  // namespace primewood::search
