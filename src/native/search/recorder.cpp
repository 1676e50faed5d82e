#include "search/recorder.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "search/sums.hpp"

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
      bound_(relaxation_, margin_),
      shares_(margin_),
      costs_(box_) {}

Recorded Recorder::prove(const std::uint8_t* mask, int label, int rival) {
  together_ = nullptr;
  start(mask);
  margin_.choose(label, rival);
  return finish(is_beaten() ? close_at_once() : search());
}

Recorded Recorder::prove(const std::uint8_t* mask, const Together& together) {
  together_ = &together;
  start(mask);
  margin_.choose_none();
  margin_.collect();
  if (!margin_.possible()) return finish(close_at_once());
  shares_.open(together.wins);
  return finish(search());
}

void Recorder::start(const std::uint8_t* mask) {
  box_.set(mask);
  live_.open();
  notes_.clear();
  of_tree_.clear();
  unit = 1;
  bound_.price = 0;
  bound_.set_costs(nullptr);
}

Recorded Recorder::finish(Recorded recorded) {
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
  const bool costs = together_ && !together_->costs.empty();
  if (costs) open_costs();
  relaxation_.open(root, costs ? &costs_ : nullptr);
  cuts_.open(box_);
  unit = std::max<Int>(1, range_ >> kBits);
  of_tree_.resize(relaxation_.sources().size());
  for (int i = 0; i < root.trees(); i++) {
    const int tree = tree_of(margin_.leaves[root.leaf[root.first[i]]].node);
    for (int m = root.multiplier_first[i]; m < root.multiplier_first[i + 1]; m++) {
      const int source = root.multipliers[m];
      of_tree_[source] = {tree, relaxation_.sources()[source]};
    }
  }
  inherited_.assign(1, {});
  inherited_[0].multipliers.assign(of_tree_.size(), 0);
  if (together_) inherited_[0].shares.assign(together_->wins.size(), 0);
}

// The costs of ranks, from those of atoms.
void Recorder::open_costs() {
  const Together& t = *together_;
  costs_.set({t.costs.begin(), t.costs.end()}, double(t.budget));
  prices_ = {{0}, {}, t.budget};
  for (int j = 0; j < forest_.n_variables; j++) {
    for (int rank = 0; rank < box_.ranks(j); rank++)
      prices_.of_rank.push_back(t.costs[forest_.offset[j] + box_.value_of(j, rank)]);
    prices_.of_rank.resize(std::size_t(prices_.start.back()) + box_.size[j] + 1, 0);
    prices_.start.push_back(int(prices_.of_rank.size()));
  }
  bound_.set_costs(&prices_);
}

int Recorder::tree_of(int node) const {
  return int(std::upper_bound(forest_.root.begin(), forest_.root.end(), node) - forest_.root.begin()) - 1;
}

