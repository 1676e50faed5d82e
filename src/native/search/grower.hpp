// Growing an instance's cell to a prime box: steps in a given order, each taken iff the box stays safe.
//
// The box is safe, so a step on one variable needs the oracle only on the slice of the new values. A
// counterexample is swept along the variable, which rules out every failing value at once; it is kept,
// and rules out values of other variables whenever the rest of it lies in the box. A value that failed
// once stays failed, because the box only grows.
#pragma once

#include <cstdint>
#include <vector>

#include "search/oracle.hpp"

namespace primewood::search {

enum class Language { sets, intervals, values };

class Grower {
 public:
  // nominal: per variable, whether its values have no order, so that in `intervals` its literals are sets.
  // target: a class that must not be decided, or -1: then the decision must stay what it is.
  Grower(Oracle& o, Language language, std::vector<std::uint8_t> nominal, int target)
      : forest(o.forest), oracle(o), language_(language), nominal_(std::move(nominal)), question_{0, target} {}

  const Forest& forest;
  Oracle& oracle;
  std::vector<std::uint8_t> box;  // per atom: allowed
  std::vector<int> blocked_by;    // per atom: which witness fails there, or -1
  std::vector<std::vector<int>> witnesses;
  bool complete = true;

  using Atom = std::pair<int, int>;

  // steps: atoms to allow together, value -1 standing for all values of the variable; order: the
  // variables to widen after them; fixed: those to leave alone.
  void run(const std::vector<int>& point, const std::vector<std::vector<Atom>>& steps, const std::vector<int>& order,
           const std::vector<std::uint8_t>& fixed) {
    point_ = point;
    question_.label = forest.decide(point.data());
    box.assign(forest.atoms(), 0);
    blocked_by.assign(forest.atoms(), -1);
    witnesses.clear();
    for (int j = 0; j < forest.n_variables; j++) box[forest.offset[j] + point[j]] = 1;
    try {
      for (const auto& step : steps) take(step, fixed);
      for (int j : order)
        if (!fixed[j]) widen(j);
    } catch (const LimitReached&) {
      complete = false;
    }
  }

 private:
  std::uint8_t& at(int j, int v) { return box[forest.offset[j] + v]; }
  bool failed(int j, int v) const { return blocked_by[forest.offset[j] + v] >= 0; }

  // The language can weaken the variable only by dropping it.
  bool whole(int j) const {
    return language_ == Language::values || (language_ == Language::intervals && forest.ordered[j] > 0 &&
                                             nominal_[j] == 0 && point_[j] >= forest.ordered[j]);
  }

  bool is_line(int j) const { return language_ == Language::intervals && nominal_[j] == 0; }

  // Values of j that the step adds, closed as the language demands; empty if it adds none.
  void wanted(int j, std::vector<int>& values) {
    if (values.empty()) return;
    if (whole(j)) {
      values.clear();
      for (int v = 0; v < forest.values(j); v++) values.push_back(v);
    } else if (is_line(j)) {
      int low = point_[j], high = point_[j];
      bool missing = false;
      for (int v : values) {
        if (v >= forest.ordered[j]) {
          missing = true;
          continue;
        }
        low = std::min(low, v);
        high = std::max(high, v);
      }
      values.clear();
      if (point_[j] < forest.ordered[j])
        for (int v = low; v <= high; v++) values.push_back(v);
      if (missing) values.push_back(forest.ordered[j]);
    }
    std::vector<int> fresh;
    for (int v : values)
      if (!at(j, v)) fresh.push_back(v);
    values.swap(fresh);
  }

