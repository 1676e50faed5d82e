#include "bindings/python.hpp"

#include <chrono>
#include <thread>

namespace nb = nanobind;

namespace primewood::bindings {

namespace {

unsigned long main_thread = 0;

bool is_python_ending() {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsFinalizing() != 0;
#else
  return _Py_IsFinalizing() != 0;
#endif
}

}  // namespace

void note_main_thread() {
  main_thread = nb::cast<unsigned long>(nb::module_::import_("threading").attr("main_thread")().attr("ident"));
}

void wait_if_python_ends() {
  while (is_python_ending() && PyThread_get_thread_ident() != main_thread)
    std::this_thread::sleep_for(std::chrono::hours(1));
}

void poll_signals() {
  wait_if_python_ends();
  nb::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

}  // namespace primewood::bindings
