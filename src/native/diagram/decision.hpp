// From sums to decisions: the diagram of "which class has the largest sum", for a sum of many diagrams.
//
// The parts are never added up. Going down the levels, a state is the residual parts (the nodes that are not constant,
// sorted) and the sums S of what has been settled. Bounds close a state as soon as one class wins against every rival
// whatever comes. A state that had to be expanded is remembered with the *region* of sums for which it gives the same
// function: every cell below it that class w wins asks that
//     D[w,k] = S[w] - S[k] - band * (inexact leaves so far)  >=  need[w,k]      for every rival k,
// and the need of the state is the largest over its cells. Another state with the same residual parts and sums in the
// region has the same diagram. Without this, votes with fractional leaves would hardly ever meet again.
//
// Where rounding could decide (no class wins by more than the band), the cell is settled by adding as the library
// does. Such a result holds for this path only, or for one on which the same is left of every tree to the last float.
#pragma once

#include <functional>

#include "diagram/known.hpp"
#include "diagram/store.hpp"
#include "diagram/sums.hpp"

namespace primewood::diagram {

// How doubtful cells are settled.
struct Rounding {
  Int band = 0;
  bool any_order = false;  // then a doubtful cell is settled by its being doubtful
  std::function<Id(const std::vector<int>& path)> settle;  // the terminal of a cell, given one value per level
  const Sums* identities = nullptr;                        // the trees, with leaves numbered by their values
  std::vector<Edge> trees;
};

class Decision {
 public:
  Decision(const Sums& parts, const Votes& votes, Rounding rounding, Store& out, std::size_t most_states)
      : parts_(parts), votes_(votes), classes_(votes.classes), pairs_(classes_ * (classes_ - 1)),
        rounding_(std::move(rounding)), out_(out), most_states_(most_states), frames_(parts.depth() + 1),
        known_(parts.depth() + 1, Known(pairs_)), path_(parts.depth(), 0) {
    for (int w = 0; w < classes_; w++)
      for (int k = 0; k < classes_; k++)
        if (k != w) winner_.push_back(w), rival_.push_back(k), threshold_.push_back(w < k ? 0 : 1);
    for (Frame& f : frames_) f.difference.resize(pairs_), f.least.resize(pairs_), f.need.resize(pairs_);
    bound();
    find_changes();
  }

  // The root of the decision of the sum of these parts.
  Id root(const std::vector<Edge>& parts) {
    Frame& top = frames_[0];
    top.sums.assign(classes_ + 1, 0);
    for (const Edge& e : parts) enter(top, e);
    top.trees = rounding_.trees;
    return resolve(0);
  }

  std::size_t states() const { return states_; }
  std::size_t settled() const { return settled_; }

 private:
  static constexpr Int kAny = INT64_MIN;

  struct Frame {
    std::vector<Id> open;                      // residual parts
    std::vector<Int> sums;                     // per class, then how many inexact leaves
    std::vector<Int> difference, least, need;  // per pair of winner and rival
    bool alone = false;                        // the result holds for this path only
    std::vector<std::uint64_t> changes;        // the values at which a residual part changes, as bits
    std::vector<Edge> trees;                   // what is left of every tree; made when asked for
  };

  // Per node of the parts: the least that each difference can be.
  void bound() {
    least_.resize(parts_.depth() + 1);
    least_.back().assign(pairs_, 0);
    for (int j = parts_.depth() - 1; j >= 0; j--) {
      least_[j].assign(std::size_t(parts_.nodes(j)) * pairs_, INT64_MAX);
      for (Id i = 0; i < parts_.nodes(j); i++) {
        const Edge* edges = parts_.row(j, i);
        Int* least = least_[j].data() + std::size_t(i) * pairs_;
        for (int v = 0; v < parts_.width(j); v++) {
          if (v > 0 && edges[v] == edges[v - 1]) continue;
          const Int* below = least_[j + 1].data() + std::size_t(edges[v].node) * pairs_;
          const Int* vote = votes_.row(edges[v].vote);
          for (int p = 0; p < pairs_; p++) least[p] = std::min(least[p], below[p] + difference(vote, p));
        }
      }
    }
  }

  // Per node of the parts: the values whose edge differs from that of the value before, as bits.
  void find_changes() {
    changes_.resize(parts_.depth());
    for (int j = 0; j < parts_.depth(); j++) {
      const int words = parts_.width(j) / 64 + 1;
      changes_[j].assign(std::size_t(parts_.nodes(j)) * words, 0);
      for (Id i = 0; i < parts_.nodes(j); i++)
        for (int v = 1; v < parts_.width(j); v++)
          if (!(parts_.row(j, i)[v] == parts_.row(j, i)[v - 1]))
            changes_[j][std::size_t(i) * words + v / 64] |= std::uint64_t(1) << v % 64;
    }
  }

  // The values at which any of the residual parts changes.
  void changes(int j, Frame& f) const {
    const int words = parts_.width(j) / 64 + 1;
    f.changes.assign(words, 0);
    for (Id i : f.open)
      for (int w = 0; w < words; w++) f.changes[w] |= changes_[j][std::size_t(i) * words + w];
  }

  Int difference(const Int* vote, int p) const {
    return vote[winner_[p]] - vote[rival_[p]] - rounding_.band * vote[classes_];
  }

