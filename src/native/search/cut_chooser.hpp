// Where to cut a node in two: where the leaves that trees pick disagree most.
#pragma once

#include <vector>

#include "search/dispute.hpp"
#include "search/node.hpp"

namespace primewood::search {

class CutChooser {
 public:
  void open(const Restriction& box) { dispute_.open(box); }

  // Forget what was counted, before another node.
  void clear() { dispute_.clear(); }

  // Count where the leaves that the trees picked want to lie.
  void count(const Node& node, const std::vector<int>& picked);

  // The cut on which they disagree most; else any that separates leaves. None if all points of the node are alike.
  Cut choose(const Node& node);

 private:
  Dispute<int> dispute_;
};

}  // namespace primewood::search
