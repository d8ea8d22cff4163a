#include "pucker/drape/height.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "pucker/errors.h"
#include "pucker/mesh/normals.h"
#include "pucker/threads.h"

namespace pucker::drape {

namespace {

/// Cosines up to which nothing is added, and from which on all: of 60° and 26°.
constexpr double kNothing = 0.5;
constexpr double kAll = 0.9;

}  // namespace

Height::Height(std::shared_ptr<const Mesh> mesh, double gain, std::span<const std::uint8_t> pinned)
    : mesh_(std::move(mesh)), gain_(gain), pinned_(pinned.begin(), pinned.end()) {
  require(pinned_.size() == std::size_t(mesh_->vertex_count()), "pinned must have ", mesh_->vertex_count(),
          " entries, got ", pinned_.size());
  require(std::isfinite(gain) && gain >= 0, "gain must be finite and at least 0, got ", gain);
}

void Height::raise(const Array3& guide, const Array3& normals, const Array3& x, Array3& out) {
  if (gain_ == 1) {
    out = x;
    return;
  }
  out.resize(x.rows(), 3);
  parallel_blocks(pinned_.size(), kTaken, [&](std::size_t begin, std::size_t end) {
    for (auto v = Eigen::Index(begin); v < Eigen::Index(end); ++v) {
      const auto normal = normals.row(v);
      out.row(v) = x.row(v) + (gain_ - 1) * (x.row(v) - guide.row(v)).dot(normal) * normal;
    }
  });
  if (gain_ < 1) return;

  const Index3& faces = mesh_->faces();
  shares_.resize(std::size_t(faces.rows()));
  parallel_blocks(shares_.size(), kTaken, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      const Eigen::RowVector3d before = twice_area(faces, x, Eigen::Index(t));
      const Eigen::RowVector3d after = twice_area(faces, out, Eigen::Index(t));
      // Without an area it has no side that it could keep.
      const double areas = before.norm() * after.norm();
      const double cosine = areas > 0 ? before.dot(after) / areas : 0;
      shares_[t] = float(std::clamp((cosine - kNothing) / (kAll - kNothing), 0.0, 1.0));
    }
  });
  added_.resize(pinned_.size());
  parallel_blocks(pinned_.size(), kTaken, [&](std::size_t begin, std::size_t end) {
    for (auto v = std::int32_t(begin); v < std::int32_t(end); ++v) {
      float share = pinned_[std::size_t(v)] != 0 ? 0 : 1;
      for (const std::int32_t t : mesh_->ring(v)) share = std::min(share, shares_[std::size_t(t)]);
      const Eigen::RowVector3f added = share * (out.row(v) - x.row(v)).cast<float>();
      added_[std::size_t(v)] = Four{added[0], added[1], added[2], 0};
    }
  });
  parallel_blocks(pinned_.size(), kTaken, [&](std::size_t begin, std::size_t end) {
    for (auto v = std::int32_t(begin); v < std::int32_t(end); ++v) {
      out.row(v) = x.row(v);
      const std::span<const std::int32_t> ring = mesh_->ring(v);
      if (pinned_[std::size_t(v)] != 0 || ring.empty()) continue;
      Four sum = {};
      for (const std::int32_t t : ring)
        for (int k = 0; k < 3; ++k) sum += added_[std::size_t(faces(t, k))];
      for (int axis = 0; axis < 3; ++axis) out(v, axis) += double(sum[std::size_t(axis)]) / double(3 * ring.size());
    }
  });
}

}  // namespace pucker::drape
