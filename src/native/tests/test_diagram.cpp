// Decision diagrams: tables, stores, sums, expressions, orders and reasons, each against a table of all points.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "diagram/blocks.hpp"
#include "diagram/compiler.hpp"
#include "diagram/diagram.hpp"
#include "diagram/expressions.hpp"
#include "diagram/reasons.hpp"
#include "diagram/restrictions.hpp"
#include "diagram/row_table.hpp"
#include "diagram/sifting.hpp"
#include "diagram/store.hpp"
#include "diagram/sums.hpp"
#include "diagram/votes.hpp"
#include "forest/forest.hpp"
#include "limits.hpp"
#include "tests/forests.hpp"

namespace primewood::diagram {
namespace {

using Widths = std::vector<int>;
using Function = std::function<int(const Path&)>;

// Limits that nothing reaches.
class NoLimits : public Limits {
 public:
  NoLimits() {
    start({}, [] {});
  }
};

std::vector<Path> all_paths(const Widths& widths) {
  std::vector<Path> paths{{}};
  for (const int width : widths) {
    std::vector<Path> longer;
    for (const Path& path : paths)
      for (int value = 0; value < width; value++) {
        longer.push_back(path);
        longer.back().push_back(value);
      }
    paths = std::move(longer);
  }
  return paths;
}

// A table of random terminals, one per path.
std::vector<Id> random_table(const Widths& widths, int terminals, unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<Id> table(all_paths(widths).size());
  for (Id& entry : table) entry = static_cast<Id>(generator() % static_cast<unsigned>(terminals));
  return table;
}

// The node of the function that a table gives below a level; `at` is the place of its first path.
Id make_node(Store& store, const std::vector<Id>& table, int level, std::size_t& at) {
  if (level == store.depth()) return table[at++];
  std::vector<Id> children;
  for (int v = 0; v < store.width(level); v++) children.push_back(make_node(store, table, level + 1, at));
  return store.intern(level, children.data());
}

Id make_root(Store& store, const std::vector<Id>& table) {
  std::size_t at = 0;
  return make_node(store, table, 0, at);
}

Id decide(const Store& store, Id root, const Path& path) {
  Id node = root;
  for (int j = 0; j < store.depth(); j++) node = store.row(j, node)[path[j]];
  return node;
}

void check_equal(const Diagram& diagram, const Widths& widths, const Function& expected) {
  REQUIRE(diagram.is_sound());
  for (const Path& path : all_paths(widths)) CHECK(diagram.decide(path) == expected(path));
}

// A path of the levels, as a path of the variables.
Path by_variable(const Path& path, const std::vector<int>& order) {
  Path found(path.size());
  for (std::size_t j = 0; j < path.size(); j++) found[order[j]] = path[j];
  return found;
}

std::size_t place_of(const std::vector<Path>& paths, const Path& path) {
  return static_cast<std::size_t>(std::find(paths.begin(), paths.end(), path) - paths.begin());
}

}  // namespace

TEST_CASE("a table numbers different rows in the order in which they come") {
  RowTable<Id> table(2);
  for (Id round = 0; round < 2; round++)
    for (Id i = 0; i < 1000; i++) {
      const Id row[2] = {i % 10, i};
      CHECK(table.intern(row) == i);
    }
  CHECK(table.size() == 1000);
  CHECK(table.row(123)[0] == 3);
  CHECK(table.row(123)[1] == 123);
}

TEST_CASE("a table tells edges apart by node and by vote") {
  RowTable<Edge> table(1);
  const Edge first{1, 2}, second{2, 1}, third{1, 1};
  CHECK(table.intern(&first) == 0);
  CHECK(table.intern(&second) == 1);
  CHECK(table.intern(&third) == 2);
  CHECK(table.intern(&first) == 0);
}

TEST_CASE("two roots of a store are equal iff their functions are") {
  NoLimits limits;
  const Widths widths{2, 3, 2};
  Store store(widths, limits);
  std::set<Id> roots;
  for (unsigned seed = 0; seed < 50; seed++) roots.insert(make_root(store, random_table(widths, 2, seed)));
  std::set<std::vector<Id>> tables;
  for (unsigned seed = 0; seed < 50; seed++) tables.insert(random_table(widths, 2, seed));
  CHECK(roots.size() == tables.size());
}

TEST_CASE("a sink is one terminal everywhere") {
  NoLimits limits;
  const Widths widths{3, 2};
  Store store(widths, limits);
  const Id sink = store.sink(0, 4);
  for (const Path& path : all_paths(widths)) CHECK(decide(store, sink, path) == 4);
  CHECK(store.sink(0, 4) == sink);
  CHECK(store.size() == 2);
}

TEST_CASE("a product combines the terminals of every point") {
  NoLimits limits;
  const Widths widths{3, 2, 4};
  Store store(widths, limits);
  const Id a = make_root(store, random_table(widths, 3, 1)), b = make_root(store, random_table(widths, 3, 2));
  const Id product = store.product(a, b, [](Id x, Id y) { return 3 * x + y; });
  for (const Path& path : all_paths(widths))
    CHECK(decide(store, product, path) == 3 * decide(store, a, path) + decide(store, b, path));
}

TEST_CASE("a store refuses a node above its cap") {
  NoLimits limits;
  const Widths widths{2, 2};
  Store store(widths, limits);
  store.set_cap(2);
  CHECK_NOTHROW(store.sink(0, 0));
  CHECK_THROWS_AS(store.sink(0, 1), CapReached);
}

TEST_CASE("trimming drops what a root does not reach and keeps its function") {
  NoLimits limits;
  const Widths widths{2, 3, 2};
  Store store(widths, limits);
  for (unsigned seed = 0; seed < 10; seed++) make_root(store, random_table(widths, 3, seed));
  const std::vector<Id> table = random_table(widths, 3, 5);
  std::vector<Id> roots{make_root(store, table)};
  const std::size_t before = store.size();
  store.trim(roots);
  CHECK(store.size() < before);
  const std::vector<Path> paths = all_paths(widths);
  for (std::size_t i = 0; i < paths.size(); i++) CHECK(decide(store, roots[0], paths[i]) == table[i]);
}

TEST_CASE("votes are added and subtracted class by class") {
  Votes votes(2);
  const Int first[2] = {3, -1}, second[2] = {-2, 5};
  const Id a = votes.make(first, false), b = votes.make(second, true);
  const Int* sum = votes.row(votes.sum(a, b));
  CHECK(std::vector<Int>(sum, sum + 3) == std::vector<Int>{1, 4, 1});
  CHECK(votes.difference(votes.sum(a, b), b) == a);
  CHECK(votes.difference(a, a) == Votes::kZero);
  CHECK(votes.sum(a, Votes::kZero) == a);
}

namespace {

// What an edge-valued function adds to class 0 at a point.
Int evaluate(const Sums& sums, const Votes& votes, Edge edge, const Path& path) {
  Int total = votes.row(edge.vote)[0];
  for (int j = 0; j < sums.depth(); j++) {
    edge = sums.row(j, edge.node)[path[j]];
    total += votes.row(edge.vote)[0];
  }
  return total;
}

// A random tree of tests, three levels deep.
Edge random_tree(Sums& sums, Votes& votes, std::mt19937& generator, int depth = 3) {
  if (depth == 0) {
    const Int weights[2] = {static_cast<Int>(generator() % 7), 0};
    return Sums::constant(votes.make(weights, true));
  }
  const int test = static_cast<int>(generator() % static_cast<unsigned>(sums.depth()));
  std::vector<std::uint8_t> goes_left(sums.width(test));
  for (std::uint8_t& flag : goes_left) flag = generator() % 2;
  const Edge left = random_tree(sums, votes, generator, depth - 1);
  const Edge right = random_tree(sums, votes, generator, depth - 1);
  return sums.choose(test, goes_left, left, right);
}

}  // namespace

TEST_CASE("a choice goes left or right by the value of its level") {
  NoLimits limits;
  Votes votes(2);
  const Widths widths{2, 3};
  Sums sums(widths, votes, limits);
  const Int one[2] = {1, 0}, five[2] = {5, 0};
  const Edge chosen =
      sums.choose(1, {1, 0, 1}, Sums::constant(votes.make(one, true)), Sums::constant(votes.make(five, true)));
  for (const Path& path : all_paths(widths)) CHECK(evaluate(sums, votes, chosen, path) == (path[1] == 1 ? 5 : 1));
}

TEST_CASE("sums of trees add at every point, and survive trimming and swaps") {
  NoLimits limits;
  std::mt19937 generator(0);
  Votes votes(2);
  const Widths widths{3, 2, 4};
  Sums sums(widths, votes, limits);
  for (int round = 0; round < 20; round++) {
    const Edge a = random_tree(sums, votes, generator), b = random_tree(sums, votes, generator);
    std::vector<Edge> roots{a, b, sums.sum(a, b)};
    const std::vector<Path> paths = all_paths(sums.widths());
    std::vector<Int> expected;
    for (const Path& path : paths) expected.push_back(evaluate(sums, votes, a, path) + evaluate(sums, votes, b, path));
    sums.trim(roots);
    for (std::size_t i = 0; i < paths.size(); i++) CHECK(evaluate(sums, votes, roots[2], paths[i]) == expected[i]);
    REQUIRE(sums.swap_levels(1, SIZE_MAX));
    for (std::size_t i = 0; i < paths.size(); i++) {
      const Path swapped{paths[i][0], paths[i][2], paths[i][1]};
      CHECK(evaluate(sums, votes, roots[2], swapped) == expected[i]);
    }
  }
}

TEST_CASE("functions that differ by a constant are one node") {
  NoLimits limits;
  std::mt19937 generator(3);
  Votes votes(2);
  Sums sums({3, 2, 4}, votes, limits);
  const Edge tree = random_tree(sums, votes, generator);
  const Int seven[2] = {7, 0};
  CHECK(sums.sum(tree, Sums::constant(votes.make(seven, true))).node == tree.node);
}

TEST_CASE("expressions decide like their connectives") {
  NoLimits limits;
  const Widths widths{2, 3, 4};
  const auto a = [](const Path& p) { return p[0] == 1; };
  const auto b = [](const Path& p) { return p[1] != 1; };
  const auto c = [](const Path& p) { return p[2] >= 2; };
  const auto compile = [&](const std::function<Id(Expressions&, Id, Id, Id)>& combine) {
    Expressions e(widths, 1000, limits);
    const Id root = combine(e, e.literal(0, {0, 1}), e.literal(1, {1, 0, 1}), e.literal(2, {0, 0, 1, 1}));
    return e.finish(root, {0, 1, 2}, 0).diagram;
  };
  check_equal(compile([](Expressions& e, Id, Id, Id) { return e.constant(true); }), widths,
              [](const Path&) { return 1; });
  check_equal(compile([](Expressions&, Id, Id y, Id) { return y; }), widths, b);
  check_equal(compile([](Expressions& e, Id x, Id, Id) { return e.negation(x); }), widths,
              [&](const Path& p) { return !a(p); });
  check_equal(compile([](Expressions& e, Id x, Id y, Id z) { return e.disjunction(e.conjunction(x, y), z); }), widths,
              [&](const Path& p) { return (a(p) && b(p)) || c(p); });
  for (int count = 0; count <= 4; count++)
    check_equal(compile([&](Expressions& e, Id x, Id y, Id z) { return e.at_least(count, {x, y, z}); }), widths,
                [&](const Path& p) { return a(p) + b(p) + c(p) >= count; });
}

TEST_CASE("expressions refuse to outgrow their cap") {
  NoLimits limits;
  Expressions e({2, 2, 2}, 5, limits);
  CHECK_NOTHROW(e.literal(0, {0, 1}));
  CHECK_THROWS_AS(e.literal(2, {0, 1}), CapReached);
}

namespace {

CompileOptions ample_options(bool find_order) {
  CompileOptions options;
  options.order = {2, 0, 1};
  options.find_order = find_order;
  options.most_nodes = options.most_states = 100000;
  options.order_work = options.final_work = find_order ? 1e6 : 0;
  return options;
}

// The same trees with tenths of their whole numbers as values, which do not add exactly; the weights are these times
// 2^20, rounded.
Forest make_inexact(const Forest& whole) {
  forest::VoteArrays vote = static_cast<const forest::VoteArrays&>(whole);
  for (std::size_t i = 0; i < vote.value.size(); i++) {
    vote.value[i] *= 0.1;
    vote.weight[i] = std::llround(vote.value[i] * (1 << 20));
  }
  vote.exact.assign(vote.exact.size(), 0);
  vote.band = 2;
  return Forest(static_cast<const forest::VariableArrays&>(whole), static_cast<const forest::TreeArrays&>(whole),
                std::move(vote));
}

// How many cells were settled by adding as the library does.
std::size_t check_compiled(const Forest& forest, bool find_order) {
  NoLimits limits;
  Compiler compiler(forest, ample_options(find_order), limits);
  const OrderedDiagram found = compiler.compile();
  if (!find_order) CHECK(found.order == std::vector<int>{2, 0, 1});
  Widths widths;
  for (const int variable : found.order) widths.push_back(forest.values(variable));
  const auto decide = [&](const Path& path) { return forest.decide(by_variable(path, found.order).data()); };
  check_equal(found.diagram, widths, decide);
  return compiler.progress().settled;
}

}  // namespace

TEST_CASE("a compiled forest decides every point as the forest does") {
  tests::RandomForests forests(1);
  std::size_t settled = 0;
  for (int round = 0; round < 40; round++) {
    tests::Shape shape;
    shape.n_classes = 2 + round % 2;
    const Forest forest = forests.make(shape);
    for (const bool find_order : {false, true}) {
      CHECK(check_compiled(forest, find_order) == 0);
      settled += check_compiled(make_inexact(forest), find_order);
    }
  }
  CHECK(settled > 0);
}

TEST_CASE("a compilation stops at its caps and tells how far it got") {
  NoLimits limits;
  tests::Shape shape;
  shape.n_classes = 3;
  shape.n_trees = 12;
  const Forest forest = tests::RandomForests(1).make(shape);
  for (const bool states : {false, true}) {
    CompileOptions options = ample_options(false);
    (states ? options.most_states : options.most_nodes) = 3;
    Compiler compiler(forest, options, limits);
    CHECK_THROWS_AS(compiler.compile(), CapReached);
    CHECK(compiler.progress().stage == Stage::kDecision);
    CHECK((states ? compiler.progress().states : compiler.progress().nodes) == 4);
  }
}

TEST_CASE("sifting keeps the function and never makes the diagram larger") {
  NoLimits limits;
  const Widths widths{2, 3, 2, 2, 3};
  const std::vector<Path> paths = all_paths(widths);
  for (unsigned seed = 0; seed < 10; seed++) {
    const std::vector<Id> table = random_table(widths, 2, seed);
    Store store(widths, limits);
    const Id root = make_root(store, table);
    const std::size_t before = store.size();
    std::vector<int> order{0, 1, 2, 3, 4};
    Sifting(store, order, 1e9).run();
    CHECK(store.size() <= before);
    for (const Path& path : all_paths(store.widths()))
      CHECK(decide(store, root, path) == table[place_of(paths, by_variable(path, order))]);
  }
}

TEST_CASE("sifting brings together what belongs together") {
  NoLimits limits;
  Expressions e(Widths(8, 2), 100000, limits);
  Id root = e.constant(true);  // x0 = x4, x1 = x5, ...: large in this order, small with partners side by side
  for (int j = 0; j < 4; j++) {
    const Id x = e.literal(j, {0, 1}), y = e.literal(j + 4, {0, 1});
    root = e.conjunction(root, e.disjunction(e.conjunction(x, y), e.negation(e.disjunction(x, y))));
  }
  const OrderedDiagram found = e.finish(root, {0, 1, 2, 3, 4, 5, 6, 7}, 1e9);
  Id nodes = 0;
  for (int j = 0; j < 8; j++) nodes += found.diagram.nodes(j);
  CHECK(nodes == 1 + 2 + 2 + 3 + 2 + 3 + 2 + 3);
  for (const Path& path : all_paths(Widths(8, 2))) {
    const Path p = by_variable(path, found.order);
    CHECK(found.diagram.decide(path) == (p[0] == p[4] && p[1] == p[5] && p[2] == p[6] && p[3] == p[7]));
  }
}

TEST_CASE("a diagram in another order has the same function") {
  NoLimits limits;
  const Widths widths{2, 3, 4};
  const std::vector<Id> table = random_table(widths, 3, 7);
  Store store(widths, limits);
  const Id root = make_root(store, table);
  const std::vector<Path> paths = all_paths(widths);
  const OrderedDiagram found = reorder({Diagram(store, root, 3), {0, 1, 2}}, {2, 0, 1}, 1000, limits);
  CHECK(found.order == std::vector<int>{2, 0, 1});
  check_equal(found.diagram, {4, 2, 3},
              [&](const Path& p) { return table[place_of(paths, by_variable(p, found.order))]; });
  CHECK_THROWS_AS(reorder({Diagram(store, root, 3), {0, 1, 2}}, {2, 0, 1}, 3, limits), CapReached);
}

TEST_CASE("a diagram finds a path of a box with a terminal, or with another, iff there is one") {
  NoLimits limits;
  const Widths widths{2, 3, 2};
  std::mt19937 generator(1);
  for (unsigned seed = 0; seed < 50; seed++) {
    const std::vector<Id> table = random_table(widths, 3, seed);
    Store store(widths, limits);
    const Id root = make_root(store, table);
    const Diagram diagram(store, root, 3);
    std::vector<std::vector<int>> box(3);
    for (int j = 0; j < 3; j++)
      for (int v = 0; v < widths[j]; v++)
        if (generator() % 2 == 0) box[j].push_back(v);
    for (const bool otherwise : {false, true}) {
      const auto fits = [&](const Path& p) {
        for (int j = 0; j < 3; j++)
          if (std::count(box[j].begin(), box[j].end(), p[j]) == 0) return false;
        return (diagram.decide(p) == 1) != otherwise;
      };
      const std::vector<Path> paths = all_paths(widths);
      const auto found = diagram.find(box, 1, otherwise);
      CHECK(found.has_value() == std::any_of(paths.begin(), paths.end(), fits));
      if (found) CHECK(fits(*found));
    }
  }
}

TEST_CASE("arrays that are not a diagram are recognised") {
  const std::vector<Diagram::Level> levels{{2, {0, 1}}, {3, {0, 1, 0, 1, 1, 0}}};
  CHECK(Diagram(levels, 0, 2).is_sound());
  CHECK_FALSE(Diagram(levels, 1, 2).is_sound());
  CHECK_FALSE(Diagram(levels, -1, 2).is_sound());
  CHECK_FALSE(Diagram(levels, 0, 1).is_sound());
  CHECK_FALSE(Diagram({{2, {0, 2}}, levels[1]}, 0, 2).is_sound());
  CHECK_FALSE(Diagram({{2, {0, -1}}, levels[1]}, 0, 2).is_sound());
  CHECK_FALSE(Diagram({levels[0], {4, levels[1].entries}}, 0, 2).is_sound());
  CHECK_FALSE(Diagram({levels[0], {0, levels[1].entries}}, 0, 2).is_sound());
}

namespace {

using RestrictionSet = std::set<int>;

// The sets of a family.
std::set<RestrictionSet> list_sets(const BinaryDiagram& family, Id node) {
  if (node == 0) return {};
  if (node == 1) return {{}};
  std::set<RestrictionSet> found = list_sets(family, family.lo[node]);
  for (RestrictionSet set : list_sets(family, family.hi[node])) {
    set.insert(family.variable[node]);
    found.insert(std::move(set));
  }
  return found;
}

// Whether no value of some variable is left, or every path that a set of restrictions allows has the label.
struct Brute {
  const Diagram& diagram;
  Widths widths;
  const std::vector<Restriction>& restrictions;

