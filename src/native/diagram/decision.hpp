// From sums to decisions: the diagram of "which class has the largest sum", for a sum of many diagrams.
//
// The parts are never added up. Going down the levels, a state is the residual parts (the nodes that are not constant,
// sorted) and the sums S of what has been settled. Bounds close a state as soon as one class wins against every rival
// whatever comes. A state that had to be expanded is remembered with the *region* of sums for which it gives the same
// function: every cell below it that class w wins asks that
//     D[w,k] = S[w] - S[k] - band * (inexact leaves so far)  >=  need[w,k]      for every rival k,
// and the need of the state is the largest over its cells. Another state with the same residual parts and sums in the
// region has the same diagram. Without this, votes with fractional leaves would hardly ever meet again.
//
// Where rounding could decide (no class wins by more than the band), the cell is settled by adding as the library
// does. Such a result holds for this path only, or for one on which the same is left of every tree to the last float.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "diagram/class_pairs.hpp"
#include "diagram/part_tables.hpp"
#include "diagram/state_memo.hpp"
#include "diagram/store.hpp"
#include "diagram/sums.hpp"

namespace primewood::diagram {

// How doubtful cells are settled.
struct Rounding {
  Int band = 0;
  bool any_order = false;                                  // then a doubtful cell is settled by its being doubtful
  std::function<Id(const std::vector<int>& path)> settle;  // the terminal of a cell, given one value per level
  const Sums* identities = nullptr;                        // the trees, with leaves numbered by their values
  std::vector<Edge> trees;
};

class Decision {
 public:
  // `most_states`: how many states may be expanded; `CapReached` after that.
  Decision(const Sums& parts, const Votes& votes, Rounding rounding, Store& out, std::size_t most_states);

  // The root of the decision of the sum of these parts.
  Id decide(const std::vector<Edge>& parts);

  // How many states were expanded, and how many cells were settled by adding as the library does.
  std::size_t states() const { return states_; }
  std::size_t settled() const { return settled_; }

 private:
  // The state at one level on the way down.
  struct State {
    std::vector<Id> open;                      // residual parts
    std::vector<Int> sums;                     // per class, then how many inexact leaves
    std::vector<Int> difference, least, need;  // per pair of classes
    bool alone = false;                        // the result holds for this path only
    Changes::Bits changes;                     // the values at which a residual part changes
    std::vector<Edge> trees;                   // what is left of every tree; made when asked for
  };

  void add_part(State& state, const Edge& edge) const;
  // The node of the state of a level; sets its need, or that it stands alone.
  Id resolve(int level);
  // The class that wins whatever comes, or -1. Sets the need if there is one.
  int find_winner(int level);
  // Whether the least difference of every pair of a range wins.
  bool wins(const State& state, int first, int last) const;
  // Whether every cell below is settled alike.
  bool is_settled(int level);
  Id settle(int level);
  // An entry of the memo that holds for the state of a level, or `kNone`; sets its need, or that it stands alone.
  Id recall(int level, Id key);
  bool holds(const State& state, const Int* need) const;
  Id path_number(int level);
  // Make what is left of every tree.
  void find_trees(int level);
  Id expand(int level);
  // Set up the state below a level for one value.
  void descend(int level, int value);
  // Let the state of a level need what the one below it needs.
  void take_need(int level);

  const Sums& parts_;
  const Votes& votes_;
  const Rounding rounding_;
  const ClassPairs pairs_;
  const LeastDifferences least_;
  const Changes changes_;
  Store& out_;
  const std::size_t most_states_;
  std::vector<State> states_by_level_;
  std::vector<StateMemo> memo_;  // per level
  std::vector<int> path_;        // one value per level
  std::size_t states_ = 0, settled_ = 0;
};

}  // namespace primewood::diagram
