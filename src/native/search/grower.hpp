// Growing an instance's cell to a prime box: steps in a given order, each taken iff the box stays safe.
//
// The box is safe, so a step on one variable needs the oracle only on the slice of the new values. A
// counterexample is swept along the variable, which rules out every failing value at once; it is kept,
// and rules out values of other variables whenever the rest of it lies in the box. A value that failed
// once stays failed, because the box only grows.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "language.hpp"
#include "search/oracle.hpp"

namespace primewood::search {

// How to weaken an instance.
struct Weakening {
  using Atom = std::pair<int, int>;  // a variable and a value; -1 stands for all values

  std::vector<std::vector<Atom>> steps;  // atoms to allow together
  std::vector<int> order;                // the variables to widen after the steps
  std::vector<std::uint8_t> fixed;       // per variable: leave it alone
  std::vector<std::uint8_t> nominal;     // per variable: its values have no order, its literals are sets
  Language language = Language::kSets;
  std::optional<int> target;  // a class that must not be decided; without one, the decision must stay what it is
};

struct Grown {
  std::vector<std::uint8_t> box;            // per atom: allowed
  std::vector<int> blocked_by;              // per atom: which witness fails there, or -1
  std::vector<std::vector<int>> witnesses;  // counterexamples
  bool interrupted = false;                 // by a limit: the box is safe, but not known to be prime
};

class Grower {
 public:
  Grower(Oracle& oracle, const Weakening& weakening, const std::vector<int>& point);

  Grown run();

  // While it runs, at any time that the limits poll: the box so far, and how many of all steps are done.
  const Grown& so_far() const { return grown_; }
  int steps_done() const { return done_; }
  int steps() const { return int(weakening_.steps.size() + weakening_.order.size()); }

 private:
  static constexpr std::size_t kMostSeeds = 4;

  std::uint8_t& at(int j, int v) { return grown_.box[forest_.offset[j] + v]; }
  bool allowed(int j, int v) const { return grown_.box[forest_.offset[j] + v] != 0; }
  bool failed(int j, int v) const { return grown_.blocked_by[forest_.offset[j] + v] >= 0; }
  bool is_whole(int j) const;
  bool is_line(int j) const;

  void take(const std::vector<Weakening::Atom>& step);
  std::vector<std::vector<int>> fresh_values(const std::vector<Weakening::Atom>& step) const;
  void close(int j, std::vector<int>& values) const;
  std::vector<int> close_line(int j, const std::vector<int>& values) const;
  std::vector<int> all_values(int j) const;
  void take_together(const std::vector<int>& touched, const std::vector<std::vector<int>>& values);

  void widen(int j);
  std::vector<int> reachable(int j) const;
  std::vector<int> reachable_in_line(int j) const;

  bool is_slice_safe(int j, const std::vector<int>& values);
  int add_witness();
  void block_along(int j, int witness);
  void confirm() const;
  void recall(int j);
  bool is_inside_but_for(int j, const std::vector<int>& point) const;
  void allow(int j, const std::vector<int>& values);
  Seeds seeds() const;

  const Forest& forest_;
  Oracle& oracle_;
  const Weakening& weakening_;
  const std::vector<int>& point_;
  Question question_;
  Grown grown_;
  int done_ = 0;
  std::vector<int> found_;
  std::vector<std::uint8_t> mask_, fails_;
};

}  // namespace primewood::search
