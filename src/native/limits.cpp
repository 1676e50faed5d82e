#include "limits.hpp"

#include <algorithm>
#include <utility>

namespace primewood {

void Limits::start(Budget budget, std::function<void()> poll) {
  poll_ = std::move(poll);
  nodes_left_ = budget.nodes;
  visited_ = 0;
  counted_ = budget.nodes >= 0;
  timed_ = budget.seconds >= 0 && budget.seconds < kForever;
  const auto now = Clock::now();
  const std::chrono::duration<double> allowed(timed_ ? budget.seconds : 0);
  deadline_ = now + std::chrono::duration_cast<Clock::duration>(allowed);
  next_poll_ = now + kPollInterval;
}

void Limits::allow(std::int64_t nodes) {
  nodes_left_ = counted_ ? std::min(nodes_left_, nodes) : nodes;
  counted_ = true;
}

}  // namespace primewood
