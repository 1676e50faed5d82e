#include "diagram/decision.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace primewood::diagram {

namespace {

// The need of a pair of classes that nothing is asked of.
constexpr Int kAnything = INT64_MIN;

// The limits are checked each time this many states are expanded.
constexpr std::size_t kStatesPerCheck = 256;

}  // namespace

Decision::Decision(const Sums& parts, const Votes& votes, Rounding rounding, Store& out, std::size_t most_states)
    : parts_(parts),
      votes_(votes),
      rounding_(std::move(rounding)),
      pairs_(votes.classes(), rounding_.band),
      least_(parts, votes, pairs_),
      changes_(parts),
      out_(out),
      most_states_(most_states),
      states_by_level_(parts.depth() + 1),
      memo_(parts.depth() + 1, StateMemo(pairs_.size())),
      path_(parts.depth(), 0) {
  assert(parts.widths() == out.widths());
  for (State& state : states_by_level_)
    for (std::vector<Int>* numbers : {&state.difference, &state.least, &state.need}) numbers->resize(pairs_.size());
}

Id Decision::decide(const std::vector<Edge>& parts) {
  State& top = states_by_level_[0];
  top.sums.assign(pairs_.classes() + 1, 0);
  top.open.clear();
  for (const Edge& part : parts) add_part(top, part);
  top.trees = rounding_.trees;
  return resolve(0);
}

void Decision::add_part(State& state, const Edge& edge) const {
  if (edge.node != 0) state.open.push_back(edge.node);
  if (edge.vote == Votes::kZero) return;
  const Int* vote = votes_.row(edge.vote);
  for (int c = 0; c <= pairs_.classes(); c++) state.sums[c] += vote[c];
}

Id Decision::resolve(int level) {
  State& state = states_by_level_[level];
  std::sort(state.open.begin(), state.open.end());
  for (int p = 0; p < pairs_.size(); p++) state.difference[p] = pairs_.difference(state.sums.data(), p);
  state.alone = false;
  if (const int winner = find_winner(level); winner >= 0) return out_.sink(level, winner);
  if (state.open.empty() && is_settled(level)) return settle(level);
  const Id key = memo_[level].key(state.open);
  if (const Id entry = recall(level, key); entry != kNone) return memo_[level].node(entry);
  const Id node = expand(level);
  memo_[level].add(key, node, state.need, state.alone ? path_number(level) : kNone);
  return node;
}

// The first edge of every node adds zero, so the sums so far are those of a cell below this state: only the class that
// is ahead now can win them all.
int Decision::find_winner(int level) {
  State& state = states_by_level_[level];
  const auto scores = state.sums.begin();
  const int winner = static_cast<int>(std::max_element(scores, scores + pairs_.classes()) - scores);
  const int first = pairs_.first(winner), last = pairs_.first(winner + 1);
  std::copy(state.difference.begin() + first, state.difference.begin() + last, state.least.begin() + first);
  if (!wins(state, first, last)) return -1;
  for (const Id node : state.open) {
    const Int* least = least_.row(level, node);
    for (int p = first; p < last; p++) state.least[p] += least[p];
  }
  if (!wins(state, first, last)) return -1;
  std::fill(state.need.begin(), state.need.end(), kAnything);
  for (int p = first; p < last; p++) state.need[p] = pairs_.threshold(p) - (state.least[p] - state.difference[p]);
  return winner;
}

bool Decision::wins(const State& state, int first, int last) const {
  for (int p = first; p < last; p++)
    if (state.least[p] < pairs_.threshold(p)) return false;
  return true;
}

// Parts can cancel in integers where the trees themselves still differ, so it is the trees that must have come to one
// leaf each.
bool Decision::is_settled(int level) {
  if (rounding_.any_order) return true;
  find_trees(level);
  const std::vector<Edge>& trees = states_by_level_[level].trees;
  return std::all_of(trees.begin(), trees.end(), [](const Edge& edge) { return edge.node == 0; });
}

Id Decision::settle(int level) {
  settled_++;
  states_by_level_[level].alone = true;
  std::fill(path_.begin() + level, path_.end(), 0);
  return out_.sink(level, rounding_.settle(path_));
}

Id Decision::recall(int level, Id key) {
  State& state = states_by_level_[level];
  const StateMemo& memo = memo_[level];
  for (Id entry = memo.newest(key); entry != kNone; entry = memo.older(entry)) {
    if (memo.path(entry) != kNone) {
      state.alone = memo.path(entry) == path_number(level);
      if (state.alone) return entry;
    } else if (holds(state, memo.need(entry))) {
      std::copy_n(memo.need(entry), pairs_.size(), state.need.begin());
      return entry;
    }
  }
  return kNone;
}

bool Decision::holds(const State& state, const Int* need) const {
  for (int p = 0; p < pairs_.size(); p++)
    if (state.difference[p] < need[p]) return false;
  return true;
}

Id Decision::path_number(int level) {
  find_trees(level);
  return memo_[level].path_number(states_by_level_[level].trees);
}

void Decision::find_trees(int level) {
  State& state = states_by_level_[level];
  if (!state.trees.empty()) return;
  assert(level > 0);
  find_trees(level - 1);
  const Sums& trees = *rounding_.identities;
  const int value = path_[level - 1];
  for (const Edge& edge : states_by_level_[level - 1].trees)
    state.trees.push_back(trees.plus(trees.row(level - 1, edge.node)[value], edge.vote));
}

Id Decision::expand(int level) {
  if (++states_ > most_states_) throw CapReached{};
  if (states_ % kStatesPerCheck == 0) out_.check_limits();
  State& state = states_by_level_[level];
  const State& next = states_by_level_[level + 1];
  std::fill(state.need.begin(), state.need.end(), kAnything);
  changes_.collect(level, state.open, state.changes);
  std::vector<Id> row(parts_.width(level));
  for (int v = 0; v < parts_.width(level); v++) {
    if (v > 0 && !next.alone && !Changes::contains(state.changes, v)) {
      row[v] = row[v - 1];
      continue;
    }
    descend(level, v);
    row[v] = resolve(level + 1);
    state.alone |= next.alone;
    if (!next.alone) take_need(level);
  }
  return out_.intern(level, row.data());
}

void Decision::descend(int level, int value) {
  const State& state = states_by_level_[level];
  State& next = states_by_level_[level + 1];
  next.sums = state.sums;
  next.open.clear();
  next.trees.clear();
  for (const Id node : state.open) add_part(next, parts_.row(level, node)[value]);
  path_[level] = value;
}

void Decision::take_need(int level) {
  State& state = states_by_level_[level];
  const State& next = states_by_level_[level + 1];
  for (int p = 0; p < pairs_.size(); p++)
    if (next.need[p] != kAnything)
      state.need[p] = std::max(state.need[p], next.need[p] - (next.difference[p] - state.difference[p]));
}

}  // namespace primewood::diagram
