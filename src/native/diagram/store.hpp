// Plain diagrams: functions from points to terminals, which are small numbers (the place of a class).
#pragma once

#include <unordered_map>

#include "diagram/levels.hpp"

namespace primewood::diagram {

class Store : public Levels<Id> {
 public:
  Store(std::vector<int> width, Limits& limits) : Levels(std::move(width), limits), sinks_(depth()) {}

  // The node of level j whose function is one terminal.
  Id sink(int j, Id terminal) {
    if (j == depth()) return terminal;
    auto& known = sinks_[j];
    if (terminal >= Id(known.size())) known.resize(terminal + 1, -1);
    if (known[terminal] < 0) {
      const std::vector<Id> children(width(j), sink(j + 1, terminal));
      sinks_[j][terminal] = intern(j, children.data());
    }
    return sinks_[j][terminal];
  }

  // The function combine(a, b), where `combine` takes two terminals to one.
  template <class Combine>
  Id product(Id a, Id b, Combine&& combine) {
    std::vector<Memo> memo(depth());
    return product(0, a, b, combine, memo);
  }

  void trim(std::vector<Id>& roots) {
    Levels::trim(roots, 0);
    sinks_.assign(depth(), {});
  }

  bool swap(int j, std::size_t most) {
    sinks_.assign(depth(), {});
    return Levels::swap(
        j, most, table(width(j)), [](Id, Id below) { return below; },
        [](std::vector<Id>& column, RowTable<Id>& below) { return below.intern(column.data()); });
  }

 private:
  using Memo = std::unordered_map<std::uint64_t, Id>;

  template <class Combine>
  Id product(int j, Id a, Id b, Combine& combine, std::vector<Memo>& memo) {
    if (j == depth()) return combine(a, b);
    const std::uint64_t key = std::uint64_t(std::uint32_t(a)) << 32 | std::uint32_t(b);
    if (const auto known = memo[j].find(key); known != memo[j].end()) return known->second;
    std::vector<Id> children(width(j));
    for (int v = 0; v < width(j); v++) {
      const Id x = row(j, a)[v], y = row(j, b)[v];
      const bool again = v > 0 && x == row(j, a)[v - 1] && y == row(j, b)[v - 1];
      children[v] = again ? children[v - 1] : product(j + 1, x, y, combine, memo);
    }
    return memo[j][key] = intern(j, children.data());
  }

  std::vector<std::vector<Id>> sinks_;
};

}  // namespace primewood::diagram
