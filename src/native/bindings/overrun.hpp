// What can outgrow a limit returns its result, or an `Overrun` that says how far it got.
#pragma once

#include <nanobind/stl/optional.h>
#include <nanobind/stl/variant.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <utility>
#include <variant>

#include "bindings/python.hpp"
#include "diagram/row_table.hpp"
#include "limits.hpp"

namespace primewood::bindings {

// A time limit; none for no limit.
using Seconds = std::optional<double>;

enum class Exceeded { kNodes, kTime };

// How large something got.
struct Reached {
  std::size_t nodes = 0;
  std::size_t states = 0;  // partial decisions of a compilation
};

struct Overrun {
  Exceeded limit;
  Reached reached;
};

template <class Result>
using OrOverrun = std::variant<Result, Overrun>;

// Let the time run.
inline void start(Limits& limits, Seconds seconds, std::function<void()> poll = poll_signals) {
  limits.start({seconds.value_or(-1), -1}, std::move(poll));
}

// The result of some work, which is done without the GIL. `reach` is asked how far it got where a limit ends it.
template <class Work, class Reach>
auto run(const Work& work, const Reach& reach) -> OrOverrun<decltype(work())> {
  const Unlocked unlocked;
  try {
    return work();
  } catch (const diagram::CapReached&) {
    return Overrun{Exceeded::kNodes, reach()};
  } catch (const LimitReached&) {
    return Overrun{Exceeded::kTime, reach()};
  }
}

}  // namespace primewood::bindings
