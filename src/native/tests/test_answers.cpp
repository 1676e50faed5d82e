// What is built on the oracle, against brute force: nearest points, prime boxes, and demands on two forests at once.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "search/grower.hpp"
#include "search/joint.hpp"
#include "search/nearest.hpp"
#include "search/quick_box.hpp"
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

// Whether the box is one that the language can say.
bool can_be_said(const Forest& f, const Mask& box, Language language) {
  for (int j = 0; j < f.n_variables; j++) {
    const auto begin = box.begin() + f.offset[j];
    const auto allowed = std::count(begin, begin + f.values(j), 1);
    int changes = 0;
    for (int v = 1; v < f.ordered[j]; v++) changes += begin[v] != begin[v - 1];
    if (language == Language::kValues && allowed != 1 && allowed != f.values(j)) return false;
    if (language == Language::kIntervals && changes > 2) return false;
  }
  return true;
}

// Whether the witness of an excluded value lies in the box but for that value, and answers the question.
bool shows_necessary(const Oracle& oracle, const Grown& grown, int j, int v, Question question) {
  const Forest& f = oracle.forest;
  const Point& witness = grown.witnesses[std::size_t(grown.blocked_by[f.offset[j] + v])];
  Mask wider = grown.box;
  wider[f.offset[j] + v] = 1;
  Point moved = witness;
  moved[j] = v;
  return holds(f, wider, moved) && oracle.answers(moved, question);
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

TEST_CASE("an answer within a budget is found if there is one") {
  RandomForests random(21);
  int found = 0, none = 0;
  for (int round = 0; round < 400; round++) {
    const Forest f = random.make({5, round % 2, 2 + round % 2});
    const Point instance = random.make_point(f);
    const std::vector<double> costs = random.make_costs(f, instance, round % 4 < 2);
    Question question{f.decide(instance.data())};
    if (round % 5 == 0) question.target = (question.label + 1) % f.n_classes;
    Mask mask(costs.size());
    for (std::size_t a = 0; a < costs.size(); a++) mask[a] = std::isfinite(costs[a]);
    const double budget = round % 6;
    Oracle oracle(f);
    start(oracle, {800, round % 7 != 0});
    double cheapest = INFINITY;
    for_each_point(f, mask, [&](const Point& p) {
      if (oracle.answers(p, question)) cheapest = std::min(cheapest, cost_of(f, costs, p, Norm::kSum));
    });
    Point point;
    const bool exists = oracle.find_within(mask.data(), question, costs, budget, instance, point);
    CHECK(exists == (cheapest <= budget));
    (exists ? found : none)++;
    if (!exists) continue;
    CHECK(oracle.answers(point, question));
    CHECK(cost_of(f, costs, point, Norm::kSum) <= budget);
  }
  CHECK(found > 60);
  CHECK(none > 60);
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

// What the strict order leads to: one variable after the other, each as far as the box stays safe, by brute force.
static Mask widen_strictly(const Oracle& oracle, const Weakening& weakening, const Point& point, Question question) {
  const Forest& f = oracle.forest;
  Mask box(f.atoms(), 0);
  for (int j = 0; j < f.n_variables; j++) box[f.offset[j] + point[j]] = 1;
  const auto add = [&](int j, int v) {
    Mask wider = box;
    wider[f.offset[j] + v] = 1;
    if (is_safe(oracle, wider, question)) box = wider;
    return box[f.offset[j] + v] != 0;
  };
  for (int j : weakening.order) {
    if (weakening.language == Language::kSets || weakening.nominal[j]) {
      for (int v = 0; v < f.values(j); v++) add(j, v);
    } else {
      for (int v = point[j] - 1; v >= 0 && add(j, v); v--) continue;
      for (int v = point[j] + 1; v < f.ordered[j] && add(j, v); v++) continue;
    }
  }
  return box;
}

// Widen a point of a random forest on trust, and check that this leads to where the strict order leads. Whether the box
// leaves anything out.
static bool check_widening(const Forest& f, const Point& point, int round) {
  Weakening weakening = make_weakening(f, round % 4 < 2 ? Language::kSets : Language::kIntervals);
  weakening.steps.clear();
  weakening.nominal[2] = round % 5 == 0;
  Question question{f.decide(point.data())};
  if (round % 7 == 0) weakening.target = question.target = (question.label + 1) % f.n_classes;
  const SearchOptions options{0, round % 3 > 0, {round % 5}, {Effort{}.nodes, round % 4}, round % 6, round % 2 ? 0 : 2};
  Oracle oracle(f);
  start(oracle, options, 1 + round % 3);
  const Grown grown = Grower(oracle, weakening, point).run();
  CHECK(!grown.interrupted);
  CHECK(grown.box == widen_strictly(oracle, weakening, point, question));
  for (int j = 0; j < f.n_variables; j++)
    for (int v = 0; v < f.values(j); v++)
      if (grown.blocked_by[f.offset[j] + v] >= 0 && !grown.box[f.offset[j] + v])
        CHECK(shows_necessary(oracle, grown, j, v, question));
  return std::count(grown.box.begin(), grown.box.end(), 0) > 0;
}

TEST_CASE("widening on trust leads to where the strict order leads") {
  RandomForests random(23);
  int partial = 0;
  for (int round = 0; round < 400; round++) {
    const Forest f = random.make({9, round % 2, 2 + round % 3, 4, {7, 5, 4, 3}, {0, 0, 0, 0}});
    const Point point = random.make_point(f);
    if (f.possible(point.data())) partial += check_widening(f, point, round);
  }
  CHECK(partial > 100);
}

TEST_CASE("widening many variables on trust leads to where the strict order leads") {
  RandomForests random(24);
  int partial = 0;
  for (int round = 0; round < 120; round++) {
    const Forest f = random.make({25, 0, 2, 4, {4, 4, 3, 3, 3, 3}, {0, 0, 0, 0, 0, 0}});
    partial += check_widening(f, random.make_point(f), round);
  }
  CHECK(partial > 100);
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
    CHECK(can_be_said(f, grown.box, language));
  }
}

TEST_CASE("a box that a limit ends is safe, and what it says is necessary is") {
  RandomForests random(20);
  int interrupted = 0, complete = 0;
  for (int round = 0; round < 300; round++) {
    const Forest f = random.make({12, round % 2, 2 + round % 3 / 2, 4, {9, 6, 5, 4}, {0, 1, 0, 1}});
    const Point point = random.make_point(f);
    const Language language = Language(round % 3);
    Weakening weakening = make_weakening(f, language);
    if (round % 4) weakening.steps = {{{0, -1}}, {{1, -1}}, {{2, -1}}, {{3, -1}}};
    weakening.nominal[2] = round % 5 == 0;
    if (round % 7 == 0) weakening.fixed[1] = 1;
    const bool left_alone = round % 9 == 0;  // neither dropped nor widened
    if (left_alone) {
      weakening.steps.resize(std::min<std::size_t>(weakening.steps.size(), 3));
      weakening.order = {2, 1, 0};
    }
    Question question{f.decide(point.data())};
    if (round % 6 == 0) weakening.target = question.target = (question.label + 1) % f.n_classes;
    if (!f.possible(point.data())) continue;
    Oracle oracle(f);
    start(oracle, {0, round % 8 != 0});
    const Mask whole_order = Grower(oracle, weakening, point).run().box;
    for (int nodes : {0, 3, 10, 30, 60}) {
      oracle.start({0, round % 8 != 0}, {-1, nodes}, [] {});
      const Grown grown = Grower(oracle, weakening, point).run();
      (grown.interrupted ? interrupted : complete)++;
      CHECK(holds(f, grown.box, point));
      CHECK(is_safe(oracle, grown.box, question));
      const auto count = [&](int j) {
        return std::count(grown.box.begin() + f.offset[j], grown.box.begin() + f.offset[j + 1], 1);
      };
      if (left_alone) CHECK(count(3) == 1);
      if (weakening.fixed[1]) CHECK(count(1) == 1);
      if (!weakening.nominal[2]) CHECK(can_be_said(f, grown.box, language));
      if (!grown.interrupted) CHECK(grown.box == whole_order);
      for (int j = 0; j < f.n_variables; j++)
        for (int v = 0; v < f.values(j); v++)
          if (grown.blocked_by[f.offset[j] + v] >= 0 && !grown.box[f.offset[j] + v])
            CHECK(shows_necessary(oracle, grown, j, v, question));
    }
  }
  CHECK(interrupted > 100);
  CHECK(complete > 100);
}

TEST_CASE("a quick box is safe, holds the instance, and leaves dropped variables dropped") {
  RandomForests random(21);
  int wide = 0, rounds = 0;
  for (int round = 0; round < 200; round++) {
    const Forest f = random.make({12, 0, 2 + round % 3 / 2, 4, {30, 12, 5, 4}, {0, 1, 0, 1}});
    const Point point = random.make_point(f);
    const Language language = Language(round % 3);
    Weakening weakening = make_weakening(f, language);
    weakening.nominal[2] = round % 5 == 0;
    Oracle oracle(f);
    start(oracle);
    const Question question{f.decide(point.data())};
    GrowingBox strict(oracle, weakening, point);
    std::vector<int> others = strict.reachable(3);
    const bool dropped = !others.empty() && strict.is_slice_safe(3, others);
    if (dropped) strict.allow(3, others);
    QuickBox quick(oracle, weakening, point);
    quick.make(strict);
    const Grown& grown = quick.box().grown();
    CHECK(holds(f, grown.box, point));
    CHECK(is_safe(oracle, grown.box, question));
    CHECK(quick.box().is_full(3) >= dropped);
    if (!weakening.nominal[2]) CHECK(can_be_said(f, grown.box, language));
    for (const Point& witness : quick.found()) CHECK(oracle.answers(witness, question));
    rounds++;
    wide += strict.log_volume(grown.box) > strict.log_volume(strict.grown().box);
  }
  CHECK(2 * wide > rounds);
}

TEST_CASE("a quick box that is short of nodes can still be said in its language") {
  RandomForests random(22);
  int partial = 0;
  for (int round = 0; round < 60; round++) {
    const Forest f = random.make({30, 0, 2, 6, {9, 8, 7, 6, 5}, {0, 0, 0, 0, 0}});
    const Point point = random.make_point(f);
    const Language language = round % 2 ? Language::kValues : Language::kIntervals;
    const Weakening weakening = make_weakening(f, language);
    for (int nodes : {20, 60, 200}) {
      Oracle oracle(f);
      oracle.start({0, false}, {-1, nodes}, [] {});
      oracle.limits.set_stage(1);
      QuickBox quick(oracle, weakening, point);
      quick.make(GrowingBox(oracle, weakening, point));
      const Mask& box = quick.box().grown().box;
      CHECK(holds(f, box, point));
      CHECK(is_safe(oracle, box, {f.decide(point.data())}));
      CHECK(can_be_said(f, box, language));
      partial += quick.box().log_volume(box) < 0;
    }
  }
  CHECK(partial > 50);
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
