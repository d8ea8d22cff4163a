/// A triangle mesh as the shaders read it, with or without detail: connectivity and colours once, positions and detail
/// a frame.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pucker/draw/content.h"
#include "pucker/draw/grid.h"
#include "pucker/draw/style.h"
#include "pucker/draw/tessellation.h"
#include "pucker/mesh/alpha.h"
#include "pucker/mesh/subdivision.h"
#include "pucker/mesh/topology.h"
#include "pucker/method.h"
#include "pucker/types.h"

namespace pucker::draw {

/// The blocks of a surface's storage, in the order of their bindings; those of its detail's method follow, and the
/// block Grid, see lay_grid.
enum class Block : std::uint8_t {
  positions,  ///< (n, 3) float
  normals,    ///< (n, 3) float, unit; then, if there are normals of corners, (3m, 3)
  faces,      ///< (m, 3) uint
  texcoords,  ///< (3m, 2) float, one a corner, from the lower left of the texture
  colours,    ///< (m,) RGBA of 8 bits, sRGB
  tints,      ///< (m,) the same, laid over the colours; alpha is the share
  patches,    ///< (m,) uint: which edges are divided
  draw_list,  ///< (m,) uint: the triangles, sorted by alpha and texture
  twins,      ///< (m, 3) uint, see edge_twins
};
inline constexpr std::array<std::string_view, 9> kBlockNames{"Positions", "Normals", "Faces",    "Texcoords", "Colours",
                                                             "Tints",     "Patches", "DrawList", "Twins"};
inline constexpr std::size_t kMethodBinding = kBlockNames.size();
inline constexpr std::size_t kMethodBlocks = 5;
inline constexpr std::size_t kGridBinding = kMethodBinding + kMethodBlocks;
inline constexpr std::size_t kSurfaceBindings = kGridBinding + 1;

/// The method of what has no detail to be tessellated.
inline constexpr std::string_view kPlainMethod = "plain";

/// What a buffer of the GPU is to hold: room for `size` bytes, the first of which are `bytes`.
struct Upload {
  std::size_t binding;
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
  std::vector<Alpha> alphas = {};  ///< (m,) what the alpha of colour and texture says
  std::vector<std::int32_t> weld;  ///< (n,) vertices of one number share their normal
  /// Whether triangles without a texture may be shown as fabric. Their texture coordinates count threads then, along
  /// the two axes that the triangle faces least when the surface is first given positions.
  bool cloth = false;
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
  /// Throws InvalidArgument for a list of a wrong length, a texture there is not and a cutoff that is negative or not
  /// finite.
  explicit Surface(SurfaceMesh mesh);

  const Mesh& mesh() const { return *mesh_.mesh; }
  /// What it was made of, with a colour, texture and alpha for each triangle where lists were empty.
  const SurfaceMesh& made_of() const { return mesh_; }
  std::int64_t triangle_count() const { return mesh().triangle_count(); }

  /// Moves the vertices (n, 3) and takes the detail off. Unit normals (n, 3) are computed unless given; `origin` is
  /// nearby_origin's unless given, as surfaces that touch must be. `corner_normals` (3m, 3), three a triangle, are what
  /// is lit by, and what the normals of detail that shaders make are turned with; displacement goes along those of the
  /// vertices. A mesh that is divided here is lit without them. Throws InvalidArgument for another shape or a position
  /// that is not finite.
  void set_positions(const ConstArray3& positions, const std::optional<Array3>& normals = std::nullopt,
                     const std::optional<Vector3>& origin = std::nullopt,
                     const std::optional<Array3>& corner_normals = std::nullopt);
  /// Puts the detail of a frame, whose positions those of the surface are, over the mesh. Shaders tessellate it as the
  /// style of a picture says; without any, it is divided here and shows what `mode` says. Of a detail that is a mesh of
  /// its own shaders make the whole, and what is to show a part of it is divided here. Throws InvalidArgument, and
  /// changes nothing, without positions and for the detail of a mesh of other size.
  void set_detail(const Detail& detail, Mode mode = Mode::both);
  void clear_detail();
  /// Lays tints (m,) over the triangles; an empty list takes them off.
  void set_tints(std::span<const Rgba8> tints);

  /// The factor of light by which the lit surface stays below white if it is pale, and is seen if it is dark; 1 for
  /// most. It follows from the albedo in the middles of the triangles, of which a tenth of the area may be brighter.
  /// Throws InvalidArgument for another number of textures, or without positions.
  double exposure(std::span<const Texels> textures) const;

  /// What has changed since the last call, valid until the surface changes.
  std::vector<Upload> take_uploads();

