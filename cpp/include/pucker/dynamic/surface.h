/// The wrinkled surface, evaluated from packed wrinkles (Gillette 2015, chapter 7): what the shaders draw, in double
/// precision.
#pragma once

#include <span>
#include <vector>

#include "pucker/dynamic/packing.h"
#include "pucker/dynamic/params.h"
#include "pucker/dynamic/profile.h"
#include "pucker/method.h"

namespace pucker {

/// Evaluates points given by a triangle (N,) and barycentric coordinates (N, 3) in it, for vertex positions (n, 3) and
/// the wrinkles of that frame.
///
/// A point is projected to each wrinkle that overlaps its triangle along the interpolated mean directions of its pieces
/// (equations 7.1 to 7.3); of one wrinkle the nearest projection counts whose width holds the point, of several
/// wrinkles the largest offset, and their normals are averaged with the offsets as weights (section 7.5); those of the
/// profiles wave and crease, which are also below 0, are averaged with their nearness h(1 − x²/w²)² as weights. Beyond
/// an end that is not flat the end's section goes on, turned about it: the end of a wrinkle is round. Points of an edge
/// come out the same from both its triangles if the wrinkles were packed as Packer does.
///
/// Throws InvalidArgument as points_of_mesh does, and for wrinkles that `require_packed` refuses.
SurfacePoints evaluate_surface(const Mesh& mesh, Profile profile, const ConstArray3& positions,
                               const PackedView& packed, std::span<const std::int32_t> triangles,
                               const ConstArray3& barycentrics);
/// The same into `out.points`.
void evaluate_surface(const Mesh& mesh, Profile profile, const ConstArray3& positions, const PackedView& packed,
                      std::span<const std::int32_t> triangles, const ConstArray3& barycentrics, Evaluation& out);

/// Bits of an entry of the overlaps, as the shaders read them, that hold its triangle; the others count the path
/// segments.
inline constexpr int kOverlapTriangleBits = 22;

/// The wrinkled surface of one frame. It refers to mesh, positions and wrinkles, which must outlive it.
class PathDetail : public Detail {
 public:
  /// `feature_size`: the smallest width of a wrinkle.
  PathDetail(const Mesh& mesh, const Array3& positions, const PackedWrinkles& packed, Profile profile,
             double feature_size)
      : Detail(mesh, positions), packed_(packed), profile_(profile), feature_size_(feature_size) {}

  Profile profile() const { return profile_; }
  const PackedWrinkles& packed() const { return packed_; }

  void evaluate_into(std::span<const std::int32_t> triangles, const ConstArray3& barycentrics,
                     Evaluation& out) const override;
  std::vector<std::uint8_t> reached() const override;
  double feature_size() const override { return profile::seen_share(profile_) * feature_size_; }
  /// The least width of what overlaps each triangle.
  std::vector<double> feature_sizes() const override;
  /// No point is higher than its wrinkle, or deeper than its valleys.
  std::array<double, 2> offset_range() const override;
  std::string_view shaders() const override { return "dynamic"; }
  /// Throws InvalidArgument for a mesh of more triangles, or a wrinkle of more segments, than an entry of the overlaps
  /// holds.
  draw::Content draw_content(const Vector3& origin, const draw::Continued* done) const override;

 private:
  const PackedWrinkles& packed_;
  Profile profile_;
  double feature_size_;
};

}  // namespace pucker
