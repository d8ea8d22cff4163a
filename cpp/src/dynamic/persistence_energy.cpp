// The energy that places a path, and its minimiser (Gillette 2015, equation 5.2).
#include <algorithm>
#include <array>
#include <cmath>

#include "persistence_terms.h"
#include "pucker/dynamic/persistence.h"
#include "pucker/errors.h"

namespace pucker {

namespace {

bool near_vertex(const PathPoint& p, std::int32_t vertex, double fraction) {
  return p.on_edge() && ((p.v0 == vertex && p.t > 1 - fraction) || (p.v1 == vertex && p.t < fraction));
}

/// How far a point moves when t grows by 1.
Vector3 slide(const PathPoint& p, const Array3& positions) {
  return (1 - p.depth) * (positions.row(p.v0) - positions.row(p.v1)).transpose();
}

}  // namespace

void solve_banded(std::size_t bandwidth, std::vector<double>& bands, std::vector<double>& x) {
  const std::size_t n = x.size();
  const std::size_t width = bandwidth + 1;
  // LDLᵀ, the entries of L taking the places of those of the matrix.
  for (std::size_t i = 0; i < n; ++i) {
    double* row = &bands[i * width];
    const std::size_t reach = std::min(bandwidth, n - 1 - i);
    for (std::size_t j = 1; j <= reach; ++j) {
      const double factor = row[j] / row[0];
      double* other = &bands[(i + j) * width];
      for (std::size_t k = j; k <= reach; ++k) other[k - j] -= factor * row[k];
      x[i + j] -= factor * x[i];
    }
  }
  for (std::size_t i = n; i-- > 0;) {
    const double* row = &bands[i * width];
    const std::size_t reach = std::min(bandwidth, n - 1 - i);
    for (std::size_t j = 1; j <= reach; ++j) x[i] -= row[j] * x[i + j];
    x[i] /= row[0];
  }
}

void PathMotion::take(const Motion& motion, const Wrinkle& wrinkle) {
  now.resize(wrinkle.size());
  then.resize(wrinkle.size());
  for (std::size_t i = 0; i < wrinkle.size(); ++i) {
    now[i] = position(wrinkle.points[i], motion.field.positions);
    then[i] = position(wrinkle.points[i], motion.previous_positions);
  }
  turns.resize(wrinkle.triangles.size());
  for (std::size_t i = 0; i < turns.size(); ++i) turns[i] = turn_in_plane(motion, wrinkle.triangles[i]);
}

double Persistence::alignment_weight(const Motion& motion, std::int32_t triangle) const {
  const PersistenceParams& p = params_.persistence;
  const std::size_t t = std::size_t(triangle);
  if (!motion.field.has_direction(triangle, params_.tracing.isotropy)) return 0;
  if (params_.verbatim) return p.alpha;
  const double minimum = motion.stretch.minimum[t];
  if (minimum < kDegenerate || !std::isfinite(motion.stretch.maximum[t])) return 0;
  const double a = std::fabs(1 / minimum - 1);
  const double b = std::fabs(motion.stretch.maximum[t] - 1);
  const double square = params_.label.norm == Norm::one ? (a + b) * (a + b) : a * a + b * b;
  return p.alpha * -std::expm1(-square / (2 * p.motion_sigma * p.motion_sigma)) * (motion.dt / params_.interval);
}

void Persistence::find_groups(const Wrinkle& wrinkle) {
  groups_.clear();
  const double fraction = params_.persistence.vertex_fraction;
  for (std::size_t i = 0; i + 1 < wrinkle.size(); ++i) {
    for (const std::int32_t vertex : {wrinkle.points[i].v0, wrinkle.points[i].v1}) {
      std::size_t last = i;
      while (last < wrinkle.size() && near_vertex(wrinkle.points[last], vertex, fraction)) ++last;
      if (last < i + 2) continue;
      groups_.push_back({i, last - 1, vertex});
      i = last - 1;
      break;
    }
  }
}

void Persistence::select_free_points(const Wrinkle& wrinkle) {
  find_groups(wrinkle);
  free_.clear();
  auto group = groups_.begin();
  for (std::size_t i = 0; i < wrinkle.size(); ++i) {
    if (group != groups_.end() && i > group->last) ++group;
    const bool grouped = group != groups_.end() && i >= group->first;
    if (!grouped || i == (group->first + group->last) / 2) free_.push_back(i);
  }
}

void Persistence::assemble(const Motion& motion, const Wrinkle& wrinkle) {
  const std::size_t n = free_.size();
  bands_.assign(3 * n, 0.0);
  right_side_.assign(n, 0.0);
  const auto entry = [&](std::size_t j, std::size_t k) -> double& { return bands_[3 * j + (k - j)]; };
  for (std::size_t i = 0; i < n; ++i) entry(i, i) = 1;  // the motion term Σ(t_i − t̄_i)²
  const Array3& positions = motion.field.positions;
  const double unit = params_.verbatim ? 1.0 : motion.edge_length;
  if (n < 2 || !(unit > 0)) return;
  const auto index = [&](std::size_t j) { return free_[j]; };
  path_.take(motion, wrinkle);

  for (std::size_t i = 0; i + 1 < n; ++i) {
    const std::int32_t triangle = wrinkle.triangles[free_[i]];
    const double alpha = alignment_weight(motion, triangle);
    if (alpha == 0) continue;
    const Vector3 e = motion.field.a_min_in_space(triangle) / unit;
    const PathPoint& p = wrinkle.points[free_[i]];
    const PathPoint& q = wrinkle.points[free_[i + 1]];
    const double residual = (path_.now[free_[i + 1]] - path_.now[free_[i]]).dot(e);
    const double by_p = -slide(p, positions).dot(e);
    const double by_q = slide(q, positions).dot(e);
    entry(i, i) += alpha * by_p * by_p;
    entry(i + 1, i + 1) += alpha * by_q * by_q;
    entry(i, i + 1) += alpha * by_p * by_q;
    right_side_[i] -= alpha * by_p * residual;
    right_side_[i + 1] -= alpha * by_q * residual;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const Vector3 residual = shape_residual(motion, wrinkle, path_, !params_.verbatim, i, n, index) / unit;
    // The residual moves with two or three of the t: by how much in space, with each.
    std::array<std::size_t, 3> moving{};
    std::array<Vector3, 3> by;
    std::size_t count = 0;
    visit_laplacian(i, n, [&](std::size_t j, double weight) {
      moving[count] = j;
      by[count++] = weight / unit * slide(wrinkle.points[free_[j]], positions);
    });
    for (std::size_t a = 0; a < count; ++a) {
      right_side_[moving[a]] -= by[a].dot(residual);
      for (std::size_t b = 0; b < count; ++b)
        if (moving[b] >= moving[a]) entry(moving[a], moving[b]) += by[a].dot(by[b]);
    }
  }
}

void Persistence::solve(const Motion& motion, const Wrinkle& wrinkle, std::vector<double>& t) {
  select_free_points(wrinkle);
  assemble(motion, wrinkle);
  solve_banded(2, bands_, right_side_);
  t.resize(wrinkle.size());
  for (std::size_t i = 0; i < t.size(); ++i) t[i] = wrinkle.points[i].t;
  // Cloth so much larger than its unit of length that rounding has eaten the motion term leaves a singular system.
  if (!std::ranges::all_of(right_side_, [](double step) { return std::isfinite(step); })) return;
  for (std::size_t i = 0; i < free_.size(); ++i) t[free_[i]] += right_side_[i];
}

PathEnergy Persistence::energy(const Motion& motion, const Wrinkle& wrinkle, const std::vector<double>& t) {
  require(t.size() == wrinkle.size(), "t must have one entry a point: ", wrinkle.size(), ", got ", t.size());
  const double unit = params_.verbatim ? 1.0 : motion.edge_length;
  const auto index = [](std::size_t j) { return j; };
  path_.take(motion, wrinkle);
  for (std::size_t i = 0; i < t.size(); ++i) {
    PathPoint moved = wrinkle.points[i];
    moved.t = t[i];
    path_.now[i] = position(moved, motion.field.positions);
  }
  PathEnergy out;
  for (std::size_t i = 0; i < t.size(); ++i) {
    out.motion += (t[i] - wrinkle.points[i].t) * (t[i] - wrinkle.points[i].t);
    out.shape += (shape_residual(motion, wrinkle, path_, !params_.verbatim, i, t.size(), index) / unit).squaredNorm();
    if (i + 1 == t.size()) break;
    const std::int32_t triangle = wrinkle.triangles[i];
    const double along = (path_.now[i + 1] - path_.now[i]).dot(motion.field.a_min_in_space(triangle)) / unit;
    out.alignment += alignment_weight(motion, triangle) * along * along;
  }
  return out;
}

}  // namespace pucker
