// The Python face of the decision diagrams.
#include "bindings/python.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "diagram/blocks.hpp"
#include "diagram/compiler.hpp"
#include "diagram/expressions.hpp"
#include "search/workspaces.hpp"

namespace nb = nanobind;

namespace primewood::bindings {

using namespace diagram;
using search::Workspaces;

namespace {

using Rows = nb::ndarray<nb::numpy, std::int32_t>;

Rows numpy_of(std::vector<Id> values, std::size_t columns = 0) {
  auto* kept = new std::vector<Id>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<Id>*>(p); });
  if (columns == 0) return Rows(kept->data(), {kept->size()}, owner);
  return Rows(kept->data(), {kept->size() / columns, columns}, owner);
}

// Ctrl-C, and a word to whoever watches, twice a second.
std::function<void()> watched(nb::object watcher, Progress& progress) {
  return [watcher, &progress, calls = 0]() mutable {
    wait_if_python_ends();
    nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (watcher.is_none() || ++calls % 12 != 0) return;
    progress.update();
    watcher(progress.stage, progress.nodes, progress.parts);
  };
}

// A diagram and the variables of its levels, or how far the compilation got before a cap or the deadline.
nb::object compile(Workspaces& forest, std::vector<int> order, bool find_order, std::size_t nodes, std::size_t states,
                   double order_work, double final_work, double seconds, nb::object watcher, Progress& progress) {
  Limits limits;
  limits.start(seconds, -1, watched(watcher, progress));
  Compiler compiler(forest.forest, std::move(order), Caps{nodes, states, order_work, final_work}, limits, progress);
  std::unique_ptr<Plain> found;
  {
    Unlocked unlocked;
    try {
      if (find_order) compiler.find_order();
      found = std::make_unique<Plain>(compiler.compile());
    } catch (const CapReached&) {
      progress.stage = "cap";
    } catch (const LimitReached&) {
      progress.stage = "time";
    }
  }
  if (!found) return nb::none();
  return nb::make_tuple(nb::cast(found.release(), nb::rv_policy::take_ownership), compiler.order());
}

Plain* make_diagram(const std::vector<nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig>>& rows, Id root,
                    Id terminals) {
  auto found = std::make_unique<Plain>();
  for (const auto& level : rows) {
    found->width.push_back(int(level.shape(1)));
    found->rows.emplace_back(level.data(), level.data() + level.size());
  }
  found->root = root;
  found->terminals = terminals;
  found->check();
  return found.release();
}

// The same function with its levels in another order; None if that outgrows the cap.
nb::object reordered(const Plain& d, std::vector<int> order, const std::vector<int>& wanted, std::size_t nodes) {
  if (order.size() != wanted.size() || !std::is_permutation(order.begin(), order.end(), wanted.begin()) ||
      int(order.size()) != d.depth())
    throw std::invalid_argument("an order names every level once");
  Limits limits;
  limits.start(-1, -1, poll_signals);
  std::unique_ptr<Plain> found;
  {
    Unlocked unlocked;
    Store store(d.width, limits);
    for (int j = 0; j < d.depth(); j++)
      for (Id i = 0; i < d.nodes(j); i++)
        if (store.intern(j, d.row(j, i)) != i) throw std::invalid_argument("a node occurs twice");
    bool fits = true;
    for (std::size_t to = 0; to < wanted.size() && fits; to++) {
      std::size_t at = std::find(order.begin(), order.end(), wanted[to]) - order.begin();
      for (; at > to && fits; at--) {
        fits = store.swap(int(at) - 1, nodes) && store.size() <= nodes;
        std::swap(order[at - 1], order[at]);
      }
    }
    if (fits) found = std::make_unique<Plain>(Plain::of(store, d.root, d.terminals));
  }
  return found ? nb::cast(found.release(), nb::rv_policy::take_ownership) : nb::object(nb::none());
}

void check_point(const Plain& d, const std::vector<int>& point) {
  bool sound = int(point.size()) == d.depth();
  for (int j = 0; j < d.depth() && sound; j++) sound = point[j] >= 0 && point[j] < d.width[j];
  if (!sound) throw std::invalid_argument("the point is not there");
}

