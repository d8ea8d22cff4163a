/// Where a picture is taken from, and how a mouse moves that. y is up and characters look along +z.
#pragma once

#include <Eigen/Core>
#include <array>
#include <span>
#include <string>
#include <string_view>

#include "pucker/types.h"

namespace pucker::draw {

/// A direction to look from: azimuth (0 is +z, 90 is +x) and elevation, both in degrees.
using Angles = std::array<double, 2>;

struct View {
  std::string_view name;
  Angles angles;
};
/// The directions that have a name.
inline constexpr std::array<View, 6> kViews{{{"front", {0.0, 0.0}},
                                             {"left", {90.0, 0.0}},
                                             {"right", {-90.0, 0.0}},
                                             {"back", {180.0, 0.0}},
                                             {"top", {0.0, 89.0}},
                                             {"three-quarter", {35.0, 12.0}}}};
inline constexpr std::string_view kUsualView = "three-quarter";
inline constexpr double kFieldOfView = 30.0;
/// The share by which a fitted picture is wider than what it shows.
inline constexpr double kMargin = 1.06;

/// The direction of a name; throws InvalidArgument naming those there are. `what` heads the message.
Angles named_view(std::string_view name, std::string_view what = "view");

/// A perspective camera: `eye` looks at `target`.
struct Camera {
  Vector3 eye{0.0, 0.0, 1.0};
  Vector3 target{0.0, 0.0, 0.0};
  double field_of_view = kFieldOfView;  ///< vertical opening angle, degrees
  double near = 0.01;                   ///< distances of the planes between which there is a picture
  double far = 100.0;

  /// Columns are the unit vectors to the right, up and towards the viewer.
  Eigen::Matrix3d axes() const;
  /// Distance of the eye from the target.
  double distance() const { return (eye - target).norm(); }
  /// Length that one pixel covers at the target, in the units of the scene.
  double pixel_size(int picture_height) const;
  /// World to clip space, for column vectors; `aspect` is width over height.
  Eigen::Matrix4d view_projection(double aspect) const;

  bool operator==(const Camera&) const = default;
};

/// Throws InvalidArgument unless `camera` has its eye away from its target, an opening angle in (0, 180) degrees and
/// 0 < near < far. `what` heads the message.
void require_camera(const Camera& camera, std::string_view what = "a camera");

/// Angles and distance of a sphere that a camera stands on.
struct Orbit {
  Vector3 target;
  double distance;
  Angles angles;
};

/// A camera on a sphere round its target. Throws InvalidArgument for a distance that is not positive or an elevation
/// that does not lie strictly between -90 and 90.
Camera orbit(const Orbit& orbit, double field_of_view = kFieldOfView);
/// The sphere a camera stands on.
Orbit orbit_of(const Camera& camera);

/// The nearest camera in a direction that sees all points (k, 3); `aspect` is width over height. Throws InvalidArgument
/// without points.
Camera fit(const ConstArray3& points, const Angles& angles, double aspect, double field_of_view = kFieldOfView,
           double margin = kMargin);
/// Corners (8, 3) of the box round points (k, 3), which a camera that holds them holds too.
Array3 box_corners(const ConstArray3& points);
/// The camera with its planes moved apart until no point (k, 3) before it is cut off; what is nearer than a fiftieth of
/// the distance to the target may be.
Camera holding(Camera camera, const ConstArray3& points);

/// The camera gone round its target by angles in degrees, but not nearer than a degree to the vertical, where the
/// picture would turn over.
Camera turned(const Camera& camera, double azimuth, double elevation);
/// The camera moved in its own plane, by what so many pixels are at its target.
Camera shifted(const Camera& camera, double right, double up, int picture_height);
/// The camera at `factor` times its distance from its target.
Camera zoomed(const Camera& camera, double factor);

/// A camera from a JSON object of its fields, of which all but `eye` and `target` may be left out. Throws
/// InvalidArgument for anything else, and as require_camera does; `what` heads the message.
Camera camera_from_json(std::string_view text, const std::string& what);
/// The JSON object of a camera's fields.
std::string camera_to_json(const Camera& camera);

}  // namespace pucker::draw
