// Looking for counterexamples by local search: coordinate ascent on the margin, with restarts.
#pragma once

#include <cstdint>
#include <vector>

#include "limits.hpp"
#include "search/live_ranks.hpp"
#include "search/margin.hpp"
#include "search/paths.hpp"
#include "search/random.hpp"
#include "search/region.hpp"

namespace primewood::search {

class Falsifier {
 public:
  Falsifier(Margin& margin, const LiveRanks& live, Limits& limits)
      : margin_(margin), box_(margin.box), live_(live), forest_(margin.forest), limits_(limits), paths_(margin) {}

  void reset();

  // How much the heaviest point seen lacks.
  Int distance() const { return best_.empty() ? INT64_MAX : margin_.threshold - best_total_; }

  // How the sum changes along one variable: totals()[v] is the sum at rank v ("missing" comes last).
  void sweep(int j, const std::vector<int>& x, Int total);
  const std::vector<Int>& totals() const { return along_; }

  // Move one coordinate at a time uphill, among live ranks; true if x becomes a counterexample.
  bool ascend(std::vector<int>& x);

  // Ascend from random changes of the best point; true with the counterexample in `x`.
  bool wander(int rounds, std::vector<int>& x);

  // Ascend in a part of the box, from a point and from random changes of where that ends; true with the counterexample
  // in `x`.
  bool search_part(const Region& part, std::vector<int>& x);

  // Move a counterexample towards another point as far as it stays one: variables take over that point's rank one after
  // the other, or, where they are flagged `along`, the nearest one to it that they can.
  void pull(const std::vector<int>& towards, const std::vector<std::uint8_t>& along, std::vector<int>& x);

 private:
  static constexpr int kPartRounds = 3;   // of random changes in a part
  static constexpr int kMostSweeps = 20;  // per variable

  // Keeps walks in a part of the box until it goes out of scope.
  class Within {
   public:
    Within(const Region*& at, const Region& part) : at_(at) { at_ = &part; }
    ~Within() { at_ = nullptr; }
    Within(const Within&) = delete;
    Within& operator=(const Within&) = delete;

   private:
    const Region*& at_;
  };

  inline int best_rank(int j, Int& total) const;
  void sweep_walked(int j, const std::vector<int>& x);
  void put_back(const std::vector<int>& towards, int from, int to, std::vector<int>& x);
  void pull_along(int j, int towards, std::vector<int>& x);
  template <class Roots>
  void sweep_trees(int j, const std::vector<int>& x, Int total, const Roots& for_each_root);
  void find_free_variables();
  void shake(std::vector<int>& x);
  void move_into_part(std::vector<int>& x) const;
  bool is_free(int j) const;
  int random_rank(int j);
  void spread(int b, int j, int low, int high, bool missing, const std::vector<int>& x);
  inline void add_along(int j, int low, int high, bool missing, Int weight);

  Margin& margin_;
  const Restriction& box_;
  const LiveRanks& live_;
  const Forest& forest_;
  Limits& limits_;
  std::vector<int> best_;  // the heaviest point seen that is no counterexample
  Int best_total_ = INT64_MIN;
  std::vector<Int> along_;
  Paths paths_;                   // of the point that walks
  std::vector<int> free_;         // the variables that matter and can change
  Int reached_ = 0;               // where the last ascent ended
  const Region* part_ = nullptr;  // what walks are kept in; else the box
  Random random_;
};

}  // namespace primewood::search
