// Which ranks of a box are live, while a search goes on after something was found: what is found takes ranks out.
#pragma once

#include <cassert>
#include <cstdint>
#include <vector>

#include "search/region.hpp"

namespace primewood::search {

class LiveRanks {
 public:
  explicit LiveRanks(const Restriction& box) : box_(box), live_before_(box.size.size()) {}

  // All ranks of the box are live.
  void open();

  // Take over what is live from others of the same box.
  void copy(const LiveRanks& other);

  // Take ranks of one variable out; "missing" is the rank after the last one.
  void take_out(int j, const std::vector<int>& ranks);

  // The variables that lost ranks.
  const std::vector<int>& shrunk() const { return shrunk_; }
  bool is_shrunk(int j) const { return !live_before_[j].empty(); }
  bool all() const { return shrunk_.empty(); }

  bool is_live(int j, int rank) const { return count(j, rank, rank) > 0; }
  bool holds(const std::vector<int>& x) const;

  // Whether an entry of a shrunk variable allows something live in a region.
  bool meets(const Region& region, const Entry& e) const;

  // Narrow a region so that the ends of its runs are live; false if nothing is left of a variable.
  bool narrow(Region& region) const;

  // The live rank of a shrunk variable that is nearest to a rank, among those from low to high; -1 if there is none.
  int nearest(int j, int rank, int low, int high) const;

  // Move a point to the nearest live ranks.
  void move_into(std::vector<int>& x) const;

 private:
  // How many ranks from low to high are live.
  int count(int j, int low, int high) const {
    const auto& before = live_before_[j];
    return before.empty() ? high - low + 1 : before[std::size_t(high) + 1] - before[low];
  }

  const Restriction& box_;
  std::vector<std::vector<int>> live_before_;  // per shrunk variable and rank: how many lower ones are live
  std::vector<int> shrunk_;
  std::vector<std::uint8_t> out_;
};

}  // namespace primewood::search
