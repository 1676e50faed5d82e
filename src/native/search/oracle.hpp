// Is there a point of a box that the forest does not decide for the label? Cheapest means first.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "limits.hpp"
#include "search/all_margins.hpp"
#include "search/cheap_falsifier.hpp"
#include "search/costs.hpp"
#include "search/depth_first.hpp"
#include "search/falsifier.hpp"
#include "search/lagrangian.hpp"
#include "search/margin.hpp"
#include "search/one_margin.hpp"
#include "search/options.hpp"
#include "search/team.hpp"

namespace primewood::search {

// What is asked about a decision: a point that is not decided for `label`, or, if `target` names a class, one that is
// decided for the target.
struct Question {
  int label;
  std::optional<int> target = {};
};

struct Counts {
  std::int64_t queries = 0;
  std::int64_t bounded = 0;    // rivals that the largest leaves rule out
  std::int64_t falsified = 0;  // queries that local search answers
  std::int64_t searched = 0;   // rivals that exact search decides,
  std::int64_t relaxed = 0;    // of these, with the Lagrangian bound
};

// Points to start local search from.
using Seeds = std::vector<const std::vector<int>*>;

class Oracle {
 public:
  explicit Oracle(const Forest& f);

  Oracle(const Oracle&) = delete;
  Oracle& operator=(const Oracle&) = delete;

  const Forest& forest;
  Limits limits;
  Counts counts;

  // Begin a run: the same run gives the same answers, whatever the oracle was used for before.
  void start(const SearchOptions& options, Budget budget, std::function<void()> poll);

  const SearchOptions& options() const { return options_; }

  // True with a point of the box (value indices) that answers the question.
  bool ask(const std::uint8_t* mask, Question question, const Seeds& seeds, std::vector<int>& point);

  // Take out of a box what answers the question: with every answer found, `remove` is called and lists the atoms that
  // leave the box, one of the answer's among them. At the end, no point of what is left of the box answers it. One
  // search goes on after an answer, where `ask` would begin another one. False if it stopped before its end; the effort
  // is for each rival.
  using Atoms = std::vector<std::pair<int, int>>;  // variables and values
  using Remove = std::function<Atoms(const std::vector<int>&)>;
  bool sift(std::vector<std::uint8_t> mask, Question question, const std::function<Seeds()>& seeds,
            const Remove& remove, Effort effort);

  // The cheapest answers: costs are per atom, and add up. With every answer found within the budget, `take` is called
  // with its values and says what is left of the budget, less than the answer costs. No answer is within what is left
  // at the end, which is returned.
  using Take = std::function<double(const std::vector<int>&)>;
  double search_within(const std::uint8_t* mask, Question question, const std::vector<double>& of_atom, double budget,
                       const Take& take);

  // True with a cheap point of the box that answers the question: what local search finds from a start, which is made
  // cheaper if it is an answer.
  bool look_within(const std::uint8_t* mask, Question question, const std::vector<double>& of_atom,
                   const std::vector<int>& start, std::vector<int>& point);

  // True with a point of the box that answers the question and costs no more than the budget. Every variable has a
  // value that costs nothing; `start` is a point of the box.
  bool find_within(const std::uint8_t* mask, Question question, const std::vector<double>& of_atom, double budget,
                   const std::vector<int>& start, std::vector<int>& point);

  bool answers(const std::vector<int>& point, Question question) const;

  // Local search alone, for a point at which a rival beats the label: open a box, and, if that is not ruled out, look
  // from a point for one among some of the box's values (per variable from the first to the last that is given).
  bool open_rival(const std::uint8_t* mask, int label, int rival);
  bool find_near(const std::vector<std::vector<int>>& values, std::vector<int>& point);

  // After an answer, or for one in a box that is opened: move it towards another point of the box as far as it stays an
  // answer. Variables that are flagged `along` may stop on their way.
  void pull(const std::vector<int>& towards, const std::vector<std::uint8_t>& along, Question question,
            std::vector<int>& point);

  // True with a point of the box at which all of these win.
  // same: for two rows of one model, the nodes with the same values for both; else null.
  bool win_all(const std::uint8_t* mask, const std::vector<Win>& wins, AllMargins::Decided decided,
               const std::vector<std::uint8_t>* same, std::vector<int>& point);

  // After an answer: which values of variable j that the box allows, at this point, answer the question too. In the
  // other variables, the point need not be in the box; it takes longer then.
  void find_answers_along(int j, const std::vector<int>& point, Question question,
                          std::vector<std::uint8_t>& answering);

 private:
  static constexpr int kLeastPatience = 50;

  void open(const std::uint8_t* mask);
  bool is_at(const std::vector<int>& ranks, const std::vector<int>& point, int j) const;
  // The class that some rival must beat. Of two classes, a target is the rival of the other one.
  int label_of(Question question) const { return question.target ? 1 - *question.target : question.label; }

  bool beat(int label, const Seeds& seeds, std::vector<int>& point);
  void beat_within(int label, double budget, const Take& take);
  void take_values(const std::vector<int>& x, double budget, const Take& take);
  AllMargins::Decided decides_for(int label) const;
  bool search_rivals(int label, std::vector<int>& point);
  bool find_rivals(int label, const Seeds& seeds, const std::vector<std::uint8_t>& ruled_out);
  enum class Sifted { kAll, kSome, kUnfinished };
  Sifted sift_rivals(int label, std::vector<std::uint8_t>& ruled_out, const Remove& take_out, Effort effort);
  bool holds_points(const std::vector<std::uint8_t>& mask) const;
  void choose_again(int label, int rival);
  bool reach(int label);
  void reach_within(int label, double budget, const Take& take);
  bool collect_wins(const std::vector<Win>& wins, AllMargins::Decided decided, const std::vector<std::uint8_t>* same);
  bool win_all(const std::vector<Win>& wins, AllMargins::Decided decided, const std::vector<std::uint8_t>* same);
  bool falsify(const Seeds& seeds);
  bool search();
  DepthFirst::Verdict search_depth_first();

  SearchOptions options_;
  Restriction box_;
  Margin margin_;
  LiveRanks live_;
  Falsifier falsifier_;
  DepthFirst depth_first_;
  OneMargin one_margin_;
  AllMargins all_margins_;
  Lagrangian lagrangian_;
  Team team_;
  Costs costs_;
  CheapFalsifier cheap_falsifier_;
  double left_ = 0;                          // of the budget
  std::vector<int> x_, values_;              // points in ranks and in values
  Region part_;                              // the part of the box that local search is kept in
  std::vector<std::pair<Int, int>> rivals_;  // how much local search lacked, and the rival
  int patience_ = 0;                         // nodes that the depth-first search may take: fewer after it failed
};

}  // namespace primewood::search
