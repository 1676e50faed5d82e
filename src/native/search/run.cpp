#include "search/run.hpp"

#include <utility>

namespace primewood::search {

WorkDone& WorkDone::of_this_process() {
  static WorkDone work;
  return work;
}

Run::Run(Oracle& oracle, const SearchOptions& options, Budget budget, std::function<void()> poll) : oracle_(oracle) {
  oracle.start(options, budget, std::move(poll));
}

Run::~Run() {
  WorkDone& work = WorkDone::of_this_process();
  work.runs++;
  work.queries += oracle_.counts.queries;
  work.nodes += oracle_.limits.visited();
}

}  // namespace primewood::search
