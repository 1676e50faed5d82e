#include "forest/link.hpp"

#include <algorithm>
#include <cmath>

namespace primewood::forest {

namespace {

float logistic32(float x) {
  const float denominator = std::exp(std::min(-x, 88.7f)) + 1.0f + 1e-16f;
  return 1.0f / denominator;
}

double logistic(double x) { return 1.0 / (1.0 + std::exp(-x)); }

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

template <class Function>
void apply_to_each(double* scores, std::size_t n, Function function) {
  std::transform(scores, scores + n, scores, function);
}

}  // namespace

void apply(Link link, double* scores, std::size_t n) {
  switch (link) {
    case Link::kIdentity:
      return;
    case Link::kSoftmax32:
      return softmax<float>(scores, n);
    case Link::kSoftmax:
      return softmax<double>(scores, n);
    case Link::kLogistic32:
      return apply_to_each(scores, n, [](double x) { return double(logistic32(float(x))); });
    case Link::kLogistic:
      return apply_to_each(scores, n, logistic);
    case Link::kExponential32:
      return apply_to_each(scores, n, [](double x) { return double(std::exp(float(x))); });
    case Link::kExponential:
      return apply_to_each(scores, n, [](double x) { return std::exp(x); });
  }
}

double slack_of(Link link) {
  if (link == Link::kSoftmax32) return std::ldexp(1.0, -19);
  return link == Link::kSoftmax ? std::ldexp(1.0, -47) : 0.0;
}

}  // namespace primewood::forest
