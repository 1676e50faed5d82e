// The C++ core as a Python module.
#include "python.hpp"

NB_MODULE(_native, m) {
  m.doc() = "The C++ core: exact search on tree ensembles, and decision diagrams.";
  primewood::bind_search(m);
  primewood::bind_diagrams(m);
}
