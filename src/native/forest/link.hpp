// What libraries apply to scores before they compare them, with the same functions of the same C library.
#pragma once

#include <cstddef>

namespace primewood::forest {

enum class Link {
  kIdentity = 0,
  kLogistic32 = 1,     // XGBoost
  kLogistic = 2,       // LightGBM
  kSoftmax32 = 3,      // XGBoost
  kSoftmax = 4,        // LightGBM
  kExponential32 = 5,  // XGBoost
  kExponential = 6,    // LightGBM
};

// Replace the scores of one row by what the link makes of them.
void apply(Link link, double* scores, std::size_t n);

// Scores of two classes that are farther apart than this keep their order; 0 for links that keep every order.
double slack_of(Link link);

}  // namespace primewood::forest
