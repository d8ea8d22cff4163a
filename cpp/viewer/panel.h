/// The panel with everything that can be chosen.
#pragma once

#include "app.h"

namespace pucker::viewer {

/// What the panel's buttons ask of the window.
struct PanelRequests {
  bool save_picture = false;
};

/// Draws the panel and acts on the app. Call it between the start and the end of an ImGui frame.
PanelRequests draw_panel(App& app);

}  // namespace pucker::viewer
