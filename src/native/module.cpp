// The C++ core as a Python module.
#include <nanobind/stl/vector.h>

#include "link.hpp"
#include "python.hpp"

namespace nb = nanobind;

namespace primewood {

// Scores, row by row, through a link.
void apply_link(int link, nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu> scores) {
  for (std::size_t i = 0; i < scores.shape(0); i++)
    apply(static_cast<Link>(link), scores.data() + i * scores.shape(1), scores.shape(1));
}

}  // namespace primewood

NB_MODULE(_native, m) {
  nb::set_leak_warnings(false);  // what lives as long as the interpreter is no leak
  m.doc() = "The C++ core: exact search on tree ensembles, and decision diagrams.";
  primewood::main_thread = nb::cast<unsigned long>(nb::module_::import_("threading").attr("main_thread")().attr("ident"));
  m.def("apply_link", &primewood::apply_link);
  primewood::bind_search(m);
  primewood::bind_diagrams(m);
}
