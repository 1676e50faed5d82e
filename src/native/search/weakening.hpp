// How an instance is weakened to a box, and what comes out.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "language.hpp"

namespace primewood::search {

// How to weaken an instance.
struct Weakening {
  using Atom = std::pair<int, int>;  // a variable and a value; -1 stands for all values

  std::vector<std::vector<Atom>> steps;  // atoms to allow together
  std::vector<int> order;                // the variables to widen after the steps
  std::vector<std::uint8_t> fixed;       // per variable: leave it alone
  std::vector<std::uint8_t> nominal;     // per variable: its values have no order, its literals are sets
  Language language = Language::kSets;
  std::optional<int> target;  // a class that must not be decided; without one, the decision must stay what it is
};

struct Grown {
  std::vector<std::uint8_t> box;            // per atom: allowed
  std::vector<int> blocked_by;              // per atom: which witness fails there, or -1
  std::vector<std::vector<int>> witnesses;  // counterexamples
  bool interrupted = false;                 // by a limit: the box is safe, but not known to be prime
};

}  // namespace primewood::search
