// The Python face of the decision diagrams.
//
// What can outgrow a limit returns an `Overrun` instead of its result. Arguments are checked here, because what comes
// from Python may be anything; the core only asserts.
#include "bindings/python.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>
#include <variant>

#include "diagram/blocks.hpp"
#include "diagram/compiler.hpp"
#include "diagram/diagram.hpp"
#include "diagram/expressions.hpp"
#include "diagram/reasons.hpp"
#include "diagram/restrictions.hpp"
#include "search/workspaces.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace primewood::bindings {

namespace {

using diagram::BinaryDiagram;
using diagram::CapReached;
using diagram::CompileOptions;
using diagram::Compiler;
using diagram::Diagram;
using diagram::Id;
using diagram::OrderedDiagram;
using diagram::Path;
using diagram::Progress;
using diagram::ReasonQuery;
using diagram::Restriction;
using diagram::Stage;
using forest::Int;
using search::Workspaces;

using Seconds = std::optional<double>;
using Ids = nb::ndarray<nb::numpy, const Id, nb::ndim<1>>;
using IdTable = nb::ndarray<nb::numpy, Id, nb::ndim<2>>;
using GivenIdTable = nb::ndarray<const Id, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void require(bool condition, const char* message) {
  if (!condition) throw std::invalid_argument(message);
}

// ---- Limits

enum class Exceeded { kNodes, kTime };

// A run that outgrew a limit, and how far it got.
struct Overrun {
  Exceeded limit;
  std::size_t nodes;
  std::size_t states;
};

template <class Result>
using OrOverrun = std::variant<Result, Overrun>;

void start(Limits& limits, Seconds seconds, std::function<void()> poll = poll_signals) {
  limits.start({seconds.value_or(-1), -1}, std::move(poll));
}

// The result of some work without the GIL. `reached` says how far it got: a `Progress`.
template <class Work, class Reached>
auto run(const Work& work, const Reached& reached) -> OrOverrun<decltype(work())> {
  const auto overrun = [&](Exceeded limit) {
    const Progress progress = reached();
    return Overrun{limit, progress.nodes, progress.states};
  };
  const Unlocked unlocked;
  try {
    return work();
  } catch (const CapReached&) {
    return overrun(Exceeded::kNodes);
  } catch (const LimitReached&) {
    return overrun(Exceeded::kTime);
  }
}

Progress count_nodes(std::size_t nodes) {
  Progress progress;
  progress.nodes = nodes;
  return progress;
}

// ---- Diagrams

Diagram make_diagram(const std::vector<GivenIdTable>& tables, Id root, Id terminals) {
  std::vector<Diagram::Level> levels;
  for (const GivenIdTable& table : tables)
    levels.push_back({static_cast<int>(table.shape(1)), {table.data(), table.data() + table.size()}});
  Diagram made(std::move(levels), root, terminals);
  require(made.is_sound(), "the arrays are not a diagram");
  return made;
}

IdTable copy_level(const Diagram& diagram, int level) {
  require(level >= 0 && level < diagram.depth(), "the diagram has no such level");
  const Diagram::Level& from = diagram.level(level);
  auto copy = std::make_unique<std::vector<Id>>(from.entries);
  Id* data = copy->data();
  nb::capsule owner(copy.release(), [](void* p) noexcept { delete static_cast<std::vector<Id>*>(p); });
  return IdTable(data, {static_cast<std::size_t>(from.nodes()), static_cast<std::size_t>(from.width)}, owner);
}

Id decide(const Diagram& diagram, const Path& path) {
  require(diagram.contains(path), "the path is not one of the diagram");
  return diagram.decide(path);
}

std::optional<Path> find(const Diagram& diagram, const std::vector<std::vector<int>>& box, Id label, bool otherwise) {
  require(static_cast<int>(box.size()) == diagram.depth(), "a box allows values of every level");
  for (int j = 0; j < diagram.depth(); j++)
    for (int value : box[j]) require(value >= 0 && value < diagram.width(j), "a box allows a value that is not there");
  const Unlocked unlocked;
  return diagram.find(box, label, otherwise);
}

OrOverrun<OrderedDiagram> reorder(const OrderedDiagram& from, const std::vector<int>& order, std::size_t most_nodes) {
  require(std::is_permutation(order.begin(), order.end(), from.order.begin(), from.order.end()),
          "an order names every level once");
  Limits limits;
  start(limits, std::nullopt);
  return run([&] { return diagram::reorder(from, order, most_nodes, limits); }, [&] { return Progress{}; });
}

OrderedDiagram make_ordered(const Diagram& diagram, std::vector<int> order) {
  require(static_cast<int>(order.size()) == diagram.depth(), "an order names every level once");
  return {diagram, std::move(order)};
}

void bind_diagram(nb::module_& m) {
  m.attr("MOST_LEVELS") = diagram::kMostLevels;
  nb::class_<Diagram>(m, "Diagram", "A finished diagram: per level the children of its nodes; terminals below.")
      .def(
          "__init__",
          [](Diagram* self, const std::vector<GivenIdTable>& levels, Id root, Id terminals) {
            new (self) Diagram(make_diagram(levels, root, terminals));
          },
          "levels"_a, "root"_a, "terminals"_a)
      .def_prop_ro("root", &Diagram::root)
      .def_prop_ro("terminals", &Diagram::terminals)
      .def("level", &copy_level, "level"_a)
      .def("decide", &decide, "path"_a)
      .def("find", &find, "box"_a, "label"_a, "otherwise"_a);
  nb::class_<OrderedDiagram>(m, "OrderedDiagram", "A diagram and the variable of each of its levels.")
      .def(
          "__init__",
          [](OrderedDiagram* self, const Diagram& diagram, std::vector<int> order) {
            new (self) OrderedDiagram(make_ordered(diagram, std::move(order)));
          },
          "diagram"_a, "order"_a)
      .def_ro("diagram", &OrderedDiagram::diagram)
      .def_ro("order", &OrderedDiagram::order);
  m.def("reorder", &reorder, "diagram"_a, "order"_a, "most_nodes"_a);
}

// ---- Compiling

struct Compilation {
  OrderedDiagram found;
  Progress progress;
};

// Lets Ctrl-C through, and twice a second tells a watcher how far the compilation is.
std::function<void()> make_poll(nb::object watcher, const Compiler& compiler) {
  constexpr int kPollsPerCall = 12;
  return [watcher = std::move(watcher), &compiler, polls = 0]() mutable {
    poll_signals();
    if (watcher.is_none() || ++polls % kPollsPerCall != 0) return;
    const nb::gil_scoped_acquire gil;
    watcher(compiler.progress());
  };
}

OrOverrun<Compilation> compile(const Workspaces& workspaces, const CompileOptions& options, Seconds seconds,
                               nb::object watcher) {
  const forest::Forest& forest = workspaces.forest;
  require(forest.n_variables <= diagram::kMostLevels, "there are more variables than a diagram can have levels");
  std::vector<int> variables(forest.n_variables);
  std::iota(variables.begin(), variables.end(), 0);
  require(std::is_permutation(options.order.begin(), options.order.end(), variables.begin(), variables.end()),
          "an order names every variable once");
  Limits limits;
  Compiler compiler(forest, options, limits);
  start(limits, seconds, make_poll(std::move(watcher), compiler));
  const auto progress = [&] { return compiler.progress(); };
  return run(
      [&] {
        OrderedDiagram found = compiler.compile();
        return Compilation{std::move(found), progress()};
      },
      progress);
}

void bind_compiler(nb::module_& m) {
  nb::enum_<Stage>(m, "Stage", "What a compilation is at.")
      .value("ORDER", Stage::kOrder)
      .value("DECISION", Stage::kDecision)
      .value("SIFTING", Stage::kSifting);
  nb::class_<Progress>(m, "Progress", "How far a compilation is.")
      .def_ro("stage", &Progress::stage)
      .def_ro("nodes", &Progress::nodes)
      .def_ro("states", &Progress::states)
      .def_ro("settled", &Progress::settled)
      .def_ro("parts", &Progress::parts);
  nb::class_<CompileOptions>(m, "CompileOptions", "What a compilation starts with, and how much it may take.")
      .def(
          "__init__",
          [](CompileOptions* self, std::vector<int> order, bool find_order, std::size_t most_nodes,
             std::size_t most_states, double order_work, double final_work) {
            new (self) CompileOptions{std::move(order), find_order, most_nodes, most_states, order_work, final_work};
          },
          nb::kw_only(), "order"_a, "find_order"_a, "most_nodes"_a, "most_states"_a, "order_work"_a, "final_work"_a);
  nb::class_<Compilation>(m, "Compilation", "A diagram that was compiled, and what that took.")
      .def_ro("found", &Compilation::found)
      .def_ro("progress", &Compilation::progress);
  m.def("compile", &compile, "forest"_a, "options"_a, nb::kw_only(), "seconds"_a.none(), "watcher"_a.none());
}

// ---- Reasons

// The reason of a decision as a monotone function, and the family of its prime implicants when asked for.
class Reason {
 public:
  explicit Reason(std::size_t most_nodes) : reasons_(most_nodes, limits_) {}

