// Looking for a good order of the levels: Rudell's sifting, by swaps of neighbours.
#pragma once

#include <cstddef>
#include <vector>

#include "diagram/store.hpp"
#include "diagram/sums.hpp"

namespace primewood::diagram {

// Moves each variable, the one with the most nodes first, to the level where the diagram is smallest.
// `Nodes` is `Store` or `Sums`.
template <class Nodes>
class Sifting {
 public:
  // `order` names the variable of each level and moves along. `budget`: how many entries may be moved before it stops
  // (after the variable that it is at).
  Sifting(Nodes& nodes, std::vector<int>& order, double budget);

  // Passes until one gains less than a hundredth. Throws `LimitReached`.
  void run();

  // The same until a limit is reached. The diagram is right at every moment, only not as small as it could be. Returns
  // whether all passes were made.
  bool run_within_limits();

 private:
  void run_pass();
  void place(int variable);
  // Swap upwards or downwards unless the diagram would outgrow the limit by far.
  bool step(int& level, int direction);
  void move(int& level, int to);
  bool swap_levels(int level, std::size_t most);
  // How large the diagram may get before a direction is given up.
  std::size_t limit() const;

  Nodes& nodes_;
  std::vector<int>& order_;
  double budget_;
  std::size_t best_ = 0;  // the smallest size while a variable moves
};

extern template class Sifting<Store>;
extern template class Sifting<Sums>;

}  // namespace primewood::diagram