  void enter(Frame& f, const Edge& e) {
    if (e.node != 0) f.open.push_back(e.node);
    if (e.vote == Votes::kZero) return;
    const Int* vote = votes_.row(e.vote);
    for (int c = 0; c <= classes_; c++) f.sums[c] += vote[c];
  }

  // The node of the state in frames_[j]; sets its need, or that it stands alone.
  Id resolve(int j) {
    Frame& f = frames_[j];
    std::sort(f.open.begin(), f.open.end());
    for (int p = 0; p < pairs_; p++) f.difference[p] = difference(f.sums.data(), p);
    f.alone = false;
    if (const int w = winner(f, j); w >= 0) return out_.sink(j, w);
    if (f.open.empty() && settled_from(j)) return settle(j);
    const Id key = known_[j].key(f.open);
    if (const Id entry = recall(j, key); entry >= 0) return known_[j].node(entry);
    const Id node = expand(j);
    known_[j].add(key, node, f.need, f.alone ? path_number(j) : Known::kNone);
    return node;
  }

  // The class that wins whatever comes, or -1. The first edge of every node adds zero, so the sums so far are those of a
  // cell below this state: only the class that is ahead now can win them all.
  int winner(Frame& f, int j) {
    const int w = int(std::max_element(f.sums.begin(), f.sums.begin() + classes_) - f.sums.begin());
    const int first = w * (classes_ - 1), last = first + classes_ - 1;
    for (int p = first; p < last; p++) {
      f.least[p] = f.difference[p];
      if (f.least[p] < threshold_[p]) return -1;
    }
    for (Id i : f.open) {
      const Int* least = least_[j].data() + std::size_t(i) * pairs_;
      for (int p = first; p < last; p++) f.least[p] += least[p];
    }
    for (int p = first; p < last; p++)
      if (f.least[p] < threshold_[p]) return -1;
    std::fill(f.need.begin(), f.need.end(), kAny);
    for (int p = first; p < last; p++) f.need[p] = threshold_[p] - (f.least[p] - f.difference[p]);
    return w;
  }

  // Whether every cell below is settled alike. Parts can cancel in integers where the trees themselves still differ, so
  // it is the trees that must have come to one leaf each.
  bool settled_from(int j) {
    if (rounding_.any_order) return true;
    remain(j);
    return std::all_of(frames_[j].trees.begin(), frames_[j].trees.end(), [](const Edge& e) { return e.node == 0; });
  }

  Id settle(int j) {
    settled_++;
    frames_[j].alone = true;
    std::fill(path_.begin() + j, path_.end(), 0);
    return out_.sink(j, rounding_.settle(path_));
  }

  // An entry that holds for the state in frames_[j]; sets its need, or that it stands alone.
  Id recall(int j, Id key) {
    Frame& f = frames_[j];
    const Known& known = known_[j];
    for (Id e = known.newest(key); e >= 0; e = known.older(e)) {
      if (known.path(e) != Known::kNone) {
        f.alone = known.path(e) == path_number(j);
        if (f.alone) return e;
        continue;
      }
      const Int* need = known.need(e);
      int p = 0;
      while (p < pairs_ && f.difference[p] >= need[p]) p++;
      if (p < pairs_) continue;
      std::copy_n(need, pairs_, f.need.begin());
      return e;
    }
    return -1;
  }

  Id path_number(int j) {
    remain(j);
    return known_[j].path_number(frames_[j].trees);
  }

  void remain(int j) {
    Frame& f = frames_[j];
    if (!f.trees.empty()) return;
    remain(j - 1);
    for (const Edge& e : frames_[j - 1].trees)
      f.trees.push_back(rounding_.identities->plus(rounding_.identities->row(j - 1, e.node)[path_[j - 1]], e.vote));
  }

  Id expand(int j) {
    if (++states_ > most_states_) throw CapReached{};
    if ((states_ & 255) == 0) out_.check_limits();
    Frame& f = frames_[j];
    Frame& next = frames_[j + 1];
    std::fill(f.need.begin(), f.need.end(), kAny);
    changes(j, f);
    std::vector<Id> row(parts_.width(j));
    for (int v = 0; v < parts_.width(j); v++) {
      if (v > 0 && !next.alone && !(f.changes[v / 64] >> v % 64 & 1)) {
        row[v] = row[v - 1];
        continue;
      }
      next.sums = f.sums;
      next.open.clear();
      next.trees.clear();
      for (Id i : f.open) enter(next, parts_.row(j, i)[v]);
      path_[j] = v;
      row[v] = resolve(j + 1);
      f.alone |= next.alone;
      if (next.alone) continue;
      for (int p = 0; p < pairs_; p++)
        if (next.need[p] != kAny)
          f.need[p] = std::max(f.need[p], next.need[p] - (next.difference[p] - f.difference[p]));
    }
    return out_.intern(j, row.data());
  }

  const Sums& parts_;
  const Votes& votes_;
  const int classes_, pairs_;
  const Rounding rounding_;
  Store& out_;
  const std::size_t most_states_;
  std::vector<int> winner_, rival_;
  std::vector<Int> threshold_;
  std::vector<std::vector<Int>> least_;
  std::vector<std::vector<std::uint64_t>> changes_;
  std::vector<Frame> frames_;
  std::vector<Known> known_;
  std::vector<int> path_;
  std::size_t states_ = 0, settled_ = 0;
};

}  // namespace primewood::diagram
