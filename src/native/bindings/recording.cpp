// The Python face of recorded proofs.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <utility>

#include "bindings/checks.hpp"
#include "bindings/python.hpp"
#include "search/joint.hpp"
#include "search/recorder.hpp"

namespace nb = nanobind;

namespace primewood::bindings {

using namespace search;

namespace {

// How a recording ended, and its proofs: one per pair of classes, as far as it came.
struct Recording {
  enum class Outcome { kProofs, kCounterexample, kTooLong, kNeedsLink, kInterrupted };

  Outcome outcome = Outcome::kProofs;
  std::vector<std::string> bodies;
  std::vector<Int> units;
  std::int64_t nodes = 0;
};

Recording::Outcome outcome_of(Recorded recorded) {
  switch (recorded) {
    case Recorded::kProof:
      return Recording::Outcome::kProofs;
    case Recorded::kCounterexample:
      return Recording::Outcome::kCounterexample;
    case Recorded::kTooLong:
      return Recording::Outcome::kTooLong;
    case Recorded::kNeedsLink:
      return Recording::Outcome::kNeedsLink;
  }
  return Recording::Outcome::kInterrupted;
}

// Proofs that rivals win nowhere in a box: for each pair of a class and its rival. features: per variable, how the
// certificate numbers it.
Recording record(Workspaces& workspaces, const Array<std::uint8_t>& mask, const std::vector<std::pair<int, int>>& pairs,
                 const std::vector<int>& features, std::int64_t most_nodes, Budget budget) {
  const auto& f = workspaces.forest;
  require(int(mask.shape(0)) == f.atoms(), "the box has the wrong length");
  require(int(features.size()) == f.n_variables, "one number per variable");
  for (const auto& [label, rival] : pairs) {
    check_class(f, label);
    check_class(f, rival);
    require(rival != label, "the label is no rival of its own");
  }
  const Unlocked unlocked;
  Limits limits;
  limits.start(budget, poll_signals);
  Recording recording;
  try {
    Recorder recorder(f, limits, features, most_nodes);
    for (const auto& [label, rival] : pairs) {
      recording.outcome = outcome_of(recorder.prove(mask.data(), label, rival));
      recording.nodes = recorder.nodes;
      if (recording.outcome != Recording::Outcome::kProofs) return recording;
      recording.bodies.push_back(recorder.body);
      recording.units.push_back(recorder.unit);
    }
  } catch (const LimitReached&) {
    recording.outcome = Recording::Outcome::kInterrupted;
  }
  return recording;
}

// A proof that no joint point of a box is decided for these classes, one per part; with costs, within a budget.
Recording record_joint(Joint& joint, const Array<std::uint8_t>& mask, const std::vector<int>& classes,
                       const std::vector<Int>& costs, Int affordable, const std::vector<int>& features,
                       std::int64_t most_nodes, Budget budget) {
  const auto& f = joint.forest();
  require(int(mask.shape(0)) == f.atoms(), "the box has the wrong length");
  require(int(features.size()) == f.n_variables, "one number per variable");
  require(costs.empty() || int(costs.size()) == f.atoms(), "one cost per atom");
  require(classes.size() == joint.parts().size(), "one class per part");
  for (std::size_t p = 0; p < classes.size(); p++) check_class(joint.parts()[p].forest, classes[p]);
  const Unlocked unlocked;
  Limits limits;
  limits.start(budget, poll_signals);
  Recording recording;
  try {
    Recorder recorder(f, limits, features, most_nodes);
    recording.outcome = outcome_of(recorder.prove(mask.data(), joint.together(classes, costs, affordable)));
    recording.nodes = recorder.nodes;
    recording.bodies.push_back(recorder.body);
    recording.units.push_back(recorder.unit);
  } catch (const LimitReached&) {
    recording.outcome = Recording::Outcome::kInterrupted;
  }
  return recording;
}

nb::list bodies_of(const Recording& recording) {
  nb::list bodies;
  for (const std::string& body : recording.bodies) bodies.append(nb::bytes(body.data(), body.size()));
  return bodies;
}

}  // namespace

void bind_recording(nb::module_& m, ForestClass& forest, JointClass& joint) {
  nb::class_<Recording> recording(m, "Recording");
  nb::enum_<Recording::Outcome>(m, "RecordingOutcome")
      .value("PROOFS", Recording::Outcome::kProofs)
      .value("COUNTEREXAMPLE", Recording::Outcome::kCounterexample)
      .value("TOO_LONG", Recording::Outcome::kTooLong)
      .value("NEEDS_LINK", Recording::Outcome::kNeedsLink)
      .value("INTERRUPTED", Recording::Outcome::kInterrupted);
  recording.def_ro("outcome", &Recording::outcome)
      .def_prop_ro("bodies", &bodies_of)
      .def_ro("units", &Recording::units)
      .def_ro("nodes", &Recording::nodes);
  forest.def("record", &record, nb::arg("mask"), nb::arg("pairs"), nb::arg("features"), nb::arg("most_nodes"),
             nb::arg("budget"));
  joint.def("record", &record_joint, nb::arg("mask"), nb::arg("classes"), nb::arg("costs"), nb::arg("affordable"),
            nb::arg("features"), nb::arg("most_nodes"), nb::arg("budget"));
}

}  // namespace primewood::bindings
