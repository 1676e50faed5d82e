// Pairs of a class that may win and a rival, and by how much the one is ahead of the other.
#pragma once

#include <cassert>
#include <vector>

#include "diagram/votes.hpp"

namespace primewood::diagram {

// All ordered pairs of different classes, winner by winner.
class ClassPairs {
 public:
  // `band`: what one inexact leaf can move a difference by.
  ClassPairs(int classes, Int band);

  int classes() const { return classes_; }
  int size() const { return size_; }

  // The pairs of a winner are `first(winner)` up to, but without, `first(winner + 1)`.
  int first(int winner) const { return winner * (classes_ - 1); }

  // How far the winner is ahead, whatever rounding does, in a vote: one number per class, then the inexact leaves.
  Int difference(const Int* vote, int pair) const {
    return vote[winner_[pair]] - vote[rival_[pair]] - band_ * vote[classes_];
  }

  // The least difference that wins: the first of two equal classes does.
  Int threshold(int pair) const { return threshold_[pair]; }

 private:
  const int classes_, size_;
  const Int band_;
  std::vector<int> winner_, rival_;
  std::vector<Int> threshold_;
};

}  // namespace primewood::diagram
