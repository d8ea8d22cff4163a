#include "pucker/drape/layers.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <optional>
#include <queue>
#include <tuple>

#include "pucker/errors.h"
#include "pucker/mesh/frames.h"
#include "pucker/mesh/normals.h"
#include "pucker/mesh/triangle_tree.h"
#include "pucker/threads.h"

namespace pucker::drape {

namespace {

/// Covered vertices that a thread takes at a time.
constexpr std::size_t kTakenTogether = 256;

/// Share of the clearance over which it begins that a vertex is taken along.
constexpr double kSoft = 0.1;

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

/// The fine garment in the cut pose.
class Cut {
 public:
  Cut(const Levels& levels, const ConstArray3& cut, double extent)
      : mesh_(*levels.whole().fine()), extent_(extent), directions_(half_space()) {
    levels.place(cut, places_);
    RingNormals(mesh_).step(places_, normals_);
    tree_ = TriangleTree(mesh_.faces(), places_);
  }

  const Array3& places() const { return places_; }

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
      return std::isinf(tree_.first_hit(from, ray.normalized(), 0));
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

/// Of each vertex (N,) what may cover it, the most open one first, of equals the nearest one; nothing of those that are
/// pinned.
std::vector<std::vector<Over>> covers(const Mesh& mesh, const Cut& cut, std::span<const std::uint8_t> pinned) {
  const auto count = std::size_t(mesh.vertex_count());
  std::vector<std::vector<Over>> out(count);
  parallel_blocks(count, kTakenTogether, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v)
      if (pinned.empty() || pinned[v] == 0) out[v] = cut.over(std::int32_t(v));
  });
  std::vector<std::int32_t> asked;
  for (std::size_t v = 0; v < count; ++v) {
    if (!out[v].empty()) asked.push_back(std::int32_t(v));
    for (const Over& each : out[v])
      for (const std::int32_t corner : mesh.faces().row(each.hit.triangle)) asked.push_back(corner);
  }
  std::ranges::sort(asked);
  asked.erase(std::ranges::unique(asked).begin(), asked.end());
  std::vector<double> open(count, 0);
  parallel_blocks(asked.size(), kTakenTogether, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) open[std::size_t(asked[k])] = cut.open_before(asked[k]);
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
    : clearance_(clearance) {
  const Mesh& mesh = *levels.whole().fine();
  require_positions(*levels.coarse(), cut);
  const auto count = std::size_t(mesh.vertex_count());
  require(lengths.wavelengths.size() == count, "wavelengths must be of ", count, " vertices, got ",
          lengths.wavelengths.size());
  require(pinned.empty() || pinned.size() == count, "pinned must have ", count, " entries, got ", pinned.size());
  require(std::isfinite(clearance) && clearance >= 0, "clearance must be finite and at least 0, got ", clearance);
  beneath_.assign(count, 0);
  const Cut in_cut(levels, cut, lengths.extent);
  const std::vector<std::vector<Over>> over = covers(mesh, in_cut, pinned);

  // What stays where it is: what is pinned, what covers, and what is covered already.
  std::vector<std::uint8_t> stays(count, 0);
  if (!pinned.empty()) std::ranges::copy(pinned, stays.begin());
  for (std::size_t v = 0; v < count; ++v) {
    for (const Over& each : over[v]) {
      const auto corners = mesh.faces().row(each.hit.triangle);
      if (std::ranges::any_of(corners, [&](std::int32_t corner) { return !over[std::size_t(corner)].empty(); }))
        continue;
      Covered out{.vertex = std::int32_t(v), .share = 1, .other_side = each.other_side};
      const Vector3 shares = in_cut.shares(out.vertex, each);
      for (std::size_t k = 0; k < 3; ++k) {
        out.corners[k] = corners[Eigen::Index(k)];
        out.shares[k] = shares[Eigen::Index(k)];
        double& beneath = beneath_[std::size_t(out.corners[k])];
        const double distance = each.hit.distance;
        beneath = std::max(beneath, each.other_side ? distance : std::min(distance, clearance));
        stays[std::size_t(out.corners[k])] = 1;
      }
      covered_.push_back(out);
      stays[v] = 1;
      break;
    }
  }
  fade_out(mesh, in_cut.places(), lengths.wavelengths, stays, covered_);
}

void Layers::keep(const Array3& guide, Array3& x) const {
  parallel_blocks(covered_.size(), kTakenTogether, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const Covered& each = covered_[k];
      const auto over = [&](const Array3& of) {
        Eigen::RowVector3d place = Eigen::RowVector3d::Zero();
        for (std::size_t c = 0; c < 3; ++c) place += each.shares[c] * of.row(each.corners[c]);
        return place;
      };
      const Eigen::RowVector3d in_guide = over(guide) - guide.row(each.vertex);
      const Eigen::RowVector3d here = over(x) - x.row(each.vertex);
      double taken = 1;
      if (!each.other_side) {
        const Vector3 a = guide.row(each.corners[0]);
        const Vector3 b = guide.row(each.corners[1]);
        const Vector3 c = guide.row(each.corners[2]);
        const Vector3 normal = (b - a).cross(c - a).stableNormalized();
        const double kept = in_guide.dot(normal);
        const double distance = here.dot(normal);
        const double missing = std::min(kept, clearance_) - distance;
        if (!(missing > 0)) continue;
        // Where the guide is nearer than the clearance, it would be all or nothing.
        taken = std::min(1.0, missing / std::max(kept - distance, kSoft * clearance_));
      }
      x.row(each.vertex) += each.share * taken * (here - in_guide);
    }
  });
}

}  // namespace pucker::drape