  bool has_positions() const { return has_positions_; }
  /// Whether triangles of its own are drawn in place of the mesh's: those that it is divided into.
  bool divided() const { return divided_; }
  /// Row of the normals at which those of the corners begin; 0 if there are none.
  std::int32_t first_corner_normal() const { return divided_ ? 0 : first_corner_normal_; }
  /// (n, 3), as they were set.
  const Array3& positions() const { return exact_; }
  /// Normal of a triangle, as long as its area.
  Vector3 area_normal(Eigen::Index t) const;
  const Vector3& origin() const { return origin_; }
  bool is_cloth() const { return mesh_.cloth; }
  /// Folder of the shaders of its detail.
  std::string_view method() const { return method_; }
  /// What the method's shaders have for this frame.
  const Content& content() const { return content_; }
  /// Whether shaders displace some of it.
  bool displaced() const { return displaced_; }
  /// Wanted length of tessellated edges; 0 without detail.
  double target_edge() const { return target_edge_; }
  /// Whether the compute programs have yet to run; says so once for each detail.
  bool take_unrefined();

  /// The triangles of the draw list, a range for each alpha and texture, and for each colour of those that are blended.
  const std::vector<DrawRange>& ranges() const { return drawn().ranges; }
  /// The mean of the middles of a range's triangles.
  Vector3 middle(const DrawRange& range) const;
  /// Ranges of the draw list that hold all tessellated triangles and, which the control shader drops, some others.
  const std::vector<DrawRange>& patch_ranges(double target_edge);
  /// Edges that wanted more pieces than kMaxLevel, as the triangles were last tessellated.
  std::int64_t limited_edges() const { return tessellation_.limited_edges; }
  /// How the present frame is tessellated.
  const Tessellation& tessellation(double target_edge);
  /// Lays a grid of at most so many points for a target edge, unless it lies already; whether there is one.
  bool lay_grid(double target_edge, int cells, std::int64_t most);
  const Grid& grid() const { return grid_; }
  /// Whether the points of the grid have yet to be evaluated; says so once for each.
  bool take_unevaluated() { return std::exchange(unevaluated_, false); }

 private:
  /// Triangles that can be drawn.
  struct Triangles {
    Index3 faces;
    std::vector<std::int32_t> source;  ///< of the mesh that each is part of
    std::vector<float> texcoords;
    std::vector<Rgba8> colours;
    std::vector<std::uint32_t> by_texture;
    std::vector<DrawRange> ranges;
  };
  const Triangles& drawn() const { return divided_ ? fine_ : coarse_; }
  /// Brings the triangles into the order of their alphas and textures, which are those of their sources.
  void sort(Triangles& triangles) const;
  void divide(const Detail& detail, Mode mode);
  /// Lays threads over the triangles without a texture.
  void weave();
  /// Draws the triangles of a finer mesh, whose positions and normals are to be sent, or made by programs.
  void show(const Subdivision& fine);
  const Subdivision& fine_enough(const Detail& detail);
  void refill(const Subdivision& fine);
  /// Has the detail's own shaders tessellate the mesh, or make the one that it is.
  void shade_by(const Detail& detail);
  Upload upload_of(std::size_t binding);
  void mark(Block block) { changed_[std::size_t(block)] = true; }

  SurfaceMesh mesh_;
  Triangles coarse_;
  std::vector<std::uint32_t> twins_;
  Array3 exact_;
  Vector3 origin_ = Vector3::Zero();
  std::vector<float> positions_, normals_;            ///< (n, 3) of the mesh
  std::vector<float> fine_positions_, fine_normals_;  ///< of the mesh divided
  std::vector<Rgba8> tints_, drawn_tints_;

  std::string method_{kPlainMethod};
  Content content_;
  std::shared_ptr<const Continued> done_;  ///< what programs have left in the method's buffers
  std::vector<std::uint8_t> reached_;      ///< (m,)
  std::vector<std::uint32_t> patches_;     ///< (m,)
  bool displaced_ = false, unrefined_ = false;
  std::int32_t first_corner_normal_ = 0;
  double target_edge_ = 0.0;
  double cut_edge_ = -1.0;  ///< target edge of the present tessellation, negative if there is none
  Tessellation tessellation_;
  Grid grid_;
  std::pair<double, int> laid_{-1.0, 0};  ///< target edge and cells of the grid, a negative one if there is none
  bool unevaluated_ = false;
  std::vector<DrawRange> patch_ranges_;

  bool divided_ = false, sent_divided_ = false, fine_changed_ = false;
  Triangles fine_;                    ///< the mesh divided, as it was last
  std::size_t fine_size_ = 0;         ///< bytes of a vector for each of its vertices
  std::vector<std::int32_t> levels_;  ///< (e,) the most pieces of each edge that a detail has asked for
  Subdivision own_fine_;              ///< of these

  std::array<bool, kSurfaceBindings> changed_{};
  bool has_positions_ = false, tinted_ = false;
};

}  // namespace pucker::draw
