#include "tests/forests.hpp"

#include <utility>

namespace primewood::tests {

using forest::TreeArrays;
using forest::VariableArrays;
using forest::VoteArrays;

Forest RandomForests::make(const Shape& shape) {
  TreeArrays trees;
  VoteArrays vote;
  vote.n_classes = shape.n_classes;
  for (int t = 0; t < shape.n_trees + shape.n_rules; t++)
    trees.root.push_back(add_node(shape, shape.depth, t >= shape.n_trees, trees, vote));
  trees.n_rules = shape.n_rules;
  vote.group_size.assign(shape.n_trees, 1);
  vote.group_weight.assign(shape.n_trees, 1.0);
  vote.start.assign(shape.n_classes, 0.0);
  return Forest({shape.ordered, shape.has_missing}, std::move(trees), std::move(vote));
}

int RandomForests::add_node(const Shape& shape, int depth, bool is_rule, TreeArrays& trees, VoteArrays& vote) {
  const int node = int(trees.nodes());
  add_leaf(shape, is_rule, trees, vote);
  if (depth == 0 || below(6) == 0) return node;
  const int j = below(int(shape.ordered.size()));
  trees.variable[node] = j;
  trees.prefix[node] = below(shape.ordered[j] + 1);
  trees.missing_left[node] = std::uint8_t(below(2));
  trees.forbidden[node] = 0;
  trees.left[node] = add_node(shape, depth - 1, is_rule, trees, vote);
  trees.right[node] = add_node(shape, depth - 1, is_rule, trees, vote);
  return node;
}

void RandomForests::add_leaf(const Shape& shape, bool is_rule, TreeArrays& trees, VoteArrays& vote) {
  trees.variable.push_back(-1);
  trees.prefix.push_back(0);
  trees.left.push_back(-1);
  trees.right.push_back(-1);
  trees.missing_left.push_back(0);
  trees.forbidden.push_back(is_rule && below(4) == 0);
  vote.exact.push_back(1);
  for (int c = 0; c < shape.n_classes; c++) {
    const int weight = is_rule ? 0 : below(9);
    vote.weight.push_back(weight);
    vote.value.push_back(weight);
  }
}

Mask RandomForests::make_box(const Forest& f) {
  Mask box(f.atoms());
  for (auto& allowed : box) allowed = below(3) > 0;
  for (int j = 0; j < f.n_variables; j++) box[f.offset[j] + below(f.values(j))] = 1;
  return box;
}

Point RandomForests::make_point(const Forest& f) {
  Point point;
  for (int j = 0; j < f.n_variables; j++) point.push_back(below(f.values(j)));
  return point;
}

std::vector<double> RandomForests::make_costs(const Forest& f, const Point& instance, bool whole) {
  std::vector<double> costs;
  for (int j = 0; j < f.n_variables; j++)
    for (int v = 0; v < f.values(j); v++)
      costs.push_back(v == instance[j] ? 0.0 : 1 + below(5) + (whole ? 0.0 : below(100) / 100.0));
  return costs;
}

Forest make_stump(std::vector<double> left, std::vector<double> right) {
  TreeArrays trees;
  trees.root = {0};
  trees.variable = {0, -1, -1};
  trees.prefix = {1, 0, 0};
  trees.left = {1, -1, -1};
  trees.right = {2, -1, -1};
  trees.missing_left = trees.forbidden = {0, 0, 0};
  VoteArrays vote;
  vote.n_classes = int(left.size());
  vote.value.assign(left.size(), 0.0);
  vote.value.insert(vote.value.end(), left.begin(), left.end());
  vote.value.insert(vote.value.end(), right.begin(), right.end());
  for (const double value : vote.value) vote.weight.push_back(Int(value));
  vote.exact = {1, 1, 1};
  vote.group_size = {1};
  vote.group_weight = {1.0};
  vote.start.assign(left.size(), 0.0);
  return Forest({{2}, {0}}, std::move(trees), std::move(vote));
}

Mask whole_box(const Forest& f) { return Mask(f.atoms(), 1); }

void for_each_point(const Forest& f, const Mask& box, const std::function<void(const Point&)>& visit) {
  Point point(f.n_variables, 0);
  for (;;) {
    if (holds(f, box, point)) visit(point);
    int j = 0;
    while (j < f.n_variables && ++point[j] == f.values(j)) point[j++] = 0;
    if (j == f.n_variables) return;
  }
}

Point find_point(const Forest& f, const Mask& box, const std::function<bool(const Point&)>& test) {
  Point found;
  for_each_point(f, box, [&](const Point& point) {
    if (found.empty() && test(point)) found = point;
  });
  return found;
}

bool holds(const Forest& f, const Mask& box, const Point& point) {
  for (int j = 0; j < f.n_variables; j++)
    if (!box[f.offset[j] + point[j]]) return false;
  return true;
}

void start(search::Oracle& oracle, search::SearchOptions options, int threads) {
  oracle.start(options, Budget{-1, -1, threads}, [] {});
}

}  // namespace primewood::tests
