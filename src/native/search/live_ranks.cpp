#include "search/live_ranks.hpp"

#include <algorithm>

namespace primewood::search {

void LiveRanks::open() {
  for (int j : shrunk_) live_before_[j].clear();
  shrunk_.clear();
}

void LiveRanks::copy(const LiveRanks& other) {
  assert(&box_ == &other.box_);
  open();
  shrunk_ = other.shrunk_;
  for (int j : shrunk_) live_before_[j] = other.live_before_[j];
}

void LiveRanks::take_out(int j, const std::vector<int>& ranks) {
  const int all = box_.size[j] + 1;  // with "missing"
  out_.assign(std::size_t(all), 0);
  if (!is_shrunk(j)) {
    shrunk_.push_back(j);
    if (!box_.missing[j]) out_[box_.size[j]] = 1;
  } else {
    for (int rank = 0; rank < all; rank++) out_[rank] = !is_live(j, rank);
  }
  for (int rank : ranks) out_[rank] = 1;
  auto& before = live_before_[j];
  before.assign(std::size_t(all) + 1, 0);
  for (int rank = 0; rank < all; rank++) before[std::size_t(rank) + 1] = before[rank] + !out_[rank];
}

bool LiveRanks::holds(const std::vector<int>& x) const {
  return std::all_of(shrunk_.begin(), shrunk_.end(), [&](int j) { return is_live(j, x[j]); });
}

bool LiveRanks::meets(const Region& region, const Entry& e) const {
  const int j = e.variable, low = std::max(region.low[j], e.low), high = std::min(region.high[j], e.high);
  return (low <= high && count(j, low, high) > 0) || (region.missing[j] && e.missing && is_live(j, box_.size[j]));
}

bool LiveRanks::narrow(Region& region) const {
  for (int j : shrunk_) {
    int &low = region.low[j], &high = region.high[j];
    if (region.has_ranks(j) && count(j, low, high) == 0) region.drop_ranks(j);
    while (region.has_ranks(j) && !is_live(j, low)) low++;
    while (region.has_ranks(j) && !is_live(j, high)) high--;
    if (region.missing[j] && !is_live(j, box_.size[j])) region.missing[j] = 0;
    if (!region.has_ranks(j) && !region.missing[j]) return false;
  }
  return true;
}

int LiveRanks::nearest(int j, int rank, int low, int high) const {
  assert(is_shrunk(j));
  for (int distance = 0; rank - distance >= low || rank + distance <= high; distance++) {
    const int below = rank - distance, above = rank + distance;
    if (below >= low && below <= high && is_live(j, below)) return below;
    if (above >= low && above <= high && is_live(j, above)) return above;
  }
  return -1;
}

void LiveRanks::move_into(std::vector<int>& x) const {
  for (int j : shrunk_) x[j] = nearest(j, x[j], 0, box_.size[j]);
}

}  // namespace primewood::search
