// How far a sum of floating-point numbers can be off.
//
// Let u = 2^-53. A sum of n terms, taken in any order, is off by at most n u / (1 - n u) times the sum of their
// magnitudes (Higham, Accuracy and Stability of Numerical Algorithms, section 4.2). Terms that are 0 do not count. The
// bound below has 2u in the place of u / (1 - n u): that is larger for every n that fits into memory.
#pragma once

namespace primewood::search {

constexpr double rounding_of_sum(double terms, double magnitudes) {
  constexpr double kTwoUnits = 1.0 / (1LL << 52);
  return kTwoUnits * terms * magnitudes;
}

}  // namespace primewood::search
