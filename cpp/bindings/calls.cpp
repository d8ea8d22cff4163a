#include "calls.h"

#include <pthread.h>

#include <condition_variable>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "pucker/errors.h"

namespace pucker::bindings {

namespace {

/// The calls under way. Its own mutex and not the GIL guards it, so that it serves an interpreter without one too.
struct Calls {
  std::mutex mutex;
  std::condition_variable ended;
  std::unordered_map<const void*, int> inside;  ///< number of calls that read an object; −1: one that changes it
  int unlocked = 0;
  bool closed = false;
  std::thread::id closer;
};

/// Never destroyed: a daemon thread may outlive everything static.
Calls& calls() {
  static Calls* const all = new Calls;
  return *all;
}

/// In a child process there is only the thread that forked. Objects that others were changing stay in use for ever.
void keep_calls_over_forks() {
  pthread_atfork([] { calls().mutex.lock(); }, [] { calls().mutex.unlock(); },
                 [] {
                   calls().unlocked = 0;
                   calls().mutex.unlock();
                 });
}

}  // namespace

CallInside::CallInside(const void* object, const char* kind, Access access) : object_(object) {
  const std::scoped_lock lock(calls().mutex);
  int& count = calls().inside[object];
  if (count < 0 || (count > 0 && access == Access::changes))
    throw Error(message("this ", kind, " is in use by another call: an object takes one call at a time"));
  count = access == Access::changes ? -1 : count + 1;
}

CallInside::~CallInside() {
  const std::scoped_lock lock(calls().mutex);
  const auto found = calls().inside.find(object_);
  if (found->second <= 1) {
    calls().inside.erase(found);
  } else {
    --found->second;
  }
}

Unlocked::Unlocked() {
  {
    const std::scoped_lock lock(calls().mutex);
    if (calls().closed && std::this_thread::get_id() != calls().closer)
      throw Error("the interpreter is ending: no more calls are taken from other threads");
    ++calls().unlocked;
  }
  release_.emplace();
}

Unlocked::~Unlocked() {
  release_.reset();
  const std::scoped_lock lock(calls().mutex);
  if (--calls().unlocked == 0) calls().ended.notify_all();
}

void join_calls_at_exit() {
  keep_calls_over_forks();
  py::module_::import("atexit").attr("register")(py::cpp_function([] {
    const py::gil_scoped_release release;
    std::unique_lock lock(calls().mutex);
    calls().closed = true;
    calls().closer = std::this_thread::get_id();
    calls().ended.wait(lock, [] { return calls().unlocked == 0; });
  }));
}

void refuse_uninitialised(const py::module_& m) {
  for (const auto& [name, value] : py::cast<py::dict>(m.attr("__dict__"))) {
    if (py::isinstance<py::module_>(value)) {
      // Submodules: those that m has named as its own parts, not what it imported.
      const std::string own = py::cast<std::string>(m.attr("__name__")) + ".";
      if (py::cast<std::string>(value.attr("__name__")).starts_with(own))
        refuse_uninitialised(py::reinterpret_borrow<py::module_>(value));
    } else if (PyType_Check(value.ptr()) != 0) {
      if (auto* info = py::detail::get_type_info(reinterpret_cast<PyTypeObject*>(value.ptr())))
        info->operator_new = [](std::size_t) -> void* {
          throw py::type_error("__init__ of this object has not run: __new__ alone makes none");
        };
    }
  }
}

}  // namespace pucker::bindings
