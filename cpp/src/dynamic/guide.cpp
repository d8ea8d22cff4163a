#include "pucker/dynamic/guide.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "blocks.h"
#include "pucker/errors.h"
#include "pucker/threads.h"

namespace pucker {

namespace {

/// Cosine beyond which two normals count as opposite: no rotation between them is the smallest.
constexpr double kOpposite = -0.999;
/// In place of the turn of a corner where there is none.
constexpr Rotation kLeftOut{0, 0};

std::size_t corner(std::int32_t triangle, int k) { return 3 * std::size_t(triangle) + std::size_t(k); }

/// Twice the area of a triangle along its normal.
Eigen::RowVector3d twice_area(const Index3& faces, const ConstArray3& positions, Eigen::Index t) {
  const Eigen::RowVector3d origin = positions.row(faces(t, 0));
  const Eigen::RowVector3d first = positions.row(faces(t, 1)) - origin;
  const Eigen::RowVector3d second = positions.row(faces(t, 2)) - origin;
  return first.cross(second);
}

/// The angle at which a triangle's x axis lies in a vertex's tangent plane when the smallest rotation has taken the
/// triangle's normal to the vertex's; rows of `vertex` are two axes of its tangent plane and its normal. kLeftOut where
/// the normals are opposite or all of `vertex` is zero.
Rotation carried(const TriangleFrame& triangle, const Eigen::Matrix3d& vertex) {
  const Vector3 x = vertex * triangle.x;
  const Vector3 normal = vertex * triangle.normal;
  if (normal.z() < kOpposite) return kLeftOut;
  // For a vector x of the triangle's plane, Rodrigues' formula becomes x − (n·x) (m + n) / (1 + m·n).
  const double share = x.z() / (1 + normal.z());
  return {x.x() - share * normal.x(), x.y() - share * normal.y()};
}

/// Two axes of the plane across a unit normal and that itself, as rows; 0 for none.
Eigen::Matrix3d axes_round(const Vector3& normal) {
  Eigen::Matrix3d axes = Eigen::Matrix3d::Zero();
  if (normal.isZero(0)) return axes;
  const Vector3 axis = normal.unitOrthogonal();
  axes << axis.transpose(), normal.cross(axis).transpose(), normal.transpose();
  return axes;
}

/// Gives the triangle other directions; the rotation from the reference triangle to the current one stays.
void turn(const Rotation& left, std::size_t t, Stretch& stretch) {
  stretch.right[t] = stretch.right[t] * stretch.left[t].inverse() * left;
  stretch.left[t] = left;
}

}  // namespace

Guide::Guide(std::shared_ptr<const Mesh> mesh, const Params& params) : mesh_(std::move(mesh)), params_(params.guide) {
  params.validate();
  if (params.verbatim) params_ = {.rounds = 0, .narrowing = 0};
}

void Guide::find_corners() {
  const Index3& faces = mesh_->faces();
  require(std::size_t(faces.size()) <= std::numeric_limits<std::uint32_t>::max(), "at most ",
          std::numeric_limits<std::uint32_t>::max() / 3, " triangles can be smoothed over, got ", faces.rows());
  first_corner_.assign(std::size_t(mesh_->vertex_count()) + 1, 0);
  for (const std::int32_t v : faces.reshaped()) ++first_corner_[std::size_t(v) + 1];
  std::partial_sum(first_corner_.begin(), first_corner_.end(), first_corner_.begin());
  corners_.resize(std::size_t(faces.size()));
  std::vector<std::uint32_t> next(first_corner_.begin(), first_corner_.end() - 1);
  for (std::int32_t t = 0; t < mesh_->triangle_count(); ++t)
    for (int k = 0; k < 3; ++k) corners_[next[std::size_t(faces(t, k))]++] = std::uint32_t(corner(t, k));
}

void Guide::measure(const Matrix2List& reference, const ConstArray3& positions, const LocalFrames& frames,
                    Stretch& out) {
  const auto count = std::size_t(mesh_->triangle_count());
  require(reference.size() == count && frames.matrices.size() == count,
          "reference and frames must hold the mesh's triangles: ", count, ", got ", reference.size(), " and ",
          frames.matrices.size());
  require(positions.rows() == mesh_->vertex_count(), "positions must have a row for each of ", mesh_->vertex_count(),
          " vertices, got ", positions.rows());
  stretch(reference, frames.matrices, out);
  for (std::int32_t round = 0; round < params_.rounds; ++round) smooth(positions, frames, round == 0, out);
  if (!(params_.narrowing > 0)) return;
  parallel_blocks(count, kTrianglesTaken, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t)
      if (out.maximum[t] > 1) out.minimum[t] *= std::pow(out.maximum[t], -params_.narrowing);
  });
}

