#include "search/widening.hpp"

#include <algorithm>
#include <stdexcept>

namespace primewood::search {

Widening::Widening(Oracle& oracle, const Weakening& weakening, const std::vector<int>& point, GrowingBox& box)
    : forest_(oracle.forest), oracle_(oracle), point_(point), box_(box), stage_of_(forest_.n_variables, -1) {
  for (int j : weakening.order) {
    if (weakening.fixed[j] || stage_of_[j] >= 0) continue;
    stage_of_[j] = int(order_.size());
    order_.push_back(j);
  }
}

void Widening::run() {
  if (!started()) {
    base_ = safe_ = believed_ = box_.grown().box;
    probe_ = oracle_.options().probe;
    if (count_narrow() <= oracle_.options().few) probe_ = Effort{};
  }
  try {
    go_on();
  } catch (const LimitReached&) {
    for (int k = settled_; k < stages(); k++) box_.start_again(order_[k], base_);
    throw;
  }
}

int Widening::count_narrow() const {
  return int(std::count_if(order_.begin(), order_.end(), [&](int j) { return !box_.is_full(j); }));
}

void Widening::go_on() {
  for (int next = settled_; settled_ < stages();) {
    back_ = stages();
    next = widen_from(next);
    if (back_ == stages() && !is_within(box_.grown().box, safe_)) prove();
    if (back_ == stages()) {
      settled_ = next;
      continue;
    }
    believed_ = box_.grown().box;
    for (int k = back_ + 1; k < next; k++) box_.start_again(order_[k], base_);
    next = back_ + 1;
  }
}

// Widen one variable after the other until some are widened on trust, or values of an earlier one are taken back.
int Widening::widen_from(int stage) {
  int doubtful = 0;
  for (; stage < stages() && doubtful < trusted_ && back_ == stages(); stage++) {
    reached_ = std::max(reached_, stage);
    doubtful += !widen(stage);
  }
  return stage;
}

// Widen a variable; false if that is on trust.
bool Widening::widen(int stage) {
  const int j = order_[stage];
  const bool safe = box_.grown().box == safe_;
  box_.recall(j);
  const std::vector<int> values = box_.reachable(j);
  std::vector<int> fresh;
  for (int v : values)
    if (!believed_[forest_.offset[j] + v]) fresh.push_back(v);
  box_.allow(j, values);
  if (fresh.empty()) return true;
  const std::int64_t before = oracle_.limits.visited(), relaxed = oracle_.counts.relaxed;
  const bool sure = box_.sift(box_.slice(j, fresh), base_, [&](auto& point) { return blame(point); }, probe_);
  if (back_ == stage) back_ = stages();
  if (sure && safe && fresh.size() == values.size() && back_ == stages()) safe_ = box_.grown().box;
  if (sure && oracle_.counts.relaxed > relaxed) note_proof(before);
  return sure;
}

// Search what is widened on trust. Afterwards the box is safe, or values were taken back.
void Widening::prove() {
  const std::vector<int> variables = list_unproved();
  GrowingBox::Mask part = box_.grown().box;
  if (variables.size() == 1) {
    const int j = variables[0];
    for (int a = forest_.offset[j]; a < forest_.offset[j + 1]; a++) part[a] = part[a] && !safe_[a];
  }
  const std::int64_t before = oracle_.limits.visited();
  if (box_.sift(part, base_, [&](auto& point) { return blame(point); }, oracle_.options().proof)) {
    safe_ = box_.grown().box;
    note_proof(before);
  }
  trusted_ = back_ == stages() ? std::min(kMostTrusted, 2 * trusted_) : std::max(kLeastTrusted, trusted_ / 2);
}

// Where proofs take few nodes, short searches before them would take more.
void Widening::note_proof(std::int64_t visited_before) {
  const long nodes = long(oracle_.limits.visited() - visited_before) / trusted_;
  probe_.nodes = nodes < kLeastProbe ? 0 : std::min(oracle_.options().probe.nodes, nodes);
}

// The last variable that lets a counterexample in. It is moved back to the instance's value of a later one where it
// stays a counterexample: then that one is not to blame.
int Widening::blame(std::vector<int>& point) {
  for (;;) {
    const int stage = last_stage(point), j = order_[stage], own = point[j];
    point[j] = point_[j];
    if (!forest_.any_order && oracle_.answers(point, box_.question())) continue;
    point[j] = own;
    back_ = std::min(back_, stage);
    return j;
  }
}

int Widening::last_stage(const std::vector<int>& point) const {
  int last = -1;
  for (int j = 0; j < forest_.n_variables; j++)
    if (!base_[forest_.offset[j] + point[j]]) last = std::max(last, stage_of_[j]);
  if (last < 0) throw std::logic_error("a counterexample lies in a box that is safe");
  return last;
}

std::vector<int> Widening::list_unproved() const {
  std::vector<int> variables;
  for (int j : order_)
    for (int a = forest_.offset[j]; a < forest_.offset[j + 1]; a++)
      if (box_.grown().box[a] && !safe_[a]) {
        variables.push_back(j);
        break;
      }
  return variables;
}

bool Widening::is_within(const GrowingBox::Mask& box, const GrowingBox::Mask& other) {
  return std::equal(box.begin(), box.end(), other.begin(), [](auto a, auto b) { return a <= b; });
}

}  // namespace primewood::search
