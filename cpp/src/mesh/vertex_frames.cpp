#include "pucker/mesh/vertex_frames.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "pucker/mesh/frames.h"
#include "pucker/mesh/turn.h"
#include "pucker/threads.h"

namespace pucker {

namespace {

/// Share of an edge's length below which its part across the normal has no direction of its own.
constexpr double kNoDirection = 1e-6;

}  // namespace

std::vector<std::int32_t> frame_neighbours(const Mesh& mesh) {
  std::vector<std::int32_t> out;
  out.reserve(std::size_t(mesh.vertex_count()));
  for (std::int32_t v = 0; v < mesh.vertex_count(); ++v) {
    const auto ring = mesh.ring(v);
    out.push_back(ring.empty() ? kNone : mesh.faces()(ring[0], (mesh.corner(ring[0], v) + 1) % 3));
  }
  return out;
}

RowMatrix3 vertex_frame(const Vector3& normal, const Vector3& edge) {
  RowMatrix3 frame = RowMatrix3::Zero();
  const Vector3 across = edge - edge.dot(normal) * normal;
  const double length = across.norm();
  if (normal.isZero(0) || !(length > kNoDirection * edge.norm())) return frame;
  frame.col(0) = across / length;
  frame.col(1) = normal.cross(across / length);
  frame.col(2) = normal;
  return frame;
}

VertexFrames::VertexFrames(std::shared_ptr<const Mesh> mesh)
    : mesh_(std::move(mesh)),
      normals_of_(*mesh_),
      neighbours_(frame_neighbours(*mesh_)),
      frames_(neighbours_.size(), RowMatrix3::Zero()) {
  normals_ = Array3::Zero(mesh_->vertex_count(), 3);
}

const std::vector<RowMatrix3>& VertexFrames::step(const ConstArray3& positions) {
  require_positions(*mesh_, positions);
  normals_of_.step(positions, normals_);
  constexpr std::size_t taken = 1024;
  std::atomic<std::int64_t> missing = 0;
  parallel_blocks(frames_.size(), taken, [&](std::size_t begin, std::size_t end) {
    std::int64_t without = 0;
    for (std::size_t v = begin; v < end; ++v) {
      const auto row = Eigen::Index(v);
      const Vector3 normal = normals_.row(row).transpose();
      const Vector3 edge = neighbours_[v] == kNone
                               ? Vector3(Vector3::Zero())
                               : Vector3((positions.row(neighbours_[v]) - positions.row(row)).transpose());
      frames_[v] = vertex_frame(normal, edge);
      // With one, its last column is a unit normal.
      without += frames_[v].isZero(0) ? 1 : 0;
    }
    missing += without;
  });
  missing_ = missing;
  return frames_;
}

template <class Scalar>
void VertexFrames::add(const Rows3<Scalar>& places, const ConstArray3& local, const ConstArray3& base,
                       Eigen::Index begin, Eigen::Index end, Array3& out) const {
  const auto count = Eigen::Index(frames_.size());
  require(places.rows() == count && local.rows() == count && base.rows() == count && out.rows() == count,
          "places, what is added, what it is added to and the result must have ", count, " rows, not ", places.rows(),
          ", ", local.rows(), ", ", base.rows(), " and ", out.rows());
  require(0 <= begin && begin <= end && end <= count, "rows must be of [0, ", count, "], not ", begin, " to ", end);
  constexpr auto kLeast = Scalar(kNoDirection * kNoDirection);
  Vectors<Scalar> edge{};
  Vectors<Scalar> normal{};
  Vectors<Scalar> added{};
  for (; begin < end; begin += Eigen::Index(kTurned)) {
    const std::size_t size = std::min(kTurned, std::size_t(end - begin));
    for (std::size_t k = 0; k < size; ++k) {
      const auto v = std::int32_t(begin) + std::int32_t(k);
      const std::int32_t neighbour = neighbours_[std::size_t(v)];
      const Scalar* const from = places.data() + 3 * v;
      const Scalar* const to = neighbour == kNone ? from : places.data() + 3 * neighbour;
      const auto area = normals_of_.twice_area(places.data(), 3, v);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        normal[axis][k] = area[axis];
        edge[axis][k] = to[axis] - from[axis];
        added[axis][k] = Scalar(local(v, Eigen::Index(axis)));
      }
    }
    turn(edge, normal, kLeast, added);
    for (std::size_t k = 0; k < size; ++k)
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto v = begin + Eigen::Index(k);
        out(v, Eigen::Index(axis)) = base(v, Eigen::Index(axis)) + double(added[axis][k]);
      }
  }
}

template void VertexFrames::add(const Rows3<double>&, const ConstArray3&, const ConstArray3&, Eigen::Index,
                                Eigen::Index, Array3&) const;
template void VertexFrames::add(const Rows3<float>&, const ConstArray3&, const ConstArray3&, Eigen::Index, Eigen::Index,
                                Array3&) const;

}  // namespace pucker
