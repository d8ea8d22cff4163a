/// Reuse of shared memory that has no other owner.
#pragma once

#include <memory>

namespace pucker {

/// Whether `pointer` is the only owner of its object, so that the object may be overwritten; safe if another thread
/// released the last other reference.
template <class T>
bool held_alone(const std::shared_ptr<T>& pointer) {
  if (pointer.use_count() != 1) return false;
  // Another thread may have read the object before it released its reference. use_count() does not synchronise with
  // that; releasing a copy does.
  std::shared_ptr<T>(pointer).reset();
  return true;
}

}  // namespace pucker
