// What branch and bound looks for: a point that meets a goal. A goal gives every leaf a weight, such that where
// the weights of the trees' leaves sum to less than a threshold, no point meets it.
#pragma once

#include <vector>

#include "node.hpp"

namespace primewood {

class Goal {
 public:
  virtual ~Goal() = default;

  double threshold = 0;

  // Fill the root with the leaves of the whole box.
  virtual void open(Node& root) = 0;

  // Whether a point of ranks meets the goal.
  virtual bool met(const std::vector<int>& x) = 0;

  // Local search from a point, and from the best point seen; true with a point that meets the goal.
  virtual bool ascend(std::vector<int>& x) = 0;
  virtual bool wander(int rounds, std::vector<int>& x) = 0;

  // Goals whose weights change on the way. Weigh a node anew; learn from the leaves that the trees picked
  // (true if weights have changed); tell whether a node could hold a point at all.
  virtual void weigh(Node&) {}
  virtual bool learn(const Node&, const std::vector<int>& /* picked leaves */) { return false; }
  virtual bool possible(const Node&) { return true; }
};

}  // namespace primewood
