// The Python face of the forest, and of the arrays that it is made of.
#include "forest/forest.hpp"

#include <nanobind/stl/vector.h>

#include "bindings/checks.hpp"
#include "bindings/python.hpp"

namespace nb = nanobind;

namespace primewood::bindings {

using forest::Forest;
using forest::TreeArrays;
using forest::VariableArrays;
using forest::VoteArrays;
using search::SearchOptions;
using search::Workspaces;

namespace {

// A field that is an array of numpy in Python.
template <class Record, class T>
void bind_array(nb::class_<Record>& record, const char* name, std::vector<T> Record::* field) {
  record.def_prop_rw(
      name, [field](const Record& r) { return to_numpy(r.*field); },
      [field](Record& r, const Array<T>& values) { r.*field = to_vector(values); },
      nb::for_getter(nb::rv_policy::automatic));
}

void bind_variables(nb::module_& m) {
  nb::class_<VariableArrays> variables(m, "VariableArrays");
  variables.def(nb::init<>());
  bind_array(variables, "ordered", &VariableArrays::ordered);
  bind_array(variables, "has_missing", &VariableArrays::has_missing);
}

void bind_trees(nb::module_& m) {
  nb::class_<TreeArrays> trees(m, "TreeArrays");
  trees.def(nb::init<>()).def_rw("n_rules", &TreeArrays::n_rules);
  bind_array(trees, "root", &TreeArrays::root);
  bind_array(trees, "variable", &TreeArrays::variable);
  bind_array(trees, "prefix", &TreeArrays::prefix);
  bind_array(trees, "left", &TreeArrays::left);
  bind_array(trees, "right", &TreeArrays::right);
  bind_array(trees, "missing_left", &TreeArrays::missing_left);
  bind_array(trees, "forbidden", &TreeArrays::forbidden);
}

void bind_vote(nb::module_& m) {
  nb::class_<VoteArrays> vote(m, "VoteArrays");
  vote.def(nb::init<>())
      .def_rw("n_classes", &VoteArrays::n_classes)
      .def_rw("band", &VoteArrays::band)
      .def_rw("any_order", &VoteArrays::any_order)
      .def_rw("divisor", &VoteArrays::divisor)
      .def_rw("single", &VoteArrays::single)
      .def_rw("link", &VoteArrays::link);
  bind_array(vote, "weight", &VoteArrays::weight);
  bind_array(vote, "value", &VoteArrays::value);
  bind_array(vote, "exact", &VoteArrays::exact);
  bind_array(vote, "group_size", &VoteArrays::group_size);
  bind_array(vote, "group_weight", &VoteArrays::group_weight);
  bind_array(vote, "start", &VoteArrays::start);
  bind_array(vote, "cuts", &VoteArrays::cuts);
}

bool possible(const Workspaces& workspaces, const std::vector<int>& point) {
  check_point(workspaces.forest, point);
  return workspaces.forest.possible(point.data());
}

int decide(const Workspaces& workspaces, const std::vector<int>& point) {
  check_point(workspaces.forest, point);
  return workspaces.forest.decide(point.data());
}

using Points = nb::ndarray<const int, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// The decisions at many points, one per row.
nb::ndarray<nb::numpy, int> decide_all(const Workspaces& workspaces, const Points& points) {
  const Forest& forest = workspaces.forest;
  const std::size_t width = points.shape(1);
  std::vector<int> decided(points.shape(0));
  std::vector<int> point(width);
  for (std::size_t i = 0; i < decided.size(); i++) {
    point.assign(points.data() + i * width, points.data() + (i + 1) * width);
    check_point(forest, point);
  }
  {
    nb::gil_scoped_release released;
    for (std::size_t i = 0; i < decided.size(); i++) decided[i] = forest.decide(points.data() + i * width);
  }
  return to_numpy(std::move(decided));
}

// The same forest, whose sums are taken in the order of the trees.
Workspaces* sum_in_sequence(const Workspaces& workspaces) {
  Forest f = workspaces.forest;
  f.any_order = false;
  return new Workspaces(std::move(f));
}

}  // namespace

ForestClass bind_forest(nb::module_& m) {
  bind_variables(m);
  bind_trees(m);
  bind_vote(m);
  nb::class_<SearchOptions>(m, "SearchOptions")
      .def(nb::init<>())
      .def_rw("patience", &SearchOptions::patience)
      .def_rw("local_search", &SearchOptions::local_search)
      .def_prop_rw(
          "probe", [](const SearchOptions& options) { return options.probe.nodes; },
          [](SearchOptions& options, long nodes) { options.probe.nodes = nodes; })
      .def_rw("alone", &SearchOptions::alone)
      .def_rw("few", &SearchOptions::few);
  ForestClass bound(m, "Forest");
  bound
      .def(
          "__init__",
          [](Workspaces* self, const VariableArrays& variables, const TreeArrays& trees, const VoteArrays& vote) {
            new (self) Workspaces(Forest(variables, trees, vote));
          },
          nb::arg("variables"), nb::arg("trees"), nb::arg("vote"))
      .def_prop_ro("atoms", [](const Workspaces& w) { return w.forest.atoms(); })
      .def_rw("options", &Workspaces::options)
      .def("possible", &possible, nb::arg("point"))
      .def("decide", &decide, nb::arg("point"))
      .def("decide_all", &decide_all, nb::arg("points"))
      .def("sum_in_sequence", &sum_in_sequence);
  return bound;
}

}  // namespace primewood::bindings
