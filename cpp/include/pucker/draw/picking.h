/// What lies under a pixel of a picture.
#pragma once

#include <cstdint>
#include <optional>

#include "pucker/draw/camera.h"
#include "pucker/draw/style.h"
#include "pucker/types.h"

namespace pucker::draw {

/// A place on a mesh in sight.
struct Hit {
  std::int32_t triangle;
  Vector3 barycentrics;
  double distance;  ///< from the camera's eye
};

/// The place of triangles (m, 3) that is seen, from either side, in the middle of the pixel (x, y), column and row from
/// the upper left corner; none if there is none, or if other triangles lie before it. Every number of `faces` must be
/// that of a row of its positions.
std::optional<Hit> seen_at(const Camera& camera, const Size& size, double x, double y, const ConstIndex3& faces,
                           const ConstArray3& positions, const ConstIndex3& other_faces,
                           const ConstArray3& other_positions);

}  // namespace pucker::draw
