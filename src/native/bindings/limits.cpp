// The Python face of what a run may take, how it ends, and how much was done.
#include "limits.hpp"

#include "bindings/answers.hpp"
#include "bindings/python.hpp"
#include "search/run.hpp"

namespace nb = nanobind;

namespace primewood::bindings {

namespace {

struct WorkReading {
  std::int64_t runs, queries, nodes;
};

WorkReading read_work() {
  const search::WorkDone& work = search::WorkDone::of_this_process();
  return {work.runs.load(), work.queries.load(), work.nodes.load()};
}

}  // namespace

void bind_limits(nb::module_& m) {
  nb::class_<Budget>(m, "Budget")
      .def(nb::init<double, std::int64_t, int>(), nb::arg("seconds") = -1.0, nb::arg("nodes") = -1,
           nb::arg("threads") = 1)
      .def_ro("seconds", &Budget::seconds)
      .def_ro("nodes", &Budget::nodes)
      .def_ro("threads", &Budget::threads);
  nb::enum_<Outcome>(m, "Outcome")
      .value("FOUND", Outcome::kFound)
      .value("NONE_EXISTS", Outcome::kNoneExists)
      .value("INTERRUPTED", Outcome::kInterrupted);
  nb::class_<Found>(m, "Found").def_ro("outcome", &Found::outcome).def_prop_ro("point", [](const Found& found) {
    return to_tuple(found.point);
  });
  nb::class_<WorkReading>(m, "WorkDone")
      .def_ro("runs", &WorkReading::runs)
      .def_ro("queries", &WorkReading::queries)
      .def_ro("nodes", &WorkReading::nodes);
  m.def("work_done", &read_work);
}

}  // namespace primewood::bindings
