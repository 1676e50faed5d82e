// Limits of a run: a deadline, a number of search nodes, and a signal from outside.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

namespace primewood {

// Thrown where a limit is reached; what was proved before stays proved.
struct LimitReached {};

// What a run may take. seconds < 0: no deadline; nodes < 0: no limit on work. Nodes can be counted only in one thread.
struct Budget {
  double seconds = -1;
  std::int64_t nodes = -1;
  int threads = 1;
};

class Limits {
  using Clock = std::chrono::steady_clock;

 public:
  // There is no deadline beyond `kForever`. `poll` may throw; it is called a few times a second.
  void start(Budget budget, std::function<void()> poll);

  // Call often: it costs one look at the clock. In the header, as every search calls it at every node.
  void check() {
    const auto now = Clock::now();
    if (timed_ && now >= end_.time) throw LimitReached{};
    if (now >= next_poll_) {
      next_poll_ = now + kPollInterval;
      poll_();
    }
  }

  void count_node() {
    visited_++;
    if (counted_ && visited_ > end_.nodes) throw LimitReached{};
  }

  std::int64_t visited() const { return visited_; }

  // The deadline for another thread, which counts nodes of its own; these are then added.
  Limits for_thread(std::function<void()> poll) const;
  void add_visited(std::int64_t nodes) { visited_ += nodes; }
  void poll() const { poll_(); }

  // From here on, take at most this many nodes.
  void allow(std::int64_t nodes);

  // Whether anything can end the run.
  bool limited() const { return timed_ || counted_; }

  // A run may have stages: from here on, work up to a share of the run's time and nodes; 1 is all of them.
  void set_stage(double share);

  // A stage may have slices: from here on, work for a fraction of what is left of the stage; 1 is all of it.
  void set_slice(double fraction);

  bool is_stage_over() const;

 private:
  static constexpr double kForever = 9e8;  // seconds; the clock counts nanoseconds, and not many more than that
  static constexpr std::chrono::milliseconds kPollInterval{40};

  // Where something ends, in time and in nodes visited.
  struct End {
    Clock::time_point time;
    std::int64_t nodes = 0;
  };

  std::function<void()> poll_;
  Clock::time_point began_, next_poll_;
  End run_, stage_, end_;  // of the run, of its stage, and of what is at work now
  std::int64_t visited_ = 0;
  bool timed_ = false, counted_ = false;
};

}  // namespace primewood
