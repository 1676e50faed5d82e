// What both halves of the Python face share.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <vector>

namespace primewood {

template <class T>
using Array = nanobind::ndarray<const T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

template <class T, class U>
std::vector<U> copied(const Array<T>& a) {
  return std::vector<U>(a.data(), a.data() + a.shape(0));
}

// Lets Ctrl-C through: called without the GIL, a few times a second.
inline void poll_signals() {
  nanobind::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
}

void bind_search(nanobind::module_& m);
void bind_diagrams(nanobind::module_& m);

}  // namespace primewood
