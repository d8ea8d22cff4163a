/// A triangle mesh on the GPU, with or without wrinkles.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "appearance.h"
#include "gl.h"
#include "patches.h"
#include "programs.h"
#include "pucker/dynamic/packing.h"
#include "pucker/types.h"

namespace pucker::viewer {

using Textures = std::vector<Texture>;

/// What of a surface never changes.
struct SurfaceMesh {
  Index3 faces;                        ///< (m, 3)
  std::int64_t vertex_count = 0;       ///< n
  std::vector<Rgba8> colours;          ///< (m,) sRGB
  std::vector<float> texcoords;        ///< (m, 3, 2), a corner each, from the lower left of the texture
  std::vector<std::int32_t> textures;  ///< (m,) number of each triangle's texture, -1 for none
  std::vector<std::int32_t> weld;      ///< (n,) vertices of one number share their normal
};

/// A compute program's work on a surface: how many invocations, and the uniform that says so.
struct Work {
  const char* uniform;
  std::size_t count;
};

/// One range of the draw list that shares a texture, 0 for none.
struct Draw {
  GLint first;
  GLsizei count;
  GLuint texture;
};

/// Unit vertex normals (n, 3): the sum of the adjacent triangles' normals, weighted by their areas. Vertices of one
/// number in `weld` (n,) share theirs. A vertex whose sum vanishes gets (0, 1, 0).
Eigen::Matrix<float, Eigen::Dynamic, 3, Eigen::RowMajor> vertex_normals(const ConstArray3& positions,
                                                                        const Index3& faces,
                                                                        const std::vector<std::int32_t>& weld);

/// Connectivity and colours once, positions a frame, wrinkles as they come: 64 bytes a path point and 8 a triangle that
/// a wrinkle reaches. Shader storage is bound as the manifest says.
class Surface {
 public:
  Surface(const ShaderLibrary& shaders, const Appearance& appearance, SurfaceMesh mesh,
          std::shared_ptr<const Textures> textures);

  /// Moves the vertices (n, 3).
  void set_positions(const ConstArray3& positions);
  /// Takes the wrinkles of a frame; `smallest_width` sets the length of tessellated edges. Throws InvalidArgument where
  /// a wrinkle reaches a triangle with more segments than fit into an entry of the reach.
  void set_wrinkles(const PackedWrinkles& packed, double smallest_width);
  /// Tints the triangles by their labels (m,); an empty list takes the tints off.
  void set_labels(const std::vector<std::int8_t>& labels);

  /// Wanted length of tessellated edges before the limit in pixels.
  double target_edge() const { return target_edge_; }
  /// Whether the compute programs have yet to run; says so once for each set of wrinkles.
  bool take_unrefined() { return std::exchange(unrefined_, false); }
  /// What they have to do, in this order.
  Work clear_work() const { return {"triangle_count", by_texture_.size()}; }
  Work reach_work() const { return {"reach_count", reach_count_}; }
  Work curve_work() const { return {"segment_count", point_count_ == 0 ? 0 : point_count_ - 1}; }
  bool has_wrinkles() const { return reach_count_ > 0; }
  std::size_t path_points() const { return point_count_; }

  void bind() const;
  /// Draws of all triangles.
  const std::vector<Draw>& draws() const { return draws_; }
  /// Draws of all tessellated triangles and, which the control shader drops, of some others.
  const std::vector<Draw>& patch_draws(double target_edge);
  /// Edges that wanted more pieces than the most there can be, when patches were last drawn.
  std::int64_t limited_edges() const { return limited_edges_; }

 private:
  std::vector<Draw> grouped_by_texture() const;
  std::array<Eigen::Vector3f, 3> corners(std::uint32_t triangle) const;

  const Appearance& appearance_;
  SurfaceMesh mesh_;
  std::shared_ptr<const Textures> textures_;
  Index3 edges_;
  std::vector<std::uint32_t> by_texture_;  ///< all triangles, sorted by texture
  std::map<std::string, Buffer> buffers_;
  std::map<std::string, GLuint> bindings_;
  std::vector<Draw> draws_, patch_draws_;
  Eigen::Matrix<float, Eigen::Dynamic, 3, Eigen::RowMajor> positions_;
  std::vector<std::uint32_t> packed_triangles_;
  std::size_t samples_per_segment_;
  std::uint32_t reach_triangle_bits_;
  std::size_t reach_count_ = 0;
  std::size_t point_count_ = 0;
  double target_edge_ = 0.0;
  double cut_edge_ = -1.0;  ///< target edge of the present cut, negative if there is none
  std::int64_t limited_edges_ = 0;
  bool unrefined_ = false;
  bool tinted_ = false;
};

}  // namespace pucker::viewer
