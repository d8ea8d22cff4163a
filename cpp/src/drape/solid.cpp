#include "solid.h"

#include <Eigen/Geometry>

#include "pucker/mesh/pieces.h"
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
  const std::vector<Back> backs = find_backs(faces, pose);
  const Pieces pieces = pieces_of(Mesh(faces, pose.rows()));
  const auto piece_of = [&](Eigen::Index t) { return std::size_t(pieces.of[std::size_t(faces(t, 0))]); };
  std::vector<double> triangles(std::size_t(pieces.count), 0);
  std::vector<double> solid(triangles.size(), 0);
  for (Eigen::Index t = 0; t < faces.rows(); ++t) {
    triangles[piece_of(t)] += 1;
    solid[piece_of(t)] += backs[std::size_t(t)] == Back::solid ? 1 : 0;
  }
  std::vector<std::int32_t> out;
  for (std::int32_t t = 0; t < std::int32_t(faces.rows()); ++t)
    if (backs[std::size_t(t)] == Back::solid ||
        (backs[std::size_t(t)] == Back::open && solid[piece_of(t)] >= kSolidPiece * triangles[piece_of(t)]))
      out.push_back(t);
  return out;
}

}  // namespace pucker::drape
