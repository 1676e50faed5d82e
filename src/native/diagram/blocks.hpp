// From a decision diagram to the reason of a decision, one block of restrictions per level.
//
// Let G(node) be the reason of what is below a node. A node with the children c_v, v a value, gets
//     G(node) = AND over the allowed values v of G(c_v),
// as a function of the restrictions of its level, which say what is allowed. On a line, a restriction holds only with
// those farther out, so "not k" goes on without the rest of its chain.
#pragma once

#include <vector>

#include "diagram/diagram.hpp"
#include "diagram/reasons.hpp"
#include "diagram/restrictions.hpp"

namespace primewood::diagram {

class Blocks {
 public:
  Blocks(const Diagram& diagram, const ReasonQuery& query, const Restrictions& restrictions, Reasons& reasons);

  // The reason of "the terminal is the query's label".
  Id make_reason();

  // True iff every value of some variable is excluded: such sets are not terms.
  Id make_nothing_left();

 private:
  // The functions of the nodes of a level, given those of the level below.
  std::vector<Id> make_level(int level, const std::vector<Id>& below);
  // A block: the function of a node, given those of its children, one per value.
  Id make_block(int level, const std::vector<Id>& children);
  Id make_sets(int level, const std::vector<Id>& children);
  Id make_values(int level, const std::vector<Id>& children);
  Id make_line(int level, const std::vector<Id>& children);

  // The numbers of a line and what is known about "missing": its function, and its restriction (`kNone`: it cannot be
  // excluded by itself).
  struct Line {
    std::vector<Id> runs;
    Id missing;
    int flag;
  };
  // A line around an instance whose value is missing.
  Id make_missing(int first, Line line);
  // All runs low..high of the line. Restrictions: `lower` + k excludes run k (with those below it), and `upper` + i
  // excludes run n-1-i (with those above it).
  Id make_ranges(int lower, int upper, const Line& line);
  // The runs around a run of the line. Exclusion goes from the outside inwards, letting go from the inside outwards.
  Id make_around(int first, int own, const Line& line);
  // The same upwards only, given what is allowed below.
  Id make_above(int upper, int own, Id inside, const Line& line);
  // What is left when the numbers are settled: "missing" is excluded or not.
  Id add_missing(Id numbers, const Line& line);

  Id join(Id a, Id b) { return outwards_ ? reasons_.disjunction(a, b) : reasons_.conjunction(a, b); }
  Id neutral() const { return outwards_ ? 0 : 1; }
  // The function of a restriction, given what holds while its values are allowed, and while they are excluded.
  Id make_choice(int restriction, Id allowed, Id excluded) {
    return outwards_ ? reasons_.node(restriction, excluded, allowed) : reasons_.node(restriction, allowed, excluded);
  }

  const Diagram& diagram_;
  const ReasonQuery& query_;
  const Restrictions& restrictions_;
  const bool outwards_;
  Reasons& reasons_;
};

}  // namespace primewood::diagram
