#include "search/falsifier.hpp"

#include <algorithm>

namespace primewood::search {

void Falsifier::reset() {
  best_.clear();
  best_total_ = INT64_MIN;
  random_.reset();
}

void Falsifier::sweep(int j, const std::vector<int>& x, Int total) {
  sweep_trees(j, x, total, [&](auto visit) {
    for (int root : margin_.testing(j)) visit(root);
  });
}

// The same where the trees were walked: those that do not test the variable on their way add the same to all sums.
void Falsifier::sweep_walked(int j, const std::vector<int>& x) {
  sweep_trees(j, x, paths_.total(), [&](auto visit) { paths_.for_each_root(j, visit); });
}

template <class Roots>
void Falsifier::sweep_trees(int j, const std::vector<int>& x, Int total, const Roots& for_each_root) {
  const int size = box_.size[j];
  along_.assign(std::size_t(size) + 2, 0);
  for_each_root([&](int root) { spread(root, j, 0, size - 1, box_.missing[j] != 0, x); });
  const Int missing = along_[std::size_t(size) + 1];
  for (int v = 1; v < size; v++) along_[v] += along_[v - 1];
  along_[size] = missing;
  const Int rest = total - along_[x[j]];  // what the trees without this variable add
  for (int v = 0; v <= size; v++) along_[v] += rest;
}

bool Falsifier::ascend(std::vector<int>& x) {
  if (!live_.all()) live_.move_into(x);
  paths_.walk(x);
  Int total = paths_.total();
  if (margin_.is_counterexample(x, total)) return true;
  const int n = forest_.n_variables;
  int idle = 0;
  for (int j = 0, steps = 0; idle < n && steps < kMostSweeps * n; j = (j + 1) % n, steps++) {
    idle++;
    if (margin_.testing(j).empty()) continue;
    limits_.check();
    sweep_walked(j, x);
    const int to = best_rank(j, total);
    if (to < 0) continue;
    x[j] = to;
    paths_.walk_again(j, x);
    idle = 0;
    if (margin_.is_counterexample(x, total)) return true;
  }
  reached_ = total;
  if (total > best_total_) {
    best_total_ = total;
    best_ = x;
  }
  return false;
}

// The rank with the largest sum along a variable, -1 if none is above the total, which is raised to it.
int Falsifier::best_rank(int j, Int& total) const {
  int to = -1;
  const auto consider = [&](int v) {
    if (along_[v] <= total || !live_.is_live(j, v)) return;
    total = along_[v];
    to = v;
  };
  const int low = part_ ? part_->low[j] : 0, high = part_ ? part_->high[j] : box_.size[j] - 1;
  for (int v = low; v <= high; v++) consider(v);
  if (part_ ? part_->missing[j] : box_.missing[j]) consider(box_.size[j]);
  return to;
}

bool Falsifier::wander(int rounds, std::vector<int>& x) {
  find_free_variables();
  if (free_.empty() || best_.empty()) return false;
  std::vector<int> current = best_;
  Int level = best_total_;
  for (int round = 0; round < rounds; round++) {
    limits_.check();
    x = current;
    shake(x);
    if (ascend(x)) return true;
    if (reached_ >= level) {
      level = reached_;
      current = x;
    }
  }
  return false;
}

void Falsifier::find_free_variables() {
  free_.clear();
  for (int j = 0; j < forest_.n_variables; j++)
    if (is_free(j) && !margin_.testing(j).empty()) free_.push_back(j);
}

// Change two to four coordinates at random.
void Falsifier::shake(std::vector<int>& x) {
  for (int k = 2 + random_.below(3); k > 0; k--) {
    const int j = free_[random_.below(free_.size())];
    x[j] = random_rank(j);
  }
}

bool Falsifier::is_free(int j) const { return part_ ? !part_->fixed(j) : box_.ranks(j) > 1; }

int Falsifier::random_rank(int j) {
  if (!part_) return random_.below(box_.ranks(j));
  const int count = part_->high[j] - part_->low[j] + 1;
  const int k = random_.below(std::size_t(count) + part_->missing[j]);
  return k < count ? part_->low[j] + k : box_.size[j];
}

bool Falsifier::search_part(const Region& part, std::vector<int>& x) {
  const Within within(part_, part);
  move_into_part(x);
  find_free_variables();
  bool found = ascend(x);
  for (int round = 0; round < kPartRounds && !found && !free_.empty(); round++) {
    shake(x);
    found = ascend(x);
  }
  return found;
}

void Falsifier::move_into_part(std::vector<int>& x) const {
  for (int j = 0; j < forest_.n_variables; j++) {
    const bool missing = x[j] >= box_.size[j];
    if (missing && part_->missing[j]) continue;
    x[j] = part_->has_ranks(j) ? std::clamp(x[j], part_->low[j], part_->high[j]) : box_.size[j];
  }
}

void Falsifier::pull(const std::vector<int>& towards, const std::vector<std::uint8_t>& along, std::vector<int>& x) {
  paths_.walk(x);
  put_back(towards, 0, forest_.n_variables, x);
  for (int j = 0; j < forest_.n_variables; j++)
    if (along[j] && x[j] != towards[j] && std::max(x[j], towards[j]) < box_.size[j]) pull_along(j, towards[j], x);
}

// Give the variables of a range the ranks of another point: all at once if possible, else in halves.
void Falsifier::put_back(const std::vector<int>& towards, int from, int to, std::vector<int>& x) {
  const std::vector<int> own(x.begin() + from, x.begin() + to);
  const auto move = [&](int j, int rank) {
    if (x[j] == rank) return;
    x[j] = rank;
    paths_.walk_again(j, x);
  };
  if (std::equal(own.begin(), own.end(), towards.begin() + from)) return;
  limits_.check();
  for (int j = from; j < to; j++) move(j, towards[j]);
  if (margin_.is_counterexample(x, paths_.total())) return;
  for (int j = from; j < to; j++) move(j, own[std::size_t(j - from)]);
  if (to - from == 1) return;
  const int middle = from + (to - from) / 2;
  put_back(towards, from, middle, x);
  put_back(towards, middle, to, x);
}

void Falsifier::pull_along(int j, int towards, std::vector<int>& x) {
  limits_.check();
  sweep_walked(j, x);
  const int step = x[j] < towards ? -1 : 1, far = x[j];
  for (x[j] = towards + step; x[j] != far; x[j] += step)
    if (margin_.is_counterexample(x, along_[x[j]])) break;
  if (x[j] != far) paths_.walk_again(j, x);
}

// Add a tree's weight to the ranks of variable j in [low, high], and to "missing".
void Falsifier::spread(int b, int j, int low, int high, bool missing, const std::vector<int>& x) {
  for (;;) {
    const Branch& branch = margin_.branches[b];
    if (branch.variable < 0) break;
    if (branch.variable != j) {
      b = margin_.goes_left(branch, x[branch.variable]) ? branch.left : branch.right;
      continue;
    }
    const int k = branch.split;
    const bool goes = branch.missing_left;
    const bool left = low < k && low <= high, right = high >= k && low <= high;
    if ((left || (missing && goes)) && (right || (missing && !goes))) {
      spread(branch.left, j, low, std::min(high, k - 1), missing && goes, x);
      b = branch.right;
      low = std::max(low, k);
      missing = missing && !goes;
    } else {
      b = left || (missing && goes) ? branch.left : branch.right;
    }
  }
  add_along(j, low, high, missing, margin_.branches[b].weight);
}

// Ranks are summed up from the differences between neighbours; "missing" stands by itself.
void Falsifier::add_along(int j, int low, int high, bool missing, Int weight) {
  if (low <= high) {
    along_[low] += weight;
    along_[std::size_t(high) + 1] -= weight;
  }
  if (missing) along_[std::size_t(box_.size[j]) + 1] += weight;
}

}  // namespace primewood::search
