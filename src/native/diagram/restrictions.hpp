// Restrictions: what an explanation can exclude, or a contrast let go of. The variables of reasons and of families.
//
// Which restrictions there are, and which of them can hold together, is the literal language:
// - sets: each group of values with equal columns is excluded by itself (but let go of value by value);
// - intervals: numbers are excluded from either end inwards (restriction k holds only with those farther out);
//   "missing" is excluded by itself, or all numbers are;
// - values: all values but one are excluded.
// Around an instance its own value stays allowed; without one, a literal must not exclude everything.
#pragma once

#include <vector>

#include "diagram/diagram.hpp"
#include "language.hpp"

namespace primewood::diagram {

// Which reason is asked for: that of "the terminal is this label".
struct ReasonQuery {
  Id label = 0;
  Language language = Language::kSets;
  std::vector<int> ordered;  // per level: how many values are in a line (0 for none); the one after them is "missing"
  Path instance;             // one value per level; empty for all primes of the decision
  bool contrast = false;     // functions of what is let go, instead of what is excluded
};

// Values of the variable at a level.
struct Restriction {
  int level;
  std::vector<int> values;
};

class Restrictions {
 public:
  // A query has one number of ordered values per level, and an instance of the diagram or none.
  Restrictions(const Diagram& diagram, const ReasonQuery& query);

  // Level by level, each in the order in which blocks ask for them.
  const std::vector<Restriction>& all() const { return restrictions_; }
  // The number of a level's first restriction; `kNone` if the level does not matter.
  int first(int level) const { return first_[level]; }

  // The values of a level, those together that no explanation tells apart: equal columns, on a line equal neighbours
  // ("runs").
  const std::vector<std::vector<int>>& groups(int level) const { return groups_[level]; }
  // How many runs of numbers a line has.
  int runs(int level) const;
  // The run of the instance's value.
  int own_run(int level) const;
  // Whether the instance's value is in a group.
  bool is_own(int level, const std::vector<int>& group) const;

  bool has_instance() const { return !query_.instance.empty(); }
  bool is_line(int level) const { return query_.language == Language::kIntervals && query_.ordered[level] > 0; }
  bool can_miss(int level) const { return diagram_.width(level) > query_.ordered[level]; }
  // Whether the instance's value is missing.
  bool is_missing(int level) const { return has_instance() && query_.instance[level] == query_.ordered[level]; }
  // In `intervals` letting go goes outwards from the instance, so its functions are built as such.
  bool goes_outwards() const { return query_.contrast && query_.language == Language::kIntervals; }

 private:
  using Groups = std::vector<std::vector<int>>;

  Groups group_values(int level) const;
  Groups group_equal_columns(int level) const;
  Groups group_equal_neighbours(int level) const;
  // Whether two values of a level lead to the same nodes everywhere.
  bool is_same_column(int level, int v, int w) const;
  bool matters(int level) const;

  // Add the restrictions of a level; the number of the first.
  int declare(int level);
  void declare_values(int level);
  void declare_sets(int level);
  // A line of numbers: [all numbers] [lower chain] [upper chain] [missing].
  void declare_line(int level);
  void declare_chains(int level);
  void add(int level, std::vector<int> values);

  const Diagram& diagram_;
  const ReasonQuery& query_;
  std::vector<Restriction> restrictions_;
  std::vector<int> first_;      // per level
  std::vector<Groups> groups_;  // per level
};

}  // namespace primewood::diagram
