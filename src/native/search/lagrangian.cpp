#include "search/lagrangian.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace primewood::search {

bool Lagrangian::run(Goal& goal) {
  goal_ = &goal;
  costs_ = nullptr;
  take_ = nullptr;
  if (start()) return true;
  return !left_.empty() && team_->finish(*this, std::move(left_), nullptr, live_, limits_, point);
}

bool Lagrangian::run_through(Goal& goal, Take take, Effort effort) {
  goal_ = &goal;
  costs_ = nullptr;
  take_ = std::move(take);
  effort_ = effort;
  found_early_ = stopped_ = false;
  start();
  if (!left_.empty()) team_->finish(*this, std::move(left_), take_, live_, limits_, point);
  return !stopped_;
}

void Lagrangian::run_within(Goal& goal, Costs& costs, Buyer buyer) {
  goal_ = &goal;
  costs_ = &costs;
  take_ = nullptr;
  buyer_ = std::move(buyer);
  start();
}

bool Lagrangian::start() {
  assert(box_.is_set());
  visited_ = next_ascent_ = 0;
  left_.clear();
  return set_up() && visit(0);
}

bool Lagrangian::met(const std::vector<int>& x) {
  if (costs_) return take_affordable(x);
  return live_.holds(x) && goal_->met(x);
}

// Hand on a point that is affordable and meets the goal. Afterwards it is not affordable any more, and the search goes
// on.
bool Lagrangian::take_affordable(const std::vector<int>& x) {
  if (costs_->affordable(x) && goal_->met(x)) buyer_.take(x);
  return false;
}

// The root; false if there is nothing to search.
bool Lagrangian::set_up() {
  open_buffers();
  nodes_[0].clear();
  nodes_[0].region.open(box_);
  nodes_[0].step = 1;
  goal_->open(nodes_[0]);
  nodes_[0].multiplier_first.assign(nodes_[0].first.size(), 0);
  if (costs_ && !afford(nodes_[0])) return false;
  relaxation_.open(nodes_[0], costs_);
  return true;
}

void Lagrangian::open_buffers() {
  cuts_.open(box_);
  of_variable_.assign(box_.size.size(), -1);
  forks_.clear();
  if (nodes_.empty()) nodes_.resize(1);
}

void Lagrangian::join(const Lagrangian& begun, Goal& goal, LiveRanks& live, Sharing& sharing) {
  goal_ = &goal;
  costs_ = nullptr;
  take_ = nullptr;
  sharing_ = &sharing;
  own_live_ = &live;
  version_ = 0;
  visited_ = next_ascent_ = begun.visited_;
  open_buffers();
  relaxation_.join(begun.relaxation_);
}

// The node is no root any more: it is searched as one below.
void Lagrangian::finish(Task& task) {
  if (nodes_.size() < 2) nodes_.resize(2);
  std::swap(nodes_[1], task.node);
  relaxation_.set_multipliers(task.multipliers);
  forks_.assign(1, {{}, false, false});
  visit(1);
}

// Hand all nodes that are left to a team, if there is one and the search is long; the one at this depth among them.
bool Lagrangian::leave_to_team(int depth) {
  if (!team_ || costs_ || visited_ <= std::max(team_->nodes_before(), effort_.first_nodes) || !goal_->can_be_shared())
    return false;
  for (int d = 0; d < depth; d++) {
    Task task;
    if (make_task(d, task)) left_.push_back(std::move(task));
  }
  left_.push_back({nodes_[depth], relaxation_.multipliers()});
  return true;
}

// Leave a node to a thread that waits.
void Lagrangian::share(int depth) {
  for (int d = 0; d < depth; d++) {
    Task task;
    if (!make_task(d, task)) continue;
    sharing_->offer(std::move(task));
    return;
  }
}

// Make a task of the part of a node that was left for later; false if there is none.
bool Lagrangian::make_task(int depth, Task& task) {
  Fork& fork = forks_[depth];
  if (!fork.open) return false;
  fork.open = false;
  if (!narrow(nodes_[depth], fork.cut, fork.part, task.node)) return false;
  task.multipliers = relaxation_.multipliers();
  return true;
}

