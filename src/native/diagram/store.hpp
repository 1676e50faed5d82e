// Plain diagrams under construction: functions from points to terminals, which are small numbers (the place of a
// class).
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "diagram/levels.hpp"

namespace primewood::diagram {

class Store : public Levels<Id> {
 public:
  // Takes two terminals to one.
  using Combine = Id (*)(Id, Id);

  Store(std::vector<int> widths, Limits& limits);

  // The node of a level whose function is one terminal.
  Id sink(int level, Id terminal);

  // The root of the function combine(a, b), for two roots a and b.
  Id product(Id a, Id b, Combine combine);

  // Drop what the roots do not reach; they get their new ids.
  void trim(std::vector<Id>& roots);

  // Swap a level with the next one; false, and nothing changes, if the lower one gets more than `most` nodes.
  bool swap_levels(int level, std::size_t most);

 private:
  using Memo = std::unordered_map<std::uint64_t, Id>;

  Id product(int level, Id a, Id b, Combine combine, std::vector<Memo>& memo);
  void forget_sinks();

  std::vector<std::vector<Id>> sinks_;  // per level and terminal; `kNone` if not made yet
};

}  // namespace primewood::diagram
