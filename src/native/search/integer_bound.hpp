// The bound of a relaxation in integers: what a stranger can add up again.
//
// Multipliers are whole numbers of a unit, and leaves have their integer weights, so nothing is rounded. The relaxation
// of the node must have been prepared, and stays as it is while the bound is evaluated.
#pragma once

#include <vector>

#include "search/relaxation.hpp"

namespace primewood::search {

__extension__ using Wide = __int128;

class IntegerBound {
 public:
  IntegerBound(const Relaxation& relaxation, const Margin& margin) : relaxation_(relaxation), margin_(margin) {}

  // The relaxation has been prepared for this node.
  void open(const Node& node, Int unit);

  // How many multipliers the node has, and which of the whole search each is.
  std::size_t size() const { return relaxation_.multipliers_.size(); }
  int source(std::size_t k) const { return relaxation_.source_[k]; }

  // The multipliers as the relaxation has them now.
  double multiplier(std::size_t k) const { return relaxation_.multipliers_[k].w; }

  // The bound with these multipliers.
  Wide evaluate(const std::vector<Int>& multipliers);

  // Set one multiplier of those that were evaluated last, if the bound stays below a limit.
  bool change_if_below(std::size_t k, Int value, Int limit);

  const std::vector<Int>& multipliers() const { return w_; }

 private:
  Int find_best(int tree);
  Int find_worth(int variable);

  const Relaxation& relaxation_;
  const Margin& margin_;
  const Node* node_ = nullptr;
  Int unit_ = 1;
  Wide total_ = 0;
  std::vector<Int> w_, best_, worth_, charge_, pay_;
  std::vector<std::vector<int>> of_variable_;  // its multipliers
};

}  // namespace primewood::search
