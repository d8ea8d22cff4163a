#include "pucker/byexample/vertex_frames.h"

#include <utility>

#include "pucker/mesh/frames.h"

namespace pucker::byexample {

namespace {
/// Share of an edge's length below which its part across the normal has no direction of its own.
constexpr double kNoDirection = 1e-6;
}  // namespace

VertexFrames::VertexFrames(std::shared_ptr<const Mesh> mesh)
    : mesh_(std::move(mesh)), frames_(std::size_t(mesh_->vertex_count()), RowMatrix3::Zero()) {
  neighbours_.reserve(frames_.size());
  for (std::int32_t v = 0; v < mesh_->vertex_count(); ++v) {
    const auto ring = mesh_->ring(v);
    neighbours_.push_back(ring.empty() ? kNone : mesh_->faces()(ring[0], (mesh_->corner(ring[0], v) + 1) % 3));
  }
  normals_ = Array3::Zero(mesh_->vertex_count(), 3);
}

const std::vector<RowMatrix3>& VertexFrames::step(const ConstArray3& positions) {
  require_positions(*mesh_, positions);
  vertex_normals(*mesh_, positions, normals_);
  missing_ = 0;
  for (std::size_t v = 0; v < frames_.size(); ++v) {
    const auto row = Eigen::Index(v);
    RowMatrix3& frame = frames_[v];
    frame.setZero();
    const Vector3 normal = normals_.row(row).transpose();
    const Vector3 edge = neighbours_[v] == kNone
                             ? Vector3(Vector3::Zero())
                             : Vector3((positions.row(neighbours_[v]) - positions.row(row)).transpose());
    const Vector3 across = edge - edge.dot(normal) * normal;
    const double length = across.norm();
    if (normal.isZero(0) || !(length > kNoDirection * edge.norm())) {
      ++missing_;
      continue;
    }
    frame.col(0) = across / length;
    frame.col(1) = normal.cross(across / length);
    frame.col(2) = normal;
  }
  return frames_;
}

}  // namespace pucker::byexample
