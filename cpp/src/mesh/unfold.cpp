#include "pucker/mesh/unfold.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pucker {

namespace {

/// The corner of `triangle` that is neither `a` nor `b`.
std::int32_t third_vertex(const Mesh& mesh, std::int32_t triangle, std::int32_t a, std::int32_t b) {
  for (int k = 0; k < 3; ++k) {
    const std::int32_t v = mesh.faces()(triangle, k);
    if (v != a && v != b) return v;
  }
  return kNone;
}

constexpr double kFull = 2 * std::numbers::pi;

}  // namespace

void Umbrella::unfold(const Mesh& mesh, const LocalFrames& frames, std::int32_t vertex, std::int32_t triangle) {
  const Fan fan = mesh.fan_of(vertex, triangle);
  vertex_ = vertex;
  closed_ = fan.closed;
  triangles_.assign(fan.triangles.begin(), fan.triangles.end());

  const auto others = [&](std::int32_t t) {
    const int at = mesh.corner(t, vertex);
    return std::pair(mesh.faces()(t, (at + 1) % 3), mesh.faces()(t, (at + 2) % 3));
  };
  // Spoke 0 is the one that the first triangle does not share with the second.
  auto [first, shared] = others(triangles_[0]);
  if (triangles_.size() > 1) {
    const auto leads_on = [&](std::int32_t to) {
      return mesh.triangle_neighbours()(triangles_[0], mesh.edge_corner(triangles_[0], vertex, to)) == triangles_[1];
    };
    if (!leads_on(shared)) std::swap(first, shared);
  }
  spokes_.assign(1, first);
  lengths_.clear();
  angles_.assign(1, 0.0);
  for (const std::int32_t t : triangles_) {
    const RowMatrix2& matrix = frames.matrices[std::size_t(t)];
    const Vector2 origin = corner_in_plane(matrix, mesh.corner(t, vertex));
    const std::int32_t to = third_vertex(mesh, t, vertex, spokes_.back());
    const Vector2 from_spoke = corner_in_plane(matrix, mesh.corner(t, spokes_.back())) - origin;
    const Vector2 to_spoke = corner_in_plane(matrix, mesh.corner(t, to)) - origin;
    if (lengths_.empty()) lengths_.push_back(from_spoke.norm());
    const double angle = std::atan2(std::fabs(cross(from_spoke, to_spoke)), from_spoke.dot(to_spoke));
    spokes_.push_back(to);
    lengths_.push_back(to_spoke.norm());
    angles_.push_back(angles_.back() + angle);
  }
  const double total = angles_.back();
  if (total > 0 && (closed_ || total > kFull))
    for (double& angle : angles_) angle *= kFull / total;
}

Vector2 Umbrella::tip(std::size_t k) const { return lengths_[k] * Vector2(std::cos(angles_[k]), std::sin(angles_[k])); }

std::optional<std::size_t> Umbrella::spoke_to(std::int32_t vertex) const {
  for (std::size_t k = 0; k < spoke_count(); ++k)
    if (spokes_[k] == vertex) return k;
  return std::nullopt;
}

Sectors Umbrella::beside_spoke(std::size_t k) const {
  if (closed_) return {k == 0 ? size() - 1 : k - 1, k};
  return {k == 0 ? 0 : k - 1, k == size() ? size() - 1 : k};
}

std::optional<std::size_t> Umbrella::index_of(std::int32_t triangle) const {
  const auto found = std::find(triangles_.begin(), triangles_.end(), triangle);
  if (found == triangles_.end()) return std::nullopt;
  return std::size_t(found - triangles_.begin());
}

Vector2 Umbrella::place(const Mesh& mesh, std::size_t k, const Vector3& barycentrics) const {
  const std::int32_t t = triangles_[k];
  return barycentrics[mesh.corner(t, spokes_[k])] * tip(k) + barycentrics[mesh.corner(t, spokes_[k + 1])] * tip(k + 1);
}

