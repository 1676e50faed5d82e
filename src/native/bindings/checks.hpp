// What Python hands to the core is checked before it is used.
#pragma once

#include <stdexcept>
#include <vector>

#include "forest/forest.hpp"

namespace primewood::bindings {

inline void require(bool condition, const char* otherwise) {
  if (!condition) throw std::invalid_argument(otherwise);
}

inline void check_point(const forest::Forest& f, const std::vector<int>& point) {
  require(int(point.size()) == f.n_variables, "the point has the wrong length");
  for (int j = 0; j < f.n_variables; j++) require(point[j] >= 0 && point[j] < f.values(j), "the point is not there");
}

inline void check_class(const forest::Forest& f, int label) {
  require(label >= 0 && label < f.n_classes, "there is no such class");
}

}  // namespace primewood::bindings
