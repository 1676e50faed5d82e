// How the threads of one search share its nodes, and what they find.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <vector>

#include "limits.hpp"
#include "search/live_ranks.hpp"
#include "search/node.hpp"

namespace primewood::search {

// A node that is left to another thread, with the multipliers of the whole search at that time.
struct Task {
  Node node;
  std::vector<double> multipliers;
};

class Sharing {
 public:
  using Take = std::function<void(const std::vector<int>&)>;

  // take: what becomes of points, if the search goes on after them; it takes ranks out of `live`.
  Sharing(std::deque<Task> tasks, int threads, Take take, const LiveRanks& live);

  // Thrown in a thread whose search was ended by another one.
  struct Ended {};

  // So many threads take part, fewer than was said.
  void set_threads(int threads);

  // Whether some thread waits for a task.
  bool is_hungry() const { return hungry_; }
  void offer(Task task);

  // Wait for a task; false once there will be none.
  bool take(Task& task, Limits& limits);

  void check() const {
    if (ended_) throw Ended{};
  }

  // A thread has found a point. Either that ends the search, or what is found is taken out.
  void hand_on(const std::vector<int>& found, LiveRanks& own);

  // Bring a thread's own live ranks up to date.
  void update(LiveRanks& own, int& version);

  // Call something that no thread may do at the same time.
  void alone(const std::function<void()>& action);

  // A thread fails: so does the search.
  void fail(std::exception_ptr error);

  // After all threads: the point that ended the search, if one did; a failure is thrown.
  bool get(std::vector<int>& point) const;

 private:
  void end();

  int threads_;
  const Take take_;
  const LiveRanks& live_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;
  int waiting_ = 0;
  std::atomic<bool> hungry_{false}, ended_{false};
  std::atomic<int> version_{0};  // of the live ranks
  std::vector<int> found_;
  std::exception_ptr error_;
};

}  // namespace primewood::search
