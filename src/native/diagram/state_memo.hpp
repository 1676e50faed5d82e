// The states of one level that were expanded: by residual parts, then by where their result holds.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "diagram/levels.hpp"
#include "diagram/votes.hpp"

namespace primewood::diagram {

// An entry holds for a region of sums (its need, one number per pair of classes), or for one path alone.
class StateMemo {
 public:
  explicit StateMemo(int pairs) : pairs_(static_cast<std::size_t>(pairs)) {}

  // The number of a list of residual parts.
  Id key(const std::vector<Id>& parts);

  // The number of a path, given by what is left of every tree.
  Id path_number(const std::vector<Edge>& trees);

  // Remember the node of a state; `path` is `kNone` if the result holds for a region of sums.
  void add(Id key, Id node, const std::vector<Int>& need, Id path);

  // The entries of a key, from the newest to the oldest; `kNone` after the last.
  Id newest(Id key) const { return newest_[key]; }
  Id older(Id entry) const { return entries_[entry].older; }

  Id node(Id entry) const { return entries_[entry].node; }
  Id path(Id entry) const { return entries_[entry].path; }
  const Int* need(Id entry) const { return needs_.data() + static_cast<std::size_t>(entry) * pairs_; }

 private:
  struct Entry {
    Id node, path, older;
  };

  std::size_t length(Id key) const { return start_[key + 1] - start_[key]; }

  std::size_t pairs_;
  std::vector<Id> parts_;  // of all keys, one after the other
  std::vector<std::size_t> start_{0};
  std::vector<Id> newest_;  // per key
  IdTable keys_;
  std::vector<Entry> entries_;
  std::vector<Int> needs_;
  std::optional<RowTable<Edge>> paths_;
};

}  // namespace primewood::diagram
