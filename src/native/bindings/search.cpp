// The Python face of the search engine: questions about one forest.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "bindings/answers.hpp"
#include "bindings/checks.hpp"
#include "bindings/python.hpp"
#include "search/grower.hpp"
#include "search/nearest.hpp"
#include "search/run.hpp"

namespace nb = nanobind;

namespace primewood::bindings {

using forest::Forest;
using namespace search;

namespace {

void check_question(const Forest& f, const Question& question) {
  check_class(f, question.label);
  if (question.target) check_class(f, *question.target);
}

bool answers(const Oracle& oracle, const std::vector<int>& point, const Question& question) {
  const Forest& f = oracle.forest;
  return f.possible(point.data()) && (f.any_order || oracle.answers(point, question));
}

// A point of a box that answers a question.
Found find(Workspaces& workspaces, const Array<std::uint8_t>& mask, const Question& question, Budget budget) {
  const Forest& f = workspaces.forest;
  require(int(mask.shape(0)) == f.atoms(), "the box has the wrong length");
  check_question(f, question);
  Found found;
  const Unlocked unlocked;
  auto oracle = workspaces.take();
  try {
    const Run run(*oracle, workspaces.options, budget, poll_signals);
    const bool exists = oracle->ask(mask.data(), question, {}, found.point);
    found.outcome = exists ? Outcome::kFound : Outcome::kNoneExists;
  } catch (const LimitReached&) {
    return {};
  }
  if (found.outcome == Outcome::kFound && !answers(*oracle, found.point, question))
    throw std::logic_error("what was found is not what was asked for");
  workspaces.give_back(std::move(oracle));
  return found;
}

// A point that answers a question, where values cost something and a point no more than `most` in sum. Costs are per
// atom; an infinite one forbids its value. `start` is a point that costs nothing.
Found find_within(Workspaces& workspaces, const std::vector<int>& start, const Array<double>& cost, double most,
                  const Question& question, Budget budget) {
  const Forest& f = workspaces.forest;
  check_point(f, start);
  require(int(cost.shape(0)) == f.atoms(), "the costs have the wrong length");
  check_question(f, question);
  const std::vector<double> of_atom = to_vector(cost);
  std::vector<std::uint8_t> mask(of_atom.size());
  for (std::size_t a = 0; a < of_atom.size(); a++) mask[a] = std::isfinite(of_atom[a]);
  for (int j = 0; j < f.n_variables; j++) require(of_atom[f.offset[j] + start[j]] == 0, "the start costs something");
  Found found;
  const Unlocked unlocked;
  auto oracle = workspaces.take();
  try {
    const Run run(*oracle, workspaces.options, budget, poll_signals);
    const bool exists = oracle->find_within(mask.data(), question, of_atom, most, start, found.point);
    found.outcome = exists ? Outcome::kFound : Outcome::kNoneExists;
  } catch (const LimitReached&) {
    return {};
  }
  if (found.outcome == Outcome::kFound && !answers(*oracle, found.point, question))
    throw std::logic_error("what was found is not what was asked for");
  workspaces.give_back(std::move(oracle));
  return found;
}

// What came out of growing, with the box packed and the queries counted.
struct GrownBox {
  Grown grown;
  std::string box;
  Counts counts;
};

// One bit per value, each variable in bytes of its own, the lowest value first.
std::string pack(const Forest& f, const std::vector<std::uint8_t>& box) {
  std::string bytes;
  for (int j = 0; j < f.n_variables; j++) {
    for (int v = 0; v < f.values(j); v++) {
      if (v % 8 == 0) bytes.push_back(0);
      if (box[f.offset[j] + v]) bytes.back() = char(bytes.back() | 1 << v % 8);
    }
  }
  return bytes;
}

void check_weakening(const Forest& f, const Weakening& weakening) {
  if (weakening.target) check_class(f, *weakening.target);
  const auto is_variable = [&](int j) { return j >= 0 && j < f.n_variables; };
  for (const auto& step : weakening.steps)
    for (const auto& [j, v] : step)
      require(is_variable(j) && v >= -1 && v < f.values(j), "a step names what is not there");
  for (int j : weakening.order) require(is_variable(j), "the order names what is not there");
  require(int(weakening.fixed.size()) == f.n_variables && int(weakening.nominal.size()) == f.n_variables,
          "one flag per variable");
}

// How far growing is.
struct Growth {
  GrownBox found;
  int done, total;
  std::int64_t nodes;
};

Growth report_growth(const Oracle& oracle, const Grower& grower) {
  GrownBox found{grower.so_far(), pack(oracle.forest, grower.so_far().box), oracle.counts};
  found.grown.interrupted = true;
  return {std::move(found), grower.steps_done(), grower.steps(), oracle.limits.visited()};
}

// The watcher is told five times a second how far it is.
GrownBox grow(Workspaces& workspaces, const std::vector<int>& point, const Weakening& weakening, Budget budget,
              const nb::object& watcher) {
  constexpr int kPollsPerCall = 5;
  const Forest& f = workspaces.forest;
  check_point(f, point);
  check_weakening(f, weakening);
  const Unlocked unlocked;
  auto oracle = workspaces.take();
  Grown grown;
  {
    Grower grower(*oracle, weakening, point);
    const auto report = [&] { return report_growth(*oracle, grower); };
    const Run run(*oracle, workspaces.options, budget, make_poll(watcher, kPollsPerCall, report));
    grown = grower.run();
  }
  GrownBox answer{std::move(grown), {}, oracle->counts};
  answer.box = pack(f, answer.grown.box);
  if (!answer.grown.interrupted) workspaces.give_back(std::move(oracle));
  return answer;
}

// The nearest point with another decision, or with the target. Costs are per atom; an infinite one forbids its value.
NearestAnswer find_nearest(Workspaces& workspaces, const std::vector<int>& instance, const Array<double>& cost,
                           Norm norm, std::optional<int> target, Budget budget) {
  const Forest& f = workspaces.forest;
  check_point(f, instance);
  require(int(cost.shape(0)) == f.atoms(), "the costs have the wrong length");
  if (target) check_class(f, *target);
  const Unlocked unlocked;
  auto oracle = workspaces.take();
  const Question question{f.decide(instance.data()), target};
  NearestAnswer answer;
  {
    const Run run(*oracle, workspaces.options, budget, poll_signals);
    answer = Nearest(*oracle, question, norm, instance, to_vector(cost)).run();
  }
  if (!answer.point.empty() && !answers(*oracle, answer.point, question))
    throw std::logic_error("what was found is not what was asked for");
  if (!answer.interrupted) workspaces.give_back(std::move(oracle));
  return answer;
}

Outcome outcome_of(const NearestAnswer& answer) {
  if (answer.interrupted) return Outcome::kInterrupted;
  return answer.point.empty() ? Outcome::kNoneExists : Outcome::kFound;
}

void bind_questions(nb::module_& m) {
  nb::class_<Question>(m, "Question")
      .def(nb::init<int, std::optional<int>>(), nb::arg("label"), nb::arg("target") = nb::none())
      .def_ro("label", &Question::label)
      .def_ro("target", &Question::target);
  nb::enum_<Norm>(m, "Norm").value("SUM", Norm::kSum).value("LARGEST", Norm::kLargest);
  nb::class_<Weakening>(m, "Weakening")
      .def(nb::init<>())
      .def_rw("steps", &Weakening::steps)
      .def_rw("order", &Weakening::order)
      .def_rw("fixed", &Weakening::fixed)
      .def_rw("nominal", &Weakening::nominal)
      .def_rw("language", &Weakening::language)
      .def_rw("target", &Weakening::target, nb::arg().none());
}

void bind_answers(nb::module_& m) {
  nb::class_<Counts>(m, "Counts")
      .def_ro("queries", &Counts::queries)
      .def_ro("bounded", &Counts::bounded)
      .def_ro("falsified", &Counts::falsified)
      .def_ro("searched", &Counts::searched)
      .def_ro("relaxed", &Counts::relaxed);
  nb::class_<GrownBox>(m, "Grown")
      .def_prop_ro("box", [](const GrownBox& g) { return nb::bytes(g.box.data(), g.box.size()); })
      .def_prop_ro("interrupted", [](const GrownBox& g) { return g.grown.interrupted; })
      .def_prop_ro(
          "blocked_by", [](const GrownBox& g) { return to_numpy(g.grown.blocked_by); }, nb::rv_policy::automatic)
      .def_prop_ro("witnesses", [](const GrownBox& g) { return g.grown.witnesses; })
      .def_ro("counts", &GrownBox::counts);
  nb::class_<Growth>(m, "Growth")
      .def_ro("found", &Growth::found)
      .def_ro("done", &Growth::done)
      .def_ro("total", &Growth::total)
      .def_ro("nodes", &Growth::nodes);
  nb::class_<NearestAnswer>(m, "Nearest")
      .def_prop_ro("outcome", &outcome_of)
      .def_prop_ro("point", [](const NearestAnswer& n) { return to_tuple(n.point); })
      .def_ro("cost", &NearestAnswer::upper)
      .def_ro("lower", &NearestAnswer::lower);
}

}  // namespace

void bind_search(nb::module_& m, ForestClass& forest) {
  bind_questions(m);
  bind_answers(m);
  forest.def("find", &find, nb::arg("mask"), nb::arg("question"), nb::arg("budget"))
      .def("grow", &grow, nb::arg("point"), nb::arg("weakening"), nb::arg("budget"), nb::arg("watcher") = nb::none())
      .def("find_within", &find_within, nb::arg("start"), nb::arg("cost"), nb::arg("most"), nb::arg("question"),
           nb::arg("budget"))
      .def("nearest", &find_nearest, nb::arg("instance"), nb::arg("cost"), nb::arg("norm"), nb::arg("target").none(),
           nb::arg("budget"));
}

}  // namespace primewood::bindings
