// The languages of literals: what a literal may say about one variable.
#pragma once

namespace primewood {

enum class Language {
  kSets = 0,       // any set of values
  kIntervals = 1,  // a run of values in a line; a set where values have no order
  kValues = 2,     // the instance's own value
};

}  // namespace primewood
