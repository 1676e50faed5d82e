// The Python face of finished diagrams. Arguments are checked here, because what comes from Python may be anything; the
// core only asserts.
#include "diagram/diagram.hpp"

#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>

#include "bindings/checks.hpp"
#include "bindings/overrun.hpp"
#include "bindings/python.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace primewood::bindings {

namespace {

using diagram::Diagram;
using diagram::Id;
using diagram::OrderedDiagram;
using diagram::Path;

using OwnTable = nb::ndarray<nb::numpy, Id, nb::ndim<2>>;
using GivenTable = nb::ndarray<const Id, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

Diagram make_diagram(const std::vector<GivenTable>& tables, Id root, Id terminals) {
  std::vector<Diagram::Level> levels;
  for (const GivenTable& table : tables)
    levels.push_back({static_cast<int>(table.shape(1)), {table.data(), table.data() + table.size()}});
  Diagram made(std::move(levels), root, terminals);
  require(made.is_sound(), "the arrays are not a diagram");
  return made;
}

OwnTable copy_level(const Diagram& diagram, int level) {
  require(level >= 0 && level < diagram.depth(), "the diagram has no such level");
  const Diagram::Level& from = diagram.level(level);
  auto copy = std::make_unique<std::vector<Id>>(from.entries);
  Id* data = copy->data();
  nb::capsule owner(copy.release(), [](void* p) noexcept { delete static_cast<std::vector<Id>*>(p); });
  return OwnTable(data, {static_cast<std::size_t>(from.nodes()), static_cast<std::size_t>(from.width)}, owner);
}

Id decide(const Diagram& diagram, const Path& path) {
  require(diagram.contains(path), "the path is not one of the diagram");
  return diagram.decide(path);
}

std::optional<Path> find(const Diagram& diagram, const std::vector<std::vector<int>>& box, Id label, bool otherwise) {
  require(static_cast<int>(box.size()) == diagram.depth(), "a box allows values of every level");
  for (int j = 0; j < diagram.depth(); j++)
    for (const int value : box[j])
      require(value >= 0 && value < diagram.width(j), "a box allows a value that is not there");
  const Unlocked unlocked;
  return diagram.find(box, label, otherwise);
}

OrderedDiagram make_ordered(const Diagram& diagram, std::vector<int> order) {
  require(static_cast<int>(order.size()) == diagram.depth(), "an order names every level once");
  return {diagram, std::move(order)};
}

OrOverrun<OrderedDiagram> reorder(const OrderedDiagram& from, const std::vector<int>& order, std::size_t most_nodes) {
  require(std::is_permutation(order.begin(), order.end(), from.order.begin(), from.order.end()),
          "an order names every level once");
  Limits limits;
  start(limits, std::nullopt);
  return run([&] { return diagram::reorder(from, order, most_nodes, limits); }, [] { return Reached{}; });
}

}  // namespace

void bind_overruns(nb::module_& m) {
  nb::enum_<Exceeded>(m, "Exceeded", "The limit that a run outgrew.")
      .value("NODES", Exceeded::kNodes)
      .value("TIME", Exceeded::kTime);
  nb::class_<Overrun>(m, "Overrun", "A run that outgrew a limit, and how far it got.")
      .def_ro("limit", &Overrun::limit)
      .def_prop_ro("nodes", [](const Overrun& overrun) { return overrun.reached.nodes; })
      .def_prop_ro("states", [](const Overrun& overrun) { return overrun.reached.states; });
}

void bind_diagrams(nb::module_& m) {
  m.attr("MOST_LEVELS") = diagram::kMostLevels;
  nb::class_<Diagram>(m, "Diagram", "A finished diagram: per level the children of its nodes; terminals below.")
      .def(
          "__init__",
          [](Diagram* self, const std::vector<GivenTable>& levels, Id root, Id terminals) {
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

}  // namespace primewood::bindings
