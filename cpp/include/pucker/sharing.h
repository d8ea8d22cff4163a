/// Memory that is handed out to be kept, and used again when nobody keeps it.
#pragma once

#include <memory>

namespace pucker {

/// Whether there is something and nobody else holds it, so that it may be written to again, whichever thread let go of
/// it last.
template <class T>
bool held_alone(const std::shared_ptr<T>& pointer) {
  if (pointer.use_count() != 1) return false;
  // Whoever held it may have read it in another thread. use_count() orders nothing, but letting go of a copy reads what
  // the last holder's letting go has written.
  std::shared_ptr<T>(pointer).reset();
  return true;
}

}  // namespace pucker
