// The Python face of expressions under construction.
#include "diagram/expressions.hpp"

#include <nanobind/stl/vector.h>

#include "bindings/checks.hpp"
#include "bindings/overrun.hpp"
#include "bindings/python.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace primewood::bindings {

namespace {

using diagram::Id;
using diagram::OrderedDiagram;
using forest::Int;

// Expressions and their limits; the diagram of one of them in the end.
class LimitedExpressions {
 public:
  LimitedExpressions(std::vector<int> widths, std::size_t most_nodes, Seconds seconds)
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

  OrOverrun<Id> negation(Id argument) {
    check_roots({argument});
    return build([&] { return expressions_.negation(argument); });
  }

  OrOverrun<Id> conjunction(Id left, Id right) {
    check_roots({left, right});
    return build([&] { return expressions_.conjunction(left, right); });
  }

  OrOverrun<Id> disjunction(Id left, Id right) {
    check_roots({left, right});
    return build([&] { return expressions_.disjunction(left, right); });
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
    require(!widths.empty(), "a diagram needs levels: there are no variables");
    require(widths.size() <= diagram::kMostLevels, "there are more variables than a diagram can have levels");
    for (const int width : widths) require(width > 0, "every variable has a value");
    return widths;
  }

  const diagram::Store& store() const { return expressions_.store(); }

  void check_roots(const std::vector<Id>& roots) const {
    for (const Id root : roots) require(root >= 0 && root < store().nodes(0), "there is no such expression");
  }

  template <class Work>
  OrOverrun<Id> build(const Work& work) {
    return run(work, [&] { return Reached{store().size()}; });
  }

  Limits limits_;
  diagram::Expressions expressions_;
};

}  // namespace

void bind_expressions(nb::module_& m) {
  nb::class_<LimitedExpressions>(m, "Expressions", "Functions under construction; each is known by its number.")
      .def(nb::init<std::vector<int>, std::size_t, Seconds>(), "widths"_a, nb::kw_only(), "most_nodes"_a,
           "seconds"_a.none())
      .def("constant", &LimitedExpressions::constant, "value"_a)
      .def("literal", &LimitedExpressions::literal, "level"_a, "allowed"_a)
      .def("negation", &LimitedExpressions::negation, "argument"_a)
      .def("conjunction", &LimitedExpressions::conjunction, "left"_a, "right"_a)
      .def("disjunction", &LimitedExpressions::disjunction, "left"_a, "right"_a)
      .def("at_least", &LimitedExpressions::at_least, "count"_a, "arguments"_a)
      .def("finish", &LimitedExpressions::finish, "root"_a, "order"_a, nb::kw_only(), "work"_a);
}

}  // namespace primewood::bindings
