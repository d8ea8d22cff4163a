#include "pucker/mesh/edge_ways.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "pucker/errors.h"
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

TEST(EdgeWays, refuse_what_there_is_not) {
  const Mesh mesh(shapes::grid(2, 2), 9);
  const std::vector<double> lengths(std::size_t(mesh.edge_count()), 1.0);
  EXPECT_THROW(EdgeWays(mesh, std::span(lengths).first(3)), InvalidArgument);
  const std::vector<std::int32_t> outside = {9};
  EXPECT_THROW(EdgeWays(mesh, lengths).from(outside), InvalidArgument);
}

}  // namespace
}  // namespace pucker
