// Limits of a run: a deadline, a number of search nodes, and a signal from outside.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

namespace primewood {

// Thrown where a limit is reached; what was proved before stays proved.
struct LimitReached {};

class Limits {
 public:
  // seconds < 0: no deadline; nodes < 0: no limit on work. `poll` may throw; it is called a few times
  // a second.
  void start(double seconds, std::int64_t nodes, std::function<void()> poll) {
    poll_ = std::move(poll);
    nodes_left_ = nodes;
    counted_ = nodes >= 0;
    timed_ = seconds >= 0;
    const auto now = Clock::now();
    deadline_ = now + std::chrono::duration_cast<Clock::duration>(
                          std::chrono::duration<double>(timed_ ? seconds : 0));
    next_poll_ = now + interval();
  }

  // Call often: it costs one look at the clock.
  void check() {
    const auto now = Clock::now();
    if (timed_ && now >= deadline_) throw LimitReached{};
    if (now >= next_poll_) {
      next_poll_ = now + interval();
      poll_();
    }
  }

  void count_node() {
    if (counted_ && --nodes_left_ < 0) throw LimitReached{};
  }

 private:
  using Clock = std::chrono::steady_clock;
  static Clock::duration interval() { return std::chrono::milliseconds(40); }
  std::function<void()> poll_;
  Clock::time_point deadline_, next_poll_;
  std::int64_t nodes_left_ = 0;
  bool timed_ = false, counted_ = false;
};

}  // namespace primewood
