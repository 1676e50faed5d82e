// Small forests for tests, made at random, and what is true of them by trying every point.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "forest/forest.hpp"
#include "limits.hpp"
#include "search/oracle.hpp"

namespace primewood::tests {

using forest::Forest;
using forest::Int;
using Point = std::vector<int>;
using Mask = std::vector<std::uint8_t>;

// No limits at all.
struct Unlimited : Limits {
  Unlimited() {
    start({}, [] {});
  }
};

// What a random forest is like.
struct Shape {
  int n_trees = 5, n_rules = 0, n_classes = 2, depth = 3;
  std::vector<int> ordered = {4, 3, 3};
  std::vector<std::uint8_t> has_missing = {0, 1, 0};
};

class RandomForests {
 public:
  explicit RandomForests(unsigned seed) : random_(seed) {}

  Forest make(const Shape& shape);

  // A box with at least one value of each variable.
  Mask make_box(const Forest& f);
  Point make_point(const Forest& f);
  std::vector<double> make_costs(const Forest& f, const Point& instance, bool whole);

  int below(int limit) { return std::uniform_int_distribution<int>(0, limit - 1)(random_); }

 private:
  int add_node(const Shape& shape, int depth, bool is_rule, forest::TreeArrays& trees, forest::VoteArrays& vote);
  void add_leaf(const Shape& shape, bool is_rule, forest::TreeArrays& trees, forest::VoteArrays& vote);

  std::mt19937 random_;
};

// The forest of one tree that tests one variable: values below 1 go left.
Forest make_stump(std::vector<double> left, std::vector<double> right);

// Everything is allowed.
Mask whole_box(const Forest& f);

// Call a function with all points of a box.
void for_each_point(const Forest& f, const Mask& box, const std::function<void(const Point&)>& visit);

// Some point of a box for which a test is true; empty if there is none.
Point find_point(const Forest& f, const Mask& box, const std::function<bool(const Point&)>& test);

// Whether a box holds a point.
bool holds(const Forest& f, const Mask& box, const Point& point);

// An oracle at work without limits.
void start(search::Oracle& oracle, search::SearchOptions options = {}, int threads = 1);

}  // namespace primewood::tests
