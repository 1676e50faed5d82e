#include "diagram/compiler.hpp"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <utility>

#include "diagram/sifting.hpp"

namespace primewood::diagram {

namespace {

constexpr std::size_t kMostSumNodes = 200000;    // of sums while looking for an order
constexpr std::size_t kMostTreeNodes = 2000000;  // of single trees, beyond those that the diagram may have
constexpr std::size_t kMostGroupNodes = 20000;   // that adding two parts may bring before the decision

// Add neighbouring parts; false, and nothing changes, if that takes too many nodes.
bool add_pairs(std::vector<Edge>& parts, Sums& sums) {
  std::vector<Edge> fewer;
  try {
    for (std::size_t i = 0; i < parts.size(); i += 2)
      fewer.push_back(i + 1 == parts.size() ? parts[i] : sums.sum(parts[i], parts[i + 1]));
  } catch (const CapReached&) {
    return false;
  }
  parts = std::move(fewer);
  return true;
}

// Add each two neighbouring parts whose sum stays small.
std::vector<Edge> add_small_pairs(const std::vector<Edge>& parts, Sums& sums) {
  std::vector<Edge> fewer;
  for (std::size_t i = 0; i < parts.size(); i += 2) {
    std::vector<Edge> pair{parts[i]};
    if (i + 1 < parts.size()) pair.push_back(parts[i + 1]);
    sums.set_cap(sums.size() + kMostGroupNodes);
    add_pairs(pair, sums);
    fewer.insert(fewer.end(), pair.begin(), pair.end());
  }
  return fewer;
}

// Add neighbouring parts where the sum stays small, until nothing is left to add.
void add_up(std::vector<Edge>& parts, Sums& sums) {
  for (std::size_t before = 0; parts.size() != before;) {
    before = parts.size();
    parts = add_small_pairs(parts, sums);
  }
  sums.trim(parts);
}

}  // namespace

// While it lives, `progress` shows what a decision has reached; in the end, that stays.
class Compiler::Watch {
 public:
  Watch(Compiler& compiler, const Store& out, const Decision& decision) : compiler_(compiler) {
    compiler.out_ = &out;
    compiler.decision_ = &decision;
  }
  ~Watch() {
    compiler_.progress_ = compiler_.progress();
    compiler_.out_ = nullptr;
    compiler_.decision_ = nullptr;
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  Compiler& compiler_;
};

Compiler::Compiler(const Forest& forest, CompileOptions options, Limits& limits)
    : forest_(forest), options_(std::move(options)), order_(options_.order), limits_(limits) {
  assert(static_cast<int>(order_.size()) == forest.n_variables && forest.n_variables <= kMostLevels);
}

OrderedDiagram Compiler::compile() {
  if (options_.find_order) find_order();
  Store out(widths(), limits_);
  out.set_cap(options_.most_nodes);
  std::vector<Id> root{decide(out)};
  out.trim(root);
  out.set_cap(SIZE_MAX);
  show(Stage::kSifting, out.size(), progress_.parts);
  Sifting(out, order_, options_.final_work).run_within_limits();
  progress_.nodes = out.size();
  return {Diagram(out, root[0], forest_.n_classes + (forest_.any_order ? 1 : 0)), order_};
}

Progress Compiler::progress() const {
  Progress now = progress_;
  if (decision_ != nullptr) {
    now.nodes = out_->size();
    now.states = decision_->states();
    now.settled = decision_->settled();
  }
  return now;
}

void Compiler::find_order() {
  Votes votes(forest_.n_classes);
  Sums sums(widths(), votes, limits_);
  std::vector<Edge> parts = make_trees(LeafVote::kHard, votes, sums);
  for (;;) {
    sums.trim(parts);
    show(Stage::kOrder, sums.size(), parts.size());
    limits_.check();
    Sifting(sums, order_, options_.order_work).run();
    sums.set_cap(kMostSumNodes);
    if (parts.size() <= 2 || !add_pairs(parts, sums)) return;
  }
}

Id Compiler::decide(Store& out) {
  Votes votes(forest_.n_classes), numbers(1);
  Sums sums(widths(), votes, limits_), identities(widths(), numbers, limits_);
  std::vector<Edge> parts = make_trees(LeafVote::kModel, votes, sums);
  add_up(parts, sums);
  show(Stage::kDecision, 0, parts.size());
  limits_.check();
  Rounding rounding;
  rounding.band = forest_.band;
  rounding.any_order = forest_.any_order;
  rounding.settle = [this](const std::vector<int>& path) { return settle(path); };
  rounding.identities = &identities;
  if (forest_.band > 0) rounding.trees = make_trees(LeafVote::kIdentity, numbers, identities);
  Decision decision(sums, votes, std::move(rounding), out, options_.most_states);
  return run(decision, out, parts);
}

Id Compiler::run(Decision& decision, const Store& out, const std::vector<Edge>& parts) {
  const Watch watch(*this, out, decision);
  return decision.decide(parts);
}

void Compiler::show(Stage stage, std::size_t nodes, std::size_t parts) {
  progress_.stage = stage;
  progress_.nodes = nodes;
  progress_.parts = parts;
}

std::vector<int> Compiler::widths() const {
  std::vector<int> widths;
  widths.reserve(order_.size());
  for (const int variable : order_) widths.push_back(forest_.values(variable));
  return widths;
}

std::vector<int> Compiler::levels() const {
  std::vector<int> levels(forest_.n_variables);
  for (std::size_t j = 0; j < order_.size(); j++) levels[order_[j]] = static_cast<int>(j);
  return levels;
}

std::vector<Edge> Compiler::make_trees(LeafVote leaf_vote, Votes& votes, Sums& sums) const {
  sums.set_cap(kMostTreeNodes + options_.most_nodes);
  Trees trees(forest_, levels(), leaf_vote, votes, sums);
  std::vector<Edge> made;
  made.reserve(forest_.n_trees);
  for (int t = 0; t < forest_.n_trees; t++) made.push_back(trees.make(t));
  sums.trim(made);
  return made;
}

Id Compiler::settle(const std::vector<int>& path) const {
  if (forest_.any_order) return forest_.n_classes;
  std::vector<int> point(forest_.n_variables);
  for (std::size_t j = 0; j < order_.size(); j++) point[order_[j]] = path[j];
  return forest_.decide(point.data());
}

}  // namespace primewood::diagram