  void build(const Diagram& diagram, const ReasonQuery& query, Seconds seconds) {
    start(limits_, seconds);
    const diagram::Restrictions restrictions(diagram, query);
    diagram::Blocks blocks(diagram, query, restrictions, reasons_);
    function_ = blocks.make_reason();
    nothing_left_ = query.instance.empty() ? blocks.make_nothing_left() : 0;
    restrictions_ = restrictions.all();
  }

  const std::vector<Restriction>& restrictions() const { return restrictions_; }
  BinaryDiagram function() const { return diagram::extract(reasons_.functions(), function_); }

  OrOverrun<BinaryDiagram> primes(Seconds seconds) {
    start(limits_, seconds);
    return run(
        [&] {
          const Id family = reasons_.filter(reasons_.primes(function_), nothing_left_);
          return diagram::extract(reasons_.families(), family);
        },
        [&] { return progress(); });
  }

  Progress progress() const { return count_nodes(reasons_.functions().size() + reasons_.families().size()); }

 private:
  Limits limits_;
  diagram::Reasons reasons_;
  Id function_ = 0, nothing_left_ = 0;
  std::vector<Restriction> restrictions_;
};

OrOverrun<std::unique_ptr<Reason>> build_reason(const Diagram& diagram, const ReasonQuery& query,
                                                std::size_t most_nodes, Seconds seconds) {
  require(static_cast<int>(query.ordered.size()) == diagram.depth(), "a query has one number per level");
  for (int j = 0; j < diagram.depth(); j++)
    require(query.ordered[j] >= 0 && query.ordered[j] <= diagram.width(j), "a level has fewer values than are ordered");
  require(query.instance.empty() || diagram.contains(query.instance), "the instance is not one of the diagram");
  auto reason = std::make_unique<Reason>(most_nodes);
  const auto build = [&] {
    reason->build(diagram, query, seconds);
    return std::move(reason);
  };
  return run(build, [&] { return reason->progress(); });
}

// An array inside a diagram, which lives as long as the array does.
template <std::vector<Id> BinaryDiagram::* member>
Ids view(const BinaryDiagram& nodes) {
  return Ids((nodes.*member).data(), {(nodes.*member).size()});
}

void bind_reasons(nb::module_& m) {
  m.attr("TERMINAL_VARIABLE") = diagram::kTerminalVariable;
  nb::class_<ReasonQuery>(m, "ReasonQuery", "Which reason is asked for: that of \"the terminal is this label\".")
      .def(
          "__init__",
          [](ReasonQuery* self, Id label, Language language, std::vector<int> ordered, Path instance, bool contrast) {
            new (self) ReasonQuery{label, language, std::move(ordered), std::move(instance), contrast};
          },
          nb::kw_only(), "label"_a, "language"_a, "ordered"_a, "instance"_a, "contrast"_a);
  nb::class_<Restriction>(m, "LevelRestriction", "Values of the variable at a level.")
      .def_ro("level", &Restriction::level)
      .def_ro("values", &Restriction::values);
  nb::class_<BinaryDiagram>(m, "BinaryDiagram", "Nodes as arrays, children first; the first two are the terminals.")
      .def_prop_ro("variable", &view<&BinaryDiagram::variable>, nb::rv_policy::reference_internal)
      .def_prop_ro("lo", &view<&BinaryDiagram::lo>, nb::rv_policy::reference_internal)
      .def_prop_ro("hi", &view<&BinaryDiagram::hi>, nb::rv_policy::reference_internal)
      .def_ro("root", &BinaryDiagram::root);
  nb::class_<Reason>(m, "ReasonFunction", "A monotone function of restrictions, and its prime implicants.")
      .def_prop_ro("restrictions", &Reason::restrictions)
      .def("function", &Reason::function)
      .def("primes", &Reason::primes, nb::kw_only(), "seconds"_a.none());
  m.def("build_reason", &build_reason, "diagram"_a, "query"_a, nb::kw_only(), "most_nodes"_a, "seconds"_a.none());
}

// ---- Expressions

// Expressions under construction, and the diagram of one of them in the end.
class Expressions {
 public:
  Expressions(std::vector<int> widths, std::size_t most_nodes, Seconds seconds)
      : expressions_(check_widths(std::move(widths)), most_nodes, limits_) {
    start(limits_, seconds);
  }

