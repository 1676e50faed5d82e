// What is built on the oracle, against brute force: nearest points, prime boxes, and demands on two forests at once.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "search/grower.hpp"
#include "search/joint.hpp"
#include "search/nearest.hpp"
#include "tests/forests.hpp"

namespace primewood::tests {

using namespace search;

namespace {

double cost_of(const Forest& f, const std::vector<double>& costs, const Point& point, Norm norm) {
  double total = 0;
  for (int j = 0; j < f.n_variables; j++) {
    const double cost = costs[f.offset[j] + point[j]];
    total = norm == Norm::kSum ? total + cost : std::max(total, cost);
  }
  return total;
}

bool is_safe(const Oracle& oracle, const Mask& box, Question question) {
  return find_point(oracle.forest, box, [&](const Point& p) { return oracle.answers(p, question); }).empty();
}

Weakening make_weakening(const Forest& f, Language language) {
  Weakening weakening;
  weakening.fixed.assign(f.n_variables, 0);
  weakening.nominal.assign(f.n_variables, 0);
  weakening.language = language;
  for (int j = f.n_variables; j > 0; j--) weakening.order.push_back(j - 1);
  return weakening;
}

}  // namespace

TEST_CASE("the nearest answer costs as much as the cheapest of all") {
  RandomForests random(15);
  int found = 0;
  for (int round = 0; round < 120; round++) {
    const Forest f = random.make({5, round % 2, 2 + round % 2});
    const Norm norm = round % 3 == 0 ? Norm::kLargest : Norm::kSum;
    const Point instance = random.make_point(f);
    const std::vector<double> costs = random.make_costs(f, instance, round % 4 < 2);
    Question question{f.decide(instance.data())};
    if (round % 5 == 0) question.target = (question.label + 1) % f.n_classes;
    Oracle oracle(f);
    start(oracle, {800, round % 7 != 0});
    const NearestAnswer answer = Nearest(oracle, question, norm, instance, costs).run();
    double cheapest = INFINITY;
    for_each_point(f, whole_box(f), [&](const Point& p) {
      if (oracle.answers(p, question)) cheapest = std::min(cheapest, cost_of(f, costs, p, norm));
    });
    CHECK(!answer.interrupted);
    CHECK(answer.point.empty() == std::isinf(cheapest));
    if (answer.point.empty()) continue;
    CHECK(oracle.answers(answer.point, question));
    CHECK(answer.upper == doctest::Approx(cost_of(f, costs, answer.point, norm)));
    CHECK(answer.upper <= cheapest * (1 + 2e-3));
    CHECK(answer.lower <= cheapest + 1e-9);
    found++;
  }
  CHECK(found > 60);
}

// Local search finds most of the cheapest answers of small forests at once; without it, the exact search has to.
TEST_CASE("without local search, budgets shrink to the cheapest sum") {
  RandomForests random(17);
  for (int round = 0; round < 60; round++) {
    const Forest f = random.make({9, 0, 2 + round % 2, 4, {6, 5, 4}});
    const Point instance = random.make_point(f);
    const std::vector<double> costs = random.make_costs(f, instance, round % 2 == 0);
    const Question question{f.decide(instance.data())};
    Oracle oracle(f);
    start(oracle, {800, false});
    const NearestAnswer answer = Nearest(oracle, question, Norm::kSum, instance, costs).run();
    double cheapest = INFINITY;
    for_each_point(f, whole_box(f), [&](const Point& p) {
      if (oracle.answers(p, question)) cheapest = std::min(cheapest, cost_of(f, costs, p, Norm::kSum));
    });
    CHECK(!answer.interrupted);
    CHECK(answer.point.empty() == std::isinf(cheapest));
    if (answer.point.empty()) continue;
    CHECK(answer.upper == doctest::Approx(cheapest));
    CHECK(answer.lower <= cheapest + 1e-9);
  }
}

TEST_CASE("a grown box is safe, and no value can be added to it") {
  RandomForests random(16);
  for (int round = 0; round < 120; round++) {
    const Forest f = random.make({5, round % 2, 2 + round % 2});
    const Point point = random.make_point(f);
    if (!f.possible(point.data())) continue;
    const Weakening weakening = make_weakening(f, Language::kSets);
    const Question question{f.decide(point.data())};
    Oracle oracle(f);
    start(oracle);
    Grower grower(oracle, weakening, point);
    const Grown grown = grower.run();
    CHECK(!grown.interrupted);
    CHECK(grower.steps_done() == grower.steps());
    CHECK(holds(f, grown.box, point));
    CHECK(is_safe(oracle, grown.box, question));
    for (std::size_t a = 0; a < grown.box.size(); a++) {
      if (grown.box[a]) continue;
      Mask wider = grown.box;
      wider[a] = 1;
      CHECK(!is_safe(oracle, wider, question));
      CHECK(grown.blocked_by[a] >= 0);
    }
    for (const Point& witness : grown.witnesses) CHECK(oracle.answers(witness, question));
  }
}

TEST_CASE("intervals are runs of values, and values are kept or dropped whole") {
  RandomForests random(17);
  for (int round = 0; round < 80; round++) {
    const Forest f = random.make({5});
    const Point point = random.make_point(f);
    const Language language = round % 2 ? Language::kIntervals : Language::kValues;
    const Weakening weakening = make_weakening(f, language);
    Oracle oracle(f);
    start(oracle);
    const Grown grown = Grower(oracle, weakening, point).run();
    CHECK(is_safe(oracle, grown.box, {f.decide(point.data())}));
    for (int j = 0; j < f.n_variables; j++) {
      const auto begin = grown.box.begin() + f.offset[j];
      const auto allowed = std::count(begin, begin + f.values(j), 1);
      int changes = 0;
      for (int v = 1; v < f.ordered[j]; v++) changes += begin[v] != begin[v - 1];
      if (language == Language::kValues) CHECK((allowed == 1 || allowed == f.values(j)));
      if (language == Language::kIntervals) CHECK(changes <= 2);
    }
  }
}

TEST_CASE("demands on two forests are met where brute force meets them") {
  RandomForests random(18);
  int met = 0;
  for (int round = 0; round < 200; round++) {
    const bool paired = round % 2 == 0;
    const Forest first = random.make({4, round % 3 == 0}), second = paired ? first : random.make({3});
    JointPlan plan;
    plan.paired = paired;
    plan.twins = paired;
    // Two rows of one model share the first variable; two models share all.
    std::vector<int> place = {0, 1, 2};
    plan.variables = {first.ordered, first.has_missing};
    if (paired) {
      plan.variables.ordered.insert(plan.variables.ordered.end(), first.ordered.begin() + 1, first.ordered.end());
      plan.variables.has_missing.insert(plan.variables.has_missing.end(), first.has_missing.begin() + 1,
                                        first.has_missing.end());
      place = {0, 3, 4};
    }
    Limits limits;
    limits.start({}, [] {});
    Joint joint({{first, {0, 1, 2}}, {second, place}}, plan, limits);
    const std::vector<Demand> demands = {{0, 0}, {1, 1}};
    const auto meets = [&](const Point& p) { return joint.meets(p, demands); };
    const Mask mask = random.make_box(joint.forest());
    auto oracle = joint.whole().take();
    start(*oracle, {0, round % 5 == 0});
    Point point;
    const bool found = oracle->win_all(mask.data(), joint.wins(demands), meets, joint.same(), point);
    const Point expected =
        find_point(joint.forest(), mask, [&](const Point& p) { return joint.forest().possible(p.data()) && meets(p); });
    CHECK(found == !expected.empty());
    if (found) CHECK(meets(point));
    met += found;
  }
  CHECK(met > 20);
  CHECK(met < 180);
}

TEST_CASE("a joint forest may not outgrow its cap") {
  RandomForests random(19);
  const Forest f = random.make({});
  JointPlan plan;
  plan.variables = {f.ordered, f.has_missing};
  plan.most_nodes = 3;
  Limits limits;
  limits.start({}, [] {});
  CHECK_THROWS_AS(Joint({{f, {0, 1, 2}}, {f, {0, 1, 2}}}, plan, limits), JointTooLarge);
}

}  // namespace primewood::tests
