// The Python face of compiling a forest.
#include "diagram/compiler.hpp"

#include <nanobind/stl/vector.h>

#include <algorithm>
#include <numeric>

#include "bindings/checks.hpp"
#include "bindings/overrun.hpp"
#include "bindings/python.hpp"
#include "search/workspaces.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace primewood::bindings {

namespace {

using diagram::CompileOptions;
using diagram::Compiler;
using diagram::OrderedDiagram;
using diagram::Progress;
using diagram::Stage;
using forest::Forest;

struct Compilation {
  OrderedDiagram found;
  Progress progress;
};

void check_order(const Forest& forest, const std::vector<int>& order) {
  require(forest.n_variables <= diagram::kMostLevels, "there are more variables than a diagram can have levels");
  std::vector<int> variables(forest.n_variables);
  std::iota(variables.begin(), variables.end(), 0);
  require(std::is_permutation(order.begin(), order.end(), variables.begin(), variables.end()),
          "an order names every variable once");
}

// The watcher is told twice a second how far the compilation is.
OrOverrun<Compilation> compile(const search::Workspaces& workspaces, const CompileOptions& options, Seconds seconds,
                               const nb::object& watcher) {
  constexpr int kPollsPerCall = 12;
  check_order(workspaces.forest, options.order);
  Limits limits;
  Compiler compiler(workspaces.forest, options, limits);
  start(limits, seconds, make_poll(watcher, kPollsPerCall, [&] { return compiler.progress(); }));
  const auto work = [&] {
    OrderedDiagram found = compiler.compile();
    return Compilation{std::move(found), compiler.progress()};
  };
  return run(work, [&] { return Reached{compiler.progress().nodes, compiler.progress().states}; });
}

}  // namespace

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

}  // namespace primewood::bindings
