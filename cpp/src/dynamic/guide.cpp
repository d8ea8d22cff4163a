#include "pucker/dynamic/guide.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "pucker/errors.h"

namespace pucker {

namespace {

/// Cosine beyond which two normals count as opposite: no rotation between them is the smallest.
constexpr double kOpposite = -0.999;
/// In place of the turn of a corner where there is none.
constexpr Rotation kLeftOut{0, 0};

std::size_t corner(std::int32_t triangle, int k) { return 3 * std::size_t(triangle) + std::size_t(k); }

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

/// Gives the triangle other directions; the rotation from the reference triangle to the current one stays.
void turn(const Rotation& left, std::size_t t, Stretch& stretch) {
  stretch.right[t] = stretch.right[t] * stretch.left[t].inverse() * left;
  stretch.left[t] = left;
}

}  // namespace

Guide::Guide(std::shared_ptr<const Mesh> mesh, const Params& params) : mesh_(std::move(mesh)), params_(params.guide) {
  params.validate();
  if (params.verbatim) params_ = {.sweeps = 0, .hold = params_.hold, .rounds = 0, .narrowing = 0};
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
  if (params_.sweeps > 0) measure_relaxed(reference, positions, frames, out);
  if (params_.rounds > 0) measure_turns(positions, frames);
  for (std::int32_t round = 0; round < params_.rounds; ++round) smooth(frames, out);
  if (params_.narrowing > 0)
    for (std::size_t t = 0; t < count; ++t)
      if (out.maximum[t] > 1) out.minimum[t] *= std::pow(out.maximum[t], -params_.narrowing);
}

const Array3& Guide::relax(const Matrix2List& reference, const ConstArray3& positions) {
  const auto edge_count = std::size_t(mesh_->edge_count());
  const auto vertex_count = std::size_t(mesh_->vertex_count());
  const Index2& edges = mesh_->edges();
  lengths_.assign(edge_count, 0);
  counts_.assign(edge_count, 0);
  for (std::int32_t t = 0; t < mesh_->triangle_count(); ++t) {
    const RowMatrix2& matrix = reference[std::size_t(t)];
    if (mesh_->degenerate(t) || !(matrix.determinant() > 0)) continue;
    for (int k = 0; k < 3; ++k) {
      const auto e = std::size_t(mesh_->triangle_edges()(t, k));
      lengths_[e] += (corner_in_plane(matrix, (k + 1) % 3) - corner_in_plane(matrix, k)).norm();
      ++counts_[e];
    }
  }
  for (std::size_t e = 0; e < edge_count; ++e)
    if (counts_[e] > 0) lengths_[e] /= counts_[e];
  counts_.assign(vertex_count, 0);
  for (std::size_t e = 0; e < edge_count; ++e)
    if (lengths_[e] > 0)
      for (int k = 0; k < 2; ++k) ++counts_[std::size_t(edges(Eigen::Index(e), k))];

  relaxed_ = positions;
  for (std::int32_t sweep = 0; sweep < params_.sweeps; ++sweep) {
    moves_.setZero(positions.rows(), 3);
    for (std::size_t e = 0; e < edge_count; ++e) {
      const std::int32_t a = edges(Eigen::Index(e), 0);
      const std::int32_t b = edges(Eigen::Index(e), 1);
      const Vector3 way = (relaxed_.row(b) - relaxed_.row(a)).transpose();
      const double length = way.norm();
      if (!(lengths_[e] > 0) || !(length > 0)) continue;
      const Vector3 half = (0.5 * (length - lengths_[e]) / length) * way;
      moves_.row(a) += half.transpose();
      moves_.row(b) -= half.transpose();
    }
    for (std::size_t v = 0; v < vertex_count; ++v) {
      const auto row = Eigen::Index(v);
      if (counts_[v] > 0) relaxed_.row(row) += (kOverRelaxation / counts_[v]) * moves_.row(row);
      relaxed_.row(row) += params_.hold * (positions.row(row) - relaxed_.row(row));
    }
  }
  return relaxed_;
}

void Guide::measure_relaxed(const Matrix2List& reference, const ConstArray3& positions, const LocalFrames& frames,
                            Stretch& out) {
  local_frames(*mesh_, relax(reference, positions), relaxed_frames_);
  for (std::size_t t = 0; t < reference.size(); ++t) {
    const RowMatrix2& relaxed = relaxed_frames_.matrices[t];
    if (!(reference[t].determinant() > 0) || !(frames.area(t) > 0) || !(relaxed.determinant() > 0)) continue;
    const SvdFactors factors = svd(deformation_gradient(reference[t], relaxed));
    // Lines of the cloth go with it: a_max of the relaxed triangle, as it lies in the skin's.
    const Vector2 along = (deformation_gradient(relaxed, frames.matrices[t]) * factors.left.first()).normalized();
    out.minimum[t] = factors.minimum;
    out.maximum[t] = factors.maximum;
    turn({along.x(), along.y()}, t, out);
  }
}

void Guide::measure_turns(const ConstArray3& positions, const LocalFrames& frames) {
  vertex_normals(*mesh_, positions, normals_);
  axes_.assign(std::size_t(normals_.rows()), Eigen::Matrix3d::Zero());
  for (Eigen::Index v = 0; v < normals_.rows(); ++v) {
    const Vector3 normal = normals_.row(v).transpose();
    if (normal.isZero(0)) continue;
    const Vector3 axis = normal.unitOrthogonal();
    axes_[std::size_t(v)] << axis.transpose(), normal.cross(axis).transpose(), normal.transpose();
  }
  const Index3& faces = mesh_->faces();
  turns_.resize(std::size_t(faces.size()));
  for (std::int32_t t = 0; t < mesh_->triangle_count(); ++t)
    for (int k = 0; k < 3; ++k) {
      const Rotation turn = carried(frames.frames[std::size_t(t)], axes_[std::size_t(faces(t, k))]);
      turns_[corner(t, k)] = turn * turn;
    }
}

void Guide::smooth(const LocalFrames& frames, Stretch& stretch) {
  const Index3& faces = mesh_->faces();
  sums_.assign(std::size_t(mesh_->vertex_count()), Tensor{});
  weights_.assign(sums_.size(), 0);
  for (std::int32_t t = 0; t < mesh_->triangle_count(); ++t) {
    const double area = frames.area(std::size_t(t));
    if (!(area > 0)) continue;
    const Tensor own = Tensor::of(stretch, std::size_t(t));
    for (int k = 0; k < 3; ++k) {
      const Rotation& turn = turns_[corner(t, k)];
      if (turn == kLeftOut) continue;
      const auto v = std::size_t(faces(t, k));
      sums_[v].add(area, own.turned(turn));
      weights_[v] += area;
    }
  }
  for (std::int32_t t = 0; t < mesh_->triangle_count(); ++t) {
    if (!(frames.area(std::size_t(t)) > 0)) continue;
    const Tensor own = Tensor::of(stretch, std::size_t(t));
    Tensor mean;
    for (int k = 0; k < 3; ++k) {
      const Rotation& turn = turns_[corner(t, k)];
      const auto v = std::size_t(faces(t, k));
      if (turn == kLeftOut)
        mean.add(1.0 / 3, own);
      else
        mean.add(1 / (3 * weights_[v]), sums_[v].turned(turn.inverse()));
    }
    const double half = std::sqrt(mean.along * mean.along + mean.across * mean.across);
    stretch.minimum[std::size_t(t)] = std::max(mean.mean - half, 0.0);
    stretch.maximum[std::size_t(t)] = mean.mean + half;
    if (half > 0) turn(half_turn({mean.along / half, mean.across / half}), std::size_t(t), stretch);
  }
}

}  // namespace pucker