// Search the node at a depth; true with a point. Nodes are named by their depth: deeper ones may move them in memory.
bool Lagrangian::visit(int depth) {
  for (;;) {
    const Verdict verdict = examine(depth);
    if (verdict == Verdict::kNone) return false;
    if (verdict == Verdict::kOpen && !divide(depth)) return false;
    if (sharing_) {
      sharing_->hand_on(point, *own_live_);
    } else if (take_) {
      hand_on();
    } else {
      return true;
    }
  }
}

// Hand on the point that was found.
void Lagrangian::hand_on() {
  take_(point);
  found_early_ = found_early_ || visited_ <= effort_.first_nodes;
}

// Whether a search that goes on after points stops here.
bool Lagrangian::is_enough() {
  stopped_ = stopped_ || visited_ > effort_.nodes || (found_early_ && visited_ > effort_.first_nodes);
  return stopped_;
}

// Look for a point in a node, as far as that is possible without cutting it in two.
Lagrangian::Verdict Lagrangian::examine(int depth) {
  limits_.count_node();
  visited_++;
  if (take_ && is_enough()) return Verdict::kNone;
  if (sharing_) {
    sharing_->check();
    sharing_->update(*own_live_, version_);
    if (sharing_->is_hungry()) share(depth);
  }
  if (costs_) {
    if (depth > 0 && !afford(nodes_[depth])) return Verdict::kNone;
    costs_->pick_point(nodes_[depth].region, point);
    take_affordable(point);
    if (!costs_->affordable(point)) return Verdict::kNone;
  }
  if (!live_.all() && !leave_out_dead(nodes_[depth])) return Verdict::kNone;
  if (hopeless(nodes_[depth]) || leave_to_team(depth)) return Verdict::kNone;
  const Verdict verdict = bound(depth);
  if (verdict != Verdict::kOpen) return verdict;
  return look_for_points(depth) ? Verdict::kFound : Verdict::kOpen;
}

// Lower the bound of a node and remove what it shows to be too expensive.
Lagrangian::Verdict Lagrangian::bound(int depth) {
  Node& node = nodes_[depth];
  for (int round = 0; round < (depth == 0 ? kRootRounds : 1); round++) {
    relaxation_.prepare(node);
    const Verdict verdict = descend(node, depth == 0);
    if (verdict != Verdict::kOpen) return verdict;
    if (!reduce(node) || hopeless(node)) return Verdict::kNone;
  }
  return Verdict::kOpen;
}

// Cut a node in two and search both parts, first the one in which the relaxation has its point.
bool Lagrangian::divide(int depth) {
  const Cut cut = cuts_.choose(nodes_[depth]);
  if (!cut.found()) return try_last_point(nodes_[depth]);
  const bool nearer = cut.first_holds(relaxation_.value[cut.variable], box_.size[cut.variable]);
  if (int(nodes_.size()) <= depth + 1) nodes_.resize(std::size_t(depth) + 2);
  forks_.resize(depth);
  forks_.push_back({cut, !nearer, true});
  if (narrow(nodes_[depth], cut, nearer, nodes_[depth + 1]) && visit(depth + 1)) return true;
  if (!forks_[depth].open) return false;
  forks_[depth].open = false;
  return narrow(nodes_[depth], cut, !nearer, nodes_[depth + 1]) && visit(depth + 1);
}

// All points of the node are alike for the goal.
bool Lagrangian::try_last_point(const Node& node) {
  if (costs_) {
    costs_->pick_point(node.region, point);
  } else {
    Region live = node.region;
    if (!live_.narrow(live)) return false;
    live.pick_point(box_, point);
  }
  return met(point);
}

// Narrow a node to what is affordable, and leave out the leaves that are not; false if nothing is left.
bool Lagrangian::afford(Node& node) {
  if (!costs_->narrow(node.region)) return false;
  keep_.resize(node.weight.size());
  const Entry* const entries = node.entries.data();
  for (std::size_t p = 0; p < keep_.size(); p++)
    keep_[p] = costs_->can_reach(node.region, entries + node.entry[p], entries + node.entry[p + 1]);
  return propagate(node) && compact(node);
}

