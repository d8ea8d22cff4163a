#include "camera.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "files.h"
#include "json_file.h"

namespace pucker::viewer {

namespace {

using nlohmann::json;

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

Camera parsed(const json& values, const std::string& name, const Appearance& appearance) {
  const auto require_fields = [&](bool condition) {
    require(condition, name,
            " must be an object of eye, target, field_of_view, near, far, with at least eye and target");
  };
  require_fields(values.is_object() && values.contains("eye") && values.contains("target"));
  Camera camera{.eye = vector(values["eye"], name + ": eye"),
                .target = vector(values["target"], name + ": target"),
                .field_of_view = appearance.field_of_view,
                .near = appearance.near,
                .far = appearance.far};
  for (const auto& [key, value] : values.items()) {
    if (key == "field_of_view") {
      camera.field_of_view = number(value, name + ": " + key);
    } else if (key == "near") {
      camera.near = number(value, name + ": " + key);
    } else if (key == "far") {
      camera.far = number(value, name + ": " + key);
    } else {
      require_fields(key == "eye" || key == "target");
    }
  }
  require(camera.eye != camera.target, name, " must not have its eye at its target");
  require(camera.field_of_view > 0.0 && camera.field_of_view < 180.0, name,
          " must have a field_of_view in (0, 180), not ", camera.field_of_view);
  require(0.0 < camera.near && camera.near < camera.far, name, " must have 0 < near < far, not ", camera.near, " and ",
          camera.far);
  return camera;
}

}  // namespace

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
  return 2.0 * (eye - target).norm() * std::tan(radians(0.5 * field_of_view)) / picture_height;
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

Camera orbit(const Orbit& orbit, double field_of_view) {
  require(orbit.distance > 0.0, "the distance of a camera must be positive, not ", orbit.distance);
  require(orbit.elevation > -90.0 && orbit.elevation < 90.0,
          "the elevation of a camera must lie strictly between -90 and 90 degrees, not ", orbit.elevation);
  const double phi = radians(orbit.azimuth);
  const double theta = radians(orbit.elevation);
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
          .azimuth = degrees(std::atan2(back.x(), back.z())),
          .elevation = degrees(std::asin(std::clamp(back.y() / distance, -1.0, 1.0)))};
}

Camera fit(const Array3& points, const std::array<double, 2>& angles, double aspect, const Appearance& appearance) {
  require(points.rows() > 0, "a camera needs at least one point to fit");
  const Vector3 low = points.colwise().minCoeff();
  const Vector3 high = points.colwise().maxCoeff();
  const double extent = (high - low).norm();
  const double size = extent > 0.0 ? extent : 1.0;
  const Camera draft = orbit({0.5 * (low + high), size, angles[0], angles[1]}, appearance.field_of_view);
  const Eigen::Matrix3d axes = draft.axes();
  Array3 local = (points.rowwise() - draft.target.transpose()) * axes;
  // The box round the points as the camera sees it is centred before the distance is chosen.
  const Vector3 centre = 0.5 * (local.colwise().minCoeff() + local.colwise().maxCoeff()).transpose();
  local.rowwise() -= centre.transpose();
  const double slope = std::tan(radians(0.5 * appearance.field_of_view)) / appearance.margin;
  const double needed =
      ((local.col(0).cwiseAbs() / (slope * aspect)).cwiseMax(local.col(1).cwiseAbs() / slope) + local.col(2))
          .maxCoeff();
  const double distance = std::max(needed, 1e-6 * size);
  Camera fitted = orbit({draft.target + axes * centre, distance, angles[0], angles[1]}, appearance.field_of_view);
  // What is flat to the camera may still be displaced towards it.
  const double depth = std::max(local.col(2).cwiseAbs().maxCoeff(), 0.1 * size);
  fitted.near = std::max(distance - 1.5 * depth, 0.02 * distance);
  fitted.far = distance + 1.5 * depth + size;
  return fitted;
}

Camera read_camera(const std::filesystem::path& path, const Appearance& appearance) {
  Camera camera;
  read_json(path, [&](const json& values) { camera = parsed(values, "camera " + path.string(), appearance); });
  return camera;
}

void write_camera(const std::filesystem::path& path, const Camera& camera) {
  const auto list = [](const Vector3& v) { return json{v.x(), v.y(), v.z()}; };
  const json values{{"eye", list(camera.eye)},
                    {"target", list(camera.target)},
                    {"field_of_view", camera.field_of_view},
                    {"near", camera.near},
                    {"far", camera.far}};
  write_file(path, values.dump(2) + "\n");
}

}  // namespace pucker::viewer
