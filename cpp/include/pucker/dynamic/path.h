/// What is done with a whole path: its segments, its ends, whether it crosses another, one step of smoothing.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pucker/dynamic/field.h"
#include "pucker/dynamic/path_index.h"
#include "pucker/dynamic/wrinkle.h"

namespace pucker {

/// How close a path may come to itself after a way of `gap` along it, if other paths are kept at `distance`: at a bend
/// it is always near itself.
double self_distance(double distance, double gap);

/// Describes the ends that lie inside a triangle by the edge their neighbour lies on, so that the whole path slides
/// alike.
void anchor_ends(const Mesh& mesh, Wrinkle& wrinkle);

/// The same path run through the other way.
void reverse_path(Wrinkle& wrinkle);

/// Calls `visit(i, segment)` for each segment of the path.
template <class Visitor>
void visit_segments(const CompressionField& field, const Wrinkle& wrinkle, Visitor&& visit) {
  double length = 0;
  for (std::size_t i = 0; i + 1 < wrinkle.size(); ++i) {
    const std::int32_t triangle = wrinkle.triangles[i];
    const PathSegment segment =
        make_segment(field.frames, triangle, barycentric(field.mesh, wrinkle.points[i], triangle),
                     barycentric(field.mesh, wrinkle.points[i + 1], triangle), wrinkle.id, length);
    length += segment.length();
    visit(i, segment);
  }
}

/// Enters all segments of the wrinkle in the index.
void insert_path(const CompressionField& field, const Wrinkle& wrinkle, SegmentIndex& index);

/// Whether the path crosses an indexed segment of another wrinkle.
bool crosses_another(const CompressionField& field, const Wrinkle& wrinkle, const SegmentIndex& index);
/// Whether the path crosses itself.
bool crosses_itself(const CompressionField& field, const Wrinkle& wrinkle);
/// Either.
bool crosses_any(const CompressionField& field, const Wrinkle& wrinkle, const SegmentIndex& index);

/// One tangential Laplacian step: every inner point moves half way to where the straight line between its neighbours
/// crosses its edge, the two triangles laid flat; all from the old points. It stays on its edge.
void smooth_path(const Mesh& mesh, const LocalFrames& frames, Wrinkle& wrinkle);

}  // namespace pucker
