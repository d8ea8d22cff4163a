#include "pucker/mesh/topology.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "pucker/errors.h"
#include "shapes.h"

namespace pucker {
namespace {

using Edge = std::pair<std::int32_t, std::int32_t>;

struct Named {
  std::string name;
  Index3 faces;
  std::int64_t vertices;
};

std::vector<Named> all_meshes() {
  Index3 turned = shapes::grid(4, 3);  // orientation of every third triangle reversed
  for (Eigen::Index t = 0; t < turned.rows(); t += 3) std::swap(turned(t, 0), turned(t, 2));
  Index3 shuffled = shapes::grid(5, 4);
  for (Eigen::Index t = 0; t < shuffled.rows(); ++t) shuffled.row(t).swap(shuffled.row((7 * t + 3) % shuffled.rows()));
  return {
      {"grid", shapes::grid(4, 3), 20},
      {"turned grid", turned, 20},
      {"shuffled grid", shuffled, 30},
      {"cylinder", shapes::cylinder(5, 3), 20},
      {"thin cylinder", shapes::cylinder(3, 1), 6},
      {"Möbius strip", shapes::moebius(5), 10},
      {"octahedron", shapes::octahedron(), 6},
      {"three triangles on an edge", shapes::faces({{0, 1, 2}, {1, 0, 3}, {0, 1, 4}}), 5},
      {"three triangles on an edge of a sheet", shapes::faces({{0, 1, 2}, {2, 1, 3}, {1, 2, 4}, {0, 2, 5}, {4, 2, 6}}),
       7},
      {"bow-tie", shapes::faces({{0, 1, 2}, {0, 3, 4}}), 5},
      {"two closed fans", shapes::faces({{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {0, 4, 5}, {0, 5, 6}, {0, 6, 4}}), 7},
      {"degenerate", shapes::faces({{0, 1, 2}, {1, 1, 2}, {2, 1, 3}, {3, 3, 3}}), 4},
      {"empty", Index3(0, 3), 0},
      {"vertices only", Index3(0, 3), 3},
      {"single triangle", shapes::faces({{2, 0, 1}}), 3},
      {"back to back", shapes::faces({{0, 1, 2}, {0, 2, 1}}), 3},
      {"the same twice", shapes::faces({{0, 1, 2}, {0, 1, 2}}), 3},
      {"the same three times", shapes::faces({{0, 1, 2}, {0, 1, 2}, {2, 0, 1}}), 3},
      {"two triangles joined by two edges", shapes::faces({{0, 1, 2}, {0, 2, 1}, {1, 2, 3}}), 4},
      {"isolated vertices", shapes::faces({{1, 3, 5}}), 8},
  };
}

class Topology : public testing::TestWithParam<Named> {
 protected:
  const Index3& faces() const { return GetParam().faces; }
  Mesh mesh() const { return Mesh(faces(), GetParam().vertices); }

  bool degenerate(Eigen::Index t) const {
    return faces()(t, 0) == faces()(t, 1) || faces()(t, 1) == faces()(t, 2) || faces()(t, 2) == faces()(t, 0);
  }
  Edge edge(Eigen::Index t, int k) const { return std::minmax({faces()(t, k), faces()(t, (k + 1) % 3)}); }
  bool touches(Eigen::Index t, std::int32_t vertex) const {
    return !degenerate(t) && (faces().row(t).array() == vertex).any();
  }
  /// Triangles of each edge in ascending order.
  std::map<Edge, std::vector<std::int32_t>> edge_map() const {
    std::map<Edge, std::vector<std::int32_t>> out;
    for (Eigen::Index t = 0; t < faces().rows(); ++t)
      for (int k = 0; k < 3 && !degenerate(t); ++k) out[edge(t, k)].push_back(std::int32_t(t));
    return out;
  }
  /// How often two triangles are neighbours across an edge at `vertex`.
  std::ptrdiff_t links(std::int32_t a, std::int32_t b, std::int32_t vertex) const {
    std::ptrdiff_t count = 0;
    for (const auto& [ends, triangles] : edge_map())
      count += (ends.first == vertex || ends.second == vertex) && triangles.size() == 2 &&
               std::minmax({a, b}) == std::minmax({triangles[0], triangles[1]});
    return count;
  }
};

TEST_P(Topology, EdgesAreThePairsOfVerticesOfItsTrianglesInOrder) {
  const Mesh m = mesh();
  const auto expected = edge_map();
  ASSERT_EQ(m.edge_count(), std::int64_t(expected.size()));
  Eigen::Index e = 0;
  for (const auto& [ends, triangles] : expected) {
    EXPECT_EQ(m.edges()(e, 0), ends.first);
    EXPECT_EQ(m.edges()(e, 1), ends.second);
    const auto found = m.edge_triangles(std::int32_t(e));
    EXPECT_EQ(found[0], triangles[0]);
    EXPECT_EQ(found[1], triangles.size() == 2 ? triangles[1] : kNone);
    ++e;
  }
}

TEST_P(Topology, TriangleEdgesNameTheEdgeBetweenTheirCorners) {
  const Mesh m = mesh();
  for (std::int32_t t = 0; t < m.triangle_count(); ++t) {
    EXPECT_EQ(m.degenerate(t), degenerate(t));
    for (int k = 0; k < 3; ++k) {
      const std::int32_t e = m.triangle_edges()(t, k);
      if (degenerate(t)) {
        EXPECT_EQ(e, kNone);
      } else {
        EXPECT_EQ(Edge(m.edges()(e, 0), m.edges()(e, 1)), edge(t, k));
      }
    }
  }
}

TEST_P(Topology, NeighboursShareAnEdgeThatNoThirdTriangleHas) {
  const Mesh m = mesh();
  const auto edges = edge_map();
  for (std::int32_t t = 0; t < m.triangle_count(); ++t)
    for (int k = 0; k < 3; ++k) {
      std::int32_t expected = kNone;
      if (!degenerate(t)) {
        const auto& both = edges.at(edge(t, k));
        if (both.size() == 2) expected = both[0] == t ? both[1] : both[0];
      }
      EXPECT_EQ(m.triangle_neighbours()(t, k), expected) << t << ", " << k;
    }
}

TEST_P(Topology, RingsHoldEachTriangleOfTheirVertexOnce) {
  const Mesh m = mesh();
  for (std::int32_t v = 0; v < m.vertex_count(); ++v) {
    std::vector<std::int32_t> found(m.ring(v).begin(), m.ring(v).end());
    std::sort(found.begin(), found.end());
    std::vector<std::int32_t> expected;
    for (std::int32_t t = 0; t < m.triangle_count(); ++t)
      if (touches(t, v)) expected.push_back(t);
    EXPECT_EQ(found, expected) << v;
  }
}

TEST_P(Topology, FansFollowOneAnotherInTheRing) {
  const Mesh m = mesh();
  for (std::int32_t v = 0; v < m.vertex_count(); ++v) {
    std::vector<std::int32_t> joined;
    for (std::size_t i = 0; i < m.fan_count(v); ++i) {
      const Fan fan = m.fan(v, i);
      joined.insert(joined.end(), fan.triangles.begin(), fan.triangles.end());
    }
    EXPECT_EQ(joined, std::vector(m.ring(v).begin(), m.ring(v).end()));
  }
}

TEST_P(Topology, TrianglesOfAFanAreNeighboursInTurnAndOfDifferentFansNever) {
  const Mesh m = mesh();
  for (std::int32_t v = 0; v < m.vertex_count(); ++v)
    for (std::size_t i = 0; i < m.fan_count(v); ++i) {
      const Fan fan = m.fan(v, i);
      ASSERT_FALSE(fan.triangles.empty());
      std::ptrdiff_t inside = 0;
      for (std::size_t k = 0; k < fan.triangles.size(); ++k) {
        if (k > 0) {
          EXPECT_GE(links(fan.triangles[k - 1], fan.triangles[k], v), 1);
        }
        for (std::size_t l = 0; l < k; ++l) inside += links(fan.triangles[l], fan.triangles[k], v);
        for (std::size_t j = 0; j < i; ++j)
          for (const std::int32_t other : m.fan(v, j).triangles) EXPECT_EQ(links(other, fan.triangles[k], v), 0);
      }
      // A chain of n triangles has n − 1 links, a closed one n.
      EXPECT_EQ(inside, std::ptrdiff_t(fan.triangles.size()) - (fan.closed ? 0 : 1)) << "vertex " << v;
      if (fan.closed) {
        EXPECT_GE(links(fan.triangles.front(), fan.triangles.back(), v), 1);
      }
    }
}

TEST_P(Topology, FanOfFindsTheFanOfATriangle) {
  const Mesh m = mesh();
  for (std::int32_t v = 0; v < m.vertex_count(); ++v)
    for (std::int32_t t = 0; t < m.triangle_count(); ++t) {
      if (!touches(t, v)) {
        EXPECT_THROW(m.fan_of(v, t), InvalidArgument);
        continue;
      }
      const auto triangles = m.fan_of(v, t).triangles;
      EXPECT_NE(std::find(triangles.begin(), triangles.end(), t), triangles.end());
    }
}

TEST_P(Topology, CornersArePositionsOfVerticesAndEdges) {
  const Mesh m = mesh();
  for (std::int32_t t = 0; t < m.triangle_count(); ++t) {
    if (degenerate(t)) continue;
    for (std::int32_t v = 0; v < m.vertex_count(); ++v) EXPECT_EQ(m.corner(t, v) != kNone, touches(t, v));
    for (int k = 0; k < 3; ++k) {
      const std::int32_t a = faces()(t, k);
      const std::int32_t b = faces()(t, (k + 1) % 3);
      EXPECT_EQ(m.corner(t, a), k);
      EXPECT_EQ(m.edge_corner(t, a, b), k);
      EXPECT_EQ(m.edge_corner(t, b, a), k);
      EXPECT_EQ(m.edge_corner(t, a, a), kNone);
    }
  }
}

TEST_P(Topology, TheReportCountsWhatIsThere) {
  const Mesh m = mesh();
  MeshReport expected;
  expected.vertices = GetParam().vertices;
  expected.triangles = faces().rows();
  for (const auto& [ends, triangles] : edge_map()) {
    ++expected.edges;
    expected.boundary_edges += triangles.size() == 1;
    expected.non_manifold_edges += triangles.size() > 2;
  }
  for (Eigen::Index t = 0; t < faces().rows(); ++t) expected.degenerate_triangles += degenerate(t);
  for (std::int32_t v = 0; v < m.vertex_count(); ++v) {
    // Fans as sets that links join.
    std::vector<std::set<std::int32_t>> groups;
    for (std::int32_t t = 0; t < m.triangle_count(); ++t) {
      if (!touches(t, v)) continue;
      std::set<std::int32_t> mine = {t};
      std::erase_if(groups, [&](const std::set<std::int32_t>& group) {
        const bool linked = std::any_of(group.begin(), group.end(), [&](std::int32_t o) { return links(o, t, v) > 0; });
        if (linked) mine.insert(group.begin(), group.end());
        return linked;
      });
      groups.push_back(mine);
    }
    EXPECT_EQ(m.fan_count(v), groups.size()) << "vertex " << v;
    expected.isolated_vertices += groups.empty();
    expected.fan_vertices += groups.size() > 1;
  }
  EXPECT_EQ(m.report().vertices, expected.vertices);
  EXPECT_EQ(m.report().triangles, expected.triangles);
  EXPECT_EQ(m.report().edges, expected.edges);
  EXPECT_EQ(m.report().boundary_edges, expected.boundary_edges);
  EXPECT_EQ(m.report().non_manifold_edges, expected.non_manifold_edges);
  EXPECT_EQ(m.report().degenerate_triangles, expected.degenerate_triangles);
  EXPECT_EQ(m.report().isolated_vertices, expected.isolated_vertices);
  EXPECT_EQ(m.report().fan_vertices, expected.fan_vertices);
}

INSTANTIATE_TEST_SUITE_P(AllMeshes, Topology, testing::ValuesIn(all_meshes()),
                         [](const testing::TestParamInfo<Named>& mesh) {
                           std::string name;
                           for (const char c : mesh.param.name) name += c > 0 && std::isalnum(c) ? c : '_';
                           return name;
                         });

TEST(TopologyCounts, ASphereHasEulerCharacteristicTwoAndOnlyClosedFans) {
  const Mesh sphere(shapes::octahedron(), 6);
  EXPECT_EQ(sphere.vertex_count() - sphere.edge_count() + sphere.triangle_count(), 2);
  EXPECT_EQ(sphere.report().boundary_edges, 0);
  for (std::int32_t v = 0; v < 6; ++v) EXPECT_TRUE(sphere.fan(v, 0).closed);
}

TEST(TopologyCounts, AMoebiusStripHasOneBoundaryOfBothSides) {
  const Mesh strip(shapes::moebius(5), 10);
  EXPECT_EQ(strip.vertex_count() - strip.edge_count() + strip.triangle_count(), 0);
  // Follow the boundary from edge to edge: it takes all of its edges to come back.
  std::multimap<std::int32_t, std::int32_t> next;
  for (std::int32_t e = 0; e < strip.edge_count(); ++e)
    if (strip.edge_triangles(e)[1] == kNone) {
      next.emplace(strip.edges()(e, 0), strip.edges()(e, 1));
      next.emplace(strip.edges()(e, 1), strip.edges()(e, 0));
    }
  std::int32_t from = kNone;
  std::int32_t at = 0;
  std::int64_t steps = 0;
  do {
    auto way = next.lower_bound(at);
    if (way->second == from) ++way;
    from = std::exchange(at, way->second);
    ++steps;
  } while (at != 0);
  EXPECT_EQ(steps, strip.report().boundary_edges);
  EXPECT_EQ(steps, 10);
}

TEST(TopologyErrors, NameTheVertexOutsideAndItsPlace) {
  for (const std::int32_t bad : {3, -1}) {
    try {
      const Mesh refused(shapes::faces({{0, 1, 2}, {0, bad, 2}}), 3);
      FAIL();
    } catch (const InvalidArgument& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("faces[1, 1] is " + std::to_string(bad)), std::string::npos) << text;
    }
  }
  EXPECT_THROW(Mesh(Index3(0, 3), -1), InvalidArgument);
  EXPECT_THROW(Mesh(Index3(0, 3), std::int64_t(1) << 31), InvalidArgument);
  const Mesh triangle(shapes::faces({{0, 1, 2}}), 3);
  EXPECT_THROW(triangle.ring(3), InvalidArgument);
  EXPECT_THROW(triangle.ring(-1), InvalidArgument);
}

}  // namespace
}  // namespace pucker
