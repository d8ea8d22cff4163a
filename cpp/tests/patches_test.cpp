#include "pucker/mesh/patches.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "pucker/errors.h"
#include "shapes.h"

namespace pucker {
namespace {

std::vector<double> all(const Mesh& mesh, double border) {
  return std::vector<double>(std::size_t(mesh.edge_count()), border);
}

double cost(const Mesh& mesh, const std::vector<double>& wishes, const std::vector<double>& borders,
            const std::vector<bool>& inside) {
  double sum = 0;
  for (std::size_t t = 0; t < wishes.size(); ++t)
    if ((wishes[t] > 0) != inside[t]) sum += std::abs(wishes[t]);
  for (std::int32_t e = 0; e < mesh.edge_count(); ++e) {
    const auto [a, b] = mesh.edge_triangles(e);
    if (b != kNone && inside[std::size_t(a)] != inside[std::size_t(b)]) sum += borders[std::size_t(e)];
  }
  return sum;
}

TEST(Patches, cost_the_least_of_all_divisions) {
  const Mesh mesh(shapes::grid(3, 2), 12);
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> wish(-1, 1);
  std::uniform_real_distribution<double> border(0, 0.6);
  for (int round = 0; round < 20; ++round) {
    std::vector<double> wishes(std::size_t(mesh.triangle_count()));
    std::vector<double> borders(std::size_t(mesh.edge_count()));
    for (double& each : wishes) each = wish(random);
    for (double& each : borders) each = border(random);
    double least = std::numeric_limits<double>::infinity();
    for (unsigned set = 0; set < 1U << wishes.size(); ++set) {
      std::vector<bool> inside(wishes.size());
      for (std::size_t t = 0; t < wishes.size(); ++t) inside[t] = ((set >> t) & 1U) != 0;
      least = std::min(least, cost(mesh, wishes, borders, inside));
    }
    std::vector<bool> found;
    for (const std::int32_t patch : wanted_patches(mesh, wishes, borders)) found.push_back(patch != kNone);
    EXPECT_NEAR(cost(mesh, wishes, borders, found), least, 1e-12);
  }
}

TEST(Patches, are_connected_across_edges_and_numbered_by_their_first_triangles) {
  // Two triangles at opposite corners of a quad of quads; between them corners touch, edges do not.
  const Mesh mesh(shapes::grid(2, 2), 9);
  std::vector<double> wishes(8, -1.0);
  wishes[0] = wishes[1] = wishes[6] = wishes[7] = 1.0;
  EXPECT_EQ(wanted_patches(mesh, wishes, all(mesh, 0.0)),
            (std::vector<std::int32_t>{0, 0, kNone, kNone, kNone, kNone, 1, 1}));
}

TEST(Patches, have_no_single_triangle_that_is_not_worth_its_border) {
  const Mesh mesh(shapes::grid(4, 4), 25);
  std::vector<double> wishes(32, -1.0);
  wishes[13] = 1.0;
  const std::vector<std::int32_t> none(32, kNone);
  EXPECT_EQ(wanted_patches(mesh, wishes, all(mesh, 0.4)), none);
  EXPECT_EQ(wanted_patches(mesh, wishes, all(mesh, 0.3))[13], 0);
  for (double& wish : wishes) wish = -wish;
  EXPECT_EQ(wanted_patches(mesh, wishes, all(mesh, 0.4)), std::vector<std::int32_t>(32, 0)) << "nor a hole of one";
  EXPECT_EQ(wanted_patches(mesh, std::vector<double>(32, 0.0), all(mesh, 0.4)), none) << "of nothing wanted none";
}

TEST(Patches, of_a_mesh_without_triangles_are_none) {
  EXPECT_TRUE(wanted_patches(Mesh(Index3(0, 3), 0), {}, {}).empty());
}

TEST(Patches, refuse_what_does_not_fit) {
  const Mesh mesh(shapes::grid(1, 1), 4);
  const std::vector<double> wishes(2, 1.0);
  EXPECT_THROW(wanted_patches(mesh, {}, all(mesh, 1.0)), InvalidArgument);
  EXPECT_THROW(wanted_patches(mesh, wishes, {}), InvalidArgument);
  EXPECT_THROW(wanted_patches(mesh, wishes, all(mesh, -1.0)), InvalidArgument);
  EXPECT_THROW(wanted_patches(mesh, std::vector<double>(2, std::nan("")), all(mesh, 1.0)), InvalidArgument);
}

}  // namespace
}  // namespace pucker
