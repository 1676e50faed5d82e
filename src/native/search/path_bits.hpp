// Which variables a tree tests on its way to a leaf, in 64 bits.
//
// Variables that are equal modulo 64 share a bit, so a set may seem to hold more variables than it does. A tree that is
// walked again for nothing ends in the same leaf.
#pragma once

#include <cstdint>

namespace primewood::search {

constexpr std::uint64_t path_bit(int variable) { return std::uint64_t(1) << (variable % 64); }

}  // namespace primewood::search
