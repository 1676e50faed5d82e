// Local search for cheap counterexamples, against brute force.
#include <doctest/doctest.h>

#include <cmath>

#include "search/cheap_falsifier.hpp"
#include "tests/forests.hpp"

namespace primewood::tests {

using namespace search;

namespace {

// A margin in a box, and what points cost.
struct Market {
  Market(RandomForests& random, const Forest& f, const Mask& mask)
      : box(f),
        margin(box, limits),
        live(box),
        falsifier(margin, live, limits),
        costs(box),
        cheap(margin, falsifier, costs, limits) {
    limits.start({}, [] {});
    box.set(mask.data());
    margin.choose(0, 1);
    margin.collect();
    costs.set(random.make_costs(f, random.make_point(f), false), 4.0);
    cheap.reset();
  }

  bool is_counterexample(const std::vector<int>& x) { return margin.is_counterexample(x, margin.total_at(x)); }

  double cheapest(const Forest& f, const Mask& mask) {
    double cheapest = INFINITY;
    std::vector<int> x;
    for_each_point(f, mask, [&](const Point& point) {
      box.to_ranks(point, x);
      if (is_counterexample(x)) cheapest = std::min(cheapest, cheap.cost_of(x));
    });
    return cheapest;
  }

  Limits limits;
  Restriction box;
  Margin margin;
  LiveRanks live;
  Falsifier falsifier;
  Costs costs;
  CheapFalsifier cheap;
};

}  // namespace

TEST_CASE("local search finds counterexamples within a budget, and makes them cheaper") {
  RandomForests random(31);
  int possible = 0, repaired = 0, cheapest = 0;
  for (int round = 0; round < 200; round++) {
    const Forest f = random.make({7, round % 2});
    const Mask mask = random.make_box(f);
    Market market(random, f, mask);
    std::vector<int> x;
    market.box.to_ranks(random.make_point(f), x);
    const double least = market.cheapest(f, mask), most = round % 3 == 0 ? INFINITY : 1 + 0.1 * random.below(20);
    const bool can_be = least <= most && market.cheap.cost_of(x) <= most;
    const bool found = market.cheap.repair(x, most);
    possible += can_be;
    repaired += found;
    CHECK(found <= can_be);
    if (!found) continue;
    CHECK(market.is_counterexample(x));
    CHECK(market.cheap.cost_of(x) <= most);
    const double before = market.cheap.cost_of(x);
    market.cheap.improve(x);
    CHECK(market.is_counterexample(x));
    CHECK(market.cheap.cost_of(x) <= before);
    cheapest += market.cheap.cost_of(x) < least + 1e-9;
  }
  CHECK(repaired > 0.7 * possible);
  CHECK(cheapest > 0.8 * repaired);
  CHECK(repaired > 50);
}

}  // namespace primewood::tests
