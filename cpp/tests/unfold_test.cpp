#include "pucker/mesh/unfold.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "pucker/errors.h"
#include "shapes.h"

namespace pucker {
namespace {

constexpr double kFull = 2 * std::numbers::pi;

struct Surface {
  Mesh mesh;
  Array3 positions;
  LocalFrames frames = local_frames(mesh, positions);
};

Surface bumpy(Index3 faces, Array3 positions, double size) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> offset(-size, size);
  for (Eigen::Index v = 0; v < positions.rows(); ++v)
    positions.row(v) += Eigen::RowVector3d(offset(random), offset(random), offset(random));
  return {Mesh(std::move(faces), positions.rows()), positions};
}

Array3 grid_positions(int cells) {
  Array3 out((cells + 1) * (cells + 1), 3);
  for (int y = 0; y <= cells; ++y)
    for (int x = 0; x <= cells; ++x) out.row(y * (cells + 1) + x) << x, y, 0;
  return out;
}

/// A wavy sheet (inner and boundary vertices), a dented sphere (narrow and wide angles) and a Möbius strip (triangles
/// whose orientation does not agree).
std::vector<Surface> surfaces() {
  const shapes::Surface sphere = shapes::sphere(2);
  Array3 band(12, 3);
  for (int x = 0; x < 6; ++x)
    for (int y = 0; y < 2; ++y) {
      const double turn = kFull * x / 6;
      const double across = 0.4 * (y - 0.5);
      band.row(y * 6 + x) << (1 + across * std::cos(turn / 2)) * std::cos(turn),
          (1 + across * std::cos(turn / 2)) * std::sin(turn), across * std::sin(turn / 2);
    }
  return {bumpy(shapes::grid(5, 5), grid_positions(5), 0.3), bumpy(sphere.faces, sphere.positions, 0.08),
          bumpy(shapes::moebius(6), band, 0.0)};
}

/// Calls `visit(surface, umbrella)` for each fan of each vertex of all surfaces.
template <class Visitor>
void for_each_umbrella(Visitor&& visit) {
  Umbrella umbrella;
  for (const Surface& surface : surfaces())
    for (std::int32_t v = 0; v < surface.mesh.vertex_count(); ++v)
      for (std::size_t f = 0; f < surface.mesh.fan_count(v); ++f) {
        umbrella.unfold(surface.mesh, surface.frames, v, surface.mesh.fan(v, f).triangles.front());
        visit(surface, umbrella);
      }
}

Vector3 spoke(const Surface& surface, const Umbrella& umbrella, std::size_t k) {
  return surface.positions.row(umbrella.spoke_vertex(k)) - surface.positions.row(umbrella.vertex());
}

double angle_in_space(const Surface& surface, const Umbrella& umbrella, std::size_t k) {
  const Vector3 a = spoke(surface, umbrella, k);
  const Vector3 b = spoke(surface, umbrella, k + 1);
  return std::atan2(a.cross(b).norm(), a.dot(b));
}

double sum_in_space(const Surface& surface, const Umbrella& umbrella) {
  double sum = 0;
  for (std::size_t k = 0; k < umbrella.size(); ++k) sum += angle_in_space(surface, umbrella, k);
  return sum;
}

TEST(Umbrella, spokes_keep_their_lengths) {
  for_each_umbrella([](const Surface& surface, const Umbrella& umbrella) {
    for (std::size_t k = 0; k <= umbrella.size(); ++k) {
      EXPECT_NEAR(umbrella.spoke_length(k), spoke(surface, umbrella, k).norm(), 1e-13);
      EXPECT_NEAR(umbrella.tip(k).norm(), umbrella.spoke_length(k), 1e-13);
    }
  });
}

TEST(Umbrella, triangle_k_lies_between_spokes_k_and_the_next) {
  for_each_umbrella([](const Surface& surface, const Umbrella& umbrella) {
    for (std::size_t k = 0; k < umbrella.size(); ++k) {
      const std::int32_t t = umbrella.triangle(k);
      EXPECT_NE(surface.mesh.corner(t, umbrella.vertex()), kNone);
      EXPECT_NE(surface.mesh.corner(t, umbrella.spoke_vertex(k)), kNone);
      EXPECT_NE(surface.mesh.corner(t, umbrella.spoke_vertex(k + 1)), kNone);
      EXPECT_EQ(umbrella.index_of(t), k);
    }
    EXPECT_EQ(umbrella.index_of(-7), std::nullopt);
  });
}

TEST(Umbrella, angles_round_an_inner_vertex_are_scaled_to_a_full_turn) {
  for_each_umbrella([](const Surface& surface, const Umbrella& umbrella) {
    if (!umbrella.closed()) return;
    const double sum = sum_in_space(surface, umbrella);
    EXPECT_EQ(umbrella.angle(0), 0);
    EXPECT_NEAR(umbrella.angle(umbrella.size()), kFull, 1e-14);
    EXPECT_EQ(umbrella.spoke_vertex(umbrella.size()), umbrella.spoke_vertex(0));
    for (std::size_t k = 0; k < umbrella.size(); ++k)
      EXPECT_NEAR(umbrella.angle(k + 1) - umbrella.angle(k), angle_in_space(surface, umbrella, k) * kFull / sum, 1e-13);
  });
}

TEST(Umbrella, angles_round_a_boundary_vertex_are_kept) {
  int seen = 0;
  for_each_umbrella([&](const Surface& surface, const Umbrella& umbrella) {
    if (umbrella.closed()) return;
    ++seen;
    ASSERT_LT(sum_in_space(surface, umbrella), kFull);
    for (std::size_t k = 0; k < umbrella.size(); ++k)
      EXPECT_NEAR(umbrella.angle(k + 1) - umbrella.angle(k), angle_in_space(surface, umbrella, k), 1e-13);
  });
  EXPECT_EQ(seen, 20 + 12);
}

TEST(Umbrella, of_more_than_a_full_turn_at_a_boundary_is_scaled_to_one) {
  // Eleven triangles of 40° wind round vertex 0 like a spiral staircase.
  Array3 positions = Array3::Zero(13, 3);
  Index3 faces(11, 3);
  for (int k = 0; k < 12; ++k) {
    const double turn = k * kFull / 9;
    positions.row(k + 1) << std::cos(turn), std::sin(turn), 0.1 * k;
    if (k < 11) faces.row(k) << 0, k + 1, k + 2;
  }
  const Surface stairs{Mesh(faces, 13), positions};
  Umbrella umbrella;
  umbrella.unfold(stairs.mesh, stairs.frames, 0, 5);
  ASSERT_FALSE(umbrella.closed());
  ASSERT_GT(sum_in_space(stairs, umbrella), kFull);
  EXPECT_NEAR(umbrella.angle(11), kFull, 1e-14);
  EXPECT_EQ(umbrella.spoke_count(), 12u);
}

TEST(Umbrella, of_a_flat_fan_is_the_fan) {
  const Surface sheet = bumpy(shapes::grid(4, 4), grid_positions(4), 0.0);
  Umbrella umbrella;
  umbrella.unfold(sheet.mesh, sheet.frames, 12, sheet.mesh.ring(12).front());
  ASSERT_TRUE(umbrella.closed());
  for (std::size_t a = 0; a < umbrella.size(); ++a)
    for (std::size_t b = 0; b < umbrella.size(); ++b)
      EXPECT_NEAR((umbrella.tip(a) - umbrella.tip(b)).norm(),
                  (spoke(sheet, umbrella, a) - spoke(sheet, umbrella, b)).norm(), 1e-14);
}

TEST(Umbrella, has_a_spoke_for_each_neighbour) {
  for_each_umbrella([](const Surface&, const Umbrella& umbrella) {
    EXPECT_EQ(umbrella.spoke_count(), umbrella.size() + (umbrella.closed() ? 0 : 1));
    for (std::size_t k = 0; k < umbrella.spoke_count(); ++k) EXPECT_EQ(umbrella.spoke_to(umbrella.spoke_vertex(k)), k);
    EXPECT_EQ(umbrella.spoke_to(umbrella.vertex()), std::nullopt);
  });
}

TEST(Umbrella, the_triangles_beside_a_spoke_hold_its_vertex) {
  for_each_umbrella([](const Surface& surface, const Umbrella& umbrella) {
    for (std::size_t k = 0; k < umbrella.spoke_count(); ++k) {
      const Sectors beside = umbrella.beside_spoke(k);
      const bool border = !umbrella.closed() && (k == 0 || k + 1 == umbrella.spoke_count());
      EXPECT_EQ(beside.low == beside.high, border || umbrella.size() == 1);
      for (const std::size_t s : {beside.low, beside.high})
        EXPECT_NE(surface.mesh.corner(umbrella.triangle(s), umbrella.spoke_vertex(k)), kNone);
    }
  });
}

Vector3 random_barycentrics(std::mt19937_64& random) {
  std::exponential_distribution<double> part;
  const Vector3 out(part(random), part(random), part(random));
  return out / out.sum();
}

TEST(Umbrella, place_and_barycentrics_are_inverse) {
  std::mt19937_64 random(1);
  for_each_umbrella([&](const Surface& surface, const Umbrella& umbrella) {
    for (std::size_t k = 0; k < umbrella.size(); ++k)
      for (int trial = 0; trial < 20; ++trial) {
        const Vector3 given = random_barycentrics(random);
        const Vector2 point = umbrella.place(surface.mesh, k, given);
        EXPECT_EQ(umbrella.sector(point), k);
        EXPECT_LT((umbrella.barycentrics(surface.mesh, k, point) - given).cwiseAbs().maxCoeff(), 1e-12);
      }
  });
}

TEST(Umbrella, corners_are_placed_at_the_vertex_and_the_tips) {
  for_each_umbrella([](const Surface& surface, const Umbrella& umbrella) {
    for (std::size_t k = 0; k < umbrella.size(); ++k) {
      const auto corner = [&](std::int32_t vertex) {
        return Vector3(Vector3::Unit(surface.mesh.corner(umbrella.triangle(k), vertex)));
      };
      EXPECT_EQ(umbrella.place(surface.mesh, k, corner(umbrella.vertex())), Vector2(0, 0));
      EXPECT_EQ(umbrella.place(surface.mesh, k, corner(umbrella.spoke_vertex(k))), umbrella.tip(k));
      EXPECT_EQ(umbrella.place(surface.mesh, k, corner(umbrella.spoke_vertex(k + 1))), umbrella.tip(k + 1));
    }
  });
}

TEST(Umbrella, a_point_outside_its_triangle_is_brought_into_it) {
  std::mt19937_64 random(2);
  std::normal_distribution<double> normal;
  for_each_umbrella([&](const Surface& surface, const Umbrella& umbrella) {
    for (int trial = 0; trial < 20; ++trial) {
      const Vector2 point(3 * normal(random), 3 * normal(random));
      const Vector3 barycentrics = umbrella.barycentrics(surface.mesh, umbrella.sector(point), point);
      EXPECT_GE(barycentrics.minCoeff(), 0);
      EXPECT_NEAR(barycentrics.sum(), 1, 1e-14);
    }
  });
}

TEST(Umbrella, a_point_beside_an_open_fan_belongs_to_its_nearer_end) {
  const Surface sheet = bumpy(shapes::grid(2, 2), grid_positions(2), 0.0);
  Umbrella umbrella;
  umbrella.unfold(sheet.mesh, sheet.frames, 1, sheet.mesh.ring(1).front());
  ASSERT_NEAR(umbrella.angle(umbrella.size()), std::numbers::pi, 1e-14);
  EXPECT_EQ(umbrella.sector({1, -0.1}), 0u);
  EXPECT_EQ(umbrella.sector({-1, -0.1}), umbrella.size() - 1);
}

struct Hit {
  double along;  // of the line
  std::size_t spoke;
  double share;
};

/// All crossings of a straight line with the rays through the spokes, in the order of the line.
std::vector<Hit> crossings_by_brute_force(const Umbrella& umbrella, const Vector2& a, const Vector2& b) {
  std::vector<Hit> out;
  for (std::size_t k = 0; k < umbrella.spoke_count(); ++k) {
    const Vector2 tip = umbrella.tip(k);
    const Matrix2 system = (Matrix2() << tip, a - b).finished();
    const Vector2 solution = system.inverse() * a;  // share · tip = a + along · (b − a)
    if (solution[0] > 0 && solution[1] > 0 && solution[1] < 1) out.push_back({solution[1], k, solution[0]});
  }
  std::ranges::sort(out, {}, &Hit::along);
  return out;
}

TEST(Umbrella, a_straight_line_crosses_the_spokes_that_geometry_says) {
  std::mt19937_64 random(4);
  std::size_t crossed = 0;
  for_each_umbrella([&](const Surface& surface, Umbrella umbrella) {
    std::uniform_int_distribution<std::size_t> any(0, umbrella.size() - 1);
    for (int trial = 0; trial < 30; ++trial) {
      const std::size_t from = any(random);
      const std::size_t to = any(random);
      const Vector2 a = umbrella.place(surface.mesh, from, random_barycentrics(random));
      const Vector2 b = umbrella.place(surface.mesh, to, random_barycentrics(random));
      // A fan of less than a full turn is no convex place: a line over its gap has no way through it.
      if (!umbrella.closed() && umbrella.angle(umbrella.size()) > std::numbers::pi) continue;
      const std::vector<Hit> expected = crossings_by_brute_force(umbrella, a, b);
      SpokeCrossings found;
      ASSERT_TRUE(umbrella.follow(std::vector<Vector2>{a, b}, {from, from}, {to, to}, found));
      ASSERT_EQ(found.crossings.size(), expected.size());
      EXPECT_EQ(found.first_sector, from);
      EXPECT_EQ(found.last_sector(), to);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(found.crossings[i].spoke, expected[i].spoke);
        EXPECT_NEAR(found.crossings[i].share, expected[i].share, 1e-9 * (1 + expected[i].share));
        const Sectors beside = umbrella.beside_spoke(expected[i].spoke);
        EXPECT_TRUE(beside.contains(found.crossings[i].sector));
        const Vector2 place = expected[i].share * umbrella.tip(expected[i].spoke);
        EXPECT_LT((a + found.crossings[i].along * (b - a) - place).norm(), 1e-9 * (1 + place.norm()));
      }
      crossed += expected.size();
    }
  });
  EXPECT_GT(crossed, 1000u);
}

