#include "search/recorder.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

namespace primewood::search {

Recorder::Recorder(const Forest& forest, Limits& limits, std::vector<int> feature_of, std::int64_t most_nodes)
    : forest_(forest),
      limits_(limits),
      feature_of_(std::move(feature_of)),
      most_nodes_(most_nodes),
      box_(forest),
      margin_(box_, limits),
      live_(box_),
      relaxation_(box_, live_, limits),
      bound_(relaxation_, margin_) {}

Recorded Recorder::prove(const std::uint8_t* mask, int label, int rival) {
  box_.set(mask);
  live_.open();
  margin_.choose(label, rival);
  notes_.clear();
  of_tree_.clear();
  unit = 1;
  const Recorded recorded = is_beaten() ? close_at_once() : search();
  if (recorded == Recorded::kProof) write();
  return recorded;
}

// Whether the heaviest leaves are too light together, or there is no point; else the leaves are collected.
bool Recorder::is_beaten() {
  if (margin_.bound() < margin_.threshold) return true;
  margin_.collect();
  return !margin_.possible();
}

Recorded Recorder::close_at_once() {
  nodes++;
  notes_.push_back({Step::kBound});
  return Recorded::kProof;
}

Recorded Recorder::search() {
  open();
  return visit(0);
}

// The root, its multipliers, and the unit.
void Recorder::open() {
  if (nodes_at_.empty()) nodes_at_.resize(1);
  Node& root = nodes_at_[0];
  root.clear();
  root.region.open(box_);
  root.step = 1;
  open_leaves(root);
  root.multiplier_first.assign(root.first.size(), 0);
  relaxation_.open(root, nullptr);
  cuts_.open(box_);
  unit = std::max<Int>(1, range_ >> kBits);
  of_tree_.resize(relaxation_.sources().size());
  for (int i = 0; i < root.trees(); i++) {
    const int node = margin_.leaves[root.leaf[root.first[i]]].node;
    const auto next = std::upper_bound(forest_.root.begin(), forest_.root.end(), node);
    for (int m = root.multiplier_first[i]; m < root.multiplier_first[i + 1]; m++) {
      const int source = root.multipliers[m];
      of_tree_[source] = {int(next - forest_.root.begin()) - 1, relaxation_.sources()[source]};
    }
  }
  inherited_.assign(1, std::vector<Int>(of_tree_.size(), 0));
}

// All leaves of the box but forbidden ones. Weights are scaled to at most one per tree, and taken relative to the
// heaviest leaf of each tree.
void Recorder::open_leaves(Node& root) {
  const auto is_allowed = [&](int p) { return !margin_.forbidden(margin_.leaves[p]); };
  const auto heaviest = [&](int tree) { return margin_.leaves[margin_.first[tree]].weight; };
  range_ = 1;
  top_ = margin_.base;
  for (int i = 0; i < margin_.trees(); i++) {
    top_ += heaviest(i);
    for (int p = margin_.first[i]; p < margin_.last[i]; p++)
      if (is_allowed(p)) range_ = std::max(range_, heaviest(i) - margin_.leaves[p].weight);
  }
  scale_ = 1.0 / double(range_);
  for (int i = 0; i < margin_.trees(); i++) {
    for (int p = margin_.first[i]; p < margin_.last[i]; p++)
      if (is_allowed(p)) root.add_leaf(p, double(margin_.leaves[p].weight - heaviest(i)) * scale_, margin_);
    root.end_tree();
  }
}

// The next sum from the threshold on that the leaves of a node can reach is its target; false if none is.
bool Recorder::aim(Node& node) {
  Int top = margin_.base, grain = 0;
  for (int p : node.settled) top += margin_.leaves[p].weight;
  for (int i = 0; i < node.trees(); i++) {
    const Int heaviest = margin_.leaves[node.leaf[node.first[i]]].weight;
    top += heaviest;
    for (int p = node.first[i]; p < node.first[i + 1] && grain != 1; p++)
      grain = std::gcd(grain, heaviest - margin_.leaves[node.leaf[p]].weight);
  }
  if (top < margin_.threshold) return false;
  const Int above = top - margin_.threshold;
  target_ = margin_.threshold + (grain == 0 ? above : above % grain);
  node.threshold = double(target_ - top_) * scale_;
  return true;
}

Recorded Recorder::visit(int depth) {
  limits_.count_node();
  if (nodes >= most_nodes_ || depth > kDeepest) return Recorded::kTooLong;
  Node& node = nodes_at_[depth];
  if (!aim(node)) return close_at_once();
  nodes++;
  prepare(node, depth);
  if (lower(node, depth) || hand_down(depth)) return Recorded::kProof;
  return divide(depth);
}

// Set up the relaxation with the inherited multipliers. Those that charge nothing now may do so in a smaller part, so
// they stay on the node's list if they are above zero.
void Recorder::prepare(Node& node, int depth) {
  std::vector<double> w(inherited_[depth].size());
  const double in_units = double(unit) * scale_;
  for (std::size_t g = 0; g < w.size(); g++) w[g] = double(inherited_[depth][g]) * in_units;
  relaxation_.set_multipliers(w);
  kept_first_ = node.multiplier_first;
  kept_ = node.multipliers;
  relaxation_.prepare(node);
  std::vector<int> first{0}, all;
  for (int i = 0; i < node.trees(); i++) {
    int at = node.multiplier_first[i];
    for (int m = kept_first_[i]; m < kept_first_[i + 1]; m++) {
      const bool charges = at < node.multiplier_first[i + 1] && node.multipliers[at] == kept_[m];
      if (charges) at++;
      if (charges || inherited_[depth][kept_[m]] > 0) all.push_back(kept_[m]);
    }
    first.push_back(int(all.size()));
  }
  node.multiplier_first = std::move(first);
  node.multipliers = std::move(all);
  bound_.open(node, unit);
}

// Lower the bound until it closes the node; false if it does not.
bool Recorder::lower(Node& node, int depth) {
  const bool at_root = depth == 0;
  const int steps = at_root ? kRootSteps : kNodeSteps;
  cuts_.clear();
  double length = node.step;
  for (int n = 0; n < steps; n++) {
    limits_.check();
    const double upper = relaxation_.evaluate(node);
    if (upper < node.threshold - kTolerance && close(depth)) return true;
    length =
        relaxation_.keep_if_lowest(upper) ? std::min(2.0, length * 1.05) : std::max(at_root ? 0.2 : 0.5, length * 0.95);
    if (!at_root || n >= steps / 4) cuts_.count(node, relaxation_.pick);
    const double aimed = node.threshold - 2 * kTolerance;
    if (!relaxation_.step(node, upper, aimed, length)) break;
  }
  node.step = length;
  return false;
}

// Close a node with multipliers that differ from the inherited ones as roughly and as little as possible.
bool Recorder::close(int depth) {
  for (int roughness = kRoughest; roughness >= 0; roughness -= roughness > 6 ? 1 : 3) {
    round_changes(depth, roughness);
    if (bound_.evaluate(wanted_) >= target_) continue;
    take_back_changes(depth);
    note_changes(depth, roughness);
    notes_.push_back({Step::kBound});
    return true;
  }
  return false;
}

// Leave the best multipliers to the parts of a node; true if they close it.
bool Recorder::hand_down(int depth) {
  relaxation_.return_to_lowest();
  round_changes(depth, kInner);
  const bool closed = bound_.evaluate(wanted_) < target_;
  if (closed) take_back_changes(depth);
  note_changes(depth, kInner);
  if (closed) notes_.push_back({Step::kBound});
  return closed;
}

// What the multipliers shall be: the inherited ones, changed by multiples of 4 to the power of the roughness.
void Recorder::round_changes(int depth, int roughness) {
  wanted_.resize(bound_.size());
  const Int step = Int(1) << 2 * roughness;
  const double to_units = double(range_) / double(unit);
  for (std::size_t k = 0; k < wanted_.size(); k++) {
    const Int before = inherited_[depth][bound_.source(k)];
    const double change = bound_.multiplier(k) * to_units - double(before);
    wanted_[k] = before + Int(std::llround(change / double(step))) * step;
    if (wanted_[k] < 0) wanted_[k] += step;
  }
}

// Take multipliers back to what was inherited, the least changes first, as long as the bound closes the node.
void Recorder::take_back_changes(int depth) {
  order_.clear();
  for (std::size_t k = 0; k < wanted_.size(); k++) {
    const Int change = wanted_[k] - inherited_[depth][bound_.source(k)];
    if (change != 0) order_.push_back({std::abs(change), k});
  }
  std::sort(order_.begin(), order_.end());
  for (const auto& [change, k] : order_) bound_.change_if_below(k, inherited_[depth][bound_.source(k)], target_);
  wanted_ = bound_.multipliers();
}

void Recorder::note_changes(int depth, int roughness) {
  Note note{Step::kSet, roughness};
  for (std::size_t k = 0; k < wanted_.size(); k++) {
    Int& known = inherited_[depth][bound_.source(k)];
    if (wanted_[k] == known) continue;
    note.changes.push_back({bound_.source(k), (wanted_[k] - known) >> 2 * roughness});
    known = wanted_[k];
  }
  if (note.changes.empty()) return;
  std::sort(note.changes.begin(), note.changes.end());
  notes_.push_back(std::move(note));
}

Recorded Recorder::divide(int depth) {
  const Cut cut = cuts_.choose(nodes_at_[depth]);
  if (!cut.found()) return try_point(nodes_at_[depth]);
  notes_.push_back({Step::kSplit, cut.variable, cut.cut + 1});
  if (nodes_at_.size() <= std::size_t(depth) + 1) nodes_at_.resize(std::size_t(depth) + 2);
  if (inherited_.size() <= std::size_t(depth) + 1) inherited_.resize(std::size_t(depth) + 2);
  for (const bool first : {true, false}) {
    inherited_[depth + 1] = inherited_[depth];
    Node& part = nodes_at_[depth + 1];
    part.clear();
    part.region = nodes_at_[depth].region;
    cut.apply(part.region, first);
    part.step = 2;
    const bool has_leaves = part.take(nodes_at_[depth], nullptr);
    const Recorded recorded = has_leaves ? visit(depth + 1) : close_at_once();
    if (recorded != Recorded::kProof) return recorded;
  }
  return Recorded::kProof;
}

// All points of the node reach the same leaves: the library's own sum decides.
Recorded Recorder::try_point(const Node& node) {
  std::vector<int> x, point;
  node.region.pick_point(box_, x);
  box_.to_values(x, point);
  if (forest_.any_order) return Recorded::kCounterexample;
  const std::vector<double> score = forest_.scores(point.data());
  if (forest_.pick_class(score) != margin_.label) return Recorded::kCounterexample;
  const double slack = forest::slack_of(forest_.link);
  if (slack > 0 && std::abs(score[margin_.label] - score[margin_.rival]) <= slack) return Recorded::kNeedsLink;
  notes_.push_back({Step::kCell});
  return Recorded::kProof;
}

// The table of multipliers that are used, then the notes in the order of the visit.
void Recorder::write() {
  std::vector<int> place(of_tree_.size(), -1);
  for (const Note& note : notes_)
    for (const auto& change : note.changes) place[change.first] = 0;
  int count = 0;
  for (int& at : place)
    if (at == 0) at = count++;
  body.clear();
  put(std::uint64_t(count));
  write_table(place);
  for (const Note& note : notes_) {
    put(std::uint64_t(note.step) + (note.step == Step::kSet ? 4 * std::uint64_t(note.a) : 0));
    if (note.step == Step::kSplit) {
      put(std::uint64_t(feature_of_[note.a]));
      put(std::uint64_t(note.b));
    }
    if (note.step != Step::kSet) continue;
    put(note.changes.size());
    int before = 0;
    for (const auto& [source, change] : note.changes) {
      put(std::uint64_t(place[source] - before));
      put(change >= 0 ? 2 * std::uint64_t(change) : 2 * std::uint64_t(-change) - 1);
      before = place[source];
    }
  }
}

void Recorder::write_table(const std::vector<int>& place) {
  int tree = 0, feature = 0;
  for (std::size_t g = 0; g < place.size(); g++) {
    if (place[g] < 0) continue;
    const auto& [own_tree, source] = of_tree_[g];
    const int own_feature = feature_of_[source.variable];
    put(std::uint64_t(own_tree - tree));
    put(std::uint64_t(own_tree == tree ? own_feature - feature : own_feature));
    tree = own_tree;
    feature = own_feature;
    const bool has_ranks = source.span.low <= source.span.high;
    put((has_ranks ? 2 * std::uint64_t(source.span.low + 1) : 0) + std::uint64_t(source.span.missing));
    if (has_ranks) put(std::uint64_t(box_.size[source.variable] - 1 - source.span.high));
  }
}

// Seven bits to a byte, the lowest first.
void Recorder::put(std::uint64_t number) {
  for (; number >= 128; number >>= 7) body.push_back(char(number | 128));
  body.push_back(char(number));
}

}  // namespace primewood::search
