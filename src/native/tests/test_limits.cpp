// Limits: nodes, time, and a signal from outside.
#include <doctest/doctest.h>

#include <chrono>
#include <stdexcept>
#include <thread>

#include "limits.hpp"

namespace primewood::tests {

TEST_CASE("a run visits as many nodes as it may, and no more") {
  Limits limits;
  limits.start({-1, 3}, [] {});
  for (int n = 0; n < 3; n++) CHECK_NOTHROW(limits.count_node());
  CHECK_THROWS_AS(limits.count_node(), LimitReached);
  CHECK(limits.visited() == 4);
}

TEST_CASE("without a limit, nodes are counted all the same") {
  Limits limits;
  limits.start({}, [] {});
  for (int n = 0; n < 1000; n++) limits.count_node();
  CHECK(limits.visited() == 1000);
  CHECK_NOTHROW(limits.check());
}

TEST_CASE("what is allowed later can only be less") {
  Limits limits;
  limits.start({-1, 3}, [] {});
  limits.allow(10);
  for (int n = 0; n < 3; n++) limits.count_node();
  CHECK_THROWS_AS(limits.count_node(), LimitReached);
  limits.start({}, [] {});
  limits.allow(1);
  limits.count_node();
  CHECK_THROWS_AS(limits.count_node(), LimitReached);
}

TEST_CASE("a deadline is kept") {
  Limits limits;
  limits.start({0.0, -1}, [] {});
  CHECK_THROWS_AS(limits.check(), LimitReached);
  limits.start({60.0, -1}, [] {});
  CHECK_NOTHROW(limits.check());
  limits.start({1e300, -1}, [] {});  // more than the clock can count
  CHECK_NOTHROW(limits.check());
}

TEST_CASE("the signal is polled, and may stop the run") {
  Limits limits;
  limits.start({}, [] { throw std::runtime_error("stop"); });
  CHECK_NOTHROW(limits.check());
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  CHECK_THROWS_AS(limits.check(), std::runtime_error);
}

}  // namespace primewood::tests
