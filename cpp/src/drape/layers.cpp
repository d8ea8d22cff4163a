#include "pucker/drape/layers.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>

#include "pucker/errors.h"
#include "pucker/mesh/cover.h"
#include "pucker/mesh/frames.h"
#include "pucker/threads.h"

namespace pucker::drape {

namespace {

/// Covered vertices that a thread takes at a time.
constexpr std::size_t kTakenTogether = 256;

/// Share of the clearance over which it begins that a vertex is taken along.
constexpr double kSoft = 0.1;

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
    : clearance_(clearance) {
  const Mesh& mesh = *levels.whole().fine();
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
    Covered out{.vertex = each.vertex, .share = 1, .other_side = each.other_side};
    for (std::size_t k = 0; k < 3; ++k) {
      out.corners[k] = mesh.faces()(each.triangle, Eigen::Index(k));
      out.shares[k] = each.shares[Eigen::Index(k)];
      const auto corner = std::size_t(out.corners[k]);
      beneath_[corner] =
          std::max(beneath_[corner], each.other_side ? each.distance : std::min(each.distance, clearance));
      stays[corner] = 1;
    }
    stays[std::size_t(each.vertex)] = 1;
    covered_.push_back(out);
  }
  // A seam would take along what covers, which is sewn to it as well.
  mark_seams(mesh, stays);
  fade_out(mesh, places, lengths.wavelengths, stays, covered_);
}

void Layers::keep(const Array3& guide, Array3& x, std::span<std::uint8_t> stayed) const {
  std::ranges::fill(stayed, std::uint8_t{1});
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
      if (!stayed.empty()) stayed[std::size_t(each.vertex)] = 0;
    }
  });
}

}  // namespace pucker::drape