Eigen::Matrix3d Guide::axes_at(std::size_t v) {
  Eigen::RowVector3d sum = Eigen::RowVector3d::Zero();
  for (std::size_t c = first_corner_[v]; c < first_corner_[v + 1]; ++c)
    sum += areas_.row(Eigen::Index(corners_[c] / 3));
  const auto row = Eigen::Index(v);
  normals_.row(row) = sum;
  const double length = normals_.row(row).norm();
  if (length > 0) normals_.row(row) /= length;
  return axes_round(normals_.row(row).transpose());
}

void Guide::sum_up_at(std::size_t v, const LocalFrames& frames, bool first) {
  const Eigen::Matrix3d axes = first ? axes_at(v) : Eigen::Matrix3d();
  Tensor sum;
  double weight = 0;
  for (std::size_t c = first_corner_[v]; c < first_corner_[v + 1]; ++c) {
    const std::size_t t = corners_[c] / 3;
    Rotation turn = turns_[corners_[c]];
    if (first) {
      turn = carried(frames.frames[t], axes);
      turns_[corners_[c]] = turn = turn * turn;
    }
    const double area = frames.area(t);
    if (!(area > 0) || turn == kLeftOut) continue;
    sum.add(area, own_[t].turned(turn));
    weight += area;
  }
  sums_[v] = sum;
  weights_[v] = weight;
}

void Guide::take_mean(std::size_t t, Stretch& stretch) const {
  Tensor mean;
  for (int k = 0; k < 3; ++k) {
    const Rotation& turn = turns_[corner(std::int32_t(t), k)];
    const auto v = std::size_t(mesh_->faces()(Eigen::Index(t), k));
    if (turn == kLeftOut)
      mean.add(1.0 / 3, own_[t]);
    else
      mean.add(1 / (3 * weights_[v]), sums_[v].turned(turn.inverse()));
  }
  const double half = std::sqrt(mean.along * mean.along + mean.across * mean.across);
  stretch.minimum[t] = std::max(mean.mean - half, 0.0);
  stretch.maximum[t] = mean.mean + half;
  if (half > 0) turn(half_turn({mean.along / half, mean.across / half}), t, stretch);
}

void Guide::measure_turns(const ConstArray3& positions, const LocalFrames& frames) {
  vertex_normals(*mesh_, positions, normals_);
  axes_.resize(std::size_t(normals_.rows()));
  for (Eigen::Index v = 0; v < normals_.rows(); ++v) axes_[std::size_t(v)] = axes_round(normals_.row(v).transpose());
  for (std::size_t c = 0; c < turns_.size(); ++c) {
    const Rotation turn = carried(frames.frames[c / 3], axes_[std::size_t(mesh_->faces().data()[c])]);
    turns_[c] = turn * turn;
  }
}

void Guide::sum_up(const LocalFrames& frames, const Stretch& stretch) {
  sums_.assign(std::size_t(mesh_->vertex_count()), Tensor{});
  weights_.assign(sums_.size(), 0);
  for (std::size_t t = 0; t < own_.size(); ++t) {
    const double area = frames.area(t);
    if (!(area > 0)) continue;
    own_[t] = Tensor::of(stretch, t);
    for (int k = 0; k < 3; ++k) {
      const Rotation& turn = turns_[corner(std::int32_t(t), k)];
      if (turn == kLeftOut) continue;
      const auto v = std::size_t(mesh_->faces()(Eigen::Index(t), k));
      sums_[v].add(area, own_[t].turned(turn));
      weights_[v] += area;
    }
  }
}

void Guide::sum_up_shared(const ConstArray3& positions, const LocalFrames& frames, bool first, const Stretch& stretch) {
  const Index3& faces = mesh_->faces();
  if (corners_.empty()) find_corners();
  areas_.resize(faces.rows(), 3);
  normals_.resize(positions.rows(), 3);
  sums_.resize(std::size_t(positions.rows()));
  weights_.resize(sums_.size());
  parallel_blocks(own_.size(), kTrianglesTaken, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) own_[t] = Tensor::of(stretch, t);
    for (auto t = Eigen::Index(begin); first && t < Eigen::Index(end); ++t)
      areas_.row(t) = twice_area(faces, positions, t);
  });
  parallel_blocks(sums_.size(), kTrianglesTaken, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) sum_up_at(v, frames, first);
  });
}

void Guide::smooth(const ConstArray3& positions, const LocalFrames& frames, bool first, Stretch& stretch) {
  own_.resize(std::size_t(mesh_->triangle_count()));
  turns_.resize(3 * own_.size());
  if (threads_for(own_.size() / kTrianglesTaken) > 1) {
    sum_up_shared(positions, frames, first, stretch);
  } else {
    if (first) measure_turns(positions, frames);
    sum_up(frames, stretch);
  }
  parallel_blocks(own_.size(), kTrianglesTaken, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t)
      if (frames.area(t) > 0) take_mean(t, stretch);
  });
}

}  // namespace pucker
