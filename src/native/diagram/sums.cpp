#include "diagram/sums.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace primewood::diagram {

std::size_t Sums::KeyHash::operator()(const Key& key) const {
  Hash hash(3);
  hash.add(key.a);
  hash.add(key.b);
  hash.add(key.vote);
  return hash.value();
}

Sums::Sums(std::vector<int> widths, Votes& votes, Limits& limits) : Levels(std::move(widths), limits), votes_(votes) {
  for (int j = depth() - 1; j >= 0; j--) intern(j, zeros(width(j)).data());
}

std::vector<Edge> Sums::zeros(int width) { return std::vector<Edge>(width, constant(Votes::kZero)); }

Edge Sums::choose(int test, const std::vector<std::uint8_t>& goes_left, Edge left, Edge right) {
  assert(test >= 0 && test < depth() && static_cast<int>(goes_left.size()) == width(test));
  Choice choice{test, goes_left, std::vector<Memo>(test + 1)};
  const Id apart = votes_.difference(right.vote, left.vote);
  return plus(choose(0, choice, left.node, right.node, apart), left.vote);
}

Edge Sums::choose(int level, Choice& choice, Id left, Id right, Id vote) {
  if (left == right && vote == Votes::kZero) return {left, Votes::kZero};
  const Key key{left, right, vote};
  Memo& memo = choice.memo[level];
  if (const auto known = memo.find(key); known != memo.end()) return known->second;
  std::vector<Edge> edges(width(level));
  for (int v = 0; v < width(level); v++)
    edges[v] = choose_entry(level, choice, v, row(level, left)[v], plus(row(level, right)[v], vote));
  return memo[key] = make(level, edges);
}

Edge Sums::choose_entry(int level, Choice& choice, int value, Edge left, Edge right) {
  if (level == choice.test) return choice.goes_left[value] != 0 ? left : right;
  const Id apart = votes_.difference(right.vote, left.vote);
  return plus(choose(level + 1, choice, left.node, right.node, apart), left.vote);
}

Edge Sums::sum(Edge a, Edge b) {
  std::vector<Memo> memo(depth());
  return plus(sum(0, a.node, b.node, memo), votes_.sum(a.vote, b.vote));
}

Edge Sums::sum(int level, Id a, Id b, std::vector<Memo>& memo) {
  if (a == 0 || b == 0) return {a + b, Votes::kZero};
  assert(level < depth());
  const Key key{std::min(a, b), std::max(a, b), Votes::kZero};
  if (const auto known = memo[level].find(key); known != memo[level].end()) return known->second;
  std::vector<Edge> edges(width(level));
  for (int v = 0; v < width(level); v++) {
    // Rows move when new nodes come, so they are looked up again.
    const Edge x = row(level, a)[v], y = row(level, b)[v];
    const bool again = v > 0 && x == row(level, a)[v - 1] && y == row(level, b)[v - 1];
    edges[v] = again ? edges[v - 1] : plus(sum(level + 1, x.node, y.node, memo), votes_.sum(x.vote, y.vote));
  }
  return memo[level][key] = make(level, edges);
}

Edge Sums::make(int level, std::vector<Edge>& edges) {
  const Id base = normalise(edges);
  return {intern(level, edges.data()), base};
}

Id Sums::normalise(std::vector<Edge>& edges) const {
  const Id base = edges[0].vote;
  for (Edge& edge : edges) edge.vote = votes_.difference(edge.vote, base);
  return base;
}

void Sums::trim(std::vector<Edge>& roots) { Levels::trim(roots, 1); }

bool Sums::swap_levels(int level, std::size_t most) {
  Table below(width(level));
  below.intern(zeros(width(level)).data());
  const auto compose = [&](Edge above, Edge edge) { return plus(edge, above.vote); };
  const auto close = [&](std::vector<Edge>& column, Table& table) {
    const Id base = normalise(column);
    return Edge{table.intern(column.data()), base};
  };
  return Levels::swap_levels(level, most, std::move(below), compose, close);
}

}  // namespace primewood::diagram