  OrOverrun<Id> constant(bool value) {
    return build([&] { return expressions_.constant(value); });
  }

  OrOverrun<Id> literal(int level, const std::vector<std::uint8_t>& allowed) {
    require(level >= 0 && level < store().depth(), "there is no such level");
    require(static_cast<int>(allowed.size()) == store().width(level), "a literal has one flag per value");
    return build([&] { return expressions_.literal(level, allowed); });
  }

  OrOverrun<Id> negation(Id a) {
    check_roots({a});
    return build([&] { return expressions_.negation(a); });
  }

  OrOverrun<Id> conjunction(Id a, Id b) {
    check_roots({a, b});
    return build([&] { return expressions_.conjunction(a, b); });
  }

  OrOverrun<Id> disjunction(Id a, Id b) {
    check_roots({a, b});
    return build([&] { return expressions_.disjunction(a, b); });
  }

  OrOverrun<Id> at_least(Int count, const std::vector<Id>& arguments) {
    check_roots(arguments);
    return build([&] { return expressions_.at_least(count, arguments); });
  }

  OrderedDiagram finish(Id root, std::vector<int> order, double work) {
    check_roots({root});
    require(static_cast<int>(order.size()) == store().depth(), "an order names every level once");
    const Unlocked unlocked;
    return expressions_.finish(root, std::move(order), work);
  }

