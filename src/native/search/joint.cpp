#include "search/joint.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace primewood::search {

Joint::Joint(std::vector<JointPart> parts, const JointPlan& plan, Limits& limits)
    : parts_(std::move(parts)), paired_(plan.paired), whole_(put_together(plan, limits)) {
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

Together Joint::together(const std::vector<int>& classes, std::vector<Int> costs, Int budget) const {
  std::vector<std::vector<OwnWin>> own;
  std::vector<Demand> demands;
  Together found;
  for (std::size_t p = 0; p < classes.size(); p++) {
    own.push_back(own_wins(int(p), classes[p]));
    found.wins.insert(found.wins.end(), own.back().begin(), own.back().end());
    demands.push_back({int(p), classes[p]});
  }
  found.met = [this, demands](const std::vector<int>& point) { return meets(point, demands); };
  found.missed = [this, own](const std::vector<int>& ends) {
    for (std::size_t p = 0; p < own.size(); p++)
      if (is_missed(ends, own[p], int(p))) return true;
    return false;
  };
  found.costs = std::move(costs);
  found.budget = budget;
  if (!same_.empty() && !forest().any_order && classes[0] != classes[1])
    for (const std::uint8_t same : same_) found.parting.push_back(!same);
  return found;
}

std::vector<OwnWin> Joint::own_wins(int part, int label) const {
  const Forest& f = parts_[part].forest;
  const Forest& whole = forest();
  int first = 0;
  for (int p = 0; p < part && !paired_; p++) first += parts_[p].forest.n_trees;
  const int last = first + f.n_trees, at = parts_[part].first_class;
  const auto node_of = [&](int tree) { return tree < whole.all_trees() ? whole.root[tree] : int(whole.nodes()); };
  std::vector<OwnWin> wins;
  for (const Win& win : wins_of_class(f, label)) {
    if (!f.cuts.empty() && std::abs(win.rival - label) != 1) continue;
    wins.push_back({{at + win.winner, at + win.rival, win.threshold, win.band}, node_of(first), node_of(last)});
  }
  return wins;
}

// Whether the library prefers the rival of one of a part's wins where each joint tree ends in a leaf.
bool Joint::is_missed(const std::vector<int>& ends, const std::vector<OwnWin>& wins, int part) const {
  const JointPart& own = parts_[part];
  int first = 0;
  for (int p = 0; p < part && !paired_; p++) first += parts_[p].forest.n_trees;
  std::vector<const double*> values;
  for (int t = 0; t < own.forest.n_trees; t++)
    values.push_back(forest().leaf_values(ends[first + t]) + own.first_output);
  const std::vector<double> score = own.forest.scores_of(values);
  return std::any_of(wins.begin(), wins.end(), [&](const OwnWin& win) {
    return own.forest.prefers(score, win.rival - own.first_class, win.winner - own.first_class);
  });
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
