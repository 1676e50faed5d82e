// Rows of numbers, each kept once: two rows are equal iff their ids are.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <utility>
#include <vector>

namespace primewood::diagram {

// The place of something in its table.
using Id = std::int32_t;
constexpr Id kNone = -1;

// Thrown where a table outgrows its cap.
class CapReached : public std::exception {
 public:
  const char* what() const noexcept override { return "a table outgrew its cap"; }
};

constexpr std::uint64_t kHashFactor = 0x9E3779B97F4A7C15ull;

// Spread what the higher bits say over the lower ones.
inline std::uint64_t mix_bits(std::uint64_t bits) {
  bits = (bits ^ bits >> 32) * kHashFactor;
  return bits ^ bits >> 29;
}

// The hash of a sequence of numbers.
class Hash {
 public:
  explicit Hash(std::size_t length) : state_(length) {}

  void add(std::int64_t number) {
    state_ = (state_ ^ static_cast<std::uint64_t>(number)) * kHashFactor;
    state_ ^= state_ >> 31;
  }

  std::uint64_t value() const { return mix_bits(state_); }

 private:
  std::uint64_t state_;
};

inline void add_to_hash(Hash& hash, std::int32_t number) { hash.add(number); }
inline void add_to_hash(Hash& hash, std::int64_t number) { hash.add(number); }

template <class T>
std::uint64_t hash_row(const T* row, std::size_t length) {
  Hash hash(length);
  for (std::size_t i = 0; i < length; i++) add_to_hash(hash, row[i]);
  return hash.value();
}

// Ids by the hash of what they stand for. Open addressing; about half of the slots are used at most.
class IdTable {
 public:
  // `first`: the first id that is put in; the others follow one by one.
  explicit IdTable(Id first = 0, std::size_t slots = 64) : first_(first), slots_(slots, kNone) {
    assert((slots & (slots - 1)) == 0);
  }

  // The slot of the id that `is_same` accepts, or the empty slot where it belongs.
  template <class IsSame>
  std::size_t find(std::uint64_t hash, const IsSame& is_same) const {
    std::size_t slot = hash & (slots_.size() - 1);
    while (slots_[slot] >= 0 && !is_same(slots_[slot])) slot = (slot + 1) & (slots_.size() - 1);
    return slot;
  }

  // What is in a slot; `kNone` if it is empty.
  Id at(std::size_t slot) const { return slots_[slot]; }

  // Put the next id into the empty slot that `find` gave. `hash_id` gives the hash of every id so far.
  template <class HashId>
  void put(std::size_t slot, Id id, const HashId& hash_id) {
    assert(slots_[slot] == kNone && id >= first_);
    slots_[slot] = id;
    if (static_cast<std::size_t>(id) * 2 > slots_.size()) enlarge(id, hash_id);
  }

 private:
  template <class HashId>
  void enlarge(Id last, const HashId& hash_id) {
    slots_.assign(slots_.size() * 2, kNone);
    for (Id id = first_; id <= last; id++) slots_[find(hash_id(id), [](Id) { return false; })] = id;
  }

  Id first_;
  std::vector<Id> slots_;
};

// Different rows of one width, numbered in the order in which they came.
template <class T>
class RowTable {
 public:
  explicit RowTable(int width) : width_(static_cast<std::size_t>(width)) { assert(width > 0); }

  Id size() const { return static_cast<Id>(entries_.size() / width_); }
  const std::vector<T>& entries() const { return entries_; }

  // The `width` entries of a row; valid until the next row comes.
  const T* row(Id id) const {
    assert(id >= 0 && id < size());
    return entries_.data() + static_cast<std::size_t>(id) * width_;
  }

  // The id of a row, which is added if it is new. `row` must not be in this table's own memory.
  Id intern(const T* row) {
    assert(!is_inside(row));
    const auto is_same = [&](Id id) { return std::equal(row, row + width_, this->row(id)); };
    const std::size_t slot = ids_.find(hash_row(row, width_), is_same);
    if (ids_.at(slot) != kNone) return ids_.at(slot);
    const Id fresh = size();
    if (fresh == INT32_MAX) throw CapReached{};
    entries_.insert(entries_.end(), row, row + width_);
    ids_.put(slot, fresh, [&](Id id) { return hash_row(this->row(id), width_); });
    return fresh;
  }

 private:
  bool is_inside(const T* row) const {
    const std::less<const T*> before;
    return !before(row, entries_.data()) && before(row, entries_.data() + entries_.size());
  }

  std::size_t width_;
  std::vector<T> entries_;
  IdTable ids_;
};

}  // namespace primewood::diagram
