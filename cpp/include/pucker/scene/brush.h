/// Painting wrinkles on the cloth of a clip with the mouse.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "pucker/draw/camera.h"
#include "pucker/draw/picking.h"
#include "pucker/io/clip.h"
#include "pucker/waves/painting.h"

namespace pucker::scene {

/// A picture of a frame, without detail.
struct Sight {
  const io::Clip& clip;
  std::int64_t frame;
  const draw::Camera& camera;
  draw::Size size;
};

/// Column and row from the upper left corner of a picture, or a way in it: pixels to the right and down.
using Pixels = std::array<double, 2>;

struct Brush {
  bool erase = false;
  double radius = 0.06;  ///< as a share of the character's height
  double strength = 0.6;
};

/// The cloth under a pixel; none if there is none, or if the body hides it. Throws InvalidArgument for a frame that the
/// clip does not have.
std::optional<draw::Hit> cloth_at(const Sight& sight, const Pixels& pixel);

/// Paints where the mouse is after it has moved by `way`: wrinkles across it, as if the mouse pushed the cloth
/// together. Nothing is painted beside the cloth, nor where cloth that is seen edge-on has no direction along the way.
/// Throws as cloth_at, and as Painting::stroke or Painting::erase.
void drag(waves::Painting& painting, const Brush& brush, const Sight& sight, const Pixels& to, const Pixels& way);

}  // namespace pucker::scene
