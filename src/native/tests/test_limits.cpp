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

TEST_CASE("a stage ends at its share of the nodes, a slice at its part of the stage") {
  Limits limits;
  limits.start({-1, 100}, [] {});
  CHECK(limits.limited());
  const auto count_until_limit = [&] {
    int counted = 0;
    try {
      for (; counted < 1000; counted++) limits.count_node();
    } catch (const LimitReached&) {
    }
    return counted;
  };
  limits.set_stage(0.5);
  limits.set_slice(0.2);
  CHECK(count_until_limit() == 10);
  CHECK(!limits.is_stage_over());
  limits.set_slice(1);
  CHECK(count_until_limit() == 39);  // the node that was one too many counts
  CHECK(limits.is_stage_over());
  limits.set_stage(1);
  CHECK(!limits.is_stage_over());
  CHECK(count_until_limit() == 49);
  limits.start({}, [] {});
  CHECK(!limits.limited());
}

TEST_CASE("a stage ends at its share of the time") {
  Limits limits;
  limits.start({60.0, -1}, [] {});
  limits.set_stage(0);
  CHECK(limits.is_stage_over());
  CHECK_THROWS_AS(limits.check(), LimitReached);
  limits.set_stage(0.5);
  limits.set_slice(0);
  CHECK_THROWS_AS(limits.check(), LimitReached);
  CHECK(!limits.is_stage_over());
  limits.set_slice(0.5);
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
