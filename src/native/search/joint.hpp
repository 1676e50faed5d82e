// Several forests asked about at once: two models of the same rows, or one model on two rows that share variables.
//
// `whole` has the trees of all parts over the joint variables, with the weights of all parts side by side, and their
// rules. Where the parts are one model on two rows, the two copies of a tree become one tree, whose leaves are the
// pairs of leaves that can be reached together: as long as the two rows do not part, the copies are one.
#pragma once

#include <vector>

#include "search/all_margins.hpp"
#include "search/joint_trees.hpp"

namespace primewood::search {

class Joint {
 public:
  // Relations between the joint variables are trees of rules over them. `paired`: the trees are put together two by
  // two; `twins`: both parts are one model. Throws `JointTooLarge` or `LimitReached`.
  Joint(std::vector<JointPart> p, const std::vector<int>& ordered, const std::vector<std::uint8_t>& has_missing,
        bool paired, bool twins, const Forest& relations, std::size_t most_nodes, Limits& limits)
      : parts(std::move(p)) {
    whole.n_variables = int(ordered.size());
    whole.ordered = ordered;
    whole.has_missing = has_missing;
    for (JointPart& part : parts) {
      part.first_class = whole.n_classes;
      part.first_output = whole.n_outputs;
      whole.n_classes += part.forest.n_classes;
      whole.n_outputs += part.forest.n_outputs;
      whole.any_order = whole.any_order || part.forest.any_order;
    }
    whole.start.assign(whole.n_outputs, 0.0);
    JointTrees(parts, whole, most_nodes, limits).add(paired, relations);
    whole.finish_trees();
    if (paired && twins) find_same();
  }

  std::vector<JointPart> parts;
  std::vector<std::uint8_t> same;  // per node: both rows of one model get the same values; empty for two models

  // The forest of all parts, for the one who searches it; it may be too large to have it twice.
  Forest release_whole() { return std::move(whole); }

  // What is asked of one part: that it decides a class, or, given a rival, that the rival keeps it from doing so.
  struct Demand {
    int part, label, rival;
  };

  std::vector<Win> wins(const std::vector<Demand>& demands) const {
    std::vector<Win> found;
    for (const Demand& d : demands) {
      const Forest& f = parts[d.part].forest;
      const int at = parts[d.part].first_class;
      const auto pair = [&](int a, int b) { return std::min(a, b) * f.n_classes + std::max(a, b); };
      if (d.rival >= 0) {
        found.push_back(
            {at + d.rival, at + d.label, d.rival < d.label ? 0 : 1, f.band, pair(d.label, d.rival), d.rival > d.label});
      } else {
        for (const Win& win : AllMargins::of_class(f, d.label))
          found.push_back({at + win.winner, at + win.rival, win.threshold, win.band, pair(win.winner, win.rival),
                           win.winner > win.rival});
      }
    }
    return found;
  }

  // Whether a joint point meets the demands, as the libraries decide.
  bool meets(const std::vector<int>& point, const std::vector<Demand>& demands) const {
    std::vector<int> own;
    for (const Demand& d : demands) {
      const JointPart& part = parts[d.part];
      own.resize(part.place.size());
      for (std::size_t j = 0; j < own.size(); j++) own[j] = point[part.place[j]];
      if ((part.forest.decide(own.data()) == d.label) != (d.rival < 0)) return false;
    }
    return true;
  }

 private:
  Forest whole;

  void find_same() {
    const std::size_t n = whole.n_outputs, half = n / 2;
    same.resize(whole.variable.size());
    for (std::size_t node = 0; node < same.size(); node++) {
      const double* values = &whole.value[node * n];
      same[node] = std::equal(values, values + half, values + half);
    }
  }
};

}  // namespace primewood::search
