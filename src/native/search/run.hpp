// One run of an oracle, and how much all runs of this process have done.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "search/oracle.hpp"

namespace primewood::search {

// Only ever grows: the difference of two readings is the work in between, whichever threads did it.
struct WorkDone {
  std::atomic<std::int64_t> runs{0}, queries{0}, nodes{0};

  static WorkDone& of_this_process();
};

// Starts the oracle; at the end, however it comes, its work is counted.
class Run {
 public:
  Run(Oracle& oracle, const SearchOptions& options, Budget budget, std::function<void()> poll);
  ~Run();

  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

 private:
  const Oracle& oracle_;
};

}  // namespace primewood::search