  void take(const std::vector<Atom>& step, const std::vector<std::uint8_t>& fixed) {
    std::vector<std::vector<int>> values(forest.n_variables);
    for (const auto& [j, v] : step) {
      if (fixed[j]) continue;
      for (int u = v < 0 ? 0 : v; u < (v < 0 ? forest.values(j) : v + 1); u++)
        if (!at(j, u)) values[j].push_back(u);
    }
    std::vector<int> touched;
    for (int j = 0; j < forest.n_variables; j++) {
      wanted(j, values[j]);
      if (values[j].empty()) continue;
      recall(j);
      for (int v : values[j])
        if (failed(j, v)) return;
      touched.push_back(j);
    }
    if (touched.empty()) return;
    if (touched.size() == 1) {
      if (slice_is_safe(touched[0], values[touched[0]])) allow(touched[0], values[touched[0]]);
      return;
    }
    mask_ = box;
    for (int j : touched)
      for (int v : values[j]) mask_[forest.offset[j] + v] = 1;
    if (oracle.ask(mask_.data(), question_, seeds(), found_)) {
      confirm();
      witnesses.push_back(found_);
      return;
    }
    for (int j : touched) allow(j, values[j]);
  }

  // Allow all values of a variable that are safe (in a line: next to what is allowed).
  void widen(int j) {
    for (;;) {
      recall(j);
      const std::vector<int> values = reachable(j);
      if (values.empty()) return;
      if (slice_is_safe(j, values)) {
        allow(j, values);
        return;
      }
    }
  }

  std::vector<int> reachable(int j) const {
    std::vector<int> values;
    const int base = forest.offset[j], ordered = forest.ordered[j];
    if (whole(j)) {
      for (int v = 0; v < forest.values(j); v++) {
        if (failed(j, v)) return {};
        if (!box[base + v]) values.push_back(v);
      }
      return values;
    }
    if (!is_line(j)) {
      for (int v = 0; v < forest.values(j); v++)
        if (!box[base + v] && !failed(j, v)) values.push_back(v);
      return values;
    }
    for (int v = point_[j] - 1; v >= 0 && !failed(j, v); v--)
      if (!box[base + v]) values.push_back(v);
    for (int v = point_[j] + 1; v < ordered && !failed(j, v); v++)
      if (!box[base + v]) values.push_back(v);
    if (forest.has_missing[j] && !box[base + ordered] && !failed(j, ordered)) values.push_back(ordered);
    return values;
  }

  bool slice_is_safe(int j, const std::vector<int>& values) {
    mask_ = box;
    const int base = forest.offset[j];
    std::fill(mask_.begin() + base, mask_.begin() + forest.offset[j + 1], 0);
    for (int v : values) mask_[base + v] = 1;
    if (!oracle.ask(mask_.data(), question_, seeds(), found_)) return true;
    confirm();
    const int witness = int(witnesses.size());
    witnesses.push_back(found_);
    oracle.along(j, found_, question_, fails_);
    fails_[found_[j]] = 1;
    for (int v = 0; v < forest.values(j); v++)
      if (fails_[v] && mask_[base + v]) blocked_by[base + v] = witness;
    return false;
  }

  // A counterexample is believed only if the library's own sum says so.
  void confirm() const {
    if (!forest.possible(found_.data()) || (!forest.any_order && !oracle.answers(found_, question_)))
      throw std::logic_error("a counterexample is none");
  }

  // Known counterexamples that, but for variable j, lie in the box rule out their value of j.
  void recall(int j) {
    for (int w = 0; w < int(witnesses.size()); w++) {
      const auto& p = witnesses[w];
      int& known = blocked_by[forest.offset[j] + p[j]];
      if (known >= 0 || box[forest.offset[j] + p[j]]) continue;
      bool inside = true;
      for (int f = 0; f < forest.n_variables && inside; f++) inside = f == j || box[forest.offset[f] + p[f]];
      if (inside) known = w;
    }
  }

  void allow(int j, const std::vector<int>& values) {
    for (int v : values) at(j, v) = 1;
  }

  std::vector<const std::vector<int>*> seeds() const {
    std::vector<const std::vector<int>*> found{&point_};
    for (int w = int(witnesses.size()) - 1; w >= 0 && int(found.size()) < 4; w--) found.push_back(&witnesses[w]);
    return found;
  }

  Language language_;
  std::vector<std::uint8_t> nominal_;
  Question question_;
  std::vector<int> point_, found_;
  std::vector<std::uint8_t> mask_, fails_;
};

}  // namespace primewood::search
