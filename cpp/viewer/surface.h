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

/// One range of a draw list that shares a texture, 0 for none.
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

/// Connectivity and colours once, positions a frame, wrinkles as they come. Shader storage is bound as the manifest
/// says.
class Surface {
 public:
  Surface(const ShaderLibrary& shaders, const Appearance& appearance, SurfaceMesh mesh,
          std::shared_ptr<const Textures> textures);

  /// Moves the vertices (n, 3).
  void set_positions(const ConstArray3& positions);
  /// Takes the wrinkles of a frame; `smallest_width` sets the length of tessellated edges.
  void set_wrinkles(const PackedWrinkles& packed, double smallest_width);
  /// Tints the triangles by their labels (m,); an empty list takes the tints off.
  void set_labels(const std::vector<std::int8_t>& labels);

  /// Wanted length of tessellated edges before the limit in pixels.
  double target_edge() const { return target_edge_; }
  std::size_t path_segments() const { return segments_; }
  /// Whether the curve program has yet to run over the path points; says so once for each set of wrinkles.
  bool take_unrefined() { return std::exchange(unrefined_, false); }
  std::size_t path_points() const { return point_count_; }

  /// Binds everything but the draw list.
  void bind() const;
  void bind_paths() const;
  /// Draws of all triangles as they are; binds their list.
  const std::vector<Draw>& all_draws() const;
  /// Divides the triangles between the two programs, for `plain_draws` and `patch_draws`.
  void cut(double target_edge);
  /// Draws of the triangles left as they are; binds their list.
  const std::vector<Draw>& plain_draws() const;
  /// Draws of the tessellated triangles.
  const std::vector<Draw>& patch_draws() const { return patch_draws_; }

 private:
  std::vector<Draw> group(const std::vector<std::uint32_t>& triangles) const;
  std::array<Eigen::Vector3f, 3> corners(std::uint32_t triangle) const;

  const Appearance& appearance_;
  SurfaceMesh mesh_;
  std::shared_ptr<const Textures> textures_;
  Index3 edges_;
  std::vector<std::uint32_t> by_texture_;  ///< all triangles, sorted by texture
  std::map<std::string, Buffer> buffers_;
  std::map<std::string, GLuint> bindings_;
  GLuint list_binding_;
  Buffer everything_, plain_, path_list_;
  std::vector<Draw> everything_draws_, plain_draws_, patch_draws_;
  Eigen::Matrix<float, Eigen::Dynamic, 3, Eigen::RowMajor> positions_;
  std::vector<std::uint32_t> packed_triangles_;
  std::size_t samples_per_segment_;
  std::size_t point_count_ = 0;
  std::size_t segments_ = 0;
  double target_edge_ = 0.0;
  double cut_edge_ = -1.0;  ///< target edge of the present cut, negative if there is none
  bool unrefined_ = false;
};

}  // namespace pucker::viewer
