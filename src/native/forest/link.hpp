// What libraries apply to scores before they compare them, with the same functions of the same C library.
#pragma once

#include <cstddef>

namespace primewood::forest {

enum class Link {
  identity = 0,
  logistic32 = 1,     // XGBoost
  logistic = 2,       // LightGBM
  softmax32 = 3,      // XGBoost
  softmax = 4,        // LightGBM
  exponential32 = 5,  // XGBoost
  exponential = 6,    // LightGBM
};

// Replace the scores of one row by what the link makes of them.
void apply(Link link, double* scores, std::size_t n);

}  // namespace primewood::forest
