#include "solid.h"

#include <Eigen/Geometry>
#include <utility>

#include "pucker/mesh/topology.h"
#include "pucker/mesh/triangle_tree.h"

namespace pucker::drape {

namespace {

enum class Back : std::uint8_t { none, open, solid };

/// (m,) of each triangle: none without an area.
std::vector<Back> find_backs(const Index3& faces, const Array3& pose) {
  const TriangleTree tree(faces, pose);
  // A ray starts within its own triangle, whose back it must not take for the other side.
  constexpr double own = 1e-6;
  const double extent = (pose.colwise().maxCoeff() - pose.colwise().minCoeff()).maxCoeff();
  std::vector<Back> out(std::size_t(faces.rows()), Back::none);
  for (Eigen::Index t = 0; t < faces.rows(); ++t) {
    const Vector3 a = pose.row(faces(t, 0));
    const Vector3 b = pose.row(faces(t, 1));
    const Vector3 c = pose.row(faces(t, 2));
    const Vector3 normal = (b - a).cross(c - a).stableNormalized();
    if (normal.isZero(0)) continue;
    out[std::size_t(t)] = tree.leaves((a + b + c) / 3, -normal, own * extent) ? Back::solid : Back::open;
  }
  return out;
}

}  // namespace

std::vector<std::int32_t> solid_triangles(const Index3& faces, const Array3& pose) {
  std::vector<Back> backs = find_backs(faces, pose);
  const Mesh mesh(faces, pose.rows());
  std::vector<std::uint8_t> seen(backs.size(), 0);
  std::vector<std::int32_t> piece;
  for (std::int32_t first = 0; first < std::int32_t(faces.rows()); ++first) {
    if (std::exchange(seen[std::size_t(first)], 1) != 0) continue;
    piece.assign(1, first);
    double count = 0;
    for (std::size_t k = 0; k < piece.size(); ++k) {
      count += backs[std::size_t(piece[k])] == Back::solid ? 1 : 0;
      for (const std::int32_t corner : faces.row(piece[k]))
        for (const std::int32_t next : mesh.ring(corner))
          if (std::exchange(seen[std::size_t(next)], 1) == 0) piece.push_back(next);
    }
    if (count < kSolidPiece * double(piece.size())) continue;
    for (const std::int32_t t : piece) {
      Back& back = backs[std::size_t(t)];
      if (back == Back::open) back = Back::solid;
    }
  }
  std::vector<std::int32_t> out;
  for (std::int32_t t = 0; t < std::int32_t(faces.rows()); ++t)
    if (backs[std::size_t(t)] == Back::solid) out.push_back(t);
  return out;
}

}  // namespace pucker::drape