TEST(Umbrella, an_outline_round_the_vertex_is_followed_the_way_it_turns) {
  const Surface sheet = bumpy(shapes::grid(4, 4), grid_positions(4), 0.1);
  Umbrella umbrella;
  umbrella.unfold(sheet.mesh, sheet.frames, 12, sheet.mesh.ring(12).front());
  ASSERT_TRUE(umbrella.closed());
  const std::size_t size = umbrella.size();
  const auto middle = [&](std::size_t k) {
    const double angle = 0.5 * (umbrella.angle(k) + umbrella.angle(k + 1));
    return Vector2(0.3 * std::cos(angle), 0.3 * std::sin(angle));
  };
  // The long way round: through the middle of every triangle but those between `to` and `from`.
  for (std::size_t steps = 1; steps < size; ++steps)
    for (const bool forward : {true, false}) {
      std::vector<Vector2> outline;
      for (std::size_t s = 0; s <= steps; ++s) outline.push_back(middle(forward ? s : (size - s) % size));
      const std::size_t to = forward ? steps : size - steps;
      SpokeCrossings found;
      ASSERT_TRUE(umbrella.follow(outline, {0, 0}, {to, to}, found));
      ASSERT_EQ(found.crossings.size(), steps);
      for (std::size_t s = 0; s < steps; ++s) {
        EXPECT_EQ(found.crossings[s].spoke, forward ? s + 1 : (size - s) % size);
        EXPECT_GT(found.crossings[s].share, 0);
        EXPECT_LT(found.crossings[s].share * umbrella.spoke_length(found.crossings[s].spoke), 0.3);
      }
    }
}

