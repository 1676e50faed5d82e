#include "search/oracle.hpp"

#include <algorithm>

namespace primewood::search {

Oracle::Oracle(const Forest& f)
    : forest(f),
      box_(f),
      margin_(box_, limits),
      falsifier_(margin_, limits),
      depth_first_(margin_, limits),
      one_margin_(margin_, falsifier_, options_),
      all_margins_(margin_, limits, options_),
      lagrangian_(box_, limits),
      costs_(box_),
      x_(f.n_variables) {}

void Oracle::start(const SearchOptions& options, Budget budget, std::function<void()> poll) {
  limits.start(budget, std::move(poll));
  counts = {};
  options_ = options;
  patience_ = options.patience;
}

// A new query about a box.
void Oracle::open(const std::uint8_t* mask) {
  counts.queries++;
  limits.check();
  box_.set(mask);
}

bool Oracle::ask(const std::uint8_t* mask, Question question, const Seeds& seeds, std::vector<int>& point) {
  open(mask);
  if (question.target && forest.n_classes != 2) return reach(*question.target, point);
  return beat(label_of(question), seeds, point);
}

bool Oracle::ask_within(const std::uint8_t* mask, Question question, const std::vector<double>& of_atom, double budget,
                        std::vector<int>& point) {
  open(mask);
  costs_.set(of_atom, budget);
  if (question.target && forest.n_classes != 2) return reach(*question.target, point, &costs_);
  return beat_within(label_of(question), point);
}

bool Oracle::answers(const std::vector<int>& point, Question question) const {
  const int decided = forest.decide(point.data());
  return (question.target ? decided == *question.target : decided != question.label) && forest.possible(point.data());
}

// A point at which some rival beats the label. What local search brought nearest to one is searched first.
bool Oracle::beat(int label, const Seeds& seeds, std::vector<int>& point) {
  rivals_.clear();
  for (int rival = 0; rival < forest.n_classes; rival++) {
    if (rival == label) continue;
    margin_.choose(label, rival);
    if (margin_.bound() < margin_.threshold) {
      counts.bounded++;
      continue;
    }
    margin_.collect();
    if (falsify(seeds)) {
      box_.to_values(x_, point);
      return true;
    }
    rivals_.push_back({falsifier_.distance(), rival});
  }
  std::sort(rivals_.begin(), rivals_.end());
  return search_rivals(label, point);
}

bool Oracle::search_rivals(int label, std::vector<int>& point) {
  for (const auto& [distance, rival] : rivals_) {
    if (rival != margin_.rival) {
      margin_.choose(label, rival);
      margin_.collect();
      falsifier_.reset();
    }
    if (!search()) continue;
    box_.to_values(x_, point);
    return true;
  }
  return false;
}

// The same within the costs that have been set.
bool Oracle::beat_within(int label, std::vector<int>& point) {
  for (int rival = 0; rival < forest.n_classes; rival++) {
    if (rival == label) continue;
    margin_.choose(label, rival);
    if (margin_.bound() < margin_.threshold) continue;
    margin_.collect();
    falsifier_.reset();
    if (!lagrangian_.run(one_margin_, &costs_)) continue;
    box_.to_values(lagrangian_.point, point);
    return true;
  }
  return false;
}

// A point at which the label beats all rivals.
bool Oracle::reach(int label, std::vector<int>& point, const Costs* within) {
  const auto decided = [this, label](const std::vector<int>& x) { return forest.decide(x.data()) == label; };
  return win_all(wins_of_class(forest, label), decided, point, within, nullptr);
}

bool Oracle::win_all(const std::uint8_t* mask, const std::vector<Win>& wins, AllMargins::Decided decided,
                     const std::vector<std::uint8_t>* same, std::vector<int>& point) {
  open(mask);
  return win_all(wins, std::move(decided), point, nullptr, same);
}

bool Oracle::win_all(const std::vector<Win>& wins, AllMargins::Decided decided, std::vector<int>& point,
                     const Costs* within, const std::vector<std::uint8_t>* same) {
  assert(box_.is_set());
  margin_.choose_none();
  margin_.collect();
  if (!margin_.possible()) return false;
  all_margins_.choose(wins, std::move(decided));
  if (same) all_margins_.choose_twins(*same);
  if (!lagrangian_.run(all_margins_, within)) return false;
  box_.to_values(lagrangian_.point, point);
  return true;
}

void Oracle::find_answers_along(int j, const std::vector<int>& point, Question question,
                                std::vector<std::uint8_t>& answering) {
  const int values = forest.values(j);
  answering.assign(values, 0);
  if (question.target && forest.n_classes != 2) {
    std::vector<int> moved(point);
    for (moved[j] = 0; moved[j] < values; moved[j]++) answering[moved[j]] = answers(moved, question);
    return;
  }
  box_.to_ranks(point, x_);
  falsifier_.sweep(j, x_, margin_.total_at(x_));
  const std::vector<Int> totals(falsifier_.totals());
  for (int rank = 0; rank < box_.ranks(j); rank++) {
    x_[j] = rank;
    if (margin_.is_counterexample(x_, totals[rank])) answering[box_.value_of(j, rank)] = 1;
  }
}

// Local search from points that are known; true with a counterexample in x_.
bool Oracle::falsify(const Seeds& seeds) {
  falsifier_.reset();
  if (!options_.local_search) return false;
  for (const auto* seed : seeds) {
    box_.to_ranks(*seed, x_);
    if (falsifier_.ascend(x_)) {
      counts.falsified++;
      return true;
    }
  }
  return false;
}

// Exact search; true with a counterexample in x_.
bool Oracle::search() {
  counts.searched++;
  const DepthFirst::Verdict verdict = depth_first_.run(patience_);
  if (verdict != DepthFirst::Verdict::kUnfinished) {
    patience_ = options_.patience;
    if (verdict == DepthFirst::Verdict::kSafe) return false;
    x_ = depth_first_.counterexample;
    return true;
  }
  patience_ = std::min(options_.patience, std::max(kLeastPatience, patience_ / 2));
  counts.relaxed++;
  if (!lagrangian_.run(one_margin_)) return false;
  x_ = lagrangian_.point;
  return true;
}

}  // namespace primewood::search
