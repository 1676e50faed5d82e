// Nodes with two children: of binary decision diagrams, and of families of sets (zero-suppressed diagrams).
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "diagram/row_table.hpp"
#include "limits.hpp"

namespace primewood::diagram {

// The variable of the terminals: below all others.
constexpr Id kTerminalVariable = INT32_MAX;

// Nodes (variable, lo, hi), each once; children come before their parents, variables grow on the way down. The first
// two nodes are the terminals 0 and 1.
class BinaryNodes {
 public:
  struct Node {
    Id variable, lo, hi;
  };

  BinaryNodes(std::size_t most_nodes, Limits& limits);

  const Node& operator[](Id id) const {
    assert(id >= 0 && static_cast<std::size_t>(id) < size());
    return nodes_[id];
  }
  std::size_t size() const { return nodes_.size(); }

  // The id of a node; `CapReached` if it is new and one too many.
  Id make(Id variable, Id lo, Id hi);

 private:
  static std::uint64_t hash(const Node& node);

  const std::size_t most_nodes_;
  Limits& limits_;
  std::vector<Node> nodes_;
  IdTable ids_;
};

// A diagram of binary nodes as arrays, children before parents; the first two nodes are the terminals.
struct BinaryDiagram {
  std::vector<Id> variable, lo, hi;
  Id root;
};

// The nodes that a root reaches, from the lowest variable up.
BinaryDiagram extract(const BinaryNodes& nodes, Id root);

// Results of operations on two nodes; a newer one may push out an older one.
class OperationCache {
 public:
  OperationCache();

  // The result, or `kNone` if it is not known.
  Id find(Id a, Id b) const {
    const Slot& slot = slots_[place(a, b)];
    return slot.a == a && slot.b == b ? slot.result : kNone;
  }

  void put(Id a, Id b, Id result);

 private:
  struct Slot {
    Id a = kNone, b = kNone, result = kNone;
  };

  std::size_t place(Id a, Id b) const;
  void enlarge();

  std::vector<Slot> slots_;
  std::size_t count_ = 0;
};

}  // namespace primewood::diagram
