// How long a search goes on that takes out what it finds.
#pragma once

#include <limits>

namespace primewood::search {

// A limit on nodes. If something is found within the first nodes, the search stops after these: what is left is worth a
// long search only where a short one finds nothing.
struct Effort {
  long nodes = std::numeric_limits<long>::max();
  long first_nodes = 0;
};

}  // namespace primewood::search
