// Limits of a run: a deadline, a number of search nodes, and a signal from outside.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

namespace primewood {

// Thrown where a limit is reached; what was proved before stays proved.
struct LimitReached {};

// What a run may take. seconds < 0: no deadline; nodes < 0: no limit on work.
struct Budget {
  double seconds = -1;
  std::int64_t nodes = -1;
};

class Limits {
  using Clock = std::chrono::steady_clock;

 public:
  // There is no deadline beyond `kForever`. `poll` may throw; it is called a few times a second.
  void start(Budget budget, std::function<void()> poll);

  // Call often: it costs one look at the clock. In the header, as every search calls it at every node.
  void check() {
    const auto now = Clock::now();
    if (timed_ && now >= deadline_) throw LimitReached{};
    if (now >= next_poll_) {
      next_poll_ = now + kPollInterval;
      poll_();
    }
  }

  void count_node() {
    visited_++;
    if (counted_ && --nodes_left_ < 0) throw LimitReached{};
  }

  std::int64_t visited() const { return visited_; }

  // From here on, take at most this many nodes.
  void allow(std::int64_t nodes);

 private:
  static constexpr double kForever = 9e8;  // seconds; the clock counts nanoseconds, and not many more than that
  static constexpr std::chrono::milliseconds kPollInterval{40};

  std::function<void()> poll_;
  Clock::time_point deadline_, next_poll_;
  std::int64_t nodes_left_ = 0, visited_ = 0;
  bool timed_ = false, counted_ = false;
};

}  // namespace primewood
