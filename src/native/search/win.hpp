// What has to win: a class against another.
#pragma once

#include <vector>

#include "forest/forest.hpp"

namespace primewood::search {

// A class whose score is to reach another's, or to exceed it by the threshold, in units of the weights.
struct Win {
  int winner, rival;
  forest::Int threshold, band;
  int twin = -1;        // a number that it shares with the opposite win of another row,
  bool upward = false;  // which goes the other way
};

// A win, and the nodes of the joint forest whose leaves count for it.
struct OwnWin : Win {
  int first_node = 0, last_node = 0;

  bool counts(int node) const { return node >= first_node && node < last_node; }
};

// One class against all others.
inline std::vector<Win> wins_of_class(const forest::Forest& forest, int winner) {
  std::vector<Win> wins;
  for (int c = 0; c < forest.n_classes; c++)
    if (c != winner) wins.push_back({winner, c, winner < c ? 0 : 1, forest.band});
  return wins;
}

}  // namespace primewood::search
