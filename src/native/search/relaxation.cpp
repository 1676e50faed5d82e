#include "search/relaxation.hpp"

#include <algorithm>
#include <cmath>

#include "search/rounding.hpp"

namespace primewood::search {

namespace {

bool same(const Entry& a, const Entry& b) { return a.low == b.low && a.high == b.high && a.missing == b.missing; }

constexpr Span kNothing{kNoLow, kNoHigh, false};

// The hull of the sets that a multiplier charges.
Span hull_of_charged(const Span& span, const std::vector<Entry>& sets) {
  Span hull = kNothing;
  for (const Entry& x : sets)
    if (span.holds(x)) hull.include(x);
  return hull;
}

}  // namespace

void Relaxation::open(Node& root, const Costs* costs) {
  costs_ = costs;
  price_ = 0;
  open_box();
  everywhere_.clear();
  root.multiplier_first.assign(1, 0);
  for (int i = 0; i < root.trees(); i++) open_tree(root, i);
}

void Relaxation::join(const Relaxation& other) {
  costs_ = nullptr;
  price_ = 0;
  open_box();
  everywhere_ = other.everywhere_;
}

std::vector<double> Relaxation::multipliers() const {
  std::vector<double> w;
  w.reserve(everywhere_.size());
  for (const Source& source : everywhere_) w.push_back(source.w);
  return w;
}

void Relaxation::set_multipliers(const std::vector<double>& w) {
  assert(w.size() == everywhere_.size());
  for (std::size_t k = 0; k < w.size(); k++) everywhere_[k].w = w[k];
}

void Relaxation::open_box() {
  const std::size_t n = box_.size.size();
  start_.assign(n + 1, 0);
  for (std::size_t j = 0; j < n; j++) start_[j + 1] = start_[j] + box_.size[j] + 2;
  is_end_.assign(start_.back(), 0);
  ends_.resize(n);
  for (auto& ends : ends_) ends.clear();
  place_.resize(start_.back());
  value.assign(n, 0);
  worth_.assign(n, 0.0);
  of_variable_.assign(n, -1);
}

void Relaxation::open_tree(Node& root, int i) {
  spans_.clear();
  for (int e = root.entry[root.first[i]]; e < root.entry[root.first[i + 1]]; e++) {
    check_often();
    const Entry& x = root.entries[e];
    const int j = x.variable, low = root.region.low[j], high = root.region.high[j];
    spans_.push_back({j, {x.low, x.high, x.missing}});
    if (x.low > low && x.high < high && x.low <= x.high) {
      spans_.push_back({j, {low, x.high, x.missing}});
      spans_.push_back({j, {x.low, high, x.missing}});
    }
  }
  std::sort(spans_.begin(), spans_.end());
  spans_.erase(std::unique(spans_.begin(), spans_.end()), spans_.end());
  for (const auto& [j, span] : spans_) {
    root.multipliers.push_back(int(everywhere_.size()));
    everywhere_.push_back({0.0, j, span});
  }
  root.multiplier_first.push_back(int(root.multipliers.size()));
}

void Relaxation::prepare(Node& node) {
  assert(start_.size() == box_.size.size() + 1);  // open() has been called
  block_sets_.assign(1, 0);
  tree_sets_.assign(1, 0);
  charged_first_.assign(1, 0);
  charged_.clear();
  multipliers_.clear();
  spans_.clear();
  source_.clear();
  set_of_entry_.resize(node.entries.size());
  int live = 0;
  for (int i = 0; i < node.trees(); i++) live = prepare_tree(node, i, live);
  node.multipliers.resize(live);
  charge_.resize(charged_first_.size() - 1);
  pick.assign(node.trees(), 0);
  best.assign(node.trees(), 0.0);
  tree_changed_.assign(node.trees(), 0);
  variable_changed_.assign(box_.size.size(), 0);
  lowest_ = INFINITY;
  stamp_ = 0;
  place_payments(node.region);
  list_positive();
  start_afresh();
}

void Relaxation::list_positive() {
  const std::size_t count = multipliers_.size();
  positive_.resize(2 * count + 1);
  rising_.resize(count + 1);
  falling_.resize(2 * count + 1);
  positive_count_ = 0;
  for (std::size_t k = 0; k < count; k++) {
    multipliers_[k].listed = multipliers_[k].w > 0;
    if (multipliers_[k].listed) positive_[positive_count_++] = int(k);
  }
}

// Set up a tree; `live` counts the multipliers of the node that are kept.
int Relaxation::prepare_tree(Node& node, int i, int live) {
  const int begin = node.entry[node.first[i]], end = node.entry[node.first[i + 1]];
  find_sets(node, begin, end);
  live = find_sources(node, i, live);
  const int first_block = int(block_sets_.size()) - 1;
  for (int b = 0; b < int(tested_.size()); b++) prepare_block(node, i, b);
  for (int e = begin; e < end; e++)
    set_of_entry_[e] += block_sets_[first_block + of_variable_[node.entries[e].variable]];
  for (int j : tested_) of_variable_[j] = -1;
  tree_sets_.push_back(block_sets_.back());
  return live;
}

// The distinct sets of a tree's entries, block by block.
void Relaxation::find_sets(const Node& node, int begin, int end) {
  tested_.clear();
  for (int e = begin; e < end; e++) {
    check_often();
    const Entry& x = node.entries[e];
    auto& known = distinct_[block_of(x.variable)];
    int k = 0;
    while (k < int(known.size()) && !same(known[k], x)) k++;
    if (k == int(known.size())) known.push_back(x);
    set_of_entry_[e] = k;
  }
}

// The block of a variable; a new one if the tree has not tested it before.
int Relaxation::block_of(int variable) {
  int& b = of_variable_[variable];
  if (b < 0) {
    b = int(tested_.size());
    tested_.push_back(variable);
    if (b >= int(distinct_.size())) distinct_.emplace_back();
    distinct_[b].clear();
  }
  return b;
}

// The multipliers of a tree that still charge something, block by block; they come sorted by variable.
int Relaxation::find_sources(Node& node, int i, int live) {
  sources_.assign(tested_.size(), {0, 0});
  hulls_.clear();
  const int from = node.multiplier_first[i], to = node.multiplier_first[i + 1];
  node.multiplier_first[i] = live;
  for (int at = from; at < to;) {
    const int j = everywhere_[node.multipliers[at]].variable, first = live;
    const int b = of_variable_[j];
    for (; at < to && everywhere_[node.multipliers[at]].variable == j; at++) {
      check_often();
      const Span hull = b >= 0 ? hull_of_charged(everywhere_[node.multipliers[at]].span, distinct_[b]) : kNothing;
      if (hull == kNothing) continue;
      hulls_.push_back(hull);
      node.multipliers[live++] = node.multipliers[at];
    }
    if (b >= 0) sources_[b] = {first, live};
  }
  if (i + 1 == node.trees()) node.multiplier_first[i + 1] = live;
  return live;
}

void Relaxation::prepare_block(const Node& node, int i, int b) {
  const int from = int(multipliers_.size());
  add_multipliers(node, i, b);
  add_charges(b, from);
  block_sets_.push_back(int(charged_first_.size()) - 1);
}

void Relaxation::add_multipliers(const Node& node, int i, int b) {
  const int j = tested_[b], from = int(multipliers_.size());
  for (int at = sources_[b].first; at < sources_[b].second; at++) {
    const Source& wide = everywhere_[node.multipliers[at]];
    const Span& hull = hulls_[at - node.multiplier_first[i]];
    if (node.region.inside({j, hull.low, hull.high, hull.missing})) continue;
    if (wide.w == 0 && has_span(from, hull)) continue;
    multipliers_.push_back({wide.w, 0, 0, j, i, 0, hull.missing, false});
    spans_.push_back({j, hull});
    source_.push_back(node.multipliers[at]);
  }
}

bool Relaxation::has_span(int from, const Span& span) const {
  return std::any_of(spans_.begin() + from, spans_.end(), [&](const auto& known) { return known.second == span; });
}

// Per set of a block, the multipliers that charge it.
void Relaxation::add_charges(int b, int from) {
  const auto& known = distinct_[b];
  for (std::size_t k = 0; k < known.size(); k++) {
    check_often();
    for (int q = from; q < int(multipliers_.size()); q++)
      if (spans_[q].second.holds(known[k])) charged_.push_back(q);
    charged_first_.push_back(int(charged_.size()));
  }
}

// Payments change only at the ends of spans: number these places, per variable in the order of ranks.
void Relaxation::place_payments(const Region& region) {
  for (const auto& [j, span] : spans_) {
    if (span.low > span.high) continue;
    mark_end(j, span.low);
    mark_end(j, span.high + 1);
  }
  rank_.clear();
  first_.assign(1, 0);
  for (int j = 0; j < int(box_.size.size()); j++) {
    place_ranks(region, j);
  }
  if (costs_) find_cheapest();
  place_multipliers();
  pay_.resize(rank_.size());
  pay_missing_.resize(box_.size.size());
  at_.assign(box_.size.size(), 0);
}

// Note that payments to a variable change at a rank.
void Relaxation::mark_end(int j, int rank) {
  std::uint8_t& marked = is_end_[start_[j] + rank];
  if (!marked && has_many_ranks(j)) ends_[j].push_back(rank);
  marked = 1;
}

// A variable with thousands of ranks has few ends, which are sorted. For one with few ranks, all ranks are scanned.
void Relaxation::place_ranks(const Region& region, int j) {
  const int past = region.high[j] + 1;
  if (region.has_ranks(j)) mark_end(j, region.low[j]);
  mark_end(j, past);
  if (has_many_ranks(j)) {
    std::sort(ends_[j].begin(), ends_[j].end());
    for (int rank : ends_[j]) place_rank(j, rank);
    ends_[j].clear();
  } else {
    for (int rank = std::min(region.low[j], past); rank <= past; rank++)
      if (is_end_[start_[j] + rank]) place_rank(j, rank);
  }
  first_.push_back(int(rank_.size()));
}

void Relaxation::place_rank(int j, int rank) {
  is_end_[start_[j] + rank] = 0;
  place_[start_[j] + rank] = int(rank_.size());
  rank_.push_back(rank);
}

// Between two places, the cheapest rank stands for all.
void Relaxation::find_cheapest() {
  cheapest_.resize(rank_.size());
  for (int j = 0; j < int(box_.size.size()); j++)
    for (int p = first_[j]; p < first_[j + 1] - 1; p++)
      cheapest_[p] = costs_->cheapest_in(j, rank_[p], rank_[p + 1] - 1);
}

void Relaxation::place_multipliers() {
  for (std::size_t k = 0; k < multipliers_.size(); k++) {
    const auto& [j, span] = spans_[k];
    const bool ranks = span.low <= span.high;
    multipliers_[k].from = ranks ? place_[start_[j] + span.low] : first_[j];
    multipliers_[k].to = ranks ? place_[start_[j] + span.high + 1] : first_[j];
    assert(multipliers_[k].from >= first_[j] && multipliers_[k].to < first_[j + 1]);  // the region holds the span
  }
}

void Relaxation::start_afresh() {
  std::fill(pay_.begin(), pay_.end(), 0.0);
  std::fill(pay_missing_.begin(), pay_missing_.end(), 0.0);
  load_ = {};
  for (const Multiplier& m : multipliers_) {
    if (m.w == 0) continue;
    pay(m, m.w);
    load_.count++;
    load_.sum += m.w;
  }
  std::fill(tree_changed_.begin(), tree_changed_.end(), 1);
  std::fill(variable_changed_.begin(), variable_changed_.end(), 1);
  evaluated_ = false;
}

double Relaxation::evaluate(const Node& node) {
  for (int i = 0; i < node.trees(); i++) {
    if (!tree_changed_[i]) continue;
    tree_changed_[i] = 0;
    charge_tree(i);
    pick_leaf(node, i);
  }
  for (int j = 0; j < int(variable_changed_.size()); j++) {
    if (!variable_changed_[j]) continue;
    variable_changed_[j] = 0;
    pick_value(node.region, j);
  }
  evaluated_ = true;
  double total = node.base + budget_worth();
  for (double b : best) total += b;
  for (double w : worth_) total += w;
  return total;
}

// Three parts, with P multipliers above zero whose sum is W:
//   - a leaf after charges sums up its weight, the entries of its path, and those of the multipliers that charge it;
//   - a payment sums up 2P terms, of magnitude 2W, as every multiplier is added where its span begins and taken off
//   where
//     it ends; of payments that differ by less than `kRounding`, any may be picked;
//   - the total sums up a number per tree and per variable.
// P and W of one tree or variable are less than those of all, and every bound is twice as large as it must be. That
// leaves room for the few operations that compare with the result.
double Relaxation::rounding(const Node& node) const {
  assert(evaluated_);
  return rounding_of_leaves(node) + rounding_of_payments() + rounding_of_total(node) + node.inexactness;
}

double Relaxation::rounding_of_leaves(const Node& node) const {
  const double most_entries = double(box_.size.size());
  return rounding_of_sum(load_.count + most_entries + 1, node.magnitude + load_.sum);
}

// A price p takes p times the cost off a payment, which rounds twice. All costs of a point are at most the budget, 1,
// as far as `Costs` can tell.
double Relaxation::rounding_of_payments() const {
  const double total = rounding_of_sum(2 * load_.count, 2 * load_.sum) + kRounding * double(worth_.size());
  if (!costs_) return total;
  return total + rounding_of_sum(2, 2 * (load_.sum + price_)) + price_ * costs_->rounding();
}

double Relaxation::rounding_of_total(const Node& node) const {
  double magnitude = std::abs(node.base) + price_ + std::abs(node.threshold);
  for (double b : best) magnitude += std::abs(b);
  for (double w : worth_) magnitude += std::abs(w);
  return rounding_of_sum(double(best.size() + worth_.size() + 2), magnitude);
}

bool Relaxation::is_near(const Node& node, double upper, double rounding) const {
  return std::abs(upper - evaluate_precisely(node)) <= rounding;
}

long double Relaxation::evaluate_precisely(const Node& node) const {
  std::vector<long double> paid(rank_.size() + box_.size.size());  // per place, then "missing" per variable
  for (const Multiplier& m : multipliers_) {
    paid[m.from] += m.w;
    paid[m.to] -= m.w;
    if (m.missing) paid[rank_.size() + m.variable] += m.w;
  }
  long double total = static_cast<long double>(node.base) + budget_worth();
  for (int i = 0; i < node.trees(); i++) total += best_precisely(node, i);
  for (int j = 0; j < int(box_.size.size()); j++) total += worth_precisely(node.region, j, paid);
  return total;
}

long double Relaxation::best_precisely(const Node& node, int i) const {
  long double top = -INFINITY;
  for (int p = node.first[i]; p < node.first[i + 1]; p++) {
    long double v = node.weight[p];
    for (int e = node.entry[p]; e < node.entry[p + 1]; e++)
      for (int q = charged_first_[set_of_entry_[e]]; q < charged_first_[set_of_entry_[e] + 1]; q++)
        v -= multipliers_[charged_[q]].w;
    top = std::max(top, v);
  }
  return top;
}

long double Relaxation::worth_precisely(const Region& region, int j, const std::vector<long double>& paid) const {
  const auto charged = [&](int rank) { return costs_ ? static_cast<long double>(price_) * costs_->at(j, rank) : 0; };
  if (region.fixed(j)) return -charged(value[j]);
  long double sum = 0, top = -INFINITY;
  for (int p = first_[j]; p < first_[j + 1] - 1; p++) {
    sum += paid[p];
    if (live_rank(j, p) < 0) continue;
    top = std::max(top, sum - charged(costs_ ? cheapest_[p] : rank_[p]));
  }
  if (region.missing[j]) top = std::max(top, paid[rank_.size() + j] - charged(box_.size[j]));
  return top;
}

bool Relaxation::step(const Node& node, double upper, double target, double length) {
  assert(evaluated_);
  Direction found = find_direction(node);
  const double dearer = costs_ ? kPriceScale * price_slope() : 0;
  const double norm = double(found.up + found.down) + dearer * dearer;
  if (norm == 0) return false;
  const double size = std::max(0.0, length * (upper - target)) / norm;
  if (dearer != 0) set_price(std::clamp(price_ - size * dearer * kPriceScale, 0.0, kHighestPrice));
  Multiplier* const m = multipliers_.data();
  for (std::size_t p = 0; p < found.up; p++) {
    const int k = rising_[p];
    change(m[k], m[k].w + size);
    positive_[found.positive] = k;
    found.positive += !m[k].listed;
    m[k].listed = true;
  }
  for (std::size_t p = 0; p < found.down; p++) change(m[falling_[p]], std::max(0.0, m[falling_[p]].w - size));
  positive_count_ = found.positive;
  evaluated_ = false;
  return true;
}

// The slope of a multiplier is -1 if it charges the tree's leaf and does not pay the variable's rank, +1
// the other way round (where it can go down), else 0. What is true is hardly predictable, so the lists are
// written without branches: an item stays if the count goes up.
Relaxation::Direction Relaxation::find_direction(const Node& node) {
  stamp_++;
  Multiplier* const m = multipliers_.data();
  const int* const at = at_.data();
  int* const up = rising_.data();
  int* const down = falling_.data();
  std::size_t n_up = 0, n_down = 0, n_positive = 0;
  for (int i = 0; i < node.trees(); i++)
    for (int e = node.entry[pick[i]]; e < node.entry[pick[i] + 1]; e++) {
      const int s = set_of_entry_[e];
      for (int q = charged_first_[s]; q < charged_first_[s + 1]; q++) {
        const int k = charged_[q];
        m[k].chosen = stamp_;
        up[n_up] = k;
        n_up += !m[k].pays(at[m[k].variable]);
      }
    }
  for (std::size_t p = 0; p < positive_count_; p++) {
    const int k = positive_[p];
    const bool stays = m[k].w > 0;
    m[k].listed = stays;
    positive_[n_positive] = k;
    n_positive += stays;
    down[n_down] = k;
    n_down += stays & (m[k].chosen != stamp_) & m[k].pays(at[m[k].variable]);
  }
  return {n_up, n_down, n_positive};
}

// How U changes with the price: by the budget less the cost of the picked ranks; 0 where it cannot go down.
double Relaxation::price_slope() const {
  double slope = costs_->budget();
  for (std::size_t j = 0; j < value.size(); j++) slope -= costs_->at(int(j), value[j]);
  if (std::abs(slope) < kLeastSlope) return 0;
  return (slope > 0 && price_ == 0) || (slope < 0 && price_ == kHighestPrice) ? 0 : slope;
}

void Relaxation::set_price(double price) {
  price_ = price;
  std::fill(variable_changed_.begin(), variable_changed_.end(), 1);
}

// Each variable has a place after its last one, for what ends there.
void Relaxation::pay(const Multiplier& m, double amount) {
  pay_[m.from] += amount;
  pay_[m.to] -= amount;
  if (m.missing) pay_missing_[m.variable] += amount;
}

void Relaxation::change(Multiplier& m, double w) {
  pay(m, w - m.w);
  m.w = w;
  tree_changed_[m.tree] = 1;
  variable_changed_[m.variable] = 1;
}

bool Relaxation::keep_if_lowest(double upper) {
  if (upper >= lowest_ - 1e-5) return false;
  lowest_ = upper;
  lowest_price_ = price_;
  lowest_at_.resize(multipliers_.size());
  for (std::size_t k = 0; k < multipliers_.size(); k++) lowest_at_[k] = multipliers_[k].w;
  return true;
}

void Relaxation::return_to_lowest() {
  assert(lowest_at_.size() >= multipliers_.size());
  price_ = lowest_price_;
  for (std::size_t k = 0; k < multipliers_.size(); k++) multipliers_[k].w = lowest_at_[k];
  start_afresh();
}

void Relaxation::remember() {
  for (std::size_t k = 0; k < multipliers_.size(); k++) everywhere_[source_[k]].w = multipliers_[k].w;
}

void Relaxation::drop_values(Region& region, int j, double slack) const {
  assert(evaluated_);
  double sum = 0;
  int low = 1, high = 0;
  for (int p = first_[j]; p < first_[j + 1] - 1; p++) {
    sum += pay_[p];
    if (worth_[j] - (sum - charge_at(j, p)) > slack || live_rank(j, p) < 0) continue;
    if (low > high) low = rank_[p];
    high = rank_[p + 1] - 1;
  }
  region.low[j] = low;
  region.high[j] = high;
  if (region.missing[j] && worth_[j] - (pay_missing_[j] - charge(j, box_.size[j])) > slack) region.missing[j] = 0;
}

// Sum up, per set of a tree, what its multipliers charge.
void Relaxation::charge_tree(int i) {
  const int* const first = charged_first_.data();
  const int* const charged = charged_.data();
  const Multiplier* const m = multipliers_.data();
  for (int s = tree_sets_[i]; s < tree_sets_[i + 1]; s++) {
    double sum = 0;
    for (int q = first[s]; q < first[s + 1]; q++) sum += m[charged[q]].w;
    charge_[s] = sum;
  }
}

void Relaxation::pick_leaf(const Node& node, int i) {
  const int* const entry = node.entry.data();
  const int* const set = set_of_entry_.data();
  const double* const charge = charge_.data();
  const double* const weight = node.weight.data();
  const int end = node.first[i + 1];
  double top = -INFINITY;
  int found = node.first[i];
  for (int p = found; p < end && (weight[p] > top || !node.sorted); p++) {
    double v = weight[p];
    for (int e = entry[p]; e < entry[p + 1]; e++) v -= charge[set[e]];
    if (v > top) {
      top = v;
      found = p;
    }
  }
  pick[i] = found;
  best[i] = top;
}

// The middle of the best paid run of ranks; with costs, the cheapest rank between two places.
void Relaxation::pick_value(const Region& region, int j) {
  if (region.fixed(j)) {  // it is in no entry any more, so nothing is paid for it
    value[j] = region.has_ranks(j) ? region.low[j] : box_.size[j];
    worth_[j] = -charge(j, value[j]);
    return;
  }
  if (live_.is_shrunk(j)) {
    pick_live_value(region, j);
    return;
  }
  double sum = 0, top = -INFINITY;
  int from = first_[j], to = first_[j];
  for (int p = first_[j]; p < first_[j + 1] - 1; p++) {
    sum += pay_[p];
    const double paid = sum - charge_at(j, p);
    const bool cheaper = costs_ && paid > top - kRounding && cost_at(j, p) < cost_at(j, from);
    if (paid > top + kRounding || cheaper) {
      top = std::max(top, paid);
      from = to = p;
    } else if (!costs_ && to == p - 1 && paid >= top - kRounding) {
      to = p;
    }
  }
  const double missing = pay_missing_[j] - charge(j, box_.size[j]);
  if (region.missing[j] && missing > top) {
    worth_[j] = missing;
    value[j] = box_.size[j];
    at_[j] = -1;
    return;
  }
  pick_rank(j, from, to, top);
}

// The same among live ranks; there are no costs then.
void Relaxation::pick_live_value(const Region& region, int j) {
  assert(!costs_);
  double sum = 0, top = -INFINITY;
  at_[j] = -1;
  value[j] = box_.size[j];
  if (region.missing[j]) top = pay_missing_[j];
  for (int p = first_[j]; p < first_[j + 1] - 1; p++) {
    sum += pay_[p];
    if (sum <= top + kRounding) continue;
    const int rank = live_rank(j, p);
    if (rank < 0) continue;
    top = sum;
    value[j] = rank;
    at_[j] = p;
  }
  worth_[j] = top;
}

// A live rank between two places; -1 if there is none.
int Relaxation::live_rank(int j, int place) const {
  const int low = rank_[place], high = rank_[place + 1] - 1;
  return live_.is_shrunk(j) ? live_.nearest(j, (low + high) / 2, low, high) : low;
}

void Relaxation::pick_rank(int j, int from, int to, double worth) {
  worth_[j] = worth;
  value[j] = costs_ ? cheapest_[from] : (rank_[from] + rank_[to + 1] - 1) / 2;
  at_[j] = to;
  while (rank_[at_[j]] > value[j]) at_[j]--;
}

}  // namespace primewood::search
