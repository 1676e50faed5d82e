#include "search/restriction.hpp"

#include <algorithm>

namespace primewood::search {

Restriction::Restriction(const Forest& f)
    : forest(f), size(f.n_variables), missing(f.n_variables), tests(f.nodes()), start_(f.n_variables) {
  int total = 0;
  for (int j = 0; j < f.n_variables; j++) {
    start_[j] = total;
    total += f.ordered[j] + 1;
  }
  below_.resize(total);
  testing_.resize(f.n_variables);
  for (std::size_t n = 0; n < tests.size(); n++) {
    tests[n] = {f.variable[n], 0, f.left[n], f.right[n], f.missing_left[n] != 0};
    if (f.variable[n] >= 0) testing_[f.variable[n]].push_back(int(n));
  }
}

// Boxes that are set one after the other differ in few variables: the others stay as they are.
void Restriction::set(const std::uint8_t* mask) {
  if (!set_) mask_.assign(std::size_t(forest.atoms()), 0);
  for (int j = 0; j < forest.n_variables; j++) {
    const std::uint8_t *begin = mask + forest.offset[j], *end = mask + forest.offset[j + 1];
    std::uint8_t* known = mask_.data() + forest.offset[j];
    if (set_ && std::equal(begin, end, known)) continue;
    std::copy(begin, end, known);
    number_values(j, begin);
    for (int n : testing_[j]) tests[n].split = below_[start_[j] + forest.prefix[n]];
  }
  set_ = true;
}

void Restriction::number_values(int j, const std::uint8_t* allowed) {
  int* below = &below_[start_[j]];
  int count = 0;
  for (int v = 0; v < forest.ordered[j]; v++) {
    below[v] = count;
    count += allowed[v];
  }
  below[forest.ordered[j]] = count;
  size[j] = count;
  missing[j] = forest.has_missing[j] ? allowed[forest.ordered[j]] : std::uint8_t(0);
}

int Restriction::rank_of(int j, int value) const {
  assert(set_);
  if (value >= forest.ordered[j]) return missing[j] ? size[j] : 0;
  const int rank = below_[start_[j] + value];
  return size[j] == 0 ? 0 : std::min(rank, size[j] - 1);
}

int Restriction::value_of(int j, int rank) const {
  assert(set_);
  if (rank >= size[j]) return forest.ordered[j];
  const int* below = &below_[start_[j]];
  return int(std::upper_bound(below, below + forest.ordered[j] + 1, rank) - below) - 1;
}

void Restriction::to_ranks(const std::vector<int>& point, std::vector<int>& x) const {
  x.resize(forest.n_variables);
  for (int j = 0; j < forest.n_variables; j++) x[j] = rank_of(j, point[j]);
}

void Restriction::to_values(const std::vector<int>& x, std::vector<int>& point) const {
  point.resize(forest.n_variables);
  for (int j = 0; j < forest.n_variables; j++) point[j] = value_of(j, x[j]);
}

}  // namespace primewood::search
