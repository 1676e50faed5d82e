// Proves that a rival wins nowhere in a box, and writes the proof down, for a checker that knows nothing of this code.
// docs/reference/certificates.md defines what is written.
//
// The box has been proved before; it is proved again with a better bound per node, and leaves and values are not
// removed for good, so that the proof consists of few, simple steps. Multipliers are whole numbers of a unit. A node
// inherits those of the node that it is a part of, and writes down what it changes: as little, and as roughly, as its
// bound allows.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "limits.hpp"
#include "search/costs.hpp"
#include "search/cut_chooser.hpp"
#include "search/integer_bound.hpp"
#include "search/shares.hpp"

namespace primewood::search {

enum class Recorded {
  kProof,
  kCounterexample,  // the box has a point at which the rival wins
  kTooLong,         // for a certificate
  kNeedsLink,       // only the values of a softmax tell two classes apart
};

// Several wins at once, and what shows that one of them is missed.
struct Together {
  std::vector<OwnWin> wins;
  std::function<bool(const std::vector<int>&)> met;     // at a point of values: all are decided so
  std::function<bool(const std::vector<int>&)> missed;  // where each tree ends in a leaf: the library's sums show it
  std::vector<std::uint8_t> parting = {};               // per node: two rows of one model part there; else nothing
  std::vector<Int> costs = {};                          // per atom; nothing: there is no budget
  Int budget = 0;
};

class Recorder {
 public:
  // feature_of: per variable, how the certificate numbers it.
  Recorder(const Forest& forest, Limits& limits, std::vector<int> feature_of, std::int64_t most_nodes);

  // After `kProof`: the body, and the unit of its multipliers.
  std::string body;
  Int unit = 1;
  std::int64_t nodes = 0;  // of all proofs so far

  // Whether the rival wins nowhere in a box (one byte per atom).
  Recorded prove(const std::uint8_t* mask, int label, int rival);

  // Whether several wins are together nowhere in a box, within a budget if there are costs.
  Recorded prove(const std::uint8_t* mask, const Together& together);

 private:
  static constexpr int kRootSteps = 300, kNodeSteps = 60;  // to lower the bound of a node
  static constexpr int kBits = 26;                         // a unit is this much finer than the range of leaves
  static constexpr int kRoughest = 11, kInner = 9;         // multipliers change by multiples of 4 to the power of this
  static constexpr int kOften = 4;                         // steps between two looks at what the bound leaves
  static constexpr std::size_t kFew = 12;                  // leaves that are told apart
  static constexpr int kDeepest = 4000;
  static constexpr double kTolerance = 1e-7;
  static constexpr int kLearn = 4;                        // steps between two looks at the shares
  static constexpr double kMostPaid = double(1LL << 60);  // for the budget

  enum class Step : std::uint8_t { kSplit, kBound, kCell, kSet, kShares, kPrice, kParting };

  struct Note {
    Step step;
    int a = 0, b = 0;                            // what a split divides, or how rough the changes are
    std::vector<std::pair<int, Int>> changes{};  // of multipliers
    std::vector<Int> numbers{};                  // shares, or a price
  };

  // What the parts of a node inherit.
  struct Inherited {
    std::vector<Int> multipliers;  // all of the search
    std::vector<Int> shares;
    Int price = 0;
  };

  bool is_beaten();
  Recorded close_at_once();
  void start(const std::uint8_t* mask);
  Recorded finish(Recorded recorded);
  Recorded search();
  void open_costs();
  void take_shares(Node& node, const std::vector<Int>& shares);
  bool learn(Node& node, int step, int steps);
  bool is_too_dear(const Node& node) const;
  Recorded miss_one(Node& node, int depth, int win);
  void note_shares(int depth);
  void open();
  void open_leaves(Node& root);
  int tree_of(int node) const;
  double to_scale(Int sum) const { return double(sum - top_) * scale_; }
  bool aim(Node& node);
  Recorded visit(int depth);
  Recorded divide(int depth);
  Cut choose_cut(const Node& node);
  Recorded fail_at_point(const Node& node);
  void prepare(Node& node, int depth);
  bool lower(Node& node, int depth);
  bool may_close(const Node& node, double upper) const;
  bool close(int depth);
  bool is_closed(int depth, Step& how);
  bool is_label_preferred(const Node& node);
  bool hand_down(int depth);
  void round_changes(int depth, int roughness);
  void take_back_changes(int depth);
  void note_changes(int depth, int roughness);
  void write();
  void write_table(const std::vector<int>& place);
  void put(std::uint64_t number);

  const Forest& forest_;
  Limits& limits_;
  const std::vector<int> feature_of_;
  const std::int64_t most_nodes_;
  Restriction box_;
  Margin margin_;
  LiveRanks live_;
  Relaxation relaxation_;
  IntegerBound bound_;
  CutChooser cuts_;
  Shares shares_;
  const Together* together_ = nullptr;  // if it is null, one margin is proved
  Costs costs_;
  IntegerBound::Prices prices_;

  Int top_ = 0;                                              // the sum of the heaviest leaves of the box
  Int range_ = 1;                                            // the largest difference between two leaves of one tree
  double scale_ = 1;                                         // of the relaxation's weights
  std::vector<Node> nodes_at_;                               // per depth
  std::vector<Inherited> inherited_;                         // per depth
  std::vector<std::pair<int, Relaxation::Source>> of_tree_;  // per multiplier of the search: its tree and span
  std::vector<Int> wanted_;                                  // at the node: what its multipliers shall be
  std::vector<std::pair<Int, std::size_t>> order_;
  std::vector<int> leaves_;  // at the node: those that can reach the threshold
  std::vector<int> kept_first_, kept_;
  std::vector<Note> notes_;
};

}  // namespace primewood::search