  bool allows(const RestrictionSet& set, int level, int value) const {
    return std::none_of(set.begin(), set.end(), [&](int r) {
      const Restriction& restriction = restrictions[r];
      const std::vector<int>& values = restriction.values;
      return restriction.level == level && std::count(values.begin(), values.end(), value) > 0;
    });
  }

  bool leaves_nothing(const RestrictionSet& set) const {
    for (int j = 0; j < diagram.depth(); j++) {
      bool allowed = false;
      for (int v = 0; v < diagram.width(j); v++) allowed = allowed || allows(set, j, v);
      if (!allowed) return true;
    }
    return false;
  }

  bool is_certain(const RestrictionSet& set, Id label) const {
    for (const Path& path : all_paths(widths)) {
      bool inside = true;
      for (int j = 0; j < diagram.depth(); j++) inside = inside && allows(set, j, path[j]);
      if (inside && diagram.decide(path) != label) return false;
    }
    return true;
  }

  // The minimal sets that leave something of every variable and make the decision certain.
  std::set<RestrictionSet> find_primes(Id label) const {
    std::set<RestrictionSet> certain, minimal;
    for (unsigned bits = 0; bits < 1u << restrictions.size(); bits++) {
      RestrictionSet set;
      for (int r = 0; r < static_cast<int>(restrictions.size()); r++)
        if ((bits >> r & 1) != 0) set.insert(r);
      if (!leaves_nothing(set) && is_certain(set, label)) certain.insert(set);
    }
    for (const RestrictionSet& set : certain) {
      const auto without = [&](int r) {
        RestrictionSet smaller = set;
        smaller.erase(r);
        return certain.count(smaller) > 0;
      };
      if (std::none_of(set.begin(), set.end(), without)) minimal.insert(set);
    }
    return minimal;
  }
};

struct Explained {
  std::vector<Restriction> restrictions;
  std::set<RestrictionSet> primes;
};

Explained explain(const Diagram& diagram, const ReasonQuery& query) {
  NoLimits limits;
  Reasons reasons(100000, limits);
  const Restrictions restrictions(diagram, query);
  Blocks blocks(diagram, query, restrictions, reasons);
  const Id function = blocks.make_reason();
  const Id nothing_left = query.instance.empty() ? blocks.make_nothing_left() : 0;
  const Id family = reasons.filter(reasons.primes(function), nothing_left);
  const BinaryDiagram arrays = extract(reasons.families(), family);
  return {restrictions.all(), list_sets(arrays, arrays.root)};
}

}  // namespace

TEST_CASE("the primes of a reason in sets are those found by trying every set of restrictions") {
  NoLimits limits;
  const Widths widths{2, 3, 3};
  for (unsigned seed = 0; seed < 30; seed++) {
    Store store(widths, limits);
    const Id root = make_root(store, random_table(widths, 2, seed));
    const Diagram diagram(store, root, 2);
    for (const Path& instance : {Path{}, Path{0, 0, 0}, Path{1, 2, 1}}) {
      ReasonQuery query;
      query.label = instance.empty() ? 1 : diagram.decide(instance);
      query.ordered = {0, 0, 0};
      query.instance = instance;
      const Explained found = explain(diagram, query);
      CHECK(found.primes == Brute{diagram, widths, found.restrictions}.find_primes(query.label));
    }
  }
}

TEST_CASE("the primes of a reason in values keep or free each variable") {
  NoLimits limits;
  const Widths widths{2, 3, 3};
  for (unsigned seed = 0; seed < 30; seed++) {
    Store store(widths, limits);
    const Id root = make_root(store, random_table(widths, 2, seed));
    const Diagram diagram(store, root, 2);
    ReasonQuery query;
    query.language = Language::kValues;
    query.ordered = {0, 0, 0};
    query.instance = {1, 0, 2};
    query.label = diagram.decide(query.instance);
    const Explained found = explain(diagram, query);
    CHECK(found.primes == Brute{diagram, widths, found.restrictions}.find_primes(query.label));
  }
}

TEST_CASE("an interval keeps the numbers around the instance that are safe") {
  NoLimits limits;
  // One variable with the numbers 0 to 5 and "missing"; true for 1, 2, 3 and 5.
  const Diagram diagram({{7, {0, 1, 1, 1, 0, 1, 0}}}, 0, 2);
  ReasonQuery query;
  query.language = Language::kIntervals;
  query.ordered = {6};
  query.instance = {2};
  query.label = 1;
  const Explained found = explain(diagram, query);
  REQUIRE(found.primes.size() == 1);
  std::set<int> excluded;
  for (const int r : *found.primes.begin())
    excluded.insert(found.restrictions[r].values.begin(), found.restrictions[r].values.end());
  CHECK(excluded == std::set<int>{0, 4, 5, 6});
}

TEST_CASE("contrasts are the minimal hitting sets of the primes") {
  NoLimits limits;
  const Widths widths{2, 2, 2};
  for (unsigned seed = 0; seed < 20; seed++) {
    Store store(widths, limits);
    const Id root = make_root(store, random_table(widths, 2, seed));
    const Diagram diagram(store, root, 2);
    ReasonQuery query;
    query.ordered = {0, 0, 0};
    query.instance = {0, 1, 0};
    query.label = diagram.decide(query.instance);
    const std::set<RestrictionSet> primes = explain(diagram, query).primes;
    query.contrast = true;
    for (const RestrictionSet& contrast : explain(diagram, query).primes)
      for (const RestrictionSet& prime : primes)
        CHECK(std::any_of(contrast.begin(), contrast.end(), [&](int r) { return prime.count(r) > 0; }));
  }
}

TEST_CASE("the dual of the dual is the function") {
  NoLimits limits;
  Reasons reasons(1000, limits);
  const Id x = reasons.node(0, 0, 1), y = reasons.node(1, 0, 1), z = reasons.node(2, 0, 1);
  const Id function = reasons.disjunction(reasons.conjunction(x, y), z);
  CHECK(reasons.dual(reasons.dual(function)) == function);
  CHECK(reasons.dual(function) == reasons.conjunction(reasons.disjunction(x, y), z));
}

TEST_CASE("reasons refuse to outgrow their cap") {
  NoLimits limits;
  Reasons reasons(3, limits);
  reasons.node(0, 0, 1);
  reasons.node(1, 0, 1);
  CHECK_THROWS_AS(reasons.node(2, 0, 1), CapReached);
}

}  // namespace primewood::diagram
