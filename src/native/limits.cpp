#include "limits.hpp"

#include <algorithm>
#include <utility>

namespace primewood {

void Limits::start(Budget budget, std::function<void()> poll) {
  poll_ = std::move(poll);
  visited_ = 0;
  counted_ = budget.nodes >= 0;
  timed_ = budget.seconds >= 0 && budget.seconds < kForever;
  began_ = Clock::now();
  const std::chrono::duration<double> allowed(timed_ ? budget.seconds : 0);
  run_ = {began_ + std::chrono::duration_cast<Clock::duration>(allowed), budget.nodes};
  stage_ = end_ = run_;
  next_poll_ = began_ + kPollInterval;
}

Limits Limits::for_thread(std::function<void()> poll) const {
  Limits limits = *this;
  limits.poll_ = std::move(poll);
  limits.visited_ = 0;
  limits.counted_ = false;
  return limits;
}

void Limits::allow(std::int64_t nodes) {
  const std::int64_t most = visited_ + nodes;
  run_.nodes = counted_ ? std::min(run_.nodes, most) : most;
  stage_ = end_ = run_;
  counted_ = true;
}

void Limits::set_stage(double share) {
  stage_.time = began_ + std::chrono::duration_cast<Clock::duration>((run_.time - began_) * share);
  stage_.nodes = std::int64_t(double(run_.nodes) * share);
  end_ = stage_;
}

void Limits::set_slice(double fraction) {
  const auto now = Clock::now();
  const auto left = std::max(stage_.time - now, Clock::duration::zero());
  const std::int64_t nodes = std::max<std::int64_t>(stage_.nodes - visited_, 0);
  end_.time = now + std::chrono::duration_cast<Clock::duration>(left * fraction);
  end_.nodes = visited_ + std::int64_t(double(nodes) * fraction);
}

bool Limits::is_stage_over() const {
  return (timed_ && Clock::now() >= stage_.time) || (counted_ && visited_ >= stage_.nodes);
}

}  // namespace primewood