std::size_t Umbrella::sector(const Vector2& point) const {
  double angle = std::atan2(point.y(), point.x());
  if (angle < 0) angle += kFull;
  const double total = angles_.back();
  if (angle > total) return angle - total < kFull - angle ? size() - 1 : 0;
  const auto after = std::upper_bound(angles_.begin() + 1, angles_.end() - 1, angle);
  return std::size_t(after - angles_.begin()) - 1;
}

Vector3 Umbrella::barycentrics(const Mesh& mesh, std::size_t k, const Vector2& point) const {
  const Vector2 first = tip(k);
  const Vector2 second = tip(k + 1);
  const double determinant = cross(first, second);
  double a = 1.0 / 3;
  double b = 1.0 / 3;
  if (determinant != 0) {
    a = std::fmax(cross(point, second) / determinant, 0.0);
    b = std::fmax(cross(first, point) / determinant, 0.0);
  }
  const double sum = a + b;
  if (sum > 1) {
    a /= sum;
    b /= sum;
  }
  const std::int32_t t = triangles_[k];
  Vector3 out;
  out[mesh.corner(t, vertex_)] = std::fmax(1 - a - b, 0.0);
  out[mesh.corner(t, spokes_[k])] = a;
  out[mesh.corner(t, spokes_[k + 1])] = b;
  return out;
}

void Umbrella::measure_turning(std::span<const Vector2> outline) {
  turned_.clear();
  for (std::size_t i = 0; i < outline.size(); ++i) {
    const double angle = std::atan2(outline[i].y(), outline[i].x());
    if (closed_) {
      // Each step turns the short way round the vertex.
      turned_.push_back(i == 0 ? angle
                               : turned_.back() +
                                     std::atan2(cross(outline[i - 1], outline[i]), outline[i - 1].dot(outline[i])));
    } else {
      // An open fan has no way round: angles are those of the fan, a point beside it counts as on the nearer border.
      const double positive = angle < 0 ? angle + kFull : angle;
      const double total = angles_.back();
      turned_.push_back(positive <= total ? positive : positive - total < kFull - positive ? total : 0);
    }
  }
}

bool Umbrella::follow(std::span<const Vector2> outline, Sectors from, Sectors to, SpokeCrossings& out) {
  out.crossings.clear();
  measure_turning(outline);
  const double turn = turned_.back() - turned_.front();
  if (!std::isfinite(turn)) return false;
  const bool forward = turn >= 0;
  std::size_t sector = forward ? from.high : from.low;
  out.first_sector = sector;
  if (to.contains(sector)) return true;
  std::size_t segment = 0;
  double angle = turned_.front();
  for (std::size_t steps = 0; steps < size(); ++steps) {
    if (!closed_ && sector == (forward ? size() - 1 : 0)) return false;
    const std::size_t spoke = forward ? (sector + 1) % spoke_count() : sector;
    sector = forward ? (sector + 1) % size() : (sector + size() - 1) % size();
    // The spoke's angle, on the same branch as the outline's.
    const double ahead = std::remainder(angles_[spoke] - angle, kFull);
    angle = closed_ ? angle + (forward ? std::fmax(ahead, 0) : std::fmin(ahead, 0)) : angles_[spoke];
    while (segment + 2 < outline.size() && (forward ? turned_[segment + 1] < angle : turned_[segment + 1] > angle))
      ++segment;
    const Vector2 ray(std::cos(angles_[spoke]), std::sin(angles_[spoke]));
    const Vector2 along = outline[segment + 1] - outline[segment];
    const double determinant = cross(ray, along);
    const double radius = determinant != 0 ? cross(outline[segment], along) / determinant : outline[segment].norm();
    const double share = radius / lengths_[spoke];
    if (!std::isfinite(share)) return false;
    const double along_segment =
        determinant != 0 ? std::clamp(cross(outline[segment], ray) / determinant, 0.0, 1.0) : 0;
    const double reached = out.crossings.empty() ? 0 : out.crossings.back().along;
    out.crossings.push_back({spoke, share, sector, std::max(reached, double(segment) + along_segment)});
    if (to.contains(sector)) return true;
  }
  return false;
}

}  // namespace pucker
