#include "diagram/levels.hpp"

#include <algorithm>

namespace primewood::diagram {

namespace {

// New ids for the nodes of a level, in the order in which they are asked for.
class Renumbering {
 public:
  // The first `kept` nodes keep their ids.
  Renumbering(Id nodes, Id kept) : fresh_(static_cast<std::size_t>(nodes), kNone) {
    for (Id i = 0; i < std::min(kept, nodes); i++) number(i);
  }

  Id number(Id node) {
    if (fresh_[node] == kNone) {
      fresh_[node] = static_cast<Id>(reached_.size());
      reached_.push_back(node);
    }
    return fresh_[node];
  }

  // The old ids, by the new ones.
  const std::vector<Id>& reached() const { return reached_; }

 private:
  std::vector<Id> fresh_, reached_;
};

}  // namespace

template <class Entry>
Levels<Entry>::Levels(std::vector<int> widths, Limits& limits) : limits_(limits), widths_(std::move(widths)) {
  for (const int width : widths_) tables_.emplace_back(width);
}

template <class Entry>
bool Levels<Entry>::leads_on(int level, const Entry* entries) const {
  const bool last = level + 1 == depth();
  return std::all_of(entries, entries + width(level), [&](const Entry& entry) {
    return target(entry) >= 0 && (last || target(entry) < nodes(level + 1));
  });
}

template <class Entry>
void Levels<Entry>::trim(std::vector<Entry>& roots, Id kept) {
  if (depth() == 0) return;
  Renumbering numbers(nodes(0), kept);
  for (Entry& root : roots) target(root) = numbers.number(target(root));
  size_ = 0;
  for (int j = 0; j < depth(); j++) {
    const bool last = j + 1 == depth();
    Renumbering below(last ? 0 : nodes(j + 1), kept);
    tables_[j] = copy_reached(j, numbers, last ? nullptr : &below);
    size_ += static_cast<std::size_t>(nodes(j));
    std::swap(numbers, below);
  }
}

template <class Entry>
template <class Numbers>
RowTable<Entry> Levels<Entry>::copy_reached(int level, const Numbers& numbers, Numbers* below) const {
  Table copy(width(level));
  std::vector<Entry> entries;
  for (const Id node : numbers.reached()) {
    entries.assign(row(level, node), row(level, node) + width(level));
    if (below != nullptr)
      for (Entry& entry : entries) target(entry) = below->number(target(entry));
    copy.intern(entries.data());
  }
  return copy;
}

template class Levels<Id>;
template class Levels<Edge>;

}  // namespace primewood::diagram
