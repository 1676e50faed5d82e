// The Lagrangian bound is an upper bound at every step, its rounding is estimated, and costs leave no affordable point
// out.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "search/costs.hpp"
#include "search/one_margin.hpp"
#include "search/relaxation.hpp"
#include "tests/forests.hpp"

namespace primewood::tests {

using search::Costs;
using search::Falsifier;
using search::Margin;
using search::Node;
using search::OneMargin;
using search::Region;
using search::Relaxation;
using search::Restriction;
using search::SearchOptions;

namespace {

// A margin in a box, set up as branch and bound does it.
struct Root {
  Root(const Forest& f, const Mask& mask)
      : box(f), margin(box, limits), live(box), falsifier(margin, live, limits), goal(margin, falsifier, options) {
    limits.start({}, [] {});
    box.set(mask.data());
    margin.choose(0, 1);
    margin.collect();
    node.clear();
    node.region.open(box);
    goal.open(node);
  }

  // The region of one point of ranks.
  Region cell_of(const std::vector<int>& x) const {
    Region cell = node.region;
    for (std::size_t j = 0; j < x.size(); j++) {
      const bool missing = x[j] >= box.size[j];
      cell.missing[j] = missing;
      cell.low[j] = missing ? 1 : x[j];
      cell.high[j] = missing ? 0 : x[j];
    }
    return cell;
  }

  // What the node's leaves add up to at a point of ranks.
  double sum_at(const std::vector<int>& x) const {
    const Region cell = cell_of(x);
    double sum = node.base;
    for (int i = 0; i < node.trees(); i++)
      for (int p = node.first[i]; p < node.first[i + 1]; p++)
        if (meets(cell, p)) sum += node.weight[p];
    return sum;
  }

  bool meets(const Region& cell, int p) const {
    for (int e = node.entry[p]; e < node.entry[p + 1]; e++)
      if (!cell.meets(node.entries[e])) return false;
    return true;
  }

