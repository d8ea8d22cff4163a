/// Borders that the cloth shares with what is not cloth: there wrinkles fade out, or a crack would open.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "pucker/dynamic/curve.h"
#include "pucker/dynamic/packing.h"
#include "pucker/dynamic/params.h"
#include "pucker/dynamic/wrinkle.h"
#include "pucker/mesh/topology.h"
#include "pucker/types.h"

namespace pucker {

/// The shared border of a mesh: its boundary edges between two shared vertices, and the other shared vertices.
class SharedBorder {
 public:
  /// `shared`: vertices that are also vertices of what is not cloth, in any order. Throws InvalidArgument for a number
  /// outside the mesh.
  SharedBorder(std::shared_ptr<const Mesh> mesh, const std::vector<std::int32_t>& shared);

  /// Lets packed wrinkles fade out towards the border, by `shape.border_fade`; with 0 of that, and `verbatim`, they
  /// stay as they are. `positions` (n, 3) are of the frame, `curves` of the `wrinkles` in their order, `packed` of
  /// both.
  ///
  /// From the distance of border_fade flat widths on heights fall in a smooth step to 0 at the border, and half widths
  /// are nowhere as large as the distance: no point of the border is displaced. Distances are measured in space, to
  /// what is met walking outward from the border over the mesh, so that another layer of cloth does not count. Throws
  /// InvalidArgument unless `packed` has a point for each of the wrinkles'.
  void fade_out(const Array3& positions, const std::vector<Wrinkle>& wrinkles, const std::vector<PathCurve>& curves,
                const Params& params, PackedWrinkles& packed);

 private:
  struct Segment {
    std::int32_t from;
    std::int32_t to;
  };
  /// A box that holds some points.
  struct Box {
    Vector3 low;
    Vector3 high;

    explicit Box(const Vector3& point) : low(point), high(point) {}
    Box(const Vector3& a, const Vector3& b) : low(a.cwiseMin(b)), high(a.cwiseMax(b)) {}
    void add(const Box& other);
    void widen(double by);
    /// True only if all points of both are farther from each other than `distance`.
    bool apart(const Box& other, double distance) const;
  };
  struct Piece {
    Box box;  ///< of the curve
    Vector3 from;
    Vector3 to;
    double reach;  ///< of the curve beyond its chord
    std::int32_t triangle;
  };
  struct Path {
    Box box;
    std::size_t first;  ///< of its pieces
  };
  struct Corner {
    std::uint64_t measured = 0;  ///< stamp of the segment
    std::uint64_t passed = 0;
    double square = 0;  ///< of its distance
  };
  struct Entry {
    std::size_t segment;
    std::int32_t next;
  };
  /// Bounds what the curves of the wrinkles cross, one box a segment and one a path.
  void box_curves(const std::vector<Wrinkle>& wrinkles, const std::vector<PathCurve>& curves);
  /// Stamps the triangles in which a curve may come within `radius` of a segment of the border; returns their number.
  std::size_t find_wanted(const Vector3& from, const Vector3& to, double radius);
  /// Enters that `segment` lies within the radius of a triangle.
  void enter(std::size_t segment, std::int32_t triangle);
  /// Finds of these the triangles that themselves lie within `radius` of the border, walking outward from it.
  void measure(const Array3& positions, double radius);
  /// Whether the border lies within the radius of some of the triangle, and may of a curve in it.
  bool near(std::int32_t triangle) const { return heads_[std::size_t(triangle)] != kNone; }
  /// Smallest distances to the border for the knots of one path, (2k−1,), `most` where they are larger.
  void measure_knots(const Array3& positions, const Wrinkle& wrinkle, const PathCurve& curve, double most);

  std::shared_ptr<const Mesh> mesh_;
  double radius_ = 0;
  std::vector<Segment> segments_;
  std::vector<Piece> pieces_;
  std::vector<Path> paths_;
  std::vector<Entry> entries_;
  std::vector<std::int32_t> heads_;     ///< per triangle: its last entry
  std::vector<std::uint64_t> wanted_;   ///< per triangle: stamp of the segment that it was last wanted for
  std::vector<std::uint64_t> visited_;  ///< per triangle: of the one whose walk saw it last
  std::vector<Corner> corners_;         ///< per vertex
  std::uint64_t stamp_ = 0;             ///< of the segment at hand, another one in each frame
  std::vector<std::int32_t> queue_;
  std::vector<double> distances_;
};

}  // namespace pucker
