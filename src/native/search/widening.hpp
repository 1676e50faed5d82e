// Widening the variables of a safe box one after the other, each as far as the box stays safe.
//
// In this order, every variable needs a proof. One proof for several variables takes hardly longer than one for a
// single variable. So proofs are put off: a variable for whose values a short search finds neither a proof nor a
// counterexample is widened on trust, and after some of these, the whole box is searched. A counterexample takes back
// values of the last variable that lets it in, and the search goes on; the variables after that one are widened anew.
//
// Where few variables are to be widened, each gets its proof.
//
// The result is the one of the strict order. It is proved to be safe, so every value in it was safe in its turn; and
// every value left out has a counterexample in the box as it was in its turn.
#pragma once

#include <cstdint>
#include <vector>

#include "search/growing_box.hpp"

namespace primewood::search {

class Widening {
 public:
  Widening(Oracle& oracle, const Weakening& weakening, const std::vector<int>& point, GrowingBox& box);

  // Widen what is not widened yet. Where a limit is reached, the box holds what is settled by then, and it can go on.
  void run();

  bool started() const { return !base_.empty(); }

  // How many of the variables are settled, and how many were widened at some time, be it on trust.
  int settled() const { return settled_; }
  int reached() const { return reached_; }

  // A box that is proved to be safe; it may be wider than what is settled.
  const GrowingBox::Mask& safe() const { return safe_; }

 private:
  static constexpr int kLeastTrusted = 4, kMostTrusted = 128;
  static constexpr long kLeastProbe = 10;  // nodes

  int stages() const { return int(order_.size()); }
  int count_narrow() const;
  void go_on();
  int widen_from(int stage);
  bool widen(int stage);
  void prove();
  void note_proof(std::int64_t visited_before);
  int blame(std::vector<int>& point);
  int last_stage(const std::vector<int>& point) const;
  std::vector<int> list_unproved() const;
  static bool is_within(const GrowingBox::Mask& box, const GrowingBox::Mask& other);

  const Forest& forest_;
  Oracle& oracle_;
  const std::vector<int>& point_;
  GrowingBox& box_;
  std::vector<int> order_;     // the variables to widen
  std::vector<int> stage_of_;  // per variable: its place in the order, or -1
  GrowingBox::Mask base_;      // the box at the start
  GrowingBox::Mask safe_;      // what is proved
  GrowingBox::Mask believed_;  // what was widened before, proved or on trust
  int settled_ = 0, reached_ = 0;
  int trusted_ = kLeastTrusted;  // how many variables may be widened on trust before a proof
  Effort probe_;                 // for the next variables
  int back_ = 0;                 // the first stage that lost values in a search
};

}  // namespace primewood::search
