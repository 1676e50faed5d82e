#include "search/growing_box.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace primewood::search {

GrowingBox::GrowingBox(Oracle& oracle, const Weakening& weakening, const std::vector<int>& point)
    : forest_(oracle.forest),
      oracle_(oracle),
      weakening_(weakening),
      point_(point),
      question_{forest_.decide(point.data()), weakening.target} {
  start();
}

void GrowingBox::start() {
  grown_.box.assign(forest_.atoms(), 0);
  grown_.blocked_by.assign(forest_.atoms(), -1);
  remembered_.assign(forest_.atoms(), -1);
  for (int j = 0; j < forest_.n_variables; j++) grown_.box[forest_.offset[j] + point_[j]] = 1;
}

void GrowingBox::start_from(const Mask& safe) {
  grown_.box = safe;
  grown_.blocked_by.assign(forest_.atoms(), -1);
  remembered_.assign(forest_.atoms(), -1);
}

void GrowingBox::add_witnesses(const std::vector<std::vector<int>>& points) {
  grown_.witnesses.insert(grown_.witnesses.end(), points.begin(), points.end());
}

bool GrowingBox::is_full(int j) const {
  const auto begin = grown_.box.begin();
  return std::find(begin + forest_.offset[j], begin + forest_.offset[j + 1], 0) == begin + forest_.offset[j + 1];
}

double GrowingBox::log_volume(const Mask& box) const {
  double sum = 0;
  for (int j = 0; j < forest_.n_variables; j++) {
    const auto begin = box.begin();
    const auto count = std::count(begin + forest_.offset[j], begin + forest_.offset[j + 1], 1);
    sum += std::log(double(count) / forest_.values(j));
  }
  return sum;
}

bool GrowingBox::is_whole(int j) const {
  if (weakening_.language == Language::kValues) return true;
  return is_line(j) && forest_.ordered[j] > 0 && point_[j] >= forest_.ordered[j];
}

bool GrowingBox::is_line(int j) const { return weakening_.language == Language::kIntervals && !weakening_.nominal[j]; }

void GrowingBox::close(int j, std::vector<int>& values) const {
  if (values.empty()) return;
  if (is_whole(j)) {
    values = all_values(j);
  } else if (is_line(j)) {
    values = close_line(j, values);
  }
  values.erase(std::remove_if(values.begin(), values.end(), [&](int v) { return allowed(j, v); }), values.end());
}

std::vector<int> GrowingBox::all_values(int j) const {
  std::vector<int> values(forest_.values(j));
  std::iota(values.begin(), values.end(), 0);
  return values;
}