// Narrow a node to what is live, and leave out the leaves that are not; false if nothing is left.
bool Lagrangian::leave_out_dead(Node& node) {
  if (!live_.narrow(node.region)) return false;
  keep_.assign(node.weight.size(), 1);
  for (std::size_t p = 0; p < keep_.size(); p++)
    for (int e = node.entry[p]; e < node.entry[p + 1] && keep_[p]; e++)
      if (live_.is_shrunk(node.entries[e].variable)) keep_[p] = live_.meets(node.region, node.entries[e]);
  return propagate(node) && live_.narrow(node.region) && compact(node);
}

bool Lagrangian::hopeless(Node& node) const {
  return !goal_->possible(node) || node.bound() < node.threshold - std::max(kTolerance, node.rounding_of_bound());
}

// Local search for a point: often at the first nodes, ever more rarely after them.
bool Lagrangian::look_for_points(int depth) {
  if (costs_) return look_for_cheap_points(depth);
  if (depth == 0) return goal_->wander(kRootWalks, point) && live_.holds(point);
  if (visited_ < next_ascent_) return false;
  next_ascent_ = visited_ + std::max<long>(4, visited_ / 4);
  point = relaxation_.value;
  return (goal_->ascend(point) || goal_->wander(kShortWalk, point)) && live_.holds(point);
}

// The same with costs: what is found is handed on, and the search goes on.
bool Lagrangian::look_for_cheap_points(int depth) {
  if (depth > 0 && visited_ < next_ascent_) return false;
  next_ascent_ = visited_ + std::max<long>(4, visited_ / 4);
  buyer_.look_near(relaxation_.value);
  return false;
}

// Lower the bound; on the way, count where the trees' leaves disagree and try the variables' ranks as points.
Lagrangian::Verdict Lagrangian::descend(Node& node, bool at_root) {
  const int last = steps(at_root) - 1;
  cuts_.clear();
  tolerance_ = kTolerance;
  double length = node.step;
  for (int n = 0; n <= last; n++) {
    limits_.check();
    const double upper = relaxation_.evaluate(node);
    assert(std::isfinite(upper));  // something is live of every variable
    if (upper < node.threshold - tolerance_ && is_closed(node)) {
      relaxation_.remember();
      return Verdict::kNone;
    }
    length = adapt(length, relaxation_.keep_if_lowest(upper), at_root);
    if ((n % 8 == 0 || n == last) && try_values(at_root && !costs_ && n % 24 == 0)) return Verdict::kFound;
    if (n % 4 == 3 && goal_->learn(node, relaxation_.pick)) {
      relaxation_.start_afresh();
      continue;
    }
    if (!at_root || n >= (last + 1) / 4) cuts_.count(node, relaxation_.pick);
    if (n < last && !relaxation_.step(node, upper, node.threshold - 2 * tolerance_, length)) break;
  }
  node.step = length;
  relaxation_.remember();
  return Verdict::kOpen;
}

// The length of the next step. A root is far from its threshold, so steps towards it soon are too long.
double Lagrangian::adapt(double length, bool lower, bool at_root) {
  if (lower) return std::min(kLongest, length * kLonger);
  return at_root ? std::max(kShortestAtRoot, length * kShorterAtRoot) : std::max(kShortest, length * kShorter);
}

int Lagrangian::steps(bool at_root) const {
  if (at_root) return costs_ ? kRootStepsPriced : kRootSteps;
  return costs_ ? kNodeStepsPriced : kNodeSteps;
}

bool Lagrangian::try_values(bool ascend) {
  point = relaxation_.value;
  return ascend ? goal_->ascend(point) && live_.holds(point) : met(point);
}

// Whether the bound is below the threshold without the rounding of many steps, too.
bool Lagrangian::is_closed(const Node& node) {
  relaxation_.start_afresh();
  return evaluate_afresh(node) < node.threshold - tolerance_;
}

