// A wide box in little time, where the strict order takes long.
//
// All that may be widened is in question at first. Local search shows counterexamples; each is pulled back towards the
// instance and cut off, where that costs least. When no more are found, the rest is proved at once; where that takes
// too long, a smaller part of it. So few boxes have to be proved, while the strict order has to prove every step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "search/growing_box.hpp"

namespace primewood::search {

class QuickBox {
 public:
  QuickBox(Oracle& oracle, const Weakening& weakening, const std::vector<int>& point);

  // Make a box. What the strict one allows in full stays, and its counterexamples are known.
  void make(const GrowingBox& strict);

  // Widen this box, or another safe one if that is wider, as far as short searches show to be safe.
  void widen(const GrowingBox::Mask& other);

  GrowingBox& box() { return box_; }

  // The counterexamples that were found.
  std::vector<std::vector<int>> found() const;

 private:
  static constexpr double kWalks = 0.6;    // the part of the time for local search
  static constexpr int kMostMisses = 12;   // walks in a row that find nothing
  static constexpr double kNearer = 0.75;  // the part of the way to a counterexample after which it is cut off
  static constexpr double kProof = 0.7;    // the part of what is left of the stage that one question may take
  static constexpr double kDrawIn = 0.5;   // the part of a side that is kept when it is drawn in
  static constexpr int kMostDrawnIn = 3;   // how often that is done
  static constexpr double kFirstSlice = 0.02, kSliceGrowth = 4;  // parts of the stage for one question of a sweep

  enum class Answer { kSafe, kUnsafe, kUnknown };

  void open(const GrowingBox& strict);
  bool may_be_widened(int j) const;
  std::vector<int> list_cuttable() const;
  void prove(const std::vector<int>& variables);
  Answer ask(const std::vector<int>& variables);
  bool is_empty(const GrowingBox::Mask& mask, int j) const;
  void cut_off_found();
  void cut_off_known(std::optional<int> rival);
  void cut_off_near();
  void cut_off_pulled(std::vector<int> point);
  void cut_off(const std::vector<int>& point);
  bool holds(const std::vector<int>& point) const;
  bool stays(int j, int cut_at, int v) const;
  int cut_before(int j, int value) const;
  double share_after(int j, int cut_at) const;
  bool draw_in(const std::vector<int>& variables);
  void keep_nearer(int j);
  GrowingBox::Mask mask() const;

  bool widen_variable(int j, double fraction);
  void keep_nearer_half(int j, std::vector<int>& values) const;

  const Forest& forest_;
  Oracle& oracle_;
  const Weakening& weakening_;
  const std::vector<int>& point_;
  const Question question_;
  GrowingBox box_;
  std::size_t known_ = 0;                      // counterexamples of the strict box
  std::vector<std::vector<int>> values_;       // per variable: those that are allowed at the moment, in order
  std::vector<std::uint8_t> cuttable_, kept_;  // per variable: whether it may be cut, and whether it cannot be dropped
  std::vector<std::uint8_t> in_line_;          // per variable: whether its values have an order that counts
};

}  // namespace primewood::search
