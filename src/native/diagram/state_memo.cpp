#include "diagram/state_memo.hpp"

#include <algorithm>
#include <cassert>

namespace primewood::diagram {

Id StateMemo::key(const std::vector<Id>& parts) {
  const auto is_same = [&](Id key) {
    return length(key) == parts.size() && std::equal(parts.begin(), parts.end(), parts_.data() + start_[key]);
  };
  const std::size_t slot = keys_.find(hash_row(parts.data(), parts.size()), is_same);
  if (keys_.at(slot) != kNone) return keys_.at(slot);
  const Id fresh = static_cast<Id>(newest_.size());
  parts_.insert(parts_.end(), parts.begin(), parts.end());
  start_.push_back(parts_.size());
  newest_.push_back(kNone);
  keys_.put(slot, fresh, [&](Id key) { return hash_row(parts_.data() + start_[key], length(key)); });
  return fresh;
}

Id StateMemo::path_number(const std::vector<Edge>& trees) {
  assert(!trees.empty());
  if (!paths_) paths_.emplace(static_cast<int>(trees.size()));
  return paths_->intern(trees.data());
}

void StateMemo::add(Id key, Id node, const std::vector<Int>& need, Id path) {
  assert(need.size() == pairs_);
  needs_.insert(needs_.end(), need.begin(), need.end());
  entries_.push_back({node, path, newest_[key]});
  newest_[key] = static_cast<Id>(entries_.size()) - 1;
}

}  // namespace primewood::diagram
