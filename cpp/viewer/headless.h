/// Pictures without a window.
#pragma once

#include "options.h"

namespace pucker::viewer {

/// Writes frame_0000.png … of the frames asked for into the output folder. Throws Error and InvalidArgument; pictures
/// written by then stay, none is partial.
void run_headless(const Options& options);

}  // namespace pucker::viewer
