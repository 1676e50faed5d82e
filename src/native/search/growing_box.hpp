// A safe box around an instance that only ever grows, and what is known of the values outside it.
//
// As the box is safe, more values of one variable need the oracle only on the slice of these values. A
// counterexample is swept along the variable, which rules out every failing value at once; it is kept,
// and rules out values of other variables whenever the rest of it lies in the box. A value that failed
// once stays failed, because the box only grows.
#pragma once

#include <cstdint>
#include <vector>

#include "search/oracle.hpp"
#include "search/weakening.hpp"

namespace primewood::search {

class GrowingBox {
 public:
  using Mask = std::vector<std::uint8_t>;  // per atom

  GrowingBox(Oracle& oracle, const Weakening& weakening, const std::vector<int>& point);

  // The instance alone, or a box that is known to be safe. Counterexamples stay known.
  void start();
  void start_from(const Mask& safe);

  const Question& question() const { return question_; }
  const Grown& grown() const { return grown_; }
  Grown take_grown() { return std::move(grown_); }
  void add_witnesses(const std::vector<std::vector<int>>& points);
  int add_witness(std::vector<int> point);

  bool allowed(int j, int v) const { return grown_.box[forest_.offset[j] + v] != 0; }
  bool failed(int j, int v) const { return grown_.blocked_by[forest_.offset[j] + v] >= 0; }
  bool is_full(int j) const;

  // Whether the language can weaken the variable only by dropping it, and whether its literals are runs of values.
  bool is_whole(int j) const;
  bool is_line(int j) const;

  // What comes with values of a variable, as the language demands; without what is allowed already.
  void close(int j, std::vector<int>& values) const;

  // The values of a variable that may still become allowed.
  std::vector<int> reachable(int j) const;

  // Known counterexamples that, but for variable j, lie in the box rule out their value of j.
  void recall(int j);

  // Whether the box with these values of a variable, in the place of those that are allowed, is safe.
  bool is_slice_safe(int j, const std::vector<int>& values);

  // Whether a whole box is safe.
  bool is_safe(const Mask& box);

  void allow(int j, const std::vector<int>& values);

  // The box with these values of a variable, in the place of those that are allowed.
  Mask slice(int j, const std::vector<int>& values) const;

  // Search a part of the box for counterexamples. For each, `blame` names a variable whose values beyond the base have
  // to give way, and may move the counterexample. False if the search stopped before its end.
  using Blame = std::function<int(std::vector<int>&)>;
  bool sift(const Mask& part, const Mask& base, const Blame& blame, Effort effort);

  // Give a variable the values that it has in the base. What ruled out others is remembered.
  void start_again(int j, const Mask& base);

  // A box that is safe for another reason: what lies in it is not asked about.
  void trust(const Mask& safe) { trusted_ = safe; }

  // The logarithm of the share of all points that lie in a box.
  double log_volume(const Mask& box) const;

 private:
  static constexpr std::size_t kMostSeeds = 3;

  std::vector<int> all_values(int j) const;
  std::vector<int> close_line(int j, const std::vector<int>& values) const;
  std::vector<int> reachable_in_line(int j) const;
  Oracle::Atoms drop_lost(int j, const Mask& base);
  bool is_trusted(const Mask& box) const;
  bool finds_counterexample(const Mask& box);
  void block_along(int j, int witness);
  void confirm(const std::vector<int>& point) const;
  bool is_inside_but_for(int j, const std::vector<int>& point) const;
  Seeds seeds() const;

  const Forest& forest_;
  Oracle& oracle_;
  const Weakening& weakening_;
  const std::vector<int>& point_;
  const Question question_;
  Grown grown_;
  std::vector<int> found_;
  std::vector<int> remembered_;  // per atom: which witness failed there in another box, or -1
  Mask mask_, trusted_;
  std::vector<std::uint8_t> fails_;
};

}  // namespace primewood::search
