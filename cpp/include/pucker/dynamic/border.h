/// Where wrinkles fade out: at borders that the cloth shares with what is not cloth, or a crack would open, and under
/// other layers of the garment, or they would come through.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "pucker/dynamic/curve.h"
#include "pucker/dynamic/packing.h"
#include "pucker/dynamic/params.h"
#include "pucker/dynamic/wrinkle.h"
#include "pucker/mesh/topology.h"
#include "pucker/types.h"

namespace pucker {

/// The shared border of a mesh: its boundary edges between two shared vertices, edges of seams inside it, which are
/// those to a shared vertex that is not on the boundary, and the other shared vertices.
class SharedBorder {
 public:
  /// `shared`: vertices that are also vertices of what is not cloth, in any order. `rest` (n, 3): where covers() looks
  /// for what lies under another layer of the garment; none: nothing does.
  ///
  /// Throws InvalidArgument for a number outside the mesh and a rest of another shape.
  SharedBorder(std::shared_ptr<const Mesh> mesh, const std::vector<std::int32_t>& shared,
               const std::optional<Array3>& rest = std::nullopt);

  /// Lets packed wrinkles fade out towards the border, by `shape.border_fade`; with 0 of that, and `verbatim`, they
  /// stay as they are. `positions` (n, 3) are of the frame, `curves` of the `wrinkles` in their order, `packed` of
  /// both.
  ///
  /// From the distance of border_fade flat widths on heights fall in a smooth step to 0 at the border, and half widths
  /// are nowhere as large as the distance: no point of the border is displaced. Distances are measured in space, from
  /// each connected line of the border to what is met walking outward from it over triangles that near, so that another
  /// layer of cloth does not count. Heights fall to 0 likewise towards what is covered, by the way along the edges of
  /// the rest: what lies under another layer must not come through it. Throws InvalidArgument unless `packed` has a
  /// point for each of the wrinkles'.
  void fade_out(const Array3& positions, const std::vector<Wrinkle>& wrinkles, const std::vector<PathCurve>& curves,
                const Params& params, PackedWrinkles& packed);

 private:
  struct Segment {
    std::int32_t from;
    std::int32_t to;
  };
  /// Segments that are connected with each other and with no others.
  struct Line {
    std::size_t first;
    std::size_t end;
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
  /// A segment in the frame.
  struct Placed {
    Vector3 from;
    Vector3 to;
    Box box;
  };
  /// The curve of a path's segment.
  struct Piece {
    Box box;
    Vector3 from;
    Vector3 to;
    double reach;  ///< of the curve beyond its chord
    std::int32_t triangle;
    double farthest;               ///< of its samples from the border, as far as that is known; the radius at first
    std::int32_t samples = kNone;  ///< its place among them, once the border may be within the radius
  };
  /// Points along a piece's curve, and how near the border comes to them: squared distances.
  struct Samples {
    std::array<Vector3, kCurveSamples + 1> points;
    std::array<double, kCurveSamples + 1> at_points;
    std::array<double, kCurveSamples> between;  ///< of the straight line from each to the next
  };
  struct Path {
    Box box;
    std::size_t first;  ///< of its pieces
    std::size_t end;
  };
  struct Corner {
    std::uint64_t measured = 0;  ///< stamp of the line
    bool near = false;
  };
  /// Bounds what the curves of the wrinkles cross, one box a segment and one a path.
  void box_curves(const std::vector<Wrinkle>& wrinkles, const std::vector<PathCurve>& curves, double radius);
  /// Places the segments of a line; returns a box around them.
  Box place(const Line& line, const Array3& positions);
  /// Whether the placed line comes within `radius` of a vertex.
  bool near_vertex(std::int32_t vertex, const Array3& positions, double radius);
  /// Whether it comes within `radius` of a triangle.
  bool near_triangle(std::int32_t triangle, const Array3& positions, double radius);
  /// Stamps the triangles that the placed line comes within `radius` of, walking outward from it.
  void find_near(const Line& line, const Array3& positions, double radius);
  /// Lets the distances of a path's pieces in these triangles be no larger than to the placed line.
  void bring_near(const Path& path, const PathCurve& curve, double radius);
  /// Lets those of a piece be no larger than to a segment.
  void bring_near(Piece& piece, const BezierCurve& curve, const Placed& segment, double radius);
  /// Lets heights and widths fall towards what is covered, as towards a border.
  void sink_under(const std::vector<Wrinkle>& wrinkles, double range, double flat, PackedWrinkles& packed) const;
  /// Smallest distances to the border for the knots of one path, (2k−1,), `most` where they are larger.
  void measure_knots(const Path& path, double most);

  std::shared_ptr<const Mesh> mesh_;
  std::vector<Segment> segments_;  ///< line by line
  std::vector<Line> lines_;
  std::vector<Placed> placed_;     ///< of the line at hand
  std::vector<Placed> alongside_;  ///< of these, what is near the path at hand
  std::size_t nearest_ = 0;        ///< of the placed segments, to the vertex measured last
  std::vector<Piece> pieces_;
  std::vector<Path> paths_;
  std::vector<Samples> samples_;
  std::vector<std::uint64_t> near_;     ///< per triangle: stamp of the line that it was last found near to
  std::vector<std::uint64_t> visited_;  ///< per triangle: of the one whose walk saw it last
  std::vector<std::uint64_t> passed_;   ///< per vertex: of the one whose walk passed it last
  std::vector<Corner> corners_;         ///< per vertex
  std::uint64_t stamp_ = 0;             ///< of the line at hand, another one in each frame
  std::vector<std::int32_t> queue_;
  std::vector<double> distances_;
  std::vector<double> from_covered_;  ///< (n,) of the vertices, along edges of the rest; empty: nothing is covered
};

}  // namespace pucker
