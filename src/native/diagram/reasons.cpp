#include "diagram/reasons.hpp"

#include <algorithm>
#include <utility>

namespace primewood::diagram {

Reasons::Reasons(std::size_t most_nodes, Limits& limits)
    : functions_(most_nodes, limits), families_(most_nodes, limits) {}

Id Reasons::apply(Id a, Id b, Operation operation, OperationCache& cache) {
  if (a == b || b == operation.neutral) return a;
  if (a == operation.neutral) return b;
  if (a == operation.absorbing || b == operation.absorbing) return operation.absorbing;
  if (a > b) std::swap(a, b);
  if (const Id known = cache.find(a, b); known != kNone) return known;
  const BinaryNodes::Node x = functions_[a], y = functions_[b];
  const Id variable = std::min(x.variable, y.variable);
  const bool in_x = x.variable == variable, in_y = y.variable == variable;
  const Id lo = apply(in_x ? x.lo : a, in_y ? y.lo : b, operation, cache);
  const Id hi = apply(in_x ? x.hi : a, in_y ? y.hi : b, operation, cache);
  const Id result = node(variable, lo, hi);
  cache.put(a, b, result);
  return result;
}

Id Reasons::dual(Id function) {
  std::vector<Id> known(functions_.size(), kNone);
  return dual(function, known);
}

Id Reasons::dual(Id function, std::vector<Id>& known) {
  if (function < 2) return 1 - function;
  if (known[function] != kNone) return known[function];
  const BinaryNodes::Node n = functions_[function];
  const Id lo = dual(n.hi, known), hi = dual(n.lo, known);
  return known[function] = node(n.variable, lo, hi);
}

Id Reasons::primes(Id function) {
  std::vector<Id> known(functions_.size(), kNone);
  return primes(function, known);
}

Id Reasons::primes(Id function, std::vector<Id>& known) {
  if (function < 2) return function;
  if (known[function] != kNone) return known[function];
  const BinaryNodes::Node n = functions_[function];
  const Id without = primes(n.lo, known), with = filter(primes(n.hi, known), n.lo);
  return known[function] = with == 0 ? without : families_.make(n.variable, without, with);
}

Id Reasons::filter(Id family, Id function) {
  if (family == 0 || function == 1) return 0;
  const BinaryNodes::Node f = families_[family];
  while (functions_[function].variable < f.variable) function = functions_[function].lo;
  if (function < 2) return function == 1 ? 0 : family;
  if (const Id known = filtered_.find(family, function); known != kNone) return known;
  const BinaryNodes::Node n = functions_[function];
  const bool same = n.variable == f.variable;
  const Id lo = filter(f.lo, same ? n.lo : function), hi = filter(f.hi, same ? n.hi : function);
  const Id result = hi == 0 ? lo : families_.make(f.variable, lo, hi);
  filtered_.put(family, function, result);
  return result;
}

}  // namespace primewood::diagram
