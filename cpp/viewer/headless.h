/// Pictures without a window.
#pragma once

#include "options.h"
#include "pucker/errors.h"

namespace pucker::viewer {

/// The user did not want to wait.
class Interrupted : public Error {
 public:
  using Error::Error;
};

/// Writes frame_0000.png … of the frames asked for into the output folder, all or none. Throws WriteError, Interrupted,
/// Error and InvalidArgument.
void run_headless(const Options& options);

}  // namespace pucker::viewer
