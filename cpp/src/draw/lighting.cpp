#include "pucker/draw/lighting.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "pucker/errors.h"

namespace pucker::draw {

namespace {

// Where the light that grazes comes from, in the plane of the picture.
const Vector3 kFromAboveLeft = Vector3(-0.79, 0.61, 0.0);
// By how much more than the mesh a shadow map holds, as a share of it: detail stands out from the mesh.
constexpr double kDetailRoom = 0.04;
// Sizes of shadow maps are powers of the fourth root of two, so that they seldom change from frame to frame.
constexpr double kStepsPerDoubling = 4.0;

/// Columns are the axes of a light's view, the last one towards the light.
Eigen::Matrix3d light_axes(const Vector3& direction) {
  const Vector3 towards = direction.normalized();
  constexpr double nearly_upright = 0.99;
  const Vector3 up = std::abs(towards.y()) < nearly_upright ? Vector3::UnitY() : Vector3::UnitX();
  Eigen::Matrix3d axes;
  axes.col(0) = up.cross(towards).normalized();
  axes.col(1) = towards.cross(axes.col(0));
  axes.col(2) = towards;
  return axes;
}

/// Whether a camera may see some of a triangle, by the homogeneous clip coordinates of its corners.
bool may_be_seen(const Eigen::Matrix<double, 4, 3>& corners) {
  for (Eigen::Index axis = 0; axis < 2; ++axis) {
    if ((corners.row(axis).array() > corners.row(3).array()).all()) return false;
    if ((corners.row(axis).array() < -corners.row(3).array()).all()) return false;
  }
  return (corners.row(3).array() > 0.0).any();
}

}  // namespace

Style without(Style style, std::string_view part) {
  if (part == "grazing") {
    style.light = Light();
  } else if (part == "shadows") {
    style.shadows = false;
  } else if (part == "occlusion") {
    style.occlusion = false;
  } else if (part == "fabric") {
    style.fabric = false;
  } else {
    throw InvalidArgument(
        message("a part of the light must be grazing, shadows, occlusion or fabric, not '", part, "'"));
  }
  return style;
}

Vector3 grazing_direction(const ConstArray3& area_normals, const Camera& camera, double angle) {
  require(angle >= 0.0 && angle <= 90.0, "a light must stand 0 to 90 degrees off the cloth's normal, not ", angle);
  const Eigen::Matrix3d axes = camera.axes();
  const Vector3 towards_viewer = axes.col(2);
  Vector3 sum = Vector3::Zero();
  for (const auto& normal : area_normals.rowwise()) {
    const double size = normal.norm();
    if (size > 0.0) sum += std::max(0.0, normal.dot(towards_viewer)) / size * normal.transpose();
  }
  const double size = sum.norm();
  const Vector3 mean = size > 0.0 ? Vector3(axes.transpose() * sum / size) : Vector3::UnitZ();
  Vector3 aside = kFromAboveLeft - kFromAboveLeft.dot(mean) * mean;
  // Cloth that faces where the light would come from.
  constexpr double degenerate = 1e-6;
  if (aside.norm() < degenerate) aside = Vector3::UnitZ() - mean.z() * mean;
  const double radians = angle * std::numbers::pi / 180.0;
  return std::cos(radians) * mean + std::sin(radians) * aside.normalized();
}

ClipStyle::ClipStyle(const Surface& garment, double exposure) : exposure_(exposure) {
  require(garment.has_positions(), "a surface must be given positions before it is lit");
  area_normals_.resize(garment.triangle_count(), 3);
  for (Eigen::Index t = 0; t < area_normals_.rows(); ++t) area_normals_.row(t) = garment.area_normal(t);
}

Style ClipStyle::of(Style style, const Camera& camera) const {
  if (!style.exposure) style.exposure = exposure_;
  if (!style.light) style.light = kFoldLight;
  for (std::optional<bool>* part : {&style.shadows, &style.occlusion, &style.fabric}) *part = part->value_or(true);
  Light& light = *style.light;
  if (!light.grazing) return style;
  const Vector3 direction = grazing_direction(area_normals_, camera, *light.grazing);
  const Vector3 key = light.attached ? direction : Vector3(camera.axes() * direction);
  light.key_direction = {key.x(), key.y(), key.z()};
  return style;
}

ShadowView shadow_view(std::span<Surface* const> surfaces, const Camera& camera, double aspect,
                       const Vector3& direction) {
  const Eigen::Matrix3d axes = light_axes(direction);
  const Eigen::Matrix4d clip = camera.view_projection(aspect);
  Eigen::AlignedBox3d seen;
  Eigen::AlignedBox3d all;
  Array3 lit;
  for (const Surface* surface : surfaces) {
    const Array3& positions = surface->positions();
    lit = positions * axes;
    const Eigen::Matrix<double, 4, Eigen::Dynamic> clipped =
        (clip.leftCols<3>() * positions.transpose()).colwise() + clip.col(3);
    for (const auto& place : lit.rowwise()) all.extend(place.transpose());
    for (const auto& face : surface->mesh().faces().rowwise()) {
      Eigen::Matrix<double, 4, 3> corners;
      for (Eigen::Index k = 0; k < 3; ++k) corners.col(k) = clipped.col(face[k]);
      if (!may_be_seen(corners)) continue;
      for (Eigen::Index k = 0; k < 3; ++k) seen.extend(lit.row(face[k]).transpose());
    }
  }
  ShadowView view;
  if (seen.isEmpty()) return view;
  const Vector3 extent = seen.sizes();
  const double most = std::max({extent.x(), extent.y(), 1e-3 * extent.z()});
  if (most == 0.0) return view;
  const double wanted = (0.5 + kDetailRoom) * most;
  const double half = std::exp2(std::ceil(kStepsPerDoubling * std::log2(wanted)) / kStepsPerDoubling);
  view.texel = 2.0 * half / kShadowSize;
  const double room = kDetailRoom * all.sizes().norm();
  const double nearest = all.max().z() + room;
  const double depth = nearest - (all.min().z() - room);
  const Vector3 middle = seen.center();
  for (Eigen::Index k = 0; k < 2; ++k) {
    const double rounded = std::round(middle[k] / view.texel) * view.texel;
    view.matrix.row(k) << axes.col(k).transpose() / half, -rounded / half;
  }
  view.matrix.row(2) << -2.0 / depth * axes.col(2).transpose(), 2.0 * nearest / depth - 1.0;
  return view;
}

}  // namespace pucker::draw
