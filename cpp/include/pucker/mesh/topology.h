/// Connectivity of a triangle mesh: edges, neighbours across edges, and the ordered triangles round each vertex.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "pucker/errors.h"
#include "pucker/types.h"

namespace pucker {

/// What the connectivity holds, for a reader who wants to know what a file is made of.
struct MeshReport {
  std::int64_t vertices = 0;
  std::int64_t triangles = 0;
  std::int64_t edges = 0;
  std::int64_t boundary_edges = 0;        ///< edges of one triangle
  std::int64_t non_manifold_edges = 0;    ///< edges of three or more triangles, treated as boundary
  std::int64_t degenerate_triangles = 0;  ///< triangles that name a vertex twice, inert
  std::int64_t isolated_vertices = 0;     ///< vertices of no triangle
  std::int64_t fan_vertices = 0;          ///< vertices whose triangles form more than one fan
};

/// A run of triangles round one vertex, each sharing an edge at the vertex with the next.
struct Fan {
  std::span<const std::int32_t> triangles;
  bool closed = false;  ///< the last triangle shares an edge with the first
};

/// Connectivity of a triangle mesh, fixed for its life.
///
/// Orientation of the triangles need not agree (a Möbius strip is a valid mesh). Edges of three or more triangles have
/// no neighbours, as boundary edges have none. A triangle that names a vertex twice has no neighbours and is in no fan.
class Mesh : public std::enable_shared_from_this<Mesh> {
 public:
  /// `faces`: (m, 3) vertex numbers in [0, vertex_count). Throws InvalidArgument for a number outside, naming it, and
  /// for more vertices than a number of 32 bits counts.
  Mesh(Index3 faces, std::int64_t vertex_count);

  std::int64_t vertex_count() const { return vertex_count_; }
  std::int64_t triangle_count() const { return faces_.rows(); }
  std::int64_t edge_count() const { return edges_.rows(); }

  const Index3& faces() const { return faces_; }
  /// (e, 2), smaller vertex first, sorted.
  const Index2& edges() const { return edges_; }
  /// (m, 3): the neighbour across edge (k, k+1) of the triangle, kNone where there is none.
  const Index3& triangle_neighbours() const { return neighbours_; }
  /// (m, 3): the edge (k, k+1) of the triangle, kNone in a degenerate triangle.
  const Index3& triangle_edges() const { return triangle_edges_; }
  /// The triangles of edge `e`: two for an inner edge, else the first one and kNone.
  std::array<std::int32_t, 2> edge_triangles(std::int32_t edge) const { return edge_triangles_[std::size_t(edge)]; }
  const MeshReport& report() const { return report_; }

  bool degenerate(std::int32_t triangle) const { return triangle_edges_(triangle, 0) == kNone; }
  /// Position 0, 1, 2 of `vertex` in `triangle`, or kNone.
  int corner(std::int32_t triangle, std::int32_t vertex) const {
    // The first of those that are equal.
    constexpr std::array<std::int8_t, 8> first = {kNone, 0, 1, 0, 2, 0, 1, 0};
    return first[equal(faces_, triangle, vertex)];
  }
  /// The last k for which `neighbour` lies across edge (k, k+1) of `triangle`, or kNone.
  int neighbour_corner(std::int32_t triangle, std::int32_t neighbour) const {
    constexpr std::array<std::int8_t, 8> last = {kNone, 0, 1, 1, 2, 2, 2, 2};
    return last[equal(neighbours_, triangle, neighbour)];
  }
  /// The k for which edge (k, k+1) of `triangle` is {a, b}, or kNone.
  int edge_corner(std::int32_t triangle, std::int32_t a, std::int32_t b) const;

  /// All triangles round `vertex`: its fans one after the other.
  std::span<const std::int32_t> ring(std::int32_t vertex) const {
    require(vertex >= 0 && vertex < vertex_count_, "vertex must lie in [0, ", vertex_count_, "), got ", vertex);
    const std::size_t v = std::size_t(vertex);
    return {ring_.data() + vertex_offsets_[v], std::size_t(vertex_offsets_[v + 1] - vertex_offsets_[v])};
  }
  std::size_t fan_count(std::int32_t vertex) const;
  Fan fan(std::int32_t vertex, std::size_t index) const;
  /// The fan of `vertex` that holds `triangle`; throws InvalidArgument if none does.
  Fan fan_of(std::int32_t vertex, std::int32_t triangle) const;

 private:
  /// A bit for each of the three numbers of a triangle that equals `number`; branch-free, as the match is
  /// unpredictable.
  static std::size_t equal(const Index3& numbers, std::int32_t triangle, std::int32_t number) {
    const std::int32_t* row = numbers.data() + 3 * std::ptrdiff_t(triangle);
    return std::size_t((row[0] == number) | (row[1] == number) << 1 | (row[2] == number) << 2);
  }

  void build_edges();
  void build_fans();

  std::int64_t vertex_count_;
  Index3 faces_;
  Index2 edges_;
  Index3 neighbours_;
  Index3 triangle_edges_;
  std::vector<std::array<std::int32_t, 2>> edge_triangles_;

  // Triangles of vertex v: ring_[vertex_offsets_[v] … vertex_offsets_[v+1]), cut into fans: fan f starts at
  // fans_[f].start, the fans of v being fan_offsets_[v] … fan_offsets_[v+1).
  struct FanRange {
    std::int32_t start;
    std::int32_t size;
    bool closed;
  };
  std::vector<std::int32_t> ring_;
  std::vector<std::int64_t> vertex_offsets_;
  std::vector<FanRange> fans_;
  std::vector<std::int64_t> fan_offsets_;
  MeshReport report_;
};

}  // namespace pucker
