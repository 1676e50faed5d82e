// Several forests asked about at once: two models of the same rows, or one model on two rows that share variables.
//
// The joint forest has the trees of all parts over the joint variables, with the weights of all parts side by side, and
// their rules. Where the parts are one model on two rows, the two copies of a tree become one tree, whose leaves are
// the pairs of leaves that can be reached together: as long as the two rows do not part, the copies are one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "search/joint_trees.hpp"
#include "search/recorder.hpp"
#include "search/win.hpp"
#include "search/workspaces.hpp"

namespace primewood::search {

// How forests are put together.
struct JointPlan {
  VariableArrays variables;
  TreeArrays relations;  // between the joint variables: rules
  bool paired = false;   // the trees are put together two by two
  bool twins = false;    // both parts are one model; only if they are paired
  std::size_t most_nodes = SIZE_MAX;
};

// What is asked of one part: that it decides a class, or, given a rival, that the rival keeps it from doing so.
struct Demand {
  int part, label;
  std::optional<int> rival = {};
};

class Joint {
 public:
  // Throws `JointTooLarge` or `LimitReached`.
  Joint(std::vector<JointPart> parts, const JointPlan& plan, Limits& limits);

  const std::vector<JointPart>& parts() const { return parts_; }

  // The trees of all parts, and the oracles that search them.
  Workspaces& whole() { return whole_; }
  const Forest& forest() const { return whole_.forest; }

  // What must win in the joint forest so that the demands are met.
  std::vector<Win> wins(const std::vector<Demand>& demands) const;

  // The same for a recorder: one class per part, and where cuts decide, its neighbours alone. `costs` is empty or has a
  // number per atom.
  Together together(const std::vector<int>& classes, std::vector<Int> costs, Int budget) const;

  // Whether a joint point meets the demands, as the libraries decide.
  bool meets(const std::vector<int>& point, const std::vector<Demand>& demands) const;

  // Per node: both rows of one model get the same values; null for two models.
  const std::vector<std::uint8_t>* same() const { return same_.empty() ? nullptr : &same_; }

 private:
  Forest put_together(const JointPlan& plan, Limits& limits);
  std::vector<OwnWin> own_wins(int part, int label) const;
  bool is_missed(const std::vector<int>& ends, const std::vector<OwnWin>& wins, int part) const;
  void find_same();

  std::vector<JointPart> parts_;
  const bool paired_;
  Workspaces whole_;
  std::vector<std::uint8_t> same_;
};

}  // namespace primewood::search
