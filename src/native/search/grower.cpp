#include "search/grower.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace primewood::search {

Grower::Grower(Oracle& oracle, const Weakening& weakening, const std::vector<int>& point)
    : forest_(oracle.forest),
      oracle_(oracle),
      weakening_(weakening),
      point_(point),
      question_{forest_.decide(point.data()), weakening.target} {}

Grown Grower::run() {
  grown_ = {};
  done_ = 0;
  grown_.box.assign(forest_.atoms(), 0);
  grown_.blocked_by.assign(forest_.atoms(), -1);
  for (int j = 0; j < forest_.n_variables; j++) at(j, point_[j]) = 1;
  try {
    for (const auto& step : weakening_.steps) {
      take(step);
      done_++;
    }
    for (int j : weakening_.order) {
      if (!weakening_.fixed[j]) widen(j);
      done_++;
    }
  } catch (const LimitReached&) {
    grown_.interrupted = true;
  }
  return std::move(grown_);
}

// Whether the language can weaken the variable only by dropping it.
bool Grower::is_whole(int j) const {
  if (weakening_.language == Language::kValues) return true;
  return is_line(j) && forest_.ordered[j] > 0 && point_[j] >= forest_.ordered[j];
}

bool Grower::is_line(int j) const { return weakening_.language == Language::kIntervals && !weakening_.nominal[j]; }

// Allow the atoms of a step, and what the language adds to them, if that is safe.
void Grower::take(const std::vector<Weakening::Atom>& step) {
  std::vector<std::vector<int>> values = fresh_values(step);
  std::vector<int> touched;
  for (int j = 0; j < forest_.n_variables; j++) {
    close(j, values[j]);
    if (values[j].empty()) continue;
    recall(j);
    for (int v : values[j])
      if (failed(j, v)) return;
    touched.push_back(j);
  }
  if (touched.size() == 1) {
    const int j = touched[0];
    if (is_slice_safe(j, values[j])) allow(j, values[j]);
  } else if (!touched.empty()) {
    take_together(touched, values);
  }
}

// Per variable, the values of a step that are not allowed yet.
std::vector<std::vector<int>> Grower::fresh_values(const std::vector<Weakening::Atom>& step) const {
  std::vector<std::vector<int>> values(forest_.n_variables);
  for (const auto& [j, v] : step) {
    if (weakening_.fixed[j]) continue;
    const int from = v < 0 ? 0 : v, to = v < 0 ? forest_.values(j) : v + 1;
    for (int u = from; u < to; u++)
      if (!allowed(j, u)) values[j].push_back(u);
  }
  return values;
}

// What comes with values of a variable, as the language demands; without what is allowed already.
void Grower::close(int j, std::vector<int>& values) const {
  if (values.empty()) return;
  if (is_whole(j)) {
    values = all_values(j);
  } else if (is_line(j)) {
    values = close_line(j, values);
  }
  values.erase(std::remove_if(values.begin(), values.end(), [&](int v) { return allowed(j, v); }), values.end());
}

std::vector<int> Grower::all_values(int j) const {
  std::vector<int> values(forest_.values(j));
  std::iota(values.begin(), values.end(), 0);
  return values;
}

// The run from the lowest to the highest of these values and the instance's own; "missing" stands beside it.
std::vector<int> Grower::close_line(int j, const std::vector<int>& values) const {
  int low = point_[j], high = point_[j];
  bool missing = false;
  for (int v : values) {
    if (v >= forest_.ordered[j]) {
      missing = true;
      continue;
    }
    low = std::min(low, v);
    high = std::max(high, v);
  }
  std::vector<int> closed;
  if (point_[j] < forest_.ordered[j])
    for (int v = low; v <= high; v++) closed.push_back(v);
  if (missing) closed.push_back(forest_.ordered[j]);
  return closed;
}

