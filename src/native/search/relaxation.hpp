// The Lagrangian bound of a node.
//
// Relax "all trees see the same point": each tree picks its own leaf, each variable its own value. A
// multiplier w >= 0 belongs to a tree, a variable and a set S of its values; it charges every leaf of
// the tree that allows only values in S, and pays every value in S. Where trees and variables agree,
// charges and payments cancel or leave a surplus, so
//
//   U(w) = base + sum over trees of max_leaf (weight - charges) + sum over variables of max_value payments
//
// bounds the largest sum from above for every w. Polyak steps lower U towards a target. A step changes few
// multipliers, so U is evaluated again only for the trees and variables that they belong to.
//
// Where points cost something and only those within a budget count, a price p >= 0 is one more multiplier: values
// are paid p times their cost less, and U goes up by p times the budget.
//
// Values are picked among live ranks only.
#pragma once

#include <cassert>
#include <cstddef>
#include <utility>
#include <vector>

#include "limits.hpp"
#include "search/costs.hpp"
#include "search/live_ranks.hpp"
#include "search/node.hpp"

namespace primewood::search {

class IntegerBound;

class Relaxation {
 public:
  Relaxation(const Restriction& box, const LiveRanks& live, Limits& limits) : limits_(limits), box_(box), live_(live) {}

  // A multiplier of the whole search.
  struct Source {
    double w;
    int variable;
    Span span;
  };

  std::vector<int> value;    // per variable: the rank it picks
  std::vector<int> pick;     // per tree: the leaf it picks
  std::vector<double> best;  // per tree: the value of that leaf after charges

  // A new question: the multipliers of its root, all zero. They are, per tree and variable, the sets of its
  // leaves; a run in the middle also gives the two half-lines that it is the meeting of. Costs may be null.
  void open(Node& root, const Costs* costs);

  // The same question in another thread: the same multipliers, as another relaxation left them.
  void join(const Relaxation& other);
  std::vector<double> multipliers() const;
  void set_multipliers(const std::vector<double>& w);
  const std::vector<Source>& sources() const { return everywhere_; }

  // Set up the relaxation of a node. A block is a tree with a variable that it still tests; its sets are
  // the distinct ones of its leaves, its multipliers those of the node, narrowed to the hull of the sets
  // that they charge. Multipliers that charge nothing any more are taken off the node's list.
  void prepare(Node& node);

  // Forget what was summed up in steps; everything is evaluated anew.
  void start_afresh();

  // U at the current multipliers.
  double evaluate(const Node& node);

  // How far rounding may have moved U, evaluated after a fresh start, from the exact U and the exact threshold.
  double rounding(const Node& node) const;

  // Whether U, computed in long double, is as near as that.
  bool is_near(const Node& node, double upper, double rounding) const;

  // One Polyak step towards the target; false if there is no direction.
  bool step(const Node& node, double upper, double target, double length);

  // Keep these multipliers if U is the lowest so far at this node.
  bool keep_if_lowest(double upper);
  void return_to_lowest();

  // Hand the last multipliers to later nodes, not the best ones: children start better from them.
  void remember();

  // The value of a leaf after charges.
  double leaf_value(const Node& node, int leaf) const {
    assert(evaluated_);
    const int* const entry = node.entry.data();
    double v = node.weight[leaf];
    for (int e = entry[leaf]; e < entry[leaf + 1]; e++) v -= charge_[set_of_entry_[e]];
    return v;
  }

  friend class IntegerBound;  // reads a prepared relaxation

  // Narrow a variable to the run of ranks that are paid at most `slack` less than the best, and "missing".
  void drop_values(Region& region, int j, double slack) const;

 private:
  static constexpr double kPriceScale = 10;  // the price moves in larger steps than the other multipliers
  // Beyond this price, rounding would not stay small; below this slope, a step would be rounding and nothing else.
  static constexpr double kHighestPrice = 1000, kLeastSlope = 1e-6;
  // A tree with many leaves takes long to set up. The clock is checked once per this many entries or multipliers.
  static constexpr unsigned kOften = 64;
  static constexpr double kRounding = 1e-12;  // payments that differ by less are one

  // A multiplier of the node. Ranks between the ends of its span are paid: pay_[from] goes up, pay_[to] down.
  struct Multiplier {
    double w;
    int from, to, variable, tree;
    int chosen;  // the last step at which the tree's leaf was charged
    bool missing, listed;

