#include "pucker/dynamic/path.h"

#include <algorithm>
#include <optional>

#include "pucker/mesh/walk.h"

namespace pucker {

double self_distance(double distance, double gap) { return std::min(distance, 0.25 * gap); }

void anchor_ends(const Mesh& mesh, Wrinkle& wrinkle) {
  const auto anchor = [&](PathPoint& end, const PathPoint& inner, std::int32_t triangle) {
    if (end.on_edge()) return;
    const Vector3 barycentrics = barycentric(mesh, end, triangle);
    int corner = kNone;
    if (inner.on_edge()) {
      corner = mesh.edge_corner(triangle, inner.v0, inner.v1);
    } else {
      // The whole path lies in this triangle: the edge it is nearest to, in barycentric coordinates.
      int apex = 0;
      barycentrics.minCoeff(&apex);
      corner = (apex + 1) % 3;
    }
    end = inner_point(mesh, triangle, barycentrics, corner);
  };
  anchor(wrinkle.points.front(), wrinkle.points[1], wrinkle.triangles.front());
  anchor(wrinkle.points.back(), wrinkle.points[wrinkle.size() - 2], wrinkle.triangles.back());
}

void reverse_path(Wrinkle& wrinkle) {
  std::reverse(wrinkle.points.begin(), wrinkle.points.end());
  std::reverse(wrinkle.triangles.begin(), wrinkle.triangles.end());
  std::reverse(wrinkle.knot_widths.begin(), wrinkle.knot_widths.end());
  std::reverse(wrinkle.knot_heights.begin(), wrinkle.knot_heights.end());
}

void insert_path(const CompressionField& field, const Wrinkle& wrinkle, SegmentIndex& index) {
  visit_segments(field, wrinkle,
                 [&](std::size_t i, const PathSegment& segment) { index.insert(wrinkle.triangles[i], segment); });
}

bool crosses_another(const CompressionField& field, const Wrinkle& wrinkle, const SegmentIndex& index) {
  if (index.empty()) return false;
  bool crossed = false;
  visit_segments(field, wrinkle, [&](std::size_t i, const PathSegment& segment) {
    index.visit(wrinkle.triangles[i], [&](const PathSegment& other) {
      crossed = crossed || (other.wrinkle != wrinkle.id && crossing(segment, other));
    });
  });
  return crossed;
}

bool crosses_itself(const CompressionField& field, const Wrinkle& wrinkle) {
  bool crossed = false;
  visit_segments(field, wrinkle, [&](std::size_t i, const PathSegment& segment) {
    for (std::size_t j = 0; j + 1 < i && !crossed; ++j)
      if (wrinkle.triangles[j] == wrinkle.triangles[i])
        crossed = crossing(segment, make_segment(field.frames, wrinkle.triangles[j],
                                                 barycentric(field.mesh, wrinkle.points[j], wrinkle.triangles[j]),
                                                 barycentric(field.mesh, wrinkle.points[j + 1], wrinkle.triangles[j]),
                                                 wrinkle.id, 0))
                      .has_value();
  });
  return crossed;
}

bool crosses_any(const CompressionField& field, const Wrinkle& wrinkle, const SegmentIndex& index) {
  return crosses_another(field, wrinkle, index) || crosses_itself(field, wrinkle);
}

void smooth_path(const Mesh& mesh, const LocalFrames& frames, Wrinkle& wrinkle) {
  Vector3 from = barycentric(mesh, wrinkle.points[0], wrinkle.triangles[0]);
  for (std::size_t i = 1; i + 1 < wrinkle.size(); ++i) {
    PathPoint& point = wrinkle.points[i];
    const std::int32_t first = wrinkle.triangles[i - 1];
    const std::int32_t second = wrinkle.triangles[i];
    // The corners at v0 and v1, then in the order of the first triangle.
    const int of_v0 = mesh.corner(first, point.v0);
    const int of_v1 = mesh.corner(first, point.v1);
    const int there_of_v0 = mesh.corner(second, point.v0);
    const int there_of_v1 = mesh.corner(second, point.v1);
    const bool forward = of_v1 == next_corner(of_v0);
    const SharedEdge edge{first, forward ? of_v0 : of_v1, second, forward ? there_of_v0 : there_of_v1,
                          forward ? there_of_v1 : there_of_v0};
    const Vector3 before = from;
    from = Vector3::Zero();
    from[there_of_v0] = point.t;
    from[there_of_v1] = 1 - point.t;
    if (mesh.neighbour_corner(first, second) == kNone) continue;
    const Vector3 to = barycentric(mesh, wrinkle.points[i + 1], second);
    if (const std::optional<double> weight = unfolded_meeting(frames, edge, before, to)) {
      const double straight = forward ? 1 - *weight : *weight;
      point.t = off_the_vertices(0.5 * (point.t + straight));
    }
  }
}

}  // namespace pucker