// The bound after a fresh start; the tolerance is set to what its rounding demands.
double Lagrangian::evaluate_afresh(const Node& node) {
  const double upper = relaxation_.evaluate(node), rounding = relaxation_.rounding(node);
  assert(relaxation_.is_near(node, upper, rounding));
  tolerance_ = std::max(kTolerance, rounding);
  return upper;
}

// Remove leaves and values that the best multipliers show to be too expensive, then what that leaves
// unreachable; false if nothing is left.
bool Lagrangian::reduce(Node& node) {
  relaxation_.return_to_lowest();
  const double upper = evaluate_afresh(node), slack = upper - (node.threshold - tolerance_);
  keep_.assign(node.weight.size(), 1);
  for (int i = 0; i < node.trees(); i++)
    for (int p = node.first[i]; p < node.first[i + 1]; p++)
      if (relaxation_.best[i] - relaxation_.leaf_value(node, p) > slack) keep_[p] = 0;
  for (int j = 0; j < int(box_.size.size()); j++)
    if (!node.region.fixed(j)) relaxation_.drop_values(node.region, j, slack);
  return propagate(node) && live_.narrow(node.region) && compact(node);
}

// A tree must end in one of its leaves: where all of them restrict a variable, so does the tree.
bool Lagrangian::propagate(Node& node) {
  constexpr int kRounds = 4;
  bool changed = true;
  for (int round = 0; round < kRounds && changed; round++) {
    changed = false;
    for (int i = 0; i < node.trees(); i++)
      if (!propagate_tree(node, i, changed)) return false;
  }
  return true;
}

bool Lagrangian::propagate_tree(Node& node, int i, bool& changed) {
  int kept = 0;
  tested_.clear();
  for (int p = node.first[i]; p < node.first[i + 1]; p++) {
    if (!keep_[p]) continue;
    if (!node.meets(p)) {
      keep_[p] = 0;
      changed = true;
      continue;
    }
    kept++;
    for (int e = node.entry[p]; e < node.entry[p + 1]; e++) widen_hull(node.entries[e]);
  }
  bool possible = kept > 0;
  for (int j : tested_) {
    const int b = of_variable_[j];
    of_variable_[j] = -1;
    if (hull_count_[b] == kept) changed |= tighten(node.region, j, hull_[b]);
    possible = possible && (node.region.has_ranks(j) || node.region.missing[j]);
  }
  return possible;
}

void Lagrangian::widen_hull(const Entry& x) {
  int& b = of_variable_[x.variable];
  if (b >= 0) {
    hull_[b].include(x);
    hull_count_[b]++;
    return;
  }
  b = int(tested_.size());
  tested_.push_back(x.variable);
  if (b >= int(hull_.size())) {
    hull_.resize(std::size_t(b) + 1);
    hull_count_.resize(std::size_t(b) + 1);
  }
  hull_[b] = {x.low, x.high, x.missing};
  hull_count_[b] = 1;
}

// Narrow a variable to a hull; true if that changes something.
bool Lagrangian::tighten(Region& region, int j, const Span& hull) {
  const int low = region.low[j], high = region.high[j];
  const std::uint8_t missing = region.missing[j];
  region.low[j] = std::max(low, hull.low);
  region.high[j] = std::min(high, hull.high);
  if (region.low[j] > region.high[j]) region.drop_ranks(j);
  if (!hull.missing) region.missing[j] = 0;
  return region.low[j] != low || region.high[j] != high || region.missing[j] != missing;
}

// Leave out what was removed; false if that leaves a tree without leaves.
bool Lagrangian::compact(Node& node) {
  spare_.clear();
  spare_.region = node.region;
  spare_.step = node.step;
  if (!spare_.take(node, &keep_)) return false;
  std::swap(node, spare_);
  return true;
}

// The child of a node on one side of a cut; false if it is empty.
bool Lagrangian::narrow(const Node& from, const Cut& cut, bool first, Node& to) {
  to.clear();
  to.region = from.region;
  cut.apply(to.region, first);
  to.step = kLongest;
  return to.take(from, nullptr);
}

}  // namespace primewood::search
