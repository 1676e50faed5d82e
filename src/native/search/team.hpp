// Threads that finish together a search that turned out to be long.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "search/one_margin.hpp"
#include "search/sharing.hpp"

namespace primewood::search {

class Lagrangian;

class Team {
 public:
  Team(const Restriction& box, Margin& margin, const OneMargin& goal, const SearchOptions& options);
  ~Team();

  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  // How many threads work on a search; the calling one is among them.
  void set_threads(int threads) { threads_ = threads; }

  // How many nodes a search takes before it is left to the team.
  long nodes_before() const { return options_.alone; }

  // Search the nodes that are left of a search. With `take`, go on after points, which it takes out of the live ranks.
  // True with a point that ended the search.
  bool finish(const Lagrangian& begun, std::deque<Task> tasks, const Sharing::Take& take, const LiveRanks& live,
              Limits& limits, std::vector<int>& point);

 private:
  struct Worker;

  static void work(Worker& worker, Sharing& sharing);

  const Restriction& box_;
  Margin& margin_;
  const OneMargin& goal_;
  const SearchOptions& options_;
  int threads_ = 1;
  std::vector<std::unique_ptr<Worker>> workers_;  // one per thread, made once and used again
};

}  // namespace primewood::search
