// The way of a point through every tree that still varies: what it sums up to, and which trees test a variable. Only
// these can end in another leaf when the point moves along that variable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/margin.hpp"

namespace primewood::search {

class Paths {
 public:
  explicit Paths(const Margin& margin) : margin_(margin) {}

  // Walk all trees.
  void walk(const std::vector<int>& x);

  // The same after the point moved along a variable.
  void walk_again(int j, const std::vector<int>& x);

  // The sum of the margin's weights.
  Int total() const { return total_; }

  // The roots of the trees that test a variable on the way.
  template <class Visit>
  void for_each_root(int j, const Visit& visit) const {
    for_each_tree(j, [&](std::size_t tree) { visit(margin_.roots[tree]); });
  }

 private:
  static constexpr std::size_t kBits = 64;

  // `visit` may change the way through the tree that it is called with.
  template <class Visit>
  void for_each_tree(int j, const Visit& visit) const {
    for (std::size_t w = 0; w < words_; w++)
      for (std::uint64_t left = testing_[std::size_t(j) * words_ + w]; left; left &= left - 1)
        visit(w * kBits + std::size_t(__builtin_ctzll(left)));
  }

  std::uint64_t& word(int j, std::size_t tree) { return testing_[std::size_t(j) * words_ + tree / kBits]; }
  void walk_tree(std::size_t tree, const std::vector<int>& x);

  const Margin& margin_;
  std::size_t words_ = 0;               // per variable
  std::vector<std::uint64_t> testing_;  // per variable: the trees that test it, a bit each
  std::vector<std::vector<int>> path_;  // per tree: the variables that it tests
  std::vector<Int> weight_;             // per tree: of the leaf at the end
  Int total_ = 0;
};

}  // namespace primewood::search
