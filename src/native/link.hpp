// What libraries apply to scores before they compare them, with the same functions of the same C library.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace primewood {

enum class Link {
  identity = 0,
  logistic32 = 1,  // XGBoost
  logistic = 2,    // LightGBM
  softmax32 = 3,   // XGBoost
  softmax = 4,     // LightGBM
  exponential32 = 5,  // XGBoost
  exponential = 6,    // LightGBM
};

inline float logistic32(float x) {
  const float denominator = std::exp(std::min(-x, 88.7f)) + 1.0f + 1e-16f;
  return 1.0f / denominator;
}

inline double logistic(double x) { return 1.0 / (1.0 + std::exp(-x)); }

template <class Real>
void softmax(double* scores, std::size_t n) {
  Real most = Real(scores[0]);
  for (std::size_t k = 1; k < n; k++) most = std::max(most, Real(scores[k]));
  double sum = 0;
  for (std::size_t k = 0; k < n; k++) {
    const Real power = std::exp(Real(scores[k]) - most);
    scores[k] = double(power);
    sum += double(power);
  }
  for (std::size_t k = 0; k < n; k++) scores[k] = double(Real(scores[k]) / Real(sum));
}

inline void apply(Link link, double* scores, std::size_t n) {
  switch (link) {
    case Link::identity:
      return;
    case Link::softmax32:
      return softmax<float>(scores, n);
    case Link::softmax:
      return softmax<double>(scores, n);
    case Link::logistic32:
      for (std::size_t k = 0; k < n; k++) scores[k] = double(logistic32(float(scores[k])));
      return;
    case Link::logistic:
      for (std::size_t k = 0; k < n; k++) scores[k] = logistic(scores[k]);
      return;
    case Link::exponential32:
      for (std::size_t k = 0; k < n; k++) scores[k] = double(std::exp(float(scores[k])));
      return;
    case Link::exponential:
      for (std::size_t k = 0; k < n; k++) scores[k] = std::exp(scores[k]);
      return;
  }
}

}  // namespace primewood
