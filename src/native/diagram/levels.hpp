// Multi-valued decision diagrams, level by level.
//
// A node of level j has one entry per value of the variable at level j. Every entry leads to a node of level j+1;
// below the last level there are terminals. Two nodes of a level never have the same entries, so two roots are equal
// iff their functions are (quasi-reduced: all entries of a node may be the same).
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <utility>
#include <vector>

#include "limits.hpp"

namespace primewood::diagram {

using Id = std::int32_t;

// Thrown where something outgrows its cap.
struct CapReached {};

inline std::uint64_t mix(std::uint64_t h) {
  h ^= h >> 32;
  h *= 0x9E3779B97F4A7C15ull;
  return h ^ h >> 29;
}

// The hash of n numbers.
template <class T>
std::uint64_t hash_of(const T* numbers, std::size_t n) {
  std::uint64_t h = n;
  for (std::size_t i = 0; i < n; i++) h = (h ^ std::uint64_t(numbers[i])) * 0x9E3779B97F4A7C15ull, h ^= h >> 31;
  return mix(h);
}

// Different rows of one width, numbered in the order in which they came.
template <class T>
class RowTable {
 public:
  explicit RowTable(int width = 1) : width_(width), slots_(64, -1) {}

  Id size() const { return Id(rows_.size() / width_); }
  int width() const { return width_; }
  const T* row(Id i) const { return &rows_[std::size_t(i) * width_]; }
  const std::vector<T>& rows() const { return rows_; }

  Id intern(const T* row) {
    std::size_t place = hash_of(row, width_) & (slots_.size() - 1);
    for (; slots_[place] >= 0; place = (place + 1) & (slots_.size() - 1))
      if (std::memcmp(this->row(slots_[place]), row, sizeof(T) * width_) == 0) return slots_[place];
    const Id fresh = size();
    if (fresh == INT32_MAX) throw CapReached{};
    rows_.insert(rows_.end(), row, row + width_);
    slots_[place] = fresh;
    if (std::size_t(fresh) * 2 > slots_.size()) enlarge();
    return fresh;
  }

 private:
  void enlarge() {
    slots_.assign(slots_.size() * 2, -1);
    for (Id i = 0; i < size(); i++) {
      std::size_t place = hash_of(row(i), width_) & (slots_.size() - 1);
      while (slots_[place] >= 0) place = (place + 1) & (slots_.size() - 1);
      slots_[place] = i;
    }
  }

  int width_;
  std::vector<T> rows_;
  std::vector<Id> slots_;
};

// An entry of a plain diagram is the id of a node; of an edge-valued one, an id and a vote that is added on the way.
struct Edge {
  Id node;
  Id vote;
  bool operator==(const Edge& other) const { return node == other.node && vote == other.vote; }
};
inline Id& target(Id& entry) { return entry; }
inline Id& target(Edge& entry) { return entry.node; }
inline Id target(const Id& entry) { return entry; }
inline Id target(const Edge& entry) { return entry.node; }

// The levels of a diagram under construction.
template <class Entry>
class Levels {
 public:
  Levels(std::vector<int> width, Limits& limits) : limits_(limits), width_(std::move(width)) {
    for (int w : width_) tables_.push_back(table(w));
  }

  int depth() const { return int(width_.size()); }
  int width(int j) const { return width_[j]; }
  Id nodes(int j) const { return tables_[j].size(); }
  std::size_t size() const { return size_; }
  const Entry* row(int j, Id i) const { return reinterpret_cast<const Entry*>(tables_[j].row(i)); }
  const std::vector<Id>& rows(int j) const { return tables_[j].rows(); }
  void allow(std::size_t nodes) { most_ = nodes; }
  void check_limits() { limits_.check(); }

  // The node with these entries; `CapReached` if it is new and one too many.
  Id intern(int j, const Entry* entries) {
    const Id before = tables_[j].size();
    const Id node = tables_[j].intern(reinterpret_cast<const Id*>(entries));
    if (tables_[j].size() > before) {
      if (++size_ > most_) throw CapReached{};
      if ((size_ & 255) == 0) limits_.check();
    }
    return node;
  }

 protected:
  static RowTable<Id> table(int width) { return RowTable<Id>(width * int(sizeof(Entry) / sizeof(Id))); }

  // Drop what the roots do not reach. The first `kept` nodes of each level stay where they are.
  void trim(std::vector<Entry>& roots, Id kept) {
    std::vector<Id> old, fresh;
    const auto start = [&](Id nodes) {
      old.clear();
      fresh.assign(nodes, -1);
      for (Id i = 0; i < std::min(kept, nodes); i++) fresh[i] = i, old.push_back(i);
    };
    const auto renumber = [&](Entry& e) {
      Id& i = target(e);
      if (fresh[i] < 0) fresh[i] = Id(old.size()), old.push_back(i);
      i = fresh[i];
    };
    if (depth() == 0) return;
    start(nodes(0));
    for (Entry& root : roots) renumber(root);
    size_ = 0;
    for (int j = 0; j < depth(); j++) {
      const std::vector<Id> these = old;
      const bool last = j + 1 == depth();
      if (!last) start(nodes(j + 1));
      RowTable<Id> left = table(width_[j]);
      std::vector<Entry> entries(width_[j]);
      for (Id i : these) {
        std::copy_n(row(j, i), width_[j], entries.begin());
        if (!last)
          for (Entry& e : entries) renumber(e);
        left.intern(reinterpret_cast<const Id*>(entries.data()));
      }
      tables_[j] = std::move(left);
      size_ += these.size();
    }
  }

  // Swap the levels j and j+1. The nodes of level j keep their ids, those below keep theirs, so only these two levels
  // change. `compose` joins two entries on one path, `close` makes the entry that leads to a new node of level j+1.
  // False, and nothing changes, if level j+1 would get more than `most` nodes.
  template <class Compose, class Close>
  bool swap(int j, std::size_t most, RowTable<Id> below, Compose&& compose, Close&& close) {
    const int upper = width_[j], lower = width_[j + 1];
    RowTable<Id> above = table(lower);
    std::vector<Entry> entries(lower), column(upper);
    for (Id i = 0; i < nodes(j); i++) {
      const Entry* first = row(j, i);
      for (int w = 0; w < lower; w++) {
        for (int v = 0; v < upper; v++) column[v] = compose(first[v], row(j + 1, target(first[v]))[w]);
        entries[w] = close(column, below);
      }
      above.intern(reinterpret_cast<const Id*>(entries.data()));
      if (std::size_t(below.size()) > most) return false;
      if ((i & 63) == 0) limits_.check();
    }
    size_ = size_ - nodes(j + 1) + below.size();
    tables_[j] = std::move(above);
    tables_[j + 1] = std::move(below);
    std::swap(width_[j], width_[j + 1]);
    return true;
  }

  Limits& limits_;
  std::size_t size_ = 0;

 private:
  std::vector<int> width_;
  std::vector<RowTable<Id>> tables_;
  std::size_t most_ = SIZE_MAX;
};

}  // namespace primewood::diagram
