// What searches answer, as Python reads it.
#pragma once

#include <nanobind/stl/vector.h>

#include <vector>

#include "bindings/python.hpp"

namespace primewood::bindings {

enum class Outcome {
  kFound,
  kNoneExists,   // proved
  kInterrupted,  // by a limit: nothing is proved
};

// A point, if there is one.
struct Found {
  Outcome outcome = Outcome::kInterrupted;
  std::vector<int> point;
};

inline nanobind::tuple to_tuple(const std::vector<int>& point) { return nanobind::tuple(nanobind::cast(point)); }

}  // namespace primewood::bindings