// The run from the lowest to the highest of these values and the instance's own; "missing" stands beside it.
std::vector<int> GrowingBox::close_line(int j, const std::vector<int>& values) const {
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

std::vector<int> GrowingBox::reachable(int j) const {
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

std::vector<int> GrowingBox::reachable_in_line(int j) const {
  std::vector<int> values;
  const int ordered = forest_.ordered[j];
  for (int v = point_[j] - 1; v >= 0 && !failed(j, v); v--)
    if (!allowed(j, v)) values.push_back(v);
  for (int v = point_[j] + 1; v < ordered && !failed(j, v); v++)
    if (!allowed(j, v)) values.push_back(v);
  if (forest_.has_missing[j] && !allowed(j, ordered) && !failed(j, ordered)) values.push_back(ordered);
  return values;
}

GrowingBox::Mask GrowingBox::slice(int j, const std::vector<int>& values) const {
  Mask mask = grown_.box;
  std::fill(mask.begin() + forest_.offset[j], mask.begin() + forest_.offset[j + 1], 0);
  for (int v : values) mask[forest_.offset[j] + v] = 1;
  return mask;
}

bool GrowingBox::sift(const Mask& part, const Mask& base, const Blame& blame, Effort effort) {
  if (is_trusted(part)) return true;
  mask_ = part;
  const auto remove = [&](const std::vector<int>& point) {
    found_ = point;
    const int j = blame(found_);
    block_along(j, add_witness(found_));
    return drop_lost(j, base);
  };
  return oracle_.sift(part, question_, [&] { return seeds(); }, remove, effort);
}

// Take back the values of a variable that can no longer be reached; of these, list the ones that are searched.
Oracle::Atoms GrowingBox::drop_lost(int j, const Mask& base) {
  const int first = forest_.offset[j];
  const Mask before(grown_.box.begin() + first, grown_.box.begin() + forest_.offset[j + 1]);
  std::copy(base.begin() + first, base.begin() + forest_.offset[j + 1], grown_.box.begin() + first);
  for (int v : reachable(j)) grown_.box[first + v] = before[v];
  Oracle::Atoms lost;
  for (int v = 0; v < forest_.values(j); v++) {
    if (!mask_[first + v] || allowed(j, v)) continue;
    mask_[first + v] = 0;
    lost.emplace_back(j, v);
  }
  return lost;
}

void GrowingBox::start_again(int j, const Mask& base) {
  for (int a = forest_.offset[j]; a < forest_.offset[j + 1]; a++) {
    grown_.box[a] = base[a];
    if (grown_.blocked_by[a] >= 0) remembered_[a] = grown_.blocked_by[a];
    grown_.blocked_by[a] = -1;
  }
}

bool GrowingBox::is_slice_safe(int j, const std::vector<int>& values) {
  mask_ = slice(j, values);
  if (!finds_counterexample(mask_)) return true;
  block_along(j, add_witness(found_));
  return false;
}

bool GrowingBox::is_safe(const Mask& box) {
  if (!finds_counterexample(box)) return true;
  add_witness(found_);
  return false;
}

bool GrowingBox::finds_counterexample(const Mask& box) {
  return !is_trusted(box) && oracle_.ask(box.data(), question_, seeds(), found_);
}

bool GrowingBox::is_trusted(const Mask& box) const {
  if (trusted_.empty()) return false;
  return std::equal(box.begin(), box.end(), trusted_.begin(), [](auto a, auto t) { return a <= t; });
}

// Keep a counterexample.
int GrowingBox::add_witness(std::vector<int> point) {
  confirm(point);
  grown_.witnesses.push_back(std::move(point));
  return int(grown_.witnesses.size()) - 1;
}

// Rule out the values of a slice at which the last counterexample stays one.
void GrowingBox::block_along(int j, int witness) {
  const int base = forest_.offset[j];
  oracle_.find_answers_along(j, found_, question_, fails_);
  fails_[found_[j]] = 1;
  for (int v = 0; v < forest_.values(j); v++)
    if (fails_[v] && mask_[base + v]) grown_.blocked_by[base + v] = witness;
}

// A counterexample is believed only if the library's own sum says so.
void GrowingBox::confirm(const std::vector<int>& point) const {
  if (!forest_.possible(point.data()) || (!forest_.any_order && !oracle_.answers(point, question_)))
    throw std::logic_error("a counterexample is none");
}

void GrowingBox::recall(int j) {
  for (int w = 0; w < int(grown_.witnesses.size()); w++) {
    const auto& p = grown_.witnesses[w];
    if (failed(j, p[j]) || allowed(j, p[j])) continue;
    if (is_inside_but_for(j, p)) grown_.blocked_by[forest_.offset[j] + p[j]] = w;
  }
  for (int v = 0, known = -1; v < forest_.values(j); v++) {
    const int w = remembered_[forest_.offset[j] + v];
    if (w < 0 || failed(j, v) || allowed(j, v)) continue;
    if (w != known && !is_inside_but_for(j, grown_.witnesses[w])) continue;
    grown_.blocked_by[forest_.offset[j] + v] = known = w;
  }
}

bool GrowingBox::is_inside_but_for(int j, const std::vector<int>& point) const {
  for (int f = 0; f < forest_.n_variables; f++)
    if (f != j && !allowed(f, point[f])) return false;
  return true;
}

void GrowingBox::allow(int j, const std::vector<int>& values) {
  for (int v : values) grown_.box[forest_.offset[j] + v] = 1;
}

// The instance, and the last counterexamples.
Seeds GrowingBox::seeds() const {
  Seeds found{&point_};
  for (auto w = grown_.witnesses.rbegin(); w != grown_.witnesses.rend() && found.size() < kMostSeeds; ++w)
    found.push_back(&*w);
  return found;
}

}  // namespace primewood::search
