// What both halves of the Python face share.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

namespace primewood::bindings {

template <class T>
using Array = nanobind::ndarray<const T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

template <class T, class U>
std::vector<U> copied(const Array<T>& a) {
  return std::vector<U>(a.data(), a.data() + a.shape(0));
}

// The thread that Python runs in; set when the module is loaded.
inline unsigned long main_thread = 0;

inline bool is_python_ending() {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsFinalizing() != 0;
#else
  return _Py_IsFinalizing() != 0;
#endif
}

// Before the GIL is taken again. Once Python shuts down, no other thread gets it: Python ends the thread in the middle
// of C++, and with that the whole process aborts. Such a thread waits for the end of the process here.
inline void wait_if_python_ends() {
  while (is_python_ending() && PyThread_get_thread_ident() != main_thread)
    std::this_thread::sleep_for(std::chrono::hours(1));
}

// Without the GIL, as long as it lives.
class Unlocked {
 public:
  Unlocked() : state_(PyEval_SaveThread()) {}
  ~Unlocked() {
    wait_if_python_ends();
    PyEval_RestoreThread(state_);
  }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  PyThreadState* state_;
};

// Lets Ctrl-C through: called without the GIL, a few times a second.
inline void poll_signals() {
  wait_if_python_ends();
  nanobind::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
}

void bind_search(nanobind::module_& m);
void bind_diagrams(nanobind::module_& m);

}  // namespace primewood::bindings
