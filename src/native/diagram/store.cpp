#include "diagram/store.hpp"

#include <cassert>
#include <utility>

namespace primewood::diagram {

namespace {

std::uint64_t pair_key(Id a, Id b) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(a)) << 32 | static_cast<std::uint32_t>(b);
}

}  // namespace

Store::Store(std::vector<int> widths, Limits& limits) : Levels(std::move(widths), limits) { forget_sinks(); }

Id Store::sink(int level, Id terminal) {
  assert(level >= 0 && level <= depth() && terminal >= 0);
  if (level == depth()) return terminal;
  std::vector<Id>& sinks = sinks_[level];
  if (terminal >= static_cast<Id>(sinks.size())) sinks.resize(static_cast<std::size_t>(terminal) + 1, kNone);
  if (sinks[terminal] == kNone) {
    const std::vector<Id> children(width(level), sink(level + 1, terminal));
    sinks[terminal] = intern(level, children.data());
  }
  return sinks[terminal];
}

Id Store::product(Id a, Id b, Combine combine) {
  std::vector<Memo> memo(depth());
  return product(0, a, b, combine, memo);
}

Id Store::product(int level, Id a, Id b, Combine combine, std::vector<Memo>& memo) {
  if (level == depth()) return combine(a, b);
  const std::uint64_t key = pair_key(a, b);
  if (const auto known = memo[level].find(key); known != memo[level].end()) return known->second;
  std::vector<Id> children(width(level));
  for (int v = 0; v < width(level); v++) {
    // Rows move when new nodes come, so they are looked up again.
    const Id x = row(level, a)[v], y = row(level, b)[v];
    const bool again = v > 0 && x == row(level, a)[v - 1] && y == row(level, b)[v - 1];
    children[v] = again ? children[v - 1] : product(level + 1, x, y, combine, memo);
  }
  return memo[level][key] = intern(level, children.data());
}

void Store::trim(std::vector<Id>& roots) {
  Levels::trim(roots, 0);
  forget_sinks();
}

bool Store::swap_levels(int level, std::size_t most) {
  forget_sinks();
  const auto compose = [](Id, Id below) { return below; };
  const auto close = [](const std::vector<Id>& column, Table& below) { return below.intern(column.data()); };
  return Levels::swap_levels(level, most, Table(width(level)), compose, close);
}

void Store::forget_sinks() { sinks_.assign(depth(), {}); }

}  // namespace primewood::diagram
