// Several forests asked about at once: two models of the same rows, or one model on two rows that share variables.
//
// `whole` has the trees of all parts over the joint variables, with the weights of all parts side by side, and their
// rules. Where the parts are one model on two rows, the two copies of a tree become one tree, whose leaves are the pairs
// of leaves that can be reached together: as long as the two rows do not part, the copies are one.
#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <vector>

#include "all_margins.hpp"
#include "forest.hpp"

namespace primewood {

struct JointTooLarge {};

class Joint {
 public:
  // One forest, and for each of its variables the joint variable that it is.
  struct Part {
    Forest forest;
    std::vector<int> place;
  };

  // Relations between the joint variables are trees of rules over them. `paired`: the trees are put together two by
  // two; `twins`: both parts are one model.
  Joint(std::vector<Part> p, const std::vector<int>& ordered, const std::vector<std::uint8_t>& has_missing, bool paired,
        bool twins, const Forest& relations, std::size_t most_nodes)
      : parts(std::move(p)), most_nodes_(most_nodes) {
    whole.n_variables = int(ordered.size());
    whole.ordered = ordered;
    whole.has_missing = has_missing;
    whole.start.clear();
    for (const Part& part : parts) {
      class_at_.push_back(whole.n_classes);
      output_at_.push_back(whole.n_outputs);
      whole.n_classes += part.forest.n_classes;
      whole.n_outputs += part.forest.n_outputs;
      whole.any_order = whole.any_order || part.forest.any_order;
    }
    whole.start.assign(whole.n_outputs, 0.0);
    low_.assign(whole.n_variables, 0);
    high_.resize(whole.n_variables);
    for (int j = 0; j < whole.n_variables; j++) high_[j] = ordered[j] - 1;
    missing_ = has_missing;
    if (paired) {
      for (int t = 0; t < parts[0].forest.n_trees; t++) {
        std::vector<int> at;
        for (const Part& part : parts) at.push_back(part.forest.root[t]);
        add_tree(at);
      }
    } else {
      for (std::size_t p = 0; p < parts.size(); p++)
        for (int t = 0; t < parts[p].forest.n_trees; t++) {
          std::vector<int> at(parts.size(), NOTHING);
          at[p] = parts[p].forest.root[t];
          add_tree(at);
        }
    }
    whole.n_trees = int(whole.root.size());
    for (const Part& part : parts)
      for (int t = part.forest.n_trees; t < part.forest.all_trees(); t++) add_rule(part.forest, part.place, t);
    std::vector<int> same(relations.n_variables);
    for (int j = 0; j < relations.n_variables; j++) same[j] = j;
    for (std::size_t t = 0; t < relations.root.size(); t++) add_rule(relations, same, int(t));
    whole.n_rules = int(whole.root.size()) - whole.n_trees;
    whole.finish_trees();
    if (paired && twins) find_same();
  }

  std::vector<Part> parts;
  Forest whole;
  std::vector<std::uint8_t> same;  // per node: both rows of one model get the same values; empty for two models

  // What is asked of one part: that it decides a class, or, given a rival, that the rival keeps it from doing so.
  struct Demand {
    int part, label, rival;
  };

  std::vector<Win> wins(const std::vector<Demand>& demands) const {
    std::vector<Win> found;
    for (const Demand& d : demands) {
      const Forest& f = parts[d.part].forest;
      const int at = class_at_[d.part];
      const auto pair = [&](int a, int b) { return std::min(a, b) * f.n_classes + std::max(a, b); };
      if (d.rival >= 0) {
        found.push_back({at + d.rival, at + d.label, d.rival < d.label ? 0 : 1, f.band, pair(d.label, d.rival),
                         d.rival > d.label});
      } else {
        for (const Win& win : AllMargins::of_class(f, d.label))
          found.push_back({at + win.winner, at + win.rival, win.threshold, win.band, pair(win.winner, win.rival),
                           win.winner > win.rival});
      }
    }
    return found;
  }

  // Whether a joint point meets the demands, as the libraries decide.
  bool meets(const std::vector<int>& point, const std::vector<Demand>& demands) const {
    std::vector<int> own;
    for (const Demand& d : demands) {
      const Part& part = parts[d.part];
      own.resize(part.place.size());
      for (std::size_t j = 0; j < own.size(); j++) own[j] = point[part.place[j]];
      if ((part.forest.decide(own.data()) == d.label) != (d.rival < 0)) return false;
    }
    return true;
  }

 private:
  static constexpr int NOTHING = -1;

  void find_same() {
    const std::size_t n = whole.n_outputs, half = n / 2;
    same.resize(whole.variable.size());
    for (std::size_t node = 0; node < same.size(); node++) {
      const double* values = &whole.value[node * n];
      same[node] = std::equal(values, values + half, values + half);
    }
  }

