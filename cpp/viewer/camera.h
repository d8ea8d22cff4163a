/// Where the picture is taken from.
#pragma once

#include <Eigen/Core>
#include <filesystem>

#include "appearance.h"
#include "pucker/types.h"

namespace pucker::viewer {

/// A perspective camera: `eye` looks at `target`. y is up and characters look along +z.
struct Camera {
  Vector3 eye, target;
  double field_of_view;  ///< vertical opening angle, degrees
  double near, far;

  /// Columns are the unit vectors to the right, up and towards the viewer.
  Eigen::Matrix3d axes() const;
  /// Length that one pixel covers at the target, in the units of the scene.
  double pixel_size(int picture_height) const;
  /// World to clip space, for column vectors; `aspect` is width over height.
  Eigen::Matrix4d view_projection(double aspect) const;

  bool operator==(const Camera&) const = default;
};

/// Azimuth 0 looks from +z, 90 from +x; both angles in degrees.
struct Orbit {
  Vector3 target;
  double distance, azimuth, elevation;
};

/// A camera on a sphere round its target. Throws InvalidArgument for a distance that is not positive or an elevation
/// that does not lie strictly between -90 and 90.
Camera orbit(const Orbit& orbit, double field_of_view);
/// The sphere a camera stands on.
Orbit orbit_of(const Camera& camera);

/// The nearest camera in a direction (azimuth, elevation) that sees all points (k, 3); `aspect` is width over height.
/// Throws InvalidArgument without points.
Camera fit(const Array3& points, const std::array<double, 2>& angles, double aspect, const Appearance& appearance);

/// A camera from a JSON object of its fields, as both programs write it; all but `eye` and `target` may be left out.
/// Throws Error for a file that cannot be read, and InvalidArgument for anything else than such an object, an eye at
/// its target, an opening angle outside (0, 180) degrees, or planes that are not 0 < near < far.
Camera read_camera(const std::filesystem::path& path, const Appearance& appearance);
/// Writes a camera; the file appears only when complete.
void write_camera(const std::filesystem::path& path, const Camera& camera);

}  // namespace pucker::viewer
