#include "search/oracle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace primewood::search {

Oracle::Oracle(const Forest& f)
    : forest(f),
      box_(f),
      margin_(box_, limits),
      live_(box_),
      falsifier_(margin_, live_, limits),
      depth_first_(margin_, limits),
      one_margin_(margin_, falsifier_, options_),
      all_margins_(margin_, limits, options_),
      lagrangian_(box_, live_, limits),
      team_(box_, margin_, one_margin_, options_),
      costs_(box_),
      cheap_falsifier_(margin_, falsifier_, costs_, limits),
      x_(f.n_variables) {}

void Oracle::start(const SearchOptions& options, Budget budget, std::function<void()> poll) {
  limits.start(budget, std::move(poll));
  counts = {};
  options_ = options;
  patience_ = options.patience;
  team_.set_threads(budget.threads);
  lagrangian_.set_team(budget.threads > 1 && budget.nodes < 0 ? &team_ : nullptr);
}

// A new query about a box.
void Oracle::open(const std::uint8_t* mask) {
  counts.queries++;
  limits.check();
  box_.set(mask);
  live_.open();
}

bool Oracle::ask(const std::uint8_t* mask, Question question, const Seeds& seeds, std::vector<int>& point) {
  open(mask);
  if (question.target && forest.n_classes != 2) {
    if (!reach(*question.target)) return false;
    box_.to_values(lagrangian_.point, point);
    return true;
  }
  return beat(label_of(question), seeds, point);
}

double Oracle::search_within(const std::uint8_t* mask, Question question, const std::vector<double>& of_atom,
                             double budget, const Take& take) {
  open(mask);
  costs_.set(of_atom, budget);
  left_ = budget;
  if (question.target && forest.n_classes != 2) {
    reach_within(*question.target, budget, take);
  } else {
    beat_within(label_of(question), budget, take);
  }
  return left_;
}

bool Oracle::look_within(const std::uint8_t* mask, Question question, const std::vector<double>& of_atom,
                         const std::vector<int>& start, std::vector<int>& point) {
  if (!options_.local_search || forest.any_order || (question.target && forest.n_classes != 2)) return false;
  const int label = label_of(question);
  double most = std::numeric_limits<double>::infinity();
  open(mask);
  costs_.set(of_atom, 1);
  for (int rival = 0; rival < forest.n_classes; rival++) {
    if (rival == label) continue;
    margin_.choose(label, rival);
    if (margin_.bound() < margin_.threshold) continue;
    margin_.collect();
    cheap_falsifier_.reset();
    box_.to_ranks(start, x_);
    if (!cheap_falsifier_.repair(x_, most)) continue;
    cheap_falsifier_.improve(x_);
    if (cheap_falsifier_.cost_of(x_) >= most) continue;
    most = cheap_falsifier_.cost_of(x_);
    box_.to_values(x_, point);
  }
  return std::isfinite(most);
}

bool Oracle::find_within(const std::uint8_t* mask, Question question, const std::vector<double>& of_atom, double budget,
                         const std::vector<int>& start, std::vector<int>& point) {
  std::vector<std::uint8_t> affordable(mask, mask + forest.atoms());
  for (int a = 0; a < forest.atoms(); a++)
    if (of_atom[a] > budget) affordable[a] = 0;
  const auto cost_of = [&](const std::vector<int>& x) {
    double sum = 0;
    for (int j = 0; j < forest.n_variables; j++) sum += of_atom[forest.offset[j] + x[j]];
    return sum;
  };
  if (look_within(affordable.data(), question, of_atom, start, point) && cost_of(point) <= budget) return true;
  bool found = false;
  const auto take = [&](const std::vector<int>& x) {
    if (!found) point = x;
    found = true;
    return -1.0;  // nothing costs as little, so the search ends
  };
  search_within(affordable.data(), question, of_atom, budget, take);
  return found;
}

bool Oracle::answers(const std::vector<int>& point, Question question) const {
  const int decided = forest.decide(point.data());
  return (question.target ? decided == *question.target : decided != question.label) && forest.possible(point.data());
}

bool Oracle::open_rival(const std::uint8_t* mask, int label, int rival) {
  open(mask);
  margin_.choose(label, rival);
  if (margin_.bound() < margin_.threshold) return false;
  margin_.collect();
  falsifier_.reset();
  part_.open(box_);
  return true;
}

bool Oracle::find_near(const std::vector<std::vector<int>>& values, std::vector<int>& point) {
  limits.count_node();
  for (int j = 0; j < forest.n_variables; j++) part_.keep(box_, j, values[j]);
  box_.to_ranks(point, x_);
  if (!falsifier_.search_part(part_, x_)) return false;
  box_.to_values(x_, point);
  return true;
}

