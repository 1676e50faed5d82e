// Random numbers for local search: the same ones after every reset, so that the same question gives the same walk.
#pragma once

#include <cstddef>
#include <cstdint>

namespace primewood::search {

class Random {
 public:
  void reset() { state_ = kSeed; }

  // A number from 0 to one less than the limit.
  int below(std::size_t limit) { return int(next() % limit); }

 private:
  static constexpr std::uint64_t kSeed = 88172645463325252ull;

  std::uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }

  std::uint64_t state_ = kSeed;
};

}  // namespace primewood::search
