// Restrictions and margins: ranks stand for values, and the collected leaves for the trees.
#include <doctest/doctest.h>

#include "search/margin.hpp"
#include "search/region.hpp"
#include "tests/forests.hpp"

namespace primewood::tests {

using search::Entry;
using search::Leaf;
using search::Margin;
using search::Restriction;

namespace {

Int margin_at(const Forest& f, const Point& point, int label, int rival) {
  Int total = 0;
  for (int t = 0; t < f.all_trees(); t++) {
    const int n = f.leaf(t, point.data());
    total += f.forbidden[n] ? forest::kForbidden : f.weights(n)[rival] - f.weights(n)[label];
  }
  return total;
}

bool allows(const Margin& margin, const Leaf& leaf, const std::vector<int>& x) {
  for (int e = leaf.begin; e < leaf.end; e++) {
    const Entry& entry = margin.entries[e];
    const int rank = x[entry.variable];
    const bool missing = rank >= margin.box.size[entry.variable];
    if (missing ? !entry.missing : rank < entry.low || rank > entry.high) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("ranks are the allowed values in their order") {
  RandomForests random(3);
  for (int round = 0; round < 50; round++) {
    const Forest f = random.make({});
    Restriction box(f);
    const Mask mask = random.make_box(f);
    box.set(mask.data());
    for (int j = 0; j < f.n_variables; j++) {
      int next = 0;
      for (int v = 0; v < f.values(j); v++) {
        if (!mask[f.offset[j] + v]) continue;
        CHECK(box.rank_of(j, v) == next);
        CHECK(box.value_of(j, next) == v);
        next++;
      }
      CHECK(box.ranks(j) == next);
    }
  }
}

TEST_CASE("a point of ranks ends in the same leaves as its values") {
  RandomForests random(4);
  for (int round = 0; round < 50; round++) {
    const Forest f = random.make({});
    Restriction box(f);
    const Mask mask = random.make_box(f);
    box.set(mask.data());
    std::vector<int> x;
    for_each_point(f, mask, [&](const Point& point) {
      box.to_ranks(point, x);
      for (int t = 0; t < f.n_trees; t++) CHECK(box.leaf(t, x.data()) == f.leaf(t, point.data()));
    });
  }
}

TEST_CASE("what is collected adds up to the margin at every point, and the bound is above it") {
  RandomForests random(5);
  for (int round = 0; round < 60; round++) {
    const Forest f = random.make({4, round % 2, 3});
    Restriction box(f);
    Unlimited limits;
    Margin margin(box, limits);
    const Mask mask = random.make_box(f);
    box.set(mask.data());
    margin.choose(round % 3, (round + 1) % 3);
    const Int bound = margin.bound();
    margin.collect();
    std::vector<int> x;
    for_each_point(f, mask, [&](const Point& point) {
      box.to_ranks(point, x);
      const Int total = margin_at(f, point, margin.label, margin.rival);
      CHECK(margin.total_at(x) == total);
      CHECK(bound >= total);
      CHECK(margin.is_counterexample(x, total) == (total >= margin.threshold));
    });
  }
}

TEST_CASE("every point is in one leaf of each tree, and leaves come heaviest first") {
  RandomForests random(6);
  for (int round = 0; round < 60; round++) {
    const Forest f = random.make({});
    Restriction box(f);
    Unlimited limits;
    Margin margin(box, limits);
    const Mask mask = random.make_box(f);
    box.set(mask.data());
    margin.choose(0, 1);
    margin.collect();
    CHECK(margin.trees() + int(margin.settled.size()) == f.n_trees);
    std::vector<int> x;
    for_each_point(f, mask, [&](const Point& point) {
      box.to_ranks(point, x);
      for (int i = 0; i < margin.trees(); i++) {
        int allowing = 0;
        for (int p = margin.first[i]; p < margin.last[i]; p++) allowing += allows(margin, margin.leaves[p], x);
        CHECK(allowing == 1);
      }
    });
    for (int i = 0; i < margin.trees(); i++)
      for (int p = margin.first[i] + 1; p < margin.last[i]; p++)
        CHECK(margin.leaves[p - 1].weight >= margin.leaves[p].weight);
  }
}

TEST_CASE("the clock is checked while leaves are collected, and what is broken off can be done again") {
  RandomForests random(14);
  const Forest f = random.make({200});
  const Mask mask = whole_box(f);
  Restriction box(f);
  Unlimited limits;
  Margin margin(box, limits);
  box.set(mask.data());
  margin.choose(0, 1);
  margin.collect();
  const std::size_t leaves = margin.leaves.size(), entries = margin.entries.size();
  const Int bound = margin.bound();
  limits.start({0.0, -1}, [] {});
  CHECK_THROWS_AS(margin.collect(), LimitReached);
  CHECK_THROWS_AS(margin.bound(), LimitReached);
  limits.start({}, [] {});
  margin.collect();
  CHECK(margin.leaves.size() == leaves);
  CHECK(margin.entries.size() == entries);
  CHECK(margin.bound() == bound);
}

TEST_CASE("siblings that are alike for the margin become one leaf") {
  const Forest alike = make_stump({2, 1}, {3, 2}), different = make_stump({2, 1}, {3, 3});
  for (const Forest* f : {&alike, &different}) {
    Restriction box(*f);
    Unlimited limits;
    Margin margin(box, limits);
    box.set(whole_box(*f).data());
    margin.choose(0, 1);
    margin.collect();
    CHECK(margin.trees() == (f == &alike ? 0 : 1));
    margin.choose_none();
    margin.collect();
    CHECK(margin.trees() == 1);  // for other questions their values differ
  }
}

TEST_CASE("leaves that round differently are not alike") {
  Forest f = make_stump({2, 1}, {3, 2});
  f.band = 1;
  f.exact = {1, 0, 0};
  Restriction box(f);
  Unlimited limits;
  Margin margin(box, limits);
  box.set(whole_box(f).data());
  margin.choose(0, 1);
  margin.collect();
  CHECK(margin.trees() == 1);
}

}  // namespace primewood::tests
