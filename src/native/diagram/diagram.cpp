#include "diagram/diagram.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace primewood::diagram {

namespace {

// Looks for a path through a box, depth first; no node is visited twice.
class PathSearch {
 public:
  PathSearch(const Diagram& diagram, const std::vector<std::vector<int>>& box, Id label, bool otherwise)
      : diagram_(diagram), box_(box), label_(label), otherwise_(otherwise), path_(diagram.depth(), 0) {
    for (int j = 0; j < diagram.depth(); j++) seen_.emplace_back(diagram.nodes(j));
  }

  bool visit(int level, Id node) {
    if (level == diagram_.depth()) return (node == label_) != otherwise_;
    if (seen_[level][node]) return false;
    seen_[level][node] = true;
    for (const int value : box_[level]) {
      path_[level] = value;
      if (visit(level + 1, diagram_.row(level, node)[value])) return true;
    }
    return false;
  }

  const Path& path() const { return path_; }

 private:
  const Diagram& diagram_;
  const std::vector<std::vector<int>>& box_;
  const Id label_;
  const bool otherwise_;
  Path path_;
  std::vector<std::vector<bool>> seen_;
};

// A store with the nodes of a diagram, which keep their ids.
Store copy_to_store(const Diagram& diagram, Limits& limits) {
  std::vector<int> widths(diagram.depth());
  for (int j = 0; j < diagram.depth(); j++) widths[j] = diagram.width(j);
  Store store(std::move(widths), limits);
  for (int j = diagram.depth() - 1; j >= 0; j--)
    for (Id i = 0; i < diagram.nodes(j); i++)
      if (store.intern(j, diagram.row(j, i)) != i) throw std::invalid_argument("a node occurs twice");
  return store;
}

}  // namespace

Diagram::Diagram(std::vector<Level> levels, Id root, Id terminals)
    : levels_(std::move(levels)), root_(root), terminals_(terminals) {}

Diagram::Diagram(const Store& store, Id root, Id terminals) : root_(root), terminals_(terminals) {
  for (int j = 0; j < store.depth(); j++) levels_.push_back({store.width(j), store.entries(j)});
  assert(is_sound());
}

bool Diagram::is_sound() const {
  for (const Level& level : levels_)
    if (level.width <= 0 || level.entries.size() % level.width != 0) return false;
  if (depth() > kMostLevels || root_ < 0 || root_ >= nodes(0)) return false;
  for (int j = 0; j < depth(); j++) {
    const auto leads_on = [below = nodes(j + 1)](Id child) { return child >= 0 && child < below; };
    const std::vector<Id>& entries = levels_[j].entries;
    if (!std::all_of(entries.begin(), entries.end(), leads_on)) return false;
  }
  return true;
}

bool Diagram::contains(const Path& path) const {
  if (static_cast<int>(path.size()) != depth()) return false;
  for (int j = 0; j < depth(); j++)
    if (path[j] < 0 || path[j] >= width(j)) return false;
  return true;
}

Id Diagram::decide(const Path& path) const {
  assert(contains(path));
  Id node = root_;
  for (int j = 0; j < depth(); j++) node = row(j, node)[path[j]];
  return node;
}

std::optional<Path> Diagram::find(const std::vector<std::vector<int>>& box, Id label, bool otherwise) const {
  assert(static_cast<int>(box.size()) == depth());
  PathSearch search(*this, box, label, otherwise);
  if (!search.visit(0, root_)) return std::nullopt;
  return search.path();
}

OrderedDiagram reorder(const OrderedDiagram& from, const std::vector<int>& order, std::size_t most_nodes,
                       Limits& limits) {
  assert(std::is_permutation(order.begin(), order.end(), from.order.begin(), from.order.end()));
  Store store = copy_to_store(from.diagram, limits);
  std::vector<int> now = from.order;
  for (std::size_t to = 0; to < order.size(); to++) {
    auto at = static_cast<std::size_t>(std::find(now.begin(), now.end(), order[to]) - now.begin());
    for (; at > to; at--) {
      if (!store.swap_levels(static_cast<int>(at) - 1, most_nodes) || store.size() > most_nodes) throw CapReached{};
      std::swap(now[at - 1], now[at]);
    }
  }
  return {Diagram(store, from.diagram.root(), from.diagram.terminals()), order};
}

}  // namespace primewood::diagram
