// What is known of a leaf that a box can reach: its weight, and what the path to it allows.
#pragma once

#include "forest/forest.hpp"

namespace primewood::search {

// The ranks of one variable that a path allows: [low, high], and "missing" if flagged.
// Without ordered ranks: low > high.
struct Entry {
  int variable, low, high;
  bool missing;
};

// An entry without ranks has these ends.
constexpr int kNoLow = 1 << 29, kNoHigh = -1;

struct Leaf {
  forest::Int weight;
  int begin, end;  // entries; those of sorted leaves are not consecutive, so both are kept
  int node;        // a leaf of the forest, one of those that were merged
};

// A node of a tree, without the parts that the box cannot reach. A leaf has no variable.
struct Branch {
  int variable, split;  // ranks below the split go left
  int left, right;
  bool missing_left;
  forest::Int weight;
};

}  // namespace primewood::search
