#include "picking.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace pucker::viewer {

namespace {

struct Ray {
  Vector3 origin;
  Vector3 direction;
};

struct Meeting {
  Hit hit;
  double distance;
};

Ray pixel_ray(const Camera& camera, const Size& size, double x, double y) {
  const double slope = std::tan(std::numbers::pi / 360 * camera.field_of_view);
  const double across = (2 * (std::floor(x) + 0.5) / size[0] - 1) * slope * size[0] / size[1];
  const double along = (1 - 2 * (std::floor(y) + 0.5) / size[1]) * slope;
  return {camera.eye, (camera.axes() * Vector3(across, along, -1)).normalized()};
}

/// The first triangle that a ray meets, from either side (Möller and Trumbore 1997).
std::optional<Meeting> first_hit(const Ray& ray, const ConstIndex3& faces, const ConstArray3& positions) {
  std::optional<Meeting> out;
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
      out = {{std::int32_t(t), Vector3(1 - u - v, u, v)}, distance};
  }
  return out;
}

}  // namespace

std::optional<Hit> garment_under(const Scene& scene, const Camera& camera, const Size& size, double x, double y) {
  const Ray ray = pixel_ray(camera, size, x, y);
  const io::Clip& clip = scene.clip();
  const std::int64_t frame = scene.run().frame();
  const std::optional<Meeting> cloth = first_hit(ray, clip.mesh()->faces(), clip.positions(frame));
  if (!cloth) return std::nullopt;
  const Index3& body = clip.data().body.faces;
  if (body.rows() > 0) {
    const std::optional<Meeting> before = first_hit(ray, body, clip.body_positions(frame));
    if (before && before->distance < cloth->distance) return std::nullopt;
  }
  return cloth->hit;
}

}  // namespace pucker::viewer
