#include "pucker/mesh/subdivision.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <utility>

#include "pucker/errors.h"
#include "shapes.h"

namespace pucker {
namespace {

std::vector<std::int32_t> random_levels(const Mesh& mesh, int most, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::int32_t> out(std::size_t(mesh.edge_count()));
  for (std::int32_t& level : out) level = std::uniform_int_distribution<std::int32_t>(1, most)(random);
  return out;
}

/// Sheet, closed ball, Möbius strip and a mesh with an edge of three triangles, a degenerate one and an unused vertex.
std::vector<Mesh> meshes() {
  const shapes::Surface ball = shapes::sphere(1);
  return {Mesh(shapes::grid(3, 2), 12), Mesh(ball.faces, ball.positions.rows()), Mesh(shapes::moebius(5), 10),
          Mesh(shapes::faces({{0, 1, 2}, {1, 0, 4}, {0, 1, 5}, {2, 2, 6}}), 7)};
}

/// Twice the share of the coarse triangle a face covers, positive if it has the triangle's orientation.
double share(const Subdivision& fine, std::size_t face) {
  const auto corner = [&](int k) { return Vector3(fine.corners.row(Eigen::Index(3 * face) + k)); };
  const Vector3 first = corner(1) - corner(0);
  const Vector3 second = corner(2) - corner(0);
  return first.y() * second.z() - first.z() * second.y();
}

template <class Check>
void for_each_subdivision(Check&& check) {
  for (const Mesh& mesh : meshes())
    for (const int most : {1, 2, 3, 4, 9, 33}) {
      const std::vector<std::int32_t> levels = random_levels(mesh, most, std::uint64_t(most));
      check(mesh, levels, subdivide(mesh, levels));
    }
}

TEST(Subdivision, FacesFillEachTriangleWithoutOverlapAndKeepItsOrientation) {
  for_each_subdivision([](const Mesh& mesh, const auto&, const Subdivision& fine) {
    std::vector<double> covered(std::size_t(mesh.triangle_count()), 0);
    for (std::size_t f = 0; f < fine.source.size(); ++f) {
      if (mesh.degenerate(fine.source[f])) continue;
      EXPECT_GT(share(fine, f), 0);
      covered[std::size_t(fine.source[f])] += share(fine, f);
    }
    for (std::int32_t t = 0; t < mesh.triangle_count(); ++t)
      EXPECT_NEAR(covered[std::size_t(t)], mesh.degenerate(t) ? 0 : 1, 1e-12);
  });
}

TEST(Subdivision, NoCrackOpensInsideATriangleOrBetweenTwo) {
  for_each_subdivision([](const Mesh& mesh, const std::vector<std::int32_t>& levels, const Subdivision& fine) {
    std::map<std::pair<std::int32_t, std::int32_t>, int> sides;
    for (Eigen::Index f = 0; f < fine.faces.rows(); ++f) {
      if (mesh.degenerate(fine.source[std::size_t(f)])) continue;
      for (int k = 0; k < 3; ++k) ++sides[std::minmax(fine.faces(f, k), fine.faces(f, (k + 1) % 3))];
    }
    std::int64_t open = 0;
    std::int64_t many = 0;
    for (const auto& [edge, count] : sides) {
      open += count == 1;
      many += count > 2;
    }
    std::int64_t boundary = 0;
    std::int64_t non_manifold = 0;
    std::vector<int> triangles(levels.size(), 0);
    for (std::int32_t t = 0; t < mesh.triangle_count(); ++t)
      for (int k = 0; k < 3; ++k)
        if (!mesh.degenerate(t)) ++triangles[std::size_t(mesh.triangle_edges()(t, k))];
    for (std::size_t e = 0; e < levels.size(); ++e) {
      boundary += triangles[e] == 1 ? levels[e] : 0;
      non_manifold += triangles[e] > 2 ? levels[e] : 0;
    }
    EXPECT_EQ(open, boundary);
    EXPECT_EQ(many, non_manifold);
  });
}

TEST(Subdivision, AVertexLiesAtOnePlaceInAllItsTriangles) {
  for_each_subdivision([](const Mesh& mesh, const auto&, const Subdivision& fine) {
    std::mt19937_64 random(1);
    std::normal_distribution<double> normal;
    Array3 positions(mesh.vertex_count(), 3);
    for (Eigen::Index i = 0; i < positions.size(); ++i) positions.data()[i] = normal(random);
    const auto place = [&](std::int32_t triangle, const auto& at) {
      Eigen::RowVector3d out = Eigen::RowVector3d::Zero();
      for (int k = 0; k < 3; ++k) out += at[k] * positions.row(mesh.faces()(triangle, k));
      return out;
    };
    for (Eigen::Index f = 0; f < fine.faces.rows(); ++f)
      for (int k = 0; k < 3; ++k) {
        const std::int32_t v = fine.faces(f, k);
        const Eigen::RowVector3d home = place(fine.triangles[std::size_t(v)], fine.barycentrics.row(v));
        const Eigen::RowVector3d here = place(fine.source[std::size_t(f)], fine.corners.row(3 * f + k));
        EXPECT_LT((home - here).norm(), 1e-13);
      }
  });
}

TEST(Subdivision, ThreeEdgesOfNPiecesGiveNSquaredTriangles) {
  const Mesh mesh(shapes::faces({{0, 1, 2}}), 3);
  for (const int n : {1, 4, 5, 8, 64}) {
    const Subdivision fine = subdivide(mesh, std::vector<std::int32_t>(3, n));
    EXPECT_EQ(fine.faces.rows(), n * n);
    EXPECT_EQ(fine.barycentrics.rows(), (n + 1) * (n + 2) / 2);
  }
}

TEST(Subdivision, WithLevelsOfOneIsTheMesh) {
  const Mesh mesh(shapes::grid(4, 4), 25);
  const Subdivision same = subdivide(mesh, std::vector<std::int32_t>(std::size_t(mesh.edge_count()), 1));
  EXPECT_EQ(same.faces, mesh.faces());
}

TEST(Subdivision, RefusesLevelsThatAreNone) {
  const Mesh mesh(shapes::faces({{0, 1, 2}}), 3);
  EXPECT_THROW(subdivide(mesh, std::vector<std::int32_t>{1, 2}), InvalidArgument);
  EXPECT_THROW(subdivide(mesh, std::vector<std::int32_t>{1, 0, 2}), InvalidArgument);
  EXPECT_THROW(subdivide(mesh, std::vector<std::int32_t>{100000, 1, 1}), InvalidArgument);
}

}  // namespace
}  // namespace pucker
