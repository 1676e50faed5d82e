// How to search. It changes no answer: tests switch parts off, so that the others must do everything.
#pragma once

#include "search/effort.hpp"

namespace primewood::search {

struct SearchOptions {
  int patience = 800;        // nodes that the depth-first search may take before the Lagrangian bound takes over
  bool local_search = true;  // look for points by ascent before, and during, exact search
  Effort probe{60};          // for one variable of a box, before it is widened on trust
  Effort proof{Effort{}.nodes, 300};  // for all that were widened on trust
  long alone = 200;                   // nodes of a search that one thread takes before others help
  int few = 8;                        // up to this many variables are widened without trust
};

}  // namespace primewood::search