nb::object find(const Plain& d, const std::vector<std::vector<int>>& box, Id label, bool otherwise) {
  if (int(box.size()) != d.depth()) throw std::invalid_argument("the box has the wrong length");
  for (int j = 0; j < d.depth(); j++)
    for (int v : box[j])
      if (v < 0 || v >= d.width[j]) throw std::invalid_argument("the box names what is not there");
  std::vector<int> point;
  bool found;
  {
    Unlocked unlocked;
    found = d.find(box, label, otherwise, point);
  }
  return found ? nb::object(nb::tuple(nb::cast(point))) : nb::object(nb::none());
}

// The nodes that a root reaches as arrays, children before parents: variable, lo, hi. The root comes last.
nb::tuple exported(const Pairs& pairs, Id root) {
  std::vector<Id> reached, stack{root}, place(pairs.size(), -1);
  place[0] = 0, place[1] = 1;
  while (!stack.empty()) {
    const Id i = stack.back();
    stack.pop_back();
    if (place[i] >= 0) continue;
    place[i] = 2;
    reached.push_back(i);
    stack.push_back(pairs[i].lo);
    stack.push_back(pairs[i].hi);
  }
  std::sort(reached.begin(), reached.end(), [&](Id a, Id b) {
    return pairs[a].variable != pairs[b].variable ? pairs[a].variable > pairs[b].variable : a < b;
  });
  std::vector<Id> variable{Pairs::kTerminal, Pairs::kTerminal}, lo{0, 1}, hi{0, 1};
  for (std::size_t n = 0; n < reached.size(); n++) place[reached[n]] = Id(n) + 2;
  for (Id i : reached) {
    variable.push_back(pairs[i].variable);
    lo.push_back(place[pairs[i].lo]);
    hi.push_back(place[pairs[i].hi]);
  }
  return nb::make_tuple(numpy_of(std::move(variable)), numpy_of(std::move(lo)), numpy_of(std::move(hi)), place[root]);
}

// The reason of a decision as a monotone function, and the family of its prime implicants when asked for.
class Reason {
 public:
  Reason(const Plain& d, const std::vector<int>& ordered, int language, const std::vector<int>& point, Id label,
         bool contrast, std::size_t nodes, double seconds)
      : reasons_(nodes, limits_) {
    if (int(ordered.size()) != d.depth()) throw std::invalid_argument("one number per level");
    if (!point.empty()) check_point(d, point);
    Blocks blocks(d, ordered, static_cast<diagram::Language>(language), point, contrast, reasons_);
    begin(seconds);
    run([&] {
      function_ = blocks.reason(label);
      nothing_left_ = point.empty() ? blocks.nothing_left() : 0;
    });
    restrictions_ = std::move(blocks.restrictions);
  }

  nb::tuple function() const { return exported(reasons_.functions, function_); }

  nb::tuple primes(double seconds) {
    begin(seconds);
    Id family = 0;
    run([&] { family = reasons_.filter(reasons_.primes(function_), nothing_left_); });
    return exported(reasons_.families, family);
  }

  std::vector<std::pair<int, std::vector<int>>> restrictions() const {
    std::vector<std::pair<int, std::vector<int>>> found;
    for (const diagram::Restriction& r : restrictions_) found.emplace_back(r.level, r.excludes);
    return found;
  }

  std::size_t nodes() const { return reasons_.functions.size() + reasons_.families.size(); }

 private:
  void begin(double seconds) { limits_.start(seconds, -1, poll_signals); }

  template <class Work>
  void run(Work&& work) {
    bool capped = false, late = false;
    {
      Unlocked unlocked;
      try {
        work();
      } catch (const CapReached&) {
        capped = true;
      } catch (const LimitReached&) {
        late = true;
      }
    }
    if (capped || late) {
      const std::string what = (late ? "time " : "nodes ") + std::to_string(nodes());
      PyErr_SetString(PyExc_MemoryError, what.c_str());
      throw nb::python_error();
    }
  }

