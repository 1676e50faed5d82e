// Every search against brute force: depth-first, Lagrangian, and the oracle with all its means or some of them.
#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <stdexcept>

#include "search/depth_first.hpp"
#include "search/lagrangian.hpp"
#include "search/oracle.hpp"
#include "search/paths.hpp"
#include "tests/forests.hpp"

namespace primewood::tests {

using namespace search;

namespace {

// The margin of class 1 over class 0 in a box.
struct Searched {
  Searched(const Forest& f, const Mask& mask)
      : box(f), margin(box, limits), live(box), falsifier(margin, live, limits) {
    limits.start({}, [] {});
    box.set(mask.data());
    margin.choose(0, 1);
    margin.collect();
  }

  Limits limits;
  Restriction box;
  Margin margin;
  LiveRanks live;
  Falsifier falsifier;
};

bool is_counterexample(const Forest& f, const Point& point) {
  return f.possible(point.data()) && f.decide(point.data()) != 0;
}

bool exists_counterexample(const Forest& f, const Mask& mask) {
  return !find_point(f, mask, [&](const Point& point) { return is_counterexample(f, point); }).empty();
}

// Three trees that want the same leaf of a stump. What their weights sum to is the threshold, but added one by one, the
// second and the third are lost: they are half of the first one's last digit.
class LostDigits final : public Goal {
 public:
  explicit LostDigits(Margin& margin) : margin_(margin) {}

  void open(Node& root) override {
    for (const double weight : {kLarge, kHalfDigit, kHalfDigit}) {
      root.add_leaf(0, weight, margin_);
      root.add_leaf(1, 0.0, margin_);
      root.end_tree();
    }
  }

  bool met(const std::vector<int>& x) override { return x[0] == margin_.entries[margin_.leaves[0].begin].low; }
  bool ascend(std::vector<int>& x) override { return met(x); }
  bool wander(int, std::vector<int>&) override { return false; }

  bool possible(Node& node) override {
    node.threshold = kLarge + 2 * kHalfDigit;
    node.magnitude = kLarge + 1;
    return true;
  }

 private:
  static constexpr double kLarge = 1 << 30, kHalfDigit = 1.0 / (1 << 23);

