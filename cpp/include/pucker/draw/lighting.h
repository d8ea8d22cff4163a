/// Where the key light stands, and what of it reaches a picture.
#pragma once

#include <Eigen/Core>
#include <array>
#include <span>
#include <string_view>
#include <utility>

#include "pucker/draw/camera.h"
#include "pucker/draw/style.h"
#include "pucker/draw/surface.h"
#include "pucker/types.h"

namespace pucker::draw {

/// Texels along each side of the shadow map.
inline constexpr int kShadowSize = 768;

/// What of a clip's light can be left away, and the words for it.
inline constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kLightParts{
    {{"grazing", "The key light grazes the cloth in view, so that its folds show"},
     {"shadows", "The key light casts soft shadows"},
     {"occlusion", "What is near keeps the other light away"},
     {"fabric", "Cloth without a texture has a fine weave and a sheen"}}};

/// The style without a part of the light that suits a clip. Throws InvalidArgument unless `part` is of kLightParts.
Style without(Style style, std::string_view part);

/// The unit direction towards a light that stands `angle` degrees off the mean normal of the cloth in view, above the
/// camera's left, in the camera's axes (x right, y up, z towards the viewer). The mean is over the triangles that face
/// the camera, by the area that it sees of them; where there are none, it is the direction to the camera.
/// `area_normals` (m, 3): normals as long as the triangles' areas. Throws InvalidArgument unless the angle lies in
/// [0, 90].
Vector3 grazing_direction(const ConstArray3& area_normals, const Camera& camera, double angle);

/// What suits all pictures of a clip, found from its first frame, so that none flickers.
class ClipStyle {
 public:
  /// `garment`: with the positions of the first frame; `exposure`: as Surface::exposure finds it there. Throws
  /// InvalidArgument without positions.
  ClipStyle(const Surface& garment, double exposure);

  /// The style with everything set that it leaves open: exposure, kFoldLight, shadows, occlusion and fabric; the key
  /// direction of a light that grazes is that of grazing_direction for this camera.
  Style of(Style style, const Camera& camera) const;

 private:
  Array3 area_normals_;
  double exposure_;
};

/// A parallel projection along the key light.
struct ShadowView {
  /// World to the light's clip space, for column vectors.
  Eigen::Matrix4d matrix = Eigen::Matrix4d::Identity();
  /// Side of a texel of the shadow map, in the units of the scene.
  double texel = 0.0;
};

/// The view of a light in `direction` (world, towards the light) that holds, sideways, the triangles that the camera
/// sees, and along the light everything. Its size goes in steps and its middle by whole texels, so that shadows of what
/// rests do not crawl.
ShadowView shadow_view(std::span<Surface* const> surfaces, const Camera& camera, double aspect,
                       const Vector3& direction);

}  // namespace pucker::draw
