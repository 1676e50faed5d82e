// Multi-valued decision diagrams under construction, level by level.
//
// A node of level j has one entry per value of the variable at level j. Every entry leads to a node of level j+1;
// below the last level there are terminals. Two nodes of a level never have the same entries, so two roots are equal
// iff their functions are (quasi-reduced: all entries of a node may be the same).
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "diagram/row_table.hpp"
#include "limits.hpp"

namespace primewood::diagram {

// An entry of a plain diagram is the id of a node; of an edge-valued one, an id and a vote that is added on the way.
struct Edge {
  Id node;
  Id vote;
};
inline bool operator==(const Edge& a, const Edge& b) { return a.node == b.node && a.vote == b.vote; }
inline bool operator!=(const Edge& a, const Edge& b) { return !(a == b); }
inline void add_to_hash(Hash& hash, const Edge& edge) {
  hash.add(edge.node);
  hash.add(edge.vote);
}

// The node that an entry leads to.
inline Id& target(Id& entry) { return entry; }
inline Id& target(Edge& entry) { return entry.node; }
inline Id target(const Id& entry) { return entry; }
inline Id target(const Edge& entry) { return entry.node; }

// `Entry` is `Id` or `Edge`.
template <class Entry>
class Levels {
 public:
  using Table = RowTable<Entry>;

  Levels(std::vector<int> widths, Limits& limits);

  int depth() const { return static_cast<int>(widths_.size()); }
  int width(int level) const { return widths_[level]; }
  const std::vector<int>& widths() const { return widths_; }
  Id nodes(int level) const { return tables_[level].size(); }
  std::size_t size() const { return size_; }
  const Entry* row(int level, Id node) const { return tables_[level].row(node); }
  const std::vector<Entry>& entries(int level) const { return tables_[level].entries(); }

  void set_cap(std::size_t nodes) { most_nodes_ = nodes; }
  void check_limits() { limits_.check(); }

  // The node with these entries, one per value; `CapReached` if it is new and one too many.
  Id intern(int level, const Entry* entries) {
    assert(leads_on(level, entries));
    const Id before = tables_[level].size();
    const Id node = tables_[level].intern(entries);
    if (tables_[level].size() > before) count_node();
    return node;
  }

 protected:
  // Drop what the roots do not reach. The first `kept` nodes of each level stay where they are.
  void trim(std::vector<Entry>& roots, Id kept);

  // Swap a level with the next one. Its nodes keep their ids, those below the two keep theirs, so that only these two
  // levels change. `compose` joins two entries on one path; `close` makes the entry that leads to a new node of the
  // lower level, whose table starts as `below`. False, and nothing changes, if that table gets more than `most` nodes.
  template <class Compose, class Close>
  bool swap_levels(int level, std::size_t most, Table below, const Compose& compose, const Close& close);

 private:
  // How many nodes are made or swapped between two checks of the limits.
  static constexpr std::size_t kNodesPerCheck = 256;
  static constexpr Id kSwapsPerCheck = 64;

  // Whether every entry leads to a node of the next level.
  bool leads_on(int level, const Entry* entries) const;
  // The nodes of a level that `numbers` reaches, in its order; with other ids for the nodes of the next level.
  template <class Numbers>
  Table copy_reached(int level, const Numbers& numbers, Numbers* below) const;

  void count_node() {
    if (++size_ > most_nodes_) throw CapReached{};
    if (size_ % kNodesPerCheck == 0) limits_.check();
  }

  Limits& limits_;
  std::vector<int> widths_;
  std::vector<Table> tables_;
  std::size_t size_ = 0;
  std::size_t most_nodes_ = SIZE_MAX;
};

template <class Entry>
template <class Compose, class Close>
bool Levels<Entry>::swap_levels(int level, std::size_t most, Table below, const Compose& compose, const Close& close) {
  assert(level >= 0 && level + 1 < depth());
  const int upper = widths_[level], lower = widths_[level + 1];
  Table above(lower);
  std::vector<Entry> entries(lower), column(upper);
  for (Id i = 0; i < nodes(level); i++) {
    const Entry* first = row(level, i);
    for (int w = 0; w < lower; w++) {
      for (int v = 0; v < upper; v++) column[v] = compose(first[v], row(level + 1, target(first[v]))[w]);
      entries[w] = close(column, below);
    }
    [[maybe_unused]] const Id same = above.intern(entries.data());
    assert(same == i);
    if (static_cast<std::size_t>(below.size()) > most) return false;
    if (i % kSwapsPerCheck == 0) limits_.check();
  }
  size_ += static_cast<std::size_t>(below.size()) - static_cast<std::size_t>(nodes(level + 1));
  tables_[level] = std::move(above);
  tables_[level + 1] = std::move(below);
  std::swap(widths_[level], widths_[level + 1]);
  return true;
}

extern template class Levels<Id>;
extern template class Levels<Edge>;

}  // namespace primewood::diagram
