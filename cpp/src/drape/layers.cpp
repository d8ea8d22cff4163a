#include "pucker/drape/layers.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>

#include "pucker/errors.h"
#include "pucker/mesh/cover.h"
#include "pucker/mesh/frames.h"
#include "pucker/mesh/triangle_tree.h"
#include "pucker/threads.h"

namespace pucker::drape {

namespace {

/// Covered vertices that a thread takes at a time.
constexpr std::size_t kTakenTogether = 256;

/// Share of the clearance over which it begins that a vertex is taken along.
constexpr double kSoft = 0.1;

/// Triangles that are passed on the way to a place at most, so that the way ends on any mesh.
constexpr int kMostPassed = 64;

/// Barycentric coordinates of the foot of `point` in the plane of a triangle; none is negative if it has no area.
Vector3 foot_on_plane(const Vector3& point, const std::array<Vector3, 3>& corners) {
  const auto& [a, b, c] = corners;
  const Vector3 normal = (b - a).cross(c - a);
  const double square = normal.squaredNorm();
  if (!(square > 0)) return Vector3::Zero();
  const double at_a = (c - b).cross(point - b).dot(normal) / square;
  const double at_b = (a - c).cross(point - c).dot(normal) / square;
  return {at_a, at_b, 1 - at_a - at_b};
}

/// Marks the vertices at which three sheets of the garment or more are sewn together.
void mark_seams(const Mesh& mesh, std::vector<std::uint8_t>& marked) {
  std::vector<std::uint8_t> sheets(std::size_t(mesh.edge_count()), 0);
  for (const std::int32_t edge : mesh.triangle_edges().reshaped()) {
    if (edge == kNone) continue;
    std::uint8_t& count = sheets[std::size_t(edge)];
    count = std::min<std::uint8_t>(count + 1, 3);
    if (count < 3) continue;
    for (const std::int32_t vertex : mesh.edges().row(edge)) marked[std::size_t(vertex)] = 1;
  }
}

/// Adds, with less of a share the farther they are, vertices beside those that are covered.
void fade_out(const Mesh& mesh, const Array3& places, const std::vector<double>& wavelengths,
              const std::vector<std::uint8_t>& stays, std::vector<Covered>& covered) {
  using Reached = std::tuple<double, std::int32_t, std::size_t>;  // distance, vertex, which of `covered` it is beside
  std::priority_queue<Reached, std::vector<Reached>, std::greater<>> queue;
  std::vector<std::uint8_t> done = stays;
  for (std::size_t k = 0; k < covered.size(); ++k)
    if (!covered[k].other_side) queue.emplace(0, covered[k].vertex, k);
  while (!queue.empty()) {
    const auto [distance, vertex, from] = queue.top();
    queue.pop();
    if (distance > 0) {
      if (std::exchange(done[std::size_t(vertex)], 1) != 0) continue;
      Covered beside = covered[from];
      beside.vertex = vertex;
      beside.share = 1 - distance / (wavelengths[std::size_t(vertex)] / 2);
      covered.push_back(beside);
    }
    for (const std::int32_t t : mesh.ring(vertex))
      for (const std::int32_t next : mesh.faces().row(t)) {
        const double there = distance + (places.row(next) - places.row(vertex)).norm();
        if (done[std::size_t(next)] == 0 && there > 0 && there < wavelengths[std::size_t(next)] / 2)
          queue.emplace(there, next, from);
      }
  }
}

}  // namespace

Layers::Layers(const Levels& levels, const ConstArray3& cut, const Lengths& lengths,
               std::span<const std::uint8_t> pinned, double clearance)
    : mesh_(levels.whole().fine()), clearance_(clearance) {
  const Mesh& mesh = *mesh_;
  require_positions(*levels.coarse(), cut);
  const auto count = std::size_t(mesh.vertex_count());
  require(lengths.wavelengths.size() == count, "wavelengths must be of ", count, " vertices, got ",
          lengths.wavelengths.size());
  require(pinned.empty() || pinned.size() == count, "pinned must have ", count, " entries, got ", pinned.size());
  require(std::isfinite(clearance) && clearance >= 0, "clearance must be finite and at least 0, got ", clearance);
  beneath_.assign(count, 0);
  Array3 places;
  levels.place(cut, places);

  // What stays where it is: what is pinned, what covers, and what is covered already.
  std::vector<std::uint8_t> stays(pinned.begin(), pinned.end());
  stays.resize(count, 0);
  for (const Cover& each : covers(mesh, places, pinned)) {
    for (const std::int32_t corner : mesh.faces().row(each.triangle)) {
      double& kept_free = beneath_[std::size_t(corner)];
      kept_free = std::max(kept_free, each.other_side ? each.distance : std::min(each.distance, clearance));
      stays[std::size_t(corner)] = 1;
    }
    stays[std::size_t(each.vertex)] = 1;
    covered_.push_back({.vertex = each.vertex,
                        .over = {.triangle = each.triangle, .shares = each.shares},
                        .share = 1,
                        .other_side = each.other_side});
  }
  // A seam would take along what covers, which is sewn to it as well.
  mark_seams(mesh, stays);
  fade_out(mesh, places, lengths.wavelengths, stays, covered_);
  find_across();
}

void Layers::find_across() {
  // What is moved itself does not cover: the order in which vertices are moved would be seen.
  std::vector<std::uint8_t> moves(std::size_t(mesh_->vertex_count()), 0);
  for (const Covered& each : covered_) moves[std::size_t(each.vertex)] = 1;
  across_ = mesh_->triangle_neighbours();
  for (std::int32_t& next : across_.reshaped()) {
    if (next == kNone) continue;
    const auto corners = mesh_->faces().row(next);
    if (std::any_of(corners.begin(), corners.end(),
                    [&](std::int32_t corner) { return moves[std::size_t(corner)] != 0; }))
      next = kNone;
  }
}

Place Layers::over(const Covered& covered, const Array3& guide) const {
  if (covered.other_side) return covered.over;
  const Vector3 point = guide.row(covered.vertex);
  Place out{.triangle = covered.over.triangle};
  std::int32_t before = kNone;
  for (int passed = 0;; ++passed) {
    std::array<Vector3, 3> corners;
    for (int k = 0; k < 3; ++k) corners[std::size_t(k)] = guide.row(mesh_->faces()(out.triangle, k));
    out.shares = foot_on_plane(point, corners);
    // Across the edge that it is farthest beyond.
    std::int32_t next = kNone;
    double least = 0;
    for (int k = 0; k < 3; ++k) {
      const std::int32_t there = across_(out.triangle, (k + 1) % 3);
      if (there == kNone || !(out.shares[k] < least)) continue;
      least = out.shares[k];
      next = there;
    }
    // Over an edge that is bent away from the point, it is beyond the edge in both triangles.
    if (next == kNone || next == before || passed == kMostPassed) {
      out.shares = nearest_on_triangle(point, corners[0], corners[1], corners[2]);
      return out;
    }
    before = out.triangle;
    out.triangle = next;
  }
}

void Layers::keep(const Array3& guide, const Array3& normals, Array3& x, std::span<std::uint8_t> stayed) const {
  std::ranges::fill(stayed, std::uint8_t{1});
  parallel_blocks(covered_.size(), kTakenTogether, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const Covered& each = covered_[k];
      const Place place = over(each, guide);
      const auto there = [&](const Array3& of) -> Vector3 {
        Vector3 out = Vector3::Zero();
        for (int c = 0; c < 3; ++c) out += place.shares[c] * of.row(mesh_->faces()(place.triangle, c)).transpose();
        return out;
      };
      const Vector3 in_guide = there(guide) - guide.row(each.vertex).transpose();
      const Vector3 moved = there(x) - x.row(each.vertex).transpose() - in_guide;
      double taken = 1;
      if (!each.other_side) {
        const Vector3 normal = there(normals).stableNormalized();
        const double kept = in_guide.dot(normal);
        const double up = moved.dot(normal);
        const double nearer = kSteepest * (moved - up * normal).norm() - up;
        const double missing = std::min(kept, clearance_) - (kept - nearer);
        if (!(missing > 0)) continue;
        // Where the guide is nearer than the clearance, it would be all or nothing.
        taken = std::min(1.0, missing / std::max(nearer, kSoft * clearance_));
      }
      x.row(each.vertex) += each.share * taken * moved.transpose();
      if (!stayed.empty()) stayed[std::size_t(each.vertex)] = 0;
    }
  });
}

}  // namespace pucker::drape
