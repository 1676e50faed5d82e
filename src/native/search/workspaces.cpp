#include "search/workspaces.hpp"

namespace primewood::search {

std::unique_ptr<Oracle> Workspaces::take() {
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

void Workspaces::give_back(std::unique_ptr<Oracle> oracle) {
  const std::lock_guard<std::mutex> lock(mutex_);
  idle_.push_back(std::move(oracle));
}

}  // namespace primewood::search
