// The C++ core as a Python module.
#include <nanobind/stl/vector.h>

#include "bindings/python.hpp"
#include "forest/link.hpp"

namespace nb = nanobind;

namespace primewood::bindings {

// Scores, row by row, through a link.
void apply_link(int link, nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu> scores) {
  for (std::size_t i = 0; i < scores.shape(0); i++)
    forest::apply(static_cast<forest::Link>(link), scores.data() + i * scores.shape(1), scores.shape(1));
}

}  // namespace primewood::bindings

NB_MODULE(_native, m) {
  nb::set_leak_warnings(false);  // what lives as long as the interpreter is no leak
  m.doc() = "The C++ core: exact search on tree ensembles, and decision diagrams.";
  primewood::bindings::main_thread =
      nb::cast<unsigned long>(nb::module_::import_("threading").attr("main_thread")().attr("ident"));
  m.def("apply_link", &primewood::bindings::apply_link);
  primewood::bindings::bind_search(m);
  primewood::bindings::bind_diagrams(m);
}
