#include "diagram/binary_nodes.hpp"

#include <algorithm>

namespace primewood::diagram {

namespace {

constexpr std::size_t kNodesPerCheck = 1024;                   // new nodes between two checks of the limits
constexpr std::size_t kSlots = 1024;                           // of the table of nodes, at the start
constexpr std::size_t kCacheSlots = 4096;                      // of a cache, at the start
constexpr std::size_t kMostCacheSlots = std::size_t{1} << 23;  // a cache grows up to this

// The inner nodes that a root reaches.
std::vector<Id> reach(const BinaryNodes& nodes, Id root) {
  std::vector<Id> reached, open{root};
  std::vector<bool> seen(nodes.size());
  seen[0] = seen[1] = true;
  while (!open.empty()) {
    const Id id = open.back();
    open.pop_back();
    if (seen[id]) continue;
    seen[id] = true;
    reached.push_back(id);
    open.push_back(nodes[id].lo);
    open.push_back(nodes[id].hi);
  }
  return reached;
}

}  // namespace

BinaryNodes::BinaryNodes(std::size_t most_nodes, Limits& limits)
    : most_nodes_(most_nodes),
      limits_(limits),
      nodes_{{kTerminalVariable, 0, 0}, {kTerminalVariable, 1, 1}},
      ids_(2, kSlots) {}

std::uint64_t BinaryNodes::hash(const Node& node) {
  Hash hash(3);
  hash.add(node.variable);
  hash.add(node.lo);
  hash.add(node.hi);
  return hash.value();
}

Id BinaryNodes::make(Id variable, Id lo, Id hi) {
  assert(variable < nodes_[lo].variable && variable < nodes_[hi].variable);
  const Node node{variable, lo, hi};
  const std::size_t slot = ids_.find(hash(node), [&](Id id) {
    const Node& other = nodes_[id];
    return other.variable == variable && other.lo == lo && other.hi == hi;
  });
  if (ids_.at(slot) != kNone) return ids_.at(slot);
  if (nodes_.size() > most_nodes_) throw CapReached{};
  if (nodes_.size() % kNodesPerCheck == 0) limits_.check();
  const Id fresh = static_cast<Id>(nodes_.size());
  nodes_.push_back(node);
  ids_.put(slot, fresh, [&](Id id) { return hash(nodes_[id]); });
  return fresh;
}

BinaryDiagram extract(const BinaryNodes& nodes, Id root) {
  std::vector<Id> reached = reach(nodes, root);
  std::sort(reached.begin(), reached.end(), [&](Id a, Id b) {
    return nodes[a].variable != nodes[b].variable ? nodes[a].variable > nodes[b].variable : a < b;
  });
  reached.insert(reached.begin(), {0, 1});
  std::vector<Id> place(nodes.size(), kNone);
  for (std::size_t n = 0; n < reached.size(); n++) place[reached[n]] = static_cast<Id>(n);
  BinaryDiagram found{{}, {}, {}, place[root]};
  for (const Id id : reached) {
    found.variable.push_back(nodes[id].variable);
    found.lo.push_back(place[nodes[id].lo]);
    found.hi.push_back(place[nodes[id].hi]);
  }
  return found;
}

OperationCache::OperationCache() : slots_(kCacheSlots) {}

void OperationCache::put(Id a, Id b, Id result) {
  if (++count_ > slots_.size() && slots_.size() < kMostCacheSlots) enlarge();
  slots_[place(a, b)] = {a, b, result};
}

std::size_t OperationCache::place(Id a, Id b) const {
  const std::uint64_t first = static_cast<std::uint64_t>(a) * kHashFactor;
  const std::uint64_t second = static_cast<std::uint64_t>(b) * 0xC2B2AE3D27D4EB4Full;
  return mix_bits(first + second) & (slots_.size() - 1);
}

void OperationCache::enlarge() {
  std::vector<Slot> old(slots_.size() * 4);
  old.swap(slots_);
  for (const Slot& slot : old)
    if (slot.a >= 0) slots_[place(slot.a, slot.b)] = slot;
}

}  // namespace primewood::diagram
