#include "pucker/mesh/cover.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>

#include "pucker/errors.h"
#include "pucker/mesh/frames.h"
#include "pucker/mesh/normals.h"
#include "pucker/mesh/triangle_tree.h"
#include "pucker/threads.h"

namespace pucker {

namespace {

/// Vertices that a thread takes at a time.
constexpr std::size_t kPointsTaken = 256;

/// Directions that are spread evenly over the half of space above the third axis, weighted by their cosine to it.
std::vector<Vector3> half_space() {
  constexpr int count = 32;
  std::vector<Vector3> out;
  for (int k = 0; k < count; ++k) {
    const double square = (k + 0.5) / count;
    const double turn = k * std::numbers::pi * (3 - std::sqrt(5.0));
    out.emplace_back(std::sqrt(square) * std::cos(turn), std::sqrt(square) * std::sin(turn), std::sqrt(1 - square));
  }
  return out;
}

/// A triangle over a vertex, or behind it.
struct Over {
  RayHit hit;
  bool other_side = false;
  double open = 0;  ///< the least that one of its corners has
};

/// A garment in one pose.
class Garment {
 public:
  Garment(const Mesh& mesh, const ConstArray3& places)
      : mesh_(mesh),
        extent_((places.colwise().maxCoeff() - places.colwise().minCoeff()).maxCoeff()),
        directions_(half_space()),
        places_(places),
        tree_(mesh.faces(), places) {
    RingNormals(mesh_).step(places_, normals_);
  }

  /// All triangles that face away from a vertex and lie over it, or back to back with it.
  std::vector<Over> over(std::int32_t v) const {
    std::vector<Over> out;
    const Vector3 normal = normals_.row(v);
    if (normal.isZero(0)) return out;
    std::vector<RayHit> hits;
    for (const bool other_side : {false, true}) {
      const double within = (other_side ? kThickest : kCovering) * extent_;
      tree_.hits(places_.row(v).transpose(), other_side ? Vector3(-normal) : normal, 0, within, hits);
      for (const RayHit& hit : hits)
        if (hit.cosine >= kParallel && mesh_.corner(hit.triangle, v) == kNone)
          out.push_back({.hit = hit, .other_side = other_side});
    }
    return out;
  }

  /// Barycentric coordinates of the place straight over a vertex.
  Vector3 shares(std::int32_t v, const Over& over) const {
    const Vector3 ray = (over.other_side ? -1 : 1) * normals_.row(v).transpose();
    const auto corner = [&](int k) -> Vector3 { return places_.row(mesh_.faces()(over.hit.triangle, k)); };
    return nearest_on_triangle(places_.row(v).transpose() + over.hit.distance * ray, corner(0), corner(1), corner(2));
  }

  /// Share of what is in front of a vertex, by the cosine, that the garment leaves open.
  double open_before(std::int32_t v) const {
    const Vector3 normal = normals_.row(v);
    if (normal.isZero(0)) return 0;
    const Vector3 across = normal.unitOrthogonal();
    const Vector3 along = normal.cross(across);
    // So that a ray does not meet the triangles that it starts on.
    constexpr double off = 1e-4;
    const Vector3 from = places_.row(v).transpose() + off * extent_ * normal;
    const auto open = std::ranges::count_if(directions_, [&](const Vector3& each) {
      const Vector3 ray = each[0] * across + each[1] * along + each[2] * normal;
      return !tree_.meets_any(from, ray.normalized(), 0);
    });
    return double(open) / double(directions_.size());
  }

 private:
  /// Least cosine between the normals of what lies on each other.
  static constexpr double kParallel = 0.5;

  const Mesh& mesh_;
  double extent_;
  std::vector<Vector3> directions_;
  Array3 places_, normals_;
  TriangleTree tree_;
};

/// Of each vertex (n,) what may cover it, the most open one first, of equals the nearest one; nothing of those that are
/// left out.
std::vector<std::vector<Over>> all_over(const Mesh& mesh, const Garment& garment,
                                        std::span<const std::uint8_t> left_out) {
  const auto count = std::size_t(mesh.vertex_count());
  std::vector<std::vector<Over>> out(count);
  parallel_blocks(count, kPointsTaken, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v)
      if (left_out.empty() || left_out[v] == 0) out[v] = garment.over(std::int32_t(v));
  });
  std::vector<std::int32_t> asked;
  for (std::size_t v = 0; v < count; ++v) {
    if (!out[v].empty()) asked.push_back(std::int32_t(v));
    for (const Over& each : out[v])
      for (const std::int32_t corner : mesh.faces().row(each.hit.triangle)) asked.push_back(corner);
  }
  std::ranges::sort(asked);
  asked.erase(std::unique(asked.begin(), asked.end()), asked.end());
  std::vector<double> open(count, 0);
  parallel_blocks(asked.size(), kPointsTaken, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) open[std::size_t(asked[k])] = garment.open_before(asked[k]);
  });
  for (std::size_t v = 0; v < count; ++v) {
    for (Over& each : out[v]) {
      each.open = 1;
      for (const std::int32_t corner : mesh.faces().row(each.hit.triangle))
        each.open = std::min(each.open, open[std::size_t(corner)]);
    }
    std::erase_if(out[v], [&](const Over& each) {
      return open[v] > kHidden || each.open <= (each.other_side ? kHidden : open[v]);
    });
    std::ranges::stable_sort(out[v], [](const Over& a, const Over& b) {
      return std::tuple(-a.open, a.hit.distance) < std::tuple(-b.open, b.hit.distance);
    });
  }
  return out;
}

}  // namespace

std::vector<Cover> covers(const Mesh& mesh, const ConstArray3& positions, std::span<const std::uint8_t> left_out) {
  require_positions(mesh, positions);
  const auto count = std::size_t(mesh.vertex_count());
  require(left_out.empty() || left_out.size() == count, "left_out must have ", count, " entries, got ",
          left_out.size());
  std::vector<Cover> out;
  if (mesh.triangle_count() == 0) return out;
  const Garment garment(mesh, positions);
  const std::vector<std::vector<Over>> over = all_over(mesh, garment, left_out);
  for (std::size_t v = 0; v < count; ++v) {
    // What may be covered itself does not cover.
    const auto found = std::find_if(over[v].begin(), over[v].end(), [&](const Over& each) {
      return std::ranges::all_of(mesh.faces().row(each.hit.triangle),
                                 [&](std::int32_t corner) { return over[std::size_t(corner)].empty(); });
    });
    if (found == over[v].end()) continue;
    const auto vertex = std::int32_t(v);
    out.push_back({.vertex = vertex,
                   .triangle = found->hit.triangle,
                   .shares = garment.shares(vertex, *found),
                   .distance = found->hit.distance,
                   .other_side = found->other_side});
  }
  return out;
}

}  // namespace pucker