void Oracle::pull(const std::vector<int>& towards, const std::vector<std::uint8_t>& along, Question question,
                  std::vector<int>& point) {
  if (question.target && forest.n_classes != 2) {
    for (int j = 0; j < forest.n_variables; j++) {
      const int own = std::exchange(point[j], towards[j]);
      if (own != towards[j] && !answers(point, question)) point[j] = own;
    }
    return;
  }
  std::vector<int> towards_ranks(point.size());
  box_.to_ranks(towards, towards_ranks);
  box_.to_ranks(point, x_);
  falsifier_.pull(towards_ranks, along, x_);
  box_.to_values(x_, point);
}

// A point at which some rival beats the label.
bool Oracle::beat(int label, const Seeds& seeds, std::vector<int>& point) {
  if (!find_rivals(label, seeds, std::vector<std::uint8_t>(forest.n_classes))) return search_rivals(label, point);
  box_.to_values(x_, point);
  return true;
}

// The rivals that exact search has to decide. What local search brought nearest to beating the label comes first. True
// if it found a point, which is in x_.
bool Oracle::find_rivals(int label, const Seeds& seeds, const std::vector<std::uint8_t>& ruled_out) {
  rivals_.clear();
  for (int rival = 0; rival < forest.n_classes; rival++) {
    if (rival == label || ruled_out[rival]) continue;
    margin_.choose(label, rival);
    if (margin_.bound() < margin_.threshold) {
      counts.bounded++;
      continue;
    }
    margin_.collect();
    if (falsify(seeds)) return true;
    rivals_.push_back({falsifier_.distance(), rival});
  }
  std::sort(rivals_.begin(), rivals_.end());
  return false;
}

bool Oracle::sift(std::vector<std::uint8_t> mask, Question question, const std::function<Seeds()>& seeds,
                  const Remove& remove, Effort effort) {
  const int label = label_of(question);
  std::vector<std::uint8_t> ruled_out(forest.n_classes, 0);
  const Remove take_out = [&](const std::vector<int>& x) {
    box_.to_values(x, values_);
    Atoms atoms = remove(values_);
    for (const auto& [j, v] : atoms) mask[forest.offset[j] + v] = 0;
    return atoms;
  };
  while (holds_points(mask)) {
    open(mask.data());
    if (question.target && forest.n_classes != 2) {
      if (!reach(*question.target)) return true;
      take_out(lagrangian_.point);
    } else if (find_rivals(label, seeds(), ruled_out)) {
      take_out(x_);
    } else {
      const Sifted sifted = sift_rivals(label, ruled_out, take_out, effort);
      if (sifted != Sifted::kSome) return sifted == Sifted::kAll;
    }
  }
  return true;
}

bool Oracle::holds_points(const std::vector<std::uint8_t>& mask) const {
  for (int j = 0; j < forest.n_variables; j++) {
    const auto end = mask.begin() + forest.offset[j + 1];
    if (std::find(mask.begin() + forest.offset[j], end, 1) == end) return false;
  }
  return true;
}

// Exact search for the rivals that are left, up to the first for which something is taken out.
Oracle::Sifted Oracle::sift_rivals(int label, std::vector<std::uint8_t>& ruled_out, const Remove& take_out,
                                   Effort effort) {
  const auto go_on_without = [&](const std::vector<int>& x) {
    std::map<int, std::vector<int>> ranks;
    for (const auto& [j, v] : take_out(x)) ranks[j].push_back(box_.rank_of(j, v));
    for (const auto& [j, of_variable] : ranks) live_.take_out(j, of_variable);
  };
  for (const auto& [distance, rival] : rivals_) {
    choose_again(label, rival);
    const DepthFirst::Verdict verdict = search_depth_first();
    if (verdict == DepthFirst::Verdict::kCounterexample) {
      take_out(depth_first_.counterexample);
      return Sifted::kSome;
    }
    if (verdict == DepthFirst::Verdict::kUnfinished &&
        (effort.nodes == 0 || !lagrangian_.run_through(one_margin_, go_on_without, effort)))
      return Sifted::kUnfinished;
    ruled_out[rival] = 1;
    if (!live_.all()) return Sifted::kSome;
  }
  return Sifted::kAll;
}

bool Oracle::search_rivals(int label, std::vector<int>& point) {
  for (const auto& [distance, rival] : rivals_) {
    choose_again(label, rival);
    if (!search()) continue;
    box_.to_values(x_, point);
    return true;
  }
  return false;
}

// Go back to a rival for which local search found nothing.
void Oracle::choose_again(int label, int rival) {
  if (rival == margin_.rival) return;
  margin_.choose(label, rival);
  margin_.collect();
  falsifier_.reset();
}

