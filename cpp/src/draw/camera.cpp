#include "pucker/draw/camera.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "pucker/errors.h"
#include "pucker/nearest.h"

namespace pucker::draw {

namespace {

using nlohmann::json;

constexpr double kSteepest = 89.0;      // degrees of elevation
constexpr double kNearestShare = 0.02;  // of the distance to the target: the nearest that a fitted plane lies

double radians(double degrees) { return degrees * (std::numbers::pi / 180.0); }
double degrees(double radians) { return radians * (180.0 / std::numbers::pi); }

Vector3 vector(const json& value, const std::string& name) {
  const bool valid = value.is_array() && value.size() == 3 &&
                     std::all_of(value.begin(), value.end(), [](const json& number) { return number.is_number(); });
  require(valid, name, " must be three numbers, not ", value.dump());
  return {value[0].get<double>(), value[1].get<double>(), value[2].get<double>()};
}

double number(const json& value, const std::string& name) {
  require(value.is_number(), name, " must be a number, not ", value.dump());
  return value.get<double>();
}

Camera parsed(const json& values, const std::string& what) {
  const auto require_fields = [&](bool condition) {
    require(condition, what,
            " must be an object of eye, target, field_of_view, near, far, with at least eye and target");
  };
  require_fields(values.is_object() && values.contains("eye") && values.contains("target"));
  Camera camera;
  for (const auto& [key, value] : values.items()) {
    const std::string name = what + ": " + key;
    if (key == "eye") {
      camera.eye = vector(value, name);
    } else if (key == "target") {
      camera.target = vector(value, name);
    } else if (key == "field_of_view") {
      camera.field_of_view = number(value, name);
    } else if (key == "near") {
      camera.near = number(value, name);
    } else if (key == "far") {
      camera.far = number(value, name);
    } else {
      require_fields(false);
    }
  }
  require_camera(camera, what);
  return camera;
}

}  // namespace

Angles named_view(std::string_view name, std::string_view what) {
  std::string known;
  std::vector<std::string> names;
  for (const View& view : kViews) {
    if (view.name == name) return view.angles;
    names.emplace_back(view.name);
    known.append(known.empty() ? "" : ", ").append(view.name);
  }
  refuse(what, " must be one of ", known, ", not '", name, "'", did_you_mean(name, names));
}

Eigen::Matrix3d Camera::axes() const {
  const Vector3 back = (eye - target).normalized();
  // Looking straight down, "up" is what lies ahead.
  const Vector3 helper = std::abs(back.y()) < 0.9999 ? Vector3(0, 1, 0) : Vector3(0, 0, back.y() > 0 ? -1 : 1);
  const Vector3 right = helper.cross(back).normalized();
  Eigen::Matrix3d result;
  result << right, back.cross(right), back;
  return result;
}

double Camera::pixel_size(int picture_height) const {
  return 2.0 * distance() * std::tan(radians(0.5 * field_of_view)) / picture_height;
}

Eigen::Matrix4d Camera::view_projection(double aspect) const {
  Eigen::Matrix4d view = Eigen::Matrix4d::Identity();
  view.topLeftCorner<3, 3>() = axes().transpose();
  view.topRightCorner<3, 1>() = -(axes().transpose() * eye);
  const double scale = 1.0 / std::tan(radians(0.5 * field_of_view));
  Eigen::Matrix4d projection = Eigen::Matrix4d::Zero();
  projection(0, 0) = scale / aspect;
  projection(1, 1) = scale;
  projection(2, 2) = (far + near) / (near - far);
  projection(2, 3) = 2.0 * far * near / (near - far);
  projection(3, 2) = -1.0;
  return projection * view;
}

void require_camera(const Camera& camera, std::string_view what) {
  require(camera.eye.allFinite() && camera.target.allFinite(), what, " must have a finite eye and target");
  require(camera.eye != camera.target, what, " must not have its eye at its target");
  require(camera.field_of_view > 0.0 && camera.field_of_view < 180.0, what,
          " must have a field_of_view in (0, 180), not ", camera.field_of_view);
  require(0.0 < camera.near && camera.near < camera.far && std::isfinite(camera.far), what,
          " must have 0 < near < far, not ", camera.near, " and ", camera.far);
}

Camera orbit(const Orbit& orbit, double field_of_view) {
  const auto [azimuth, elevation] = orbit.angles;
  require(orbit.distance > 0.0, "the distance of a camera must be positive, not ", orbit.distance);
  require(elevation > -90.0 && elevation < 90.0,
          "the elevation of a camera must lie strictly between -90 and 90 degrees, not ", elevation);
  const double phi = radians(azimuth);
  const double theta = radians(elevation);
  const Vector3 back(std::sin(phi) * std::cos(theta), std::sin(theta), std::cos(phi) * std::cos(theta));
  return {.eye = orbit.target + orbit.distance * back,
          .target = orbit.target,
          .field_of_view = field_of_view,
          .near = orbit.distance / 100.0,
          .far = orbit.distance * 10.0};
}

Orbit orbit_of(const Camera& camera) {
  const Vector3 back = camera.eye - camera.target;
  const double distance = back.norm();
  return {.target = camera.target,
          .distance = distance,
          .angles = {degrees(std::atan2(back.x(), back.z())),
                     degrees(std::asin(std::clamp(back.y() / distance, -1.0, 1.0)))}};
}

Camera fit(const ConstArray3& points, const Angles& angles, double aspect, double field_of_view, double margin) {
  require(points.rows() > 0, "a camera needs at least one point to fit");
  const Vector3 low = points.colwise().minCoeff();
  const Vector3 high = points.colwise().maxCoeff();
  const double extent = (high - low).norm();
  const double size = extent > 0.0 ? extent : 1.0;
  const Camera draft = orbit({0.5 * (low + high), size, angles}, field_of_view);
  const Eigen::Matrix3d axes = draft.axes();
  Array3 local = (points.rowwise() - draft.target.transpose()) * axes;
  // The box round the points as the camera sees it is centred before the distance is chosen.
  const Vector3 centre = 0.5 * (local.colwise().minCoeff() + local.colwise().maxCoeff()).transpose();
  local.rowwise() -= centre.transpose();
  const double slope = std::tan(radians(0.5 * field_of_view)) / margin;
  const double needed =
      ((local.col(0).cwiseAbs() / (slope * aspect)).cwiseMax(local.col(1).cwiseAbs() / slope) + local.col(2))
          .maxCoeff();
  const double distance = std::max(needed, 1e-6 * size);
  Camera fitted = orbit({draft.target + axes * centre, distance, angles}, field_of_view);
  // What is flat to the camera may still be displaced towards it.
  const double depth = std::max(local.col(2).cwiseAbs().maxCoeff(), 0.1 * size);
  fitted.near = std::max(distance - 1.5 * depth, kNearestShare * distance);
  fitted.far = distance + 1.5 * depth + size;
  return fitted;
}

Array3 box_corners(const ConstArray3& points) {
  require(points.rows() > 0, "a box needs at least one point");
  const std::array<Vector3, 2> ends{points.colwise().minCoeff(), points.colwise().maxCoeff()};
  Array3 corners(8, 3);
  for (Eigen::Index k = 0; k < 8; ++k)
    for (Eigen::Index axis = 0; axis < 3; ++axis) corners(k, axis) = ends[std::size_t(k >> axis & 1)][axis];
  return corners;
}

Camera holding(Camera camera, const ConstArray3& points) {
  if (points.rows() == 0) return camera;
  const Vector3 back = camera.axes().col(2);
  const Eigen::VectorXd depths = (camera.eye.dot(back) - (points * back).array()).matrix();
  const double nearest = depths.minCoeff();
  const double farthest = depths.maxCoeff();
  // As far beyond as fit() leaves for what is displaced.
  const double room = 0.1 * (farthest - nearest);
  camera.near = std::min(camera.near, std::max(nearest - room, kNearestShare * camera.distance()));
  camera.far = std::max(camera.far, farthest + room);
  return camera;
}

Camera turned(const Camera& camera, double azimuth, double elevation) {
  Orbit sphere = orbit_of(camera);
  sphere.angles[0] += azimuth;
  sphere.angles[1] = std::clamp(sphere.angles[1] + elevation, -kSteepest, kSteepest);
  return orbit(sphere, camera.field_of_view);
}

Camera shifted(const Camera& camera, double right, double up, int picture_height) {
  const Vector3 by = camera.axes() * Vector3(right, up, 0.0) * camera.pixel_size(picture_height);
  Camera moved = camera;
  moved.eye += by;
  moved.target += by;
  return moved;
}

Camera zoomed(const Camera& camera, double factor) {
  Orbit sphere = orbit_of(camera);
  sphere.distance *= factor;
  return orbit(sphere, camera.field_of_view);
}

Camera camera_from_json(std::string_view text, const std::string& what) {
  try {
    return parsed(json::parse(text), what);
  } catch (const json::exception& error) {
    refuse(what, " is not JSON: ", error.what());
  }
}

std::string camera_to_json(const Camera& camera) {
  const auto list = [](const Vector3& v) { return json{v.x(), v.y(), v.z()}; };
  const json values{{"eye", list(camera.eye)},
                    {"target", list(camera.target)},
                    {"field_of_view", camera.field_of_view},
                    {"near", camera.near},
                    {"far", camera.far}};
  return values.dump(2) + "\n";
}

}  // namespace pucker::draw
