// The C++ core as a Python module.
#include "bindings/python.hpp"

namespace nb = nanobind;

NB_MODULE(_native, m) {
  using namespace primewood::bindings;
  nb::set_leak_warnings(false);  // what lives as long as the interpreter is no leak
  m.doc() = "The C++ core: exact search on tree ensembles, and decision diagrams.";
  note_main_thread();
  bind_constants(m);
  bind_limits(m);
  ForestClass forest = bind_forest(m);
  bind_search(m, forest);
  JointClass joint = bind_joint(m);
  bind_recording(m, forest, joint);
  bind_overruns(m);
  bind_diagrams(m);
  bind_compiler(m);
  bind_reasons(m);
  bind_expressions(m);
}
