// The bound of a relaxation in integers: what a stranger can add up again.
//
// Multipliers are whole numbers of a unit, and leaves have their integer weights, so nothing is rounded. The relaxation
// of the node must have been prepared, and stays as it is while the bound is evaluated.
//
// Let U be the bound. A leaf that is worth less than the best of its tree by more than U - threshold is idle: no point
// at it reaches the threshold. The sums of the other leaves differ by multiples of a grain, and the next such sum from
// the threshold on is the target. A bound below it closes the node. If the other leaves of each tree are alike, then
// all points that may reach the threshold have one sum.
#pragma once

#include <cstdint>
#include <vector>

#include "search/relaxation.hpp"

namespace primewood::search {

__extension__ using Wide = __int128;

class IntegerBound {
 public:
  IntegerBound(const Relaxation& relaxation, const Margin& margin) : relaxation_(relaxation), margin_(margin) {}

  // What the ranks of the box cost (per variable its ranks, then "missing"), and how much may be spent; null: nothing.
  struct Prices {
    std::vector<int> start;  // per variable
    std::vector<Int> of_rank;
    Int budget = 0;
  };
  void set_costs(const Prices* prices) { prices_ = prices; }

  // The price at which the bound takes costs off; 0 without costs.
  Int price = 0;

  // The relaxation has been prepared for this node.
  void open(const Node& node, Int unit);

  // How many multipliers the node has, and which of the whole search each is.
  std::size_t size() const { return relaxation_.multipliers_.size(); }
  int source(std::size_t k) const { return relaxation_.source_[k]; }

  // The multipliers as the relaxation has them now.
  double multiplier(std::size_t k) const { return relaxation_.multipliers_[k].w; }
  double price_of_relaxation() const { return relaxation_.price_; }

  // Whether the bound with these multipliers closes the node.
  bool closes(const std::vector<Int>& multipliers);

  // After it does not: whether all points that may reach the threshold end in leaves that are alike; one per tree that
  // is not settled (nodes of the forest).
  bool leaves_one_sum(std::vector<int>& leaves);

  // After it does not: whether all leaves of a kind (one flag per node of the forest) are idle.
  bool are_idle(const std::vector<std::uint8_t>& kind) const;

  // After it does not close the node: the leaves, of trees that have several, that are not idle (places in the node);
  // none if the grain of their sums is no larger than what is missing.
  void list_rivals(std::vector<int>& leaves) const;

  // Set one multiplier after either was true, if it stays so: the idle leaves stay idle, and the bound below the
  // target.
  bool change_if_closed(std::size_t k, Int value);

  const std::vector<Int>& multipliers() const { return w_; }

 private:
  // Of a tree: its best leaf, and how much less the best idle one is worth.
  struct Best {
    Int worth, lead;
  };

  void evaluate();
  bool find_idle();
  Best find_best(int tree);
  Wide find_worth(int variable);
  Wide price_at(int variable, int rank, int end) const;
  Int leaf_value(int leaf) const;

  const Relaxation& relaxation_;
  const Margin& margin_;
  const Node* node_ = nullptr;
  const Prices* prices_ = nullptr;
  Int unit_ = 1;
  Wide total_ = 0, target_ = 0;
  bool coarse_ = false;  // the grain of what is not idle is larger than what is missing; all leaves are looked at
  bool single_ = false;  // all that is not idle has one sum
  std::vector<Int> w_, charge_, pay_;
  std::vector<Wide> worth_;                    // per variable
  std::vector<Best> best_;                     // per tree
  std::vector<std::uint8_t> idle_;             // per leaf
  std::vector<std::vector<int>> of_variable_;  // its multipliers
};

}  // namespace primewood::search
