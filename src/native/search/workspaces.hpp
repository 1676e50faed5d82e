// A forest and the oracles that work on it: one per thread at work, made once and used again.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "search/options.hpp"
#include "search/oracle.hpp"

namespace primewood::search {

class Workspaces {
 public:
  explicit Workspaces(Forest f) : forest(std::move(f)) {}

  const Forest forest;
  SearchOptions options;  // of the runs that begin from now on

  std::unique_ptr<Oracle> take();

  // Only after a run that ended by itself; one that was interrupted is thrown away.
  void give_back(std::unique_ptr<Oracle> oracle);

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Oracle>> idle_;
};

}  // namespace primewood::search
