#include "pucker/byexample/vertex_frames.h"

#include <algorithm>
#include <utility>

#include "pucker/mesh/frames.h"

namespace pucker::byexample {

namespace {
/// Share of an edge's length below which its part across the normal has no direction of its own.
constexpr double kNoDirection = 1e-6;
}  // namespace

VertexFrames::VertexFrames(std::shared_ptr<const Mesh> mesh)
    : mesh_(std::move(mesh)), normals_of_(*mesh_), frames_(std::size_t(mesh_->vertex_count()), RowMatrix3::Zero()) {
  neighbours_.reserve(frames_.size());
  for (std::int32_t v = 0; v < mesh_->vertex_count(); ++v) {
    const auto ring = mesh_->ring(v);
    neighbours_.push_back(ring.empty() ? kNone : mesh_->faces()(ring[0], (mesh_->corner(ring[0], v) + 1) % 3));
  }
  normals_ = Array3::Zero(mesh_->vertex_count(), 3);
}

const std::vector<RowMatrix3>& VertexFrames::step(const ConstArray3& positions) {
  require_positions(*mesh_, positions);
  normals_of_.step(positions, normals_);
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

template <class Scalar>
void VertexFrames::add(const Rows3<Scalar>& places, const ConstArray3& local, Array3& out) const {
  const auto count = Eigen::Index(frames_.size());
  require(places.rows() == count && local.rows() == count && out.rows() == count,
          "places, what is added and what it is added to must have ", count, " rows, not ", places.rows(), ", ",
          local.rows(), " and ", out.rows());
  // Many at once, so that roots and quotients of one vertex need not be waited for.
  constexpr Eigen::Index kBlock = 16;
  using Block = Eigen::Array<Scalar, kBlock, 3>;
  using Column = Eigen::Array<Scalar, kBlock, 1>;
  constexpr auto kLeast = Scalar(kNoDirection * kNoDirection);
  Block edge = Block::Zero(), normal = Block::Zero(), added = Block::Zero();
  for (Eigen::Index begin = 0; begin < count; begin += kBlock) {
    const Eigen::Index size = std::min(kBlock, count - begin);
    for (Eigen::Index k = 0; k < size; ++k) {
      const auto v = std::int32_t(begin + k);
      const std::int32_t neighbour = neighbours_[std::size_t(v)];
      const Scalar* const from = places.data() + 3 * v;
      const Scalar* const to = neighbour == kNone ? from : places.data() + 3 * neighbour;
      const auto area = normals_of_.twice_area(places.data(), 3, v);
      for (int axis = 0; axis < 3; ++axis) {
        normal(k, axis) = area[std::size_t(axis)];
        edge(k, axis) = to[axis] - from[axis];
        added(k, axis) = Scalar(local(v, axis));
      }
    }
    const auto dot = [](const Block& a, const Block& b) -> Column {
      return a.col(0) * b.col(0) + a.col(1) * b.col(1) + a.col(2) * b.col(2);
    };
    const Column per_area = dot(normal, normal).sqrt().inverse();
    for (int axis = 0; axis < 3; ++axis) normal.col(axis) *= per_area;
    const Column share = dot(edge, normal);
    const Column whole = dot(edge, edge);
    for (int axis = 0; axis < 3; ++axis) edge.col(axis) -= share * normal.col(axis);
    const Column squared = dot(edge, edge);
    // A comparison with what is not a number is false: there is no frame either.
    const Column there = (squared > kLeast * whole).template cast<Scalar>();
    const Column per_length = squared.sqrt().inverse();
    for (int axis = 0; axis < 3; ++axis) edge.col(axis) *= per_length;
    for (int axis = 0; axis < 3; ++axis) {
      const int next = (axis + 1) % 3;
      const int last = (axis + 2) % 3;
      const Column aside = normal.col(next) * edge.col(last) - normal.col(last) * edge.col(next);
      const Column shift = added.col(0) * edge.col(axis) + added.col(1) * aside + added.col(2) * normal.col(axis);
      for (Eigen::Index k = 0; k < size; ++k) out(begin + k, axis) += there[k] > 0 ? double(shift[k]) : 0;
    }
  }
}

template void VertexFrames::add(const Rows3<double>&, const ConstArray3&, Array3&) const;
template void VertexFrames::add(const Rows3<float>&, const ConstArray3&, Array3&) const;

}  // namespace pucker::byexample
