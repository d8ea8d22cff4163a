/// What can be drawn over a frame to show how its wrinkles came about.
#pragma once

#include <array>
#include <vector>

#include "pucker/draw/picture.h"
#include "run.h"

namespace pucker::viewer {

struct Overlays {
  bool labels = false;
  bool reached = false;
  bool paths = false;
  bool wireframe = false;
  bool tessellation = false;
  bool ellipses = false;
  bool reference = false;
  bool seeds = false;

  bool operator==(const Overlays&) const = default;
};

/// One of the overlays: its name on the command line and in the panel, and what it shows.
struct OverlayChoice {
  const char* name;
  bool Overlays::*shown;
  const char* doc;
};
inline constexpr std::array<OverlayChoice, 8> kOverlayChoices{{
    {"labels", &Overlays::labels, "Tint triangles: contraction red, rest grey, stretching blue"},
    {"reached", &Overlays::reached, "Tint the triangles that wrinkles reach, the more the more of them"},
    {"paths", &Overlays::paths, "Draw the wrinkles' paths"},
    {"wireframe", &Overlays::wireframe, "Draw the mesh's edges"},
    {"tessellation", &Overlays::tessellation, "Draw the edges of the tessellated triangles"},
    {"ellipses", &Overlays::ellipses, "Draw the stretch of each triangle as an ellipse"},
    {"reference", &Overlays::reference, "Draw the reference triangles"},
    {"seeds", &Overlays::seeds, "Mark the points at which paths may start"},
}};

/// The lines of ellipses, reference triangles and seeds of a run's present frame.
std::vector<draw::Lines> overlay_lines(const Overlays& overlays, const Run& run);

}  // namespace pucker::viewer
