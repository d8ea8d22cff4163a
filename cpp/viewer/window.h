/// The window.
#pragma once

#include "options.h"

namespace pucker::viewer {

/// Opens a window and runs it until it is closed. Throws Error and InvalidArgument for what stops it from starting;
/// what goes wrong later is shown in the window.
void run_window(const Options& options);

}  // namespace pucker::viewer
