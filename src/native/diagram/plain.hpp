// A finished diagram, which is only read: evaluated, searched, explained.
#pragma once

#include "diagram/store.hpp"

namespace primewood::diagram {

// Levels are gone down by recursion.
constexpr int kMostLevels = 4096;

// Per level the children of its nodes, one row per node; below the last level, terminals.
struct Plain {
  std::vector<int> width;
  std::vector<std::vector<Id>> rows;
  Id root = 0, terminals = 0;

  int depth() const { return int(width.size()); }
  Id nodes(int j) const { return j == depth() ? terminals : Id(rows[j].size() / width[j]); }
  const Id* row(int j, Id i) const { return &rows[j][std::size_t(i) * width[j]]; }

  static Plain of(const Store& store, Id root, Id terminals) {
    Plain found;
    for (int j = 0; j < store.depth(); j++) {
      found.width.push_back(store.width(j));
      found.rows.push_back(store.rows(j));
    }
    found.root = root;
    found.terminals = terminals;
    return found;
  }

  // Throw unless every entry leads somewhere.
  void check() const {
    bool sound = rows.size() == width.size() && depth() <= kMostLevels && root >= 0 && root < nodes(0);
    for (int j = 0; j < depth() && sound; j++) {
      sound = width[j] > 0 && rows[j].size() % width[j] == 0;
      for (Id child : rows[j]) sound = sound && child >= 0 && child < nodes(j + 1);
    }
    if (!sound) throw std::invalid_argument("the arrays are not a diagram");
  }

  Id decide(const std::vector<int>& point) const {
    Id node = root;
    for (int j = 0; j < depth(); j++) node = row(j, node)[point[j]];
    return node;
  }

  // A point of a box whose terminal is the label, or, if `otherwise`, is not; false if there is none.
  bool find(const std::vector<std::vector<int>>& box, Id label, bool otherwise, std::vector<int>& point) const {
    std::vector<std::vector<bool>> seen(depth());
    for (int j = 0; j < depth(); j++) seen[j].resize(nodes(j));
    point.assign(depth(), 0);
    return find(0, root, box, label, otherwise, point, seen);
  }

 private:
  bool find(int j, Id i, const std::vector<std::vector<int>>& box, Id label, bool otherwise,
            std::vector<int>& point, std::vector<std::vector<bool>>& seen) const {
    if (j == depth()) return (i == label) != otherwise;
    if (seen[j][i]) return false;
    seen[j][i] = true;
    for (int v : box[j]) {
      point[j] = v;
      if (find(j + 1, row(j, i)[v], box, label, otherwise, point, seen)) return true;
    }
    return false;
  }
};

}  // namespace primewood::diagram
