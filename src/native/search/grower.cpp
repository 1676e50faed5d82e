#include "search/grower.hpp"

#include "search/quick_box.hpp"

namespace primewood::search {

Grower::Grower(Oracle& oracle, const Weakening& weakening, const std::vector<int>& point)
    : forest_(oracle.forest),
      oracle_(oracle),
      weakening_(weakening),
      point_(point),
      box_(oracle, weakening, point),
      widening_(oracle, weakening, point, box_) {}

Grown Grower::run() {
  if (grow_until(kEarlyShare) || (!is_behind() && grow_until(kStrictShare))) return box_.take_grown();
  QuickBox quick(oracle_, weakening_, point_);
  oracle_.limits.set_stage(kQuickShare);
  quick.make(box_);
  box_.add_witnesses(quick.found());
  box_.trust(quick.box().grown().box);
  if (grow_until(kLateShare)) return box_.take_grown();
  oracle_.limits.set_stage(1);
  quick.widen(so_far().box);
  for (int j = 0; j < forest_.n_variables; j++) quick.box().recall(j);
  Grown grown = quick.box().take_grown();
  grown.interrupted = true;
  return grown;
}

Grown Grower::so_far() const {
  Grown grown = box_.grown();
  if (widening_.started()) grown.box = widening_.safe();
  return grown;
}

// Whether the strict order has hardly begun to widen. Steps are quick; widening takes most of the time.
bool Grower::is_behind() const {
  return double(widening_.reached()) < 2 * kEarlyShare * double(weakening_.order.size());
}

// Go on in the strict order until a share of the limits; true at its end.
bool Grower::grow_until(double share) {
  if (oracle_.limits.limited()) oracle_.limits.set_stage(share);
  try {
    for (; done_ < int(weakening_.steps.size()); done_++) take(weakening_.steps[done_]);
    widening_.run();
    return true;
  } catch (const LimitReached&) {
    return false;
  }
}

// Allow the atoms of a step, and what the language adds to them, if that is safe.
void Grower::take(const std::vector<Weakening::Atom>& step) {
  std::vector<std::vector<int>> values = fresh_values(step);
  std::vector<int> touched;
  for (int j = 0; j < forest_.n_variables; j++) {
    box_.close(j, values[j]);
    if (values[j].empty()) continue;
    box_.recall(j);
    for (int v : values[j])
      if (box_.failed(j, v)) return;
    touched.push_back(j);
  }
  if (touched.size() == 1) {
    const int j = touched[0];
    if (box_.is_slice_safe(j, values[j])) box_.allow(j, values[j]);
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
      if (!box_.allowed(j, u)) values[j].push_back(u);
  }
  return values;
}

// A step on several variables: the whole new box is asked about.
void Grower::take_together(const std::vector<int>& touched, const std::vector<std::vector<int>>& values) {
  GrowingBox::Mask wider = box_.grown().box;
  for (int j : touched)
    for (int v : values[j]) wider[forest_.offset[j] + v] = 1;
  if (!box_.is_safe(wider)) return;
  for (int j : touched) box_.allow(j, values[j]);
}

}  // namespace primewood::search
