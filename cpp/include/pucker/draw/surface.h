/// A triangle mesh as the shaders read it, with or without wrinkles: connectivity and colours once, positions a frame,
/// wrinkles as they come.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "pucker/draw/style.h"
#include "pucker/draw/tessellation.h"
#include "pucker/dynamic/packing.h"
#include "pucker/mesh/topology.h"
#include "pucker/types.h"

namespace pucker::draw {

/// Bits of an entry of the reach that hold its triangle; the others count the path segments.
inline constexpr int kReachTriangleBits = 22;
inline constexpr std::int64_t kMostTriangles = std::int64_t(1) << kReachTriangleBits;
inline constexpr std::uint32_t kMostSegments = (std::uint32_t(1) << (32 - kReachTriangleBits)) - 1;

/// The blocks of a surface's storage, in the order of their bindings.
enum class Block : std::uint8_t {
  positions,  ///< (n, 3) float
  normals,    ///< (n, 3) float, unit
  faces,      ///< (m, 3) uint
  texcoords,  ///< (3m, 2) float, one a corner, from the lower left of the texture
  colours,    ///< (m,) RGBA of 8 bits, sRGB
  tints,      ///< (m,) the same, laid over the colours; alpha is the share
  triangles,  ///< (m, 2) uint: count and offset into the reach, made on the GPU
  reach,      ///< (k, 2) uint: triangle and number of segments, and first path point
  points,     ///< (p,) PackedPoint
  samples,    ///< the refined paths, made on the GPU
  spheres,    ///< round all that a segment displaces, made on the GPU
  patches,    ///< (m,) uint: which edges are divided, made on the GPU
  draw_list,  ///< (m,) uint: the triangles, sorted by texture
  twins,      ///< (m, 3) uint, see edge_twins
};
inline constexpr std::size_t kBlocks = 14;
inline constexpr std::array<std::string_view, kBlocks> kBlockNames{
    "Positions", "Normals", "Faces",   "Texcoords", "Colours", "Tints",    "Triangles",
    "Reach",     "Points",  "Samples", "Spheres",   "Patches", "DrawList", "Twins"};

/// What a buffer of the GPU is to hold: room for `size` bytes, the first of which are `bytes`.
struct Upload {
  Block block;
  std::span<const std::byte> bytes;
  std::size_t size;
};

/// What of a surface never changes. Lists that are empty stand for none, or for the usual colour.
struct SurfaceMesh {
  std::shared_ptr<const Mesh> mesh;
  std::vector<Rgba8> colours;          ///< (m,)
  std::vector<float> texcoords;        ///< (m, 3, 2)
  std::vector<std::int32_t> textures;  ///< (m,) number of each triangle's texture, kNone for none
  std::int32_t texture_count = 0;
  std::vector<std::int32_t> weld;  ///< (n,) vertices of one number share their normal
};

/// A decoded texture: RGBA of 8 bits, sRGB, the lowest row first.
struct Texels {
  int width;
  int height;
  std::span<const std::uint8_t> rgba;
};

/// Vertex normals (n, 3) as welded_normals gives them, (0, 1, 0) where there is no area.
void drawn_normals(const ConstIndex3& faces, const ConstArray3& positions, std::span<const std::int32_t> weld,
                   Array3& out);

class Surface {
 public:
  /// Throws InvalidArgument for a list of a wrong length, a texture there is not and more triangles than an entry of
  /// the reach holds.
  explicit Surface(SurfaceMesh mesh);

  const Mesh& mesh() const { return *mesh_.mesh; }
  std::int64_t triangle_count() const { return mesh().triangle_count(); }

  /// Moves the vertices (n, 3). Unit normals (n, 3) are computed unless given; `origin` is packing_origin's unless
  /// given, as surfaces that touch must be. Throws InvalidArgument for another shape or a position that is not finite.
  void set_positions(const ConstArray3& positions, const std::optional<Array3>& normals = std::nullopt,
                     const std::optional<Vector3>& origin = std::nullopt);
  /// Takes the wrinkles of a frame. `smallest_width` is the least width a wrinkle may have, by which edges are
  /// tessellated; without it the least one there is counts. Throws InvalidArgument, and changes nothing, for wrinkles
  /// that require_packed refuses, a width that is not positive, and an entry of more than kMostSegments.
  void set_wrinkles(const PackedWrinkles& packed, std::optional<double> smallest_width = std::nullopt);
  void clear_wrinkles(std::optional<double> smallest_width = std::nullopt);
  /// Lays tints (m,) over the triangles; an empty list takes them off.
  void set_tints(std::span<const Rgba8> tints);

  /// The factor of light by which the lit surface stays below white if it is pale, and is seen if it is dark; 1 for
  /// most. It follows from the albedo in the middles of the triangles, of which a tenth of the area may be brighter.
  /// Throws InvalidArgument for another number of textures, or without positions.
  double exposure(std::span<const Texels> textures) const;

  /// What has changed since the last call, valid until the surface changes.
  std::vector<Upload> take_uploads();

  bool has_positions() const { return has_positions_; }
  const Vector3& origin() const { return origin_; }
  /// Wanted length of tessellated edges; 0 while there is no wrinkle.
  double target_edge() const { return target_edge_; }
  std::size_t path_points() const { return points_.size(); }
  std::size_t path_segments() const { return segments_; }
  std::size_t reach_entries() const { return reach_.size() / 2; }
  /// Whether the compute programs have yet to run; says so once for each set of wrinkles.
  bool take_unrefined() { return std::exchange(unrefined_, false); }

  /// The triangles of the draw list, a range a texture.
  const std::vector<Range>& ranges() const { return ranges_; }
  /// Ranges of the draw list that hold all tessellated triangles and, which the control shader drops, some others.
  const std::vector<Range>& patch_ranges(double target_edge);
  /// Edges that wanted more pieces than kMaxLevel, as the triangles were last tessellated.
  std::int64_t limited_edges() const { return tessellation_.limited_edges; }
  /// How the present frame is tessellated.
  const Tessellation& tessellation(double target_edge);

 private:
  void rebase_points();
  void mark(Block block) { changed_[std::size_t(block)] = true; }

  SurfaceMesh mesh_;
  std::vector<std::uint32_t> twins_, by_texture_;
  std::vector<std::uint32_t> untouched_;  ///< (m, 2) of a mesh without wrinkles, all 0
  std::vector<Range> ranges_;
  Array3 exact_;
  Vector3 origin_ = Vector3::Zero();
  std::vector<float> positions_, normals_;
  std::vector<Rgba8> tints_;
  std::vector<std::uint32_t> reached_, reach_;  ///< number of wrinkles (m,); entries (k, 2)
  std::vector<PackedPoint> packed_points_, points_;
  Vector3 packed_origin_ = Vector3::Zero();
  std::size_t segments_ = 0;
  double target_edge_ = 0.0;
  double cut_edge_ = -1.0;  ///< target edge of the present tessellation, negative if there is none
  Tessellation tessellation_;
  std::vector<Range> patch_ranges_;
  std::array<bool, kBlocks> changed_{};
  bool has_positions_ = false, unrefined_ = false, tinted_ = false;
};

}  // namespace pucker::draw
