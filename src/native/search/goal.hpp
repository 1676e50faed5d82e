// What branch and bound looks for: a point that meets a goal. A goal gives every leaf a weight and every node a
// threshold, such that where the weights of the trees' leaves sum to less, no point meets it.
#pragma once

#include <vector>

#include "search/node.hpp"

namespace primewood::search {

class Goal {
 public:
  virtual ~Goal() = default;

  // Fill the root with the leaves of the whole box.
  virtual void open(Node& root) = 0;

  // Whether a point of ranks meets the goal.
  virtual bool met(const std::vector<int>& x) = 0;

  // Local search from a point, and from the best point seen; true with a point that meets the goal.
  virtual bool ascend(std::vector<int>& x) = 0;
  virtual bool wander(int rounds, std::vector<int>& x) = 0;

  // Set the threshold of a node, and its magnitude and inexactness; false if none of its points can meet the goal.
  virtual bool possible(Node& node) = 0;

  // Whether several threads can search for it, each with a goal of its own.
  virtual bool can_be_shared() const { return false; }

  // For goals whose weights change on the way: learn from the leaves that the trees picked, and weigh the
  // node anew; true if the weights have changed.
  virtual bool learn(Node& /* node */, const std::vector<int>& /* picked leaves */) { return false; }
};

}  // namespace primewood::search
