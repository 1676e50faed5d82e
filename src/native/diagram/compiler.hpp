// From a forest to the diagram of its decision: find an order, add up trees while that stays small, decide.
#pragma once

#include <cstddef>
#include <vector>

#include "diagram/decision.hpp"
#include "diagram/diagram.hpp"
#include "diagram/trees.hpp"
#include "forest/forest.hpp"
#include "limits.hpp"

namespace primewood::diagram {

using forest::Forest;

// What a compilation starts with, and how much it may take. The work of sifting is counted in entries moved, so that
// the same model always gives the same diagram.
struct CompileOptions {
  std::vector<int> order;       // the variable of each level, at the start
  bool find_order = true;       // whether to look for a better order before anything else
  std::size_t most_nodes = 0;   // of the diagram
  std::size_t most_states = 0;  // that are expanded on the way to it
  double order_work = 0;        // to find an order, at each number of parts
  double final_work = 0;        // to make the diagram smaller in the end
};

enum class Stage { kOrder, kDecision, kSifting };

// How far a compilation is.
struct Progress {
  Stage stage = Stage::kOrder;
  std::size_t nodes = 0;    // of the diagram that the stage works on
  std::size_t states = 0;   // partial decisions that were expanded
  std::size_t settled = 0;  // paths on which rounding could decide
  std::size_t parts = 0;    // that are left to add
};

class Compiler {
 public:
  // `options.order` names every variable of the forest once.
  Compiler(const Forest& forest, CompileOptions options, Limits& limits);

  // The diagram of the decision: terminal c is class c. Where the forest allows any order of summation, one more
  // terminal stands for "depends on it". Throws `CapReached` and `LimitReached`.
  OrderedDiagram compile();

  Progress progress() const;

 private:
  class Watch;

  // Add up hard votes, pair by pair, and sift the sums on the way. Hard votes keep the sums small, and an order that
  // is good for them is good for the model's own.
  void find_order();
  // Decide the sum of the trees; leaves the nodes in `out` and returns the root.
  Id decide(Store& out);
  // The decision of the parts, watched by `progress`.
  Id run(Decision& decision, const Store& out, const std::vector<Edge>& parts);
  void show(Stage stage, std::size_t nodes, std::size_t parts);
  std::vector<int> widths() const;
  std::vector<int> levels() const;
  std::vector<Edge> make_trees(LeafVote leaf_vote, Votes& votes, Sums& sums) const;
  // The class of a cell as the library adds; if that depends on the order of summation, the terminal after the classes.
  Id settle(const std::vector<int>& path) const;

  const Forest& forest_;
  const CompileOptions options_;
  std::vector<int> order_;
  Limits& limits_;
  Progress progress_;
  const Store* out_ = nullptr;          // while it decides
  const Decision* decision_ = nullptr;  // while it decides
};

}  // namespace primewood::diagram
