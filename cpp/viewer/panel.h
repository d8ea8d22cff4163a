/// The panel with everything that can be chosen.
#pragma once

#include "app.h"
#include "file_browser.h"

namespace pucker::viewer {

/// What the panel's buttons ask of the window.
struct PanelRequests {
  bool save_picture = false;
};

/// Folds away to a button in a window that it would cover more than half of, until it is unfolded there.
class Panel {
 public:
  /// Draws the panel and acts on the app. Call it between the start and the end of an ImGui frame.
  PanelRequests draw(App& app);
  void toggle() { folded_ = !folded_; }

 private:
  PanelRequests draw_sections(App& app);
  void brush_section(App& app);

  FileBrowser files_{FileBrowser::Kind::characters};
  FileBrowser paintings_{FileBrowser::Kind::paintings};
  bool narrow_ = false;
  bool folded_ = false;
};

}  // namespace pucker::viewer
