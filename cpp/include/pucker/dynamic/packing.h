/// Wrinkles packed for the GPU (Gillette 2015, section 7.2, figure 7.3).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "pucker/dynamic/curve.h"
#include "pucker/dynamic/field.h"
#include "pucker/dynamic/wrinkle.h"

namespace pucker {

/// One path point as the shaders read it: four vec4, 64 bytes.
struct PackedPoint {
  float position[3];  ///< from the origin of the wrinkles
  float width;        ///< full width here
  float normal[3];    ///< of the triangle of the segment that starts here; at the last point, that ends here
  float height;
  float tangent[3];  ///< unit mean tangent of the path here
  float arc_length;  ///< from the path's first point, where it is 0
  float mid_width;   ///< full width at the middle of the segment that starts here
  float mid_height;
  float unused[2];
};
static_assert(sizeof(PackedPoint) == 64);

/// Three buffers whose sizes follow the wrinkles; only the first follows the mesh.
struct PackedWrinkles {
  std::vector<std::uint32_t>
      triangles;  ///< (m, 2): number of wrinkles that overlap the triangle, first one in `overlaps`
  std::vector<std::uint32_t> overlaps;  ///< (k, 2): first and last point, inclusive, of the part that overlaps
  std::vector<PackedPoint> points;      ///< (p,): the points of all wrinkles, one wrinkle after the other
  Vector3 origin = Vector3::Zero();     ///< of the points' positions, see nearby_origin
};

/// Packed wrinkles wherever they lie in memory, shaped as in PackedWrinkles.
struct PackedView {
  std::span<const std::uint32_t> triangles;
  std::span<const std::uint32_t> overlaps;
  std::span<const PackedPoint> points;
  Vector3 origin = Vector3::Zero();

  PackedView() = default;
  PackedView(std::span<const std::uint32_t> triangle_rows, std::span<const std::uint32_t> overlap_rows,
             std::span<const PackedPoint> point_rows, const Vector3& point_origin = Vector3::Zero())
      : triangles(triangle_rows), overlaps(overlap_rows), points(point_rows), origin(point_origin) {}
  PackedView(const PackedWrinkles& packed)
      : triangles(packed.triangles), overlaps(packed.overlaps), points(packed.points), origin(packed.origin) {}
};

/// Throws InvalidArgument unless the buffers fit each other and a mesh of `triangle_count` triangles: every range lies
/// inside its buffer and in one path, numbers are finite, widths positive, heights at least 0, and along each path arc
/// lengths increase strictly from 0. Names the first entry that breaks a rule.
void require_packed(const PackedView& packed, std::int64_t triangle_count);

/// The least width of packed wrinkles; 0 if there are none.
double least_width(std::span<const PackedPoint> points);

/// Packs wrinkles and finds the triangles they overlap.
class Packer {
 public:
  explicit Packer(const Mesh& mesh);
  ~Packer();
  Packer(Packer&&) noexcept;
  Packer& operator=(Packer&&) noexcept;

  /// `curves[i]` is the curve of `wrinkles[i]`. A flat wrinkle is packed but overlaps nothing.
  ///
  /// A segment overlaps the triangles that can be reached from its own over points of the cloth closer to it than half
  /// its largest width plus the farthest its smooth curve deviates from it. So of two triangles that share a displaced
  /// point both are overlapped, and another layer of cloth, however near, is not.
  void pack(const CompressionField& field, const std::vector<Wrinkle>& wrinkles, const std::vector<PathCurve>& curves,
            PackedWrinkles& out);

 private:
  struct Overlap {
    std::int32_t triangle;
    std::uint32_t first;
    std::uint32_t last;
  };
  class Part;

  std::vector<std::unique_ptr<Part>> parts_;  ///< one for each thread that there has been
  std::vector<std::uint32_t> first_points_;   ///< of each wrinkle
};

}  // namespace pucker
