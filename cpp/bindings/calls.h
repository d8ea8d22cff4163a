/// What every call from Python keeps to: objects take one call at a time, and threads without the GIL are waited for.
#pragma once

#include <pybind11/pybind11.h>

#include <optional>
#include <type_traits>

namespace pucker::bindings {

namespace py = pybind11;

/// A call that is under way in an object: any number that read it, or one that changes it. A call that does not fit
/// those under way is refused at once with Error: to wait would hide a mistake, and with the GIL held never end.
class CallInside {
 public:
  CallInside(const CallInside&) = delete;
  CallInside& operator=(const CallInside&) = delete;
  ~CallInside();

 protected:
  enum class Access { reads, changes };
  CallInside(const void* object, const char* kind, Access access);

 private:
  const void* object_;
};

/// The object's own address, also of one that is known by a base class only.
template <class T>
const void* address_of(const T& object) {
  if constexpr (std::is_polymorphic_v<T>) {
    return dynamic_cast<const void*>(&object);
  } else {
    return &object;
  }
}

class Reading : public CallInside {
 public:
  template <class T>
  Reading(const T& object, const char* kind) : CallInside(address_of(object), kind, Access::reads) {}
};

class Changing : public CallInside {
 public:
  template <class T>
  Changing(T& object, const char* kind) : CallInside(address_of(object), kind, Access::changes) {}
};

/// A property that reads what calls of others change; `read` takes the object and gives what owns its memory.
template <class Owner, class Read>
auto reading(const char* kind, Read read) {
  return [kind, read](const Owner& self) {
    const Reading call(self, kind);
    return read(self);
  };
}

/// While it lives, the thread does not hold the GIL. The interpreter's end waits for it: a daemon thread that wants the
/// GIL back after that would be ended in the middle of C++. From then on it throws Error in all other threads.
class Unlocked {
 public:
  Unlocked();
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;
  ~Unlocked();

 private:
  std::optional<py::gil_scoped_release> release_;
};

/// Has the interpreter's end wait for calls without the GIL.
void join_calls_at_exit();

/// Makes objects whose __init__ has not run (those made by __new__ alone) raise TypeError in every call, for all
/// classes of the module; pybind11 would give the call memory that nothing has been written to.
void refuse_uninitialised(const py::module_& m);

}  // namespace pucker::bindings
