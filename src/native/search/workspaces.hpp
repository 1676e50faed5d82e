// A forest and the oracles that work on it: one per thread at work, made once and used again.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "search/oracle.hpp"

namespace primewood::search {

class Workspaces {
 public:
  explicit Workspaces(Forest f) : forest(std::move(f)) {}

  Forest forest;

  std::unique_ptr<Oracle> take() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!idle_.empty()) {
        auto oracle = std::move(idle_.back());
        idle_.pop_back();
        return oracle;
      }
    }
    return std::make_unique<Oracle>(forest);
  }

  // Only after a run that ended by itself; one that was interrupted is thrown away.
  void give_back(std::unique_ptr<Oracle> oracle) {
    const std::lock_guard<std::mutex> lock(mutex_);
    idle_.push_back(std::move(oracle));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Oracle>> idle_;
};

}  // namespace primewood::search