// All leaves of the box but forbidden ones. Weights are scaled to at most one per tree. Those of one margin are taken
// relative to the heaviest leaf of each tree; those of several change on the way.
void Recorder::open_leaves(Node& root) {
  const auto is_allowed = [&](int p) { return !margin_.forbidden(margin_.leaves[p]); };
  const auto heaviest = [&](int tree) { return together_ ? 0 : margin_.leaves[margin_.first[tree]].weight; };
  range_ = together_ ? shares_.range() : 1;
  top_ = margin_.base;
  for (int i = 0; i < margin_.trees() && !together_; i++) {
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
  root.sorted = !together_;
}

// Weigh the leaves by shares.
void Recorder::take_shares(Node& node, const std::vector<Int>& shares) {
  shares_.take(shares);
  top_ = margin_.base;
  for (std::size_t p = 0; p < node.weight.size(); p++)
    node.weight[p] = double(margin_.leaves[node.leaf[p]].weight) * scale_;
  node.base = 0;
  for (int p : node.settled) node.base += double(margin_.leaves[p].weight) * scale_;
}

// The next sum from the threshold on that the leaves of a node can make is its threshold; false if there is none.
bool Recorder::aim(Node& node) {
  Sums sums(margin_, node);
  sums.add([](int, int) { return true; });
  if (!sums.any()) return false;
  node.threshold = to_scale(sums.next());
  return true;
}

Recorded Recorder::visit(int depth) {
  limits_.count_node();
  if (nodes >= most_nodes_ || depth > kDeepest) return Recorded::kTooLong;
  Node& node = nodes_at_[depth];
  if (together_) {
    if (is_too_dear(node)) return close_at_once();
    if (const int win = shares_.find_missed(node); win >= 0) return miss_one(node, depth, win);
    take_shares(node, shares_.whole);
  }
  if (!aim(node)) {
    note_shares(depth);
    return close_at_once();
  }
  nodes++;
  prepare(node, depth);
  if (lower(node, depth) || hand_down(depth)) return Recorded::kProof;
  return divide(depth);
}

// Whether even the cheapest point of a node costs more than the budget.
bool Recorder::is_too_dear(const Node& node) const {
  if (together_->costs.empty()) return false;
  Int total = 0;
  for (int j = 0; j < forest_.n_variables; j++) {
    const auto first = prices_.of_rank.begin() + prices_.start[j];
    Int least = std::numeric_limits<Int>::max();
    if (node.region.has_ranks(j))
      least = *std::min_element(first + node.region.low[j], first + node.region.high[j] + 1);
    if (node.region.missing[j]) least = std::min(least, *(first + box_.size[j]));
    total += least;
  }
  return total > prices_.budget;
}

// One of the wins alone closes the node.
Recorded Recorder::miss_one(Node& node, int depth, int win) {
  const std::vector<Int> shares = shares_.whole;
  take_shares(node, shares_.alone(win));
  note_shares(depth);
  shares_.whole = shares;
  return close_at_once();
}

// Write down the shares and the price if they are not the inherited ones.
void Recorder::note_shares(int depth) {
  if (!together_) return;
  Inherited& known = inherited_[depth];
  if (known.shares != shares_.whole) notes_.push_back({Step::kShares, 0, 0, {}, known.shares = shares_.whole});
  if (known.price != bound_.price) notes_.push_back({Step::kPrice, 0, 0, {}, {known.price = bound_.price}});
}

// Set up the relaxation with the inherited multipliers. Those that charge nothing now may do so in a smaller part, so
// they stay on the node's list if they are above zero.
void Recorder::prepare(Node& node, int depth) {
  std::vector<double> w(inherited_[depth].multipliers.size());
  const double in_units = double(unit) * scale_;
  for (std::size_t g = 0; g < w.size(); g++) w[g] = double(inherited_[depth].multipliers[g]) * in_units;
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
      if (charges || inherited_[depth].multipliers[kept_[m]] > 0) all.push_back(kept_[m]);
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
    const bool tries = upper < node.threshold - kTolerance || (n % kOften == 0 && may_close(node, upper));
    if (tries && close(depth)) return true;
    if (learn(node, n, steps)) continue;
    length =
        relaxation_.keep_if_lowest(upper) ? std::min(2.0, length * 1.05) : std::max(at_root ? 0.2 : 0.5, length * 0.95);
    if (!at_root || n >= steps / 4) cuts_.count(node, relaxation_.pick);
    const double aimed = node.threshold - 2 * kTolerance;
    if (!relaxation_.step(node, upper, aimed, length)) break;
  }
  node.step = length;
  return false;
}

// Move the shares now and then, in the first half of the steps.
bool Recorder::learn(Node& node, int step, int steps) {
  if (!together_ || step % kLearn != kLearn - 1 || 2 * step > steps) return false;
  if (!shares_.learn(node, relaxation_.pick)) return false;
  take_shares(node, shares_.whole);
  aim(node);
  relaxation_.start_afresh();
  return true;
}

// Whether a bound may close a node although it is not below the threshold: see `IntegerBound`.
bool Recorder::may_close(const Node& node, double upper) const {
  if (together_ && !together_->parting.empty()) return true;
  const double slack = upper - to_scale(margin_.threshold);
  const Int fine = Int(slack * double(range_));
  Sums sums(margin_, node);
  const auto counts = [&](int tree, int leaf) {
    return relaxation_.best[tree] - relaxation_.leaf_value(node, leaf) <= slack;
  };
  if (!sums.add(counts, fine)) return false;
  return sums.single() || !sums.any() || fine < sums.next() - margin_.threshold;
}

// Close a node with multipliers that differ from the inherited ones as roughly and as little as possible.
bool Recorder::close(int depth) {
  for (int roughness = kRoughest; roughness >= 0; roughness -= roughness > 6 ? 1 : 3) {
    round_changes(depth, roughness);
    Step how{};
    if (!is_closed(depth, how)) continue;
    if (how != Step::kParting) take_back_changes(depth);
    note_shares(depth);
    note_changes(depth, roughness);
    notes_.push_back({how});
    return true;
  }
  return false;
}

