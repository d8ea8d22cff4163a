#include "pucker/threads.h"

#include <optional>

#include "dynamic.h"

namespace pucker::bindings {

void register_threads(py::module_& m) {
  m.def(
      "threads",
      [](std::optional<std::size_t> count) {
        if (count) set_threads(*count);
        return threads();
      },
      py::arg("count") = py::none(),
      R"(How many threads one call may use, draped cloth's `advance` say; the results do not depend on it.

Without it what the environment variable PUCKER_THREADS says counts, else it is 1. A crowd that was made without a number
has as many as well, or one a core if nobody has said.

Args:
    count: Sets it for the process, from the next call on; 0: one a core. None: leaves it.

Returns:
    How many it is now.

Raises:
    ValueError: For more than 1024, and a PUCKER_THREADS that is not a whole number from 0 to 1024.)");
}

}  // namespace pucker::bindings
