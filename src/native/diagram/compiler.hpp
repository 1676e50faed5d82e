// From a forest to the diagram of its decision: find an order, add up trees while that stays small, decide.
#pragma once

#include <string>

#include "diagram/decision.hpp"
#include "diagram/plain.hpp"
#include "diagram/sifting.hpp"

namespace primewood::diagram {

// How much a compilation may take. The work of sifting is counted in entries moved, so that the same model always
// gives the same diagram.
struct Caps {
  std::size_t nodes;          // of the diagram
  std::size_t states;         // that are expanded on the way to it
  double order_work;          // to find an order, at each number of parts
  double final_work;          // to make the diagram smaller in the end
  static constexpr std::size_t kSums = 200000;  // nodes of sums while looking for an order
  static constexpr std::size_t kGroup = 20000;  // nodes that adding two parts may bring before the decision
};

// How far a compilation is, for whoever watches it.
struct Progress {
  std::string stage = "order";
  std::size_t nodes = 0, states = 0, settled = 0;
  int parts = 0;
  std::function<void(Progress&)> refresh;  // bring the numbers up to date, if there is something to ask

  void update() {
    if (refresh) refresh(*this);
  }
};

class Compiler {
 public:
  Compiler(const Forest& f, std::vector<int> order, Caps caps, Limits& limits, Progress& progress)
      : f_(f), order_(std::move(order)), caps_(caps), limits_(limits), progress_(progress) {}

  const std::vector<int>& order() const { return order_; }

  // Add up hard votes, pair by pair, and sift the sums on the way. Hard votes keep the sums small, and an order that
  // is good for them is good for the model's own.
  void find_order() {
    Votes votes(f_.n_classes);
    Sums sums(widths(), votes, limits_);
    std::vector<Edge> parts = trees(votes, sums, Trees::kHard);
    for (;;) {
      sums.trim(parts);
      report("order", sums.size(), parts.size());
      Sifting(sums, order_, caps_.order_work).run();
      sums.allow(Caps::kSums);
      if (parts.size() <= 2 || !add_pairs(parts, sums)) return;
    }
  }

  Plain compile() {
    Votes votes(f_.n_classes), numbers(1);
    Sums sums(widths(), votes, limits_), identities(widths(), numbers, limits_);
    std::vector<Edge> parts = trees(votes, sums, Trees::kModel);
    add_up(parts, sums);
    report("decision", 0, parts.size());
    Rounding rounding{f_.band, f_.any_order, settling(), &identities, {}};
    if (f_.band > 0) rounding.trees = trees(numbers, identities, Trees::kIdentity);
    Store out(widths(), limits_);
    out.allow(caps_.nodes);
    Decision decision(sums, votes, std::move(rounding), out, caps_.states);
    progress_.refresh = [&](Progress& p) {
      p.nodes = out.size();
      p.states = decision.states();
      p.settled = decision.settled();
    };
    std::vector<Id> root;
    try {
      root = {decision.root(parts)};
    } catch (...) {
      stop_refreshing();
      throw;
    }
    stop_refreshing();
    out.trim(root);
    out.allow(SIZE_MAX);
    try {
      report("sifting", out.size(), parts.size());
      Sifting(out, order_, caps_.final_work).run();
    } catch (const LimitReached&) {
      // The diagram is right at every moment, only not as small as it could be.
    }
    progress_.nodes = out.size();
    return Plain::of(out, root[0], f_.n_classes + f_.any_order);
  }

 private:
  void stop_refreshing() {
    progress_.update();
    progress_.refresh = nullptr;
  }

  void report(const char* stage, std::size_t nodes, std::size_t parts) {
    progress_.stage = stage;
    progress_.nodes = nodes;
    progress_.parts = int(parts);
    limits_.check();
  }

  std::vector<int> widths() const {
    std::vector<int> width;
    for (int x : order_) width.push_back(f_.values(x));
    return width;
  }

  // A doubtful cell has the class that the library's own sum gives; if that depends on the order of summation, the
  // terminal after the classes.
  std::function<Id(const std::vector<int>&)> settling() const {
    return [this, point = std::vector<int>(f_.n_variables)](const std::vector<int>& path) mutable -> Id {
      if (f_.any_order) return f_.n_classes;
      for (std::size_t j = 0; j < order_.size(); j++) point[order_[j]] = path[j];
      return f_.decide(point.data());
    };
  }

  std::vector<Edge> trees(Votes& votes, Sums& sums, Trees::Vote vote) {
    std::vector<int> place(f_.n_variables);
    for (std::size_t j = 0; j < order_.size(); j++) place[order_[j]] = int(j);
    sums.allow(10 * Caps::kSums + caps_.nodes);
    Trees made(f_, place, votes, sums, vote);
    std::vector<Edge> found;
    for (int t = 0; t < f_.n_trees; t++) found.push_back(made.tree(t));
    sums.trim(found);
    return found;
  }

  // Add neighbouring parts; false, and nothing changes, if that takes too many nodes.
  static bool add_pairs(std::vector<Edge>& parts, Sums& sums) {
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

  // Add neighbouring parts where the sum stays small, until nothing is left to add.
  static void add_up(std::vector<Edge>& parts, Sums& sums) {
    for (std::size_t before = 0; parts.size() != before;) {
      before = parts.size();
      std::vector<Edge> fewer;
      for (std::size_t i = 0; i < parts.size(); i += 2) {
        std::vector<Edge> pair(parts.begin() + i, parts.begin() + std::min(i + 2, parts.size()));
        sums.allow(sums.size() + Caps::kGroup);
        add_pairs(pair, sums);
        fewer.insert(fewer.end(), pair.begin(), pair.end());
      }
      parts = std::move(fewer);
    }
    sums.trim(parts);
  }

  const Forest& f_;
  std::vector<int> order_;
  const Caps caps_;
  Limits& limits_;
  Progress& progress_;
};

}  // namespace primewood::diagram