  int add_node() {
    if (whole.variable.size() >= most_nodes_) throw JointTooLarge{};
    whole.variable.push_back(-1);
    whole.prefix.push_back(0);
    whole.left.push_back(-1);
    whole.right.push_back(-1);
    whole.missing_left.push_back(0);
    whole.exact.push_back(1);
    whole.forbidden.push_back(0);
    whole.weight.resize(whole.weight.size() + whole.n_classes, 0);
    whole.value.resize(whole.value.size() + whole.n_outputs, 0.0);
    return int(whole.variable.size()) - 1;
  }

  void add_tree(std::vector<int> at) {
    whole.root.push_back(int(whole.variable.size()));
    add(std::move(at));
  }

  // The tree of what the copies, each at a node of its own, decide together within the current ranges.
  int add(std::vector<int> at) {
    int leading = -1;  // the first copy that still has something to test
    for (std::size_t p = 0; p < parts.size(); p++) {
      if (at[p] == NOTHING) continue;
      at[p] = settled(parts[p], at[p]);
      if (leading < 0 && parts[p].forest.variable[at[p]] >= 0) leading = int(p);
    }
    const int node = add_node();
    if (leading < 0) {
      fill(node, at);
      return node;
    }
    const Forest& f = parts[leading].forest;
    const int n = at[leading], j = parts[leading].place[f.variable[n]];
    whole.variable[node] = j;
    whole.prefix[node] = f.prefix[n];
    whole.missing_left[node] = f.missing_left[n];
    for (bool left : {true, false}) {
      std::vector<int> below(at);
      below[leading] = left ? f.left[n] : f.right[n];
      const int low = low_[j], high = high_[j];
      const std::uint8_t missing = missing_[j];
      if (left) {
        high_[j] = std::min(high, f.prefix[n] - 1);
      } else {
        low_[j] = std::max(low, f.prefix[n]);
      }
      missing_[j] = missing && (f.missing_left[n] != 0) == left;
      const int child = add(std::move(below));
      (left ? whole.left : whole.right)[node] = child;
      low_[j] = low;
      high_[j] = high;
      missing_[j] = missing;
    }
    return node;
  }

  // Go down as far as the current ranges leave no choice.
  int settled(const Part& part, int n) const {
    const Forest& f = part.forest;
    while (f.variable[n] >= 0) {
      const int j = part.place[f.variable[n]], k = f.prefix[n];
      const bool some = low_[j] <= high_[j], goes = f.missing_left[n] != 0;
      const bool left = (some && low_[j] < k) || (missing_[j] && goes);
      const bool right = (some && high_[j] >= k) || (missing_[j] && !goes);
      if (left && right) break;
      n = left ? f.left[n] : f.right[n];
    }
    return n;
  }

  void fill(int node, const std::vector<int>& at) {
    for (std::size_t p = 0; p < parts.size(); p++) {
      if (at[p] == NOTHING) continue;
      const Forest& f = parts[p].forest;
      for (int c = 0; c < f.n_classes; c++)
        whole.weight[std::size_t(node) * whole.n_classes + class_at_[p] + c] =
            f.weight[std::size_t(at[p]) * f.n_classes + c];
      for (int c = 0; c < f.n_outputs; c++)
        whole.value[std::size_t(node) * whole.n_outputs + output_at_[p] + c] =
            f.value[std::size_t(at[p]) * f.n_outputs + c];
      if (!f.exact[at[p]]) whole.exact[node] = 0;
    }
  }

  // Copy a rule; its nodes come after one another.
  void add_rule(const Forest& from, const std::vector<int>& place, int tree) {
    const int begin = from.root[tree];
    const int end = tree + 1 < int(from.root.size()) ? from.root[tree + 1] : int(from.variable.size());
    const int shift = int(whole.variable.size()) - begin;
    whole.root.push_back(begin + shift);
    for (int n = begin; n < end; n++) {
      const int node = add_node();
      if (from.variable[n] < 0) {
        whole.forbidden[node] = from.forbidden[n];
        continue;
      }
      whole.variable[node] = place[from.variable[n]];
      whole.prefix[node] = from.prefix[n];
      whole.left[node] = from.left[n] + shift;
      whole.right[node] = from.right[n] + shift;
      whole.missing_left[node] = from.missing_left[n];
    }
  }

  std::size_t most_nodes_;
  std::vector<int> class_at_, output_at_;  // per part: where its classes and outputs begin
  std::vector<int> low_, high_;            // the ranges of the joint variables on the current path
  std::vector<std::uint8_t> missing_;
};

}  // namespace primewood