TEST(Umbrella, a_way_that_ends_where_it_starts_crosses_nothing) {
  for_each_umbrella([](const Surface& surface, Umbrella umbrella) {
    const Vector2 a = umbrella.place(surface.mesh, 0, Vector3(0.2, 0.3, 0.5));
    const Vector2 b = umbrella.place(surface.mesh, 0, Vector3(0.5, 0.2, 0.3));
    SpokeCrossings found;
    found.crossings.resize(3);
    ASSERT_TRUE(umbrella.follow(std::vector<Vector2>{a, b}, {0, 0}, {0, 0}, found));
    EXPECT_TRUE(found.crossings.empty());
    EXPECT_EQ(found.last_sector(), 0u);
  });
}

TEST(Umbrella, a_way_out_of_an_open_fan_is_refused) {
  const Surface sheet = bumpy(shapes::grid(2, 2), grid_positions(2), 0.0);
  Umbrella umbrella;
  umbrella.unfold(sheet.mesh, sheet.frames, 1, sheet.mesh.ring(1).front());
  ASSERT_EQ(umbrella.size(), 3u);
  const std::vector<Vector2> backwards{umbrella.place(sheet.mesh, 1, Vector3(0.2, 0.4, 0.4)),
                                       umbrella.place(sheet.mesh, 0, Vector3(0.2, 0.4, 0.4))};
  SpokeCrossings found;
  EXPECT_FALSE(umbrella.follow(backwards, {1, 1}, {2, 2}, found));
  EXPECT_TRUE(umbrella.follow(backwards, {1, 1}, {0, 0}, found));
}

TEST(Umbrella, reuse_gives_what_a_new_one_gives) {
  Umbrella reused;
  for (const Surface& surface : surfaces())
    for (std::int32_t v = 0; v < surface.mesh.vertex_count(); ++v) {
      const std::int32_t triangle = surface.mesh.ring(v).front();
      Umbrella fresh;
      fresh.unfold(surface.mesh, surface.frames, v, triangle);
      reused.unfold(surface.mesh, surface.frames, v, triangle);
      ASSERT_EQ(reused.size(), fresh.size());
      for (std::size_t k = 0; k <= fresh.size(); ++k) EXPECT_EQ(reused.tip(k), fresh.tip(k));
    }
}

TEST(Umbrella, refuses_a_triangle_that_is_not_at_the_vertex) {
  const Surface sheet = bumpy(shapes::grid(4, 4), grid_positions(4), 0.0);
  Umbrella umbrella;
  EXPECT_THROW(umbrella.unfold(sheet.mesh, sheet.frames, 0, 31), InvalidArgument);
}

}  // namespace
}  // namespace pucker
