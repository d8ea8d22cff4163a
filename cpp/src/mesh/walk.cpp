#include "pucker/mesh/walk.h"

#include <algorithm>
#include <cmath>

namespace pucker {

namespace {

/// A direction, carried over the edge as if both triangles lay flat.
Vector2 carry_over(const LocalFrames& frames, const SharedEdge& edge, const Vector2& direction) {
  const RowMatrix2& from = frames.matrices[std::size_t(edge.triangle)];
  const RowMatrix2& to = frames.matrices[std::size_t(edge.neighbour)];
  const Vector2 out = corner_in_plane(from, next_corner(edge.corner)) - corner_in_plane(from, edge.corner);
  const Vector2 in = corner_in_plane(to, edge.second) - corner_in_plane(to, edge.first);
  // In both planes along the edge and to the left of it. Where the neighbour's corners run the same way, it is folded
  // over and left becomes right.
  const double along = direction.dot(out);
  const double aside = edge.second == next_corner(edge.first) ? -cross(out, direction) : cross(out, direction);
  return (1 / in.squaredNorm()) * (along * in + aside * quarter_turn(in));
}

/// A point in coordinates of an edge: along it from its corner `start` to `end`, and away from it, to its left if the
/// triangle's corners run that way and else to its right. Both times the edge's length, whose square is `square`.
struct Beside {
  double along, away, square;
};

Beside beside(const RowMatrix2& matrix, int start, int end, const Vector3& barycentrics) {
  // Number by number: vectors of two would go through memory. Laid flat, the corners of a triangle run
  // counter-clockwise, so that it lies to the left of an edge along them.
  const double x[3] = {0, matrix(0, 0), matrix(0, 1)};
  const double y[3] = {0, matrix(1, 0), matrix(1, 1)};
  const double along_x = x[end] - x[start];
  const double along_y = y[end] - y[start];
  const double offset_x = x[1] * barycentrics[1] + x[2] * barycentrics[2] - x[start];
  const double offset_y = y[1] * barycentrics[1] + y[2] * barycentrics[2] - y[start];
  const double left = along_x * offset_y - along_y * offset_x;
  return {along_x * offset_x + along_y * offset_y, end == next_corner(start) ? left : -left,
          along_x * along_x + along_y * along_y};
}

}  // namespace

bool next_crossing(const LocalFrames& frames, const SurfacePoint& point, EdgeCrossing& crossing) {
  if (!(frames.area(std::size_t(point.triangle)) > 0)) return false;
  // Rates of the barycentric coordinates along the direction, all times twice the triangle's area.
  const RowMatrix2& matrix = frames.matrices[std::size_t(point.triangle)];
  const double along_first = point.direction.x() * matrix(1, 1) - matrix(0, 1) * point.direction.y();
  const double along_second = point.direction.y() * matrix(0, 0);
  const double rate[3] = {-along_first - along_second, along_first, along_second};
  const double left[3] = {std::max(point.barycentrics[0], 0.0), std::max(point.barycentrics[1], 0.0),
                          std::max(point.barycentrics[2], 0.0)};
  if (point.entry != kNone && !(rate[(point.entry + 2) % 3] > 0)) return false;
  // Opposite the edge the line leaves by: the least way to it over the rate, compared without a division. By which edge
  // it leaves no processor predicts, hence the comparisons make numbers and no branches.
  const bool falls[3] = {rate[0] < 0, rate[1] < 0, rate[2] < 0};
  const int earlier = falls[1] & (!falls[0] | (left[1] * -rate[0] < left[0] * -rate[1]));
  const int vertex =
      falls[2] & (!(falls[0] | falls[1]) | (left[2] * -rate[earlier] < left[earlier] * -rate[2])) ? 2 : earlier;
  const double time = left[vertex] / -rate[vertex];
  if (!falls[vertex] || !std::isfinite(time)) return false;
  double weights[3];
  for (int k = 0; k < 3; ++k) weights[k] = k == vertex ? 0 : std::max(point.barycentrics[k] + time * rate[k], 0.0);
  const double scale = 1 / (weights[0] + weights[1] + weights[2]);
  crossing = {next_corner(vertex), {scale * weights[0], scale * weights[1], scale * weights[2]}};
  return true;
}

std::optional<EdgeCrossing> next_crossing(const LocalFrames& frames, const SurfacePoint& point) {
  EdgeCrossing crossing;
  return next_crossing(frames, point, crossing) ? std::optional(crossing) : std::nullopt;
}

SharedEdge shared_edge(const Mesh& mesh, std::int32_t triangle, int corner, std::int32_t neighbour) {
  return {triangle, corner, neighbour, mesh.corner(neighbour, mesh.faces()(triangle, corner)),
          mesh.corner(neighbour, mesh.faces()(triangle, next_corner(corner)))};
}

SurfacePoint enter(const LocalFrames& frames, const SurfacePoint& point, const SharedEdge& edge) {
  const double first = point.barycentrics[edge.corner];
  const double second = point.barycentrics[next_corner(edge.corner)];
  const auto weight = [&](int k) { return k == edge.first ? first : k == edge.second ? second : 0.0; };
  return {edge.neighbour,
          {weight(0), weight(1), weight(2)},
          edge.second == next_corner(edge.first) ? edge.first : edge.second,
          carry_over(frames, edge, point.direction)};
}

Vector2 unfold(const Mesh& mesh, const LocalFrames& frames, std::int32_t triangle, int corner, std::int32_t neighbour,
               const Vector2& direction) {
  return carry_over(frames, shared_edge(mesh, triangle, corner, neighbour), direction);
}

std::optional<double> unfolded_meeting(const LocalFrames& frames, const SharedEdge& edge, const Vector3& from,
                                       const Vector3& to) {
  const Beside p = beside(frames.matrices[std::size_t(edge.triangle)], edge.corner, next_corner(edge.corner), from);
  const Beside q = beside(frames.matrices[std::size_t(edge.neighbour)], edge.first, edge.second, to);
  const double height = p.away + q.away;
  if (!(height > 0)) return std::nullopt;
  return (p.along * q.away + q.along * p.away) / (height * p.square);
}

std::optional<double> unfolded_intersection(const Mesh& mesh, const LocalFrames& frames, std::int32_t first,
                                            const Vector3& from, std::int32_t second, const Vector3& to) {
  const int corner = mesh.neighbour_corner(first, second);
  if (corner == kNone) return std::nullopt;
  const std::optional<double> weight = unfolded_meeting(frames, shared_edge(mesh, first, corner, second), from, to);
  if (!weight) return std::nullopt;
  return mesh.faces()(first, corner) < mesh.faces()(first, next_corner(corner)) ? 1 - *weight : *weight;
}

}  // namespace pucker
