#include "pucker/dynamic/wrinkle.h"

#include <gtest/gtest.h>

#include <random>

#include "motion.h"
#include "pucker/errors.h"

namespace pucker {
namespace {

/// Two triangles over the common edge (1, 2), the second turned over.
struct TwoTriangles {
  Mesh mesh{shapes::faces({{0, 1, 2}, {1, 2, 3}}), 4};
  Array3 positions{{0, 0, 0}, {2, 0, 0}, {0, 1, 0}, {2, 1, 1}};

  /// From the edge (0, 2) over (1, 2) to a point inside the second triangle.
  Wrinkle wrinkle() const {
    Wrinkle out;
    out.points = {{0, 2, 0.25}, {1, 2, 0.5}, {1, 2, 0.75, 3, 0.4}};
    out.triangles = {0, 1};
    out.knot_widths = {1, 2, 3, 4, 5};
    out.knot_heights = {0, 1, 2, 1, 0};
    return out;
  }
};

TEST(Wrinkle, points_lie_where_edge_and_apex_say) {
  const TwoTriangles two;
  const Wrinkle wrinkle = two.wrinkle();
  EXPECT_TRUE(position(wrinkle.points[0], two.positions).isApprox(Vector3(0, 0.75, 0)));
  EXPECT_TRUE(position(wrinkle.points[1], two.positions).isApprox(Vector3(1, 0.5, 0)));
  EXPECT_TRUE(
      position(wrinkle.points[2], two.positions).isApprox(0.6 * Vector3(1.5, 0.25, 0) + 0.4 * Vector3(2, 1, 1)));
}

TEST(Wrinkle, barycentric_coordinates_give_the_position_in_both_triangles) {
  const TwoTriangles two;
  const Wrinkle wrinkle = two.wrinkle();
  for (std::size_t i = 0; i + 1 < wrinkle.size(); ++i)
    for (const std::size_t p : {i, i + 1}) {
      const Vector3 barycentrics = barycentric(two.mesh, wrinkle.points[p], wrinkle.triangles[i]);
      Vector3 place = Vector3::Zero();
      for (int k = 0; k < 3; ++k)
        place += barycentrics[k] * two.positions.row(two.mesh.faces()(wrinkle.triangles[i], k)).transpose();
      EXPECT_LT((place - position(wrinkle.points[p], two.positions)).norm(), 1e-15);
      EXPECT_NEAR(barycentrics.sum(), 1, 1e-15);
    }
  EXPECT_THROW(barycentric(two.mesh, wrinkle.points[0], 1), InvalidArgument);
  EXPECT_THROW(barycentric(two.mesh, wrinkle.points[2], 0), InvalidArgument);
}

TEST(Wrinkle, a_point_inside_has_the_barycentrics_it_was_made_from_whatever_edge_it_slides_along) {
  const TwoTriangles two;
  std::mt19937_64 random(1);
  std::exponential_distribution<double> weight;
  for (int i = 0; i < 300; ++i) {
    const Vector3 drawn(weight(random), weight(random), weight(random));
    const Vector3 barycentrics = drawn / drawn.sum();
    const PathPoint p = inner_point(two.mesh, i % 2, barycentrics, i % 3);
    EXPECT_FALSE(p.on_edge());
    EXPECT_LT((barycentric(two.mesh, p, i % 2) - barycentrics).norm(), 1e-5);
    if (barycentrics.minCoeff() > 1e-5) {
      EXPECT_LT((barycentric(two.mesh, p, i % 2) - barycentrics).norm(), 1e-14);
    }
  }
}

TEST(Wrinkle, a_point_on_an_edge_is_the_same_point_from_both_triangles) {
  const TwoTriangles two;
  for (const double off : {0.0, 1e-15, -1e-15, 1e-10}) {
    const PathPoint first = inner_point(two.mesh, 0, {off, 0.3, 0.7 - off}, 0);
    const PathPoint second = inner_point(two.mesh, 1, {0.3, 0.7 - off, off}, 2);
    EXPECT_TRUE(first.on_edge() && second.on_edge());
    EXPECT_TRUE(first.same_edge(second));
    EXPECT_NEAR(first.t, second.t, 1e-9);
    EXPECT_NEAR(first.t, 0.3, 1e-9);
  }
}

TEST(Wrinkle, points_of_an_edge_keep_off_its_vertices) {
  const TwoTriangles two;
  EXPECT_EQ(edge_point(two.mesh, 0, 1, 0).t, kVertexMargin);
  EXPECT_EQ(edge_point(two.mesh, 0, 1, 1).t, 1 - kVertexMargin);
  // The smaller vertex comes first: edge (2, 0) of the first triangle.
  const PathPoint p = edge_point(two.mesh, 0, 2, 0.25);
  EXPECT_EQ(p.v0, 0);
  EXPECT_EQ(p.v1, 2);
  EXPECT_EQ(p.t, 0.75);
}

TEST(Wrinkle, sizes_go_along_with_their_places) {
  const TwoTriangles two;
  const Wrinkle wrinkle = two.wrinkle();
  std::vector<double> lengths;
  arc_lengths(wrinkle, two.positions, lengths);
  EXPECT_EQ(path_length(wrinkle, two.positions), lengths.back());
  SizeAlong sizes;
  sizes.take(wrinkle, lengths);
  Wrinkle same = wrinkle;
  sizes.give(lengths, same);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(same.knot_widths[i], wrinkle.knot_widths[i], 1e-12);
    EXPECT_NEAR(same.knot_heights[i], wrinkle.knot_heights[i], 1e-12);
  }
  // A path twice as long on both sides: flat and as wide as the end beyond the old ends, unchanged in between.
  Wrinkle longer;
  sizes.give({-2 * lengths.back(), 0, lengths[1], lengths[2], 3 * lengths.back()}, longer);
  EXPECT_EQ(longer.knot_widths.size(), 9u);
  EXPECT_EQ(longer.knot_widths.front(), wrinkle.knot_widths.front());
  EXPECT_EQ(longer.knot_heights.front(), 0);
  EXPECT_EQ(longer.knot_widths.back(), wrinkle.knot_widths.back());
  EXPECT_EQ(longer.knot_heights.back(), 0);
  EXPECT_NEAR(longer.knot_widths[2], 1, 1e-12);
  EXPECT_NEAR(longer.knot_heights[4], 2, 1e-12);
}

TEST(RequirePath, names_the_broken_rule) {
  const TwoTriangles two;
  EXPECT_NO_THROW(require_path(two.mesh, two.wrinkle()));
  const auto refuses = [&](auto change, const std::string& rule) {
    Wrinkle wrinkle = two.wrinkle();
    change(wrinkle);
    try {
      require_path(two.mesh, wrinkle);
      ADD_FAILURE() << "accepted against: " << rule;
    } catch (const InvalidArgument& error) {
      EXPECT_NE(std::string(error.what()).find(rule), std::string::npos) << error.what();
    }
  };
  refuses([](Wrinkle& w) { w.points.resize(1); }, "at least 2 points, wrinkle 0 has 1");
  refuses([](Wrinkle& w) { w.triangles.resize(1); }, "3 points has 2 triangles, wrinkle 0 has 1");
  refuses([](Wrinkle& w) { w.knot_widths.pop_back(); }, "has 5 knots, wrinkle 0 has 4 widths");
  refuses([](Wrinkle& w) { w.knot_widths[2] = 0; }, "widths must be finite and above 0");
  refuses([](Wrinkle& w) { w.knot_heights[2] = -1; }, "heights must be finite and at least 0");
  refuses([](Wrinkle& w) { w.knot_heights[2] = std::nan(""); }, "heights must be finite");
  refuses([](Wrinkle& w) { w.points[1].v1 = 4; }, "vertices must lie in [0, 4)");
  refuses([](Wrinkle& w) { w.points[1].v1 = w.points[1].v0; }, "an edge joins two vertices");
  refuses([](Wrinkle& w) { w.points[1].t = 1.5; }, "t must lie in [0, 1], but point 1 of wrinkle 0 has 1.5");
  refuses([](Wrinkle& w) { w.points[2].depth = 1; }, "depth must lie in [0, 1)");
  refuses([](Wrinkle& w) { w.points[1] = {1, 2, 0.5, 0, 0.5}; }, "inner points lie on edges");
  refuses([](Wrinkle& w) { w.triangles[1] = 2; }, "triangles must lie in [0, 2)");
  refuses([](Wrinkle& w) { w.triangles[1] = 0; }, "does not lie in triangle 0");
}

std::vector<Wrinkle> numbered(std::initializer_list<std::int64_t> ids) {
  std::vector<Wrinkle> out;
  for (const std::int64_t id : ids) {
    out.emplace_back().id = id;
    out.back().points.resize(std::size_t(id));
  }
  return out;
}

TEST(WrinklePool, drops_what_is_out_and_keeps_the_order_of_the_others) {
  WrinklePool pool;
  std::vector<Wrinkle> wrinkles = numbered({5, 2, 8, 1, 4, 4, 7});
  pool.drop(wrinkles, [](const Wrinkle& wrinkle) { return wrinkle.id % 2 == 0; });
  EXPECT_EQ(wrinkles, numbered({5, 1, 7}));
  pool.drop(wrinkles, [](const Wrinkle&) { return true; });
  EXPECT_TRUE(wrinkles.empty());
}

TEST(WrinklePool, copies_to_lists_of_any_length_and_gives_their_memory_on) {
  WrinklePool pool;
  std::vector<Wrinkle> to = numbered({9, 9, 9, 9});
  pool.copy(numbered({3, 1}), to);
  EXPECT_EQ(to, numbered({3, 1}));
  EXPECT_GE(pool.take().points.capacity(), 9u);
  pool.copy(numbered({6, 2, 5}), to);
  EXPECT_EQ(to, numbered({6, 2, 5}));
}

}  // namespace
}  // namespace pucker
