#include "pucker/io/skin.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "pucker/errors.h"
#include "pucker/mesh/skinning.h"

namespace pucker::io {
namespace {

void check_finite(std::span<const double> numbers, const char* what) {
  for (const double number : numbers)
    require(std::isfinite(number), "a skin's ", what, " must be finite, got ", number);
}

}  // namespace

void check_skeleton(const Skeleton& skeleton, std::int64_t frames) {
  const std::size_t nodes = skeleton.nodes.size();
  require(skeleton.parents.size() == nodes && skeleton.matrices.size() == kMatrixSize * nodes * std::size_t(frames),
          "a skeleton of ", nodes, " nodes and ", frames, " frames needs ", nodes, " parents and ",
          kMatrixSize * nodes * std::size_t(frames), " numbers of matrices, got ", skeleton.parents.size(), " and ",
          skeleton.matrices.size());
  require_parents(skeleton.parents);
  for (const double number : skeleton.matrices)
    require(std::isfinite(number), "a skeleton's matrices must be finite, got ", number);
}

void check_skin(const Skin& skin, const Skeleton& skeleton, std::int64_t vertices, std::int64_t frames) {
  const std::size_t joints = skin.joints.size();
  require(skin.nodes.size() == joints, "a skin of ", joints, " joints needs a node each, got ", skin.nodes.size());
  require_skin({.first = skin.first,
                .joint = skin.joint,
                .weight = skin.weight,
                .nodes = skin.nodes,
                .inverse_binds = skin.inverse_binds},
               vertices, skeleton.nodes.size());
  require(skin.matrices.size() == kMatrixSize * joints * std::size_t(frames), "a skin of ", joints, " joints and ",
          frames, " frames needs ", kMatrixSize * joints * std::size_t(frames), " numbers of matrices, got ",
          skin.matrices.size());
  check_finite(skin.inverse_binds, "inverse binds");
  check_finite(skin.matrices, "matrices");
  check_finite(skin.weight, "weights");
}

CutSkin cut(const Skin& skin, int most) {
  require(most >= 1, "a skin can be cut to 1 influence a vertex or more, not ", most);
  const std::size_t vertices = skin.first.size() - 1;
  const std::size_t width = std::size_t(most);
  CutSkin result{.most = most, .joint = {}, .weight = {}, .lost = {}};
  result.joint.assign(vertices * width, 0);
  result.weight.assign(vertices * width, 0.0);
  std::vector<std::int32_t> order;
  for (std::size_t vertex = 0; vertex < vertices; ++vertex) {
    order.resize(std::size_t(skin.first[vertex + 1] - skin.first[vertex]));
    std::iota(order.begin(), order.end(), skin.first[vertex]);
    std::ranges::stable_sort(order, std::ranges::greater(),
                             [&](std::int32_t k) { return skin.weight[std::size_t(k)]; });
    double lost = 0.0;
    for (std::size_t k = width; k < order.size(); ++k) lost += skin.weight[std::size_t(order[k])];
    double kept = 0.0;
    for (std::size_t k = 0; k < std::min(width, order.size()); ++k) kept += skin.weight[std::size_t(order[k])];
    for (std::size_t k = 0; k < std::min(width, order.size()); ++k) {
      result.joint[vertex * width + k] = skin.joint[std::size_t(order[k])];
      result.weight[vertex * width + k] = skin.weight[std::size_t(order[k])] / kept;
    }
    result.lost.push_back(lost);
    result.vertices_cut += lost > 0.0;
  }
  return result;
}

Bones bones_of(const Skin& skin) {
  CutSkin cut_skin = cut(skin, Bones::kMost);
  Bones out{.joints = std::move(cut_skin.joint),
            .weights = std::move(cut_skin.weight),
            .matrices = {},
            .joint_count = std::int64_t(skin.joints.size()),
            .vertices_cut = cut_skin.vertices_cut,
            .most_lost = cut_skin.lost.empty() ? 0.0 : *std::ranges::max_element(cut_skin.lost)};
  using Placement = Eigen::Matrix<double, 3, 4, Eigen::RowMajor>;
  out.matrices.resize(skin.matrices.size());
  const std::size_t joints = skin.joints.size();
  for (std::size_t m = 0; m * kMatrixSize < skin.matrices.size(); ++m) {
    const Eigen::Map<const Placement> to_world(skin.matrices.data() + m * kMatrixSize);
    const Eigen::Map<const Placement> bind(skin.inverse_binds.data() + m % joints * kMatrixSize);
    Eigen::Map<Placement> both(out.matrices.data() + m * kMatrixSize);
    both = to_world.leftCols<3>() * bind;
    both.col(3) += to_world.col(3);
  }
  return out;
}

}  // namespace pucker::io
