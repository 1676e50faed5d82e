#include "search/sharing.hpp"

#include <chrono>
#include <utility>

namespace primewood::search {

using Lock = std::unique_lock<std::mutex>;

Sharing::Sharing(std::deque<Task> tasks, int threads, Take take, const LiveRanks& live)
    : threads_(threads), take_(std::move(take)), live_(live), tasks_(std::move(tasks)) {}

void Sharing::set_threads(int threads) {
  const Lock lock(mutex_);
  threads_ = threads;
}

void Sharing::offer(Task task) {
  const Lock lock(mutex_);
  tasks_.push_back(std::move(task));
  hungry_ = waiting_ > int(tasks_.size());
  changed_.notify_one();
}

// The oldest task comes first: it is nearest to the root, and so likely the largest.
bool Sharing::take(Task& task, Limits& limits) {
  constexpr std::chrono::milliseconds kPatience{10};
  Lock lock(mutex_);
  waiting_++;
  while (!ended_ && tasks_.empty()) {
    if (waiting_ == threads_) {
      end();
      break;
    }
    hungry_ = true;
    if (changed_.wait_for(lock, kPatience) == std::cv_status::no_timeout) continue;
    lock.unlock();
    limits.check();
    lock.lock();
  }
  if (ended_) return false;
  waiting_--;
  task = std::move(tasks_.front());
  tasks_.pop_front();
  hungry_ = waiting_ > int(tasks_.size());
  return true;
}

void Sharing::hand_on(const std::vector<int>& found, LiveRanks& own) {
  const Lock lock(mutex_);
  if (ended_) throw Ended{};
  if (!take_) {
    found_ = found;
    end();
    throw Ended{};
  }
  if (!live_.holds(found)) return;  // another thread was faster
  take_(found);
  version_++;
  own.copy(live_);
}

void Sharing::update(LiveRanks& own, int& version) {
  if (version == version_) return;
  const Lock lock(mutex_);
  version = version_;
  own.copy(live_);
}

void Sharing::alone(const std::function<void()>& action) {
  const Lock lock(mutex_);
  action();
}

void Sharing::fail(std::exception_ptr error) {
  const Lock lock(mutex_);
  if (!error_) error_ = std::move(error);
  end();
}

bool Sharing::get(std::vector<int>& point) const {
  if (error_) std::rethrow_exception(error_);
  if (found_.empty()) return false;
  point = found_;
  return true;
}

void Sharing::end() {
  ended_ = true;
  changed_.notify_all();
}

}  // namespace primewood::search
