// The second solution of persistence: points move in space and are carried back onto the mesh by a walk (Gillette 2015,
// section 5.2.2).
#include <algorithm>
#include <cmath>
#include <limits>

#include "persistence_terms.h"
#include "pucker/dynamic/persistence.h"

namespace pucker {

namespace {

/// Triangles a walk may enter between two points; a greedy walk over folded cloth need not arrive.
constexpr int kMostSteps = 256;

/// The wall that divides space between a triangle and its neighbour: it holds their edge and the mean of their normals,
/// so both triangles see the same wall and a walk crosses it at one place, whichever side it comes from.
struct Wall {
  Vector3 origin;
  Vector3 edge;
  Vector3 outward;  ///< orthogonal to edge and mean normal, away from the triangle
};

Wall wall_of(const CompressionField& field, std::int32_t triangle, int corner) {
  const Mesh& mesh = field.mesh;
  const auto vertex = [&](int k) -> Vector3 { return field.positions.row(mesh.faces()(triangle, k % 3)).transpose(); };
  const Vector3& own = field.frames.frames[std::size_t(triangle)].normal;
  const std::int32_t neighbour = mesh.triangle_neighbours()(triangle, corner);
  Vector3 mean = own;
  if (neighbour != kNone) {
    const Vector3& other = field.frames.frames[std::size_t(neighbour)].normal;
    // Neighbours may be wound the other way round: what counts is the side of the surface, not the sign.
    const int at =
        mesh.edge_corner(neighbour, mesh.faces()(triangle, corner), mesh.faces()(triangle, (corner + 1) % 3));
    const bool same_winding = mesh.faces()(neighbour, at) != mesh.faces()(triangle, corner);
    mean += same_winding ? other : Vector3(-other);
    if (mean.squaredNorm() < 1e-18) mean = own;  // folded flat onto each other
  }
  Wall wall{vertex(corner), vertex(corner + 1) - vertex(corner), Vector3::Zero()};
  wall.outward = wall.edge.cross(mean);
  if (wall.outward.dot(vertex(corner + 2) - wall.origin) > 0) wall.outward = -wall.outward;
  return wall;
}

/// Weights of the point of `triangle` nearest to the foot of `point` in its plane.
Vector3 barycentrics_of(const CompressionField& field, std::int32_t triangle, const Vector3& point) {
  const RowMatrix2& matrix = field.frames.matrices[std::size_t(triangle)];
  const Vector3 origin = field.positions.row(field.mesh.faces()(triangle, 0)).transpose();
  const Vector2 flat = field.frames.frames[std::size_t(triangle)].to_plane(point - origin);
  const double second = flat.y() / matrix(1, 1);
  const double first = (flat.x() - matrix(0, 1) * second) / matrix(0, 0);
  const Vector3 barycentrics = Vector3(1 - first - second, first, second).cwiseMax(0.0);
  return barycentrics / barycentrics.sum();
}

}  // namespace

void Persistence::solve_in_space(const Motion& motion, const Wrinkle& wrinkle, std::vector<Vector3>& points) {
  const std::size_t n = wrinkle.size();
  constexpr std::size_t bandwidth = 8;  // three coordinates of points two apart
  constexpr std::size_t width = bandwidth + 1;
  bands_.assign(3 * n * width, 0.0);
  right_side_.assign(3 * n, 0.0);
  points.resize(n);
  for (std::size_t i = 0; i < n; ++i) points[i] = position(wrinkle.points[i], motion.field.positions);
  const double unit = params_.verbatim ? 1.0 : motion.edge_length;
  if (!(unit > 0)) return;
  const auto index = [](std::size_t j) { return j; };
  path_.take(motion, wrinkle);
  const auto add = [&](std::size_t j, std::size_t k, int a, int b, double value) {
    const std::size_t row = 3 * j + std::size_t(a);
    const std::size_t column = 3 * k + std::size_t(b);
    if (column >= row) bands_[row * width + (column - row)] += value;
  };

  for (std::size_t i = 0; i < n; ++i) {
    for (int a = 0; a < 3; ++a) add(i, i, a, a, 1);
    if (params_.verbatim)
      for (int a = 0; a < 3; ++a)
        right_side_[3 * i + std::size_t(a)] -=
            (points[i] - position(wrinkle.points[i], motion.previous_positions))[a] / unit;
    const Vector3 residual = shape_residual(motion, wrinkle, path_, !params_.verbatim, i, n, index) / unit;
    visit_laplacian(i, n, [&](std::size_t j, double weight_j) {
      for (int a = 0; a < 3; ++a) right_side_[3 * j + std::size_t(a)] -= weight_j * residual[a];
      visit_laplacian(i, n, [&](std::size_t k, double weight_k) {
        for (int a = 0; a < 3; ++a) add(j, k, a, a, weight_j * weight_k);
      });
    });
    if (i + 1 == n) break;
    const double alpha = alignment_weight(motion, wrinkle.triangles[i]);
    if (alpha == 0) continue;
    const Vector3 e = motion.field.a_min_in_space(wrinkle.triangles[i]);
    const double along = (points[i + 1] - points[i]).dot(e) / unit;
    for (int a = 0; a < 3; ++a) {
      right_side_[3 * i + std::size_t(a)] += alpha * along * e[a];
      right_side_[3 * (i + 1) + std::size_t(a)] -= alpha * along * e[a];
      for (int b = 0; b < 3; ++b) {
        add(i, i, a, b, alpha * e[a] * e[b]);
        add(i + 1, i + 1, a, b, alpha * e[a] * e[b]);
        add(i, i + 1, a, b, -alpha * e[a] * e[b]);
      }
    }
  }
  solve_banded(bandwidth, bands_, right_side_);
  // Terms beyond what numbers hold say nothing of where points go: they stay.
  if (!std::ranges::all_of(right_side_, [](double step) { return std::isfinite(step); })) {
    std::ranges::fill(right_side_, 0.0);
    return;
  }
  for (std::size_t i = 0; i < n; ++i)
    for (int a = 0; a < 3; ++a) points[i][a] += unit * right_side_[3 * i + std::size_t(a)];
}

bool Persistence::walk_along(const Motion& motion, const Wrinkle& wrinkle) {
  const CompressionField& field = motion.field;
  std::int32_t triangle = wrinkle.triangles.front();
  Vector3 from = position(wrinkle.points.front(), field.positions);
  route_.clear();
  Vector3 barycentrics = Vector3::Zero();
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    const Vector3& to = targets_[i];
    const double source_from = arc_lengths_[i > 0 ? i - 1 : 0];
    double done = 0;  // share of the way from `from` to `to`
    int entry = kNone;
    for (int step = 0;; ++step) {
      if (step == kMostSteps || !(field.frames.area(std::size_t(triangle)) > 0)) return false;
      int exit = kNone;
      double least = 1;
      for (int k = 0; k < 3; ++k) {
        if (k == entry) continue;
        const Wall wall = wall_of(field, triangle, k);
        const double behind = (from - wall.origin).dot(wall.outward);
        const double beyond = (to - wall.origin).dot(wall.outward);
        if (!(beyond > 0)) continue;
        const double share = std::clamp(behind / (behind - beyond), done, 1.0);
        if (share < least || exit == kNone) {
          least = share;
          exit = k;
        }
      }
      // A target beyond the cloth's border is followed as far as the border goes.
      if (exit == kNone || mesh_->triangle_neighbours()(triangle, exit) == kNone) break;
      done = least;
      const Wall wall = wall_of(field, triangle, exit);
      const Vector3 hit = from + done * (to - from);
      const double t = 1 - (hit - wall.origin).dot(wall.edge) / wall.edge.squaredNorm();
      const PathPoint crossing = edge_point(*mesh_, triangle, exit, t);
      triangle = mesh_->triangle_neighbours()(triangle, exit);
      entry = mesh_->edge_corner(triangle, crossing.v0, crossing.v1);
      if (i > 0) route_.append(crossing, source_from + done * (arc_lengths_[i] - source_from), triangle);
    }
    barycentrics = barycentrics_of(field, triangle, to);
    if (!barycentrics.allFinite()) return false;
    if (i == 0) route_.append(inner_point(*mesh_, triangle, barycentrics, 0), 0, triangle);
    from = field.at(triangle, barycentrics);
  }
  route_.append(inner_point(*mesh_, triangle, barycentrics, 0), arc_lengths_.back(), kNone);
  return true;
}

void Persistence::move_in_space(const Motion& motion, Wrinkle& wrinkle) {
  solve_in_space(motion, wrinkle, targets_);
  if (std::all_of(right_side_.begin(), right_side_.end(), [](double x) { return x == 0; })) return;
  arc_lengths(wrinkle, motion.previous_positions, arc_lengths_);
  if (walk_along(motion, wrinkle)) take_route(wrinkle);
}

}  // namespace pucker