// Whether the wanted multipliers close a node: by their bound, or as they leave one sum, by the library's own.
bool Recorder::is_closed(int depth, Step& how) {
  how = Step::kBound;
  if (bound_.closes(wanted_)) return true;
  how = Step::kParting;
  if (together_ && !together_->parting.empty() && bound_.are_idle(together_->parting)) return true;
  how = Step::kCell;
  return !forest_.any_order && bound_.leaves_one_sum(leaves_) && is_label_preferred(nodes_at_[depth]);
}

// Whether the library prefers the label to the rival where trees end in their settled leaves, and in `leaves_`.
bool Recorder::is_label_preferred(const Node& node) {
  std::vector<int> ends(forest_.all_trees());
  for (int leaf : leaves_) ends[tree_of(leaf)] = leaf;
  for (int leaf : margin_.settled) ends[tree_of(leaf)] = leaf;
  for (int p : node.settled) ends[tree_of(margin_.leaves[p].node)] = margin_.leaves[p].node;
  if (together_) return together_->missed(ends);
  return forest_.prefers(forest_.scores_at(ends), margin_.label, margin_.rival);
}

// Leave the best multipliers to the parts of a node; true if they close it.
bool Recorder::hand_down(int depth) {
  relaxation_.return_to_lowest();
  round_changes(depth, kInner);
  Step how{};
  const bool closed = is_closed(depth, how);
  if (closed && how != Step::kParting) take_back_changes(depth);
  note_shares(depth);
  note_changes(depth, kInner);
  if (closed) notes_.push_back({how});
  return closed;
}

// What the multipliers shall be: the inherited ones, changed by multiples of 4 to the power of the roughness.
void Recorder::round_changes(int depth, int roughness) {
  wanted_.resize(bound_.size());
  if (together_ && !together_->costs.empty()) {
    const auto budget = double(std::max<Int>(1, prices_.budget));
    bound_.price = Int(std::min(bound_.price_of_relaxation() * double(range_), kMostPaid) / budget);
  }
  const Int step = Int(1) << 2 * roughness;
  const double to_units = double(range_) / double(unit);
  for (std::size_t k = 0; k < wanted_.size(); k++) {
    const Int before = inherited_[depth].multipliers[bound_.source(k)];
    const double change = bound_.multiplier(k) * to_units - double(before);
    wanted_[k] = before + Int(std::llround(change / double(step))) * step;
    if (wanted_[k] < 0) wanted_[k] += step;
  }
}

// Take multipliers back to what was inherited, the least changes first, as long as the bound closes the node.
void Recorder::take_back_changes(int depth) {
  order_.clear();
  for (std::size_t k = 0; k < wanted_.size(); k++) {
    const Int change = wanted_[k] - inherited_[depth].multipliers[bound_.source(k)];
    if (change != 0) order_.push_back({std::abs(change), k});
  }
  std::sort(order_.begin(), order_.end());
  for (const auto& [change, k] : order_) bound_.change_if_closed(k, inherited_[depth].multipliers[bound_.source(k)]);
  wanted_ = bound_.multipliers();
}

void Recorder::note_changes(int depth, int roughness) {
  Note note{Step::kSet, roughness};
  for (std::size_t k = 0; k < wanted_.size(); k++) {
    Int& known = inherited_[depth].multipliers[bound_.source(k)];
    if (wanted_[k] == known) continue;
    note.changes.push_back({bound_.source(k), (wanted_[k] - known) >> 2 * roughness});
    known = wanted_[k];
  }
  if (note.changes.empty()) return;
  std::sort(note.changes.begin(), note.changes.end());
  notes_.push_back(std::move(note));
}

// Where only a few leaves are left that can reach the threshold, tell them apart.
Cut Recorder::choose_cut(const Node& node) {
  bound_.list_rivals(leaves_);
  if (!leaves_.empty() && leaves_.size() <= kFew) {
    cuts_.clear();
    cuts_.count(node, leaves_);
  }
  return cuts_.choose(node);
}

Recorded Recorder::divide(int depth) {
  const Cut cut = choose_cut(nodes_at_[depth]);
  if (!cut.found()) return fail_at_point(nodes_at_[depth]);
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

// All points of the node reach the same leaves, and their sum does not close it.
Recorded Recorder::fail_at_point(const Node& node) {
  std::vector<int> x, point;
  node.region.pick_point(box_, x);
  box_.to_values(x, point);
  if (together_) return together_->met(point) ? Recorded::kCounterexample : Recorded::kNeedsLink;
  const bool wins = forest_.any_order || forest_.decide(point.data()) != margin_.label;
  return wins ? Recorded::kCounterexample : Recorded::kNeedsLink;
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
    for (const Int number : note.numbers) put(std::uint64_t(number));
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
