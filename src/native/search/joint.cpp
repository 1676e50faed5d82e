#include "search/joint.hpp"

#include <algorithm>
#include <utility>

namespace primewood::search {

Joint::Joint(std::vector<JointPart> parts, const JointPlan& plan, Limits& limits)
    : parts_(std::move(parts)), whole_(put_together(plan, limits)) {
  if (plan.paired && plan.twins) find_same();
}

Forest Joint::put_together(const JointPlan& plan, Limits& limits) {
  VoteArrays vote;
  int n_outputs = 0;
  for (JointPart& part : parts_) {
    part.first_class = vote.n_classes;
    part.first_output = n_outputs;
    vote.n_classes += part.forest.n_classes;
    n_outputs += part.forest.n_outputs;
    vote.any_order = vote.any_order || part.forest.any_order;
  }
  vote.start.assign(n_outputs, 0.0);
  JointTrees made(parts_, plan.variables, std::move(vote), plan.most_nodes, limits);
  made.add(plan.paired, plan.relations);
  return Forest::make_undecided(plan.variables, std::move(made.trees), std::move(made.vote));
}

std::vector<Win> Joint::wins(const std::vector<Demand>& demands) const {
  std::vector<Win> found;
  for (const Demand& d : demands) {
    const Forest& f = parts_[d.part].forest;
    const int at = parts_[d.part].first_class;
    const auto add = [&](const Win& win) {
      const int pair = std::min(win.winner, win.rival) * f.n_classes + std::max(win.winner, win.rival);
      found.push_back({at + win.winner, at + win.rival, win.threshold, win.band, pair, win.winner > win.rival});
    };
    if (d.rival) {
      add({*d.rival, d.label, *d.rival < d.label ? 0 : 1, f.band});
    } else {
      for (const Win& win : wins_of_class(f, d.label)) add(win);
    }
  }
  return found;
}

bool Joint::meets(const std::vector<int>& point, const std::vector<Demand>& demands) const {
  std::vector<int> own;
  for (const Demand& d : demands) {
    const JointPart& part = parts_[d.part];
    own.resize(part.place.size());
    for (std::size_t j = 0; j < own.size(); j++) own[j] = point[part.place[j]];
    if ((part.forest.decide(own.data()) == d.label) == d.rival.has_value()) return false;
  }
  return true;
}

void Joint::find_same() {
  const int half = forest().n_outputs / 2;
  same_.resize(forest().nodes());
  for (std::size_t node = 0; node < same_.size(); node++) {
    const double* values = forest().leaf_values(int(node));
    same_[node] = std::equal(values, values + half, values + half);
  }
}

}  // namespace primewood::search
