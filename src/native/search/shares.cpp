#include "search/shares.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace primewood::search {

void Shares::open(const std::vector<OwnWin>& wins) {
  wins_ = wins;
  const std::size_t n = wins_.size();
  margins_.assign(margin_.leaves.size() * n, 0);
  base_.assign(n, 0);
  scale_.assign(n, 1);
  range_ = 1;
  for (std::size_t k = 0; k < n; k++) {
    for (int node : margin_.settled) base_[k] += margin_of(node, k);
    Int widest = 1;
    for (std::size_t p = 0; p < margin_.leaves.size(); p++) {
      const Int m = margins_[p * n + k] = margin_of(margin_.leaves[p].node, k);
      widest = std::max(widest, m < 0 ? -m : m);
    }
    scale_[k] = 1.0 / double(widest);
    range_ = std::max(range_, widest);
  }
  // Two margins of one model are in one unit, so that what two rows have in common cancels.
  const double least = 1.0 / double(range_);
  for (double& scale : scale_)
    if (scale < 64 * least) scale = least;
  finest_ = std::clamp(kLargest / range_, kCoarsest, kFinest);
  share_.assign(n, 1.0 / double(n));
  make_whole();
}

Int Shares::margin_of(int node, std::size_t win) const {
  const Forest& f = margin_.forest;
  const OwnWin& own = wins_[win];
  if (!own.counts(node)) return 0;
  const Int* w = f.weights(node);
  return w[own.winner] - w[own.rival] + (f.exact[node] ? 0 : own.band);
}

void Shares::make_whole() {
  whole.resize(wins_.size());
  for (std::size_t k = 0; k < whole.size(); k++)
    whole[k] = Int(std::llround(share_[k] * scale_[k] * double(range_) * double(finest_)));
}

void Shares::take(const std::vector<Int>& shares) {
  whole = shares;
  margin_.base = margin_.threshold = 0;
  for (std::size_t k = 0; k < whole.size(); k++) {
    margin_.base += whole[k] * base_[k];
    margin_.threshold += whole[k] * wins_[k].threshold;
  }
  for (std::size_t p = 0; p < margin_.leaves.size(); p++) {
    Leaf& leaf = margin_.leaves[p];
    if (margin_.forbidden(leaf)) continue;
    leaf.weight = 0;
    for (std::size_t k = 0; k < whole.size(); k++) leaf.weight += whole[k] * at(int(p), k);
  }
}

template <class Number>
Int Shares::sum_up(const Node& node, std::size_t win, Number number) const {
  Int sum = base_[win];
  for (int leaf : node.settled) sum += at(leaf, win);
  for (int i = 0; i < node.trees(); i++) sum += number(i);
  return sum;
}

int Shares::find_missed(const Node& node) const {
  for (std::size_t k = 0; k < wins_.size(); k++) {
    const Int top = sum_up(node, k, [&](int tree) {
      Int best = std::numeric_limits<Int>::min();
      for (int p = node.first[tree]; p < node.first[tree + 1]; p++) best = std::max(best, at(node.leaf[p], k));
      return best;
    });
    if (top < wins_[k].threshold) return int(k);
  }
  return -1;
}

std::vector<Int> Shares::alone(int win) const {
  std::vector<Int> shares(wins_.size(), 0);
  shares[win] = 1;
  return shares;
}

bool Shares::learn(const Node& node, const std::vector<int>& pick) {
  std::vector<double> surplus(wins_.size());
  double most = 0;
  for (std::size_t k = 0; k < wins_.size(); k++) {
    const Int reach = sum_up(node, k, [&](int tree) { return at(node.leaf[pick[tree]], k); });
    surplus[k] = scale_[k] * double(reach - wins_[k].threshold);
    most = std::max(most, std::abs(surplus[k]));
  }
  if (most == 0 || wins_.size() < 2) return false;
  double total = 0;
  for (std::size_t k = 0; k < wins_.size(); k++) total += share_[k] *= std::exp(-kRate * surplus[k] / most);
  for (double& share : share_) share /= total;
  make_whole();
  return true;
}

}  // namespace primewood::search
