// What all parts of the Python face share.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "search/joint.hpp"
#include "search/workspaces.hpp"

namespace primewood::bindings {

template <class T>
using Array = nanobind::ndarray<const T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

template <class T>
std::vector<T> to_vector(const Array<T>& a) {
  return std::vector<T>(a.data(), a.data() + a.shape(0));
}

// An array of numpy that owns its numbers.
template <class T>
nanobind::ndarray<nanobind::numpy, T> to_numpy(std::vector<T> values) {
  auto* kept = new std::vector<T>(std::move(values));
  nanobind::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nanobind::ndarray<nanobind::numpy, T>(kept->data(), {kept->size()}, owner);
}

// Remember the thread that Python runs in; called when the module is loaded.
void note_main_thread();

// Before the GIL is taken again. Once Python shuts down, no other thread gets it: Python ends the thread in the middle
// of C++, and with that the whole process aborts. Such a thread waits for the end of the process here.
void wait_if_python_ends();

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
void poll_signals();

// A poll that also tells a watcher how far the work is, at every n-th call. What `report` returns is made with the
// GIL. An error of the watcher ends the work. The poll refers to the watcher, which must outlive the work.
template <class Report>
std::function<void()> make_poll(const nanobind::object& watcher, int polls_per_call, Report report) {
  if (watcher.is_none()) return poll_signals;
  return [&watcher, polls_per_call, report, polls = 0]() mutable {
    poll_signals();
    if (++polls % polls_per_call != 0) return;
    wait_if_python_ends();
    const nanobind::gil_scoped_acquire gil;
    watcher(report());
  };
}

using ForestClass = nanobind::class_<search::Workspaces>;
using JointClass = nanobind::class_<search::Joint>;

void bind_constants(nanobind::module_& m);
void bind_limits(nanobind::module_& m);
ForestClass bind_forest(nanobind::module_& m);
void bind_search(nanobind::module_& m, ForestClass& forest);
JointClass bind_joint(nanobind::module_& m);
void bind_recording(nanobind::module_& m, ForestClass& forest, JointClass& joint);
void bind_overruns(nanobind::module_& m);
void bind_diagrams(nanobind::module_& m);
void bind_compiler(nanobind::module_& m);
void bind_reasons(nanobind::module_& m);
void bind_expressions(nanobind::module_& m);

}  // namespace primewood::bindings
