#include "pucker/mesh/edge_ways.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "pucker/errors.h"
#include "pucker/mesh/border.h"
#include "shapes.h"

namespace pucker {
namespace {

TEST(EdgeWays, are_the_least_over_all_ways) {
  // Against Floyd and Warshall's sums over all pairs, on a sheet and a vertex that nothing is connected with.
  const Mesh mesh(shapes::grid(5, 4), 31);
  const auto count = std::size_t(mesh.vertex_count());
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> length(0.5, 2);
  std::vector<double> lengths;
  constexpr double far = std::numeric_limits<double>::infinity();
  std::vector<std::vector<double>> all(count, std::vector<double>(count, far));
  for (std::size_t v = 0; v < count; ++v) all[v][v] = 0;
  for (Eigen::Index e = 0; e < mesh.edges().rows(); ++e) {
    const auto a = std::size_t(mesh.edges()(e, 0));
    const auto b = std::size_t(mesh.edges()(e, 1));
    lengths.push_back(length(random));
    all[a][b] = all[b][a] = lengths.back();
  }
  for (std::size_t via = 0; via < count; ++via)
    for (std::size_t a = 0; a < count; ++a)
      for (std::size_t b = 0; b < count; ++b) all[a][b] = std::min(all[a][b], all[a][via] + all[via][b]);
  const EdgeWays ways(mesh, lengths);
  const std::vector<std::int32_t> starts = {3, 17};
  const std::vector<double> found = ways.from(starts);
  for (std::size_t v = 0; v + 1 < count; ++v) EXPECT_NEAR(found[v], std::min(all[3][v], all[17][v]), 1e-12);
  EXPECT_EQ(found.back(), far);
  EXPECT_EQ(ways.from({}), std::vector<double>(count, far));
}

TEST(EdgeWays, are_as_long_as_edges_are_in_space) {
  const Mesh mesh(shapes::grid(3, 3), 16);
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  const Array3 positions = Array3::NullaryExpr(16, 3, [&] { return normal(random); });
  std::vector<double> lengths;
  for (const auto& edge : mesh.edges().rowwise())
    lengths.push_back(std::hypot(positions(edge[0], 0) - positions(edge[1], 0),
                                 positions(edge[0], 1) - positions(edge[1], 1),
                                 positions(edge[0], 2) - positions(edge[1], 2)));
  const std::vector<std::int32_t> starts = {0};
  const std::vector<double> expected = EdgeWays(mesh, lengths).from(starts);
  const std::vector<double> found = EdgeWays::in(mesh, positions).from(starts);
  for (std::size_t v = 0; v < 16; ++v) EXPECT_NEAR(found[v], expected[v], 1e-12);
  EXPECT_THROW(EdgeWays::in(mesh, Array3::Zero(3, 3)), InvalidArgument);
}

TEST(EdgeWays, around_a_vertex_are_those_from_it_up_to_an_end) {
  const Mesh mesh(shapes::grid(6, 5), 42);
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> length(0.5, 2);
  std::vector<double> lengths(std::size_t(mesh.edge_count()));
  for (double& each : lengths) each = length(random);
  const EdgeWays ways(mesh, lengths);
  EdgeWays::Room room;
  for (const std::int32_t start : {0, 17, 41}) {
    const std::vector<double> all = ways.from(std::vector<std::int32_t>{start});
    const std::vector<EdgeWays::Place> near = ways.around(start, 3.0, {kNone, kNone, kNone}, room);
    EXPECT_TRUE(std::ranges::is_sorted(near));
    EXPECT_EQ(std::ptrdiff_t(near.size()), std::ranges::count_if(all, [](double each) { return each <= 3.0; }));
    for (const auto& [distance, vertex] : near) EXPECT_EQ(distance, all[std::size_t(vertex)]);
    const std::int32_t end = near[near.size() / 2].second;
    EXPECT_EQ(ways.around(start, 3.0, {kNone, end, kNone}, room).back().second, end);
  }
  EXPECT_THROW(ways.around(42, 1.0, {}, room), InvalidArgument);
}

TEST(Border, is_where_a_mesh_ends) {
  // A grid of two by two squares has one vertex inside; a third triangle at an inner edge makes its ends border too.
  const Mesh grid(shapes::grid(2, 2), 9);
  EXPECT_EQ(border_vertices(grid), (std::vector<std::int32_t>{0, 1, 2, 3, 5, 6, 7, 8}));
  const Mesh tetrahedron(shapes::faces({{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}}), 4);
  EXPECT_TRUE(border_vertices(tetrahedron).empty());
  const Mesh fin(shapes::faces({{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}, {0, 1, 4}}), 5);
  EXPECT_EQ(border_vertices(fin), (std::vector<std::int32_t>{0, 1, 4}));
}

TEST(EdgeWays, refuse_what_there_is_not) {
  const Mesh mesh(shapes::grid(2, 2), 9);
  const std::vector<double> lengths(std::size_t(mesh.edge_count()), 1.0);
  EXPECT_THROW(EdgeWays(mesh, std::span(lengths).first(3)), InvalidArgument);
  const std::vector<std::int32_t> outside = {9};
  EXPECT_THROW(EdgeWays(mesh, lengths).from(outside), InvalidArgument);
}

}  // namespace
}  // namespace pucker