  Margin& margin_;
};

constexpr SearchOptions kOptions[] = {{800, true}, {0, true}, {800, false}, {0, false}, {5, false}};

}  // namespace

TEST_CASE("rounding alone closes no node") {
  const Forest f = make_stump({0, 1}, {1, 0});
  Searched searched(f, whole_box(f));
  LostDigits goal(searched.margin);
  Lagrangian search(searched.box, searched.live, searched.limits);
  REQUIRE(search.run(goal));
  CHECK(goal.met(search.point));
}

TEST_CASE("depth-first search agrees with brute force") {
  RandomForests random(10);
  int found = 0;
  for (int round = 0; round < 150; round++) {
    const Forest f = random.make({7, round % 3});
    const Mask mask = random.make_box(f);
    Searched searched(f, mask);
    DepthFirst search(searched.margin, searched.limits);
    const auto verdict = search.run(100000);
    const bool exists = exists_counterexample(f, mask);
    CHECK(verdict == (exists ? DepthFirst::Verdict::kCounterexample : DepthFirst::Verdict::kSafe));
    if (!exists) continue;
    Point point;
    searched.box.to_values(search.counterexample, point);
    CHECK(holds(f, mask, point));
    CHECK(is_counterexample(f, point));
    found++;
  }
  CHECK(found > 20);
  CHECK(found < 130);
}

TEST_CASE("depth-first search gives up when its nodes are used up") {
  RandomForests random(11);
  const Forest f = random.make({});
  Searched searched(f, whole_box(f));
  if (searched.margin.bound() < searched.margin.threshold) return;
  searched.margin.collect();
  CHECK(DepthFirst(searched.margin, searched.limits).run(0) == DepthFirst::Verdict::kUnfinished);
}

TEST_CASE("Lagrangian search agrees with brute force, with local search and without it") {
  RandomForests random(12);
  for (int round = 0; round < 150; round++) {
    const Forest f = random.make({7, round % 3});
    const Mask mask = random.make_box(f);
    Searched searched(f, mask);
    const SearchOptions options{0, round % 2 == 0};
    OneMargin goal(searched.margin, searched.falsifier, options);
    Lagrangian search(searched.box, searched.live, searched.limits);
    const bool found = search.run(goal);
    CHECK(found == exists_counterexample(f, mask));
    if (!found) continue;
    Point point;
    searched.box.to_values(search.point, point);
    CHECK(holds(f, mask, point));
    CHECK(is_counterexample(f, point));
  }
}

TEST_CASE("the oracle answers as brute force does, whatever it may use") {
  RandomForests random(13);
  for (int round = 0; round < 200; round++) {
    const Forest f = random.make({6, round % 3, 2 + round % 3});
    const Mask mask = random.make_box(f);
    Question question{random.below(f.n_classes)};
    if (round % 2) question.target = random.below(f.n_classes);
    Oracle oracle(f);
    start(oracle, kOptions[round % std::size(kOptions)]);
    const Point instance = random.make_point(f);
    Point point;
    const bool found = oracle.ask(mask.data(), question, {&instance}, point);
    const Point expected = find_point(f, mask, [&](const Point& p) { return oracle.answers(p, question); });
    CHECK(found == !expected.empty());
    if (!found) continue;
    CHECK(holds(f, mask, point));
    CHECK(oracle.answers(point, question));
  }
}

// Variables with many values are searched by another way than those with few.
TEST_CASE("one oracle answers box after box as brute force does, with many values, too") {
  RandomForests random(16);
  int found = 0;
  for (int round = 0; round < 25; round++) {
    const Forest f = random.make({9, round % 2, 2, 4, {600, 3, 3}, {1, 1, 0}});
    for (const SearchOptions& options : {kOptions[2], kOptions[3]}) {
      Oracle oracle(f);
      for (int box = 0; box < 4; box++) {
        const Mask mask = random.make_box(f);
        start(oracle, options);
        Point point;
        const bool exists = exists_counterexample(f, mask);
        REQUIRE(oracle.ask(mask.data(), Question{0}, {}, point) == exists);
        if (exists) CHECK((holds(f, mask, point) && is_counterexample(f, point)));
        found += exists;
      }
    }
  }
  CHECK(found > 20);
  CHECK(found < 190);
}

TEST_CASE("several threads find what brute force finds") {
  RandomForests random(17);
  int found = 0;
  for (int round = 0; round < 300; round++) {
    const Forest f = random.make({7, round % 3, 2 + round % 2});
    const Mask mask = random.make_box(f);
    Oracle oracle(f);
    SearchOptions options{0, round % 2 == 0};
    options.alone = round % 5;
    start(oracle, options, 2 + round % 2);
    Point point;
    const bool exists = exists_counterexample(f, mask);
    REQUIRE(oracle.ask(mask.data(), Question{0}, {}, point) == exists);
    if (exists) CHECK((holds(f, mask, point) && is_counterexample(f, point)));
    found += exists;
  }
  CHECK(found > 60);
  CHECK(found < 240);
}

TEST_CASE("what ends one thread ends the search") {
  RandomForests random(18);
  const Forest f = random.make({40, 0, 2, 6, {9, 9, 9, 9, 9, 9}, {0, 0, 0, 0, 0, 0}});
  SearchOptions options{0, false};
  options.alone = 0;
  Oracle oracle(f);
  oracle.start(options, Budget{0, -1, 2}, [] {});
  Point point;
  CHECK_THROWS_AS(oracle.ask(whole_box(f).data(), {0}, {}, point), LimitReached);
  int polls = 0;
  oracle.start(options, Budget{-1, -1, 2}, [&] {
    if (++polls == 2) throw std::runtime_error("stop");
  });
  const auto ask_often = [&] {
    for (int round = 0; round < 100000; round++) oracle.ask(random.make_box(f).data(), {round % 2}, {}, point);
  };
  CHECK_THROWS_AS(ask_often(), std::runtime_error);
}

TEST_CASE("a run is stopped by its limits, and the same run gives the same answer") {
  RandomForests random(14);
  Shape shape{20, 0, 3, 5};
  shape.ordered = {9, 9, 9, 9};
  shape.has_missing = {0, 0, 0, 0};
  const Forest f = random.make(shape);
  const Mask mask = whole_box(f);
  Oracle oracle(f);
  Point point, again;
  oracle.start({800, false}, {-1, 0}, [] {});
  CHECK_THROWS_AS(oracle.ask(mask.data(), {0}, {}, point), LimitReached);
  Oracle other(f);
  start(other);
  start(oracle);
  CHECK(oracle.ask(mask.data(), {0}, {}, point) == other.ask(mask.data(), {0}, {}, again));
  CHECK(point == again);
  CHECK(oracle.limits.visited() == other.limits.visited());
}

TEST_CASE("a point that moves along variables sums up to what it does when all trees are walked") {
  RandomForests random(31);
  int more_than_a_word = 0;
  for (int round = 0; round < 60; round++) {
    const Forest f = random.make({round % 10 == 0 ? 90 : 9, round % 3, 2, 5});
    Searched searched(f, random.make_box(f));
    Point x(f.n_variables);
    searched.box.to_ranks(random.make_point(f), x);
    Paths paths(searched.margin);
    paths.walk(x);
    more_than_a_word += searched.margin.trees() > 64;
    for (int step = 0; step < 20; step++) {
      const int j = random.below(f.n_variables);
      x[j] = random.below(searched.box.ranks(j));
      paths.walk_again(j, x);
      CHECK(paths.total() == searched.margin.total_at(x));
      for (int other = 0; other < f.n_variables; other++) {
        std::vector<int> listed;
        paths.for_each_root(other, [&](int root) { listed.push_back(root); });
        std::vector<int> walked;
        for (int b : searched.margin.roots) {
          bool tested = false;
          for (int at = b; searched.margin.branches[at].variable >= 0;) {
            const Branch& branch = searched.margin.branches[at];
            tested = tested || branch.variable == other;
            at = searched.margin.goes_left(branch, x[branch.variable]) ? branch.left : branch.right;
          }
          if (tested) walked.push_back(b);
        }
        CHECK(listed == walked);
      }
    }
  }
  CHECK(more_than_a_word > 0);
}

TEST_CASE("an answer that is pulled towards another point stays one, and lies between the two") {
  RandomForests random(32);
  int moved = 0;
  for (int round = 0; round < 200; round++) {
    const Forest f = random.make({9, round % 3, 2 + round % 3, 4});
    const Point instance = random.make_point(f);
    const int label = f.decide(instance.data());
    Oracle oracle(f);
    start(oracle);
    Point point;
    if (!f.possible(instance.data()) || !oracle.ask(whole_box(f).data(), {label}, {&instance}, point)) continue;
    const Question question{label, round % 2 ? std::optional<int>(f.decide(point.data())) : std::nullopt};
    const Point before = point;
    oracle.pull(instance, std::vector<std::uint8_t>(f.n_variables, 1), question, point);
    CHECK(oracle.answers(point, question));
    for (int j = 0; j < f.n_variables; j++) {
      const auto [low, high] = std::minmax(before[j], instance[j]);
      CHECK(point[j] >= low);
      CHECK(point[j] <= high);
      moved += point[j] != before[j];
    }
  }
  CHECK(moved > 50);
}

TEST_CASE("answers along a variable are right for points that lie outside the box in others, too") {
  RandomForests random(33);
  int outside = 0, answering = 0;
  for (int round = 0; round < 300; round++) {
    const Forest f = random.make({9, round % 2, 2 + round % 2, 4, {5, 4, 3, 3}, {0, 1, 0, 0}});
    const Mask box = random.make_box(f);
    const Question question{f.decide(random.make_point(f).data())};
    Oracle oracle(f);
    start(oracle);
    Point point;
    if (!oracle.ask(box.data(), question, {}, point)) continue;
    const int moved = random.below(f.n_variables), j = (moved + 1) % f.n_variables;
    point[moved] = random.below(f.values(moved));
    outside += !holds(f, box, point);
    std::vector<std::uint8_t> found;
    oracle.find_answers_along(j, point, question, found);
    for (int v = 0; v < f.values(j); v++) {
      if (!box[f.offset[j] + v]) continue;
      point[j] = v;
      // A sweep looks for one rival of the label, so it may miss answers for others.
      if (found[v] || f.n_classes == 2) CHECK(bool(found[v]) == oracle.answers(point, question));
      answering += found[v];
    }
  }
  CHECK(outside > 50);
  CHECK(answering > 100);
}

}  // namespace primewood::tests
