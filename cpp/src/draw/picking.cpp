#include "pucker/draw/picking.h"

#include <cmath>
#include <numbers>

namespace pucker::draw {

namespace {

struct Ray {
  Vector3 origin;
  Vector3 direction;  ///< unit
};

/// The line of sight through the middle of a pixel.
Ray pixel_ray(const Camera& camera, const Size& size, double x, double y) {
  const double slope = std::tan(std::numbers::pi / 360 * camera.field_of_view);
  const double across = (2 * (std::floor(x) + 0.5) / size[0] - 1) * slope * size[0] / size[1];
  const double along = (1 - 2 * (std::floor(y) + 0.5) / size[1]) * slope;
  return {camera.eye, (camera.axes() * Vector3(across, along, -1)).normalized()};
}

/// The first triangle that a ray meets (Möller and Trumbore 1997).
std::optional<Hit> first_hit(const Ray& ray, const ConstIndex3& faces, const ConstArray3& positions) {
  std::optional<Hit> out;
  for (Eigen::Index t = 0; t < faces.rows(); ++t) {
    const Vector3 corner = positions.row(faces(t, 0)).transpose();
    const Vector3 first = positions.row(faces(t, 1)).transpose() - corner;
    const Vector3 second = positions.row(faces(t, 2)).transpose() - corner;
    const Vector3 across = ray.direction.cross(second);
    const double determinant = first.dot(across);
    const Vector3 offset = ray.origin - corner;
    const Vector3 turned = offset.cross(first);
    // Seen edge-on, these are not numbers, for which every comparison is false.
    const double u = offset.dot(across) / determinant;
    const double v = turned.dot(ray.direction) / determinant;
    const double distance = second.dot(turned) / determinant;
    if (u >= 0 && v >= 0 && u + v <= 1 && distance > 0 && (!out || distance < out->distance))
      out = {std::int32_t(t), Vector3(1 - u - v, u, v), distance};
  }
  return out;
}

}  // namespace

std::optional<Hit> seen_at(const Camera& camera, const Size& size, double x, double y, const ConstIndex3& faces,
                           const ConstArray3& positions, const ConstIndex3& other_faces,
                           const ConstArray3& other_positions) {
  const Ray ray = pixel_ray(camera, size, x, y);
  const std::optional<Hit> hit = first_hit(ray, faces, positions);
  if (!hit) return std::nullopt;
  const std::optional<Hit> before = first_hit(ray, other_faces, other_positions);
  return before && before->distance < hit->distance ? std::nullopt : hit;
}

}  // namespace pucker::draw
