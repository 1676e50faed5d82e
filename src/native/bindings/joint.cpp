// The Python face of joint forests: questions about several decisions at once.
#include "search/joint.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "bindings/answers.hpp"
#include "bindings/checks.hpp"
#include "bindings/python.hpp"
#include "search/run.hpp"

namespace nb = nanobind;

namespace primewood::bindings {

using forest::Forest;
using forest::VariableArrays;
using namespace search;

namespace {

enum class JoinOutcome { kJoined, kTooLarge, kInterrupted };

struct Joining {
  JoinOutcome outcome;
  std::shared_ptr<Joint> joint;  // null unless it was joined
};

// One list of places per part: for each of its variables the joint variable that it is.
using Places = std::vector<std::vector<int>>;

void check_part(const Forest& f, const std::vector<int>& place, const VariableArrays& joint) {
  require(int(place.size()) == f.n_variables, "the parts do not fit together");
  for (int j = 0; j < f.n_variables; j++) {
    const int at = place[j];
    const bool same = at >= 0 && at < int(joint.ordered.size()) && joint.ordered[at] == f.ordered[j] &&
                      joint.has_missing[at] == f.has_missing[j];
    require(same, "a variable is not the joint one");
  }
}

std::vector<JointPart> make_parts(const std::vector<const Workspaces*>& forests, const Places& places,
                                  const JointPlan& plan) {
  require(!forests.empty() && forests.size() == places.size(), "one list of places per part");
  require(plan.variables.ordered.size() == plan.variables.has_missing.size(), "one flag per variable");
  std::vector<JointPart> parts;
  for (std::size_t p = 0; p < forests.size(); p++) {
    const Forest& f = forests[p]->forest;
    require(!plan.paired || f.n_trees == forests[0]->forest.n_trees, "the parts do not fit together");
    check_part(f, places[p], plan.variables);
    parts.push_back({f, places[p], 0, 0});
  }
  return parts;
}

Joining join(const std::vector<const Workspaces*>& parts, const Places& places, const JointPlan& plan, Budget budget) {
  std::vector<JointPart> own = make_parts(parts, places, plan);
  Limits limits;
  limits.start(budget, poll_signals);
  const Unlocked unlocked;
  try {
    return {JoinOutcome::kJoined, std::make_shared<Joint>(std::move(own), plan, limits)};
  } catch (const JointTooLarge&) {
    return {JoinOutcome::kTooLarge, nullptr};
  } catch (const LimitReached&) {
    return {JoinOutcome::kInterrupted, nullptr};
  }
}

void check_demands(const Joint& joint, const std::vector<Demand>& demands) {
  for (const Demand& d : demands) {
    require(d.part >= 0 && d.part < int(joint.parts().size()), "there is no such part");
    check_class(joint.parts()[d.part].forest, d.label);
    if (d.rival) check_class(joint.parts()[d.part].forest, *d.rival);
  }
}

// A joint point that meets all demands.
Found find(Joint& joint, const Array<std::uint8_t>& mask, const std::vector<Demand>& demands, Budget budget) {
  require(int(mask.shape(0)) == joint.forest().atoms(), "the box has the wrong length");
  check_demands(joint, demands);
  const auto meets = [&](const std::vector<int>& x) { return joint.meets(x, demands); };
  Found found;
  const Unlocked unlocked;
  auto oracle = joint.whole().take();
  try {
    const Run run(*oracle, joint.whole().options, budget, poll_signals);
    const bool exists = oracle->win_all(mask.data(), joint.wins(demands), meets, joint.same(), found.point);
    found.outcome = exists ? Outcome::kFound : Outcome::kNoneExists;
  } catch (const LimitReached&) {
    return {};
  }
  joint.whole().give_back(std::move(oracle));
  return found;
}

bool meets(const Joint& joint, const std::vector<int>& point, const std::vector<Demand>& demands) {
  check_point(joint.forest(), point);
  check_demands(joint, demands);
  return joint.forest().possible(point.data()) && joint.meets(point, demands);
}

}  // namespace

JointClass bind_joint(nb::module_& m) {
  nb::class_<JointPlan>(m, "JointPlan")
      .def(nb::init<>())
      .def_rw("variables", &JointPlan::variables)
      .def_rw("relations", &JointPlan::relations)
      .def_rw("paired", &JointPlan::paired)
      .def_rw("twins", &JointPlan::twins)
      .def_rw("most_nodes", &JointPlan::most_nodes);
  nb::class_<Demand>(m, "Demand")
      .def(nb::init<int, int, std::optional<int>>(), nb::arg("part"), nb::arg("label"), nb::arg("rival") = nb::none())
      .def_ro("part", &Demand::part)
      .def_ro("label", &Demand::label)
      .def_ro("rival", &Demand::rival);
  JointClass joint(m, "Joint");
  joint.def_prop_ro("atoms", [](const Joint& j) { return j.forest().atoms(); })
      .def_prop_ro("nodes", [](const Joint& j) { return j.forest().nodes(); })
      .def("meets", &meets, nb::arg("point"), nb::arg("demands"))
      .def("find", &find, nb::arg("mask"), nb::arg("demands"), nb::arg("budget"));
  nb::enum_<JoinOutcome>(m, "JoinOutcome")
      .value("JOINED", JoinOutcome::kJoined)
      .value("TOO_LARGE", JoinOutcome::kTooLarge)
      .value("INTERRUPTED", JoinOutcome::kInterrupted);
  nb::class_<Joining>(m, "Joining").def_ro("outcome", &Joining::outcome).def_ro("joint", &Joining::joint);
  m.def("join", &join, nb::arg("parts"), nb::arg("places"), nb::arg("plan"), nb::arg("budget"));
  return joint;
}

}  // namespace primewood::bindings
