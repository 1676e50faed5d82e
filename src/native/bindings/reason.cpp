// The Python face of reasons: monotone functions of restrictions, and the families of their prime implicants.
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "bindings/checks.hpp"
#include "bindings/overrun.hpp"
#include "bindings/python.hpp"
#include "diagram/blocks.hpp"
#include "diagram/diagram.hpp"
#include "diagram/reasons.hpp"
#include "diagram/restrictions.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace primewood::bindings {

namespace {

using diagram::BinaryDiagram;
using diagram::Diagram;
using diagram::Id;
using diagram::Path;
using diagram::ReasonQuery;
using diagram::Restriction;

// The reason of a decision, and the family of its prime implicants when asked for.
class ReasonFunction {
 public:
  explicit ReasonFunction(std::size_t most_nodes) : reasons_(most_nodes, limits_) {}

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
    const auto work = [&] {
      const Id family = reasons_.filter(reasons_.primes(function_), nothing_left_);
      return diagram::extract(reasons_.families(), family);
    };
    return run(work, [&] { return reached(); });
  }

  Reached reached() const { return {reasons_.functions().size() + reasons_.families().size()}; }

 private:
  Limits limits_;
  diagram::Reasons reasons_;
  Id function_ = 0, nothing_left_ = 0;
  std::vector<Restriction> restrictions_;
};

void check_query(const Diagram& diagram, const ReasonQuery& query) {
  require(static_cast<int>(query.ordered.size()) == diagram.depth(), "a query has one number per level");
  for (int j = 0; j < diagram.depth(); j++)
    require(query.ordered[j] >= 0 && query.ordered[j] <= diagram.width(j), "a level has fewer values than are ordered");
  require(query.instance.empty() || diagram.contains(query.instance), "the instance is not one of the diagram");
}

OrOverrun<std::unique_ptr<ReasonFunction>> build_reason(const Diagram& diagram, const ReasonQuery& query,
                                                        std::size_t most_nodes, Seconds seconds) {
  check_query(diagram, query);
  auto reason = std::make_unique<ReasonFunction>(most_nodes);
  const auto work = [&] {
    reason->build(diagram, query, seconds);
    return std::move(reason);
  };
  return run(work, [&] { return reason->reached(); });
}

// An array inside a diagram, which lives as long as the array does.
template <std::vector<Id> BinaryDiagram::* member>
nb::ndarray<nb::numpy, const Id, nb::ndim<1>> view(const BinaryDiagram& nodes) {
  return {(nodes.*member).data(), {(nodes.*member).size()}};
}

}  // namespace

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
  nb::class_<ReasonFunction>(m, "ReasonFunction", "A monotone function of restrictions, and its prime implicants.")
      .def_prop_ro("restrictions", &ReasonFunction::restrictions)
      .def("function", &ReasonFunction::function)
      .def("primes", &ReasonFunction::primes, nb::kw_only(), "seconds"_a.none());
  m.def("build_reason", &build_reason, "diagram"_a, "query"_a, nb::kw_only(), "most_nodes"_a, "seconds"_a.none());
}

}  // namespace primewood::bindings
