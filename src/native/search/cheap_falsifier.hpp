// Looking for cheap counterexamples by local search: spend where a margin gains most for the money, then save.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "limits.hpp"
#include "search/costs.hpp"
#include "search/falsifier.hpp"

namespace primewood::search {

class CheapFalsifier {
 public:
  CheapFalsifier(Margin& margin, Falsifier& falsifier, const Costs& costs, Limits& limits)
      : margin_(margin), box_(margin.box), falsifier_(falsifier), costs_(costs), limits_(limits) {}

  // Begin with a margin that has collected its leaves, and costs of the same box.
  void reset();

  // Move a point until it is a counterexample that costs less than `most`; false if that fails.
  bool repair(std::vector<int>& x, double most);

  // Make a counterexample cheaper, as far as that is easy.
  void improve(std::vector<int>& x);

  double cost_of(const std::vector<int>& x) const;

 private:
  static constexpr std::size_t kWidth = 24;  // variables that are looked at in every move
  static constexpr int kIdle = 24;           // how often in a row a change may fail
  static constexpr int kMostMoves = 400;     // of one repair
  static constexpr double kLess = 1 - 1e-9;  // of a cost, to be worth a change

  // A move of one variable to a rank, and what a unit of money buys.
  struct Move {
    int variable = -1, rank = 0;
    Int total = 0;
    double cost = 0, worth = 0;

    bool found() const { return variable >= 0; }
  };

  bool repair_among(std::vector<int>& x, double most);
  Move best_move(const std::vector<int>& x, Int total, double cost, double most);
  void weigh_moves(int j, const std::vector<int>& x, Int total, double cost, double most, Move& best);
  void choose_variables(const std::vector<int>& x, double most);

  void save(std::vector<int>& x);
  bool save_on(std::vector<int>& x, int j, Int& total);
  bool change(std::vector<int>& x, double most);
  void find_moved(const std::vector<int>& x);
  int cheapest_rank(int j) const;

  Margin& margin_;
  const Restriction& box_;
  Falsifier& falsifier_;
  const Costs& costs_;
  Limits& limits_;
  std::vector<int> variables_;        // that are looked at
  std::vector<int> moved_;            // variables that cost something
  std::vector<std::uint8_t> barred_;  // variables that stay where they are
  Random random_;
};

}  // namespace primewood::search
