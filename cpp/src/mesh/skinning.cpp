#include "pucker/mesh/skinning.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "pucker/errors.h"

namespace pucker {
namespace {

/// The volume of a node's axes, as a share of that of axes as long that are perpendicular, above which they are
/// inverted.
constexpr double kFlat = 1e-9;

using Placement = Eigen::Matrix<double, 3, 4, Eigen::RowMajor>;

Eigen::Affine3d placement(std::span<const double> matrices, std::size_t k) {
  Eigen::Affine3d out;
  out.affine() = Eigen::Map<const Placement>(matrices.data() + kMatrixSize * k);
  return out;
}

void put(const Eigen::Affine3d& from, std::vector<double>& matrices, std::size_t k) {
  Eigen::Map<Placement>(matrices.data() + kMatrixSize * k) = from.affine();
}

Eigen::Matrix3d turn_by(const Vector3& degrees) {
  const Vector3 angles = degrees * (std::numbers::pi / 180);
  return (Eigen::AngleAxisd(angles.x(), Vector3::UnitX()) * Eigen::AngleAxisd(angles.y(), Vector3::UnitY()) *
          Eigen::AngleAxisd(angles.z(), Vector3::UnitZ()))
      .toRotationMatrix();
}

bool has_volume(const Eigen::Affine3d& node) {
  return std::abs(node.linear().determinant()) > kFlat * node.linear().colwise().norm().prod();
}

}  // namespace

void require_parents(std::span<const std::int32_t> parents) {
  for (std::size_t k = 0; k < parents.size(); ++k)
    require(parents[k] >= kNone && parents[k] < std::int32_t(k),
            "a node of a skeleton must come after its parent, but that of node ", k, " is ", parents[k]);
}

void require_skin(const SkinArrays& skin, std::int64_t vertices, std::size_t node_count) {
  const std::size_t joints = skin.nodes.size();
  require(skin.inverse_binds.size() == kMatrixSize * joints, "a skin of ", joints, " joints needs ",
          kMatrixSize * joints, " numbers of inverse binds, got ", skin.inverse_binds.size());
  require(std::int64_t(skin.first.size()) == vertices + 1 && skin.first.front() == 0 &&
              std::is_sorted(skin.first.begin(), skin.first.end()) &&
              std::size_t(skin.first.back()) == skin.joint.size() && skin.joint.size() == skin.weight.size(),
          "a skin's influences must be those of ", vertices, " vertices one after the other, got ", skin.joint.size(),
          " joints, ", skin.weight.size(), " weights and ", skin.first.size(), " places");
  for (const std::int32_t joint : skin.joint)
    require(joint >= 0 && std::size_t(joint) < joints, "a skin's joints must be in [0, ", joints, "), got ", joint);
  for (const std::int32_t node : skin.nodes)
    require(node >= 0 && std::size_t(node) < node_count, "a skin's nodes must be in [0, ", node_count, "), got ", node);
}

std::vector<double> turned(std::span<const std::int32_t> parents, std::span<const double> matrices,
                           const ConstArray3& angles) {
  const std::size_t nodes = parents.size();
  require(matrices.size() == kMatrixSize * nodes && std::size_t(angles.rows()) == nodes, "a skeleton of ", nodes,
          " nodes needs ", kMatrixSize * nodes, " numbers of matrices and ", nodes, " rows of angles, got ",
          matrices.size(), " and ", angles.rows());
  require(angles.allFinite(), "angles of joints must be finite");
  require_parents(parents);
  std::vector<double> out(matrices.begin(), matrices.end());
  // Where each node has gone from where it was, in the world.
  std::vector<Eigen::Affine3d> moves(nodes, Eigen::Affine3d::Identity());
  std::vector<bool> moved(nodes, false);
  for (std::size_t k = 0; k < nodes; ++k) {
    if (parents[k] != kNone) {
      moves[k] = moves[std::size_t(parents[k])];
      moved[k] = moved[std::size_t(parents[k])];
    }
    const Vector3 by = angles.row(Eigen::Index(k));
    const Eigen::Affine3d was = placement(matrices, k);
    if (!by.isZero(0)) {
      require(has_volume(was), "node ", k, " cannot be turned, as it is scaled to nothing along an axis");
      moves[k] = moves[k] * was * Eigen::Affine3d(turn_by(by)) * was.inverse();
      moved[k] = true;
    }
    if (moved[k]) put(moves[k] * was, out, k);
  }
  return out;
}

Array3 skinned(const SkinArrays& skin, const ConstArray3& rest, std::span<const double> matrices) {
  require_skin(skin, rest.rows(), matrices.size() / kMatrixSize);
  std::vector<Eigen::Affine3d> both(skin.nodes.size());
  for (std::size_t j = 0; j < both.size(); ++j)
    both[j] = placement(matrices, std::size_t(skin.nodes[j])) * placement(skin.inverse_binds, j);
  Array3 out = Array3::Zero(rest.rows(), 3);
  for (Eigen::Index v = 0; v < rest.rows(); ++v) {
    const Vector3 point = rest.row(v);
    for (auto k = std::size_t(skin.first[std::size_t(v)]); k < std::size_t(skin.first[std::size_t(v) + 1]); ++k)
      out.row(v) += (skin.weight[k] * (both[std::size_t(skin.joint[k])] * point)).transpose();
  }
  return out;
}

}  // namespace pucker