  Limits limits;
  SearchOptions options;
  Restriction box;
  Margin margin;
  search::LiveRanks live;
  Falsifier falsifier;
  OneMargin goal;
  Node node;
};

double largest_sum(const Forest& f, const Mask& mask, const Root& root, const Costs* costs) {
  double largest = -INFINITY;
  std::vector<int> x;
  for_each_point(f, mask, [&](const Point& point) {
    root.box.to_ranks(point, x);
    if (!costs || costs->affordable(x)) largest = std::max(largest, root.sum_at(x));
  });
  return largest;
}

// Lower the bound in some steps; the lowest that it gets to.
double lower_bound(Root& root, const Costs* costs, double largest) {
  Relaxation relaxation(root.box, root.live, root.limits);
  relaxation.open(root.node, costs);
  relaxation.prepare(root.node);
  double lowest = INFINITY;
  for (int step = 0; step < 40; step++) {
    const double upper = relaxation.evaluate(root.node);
    CHECK(upper >= largest - 1e-9);
    lowest = std::min(lowest, upper);
    if (!relaxation.step(root.node, upper, largest - 0.5, 1.0)) break;
  }
  return lowest;
}

// How many steps with large multipliers show that an estimate of rounding is wrong, if only a share of it is claimed.
// The target is far below what can be reached, so the steps are long.
int count_wrong_estimates(Root& root, const Costs* costs, double share) {
  constexpr double kFarBelow = -1e8, kTolerance = 1e-7;
  Relaxation relaxation(root.box, root.live, root.limits);
  relaxation.open(root.node, costs);
  relaxation.prepare(root.node);
  int wrong = 0;
  for (int step = 0; step < 20; step++) {
    relaxation.start_afresh();
    const double upper = relaxation.evaluate(root.node), rounding = relaxation.rounding(root.node);
    CHECK((step == 0 || rounding > kTolerance));
    wrong += !relaxation.is_near(root.node, upper, share * rounding);
    if (!relaxation.step(root.node, upper, kFarBelow, 1.0)) break;
  }
  return wrong;
}

}  // namespace

TEST_CASE("the relaxation bounds every point, at every step") {
  RandomForests random(7);
  int lowered = 0;
  for (int round = 0; round < 60; round++) {
    const Forest f = random.make({6});
    const Mask mask = random.make_box(f);
    Root root(f, mask);
    lowered += lower_bound(root, nullptr, largest_sum(f, mask, root, nullptr)) < root.node.bound() - 1e-6;
  }
  CHECK(lowered > 10);
}

TEST_CASE("with costs, it bounds every affordable point") {
  RandomForests random(8);
  for (int round = 0; round < 60; round++) {
    const Forest f = random.make({6});
    const Mask mask = whole_box(f);
    Root root(f, mask);
    Costs costs(root.box);
    costs.set(random.make_costs(f, random.make_point(f), false), 1.0 + random.below(8));
    lower_bound(root, &costs, largest_sum(f, mask, root, &costs));
  }
}

TEST_CASE("rounding is estimated, and an estimate that is too small is found") {
  RandomForests random(12);
  int found = 0;
  for (int round = 0; round < 30; round++) {
    const Forest f = random.make({20});
    const Mask mask = whole_box(f);
    Root root(f, mask);
    if (!root.goal.possible(root.node)) continue;
    Costs costs(root.box);
    costs.set(random.make_costs(f, random.make_point(f), false), 8.0);
    for (const Costs* within : {static_cast<const Costs*>(nullptr), static_cast<const Costs*>(&costs)}) {
      CHECK(count_wrong_estimates(root, within, 1.0) == 0);
      found += count_wrong_estimates(root, within, 1e-4);
    }
  }
  CHECK(found > 20);
}

TEST_CASE("scaled weights are as exact as the goal says") {
  RandomForests random(13);
  for (int round = 0; round < 30; round++) {
    Forest f = random.make({6});
    for (Int& w : f.weight) w = w * ((Int(1) << 50) + 1) + random.below(1000);
    Root root(f, whole_box(f));
    if (!root.goal.possible(root.node)) continue;
    Int range = 1;
    const auto difference = [&](int i, int p) {
      return root.margin.leaves[p].weight - root.margin.leaves[root.margin.first[i]].weight;
    };
    for (int i = 0; i < root.node.trees(); i++)
      for (int p = root.node.first[i]; p < root.node.first[i + 1]; p++)
        range = std::max(range, -difference(i, root.node.leaf[p]));
    const long double scale = 1.0 / double(range);
    long double off = 0;
    for (int i = 0; i < root.node.trees(); i++)
      for (int p = root.node.first[i]; p < root.node.first[i + 1]; p++) {
        CHECK(std::abs(root.node.weight[p]) <= 1);
        off = std::max(off, std::abs(root.node.weight[p] - scale * difference(i, root.node.leaf[p])));
      }
    CHECK(off * root.node.trees() <= root.node.inexactness);
    CHECK(root.node.inexactness < 1e-12);
  }
}

TEST_CASE("a leaf can be reached within a budget if an affordable point ends in it, and only then") {
  RandomForests random(10);
  int too_far = 0;
  for (int round = 0; round < 100; round++) {
    const Forest f = random.make({6});
    const Mask mask = random.make_box(f);
    Root root(f, mask);
    Costs costs(root.box);
    costs.set(random.make_costs(f, random.make_point(f), round % 2 == 0), 1.0 + random.below(8));
    Region region = root.node.region;
    if (!costs.narrow(region)) continue;
    std::vector<std::uint8_t> reached(root.node.weight.size(), 0);
    std::vector<int> x;
    for_each_point(f, mask, [&](const Point& point) {
      root.box.to_ranks(point, x);
      if (!costs.affordable(x)) return;
      for (std::size_t p = 0; p < reached.size(); p++)
        if (root.meets(root.cell_of(x), int(p))) reached[p] = 1;
    });
    const auto* entries = root.node.entries.data();
    for (std::size_t p = 0; p < reached.size(); p++) {
      too_far += !reached[p];
      CHECK(costs.can_reach(region, entries + root.node.entry[p], entries + root.node.entry[p + 1]) == reached[p]);
    }
  }
  CHECK(too_far > 100);
}

TEST_CASE("narrowing to a budget keeps all affordable points") {
  RandomForests random(9);
  int narrowed = 0;
  for (int round = 0; round < 100; round++) {
    const Forest f = random.make({1});
    Restriction box(f);
    const Mask mask = random.make_box(f);
    box.set(mask.data());
    Costs costs(box);
    costs.set(random.make_costs(f, random.make_point(f), round % 2 == 0), 1.0 + random.below(8));
    Region whole, region;
    whole.open(box);
    region.open(box);
    const bool some_left = costs.narrow(region);
    narrowed += region.high != whole.high || region.low != whole.low || region.missing != whole.missing;
    bool affordable = false;
    std::vector<int> x;
    for_each_point(f, mask, [&](const Point& point) {
      box.to_ranks(point, x);
      if (!costs.affordable(x)) return;
      affordable = true;
      for (int j = 0; j < f.n_variables; j++) {
        const bool missing = x[j] >= box.size[j];
        CHECK((missing ? region.missing[j] != 0 : region.low[j] <= x[j] && x[j] <= region.high[j]));
      }
    });
    CHECK(some_left == affordable);
    if (!some_left) continue;
    costs.pick_point(region, x);
    CHECK(costs.affordable(x));
  }
  CHECK(narrowed > 20);
}

}  // namespace primewood::tests
