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

#include "diagram/levels.hpp"

namespace primewood::diagram {

// Nodes (variable, lo, hi), each once; children come before their parents, variables grow on the way down.
class Pairs {
 public:
  static constexpr Id kTerminal = INT32_MAX;

  Pairs(std::size_t most, Limits& limits) : most_(most), limits_(limits), slots_(1024, -1) {
    nodes_ = {{kTerminal, 0, 0}, {kTerminal, 1, 1}};
  }

  struct Node {
    Id variable, lo, hi;
  };
  const Node& operator[](Id i) const { return nodes_[i]; }
  std::size_t size() const { return nodes_.size(); }

  Id make(Id variable, Id lo, Id hi) {
    const Node node{variable, lo, hi};
    std::size_t place = hash_of(&node.variable, 3) & (slots_.size() - 1);
    for (; slots_[place] >= 0; place = (place + 1) & (slots_.size() - 1)) {
      const Node& n = nodes_[slots_[place]];
      if (n.variable == variable && n.lo == lo && n.hi == hi) return slots_[place];
    }
    if (nodes_.size() > most_) throw CapReached{};
    if ((nodes_.size() & 1023) == 0) limits_.check();
    nodes_.push_back(node);
    slots_[place] = Id(nodes_.size()) - 1;
    if (nodes_.size() * 2 > slots_.size()) enlarge();
    return Id(nodes_.size()) - 1;
  }

 private:
  void enlarge() {
    slots_.assign(slots_.size() * 2, -1);
    for (std::size_t i = 2; i < nodes_.size(); i++) {
      std::size_t place = hash_of(&nodes_[i].variable, 3) & (slots_.size() - 1);
      while (slots_[place] >= 0) place = (place + 1) & (slots_.size() - 1);
      slots_[place] = Id(i);
    }
  }

  const std::size_t most_;
  Limits& limits_;
  std::vector<Node> nodes_;
  std::vector<Id> slots_;
};

// Results of operations on two nodes; a newer one may push out an older one.
class Cache {
 public:
  Id find(Id a, Id b) const {
    const Slot& s = slots_[place(a, b)];
    return s.a == a && s.b == b ? s.result : -1;
  }
  void put(Id a, Id b, Id result) {
    if (++count_ > slots_.size() && slots_.size() < (std::size_t(1) << 23)) enlarge();
    slots_[place(a, b)] = {a, b, result};
  }

 private:
  struct Slot {
    Id a = -1, b = -1, result = -1;
  };
  std::size_t place(Id a, Id b) const {
    return mix(std::uint64_t(a) * 0x9E3779B97F4A7C15ull + std::uint64_t(b) * 0xC2B2AE3D27D4EB4Full) &
           (slots_.size() - 1);
  }
  void enlarge() {
    std::vector<Slot> old(slots_.size() * 4);
    old.swap(slots_);
    for (const Slot& s : old)
      if (s.a >= 0) slots_[place(s.a, s.b)] = s;
  }
  std::vector<Slot> slots_ = std::vector<Slot>(4096);
  std::size_t count_ = 0;
};

class Reasons {
 public:
  Reasons(std::size_t most_nodes, Limits& limits) : functions(most_nodes, limits), families(most_nodes, limits) {}

  Pairs functions, families;

  Id node(Id variable, Id lo, Id hi) { return lo == hi ? lo : functions.make(variable, lo, hi); }
  Id conjunction(Id a, Id b) { return apply(a, b, 0, 1, and_); }
  Id disjunction(Id a, Id b) { return apply(a, b, 1, 0, or_); }

  // not g(not e): true iff letting go of these restrictions alone makes another decision possible.
  Id dual(Id g) {
    std::vector<Id> known(functions.size(), -1);
    return dual(g, known);
  }

  Id primes(Id g) {
    std::vector<Id> known(functions.size(), -1);
    return primes(g, known);
  }

  // The sets of a family that do not satisfy a monotone function.
  Id filter(Id family, Id h) {
    if (family == 0 || h == 1) return 0;
    const Pairs::Node f = families[family];
    while (functions[h].variable < f.variable) h = functions[h].lo;
    if (h < 2) return h == 1 ? 0 : family;
    if (const Id known = filter_.find(family, h); known >= 0) return known;
    const Pairs::Node n = functions[h];
    const bool same = n.variable == f.variable;
    const Id lo = filter(f.lo, same ? n.lo : h), hi = filter(f.hi, same ? n.hi : h);
    const Id result = hi == 0 ? lo : families.make(f.variable, lo, hi);
    filter_.put(family, h, result);
    return result;
  }

 private:
  Id apply(Id a, Id b, Id absorbing, Id neutral, Cache& cache) {
    if (a == b || b == neutral) return a;
    if (a == neutral) return b;
    if (a == absorbing || b == absorbing) return absorbing;
    if (a > b) std::swap(a, b);
    if (const Id known = cache.find(a, b); known >= 0) return known;
    const Pairs::Node x = functions[a], y = functions[b];
    const Id variable = std::min(x.variable, y.variable);
    const bool in_x = x.variable == variable, in_y = y.variable == variable;
    const Id lo = apply(in_x ? x.lo : a, in_y ? y.lo : b, absorbing, neutral, cache);
    const Id hi = apply(in_x ? x.hi : a, in_y ? y.hi : b, absorbing, neutral, cache);
    const Id result = node(variable, lo, hi);
    cache.put(a, b, result);
    return result;
  }

  Id dual(Id g, std::vector<Id>& known) {
    if (g < 2) return 1 - g;
    if (known[g] >= 0) return known[g];
    const Pairs::Node n = functions[g];
    const Id lo = dual(n.hi, known), hi = dual(n.lo, known);
    return known[g] = node(n.variable, lo, hi);
  }

  Id primes(Id g, std::vector<Id>& known) {
    if (g < 2) return g;
    if (known[g] >= 0) return known[g];
    const Pairs::Node n = functions[g];
    const Id without = primes(n.lo, known), with = filter(primes(n.hi, known), n.lo);
    return known[g] = with == 0 ? without : families.make(n.variable, without, with);
  }

  Cache and_, or_, filter_;
};

}  // namespace primewood::diagram
