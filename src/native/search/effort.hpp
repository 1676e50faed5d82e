// How long a search goes on that takes out what it finds.
#pragma once

#include <limits>

namespace primewood::search {

// It stops after so many nodes. It stops earlier, after its first nodes, if it has found something by then: what is
// left is worth a long search only where a short one finds nothing.
struct Effort {
  long nodes = std::numeric_limits<long>::max();
  long first_nodes = 0;
};

}  // namespace primewood::search
