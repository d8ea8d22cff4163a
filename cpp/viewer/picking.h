/// What of a scene lies under a pixel.
#pragma once

#include <cstdint>
#include <optional>

#include "pucker/types.h"
#include "scene.h"

namespace pucker::viewer {

/// A place on the garment.
struct Hit {
  std::int32_t triangle;
  Vector3 barycentric;
};

/// The garment's place in the middle of a pixel (x, y) of a picture, counted from its upper left corner; none if there
/// is none in sight. The mesh itself is hit, not its displaced surface; the rest of the character hides what is behind.
std::optional<Hit> garment_under(const Scene& scene, const Camera& camera, const Size& size, double x, double y);

}  // namespace pucker::viewer
