// The forest: decisions as a library takes them, rows that can be there, and arrays that are no forest.
#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>

#include "tests/forests.hpp"

namespace primewood::tests {

using forest::Link;

namespace {

Int sum_of_weights(const Forest& f, const Point& point, int label) {
  Int sum = 0;
  for (int t = 0; t < f.n_trees; t++) sum += f.weights(f.leaf(t, point.data()))[label];
  return sum;
}

}  // namespace

TEST_CASE("the first class with the largest sum is decided") {
  RandomForests random(1);
  for (int round = 0; round < 20; round++) {
    const Forest f = random.make({6, 0, 3});
    for_each_point(f, whole_box(f), [&](const Point& point) {
      int best = 0;
      for (int c = 1; c < 3; c++)
        if (sum_of_weights(f, point, c) > sum_of_weights(f, point, best)) best = c;
      CHECK(f.decide(point.data()) == best);
    });
  }
}

TEST_CASE("values below the prefix go left, and missing where the node says") {
  Forest f = make_stump({1, 0}, {0, 1});
  const int low = 0, high = 1, missing = 2;
  CHECK(f.leaf(0, &low) == 1);
  CHECK(f.leaf(0, &high) == 2);
  f.has_missing = {1};
  CHECK(f.leaf(0, &missing) == 2);
  f.missing_left[0] = 1;
  CHECK(f.leaf(0, &missing) == 1);
}

TEST_CASE("a score is compared with cuts") {
  Forest f = make_stump({0.5}, {2.5});
  f.n_classes = 3;
  f.cuts = {1.0, 2.5};
  const int low = 0, high = 1;
  CHECK(f.decide(&low) == 0);
  CHECK(f.decide(&high) == 2);  // it reaches the cut that it is equal to
}

TEST_CASE("groups of trees count as their weighted mean") {
  Forest f = make_stump({3, 2}, {0, 1});
  f.root = {0, 0};
  f.n_trees = 2;
  f.group_size = {2};
  f.start = {0, 1.5};
  const int low = 0;
  f.group_weight = {1.0};
  CHECK(f.decide(&low) == 1);  // 3 against 3.5
  f.group_weight = {2.0};
  CHECK(f.decide(&low) == 0);  // 6 against 5.5
}

TEST_CASE("sums in float32 lose what float32 cannot hold") {
  Forest f = make_stump({1, 1 + 1e-9}, {0, 0});
  const int low = 0;
  CHECK(f.decide(&low) == 1);
  f.single = true;
  CHECK(f.decide(&low) == 0);
}

TEST_CASE("a row is possible unless it ends in a forbidden leaf") {
  RandomForests random(2);
  int impossible = 0;
  for (int round = 0; round < 20; round++) {
    const Forest f = random.make({2, 3});
    for_each_point(f, whole_box(f), [&](const Point& point) {
      bool forbidden = false;
      for (int t = f.n_trees; t < f.all_trees(); t++) forbidden = forbidden || f.forbidden[f.leaf(t, point.data())];
      CHECK(f.possible(point.data()) == !forbidden);
      impossible += forbidden;
    });
  }
  CHECK(impossible > 0);
}

TEST_CASE("arrays that make no forest are refused") {
  const Forest good = make_stump({1, 0}, {0, 1});
  const auto make = [&](const auto& spoil) {
    Forest bad = good;
    spoil(bad);
    return Forest(bad, bad, bad);
  };
  CHECK_NOTHROW(make([](Forest&) {}));
  CHECK_THROWS_AS(make([](Forest& f) { f.left.pop_back(); }), std::invalid_argument);
  CHECK_THROWS_AS(make([](Forest& f) { f.left[0] = 0; }), std::invalid_argument);
  CHECK_THROWS_AS(make([](Forest& f) { f.right[0] = 3; }), std::invalid_argument);
  CHECK_THROWS_AS(make([](Forest& f) { f.prefix[0] = 3; }), std::invalid_argument);
  CHECK_THROWS_AS(make([](Forest& f) { f.variable[0] = 1; }), std::invalid_argument);
  CHECK_THROWS_AS(make([](Forest& f) { f.root[0] = 3; }), std::invalid_argument);
  CHECK_THROWS_AS(make([](Forest& f) { f.group_size = {2}; }), std::invalid_argument);
  CHECK_THROWS_AS(make([](Forest& f) { f.n_rules = 1; }), std::invalid_argument);
  CHECK_THROWS_AS(make([](Forest& f) { f.cuts = {1.0, 2.0}; }), std::invalid_argument);
  CHECK_THROWS_AS(make([](Forest& f) { f.weight.pop_back(); }), std::invalid_argument);
}

TEST_CASE("links keep the order of scores, and softmax adds up to one") {
  for (const Link link : {Link::kIdentity, Link::kLogistic, Link::kLogistic32, Link::kExponential, Link::kSoftmax}) {
    std::vector<double> scores = {-1.5, 0.25, 3.0};
    forest::apply(link, scores.data(), scores.size());
    CHECK(std::is_sorted(scores.begin(), scores.end()));
    if (link == Link::kSoftmax) CHECK(scores[0] + scores[1] + scores[2] == doctest::Approx(1.0));
    if (link == Link::kLogistic) CHECK(scores[1] == doctest::Approx(0.562177));
  }
}

}  // namespace primewood::tests