  Limits limits_;
  Reasons reasons_;
  Id function_ = 0, nothing_left_ = 0;
  std::vector<diagram::Restriction> restrictions_;
};

// Expressions under construction, and the diagram of one of them in the end.
class Builder {
 public:
  Builder(std::vector<int> width, std::size_t nodes, double seconds) : expressions_(width, nodes, limits_) {
    limits_.start(seconds, -1, poll_signals);
  }

  template <class Work>
  std::optional<Id> run(Work&& work) {
    Unlocked unlocked;
    try {
      return work(expressions_);
    } catch (const CapReached&) {
      return std::nullopt;
    } catch (const LimitReached&) {
      return std::nullopt;
    }
  }

  std::size_t size() { return expressions_.store().size(); }

  nb::tuple finish(Id root, std::vector<int> order, double work) {
    Store& store = expressions_.store();
    std::vector<Id> roots{root};
    auto found = std::make_unique<Plain>();
    {
      Unlocked unlocked;
      store.trim(roots);
      store.allow(SIZE_MAX);
      try {
        Sifting(store, order, work).run();
      } catch (const LimitReached&) {
        // Right as it is, only not as small as it could be.
      }
      *found = Plain::of(store, roots[0], 2);
    }
    return nb::make_tuple(nb::cast(found.release(), nb::rv_policy::take_ownership), order);
  }

 private:
  Limits limits_;
  Expressions expressions_;
};

}  // namespace

void bind_diagrams(nb::module_& m) {
  nb::class_<Progress>(m, "Progress")
      .def(nb::init<>())
      .def_ro("stage", &Progress::stage)
      .def_ro("nodes", &Progress::nodes)
      .def_ro("states", &Progress::states)
      .def_ro("settled", &Progress::settled)
      .def_ro("parts", &Progress::parts);
  nb::class_<Plain>(m, "Diagram")
      .def_ro("root", &Plain::root)
      .def_ro("terminals", &Plain::terminals)
      .def("level", [](const Plain& d, int j) { return numpy_of(d.rows.at(j), d.width[j]); })
      .def("decide",
           [](const Plain& d, const std::vector<int>& point) {
             check_point(d, point);
             return d.decide(point);
           })
      .def("find", &find);
  nb::class_<Reason>(m, "Reason")
      .def(nb::init<const Plain&, const std::vector<int>&, int, const std::vector<int>&, Id, bool, std::size_t,
                    double>())
      .def_prop_ro("restrictions", &Reason::restrictions)
      .def("function", &Reason::function)
      .def("primes", &Reason::primes);
  nb::class_<Builder>(m, "Expressions")
      .def(nb::init<std::vector<int>, std::size_t, double>())
      .def_prop_ro("size", &Builder::size)
      .def("constant", [](Builder& b, bool x) { return b.run([&](Expressions& e) { return e.constant(x); }); })
      .def("literal",
           [](Builder& b, int level, const std::vector<std::uint8_t>& allowed) {
             return b.run([&](Expressions& e) { return e.literal(level, allowed); });
           })
      .def("negation", [](Builder& b, Id a) { return b.run([&](Expressions& e) { return e.negation(a); }); })
      .def("conjunction",
           [](Builder& b, Id x, Id y) { return b.run([&](Expressions& e) { return e.conjunction(x, y); }); })
      .def("disjunction",
           [](Builder& b, Id x, Id y) { return b.run([&](Expressions& e) { return e.disjunction(x, y); }); })
      .def("at_least",
           [](Builder& b, Int count, const std::vector<Id>& arguments) {
             return b.run([&](Expressions& e) { return e.at_least(count, arguments); });
           })
      .def("finish", &Builder::finish);
  m.def("compile", &compile, nb::arg("forest"), nb::arg("order"), nb::arg("find_order"), nb::arg("nodes"),
        nb::arg("states"), nb::arg("order_work"), nb::arg("final_work"), nb::arg("seconds"), nb::arg("watcher").none(),
        nb::arg("progress"));
  m.def("make_diagram", &make_diagram);
  m.def("reordered", &reordered);
}

}  // namespace primewood::bindings