// The same within the costs that have been set.
void Oracle::beat_within(int label, double budget, const Take& take) {
  const bool local = options_.local_search && !forest.any_order;
  const auto take_cheaper = [&](const std::vector<int>& x) {
    x_ = x;
    if (local) cheap_falsifier_.improve(x_);
    take_values(x_, budget, take);
  };
  const auto look_near = [&](const std::vector<int>& x) {
    std::vector<int> near(x);
    if (local && cheap_falsifier_.repair(near, costs_.budget())) take_cheaper(near);
  };
  for (int rival = 0; rival < forest.n_classes; rival++) {
    if (rival == label) continue;
    margin_.choose(label, rival);
    if (margin_.bound() < margin_.threshold) continue;
    margin_.collect();
    cheap_falsifier_.reset();
    lagrangian_.run_within(one_margin_, costs_, {take_cheaper, look_near});
  }
}

void Oracle::take_values(const std::vector<int>& x, double budget, const Take& take) {
  box_.to_values(x, values_);
  left_ = take(values_);
  costs_.shrink(left_ / budget);
}

void Oracle::reach_within(int label, double budget, const Take& take) {
  const auto take_it = [&](const std::vector<int>& x) { take_values(x, budget, take); };
  if (!collect_wins(wins_of_class(forest, label), decides_for(label), nullptr)) return;
  lagrangian_.run_within(all_margins_, costs_, {take_it, [](const std::vector<int>&) {}});
}

// A point at which the label beats all rivals.
bool Oracle::reach(int label) { return win_all(wins_of_class(forest, label), decides_for(label), nullptr); }

AllMargins::Decided Oracle::decides_for(int label) const {
  return [this, label](const std::vector<int>& x) { return forest.decide(x.data()) == label; };
}

bool Oracle::win_all(const std::uint8_t* mask, const std::vector<Win>& wins, AllMargins::Decided decided,
                     const std::vector<std::uint8_t>* same, std::vector<int>& point) {
  open(mask);
  if (!win_all(wins, std::move(decided), same)) return false;
  box_.to_values(lagrangian_.point, point);
  return true;
}

bool Oracle::win_all(const std::vector<Win>& wins, AllMargins::Decided decided, const std::vector<std::uint8_t>* same) {
  return collect_wins(wins, std::move(decided), same) && lagrangian_.run(all_margins_);
}

// Set up a search for points at which all of these win; false if there is none for sure.
bool Oracle::collect_wins(const std::vector<Win>& wins, AllMargins::Decided decided,
                          const std::vector<std::uint8_t>* same) {
  assert(box_.is_set());
  margin_.choose_none();
  margin_.collect();
  if (!margin_.possible()) return false;
  all_margins_.choose(wins, std::move(decided));
  if (same) all_margins_.choose_twins(*same);
  return true;
}

void Oracle::find_answers_along(int j, const std::vector<int>& point, Question question,
                                std::vector<std::uint8_t>& answering) {
  answering.assign(forest.values(j), 0);
  box_.to_ranks(point, x_);
  if ((question.target && forest.n_classes != 2) || !is_at(x_, point, j)) {
    std::vector<int> moved(point);
    for (int rank = 0; rank < box_.ranks(j); rank++) {
      moved[j] = box_.value_of(j, rank);
      answering[moved[j]] = answers(moved, question);
    }
    return;
  }
  falsifier_.sweep(j, x_, margin_.total_at(x_));
  const std::vector<Int> totals(falsifier_.totals());
  for (int rank = 0; rank < box_.ranks(j); rank++) {
    x_[j] = rank;
    if (margin_.is_counterexample(x_, totals[rank])) answering[box_.value_of(j, rank)] = 1;
  }
}

// Whether ranks stand for the values of a point, variable j aside. A value that the box does not allow has no rank.
bool Oracle::is_at(const std::vector<int>& ranks, const std::vector<int>& point, int j) const {
  for (int i = 0; i < forest.n_variables; i++)
    if (i != j && box_.value_of(i, ranks[i]) != point[i]) return false;
  return true;
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
  const DepthFirst::Verdict verdict = search_depth_first();
  if (verdict == DepthFirst::Verdict::kSafe) return false;
  if (verdict == DepthFirst::Verdict::kUnfinished && !lagrangian_.run(one_margin_)) return false;
  x_ = verdict == DepthFirst::Verdict::kUnfinished ? lagrangian_.point : depth_first_.counterexample;
  return true;
}

// A short search; where it does not finish, the Lagrangian one has to decide.
DepthFirst::Verdict Oracle::search_depth_first() {
  counts.searched++;
  const DepthFirst::Verdict verdict = depth_first_.run(patience_);
  if (verdict != DepthFirst::Verdict::kUnfinished) {
    patience_ = std::min(options_.patience, 2 * patience_);
  } else {
    patience_ = std::min(options_.patience, std::max(kLeastPatience, patience_ / 4));
    counts.relaxed++;
  }
  return verdict;
}

}  // namespace primewood::search
