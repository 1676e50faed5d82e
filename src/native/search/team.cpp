#include "search/team.hpp"

#include <system_error>
#include <thread>
#include <utility>

#include "search/lagrangian.hpp"

namespace primewood::search {

// What a thread has of its own.
struct Team::Worker {
  explicit Worker(const Team& team)
      : live(team.box_),
        falsifier(team.margin_, live, limits),
        goal(team.margin_, falsifier, team.options_),
        search(team.box_, live, limits) {}

  Limits limits;
  LiveRanks live;
  Falsifier falsifier;
  OneMargin goal;
  Lagrangian search;
};

Team::Team(const Restriction& box, Margin& margin, const OneMargin& goal, const SearchOptions& options)
    : box_(box), margin_(margin), goal_(goal), options_(options) {}

Team::~Team() = default;

bool Team::finish(const Lagrangian& begun, std::deque<Task> tasks, const Sharing::Take& take, const LiveRanks& live,
                  Limits& limits, std::vector<int>& point) {
  while (int(workers_.size()) < threads_) workers_.push_back(std::make_unique<Worker>(*this));
  Sharing sharing(std::move(tasks), threads_, take, live);
  for (int i = 0; i < threads_; i++) {
    Worker& worker = *workers_[i];
    const bool is_caller = i == 0;
    worker.limits =
        limits.for_thread(is_caller ? [&] { sharing.alone([&] { limits.poll(); }); } : std::function<void()>([] {}));
    worker.live.copy(live);
    worker.falsifier.reset();
    worker.goal.join(goal_);
    worker.search.join(begun, worker.goal, worker.live, sharing);
  }
  std::vector<std::thread> helpers;
  try {
    for (int i = 1; i < threads_; i++) helpers.emplace_back([&, i] { work(*workers_[i], sharing); });
  } catch (const std::system_error&) {  // the system has no more threads: those that there are do the work
    sharing.set_threads(int(helpers.size()) + 1);
  }
  work(*workers_[0], sharing);
  for (auto& helper : helpers) helper.join();
  for (int i = 0; i < threads_; i++) limits.add_visited(workers_[i]->limits.visited());
  return sharing.get(point);
}

void Team::work(Worker& worker, Sharing& sharing) {
  try {
    Task task;
    while (sharing.take(task, worker.limits)) worker.search.finish(task);
  } catch (const Sharing::Ended&) {
    return;  // another thread has ended the search
  } catch (...) {
    sharing.fail(std::current_exception());
  }
}

}  // namespace primewood::search