// A step on several variables: the whole new box is asked about.
void Grower::take_together(const std::vector<int>& touched, const std::vector<std::vector<int>>& values) {
  mask_ = grown_.box;
  for (int j : touched)
    for (int v : values[j]) mask_[forest_.offset[j] + v] = 1;
  if (oracle_.ask(mask_.data(), question_, seeds(), found_)) {
    add_witness();
    return;
  }
  for (int j : touched) allow(j, values[j]);
}

// Allow all values of a variable that are safe (in a line: next to what is allowed).
void Grower::widen(int j) {
  for (;;) {
    recall(j);
    const std::vector<int> values = reachable(j);
    if (values.empty()) return;
    if (is_slice_safe(j, values)) {
      allow(j, values);
      return;
    }
  }
}

// The values of a variable that may still become allowed.
std::vector<int> Grower::reachable(int j) const {
  if (is_line(j) && !is_whole(j)) return reachable_in_line(j);
  std::vector<int> values;
  for (int v = 0; v < forest_.values(j); v++) {
    if (failed(j, v)) {
      if (is_whole(j)) return {};
    } else if (!allowed(j, v)) {
      values.push_back(v);
    }
  }
  return values;
}

std::vector<int> Grower::reachable_in_line(int j) const {
  std::vector<int> values;
  const int ordered = forest_.ordered[j];
  for (int v = point_[j] - 1; v >= 0 && !failed(j, v); v--)
    if (!allowed(j, v)) values.push_back(v);
  for (int v = point_[j] + 1; v < ordered && !failed(j, v); v++)
    if (!allowed(j, v)) values.push_back(v);
  if (forest_.has_missing[j] && !allowed(j, ordered) && !failed(j, ordered)) values.push_back(ordered);
  return values;
}

// Whether the box with these values of a variable, in the place of those that are allowed, is safe.
bool Grower::is_slice_safe(int j, const std::vector<int>& values) {
  mask_ = grown_.box;
  std::fill(mask_.begin() + forest_.offset[j], mask_.begin() + forest_.offset[j + 1], 0);
  for (int v : values) mask_[forest_.offset[j] + v] = 1;
  if (!oracle_.ask(mask_.data(), question_, seeds(), found_)) return true;
  block_along(j, add_witness());
  return false;
}

// Keep the counterexample that was found.
int Grower::add_witness() {
  confirm();
  grown_.witnesses.push_back(found_);
  return int(grown_.witnesses.size()) - 1;
}

// Rule out the values of a slice at which the last counterexample stays one.
void Grower::block_along(int j, int witness) {
  const int base = forest_.offset[j];
  oracle_.find_answers_along(j, found_, question_, fails_);
  fails_[found_[j]] = 1;
  for (int v = 0; v < forest_.values(j); v++)
    if (fails_[v] && mask_[base + v]) grown_.blocked_by[base + v] = witness;
}

// A counterexample is believed only if the library's own sum says so.
void Grower::confirm() const {
  if (!forest_.possible(found_.data()) || (!forest_.any_order && !oracle_.answers(found_, question_)))
    throw std::logic_error("a counterexample is none");
}

// Known counterexamples that, but for variable j, lie in the box rule out their value of j.
void Grower::recall(int j) {
  for (int w = 0; w < int(grown_.witnesses.size()); w++) {
    const auto& p = grown_.witnesses[w];
    if (failed(j, p[j]) || allowed(j, p[j])) continue;
    if (is_inside_but_for(j, p)) grown_.blocked_by[forest_.offset[j] + p[j]] = w;
  }
}

bool Grower::is_inside_but_for(int j, const std::vector<int>& point) const {
  for (int f = 0; f < forest_.n_variables; f++)
    if (f != j && !allowed(f, point[f])) return false;
  return true;
}

void Grower::allow(int j, const std::vector<int>& values) {
  for (int v : values) at(j, v) = 1;
}

// The instance, and the last counterexamples.
Seeds Grower::seeds() const {
  Seeds found{&point_};
  for (auto w = grown_.witnesses.rbegin(); w != grown_.witnesses.rend() && found.size() < kMostSeeds; ++w)
    found.push_back(&*w);
  return found;
}

}  // namespace primewood::search