    // Whether it pays the rank at a place.
    bool pays(int at) const { return ((at >= from) & (at < to)) | ((at < 0) & missing); }
  };

  // How many multipliers are above zero, and their sum.
  struct Load {
    double count = 0, sum = 0;
  };

  // What a step changes: multipliers that go up and down, and how many are above zero after it.
  struct Direction {
    std::size_t up = 0, down = 0, positive = 0;
  };

  void check_often() {
    if (++worked_ % kOften == 0) limits_.check();
  }

  void open_box();
  void open_tree(Node& root, int i);

  int prepare_tree(Node& node, int i, int live);
  void find_sets(const Node& node, int begin, int end);
  int block_of(int variable);
  int find_sources(Node& node, int i, int live);
  void prepare_block(const Node& node, int i, int b);
  void add_multipliers(const Node& node, int i, int b);
  void add_charges(int b, int from);
  bool has_span(int from, const Span& span) const;
  void list_positive();

  void place_payments(const Region& region);
  void mark_end(int j, int rank);
  void place_ranks(const Region& region, int j);
  void place_rank(int j, int rank);
  bool has_many_ranks(int j) const { return start_[j + 1] - start_[j] > kMany; }
  void find_cheapest();
  void place_multipliers();

  inline Direction find_direction(const Node& node);
  double charge(int j, int rank) const { return costs_ ? price_ * costs_->at(j, rank) : 0; }
  double cost_at(int j, int place) const { return costs_->at(j, cheapest_[place]); }
  double charge_at(int j, int place) const { return costs_ ? price_ * cost_at(j, place) : 0; }
  double budget_worth() const { return costs_ ? price_ * costs_->budget() : 0; }
  double price_slope() const;
  void set_price(double price);
  inline void pay(const Multiplier& m, double amount);
  inline void change(Multiplier& m, double w);
  inline void charge_tree(int i);
  inline void pick_leaf(const Node& node, int i);
  inline void pick_value(const Region& region, int j);
  void pick_rank(int j, int from, int to, double worth);
  void pick_live_value(const Region& region, int j);
  int live_rank(int j, int place) const;

  double rounding_of_leaves(const Node& node) const;
  double rounding_of_payments() const;
  double rounding_of_total(const Node& node) const;
  long double evaluate_precisely(const Node& node) const;
  long double best_precisely(const Node& node, int i) const;
  long double worth_precisely(const Region& region, int j, const std::vector<long double>& paid) const;

  static constexpr int kMany = 256;

  Limits& limits_;
  unsigned worked_ = 0;  // since the clock was first checked, in entries and multipliers
  const Restriction& box_;
  const LiveRanks& live_;
  std::vector<Source> everywhere_;

  // multipliers of the node, their spans, and where they come from
  std::vector<Multiplier> multipliers_;
  std::vector<std::pair<int, Span>> spans_;
  std::vector<int> source_;
  std::vector<double> lowest_at_;
  double lowest_ = 0;
  bool evaluated_ = false;

  const Costs* costs_ = nullptr;
  double price_ = 0, lowest_price_ = 0;

  // sets of the node, per block and per tree: which multipliers charge them, and how much
  std::vector<int> block_sets_, tree_sets_, charged_first_, charged_, set_of_entry_;
  std::vector<double> charge_;

  // payments per variable, at places where they change, and one place beyond; at_: the place of the picked rank, -1 for
  // "missing"
  std::vector<int> first_, rank_, at_, cheapest_;
  std::vector<double> pay_, pay_missing_, worth_;
  std::vector<int> start_, place_;  // per variable and rank
  std::vector<std::uint8_t> is_end_;
  std::vector<std::vector<int>> ends_;  // per variable with many ranks: those at which payments to it change

  // what a step touches
  std::vector<int> positive_, rising_, falling_;
  std::size_t positive_count_ = 0;
  std::vector<std::uint8_t> tree_changed_, variable_changed_;
  int stamp_ = 0;
  Load load_;  // at the last fresh start

  // while a tree is set up: the variables it tests, per block its sets and its part of the node's multipliers, and what
  // these charge
  std::vector<int> of_variable_, tested_;
  std::vector<std::vector<Entry>> distinct_;
  std::vector<std::pair<int, int>> sources_;
  std::vector<Span> hulls_;
};

}  // namespace primewood::search
