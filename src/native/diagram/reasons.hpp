// Reasons and their prime implicants: monotone decision diagrams, and families of sets.
//
// A *reason* is a monotone Boolean function of restrictions ("these values of this variable are excluded"): true iff
// the decision is certain under them. It is a binary decision diagram (terminals 0 and 1). The minimal sets of
// restrictions that make it true are a family, a zero-suppressed diagram (0: no set, 1: the empty set):
//
//     P(0) = {}    P(1) = {{}}    P(e, lo, hi) = P(lo) + e x FILTER(P(hi), lo)
//
// where FILTER(F, h) keeps the sets of F that do not satisfy the monotone h.
#pragma once

#include <cstddef>
#include <vector>

#include "diagram/binary_nodes.hpp"
#include "limits.hpp"

namespace primewood::diagram {

class Reasons {
 public:
  // `most_nodes`: of the functions, and of the families; `CapReached` after that.
  Reasons(std::size_t most_nodes, Limits& limits);

  const BinaryNodes& functions() const { return functions_; }
  const BinaryNodes& families() const { return families_; }

  // The function "if the variable then hi else lo"; both depend on later variables only.
  Id node(Id variable, Id lo, Id hi) { return lo == hi ? lo : functions_.make(variable, lo, hi); }
  Id conjunction(Id a, Id b) { return apply(a, b, kAnd, conjunctions_); }
  Id disjunction(Id a, Id b) { return apply(a, b, kOr, disjunctions_); }

  // not g(not e): true iff letting go of these restrictions alone makes another decision possible.
  Id dual(Id function);

  // The family of the minimal sets that make a monotone function true.
  Id primes(Id function);

  // The sets of a family that do not satisfy a monotone function.
  Id filter(Id family, Id function);

 private:
  // What decides the result alone, and what leaves it to the other.
  struct Operation {
    Id absorbing, neutral;
  };
  static constexpr Operation kAnd{0, 1}, kOr{1, 0};

  Id apply(Id a, Id b, Operation operation, OperationCache& cache);
  Id dual(Id function, std::vector<Id>& known);
  Id primes(Id function, std::vector<Id>& known);

  BinaryNodes functions_, families_;
  OperationCache conjunctions_, disjunctions_, filtered_;
};

}  // namespace primewood::diagram
