// Expressions as diagrams: literals, connectives, and the gate "at least k of these".
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "diagram/diagram.hpp"
#include "diagram/store.hpp"
#include "diagram/sums.hpp"
#include "limits.hpp"

namespace primewood::diagram {

// A function is a root: a node of the first level. Terminal 1 is true, terminal 0 is false. All that makes functions
// throws `CapReached` and `LimitReached`.
class Expressions {
 public:
  Expressions(std::vector<int> widths, std::size_t most_nodes, Limits& limits);

  const Store& store() const { return store_; }

  Id constant(bool value);
  // True where the variable of a level has a value that is allowed (one flag per value).
  Id literal(int level, const std::vector<std::uint8_t>& allowed);
  Id negation(Id a);
  Id conjunction(Id a, Id b);
  Id disjunction(Id a, Id b);
  Id at_least(Int count, const std::vector<Id>& arguments);

  // The diagram of a function, made smaller by sifting; only once, because all other functions are dropped. `order`:
  // the variable of each level; `work`: how many entries sifting may move.
  OrderedDiagram finish(Id root, std::vector<int> order, double work);

 private:
  // Per level and node, the same function as votes; the node is `kNone` if it is not made yet.
  using VotesByNode = std::vector<std::vector<Edge>>;

  // A Boolean function as an edge-valued one: the vote `yes` where it is true.
  Edge make_vote(int level, Id node, Id yes, Sums& sums, VotesByNode& known) const;

  Limits& limits_;
  Store store_;
  const std::size_t most_nodes_;
};

}  // namespace primewood::diagram