 private:
  static std::vector<int> check_widths(std::vector<int> widths) {
    require(!widths.empty() && widths.size() <= diagram::kMostLevels, "a diagram has between 1 and 4096 levels");
    for (int width : widths) require(width > 0, "every variable has a value");
    return widths;
  }

  const diagram::Store& store() const { return expressions_.store(); }

  void check_roots(const std::vector<Id>& roots) const {
    for (Id root : roots) require(root >= 0 && root < store().nodes(0), "there is no such expression");
  }

  template <class Work>
  OrOverrun<Id> build(const Work& work) {
    return run(work, [&] { return count_nodes(store().size()); });
  }

  Limits limits_;
  diagram::Expressions expressions_;
};

void bind_expressions(nb::module_& m) {
  nb::class_<Expressions>(m, "Expressions", "Functions under construction; each is known by its number.")
      .def(nb::init<std::vector<int>, std::size_t, Seconds>(), "widths"_a, nb::kw_only(), "most_nodes"_a,
           "seconds"_a.none())
      .def("constant", &Expressions::constant, "value"_a)
      .def("literal", &Expressions::literal, "level"_a, "allowed"_a)
      .def("negation", &Expressions::negation, "argument"_a)
      .def("conjunction", &Expressions::conjunction, "left"_a, "right"_a)
      .def("disjunction", &Expressions::disjunction, "left"_a, "right"_a)
      .def("at_least", &Expressions::at_least, "count"_a, "arguments"_a)
      .def("finish", &Expressions::finish, "root"_a, "order"_a, nb::kw_only(), "work"_a);
}

}  // namespace

void bind_diagrams(nb::module_& m) {
  nb::enum_<Exceeded>(m, "Exceeded", "The limit that a run outgrew.")
      .value("NODES", Exceeded::kNodes)
      .value("TIME", Exceeded::kTime);
  nb::class_<Overrun>(m, "Overrun", "A run that outgrew a limit, and how far it got.")
      .def_ro("limit", &Overrun::limit)
      .def_ro("nodes", &Overrun::nodes)
      .def_ro("states", &Overrun::states);
  bind_diagram(m);
  bind_compiler(m);
  bind_reasons(m);
  bind_expressions(m);
}

}  // namespace primewood::bindings
