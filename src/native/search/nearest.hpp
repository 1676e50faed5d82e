// The nearest point that answers a question, where leaving the instance costs something.
//
// Costs are per atom, 0 at the instance's own values; those of a point's atoms are added up, or the largest counts.
// The largest cost is bisected: a level within which there is no answer is a proved lower bound, an answer is an upper
// one, and is moved back towards the instance before it counts. For sums, local search finds an answer that is often
// the cheapest; then all that costs less is searched, with a budget that shrinks with every answer found. Before that,
// searches with less of a budget give lower bounds: they take little time, and their bounds stay if time runs out.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "search/oracle.hpp"

namespace primewood::search {

enum class Norm { kSum, kLargest };

struct NearestAnswer {
  std::vector<int> point;                                  // the nearest answer so far; empty if there is none
  double upper = std::numeric_limits<double>::infinity();  // its cost
  double lower = 0;                                        // no answer costs less
  bool interrupted =
      true;  // by a limit; else the point is the nearest, sums of fractions up to a grain, or there is none
};

class Nearest {
 public:
  // cost: per atom; an infinite one is out of the question.
  Nearest(Oracle& oracle, Question question, Norm norm, const std::vector<int>& instance, std::vector<double> cost);

  NearestAnswer run();

 private:
  static constexpr double kClose = 0.26;   // from here on, the last budget is searched at once
  static constexpr double kGrain = 1e-3;   // how much less a sum has to cost to be worth a search
  static constexpr double kPolish = 1e-9;  // the same, as far as it is cheap
  static constexpr double kMany = 1e6;     // sums of whole costs up to this are told apart
  static constexpr int kFewAnswers = 16;   // from here on, cheaper answers must be cheaper by a grain

  void search();
  void search_largest();
  void search_sums();
  void find_whole();
  bool find_first();
  bool look_around();
  void look_from(const std::vector<int>& start, double level);
  double find_level(double share);
  void narrow_sums();
  void polish();

  double middle_level();
  double middle() const;
  double less() const;

  bool ask_within_level(double level, std::vector<int>& found);
  void search_within(double budget);
  void restrict_box(double most);
  double cost_at(int j, int v) const { return cost_[forest_.offset[j] + v]; }
  double cost_of(const std::vector<int>& x) const;
  void take(std::vector<int> x);
  void keep_if_cheaper(std::vector<int> x);
  std::vector<int> dearest_first(const std::vector<int>& x) const;
  void move_back(std::vector<int>& x, int j);

  const Forest& forest_;
  Oracle& oracle_;
  Question question_;
  const Norm asked_;
  Norm norm_;  // what counts at the moment
  const std::vector<int>& instance_;
  std::vector<std::uint8_t> mask_, box_;
  std::vector<double> cost_, levels_;
  std::vector<std::uint8_t> answering_;  // values of one variable
  std::ptrdiff_t stride_ = 8;
  double below_ = -1;   // the largest budget that is proved to have no answer
  bool whole_ = false;  // all costs are whole numbers, and their sums are few
  int answers_ = 0;     // found on the way to cheaper sums
  NearestAnswer best_;
};

}  // namespace primewood::search
