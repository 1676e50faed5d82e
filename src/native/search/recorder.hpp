// Proves that a rival wins nowhere in a box, and writes the proof down, for a checker that knows nothing of this code.
// docs/reference/certificates.md defines what is written.
//
// The box has been proved before; it is proved again with a better bound per node and without removing leaves or
// values, so that the proof consists of few, simple steps. Multipliers are whole numbers of a unit. A node inherits
// those of the node that it is a part of, and writes down what it changes: as little, and as roughly, as its bound
// allows.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "limits.hpp"
#include "search/cut_chooser.hpp"
#include "search/integer_bound.hpp"

namespace primewood::search {

enum class Recorded {
  kProof,
  kCounterexample,  // the box has a point at which the rival wins
  kTooLong,         // for a certificate
  kNeedsLink,       // only the values of a softmax tell two classes apart
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

 private:
  static constexpr int kRootSteps = 300, kNodeSteps = 60;  // to lower the bound of a node
  static constexpr int kBits = 26;                         // a unit is this much finer than the range of leaves
  static constexpr int kRoughest = 11, kInner = 9;         // multipliers change by multiples of 4 to the power of this
  static constexpr int kDeepest = 4000;
  static constexpr double kTolerance = 1e-7;

  enum class Step : std::uint8_t { kSplit, kBound, kCell, kSet };

  struct Note {
    Step step;
    int a = 0, b = 0;                            // what a split divides, or how rough the changes are
    std::vector<std::pair<int, Int>> changes{};  // of multipliers
  };

  bool is_beaten();
  Recorded close_at_once();
  Recorded search();
  void open();
  void open_leaves(Node& root);
  bool aim(Node& node);
  Recorded visit(int depth);
  Recorded divide(int depth);
  Recorded try_point(const Node& node);
  void prepare(Node& node, int depth);
  bool lower(Node& node, int depth);
  bool close(int depth);
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

  Int top_ = 0;                                              // the sum of the heaviest leaves of the box
  Int range_ = 1;                                            // the largest difference between two leaves of one tree
  Int target_ = 0;                                           // at the node: a bound below it closes it
  double scale_ = 1;                                         // of the relaxation's weights
  std::vector<Node> nodes_at_;                               // per depth
  std::vector<std::vector<Int>> inherited_;                  // per depth: all multipliers of the search
  std::vector<std::pair<int, Relaxation::Source>> of_tree_;  // per multiplier of the search: its tree and span
  std::vector<Int> wanted_;                                  // at the node: what its multipliers shall be
  std::vector<std::pair<Int, std::size_t>> order_;
  std::vector<int> kept_first_, kept_;
  std::vector<Note> notes_;
};

}  // namespace primewood::search
