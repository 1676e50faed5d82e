// A finished diagram, which is only read: evaluated, searched, explained.
#pragma once

#include <cassert>
#include <cstddef>
#include <optional>
#include <vector>

#include "diagram/store.hpp"

namespace primewood::diagram {

// Diagrams are walked by recursion, one call per level.
constexpr int kMostLevels = 4096;

// One value per level.
using Path = std::vector<int>;

class Diagram {
 public:
  // The children of the nodes of a level, one row per node.
  struct Level {
    int width;
    std::vector<Id> entries;

    Id nodes() const { return static_cast<Id>(entries.size() / width); }
  };

  // The arrays may come from anywhere: see `is_sound`.
  Diagram(std::vector<Level> levels, Id root, Id terminals);
  Diagram(const Store& store, Id root, Id terminals);

  // Whether every entry leads to a node of the next level, or to a terminal.
  bool is_sound() const;

  int depth() const { return static_cast<int>(levels_.size()); }
  Id root() const { return root_; }
  Id terminals() const { return terminals_; }
  const Level& level(int level) const { return levels_[level]; }
  int width(int level) const { return levels_[level].width; }
  // How many nodes a level has; below the last one, how many terminals there are.
  Id nodes(int level) const { return level == depth() ? terminals_ : levels_[level].nodes(); }
  const Id* row(int level, Id node) const {
    assert(node >= 0 && node < nodes(level));
    return levels_[level].entries.data() + static_cast<std::size_t>(node) * width(level);
  }

  // Whether a path has one value of each level.
  bool contains(const Path& path) const;

  // The terminal of a path.
  Id decide(const Path& path) const;

  // A path through a box (per level, the values that are allowed) whose terminal is the label, or, if `otherwise`,
  // is not.
  std::optional<Path> find(const std::vector<std::vector<int>>& box, Id label, bool otherwise) const;

 private:
  std::vector<Level> levels_;
  Id root_, terminals_;
};

// A diagram and the variable of each of its levels.
struct OrderedDiagram {
  Diagram diagram;
  std::vector<int> order;
};

// The same function with its levels in another order. Both orders name every level once. `CapReached` if a diagram on
// the way has more than `most_nodes` nodes.
OrderedDiagram reorder(const OrderedDiagram& from, const std::vector<int>& order, std::size_t most_nodes,
                       Limits& limits);

}  // namespace primewood::diagram
