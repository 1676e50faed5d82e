#include "search/quick_box.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <stdexcept>

namespace primewood::search {

QuickBox::QuickBox(Oracle& oracle, const Weakening& weakening, const std::vector<int>& point)
    : forest_(oracle.forest),
      oracle_(oracle),
      weakening_(weakening),
      point_(point),
      question_{forest_.decide(point.data()), weakening.target},
      box_(oracle, weakening, point),
      in_line_(weakening.nominal.size()) {
  std::transform(weakening.nominal.begin(), weakening.nominal.end(), in_line_.begin(), [](auto n) { return !n; });
}

void QuickBox::make(const GrowingBox& strict) {
  open(strict);
  const std::vector<int> variables = list_cuttable();
  if (variables.empty()) return;
  try {
    cut_off_found();
    prove(variables);
  } catch (const LimitReached&) {  // what is proved is the answer
  }
}

std::vector<std::vector<int>> QuickBox::found() const {
  const auto& witnesses = box_.grown().witnesses;
  return {witnesses.begin() + std::ptrdiff_t(known_), witnesses.end()};
}

// Begin with what the strict box allows in full. All that may be widened is in question.
void QuickBox::open(const GrowingBox& strict) {
  const int n = forest_.n_variables;
  known_ = strict.grown().witnesses.size();
  box_.add_witnesses(strict.grown().witnesses);
  GrowingBox::Mask narrow = box_.grown().box;
  values_.resize(n);
  cuttable_.assign(n, 0);
  kept_.assign(n, 0);
  for (int j = 0; j < n; j++) {
    const bool full = strict.is_full(j);
    cuttable_[j] = !full && may_be_widened(j);
    values_[j].resize(full || cuttable_[j] ? forest_.values(j) : 1);
    std::iota(values_[j].begin(), values_[j].end(), full || cuttable_[j] ? 0 : point_[j]);
    if (full) std::fill(narrow.begin() + forest_.offset[j], narrow.begin() + forest_.offset[j + 1], 1);
    for (int v = 0; v < forest_.values(j); v++) kept_[j] |= strict.failed(j, v);
  }
  box_.start_from(narrow);
}

// Whether the strict order would try all values of a variable.
bool QuickBox::may_be_widened(int j) const {
  if (weakening_.fixed[j]) return false;
  if (std::find(weakening_.order.begin(), weakening_.order.end(), j) != weakening_.order.end()) return true;
  return std::any_of(weakening_.steps.begin(), weakening_.steps.end(), [&](const auto& step) {
    return std::find(step.begin(), step.end(), Weakening::Atom{j, -1}) != step.end();
  });
}

std::vector<int> QuickBox::list_cuttable() const {
  std::vector<int> variables;
  for (int j = 0; j < forest_.n_variables; j++)
    if (cuttable_[j]) variables.push_back(j);
  return variables;
}

// Allow the values of these variables: of all at once, or, where that takes too long, fewer of each; where that takes
// too long as well, of one half of the variables after the other. Counterexamples are cut off.
void QuickBox::prove(const std::vector<int>& variables) {
  for (int drawn_in = 0; drawn_in < kMostDrawnIn;) {
    const Answer answer = ask(variables);
    if (answer == Answer::kSafe) {
      for (int j : variables) box_.allow(j, values_[j]);
      return;
    }
    if (answer == Answer::kUnsafe) continue;
    if (!draw_in(variables)) break;
    drawn_in++;
  }
  if (variables.size() < 2) return;
  const auto middle = variables.begin() + std::ptrdiff_t(variables.size() / 2);
  prove({variables.begin(), middle});
  prove({middle, variables.end()});
}

// Whether the values of these variables are safe.
QuickBox::Answer QuickBox::ask(const std::vector<int>& variables) {
  GrowingBox::Mask wider = box_.grown().box;
  for (int j : variables) {
    if (variables.size() == 1)  // the box is safe: the new values alone are in question
      std::fill(wider.begin() + forest_.offset[j], wider.begin() + forest_.offset[j + 1], 0);
    for (int v : values_[j]) wider[forest_.offset[j] + v] = variables.size() > 1 || !box_.allowed(j, v);
  }
  if (wider == box_.grown().box || is_empty(wider, variables[0])) return Answer::kSafe;
  oracle_.limits.set_slice(kProof);
  try {
    if (box_.is_safe(wider)) return Answer::kSafe;
  } catch (const LimitReached&) {
    if (oracle_.limits.is_stage_over()) throw;
    return Answer::kUnknown;
  }
  cut_off_pulled(box_.grown().witnesses.back());
  return Answer::kUnsafe;
}

bool QuickBox::is_empty(const GrowingBox::Mask& mask, int j) const {
  const auto begin = mask.begin() + forest_.offset[j], end = mask.begin() + forest_.offset[j + 1];
  return std::find(begin, end, 1) == end;
}

// Cut off the counterexamples that are known, and those that local search finds in part of the time.
void QuickBox::cut_off_found() {
  oracle_.limits.set_slice(kWalks);
  try {
    if (forest_.any_order || (question_.target && forest_.n_classes != 2)) return cut_off_known({});
    for (int rival = 0; rival < forest_.n_classes; rival++) {
      if (rival == question_.label || !oracle_.open_rival(mask().data(), question_.label, rival)) continue;
      cut_off_known(rival);
      cut_off_near();
    }
  } catch (const LimitReached&) {
    if (oracle_.limits.is_stage_over()) throw;
  }
}

// Those of one rival, or all.
void QuickBox::cut_off_known(std::optional<int> rival) {
  for (std::size_t k = 0; k < known_; k++) {
    const std::vector<int> point = box_.grown().witnesses[k];
    if (holds(point) && (!rival || forest_.decide(point.data()) == *rival)) cut_off_pulled(point);
  }
}

// Cut off what local search finds for the rival. The next walk begins where the last one ended.
void QuickBox::cut_off_near() {
  std::vector<int> point = point_;
  for (int misses = 0; misses < kMostMisses; misses++) {
    if (!oracle_.find_near(values_, point)) {
      point = point_;
    } else if (holds(point)) {
      cut_off_pulled(point);
      misses = -1;
    }
  }
}

// A counterexample is worth most where it is near to the instance.
void QuickBox::cut_off_pulled(std::vector<int> point) {
  if (!forest_.any_order) oracle_.pull(point_, in_line_, question_, point);
  box_.add_witness(point);
  cut_off(point);
}

bool QuickBox::holds(const std::vector<int>& point) const {
  for (int j = 0; j < forest_.n_variables; j++)
    if (!std::binary_search(values_[j].begin(), values_[j].end(), point[j])) return false;
  return true;
}

// Leave a counterexample out: narrow the variable that keeps the largest part of its values. One that may turn out
// not to matter at all is taken last.
void QuickBox::cut_off(const std::vector<int>& point) {
  int best = -1;
  double most = -1;
  for (int j = 0; j < forest_.n_variables; j++) {
    if (!cuttable_[j] || box_.allowed(j, point[j])) continue;
    const double share = share_after(j, cut_before(j, point[j])) + kept_[j];
    if (share <= most) continue;
    most = share;
    best = j;
  }
  if (best < 0) throw std::logic_error("a counterexample lies in a box that is safe");
  kept_[best] = 1;
  const int cut = cut_before(best, point[best]);
  auto& values = values_[best];
  values.erase(std::remove_if(values.begin(), values.end(), [&](int v) { return !stays(best, cut, v); }), values.end());
}

// Where to cut so that a value is left out: somewhat nearer, as more counterexamples lie next to it.
int QuickBox::cut_before(int j, int value) const {
  const int own = point_[j];
  if (!in_line_[j] || std::max(value, own) >= forest_.ordered[j]) return value;
  const int nearer = int(kNearer * (value - own));
  return nearer == 0 ? value : own + nearer;
}

// The part of a variable's values that stays when one is cut off.
double QuickBox::share_after(int j, int cut_at) const {
  const auto& values = values_[j];
  const auto left = std::count_if(values.begin(), values.end(), [&](int v) { return stays(j, cut_at, v); });
  return double(left) / double(values.size());
}

// Values with an order are cut off with all that lie beyond.
bool QuickBox::stays(int j, int cut_at, int v) const {
  if (box_.is_whole(j)) return v == point_[j];
  const int ordered = forest_.ordered[j];
  if (!in_line_[j] || cut_at >= ordered || v >= ordered || point_[j] >= ordered) return v != cut_at;
  return cut_at < point_[j] ? v > cut_at : v < cut_at;
}

// Draw the values of variables closer to the instance; false if nothing changes. Values without an order can only be
// given up, which is the last resort for a variable alone.
bool QuickBox::draw_in(const std::vector<int>& variables) {
  bool changed = false;
  for (int j : variables) {
    auto& values = values_[j];
    const std::size_t before = values.size();
    if (!box_.is_whole(j) && in_line_[j] && point_[j] < forest_.ordered[j]) {
      keep_nearer(j);
    } else if (variables.size() == 1) {
      values.assign(1, point_[j]);
    }
    changed = changed || values.size() < before;
  }
  return changed;
}

void QuickBox::keep_nearer(int j) {
  auto& values = values_[j];
  const int own = point_[j];
  const auto last = std::lower_bound(values.begin(), values.end(), forest_.ordered[j]) - 1;  // "missing" comes after it
  const int low = own - int(kDrawIn * (own - values.front())), high = own + int(kDrawIn * (*last - own));
  values.erase(std::remove_if(values.begin(), values.end(), [&](int v) { return v < low || v > high; }), values.end());
}

GrowingBox::Mask QuickBox::mask() const {
  GrowingBox::Mask mask(forest_.atoms(), 0);
  for (int j = 0; j < forest_.n_variables; j++)
    for (int v : values_[j]) mask[forest_.offset[j] + v] = 1;
  return mask;
}

void QuickBox::widen(const GrowingBox::Mask& other) {
  if (box_.log_volume(other) > box_.log_volume(box_.grown().box)) box_.start_from(other);
  std::vector<int> open;
  for (int j : weakening_.order)
    if (!weakening_.fixed[j]) open.push_back(j);
  try {
    for (double fraction = kFirstSlice; !open.empty(); fraction = std::min(1.0, fraction * kSliceGrowth))
      open.erase(std::remove_if(open.begin(), open.end(), [&](int j) { return widen_variable(j, fraction); }),
                 open.end());
  } catch (const LimitReached&) {  // what is proved is the answer
  }
}

// Allow more values of a variable: all, or the nearer half of those that take too long. False if some stay undecided.
bool QuickBox::widen_variable(int j, double fraction) {
  for (bool half : {false, true}) {
    try {
      for (;;) {
        box_.recall(j);
        std::vector<int> values = box_.reachable(j);
        if (half) keep_nearer_half(j, values);
        if (values.empty()) return !half;
        oracle_.limits.set_slice(fraction);
        if (!box_.is_slice_safe(j, values)) continue;
        box_.allow(j, values);
        return !half;
      }
    } catch (const LimitReached&) {
      if (oracle_.limits.is_stage_over()) throw;
      if (box_.is_whole(j)) return false;
    }
  }
  return false;
}

void QuickBox::keep_nearer_half(int j, std::vector<int>& values) const {
  std::sort(values.begin(), values.end(), [&](int a, int b) {
    const int x = std::abs(a - point_[j]), y = std::abs(b - point_[j]);
    return x != y ? x < y : a < b;
  });
  values.resize(values.size() / 2);
}

}  // namespace primewood::search
