// The Python face of the search engine.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>

#include "bindings/python.hpp"
#include "search/grower.hpp"
#include "search/joint.hpp"
#include "search/nearest.hpp"
#include "search/run.hpp"
#include "search/workspaces.hpp"

namespace nb = nanobind;

namespace primewood::bindings {

using namespace search;
using forest::Link;

namespace {

Workspaces* make_forest(int n_classes, Array<std::int32_t> ordered, Array<std::uint8_t> has_missing,
                        Array<std::int32_t> root, Array<std::int32_t> variable, Array<std::int32_t> prefix,
                        Array<std::int32_t> left, Array<std::int32_t> right, Array<std::uint8_t> missing_left,
                        Array<std::int64_t> weight, Array<double> value, Array<std::uint8_t> exact, std::int64_t band,
                        bool any_order, Array<std::int32_t> group_size, Array<double> group_weight, double divisor,
                        Array<double> start, bool single, int link, Array<double> cuts, int n_rules,
                        Array<std::uint8_t> forbidden) {
  Forest f;
  f.n_rules = n_rules;
  f.n_trees = int(root.shape(0)) - n_rules;
  f.forbidden = copied<std::uint8_t, std::uint8_t>(forbidden);
  f.n_variables = int(ordered.shape(0));
  f.n_classes = n_classes;
  f.ordered = copied<std::int32_t, int>(ordered);
  f.has_missing = copied<std::uint8_t, std::uint8_t>(has_missing);
  f.root = copied<std::int32_t, int>(root);
  f.variable = copied<std::int32_t, int>(variable);
  f.prefix = copied<std::int32_t, int>(prefix);
  f.left = copied<std::int32_t, int>(left);
  f.right = copied<std::int32_t, int>(right);
  f.missing_left = copied<std::uint8_t, std::uint8_t>(missing_left);
  f.weight = copied<std::int64_t, Int>(weight);
  f.value = copied<double, double>(value);
  f.exact = copied<std::uint8_t, std::uint8_t>(exact);
  f.band = band;
  f.any_order = any_order;
  f.group_size = copied<std::int32_t, int>(group_size);
  f.group_weight = copied<double, double>(group_weight);
  f.divisor = divisor;
  f.start = copied<double, double>(start);
  f.n_outputs = int(f.start.size());
  f.single = single;
  f.link = static_cast<Link>(link);
  f.cuts = copied<double, double>(cuts);
  f.finish();
  return new Workspaces(std::move(f));
}

// The same forest, whose sums are taken in the order of the trees.
Workspaces* in_sequence(const Workspaces& workspaces) {
  Forest f = workspaces.forest;
  f.any_order = false;
  return new Workspaces(std::move(f));
}

void check_point(const Forest& f, const std::vector<int>& point) {
  if (int(point.size()) != f.n_variables) throw std::invalid_argument("the point has the wrong length");
  for (int j = 0; j < f.n_variables; j++)
    if (point[j] < 0 || point[j] >= f.values(j)) throw std::invalid_argument("the point is not there");
}

// A point of a box that is decided for the label, or, if `otherwise`, one that is not; False if there is none,
// None at a limit.
nb::object find(Workspaces& workspaces, Array<std::uint8_t> mask, int label, bool otherwise, double seconds,
                std::int64_t nodes) {
  const Forest& f = workspaces.forest;
  if (int(mask.shape(0)) != f.atoms()) throw std::invalid_argument("the box has the wrong length");
  if (label < 0 || label >= f.n_classes) throw std::invalid_argument("there is no such class");
  std::vector<int> point;
  bool found = false, finished = true;
  {
    Unlocked unlocked;
    auto oracle = workspaces.take();
    try {
      const Run run(*oracle, seconds, nodes, poll_signals);
      found = otherwise ? oracle->query(mask.data(), label, {}, point) : oracle->reach(mask.data(), label, {}, point);
    } catch (const LimitReached&) {
      finished = false;
    }
    if (found && (!f.possible(point.data()) || (!f.any_order && (f.decide(point.data()) != label) != otherwise)))
      throw std::logic_error("what was found is not what was asked for");
    if (finished) workspaces.give_back(std::move(oracle));
  }
  if (!finished) return nb::none();
  return found ? nb::object(nb::tuple(nb::cast(point))) : nb::object(nb::bool_(false));
}

// One bit per value, each variable in bytes of its own, the lowest value first.
nb::bytes packed(const Forest& f, const std::vector<std::uint8_t>& box) {
  std::string bytes;
  for (int j = 0; j < f.n_variables; j++) {
    for (int v = 0; v < f.values(j); v++) {
      if (v % 8 == 0) bytes.push_back(0);
      if (box[f.offset[j] + v]) bytes.back() = char(bytes.back() | 1 << v % 8);
    }
  }
  return nb::bytes(bytes.data(), bytes.size());
}

nb::dict grow(Workspaces& workspaces, const std::vector<int>& point,
              const std::vector<std::vector<std::pair<int, int>>>& steps, const std::vector<int>& order,
              const std::vector<std::uint8_t>& fixed, const std::vector<std::uint8_t>& nominal, int language,
              int target, double seconds, std::int64_t nodes) {
  const Forest& f = workspaces.forest;
  check_point(f, point);
  if (target >= f.n_classes) throw std::invalid_argument("there is no such class");
  for (const auto& step : steps)
    for (const auto& [j, v] : step)
      if (j < 0 || j >= f.n_variables || v < -1 || v >= f.values(j))
        throw std::invalid_argument("a step names what is not there");
  for (int j : order)
    if (j < 0 || j >= f.n_variables) throw std::invalid_argument("the order names what is not there");
  if (int(fixed.size()) != f.n_variables || int(nominal.size()) != f.n_variables)
    throw std::invalid_argument("one flag per variable");
  auto oracle = workspaces.take();
  Grower grower(*oracle, static_cast<Language>(language), nominal, target);
  {
    Unlocked unlocked;
    const Run run(*oracle, seconds, nodes, poll_signals);
    grower.run(point, steps, order, fixed);
  }
  nb::dict answer;
  answer["box"] = packed(f, grower.box);
  answer["complete"] = grower.complete;
  answer["blocked_by"] =
      nb::bytes(reinterpret_cast<const char*>(grower.blocked_by.data()), grower.blocked_by.size() * sizeof(int));
  answer["witnesses"] = grower.witnesses;
  const Counts& c = oracle->counts;
  answer["queries"] = c.queries;
  answer["bounded"] = c.bounded;
  answer["falsified"] = c.falsified;
  answer["searched"] = c.searched;
  answer["relaxed"] = c.relaxed;
  if (grower.complete) workspaces.give_back(std::move(oracle));
  return answer;
}

// The nearest point that is decided otherwise, or for the target; costs are per atom, infinite where it must not be.
nb::dict nearest(Workspaces& workspaces, const std::vector<int>& instance, Array<double> cost, bool largest, int target,
                 double seconds, std::int64_t nodes) {
  const Forest& f = workspaces.forest;
  check_point(f, instance);
  if (int(cost.shape(0)) != f.atoms()) throw std::invalid_argument("the costs have the wrong length");
  if (target >= f.n_classes) throw std::invalid_argument("there is no such class");
  auto oracle = workspaces.take();
  const Question question{f.decide(instance.data()), target};
  Nearest search(*oracle, question, largest ? Nearest::Norm::largest : Nearest::Norm::sum, instance,
                 copied<double, double>(cost));
  {
    Unlocked unlocked;
    const Run run(*oracle, seconds, nodes, poll_signals);
    search.run();
    if (!search.point.empty() && !f.any_order && !oracle->answers(search.point, question))
      throw std::logic_error("what was found is not what was asked for");
  }
  nb::dict answer;
  answer["point"] = search.point.empty() ? nb::object(nb::none()) : nb::object(nb::tuple(nb::cast(search.point)));
  answer["cost"] = search.upper;
  answer["lower"] = search.lower;
  answer["complete"] = search.complete;
  answer["queries"] = oracle->counts.queries;
  if (search.complete) workspaces.give_back(std::move(oracle));
  return answer;
}

// Several forests over joint variables, with the oracles that work on them.
struct Joined {
  explicit Joined(Joint j) : joint(std::move(j)), workspaces(joint.release_whole()) {}
  Joint joint;
  Workspaces workspaces;
};

// Relations between variables come as trees with forbidden leaves. False if the trees outgrow the cap, None
// at a limit.
nb::object join(const std::vector<const Workspaces*>& parts, const std::vector<std::vector<int>>& places,
                const std::vector<int>& ordered, const std::vector<std::uint8_t>& has_missing, bool paired, bool twins,
                Array<std::int32_t> root, Array<std::int32_t> variable, Array<std::int32_t> prefix,
                Array<std::int32_t> left, Array<std::int32_t> right, Array<std::uint8_t> missing_left,
                Array<std::uint8_t> forbidden, std::size_t most_nodes, double seconds) {
  if (parts.empty() || parts.size() != places.size() || ordered.size() != has_missing.size())
    throw std::invalid_argument("one list of places per part, one flag per variable");
  std::vector<JointPart> own;
  for (std::size_t p = 0; p < parts.size(); p++) {
    const Forest& f = parts[p]->forest;
    if (int(places[p].size()) != f.n_variables || (paired && f.n_trees != parts[0]->forest.n_trees))
      throw std::invalid_argument("the parts do not fit together");
    for (int j = 0; j < f.n_variables; j++)
      if (places[p][j] < 0 || places[p][j] >= int(ordered.size()) || ordered[places[p][j]] != f.ordered[j] ||
          has_missing[places[p][j]] != f.has_missing[j])
        throw std::invalid_argument("a variable is not the joint one");
    own.push_back({f, places[p], 0, 0});
  }
  Forest relations;
  relations.n_variables = int(ordered.size());
  relations.root = copied<std::int32_t, int>(root);
  relations.variable = copied<std::int32_t, int>(variable);
  relations.prefix = copied<std::int32_t, int>(prefix);
  relations.left = copied<std::int32_t, int>(left);
  relations.right = copied<std::int32_t, int>(right);
  relations.missing_left = copied<std::uint8_t, std::uint8_t>(missing_left);
  relations.forbidden = copied<std::uint8_t, std::uint8_t>(forbidden);
  Limits limits;
  limits.start(seconds, -1, poll_signals);
  std::unique_ptr<Joined> joined;
  try {
    Unlocked unlocked;
    joined = std::make_unique<Joined>(
        Joint(std::move(own), ordered, has_missing, paired, twins, relations, most_nodes, limits));
  } catch (const JointTooLarge&) {
    return nb::bool_(false);
  } catch (const LimitReached&) {
    return nb::none();
  }
  return nb::cast(joined.release(), nb::rv_policy::take_ownership);
}

// A joint point that meets all demands (part, class, rival or -1); False if there is none, None at a limit.
nb::object meet(Joined& joined, Array<std::uint8_t> mask, const std::vector<std::tuple<int, int, int>>& asked,
                double seconds, std::int64_t nodes) {
  const Joint& joint = joined.joint;
  if (int(mask.shape(0)) != joined.workspaces.forest.atoms())
    throw std::invalid_argument("the box has the wrong length");
  std::vector<Joint::Demand> demands;
  for (const auto& [part, label, rival] : asked) {
    if (part < 0 || part >= int(joint.parts.size())) throw std::invalid_argument("there is no such part");
    const int classes = joint.parts[part].forest.n_classes;
    if (label < 0 || label >= classes || rival >= classes) throw std::invalid_argument("there is no such class");
    demands.push_back({part, label, rival});
  }
  std::vector<int> point;
  bool found = false, finished = true;
  {
    Unlocked unlocked;
    auto oracle = joined.workspaces.take();
    const auto decided = [&](const std::vector<int>& x) { return joint.meets(x, demands); };
    try {
      const Run run(*oracle, seconds, nodes, poll_signals);
      found =
          oracle->win_all(mask.data(), joint.wins(demands), decided, joint.same.empty() ? nullptr : &joint.same, point);
    } catch (const LimitReached&) {
      finished = false;
    }
    if (finished) joined.workspaces.give_back(std::move(oracle));
  }
  if (!finished) return nb::none();
  return found ? nb::object(nb::tuple(nb::cast(point))) : nb::object(nb::bool_(false));
}

nb::dict work_done() {
  const WorkDone& work = WorkDone::of_this_process();
  nb::dict counts;
  counts["runs"] = work.runs.load();
  counts["queries"] = work.queries.load();
  counts["nodes"] = work.nodes.load();
  return counts;
}

}  // namespace

void bind_search(nb::module_& m) {
  m.def("work_done", &work_done);
  nb::class_<Workspaces>(m, "Forest")
      .def_prop_ro("atoms", [](const Workspaces& w) { return w.forest.atoms(); })
      .def_prop_rw(
          "patience", [](const Workspaces& w) { return w.forest.patience; },
          [](Workspaces& w, int nodes) { w.forest.patience = nodes; })
      .def_prop_rw(
          "local_search", [](const Workspaces& w) { return w.forest.local_search; },
          [](Workspaces& w, bool on) { w.forest.local_search = on; })
      .def("possible",
           [](const Workspaces& w, const std::vector<int>& point) {
             check_point(w.forest, point);
             return w.forest.possible(point.data());
           })
      .def("decide",
           [](const Workspaces& w, const std::vector<int>& point) {
             check_point(w.forest, point);
             return w.forest.decide(point.data());
           })
      .def("in_sequence", &in_sequence)
      .def("find", &find)
      .def("grow", &grow)
      .def("nearest", &nearest);
  nb::class_<Joined>(m, "Joint")
      .def_prop_ro("atoms", [](const Joined& j) { return j.workspaces.forest.atoms(); })
      .def_prop_ro("nodes", [](const Joined& j) { return j.workspaces.forest.variable.size(); })
      .def("meets",
           [](const Joined& j, const std::vector<int>& point, const std::vector<std::tuple<int, int, int>>& asked) {
             check_point(j.workspaces.forest, point);
             std::vector<Joint::Demand> demands;
             for (const auto& [part, label, rival] : asked) demands.push_back({part, label, rival});
             return j.workspaces.forest.possible(point.data()) && j.joint.meets(point, demands);
           })
      .def("meet", &meet);
  m.def("join", &join, nb::arg("parts"), nb::arg("places"), nb::arg("ordered"), nb::arg("has_missing"),
        nb::arg("paired"), nb::arg("twins"), nb::arg("root"), nb::arg("variable"), nb::arg("prefix"), nb::arg("left"),
        nb::arg("right"), nb::arg("missing_left"), nb::arg("forbidden"), nb::arg("most_nodes"), nb::arg("seconds"));
  m.def("make_forest", &make_forest, nb::arg("n_classes"), nb::arg("ordered"), nb::arg("has_missing"), nb::arg("root"),
        nb::arg("variable"), nb::arg("prefix"), nb::arg("left"), nb::arg("right"), nb::arg("missing_left"),
        nb::arg("weight"), nb::arg("value"), nb::arg("exact"), nb::arg("band"), nb::arg("any_order"),
        nb::arg("group_size"), nb::arg("group_weight"), nb::arg("divisor"), nb::arg("start"), nb::arg("single"),
        nb::arg("link"), nb::arg("cuts"), nb::arg("n_rules"), nb::arg("forbidden"));
}

}  // namespace primewood::bindings
