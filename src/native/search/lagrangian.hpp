// Branch and bound with the Lagrangian bound, for a goal over the whole box.
//
// At each node the bound is lowered; what the best multipliers show to be too expensive (leaves, values) is
// removed for good; the rest is cut in two.
//
// Weights are scaled to at most one per tree. A node is closed only where the bound, summed afresh, is below the
// threshold by 1e-7, and by more than rounding can do: that is computed, for the multipliers at hand. Leaves and values
// are removed by the same rule. Where asserts are on, the bound is computed in long double, too.
#pragma once

#include <functional>
#include <vector>

#include "limits.hpp"
#include "search/cut_chooser.hpp"
#include "search/effort.hpp"
#include "search/goal.hpp"
#include "search/relaxation.hpp"
#include "search/sharing.hpp"
#include "search/team.hpp"

namespace primewood::search {

class Lagrangian {
 public:
  Lagrangian(const Restriction& box, const LiveRanks& live, Limits& limits)
      : limits_(limits), box_(box), live_(live), relaxation_(box, live, limits) {}

  std::vector<int> point;  // what was found, in ranks

  // Search the whole box; true if it holds a point that meets the goal.
  bool run(Goal& goal);

  // Search all of the box. Every point found is handed on; afterwards it must not be live any more. False if the search
  // stopped before its end.
  using Take = std::function<void(const std::vector<int>&)>;
  bool run_through(Goal& goal, Take take, Effort effort);

  // From here on, a search that turns out to be long is left to a team; null: to none.
  void set_team(Team* team) { team_ = team; }

  // In a thread of a team: take part in a search that was begun elsewhere, and finish one of its nodes.
  void join(const Lagrangian& begun, Goal& goal, LiveRanks& live, Sharing& sharing);
  void finish(Task& task);

  // What becomes of points on the way, where points cost something.
  struct Buyer {
    std::function<void(const std::vector<int>&)> take;  // of an affordable one: the budget shrinks below its cost
    std::function<void(const std::vector<int>&)>
        look_near;  // of one that the relaxation picks: local search from there
  };

  // Search all that is affordable.
  void run_within(Goal& goal, Costs& costs, Buyer buyer);

 private:
  static constexpr double kTolerance = 1e-7;
  static constexpr int kRootSteps = 30, kNodeSteps = 12;             // to lower the bound of a node
  static constexpr int kRootStepsPriced = 60, kNodeStepsPriced = 8;  // the same with costs
  // The length of a step, in parts of the one that would reach the threshold if the bound were linear: it grows while
  // the bound gets lower, and shrinks where it does not.
  static constexpr double kLongest = 2, kShortest = 0.5, kShortestAtRoot = 0.2;
  static constexpr double kLonger = 1.05, kShorter = 0.97, kShorterAtRoot = 0.9;
  static constexpr int kRootRounds = 3;                  // of lowering the bound, and removing
  static constexpr int kRootWalks = 10, kShortWalk = 2;  // of local search

  enum class Verdict { kOpen, kNone, kFound };

  // What is left of a node that was cut in two, after its first part.
  struct Fork {
    Cut cut;
    bool part;  // the other one
    bool open;
  };

  bool set_up();
  void open_buffers();
  bool leave_to_team(int depth);
  void share(int depth);
  bool make_task(int depth, Task& task);
  bool visit(int depth);
  Verdict examine(int depth);
  void hand_on();
  bool is_enough();
  Verdict bound(int depth);
  bool divide(int depth);
  bool try_last_point(const Node& node);
  bool start();
  bool met(const std::vector<int>& x);
  bool take_affordable(const std::vector<int>& x);
  bool afford(Node& node);
  bool leave_out_dead(Node& node);
  bool hopeless(Node& node) const;
  bool look_for_points(int depth);
  bool look_for_cheap_points(int depth);

  Verdict descend(Node& node, bool at_root);
  static double adapt(double length, bool lower, bool at_root);
  int steps(bool at_root) const;
  bool try_values(bool ascend);
  bool is_closed(const Node& node);
  double evaluate_afresh(const Node& node);

  bool reduce(Node& node);
  bool propagate(Node& node);
  bool propagate_tree(Node& node, int i, bool& changed);
  void widen_hull(const Entry& x);
  static bool tighten(Region& region, int j, const Span& hull);
  bool compact(Node& node);
  static bool narrow(const Node& from, const Cut& cut, bool first, Node& to);

  Limits& limits_;
  const Restriction& box_;
  const LiveRanks& live_;
  Relaxation relaxation_;
  Goal* goal_ = nullptr;
  Costs* costs_ = nullptr;
  Buyer buyer_;
  Take take_;  // if it is there, the search goes on after a point
  Effort effort_;
  Team* team_ = nullptr;
  std::deque<Task> left_;  // for the team
  Sharing* sharing_ = nullptr;
  LiveRanks* own_live_ = nullptr;  // while nodes are shared
  int version_ = 0;                // of the live ranks
  bool found_early_ = false, stopped_ = false;
  long visited_ = 0, next_ascent_ = 0;
  double tolerance_ = kTolerance;  // at the node: at least what rounding can do
  std::vector<Node> nodes_;        // per depth
  std::vector<Fork> forks_;        // the same
  Node spare_;
  CutChooser cuts_;
  std::vector<std::uint8_t> keep_;  // per leaf

  // while a tree is propagated: the variables that its leaves test, and what they allow together
  std::vector<int> of_variable_, tested_, hull_count_;
  std::vector<Span> hull_;
};

}  // namespace primewood::search
