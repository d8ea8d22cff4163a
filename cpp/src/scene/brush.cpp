#include "pucker/scene/brush.h"

#include "pucker/errors.h"

namespace pucker::scene {

std::optional<draw::Hit> cloth_at(const Sight& sight, const Pixels& pixel) {
  const auto& [clip, frame, camera, size] = sight;
  require(frame >= 0 && frame < clip.frame_count(), "frame must lie in [0, ", clip.frame_count(), "), not ", frame);
  return draw::seen_at(camera, size, pixel[0], pixel[1], clip.mesh()->faces(), clip.positions(frame),
                       clip.data().body.faces, clip.body_positions(frame));
}

void drag(waves::Painting& painting, const Brush& brush, const Sight& sight, const Pixels& to, const Pixels& way) {
  const std::optional<draw::Hit> hit = cloth_at(sight, to);
  if (!hit) return;
  const waves::Dab dab{.triangle = hit->triangle,
                       .barycentric = hit->barycentrics,
                       .radius = brush.radius * sight.clip.height(),
                       .strength = brush.strength};
  if (brush.erase) {
    painting.erase(dab);
    return;
  }
  const Vector3 seen = sight.camera.axes() * Vector3(way[0], -way[1], 0);
  const Vector3 direction = painting.carried(dab.triangle, sight.clip.positions(sight.frame), seen);
  if (direction.norm() > 0) painting.stroke(dab, direction);
}

}  // namespace pucker::scene
