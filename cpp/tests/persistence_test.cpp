#include "pucker/dynamic/persistence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <utility>

#include "motion.h"
#include "pucker/dynamic/path.h"
#include "pucker/mesh/distance.h"

namespace pucker {
namespace {

using testing::params_for;
using testing::RandomMotion;
using testing::RestShape;

// --- parts of paths --------------------------------------------------------------------------------------------------

/// The compression of `positions` against a rest shape, owned.
struct Compressed {
  Compressed(const RestShape& shape, const Array3& current)
      : mesh(*shape.mesh), positions(current), frames(local_frames(mesh, current)) {
    pucker::stretch(local_frames(mesh, shape.positions).matrices, frames.matrices, stretch);
    pucker::compression(stretch, {}, compression);
  }
  CompressionField field() const { return {mesh, positions, frames, stretch, compression}; }

  const Mesh& mesh;
  Array3 positions;
  LocalFrames frames;
  Stretch stretch;
  std::vector<double> compression;
};

Array3 squeezed(const Array3& rest, double x, double y) {
  Array3 out = rest;
  out.col(0) *= x;
  out.col(1) *= y;
  return out;
}

/// A path right across the squeezed sheet, with sizes that tell its knots apart.
Wrinkle long_path(const RestShape& shape, const Compressed& compressed, std::int32_t from = 30) {
  Tracer tracer(shape.mesh, params_for(0.02));
  Wrinkle out = tracer.trace(compressed.field(), {from, {0.3, 0.3, 0.4}}, SegmentIndex(*shape.mesh), 5).wrinkle.value();
  for (std::size_t i = 0; i < out.knot_widths.size(); ++i) {
    out.knot_widths[i] = 1 + double(i);
    out.knot_heights[i] = 10 + double(i);
  }
  return out;
}

TEST(PartOfPath, parts_lie_on_the_path_and_make_it_up) {
  const RestShape shape = testing::irregular_sheet(7, 0.35, 4);
  const Compressed compressed(shape, squeezed(shape.positions, 1, 0.6));
  const Wrinkle whole = long_path(shape, compressed);
  const double length = path_length(whole, compressed.positions);
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> parameter(0, double(whole.triangles.size()));
  for (int i = 0; i < 300; ++i) {
    double cut = parameter(random);
    if (i % 5 == 0) cut = std::round(cut);
    if (i % 7 == 0) cut = std::nextafter(std::round(cut), i % 2 == 0 ? 0.0 : 1e9);
    cut = std::clamp(cut, 0.0, double(whole.triangles.size()));
    double sum = 0;
    for (const auto& [from, to] : {std::pair(0.0, cut), std::pair(cut, double(whole.triangles.size()))}) {
      const Wrinkle part = part_of_path(*shape.mesh, compressed.positions, whole, from, to);
      if (part.size() < 2) continue;
      EXPECT_NO_THROW(require_path(*shape.mesh, part));
      EXPECT_EQ(part.id, whole.id);
      sum += path_length(part, compressed.positions);
      // No two points in a row on one edge: a part has no slivers.
      for (std::size_t k = 0; k + 1 < part.size(); ++k) EXPECT_FALSE(part.points[k].same_edge(part.points[k + 1]));
    }
    EXPECT_NEAR(sum, length, 1e-6 * length);
  }
}

TEST(PartOfPath, keeps_the_sizes_of_the_points_it_keeps) {
  const RestShape shape = testing::irregular_sheet(7, 0.35, 4);
  const Compressed compressed(shape, squeezed(shape.positions, 1, 0.6));
  const Wrinkle whole = long_path(shape, compressed);
  const Wrinkle part = part_of_path(*shape.mesh, compressed.positions, whole, 1, 4);
  ASSERT_EQ(part.size(), 4u);
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_NEAR(part.knot_widths[i], whole.knot_widths[i + 2], 1e-9);
    EXPECT_NEAR(part.knot_heights[i], whole.knot_heights[i + 2], 1e-9);
  }
  EXPECT_EQ(part_of_path(*shape.mesh, compressed.positions, whole, 0, double(whole.triangles.size())).points,
            whole.points);
}

// --- random motion
// -----------------------------------------------------------------------------------------------------

struct Surface {
  const char* name;
  RestShape (*make)();
};

class EverySurface : public ::testing::TestWithParam<std::tuple<Surface, PersistenceMethod>> {
 protected:
  RestShape shape() const { return std::get<0>(GetParam()).make(); }
  Params params() const {
    Params out = params_for(0.02);
    out.persistence.method = std::get<1>(GetParam());
    return out;
  }
};

INSTANTIATE_TEST_SUITE_P(
    Persistence, EverySurface,
    ::testing::Combine(::testing::Values(Surface{"sheet", [] { return testing::irregular_sheet(7, 0.35, 1); }},
                                         Surface{"tube", [] { return testing::tube(9, 6); }},
                                         Surface{"ball", [] { return testing::ball(); }},
                                         Surface{"moebius", [] { return testing::moebius(24); }},
                                         Surface{"book", [] { return testing::book(4, 3); }},
                                         Surface{"bow_tie", [] { return testing::bow_tie(4); }}),
                       ::testing::Values(PersistenceMethod::edges, PersistenceMethod::projection)),
    [](const auto& test) {
      return std::string(std::get<0>(test.param).name) +
             (std::get<1>(test.param) == PersistenceMethod::edges ? "_edges" : "_projection");
    });

TEST_P(EverySurface, paths_stay_valid_over_random_frames) {
  const RestShape rest = shape();
  std::size_t seen = 0;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const RandomMotion motion(rest.positions, 0.1, seed);
    Wrinkler run(rest.mesh, params());
    for (int frame = 0; frame < 100; ++frame) {
      const WrinklerState& state = run.advance(motion.at(frame / 30.0), frame / 30.0);
      seen += state.wrinkles.size();
      testing::expect_valid(*rest.mesh, state, run.positions());
      if (HasFailure()) FAIL() << "seed " << seed << ", frame " << frame;
    }
  }
  EXPECT_GT(seen, 1000u);
}

TEST_P(EverySurface, the_length_step_changes_a_length_by_at_most_15_percent_an_interval) {
  const RestShape rest = shape();
  const Params given = params();
  const double dt = given.interval;
  Persistence persistence(rest.mesh, given);
  std::size_t seen = 0;
  double least = 1;
  double most = 1;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const RandomMotion motion(rest.positions, 0.1, seed);
    Wrinkler run(rest.mesh, given);
    std::vector<Wrinkle> before;
    for (int frame = 0; frame < 150; ++frame) {
      const WrinklerState& state = run.advance(motion.at(frame * dt), frame * dt);
      // The wrinkles of the last frame where they lie now: merged without a move, then lengthened or trimmed.
      const CompressionField field{*rest.mesh, run.positions(), state.frames, state.stretch, state.compression};
      SegmentIndex occupied(*rest.mesh);
      std::int64_t next_id = 1000000;
      std::vector<Wrinkle> cut_off;
      persistence.merge(field, occupied, next_id, before);
      for (Wrinkle& wrinkle : before) {
        if (!wrinkle.alive) continue;
        const double length = path_length(wrinkle, run.positions());
        persistence.change_length(field, dt, occupied, next_id, wrinkle, cut_off);
        if (wrinkle.points.empty()) continue;  // it has become too short
        ++seen;
        const double ratio = path_length(wrinkle, run.positions()) / length;
        least = std::min(least, ratio);
        most = std::max(most, ratio);
      }
      before = state.wrinkles;
    }
  }
  EXPECT_GT(seen, 500u);
  // A new end may be pushed off a vertex by kVertexMargin of its edge, here at most as long as the whole shape, and the
  // shortest path is half of min_length long.
  const double slack = 2 * kVertexMargin / (0.5 * given.least_length());
  EXPECT_GE(least, 0.85 - slack);
  EXPECT_LE(most, 1.15 + slack);
  EXPECT_LT(least, 0.9);
  EXPECT_GT(most, 1.1);
}

// --- growth --------------------------------------------------------------------------------------------------------

/// A short path across the middle of an evenly squeezed sheet, with flat ends.
Wrinkle short_path(const RestShape& shape, const Compressed& compressed) {
  Wrinkle whole = long_path(shape, compressed);
  std::ranges::fill(whole.knot_heights, 0.0);
  const double middle = 0.5 * double(whole.triangles.size());
  return part_of_path(*shape.mesh, compressed.positions, whole, middle - 2, middle + 2);
}

TEST(ChangeLength, grows_at_both_ends_by_half_of_what_an_interval_adds_or_at_the_one_that_is_flat) {
  const RestShape shape = testing::irregular_sheet(24, 0.35, 4);
  const Compressed compressed(shape, squeezed(shape.positions, 1, 0.6));
  const Params params = params_for(0.02);
  const Wrinkle before = short_path(shape, compressed);
  const double length = path_length(before, compressed.positions);
  const Vector3 front = position(before.points.front(), compressed.positions);
  const Vector3 back = position(before.points.back(), compressed.positions);
  for (const double rate : {0.5, 1.0, 2.0})
    for (const auto& [high_front, high_back] : {std::pair(false, false), {true, false}, {false, true}, {true, true}}) {
      Wrinkle grown = before;
      if (high_front) grown.knot_heights.front() = 1;
      if (high_back) grown.knot_heights.back() = 1;
      Persistence persistence(shape.mesh, params);
      SegmentIndex occupied(*shape.mesh);
      std::int64_t next_id = 100;
      std::vector<Wrinkle> cut_off;
      persistence.change_length(compressed.field(), rate * params.interval, occupied, next_id, grown, cut_off);
      const double half = 0.5 * length * (std::pow(1 + params.persistence.length_change, rate) - 1);
      SCOPED_TRACE(message("rate ", rate, ", high ends ", high_front, ", ", high_back));
      EXPECT_TRUE(cut_off.empty());
      // Along the squeeze's ridge paths are straight, but for the margin at vertices.
      EXPECT_NEAR((position(grown.points.front(), compressed.positions) - front).norm(), high_front ? 0 : half, 1e-6);
      EXPECT_NEAR((position(grown.points.back(), compressed.positions) - back).norm(), high_back ? 0 : half, 1e-6);
      EXPECT_NEAR(path_length(grown, compressed.positions),
                  length + half * ((high_front ? 0 : 1) + (high_back ? 0 : 1)), 1e-6);
    }
}

// --- the walk of the second solution -------------------------------------------------------------------------------

/// The same triangles, some wound the other way round.
std::shared_ptr<const Mesh> partly_turned(const Mesh& mesh, std::mt19937_64& random) {
  Index3 faces = mesh.faces();
  for (Eigen::Index t = 0; t < faces.rows(); ++t)
    if (random() % 2 == 0) std::swap(faces(t, 1), faces(t, 2));
  return std::make_shared<const Mesh>(faces, mesh.vertex_count());
}

/// A path carried by the second solution as it is printed, which asks for no normals, so that the walk alone may.
struct Carried {
  Wrinkle path;
  std::vector<Vector3> targets;
};

Carried carried(const std::shared_ptr<const Mesh>& mesh, const Array3& rest, const Array3& before, const Array3& now,
                Wrinkle path) {
  const Compressed compressed({mesh, rest}, now);
  const LocalFrames previous = local_frames(*mesh, before);
  const Stretch motion_stretch = stretch(previous.matrices, compressed.frames.matrices);
  Params params = params_for(0.02);
  params.verbatim = true;
  params.persistence.method = PersistenceMethod::projection;
  Persistence persistence(mesh, params);
  const CompressionField field = compressed.field();
  const Motion motion{before, previous, field, motion_stretch, mean_edge_length(*mesh, rest), params.interval};
  Carried out;
  persistence.solve_in_space(motion, path, out.targets);
  persistence.move(motion, path);
  out.path = std::move(path);
  return out;
}

/// What the walk is told to follow: the rest pose squeezed, and then pushed along the sheet.
struct Pushed {
  RestShape shape = testing::irregular_sheet(20, 0.35, 4);
  Array3 before = squeezed(shape.positions, 1, 0.6);
  Wrinkle path;
  Array3 now = before;

  Pushed() {
    const Compressed compressed(shape, before);
    path = long_path(shape, compressed, 410);  // half-way up
    path = part_of_path(*shape.mesh, before, path, 6, double(path.triangles.size()) - 6);
    for (Eigen::Index v = 0; v < now.rows(); ++v) {
      const double x = before(v, 0);
      now(v, 0) += 0.02 * std::sin(7 * x);
      now(v, 1) += 0.06 * std::sin(3 * x + 1);
    }
  }
};

TEST(Projection, a_path_lies_where_the_line_through_its_solved_points_does) {
  const Pushed pushed;
  const Eigen::Matrix3d turn = Eigen::AngleAxisd(1.1, Vector3(1, 2, 3).normalized()).toRotationMatrix();
  const auto turned = [&](const Array3& flat) -> Array3 { return flat * turn.transpose(); };
  const Array3 now = turned(pushed.now);
  const auto [path, targets] =
      carried(pushed.shape.mesh, pushed.shape.positions, turned(pushed.before), now, pushed.path);
  EXPECT_NO_THROW(require_path(*pushed.shape.mesh, path));
  EXPECT_NE(path.points, pushed.path.points);
  for (const PathPoint& point : path.points) {
    const Vector3 at = position(point, now);
    double square = 1;
    for (std::size_t i = 0; i + 1 < targets.size(); ++i)
      square = std::min(square, point_segment_square(at, targets[i], targets[i + 1]));
    EXPECT_LT(std::sqrt(square), 1e-6);
  }
  EXPECT_LT((position(path.points.front(), now) - targets.front()).norm(), 1e-6);
  EXPECT_LT((position(path.points.back(), now) - targets.back()).norm(), 1e-6);
  EXPECT_NEAR(path.knot_heights.front(), pushed.path.knot_heights.front(), 1e-9);
  EXPECT_NEAR(path.knot_heights.back(), pushed.path.knot_heights.back(), 1e-9);
  // All of the way, in order: each point is farther along than the one before, and so are the sizes that it keeps.
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    EXPECT_GT((position(path.points[i + 1], now) - position(path.points[i], now)).dot(targets.back() - targets.front()),
              0);
    EXPECT_GE(path.knot_heights[2 * i + 2], path.knot_heights[2 * i]) << i;
  }
}

TEST(Projection, off_the_surface_a_path_ends_at_the_feet_of_its_solved_points) {
  const Pushed pushed;
  Array3 now = pushed.now;
  for (Eigen::Index v = 0; v < now.rows(); ++v) {
    const double x = now(v, 0);
    const double y = now(v, 1);
    now(v, 2) = 0.03 * std::sin(3 * x + y);
  }
  const auto [path, targets] = carried(pushed.shape.mesh, pushed.shape.positions, pushed.before, now, pushed.path);
  const LocalFrames frames = local_frames(*pushed.shape.mesh, now);
  const auto expect_foot = [&](const PathPoint& point, std::int32_t triangle, const Vector3& target) {
    const Vector3 way = target - position(point, now);
    EXPECT_GT(way.norm(), 1e-6);  // off the surface
    const Vector3& normal = frames.frames[std::size_t(triangle)].normal;
    EXPECT_LT((way - way.dot(normal) * normal).norm(), 1e-9);
  };
  expect_foot(path.points.front(), path.triangles.front(), targets.front());
  expect_foot(path.points.back(), path.triangles.back(), targets.back());
  // In between it goes from each foot straight to the next target, and over an edge where that meets the wall there.
  const auto nearest_on_cloth = [&](const Vector3& target) {
    double least = 1;
    Vector3 out = target;
    for (std::int32_t t = 0; t < pushed.shape.mesh->triangle_count(); ++t) {
      const auto corner = [&](int k) -> Vector3 { return now.row(pushed.shape.mesh->faces()(t, k)).transpose(); };
      const Vector3& normal = frames.frames[std::size_t(t)].normal;
      const double away = (target - corner(0)).dot(normal);
      const Vector3 foot = target - away * normal;
      bool inside = std::abs(away) < least;
      for (int k = 0; k < 3; ++k) inside &= (corner((k + 1) % 3) - corner(k)).cross(foot - corner(k)).dot(normal) >= 0;
      if (!inside) continue;
      least = std::abs(away);
      out = foot;
    }
    return out;
  };
  std::vector<Vector3> feet;
  feet.reserve(targets.size());
  for (const Vector3& target : targets) feet.push_back(nearest_on_cloth(target));
  for (std::size_t p = 1; p + 1 < path.size(); ++p) {
    const PathPoint& point = path.points[p];
    const Vector3 end = now.row(point.v1).transpose();
    const Vector3 edge = Vector3(now.row(point.v0).transpose()) - end;
    const Vector3 mean =
        frames.frames[std::size_t(path.triangles[p - 1])].normal + frames.frames[std::size_t(path.triangles[p])].normal;
    const Vector3 outward = edge.cross(mean);
    double off = 1;
    for (std::size_t i = 1; i < targets.size(); ++i) {
      const double share = (end - feet[i - 1]).dot(outward) / (targets[i] - feet[i - 1]).dot(outward);
      if (!(share >= 0 && share <= 1)) continue;
      const Vector3 hit = feet[i - 1] + share * (targets[i] - feet[i - 1]);
      off = std::min(off, std::abs((hit - end).dot(edge) / edge.squaredNorm() - point.t));
    }
    EXPECT_LT(off, 1e-6) << p;
  }
}

TEST(Projection, does_not_ask_how_triangles_are_wound) {
  const Pushed pushed;
  Array3 now = pushed.now;
  for (Eigen::Index v = 0; v < now.rows(); ++v) now(v, 2) = 0.1 * std::sin(5 * now(v, 0) + 4 * now(v, 1));
  const Array3& rest = pushed.shape.positions;
  const Carried expected = carried(pushed.shape.mesh, rest, pushed.before, now, pushed.path);
  EXPECT_NE(expected.path.points, pushed.path.points);
  std::mt19937_64 random(6);
  for (int trial = 0; trial < 8; ++trial) {
    const auto mesh = partly_turned(*pushed.shape.mesh, random);
    const Carried found = carried(mesh, rest, pushed.before, now, pushed.path);
    EXPECT_EQ(found.path.triangles, expected.path.triangles);
    ASSERT_EQ(found.path.size(), expected.path.size());
    for (std::size_t i = 0; i < found.path.size(); ++i)
      EXPECT_LT((position(found.path.points[i], now) - position(expected.path.points[i], now)).norm(), 1e-9);
  }
}

TEST(Merge, a_path_that_turns_round_a_vertex_does_not_cross_itself_where_it_is_cut) {
  // Nearer to the vertex than points are kept off it, which a cut between them would be moved by.
  const auto mesh = std::make_shared<Mesh>((Index3(2, 3) << 0, 1, 2, 0, 2, 3).finished(), 4);
  Array3 positions(4, 3);
  positions << 0, 0, 0, 288.04, -346.9, 255.55, -20.4, -40.2, -254.9, 29.1, -227.2, -374.9;
  const LocalFrames frames = local_frames(*mesh, positions);
  const Stretch none = stretch(frames.matrices, frames.matrices);
  const std::vector<double> compression(2, 1.5);
  const CompressionField field{*mesh, positions, frames, none, compression};
  Wrinkle path;
  path.points = {
      {1, 2, 0.325653482515}, {0, 2, 0.999999}, {0, 3, 0.999999}, {0, 2, 0.999998594643}, {0, 1, 0.960990283165}};
  path.triangles = {0, 1, 1, 0};
  path.knot_widths.assign(9, 0.6);
  path.knot_heights.assign(9, 0.1);
  require_path(*mesh, path);
  ASSERT_TRUE(crosses_itself(field, path));
  Params params = params_for(0.6);
  params.tracing.bend = 0;  // which would cut it before
  for (const bool reversed : {false, true}) {
    std::vector<Wrinkle> wrinkles{path};
    if (reversed) reverse_path(wrinkles[0]);
    SegmentIndex occupied(*mesh);
    std::int64_t next_id = 1;
    Persistence(mesh, params).merge(field, occupied, next_id, wrinkles);
    std::size_t alive = 0;
    for (const Wrinkle& wrinkle : wrinkles) {
      require_path(*mesh, wrinkle);
      if (!wrinkle.alive) continue;
      ++alive;
      EXPECT_FALSE(crosses_itself(field, wrinkle));
    }
    EXPECT_EQ(alive, 1u);
  }
}

TEST_P(EverySurface, without_motion_a_move_changes_no_bit) {
  const RestShape rest = shape();
  const Params given = params();
  Persistence persistence(rest.mesh, given);
  const RandomMotion motion(rest.positions, 0.1, 7);
  Wrinkler run(rest.mesh, given);
  std::size_t seen = 0;
  for (int frame = 0; frame < 60; ++frame) {
    const WrinklerState& state = run.advance(motion.at(frame / 30.0), frame / 30.0);
    const CompressionField field{*rest.mesh, run.positions(), state.frames, state.stretch, state.compression};
    const Stretch still = stretch(state.frames.matrices, state.frames.matrices);
    const double unit = mean_edge_length(*rest.mesh, rest.positions);
    for (const Wrinkle& wrinkle : state.wrinkles) {
      Wrinkle moved = wrinkle;
      persistence.move({run.positions(), state.frames, field, still, unit, 1 / 30.0}, moved);
      EXPECT_EQ(moved, wrinkle);
      ++seen;
    }
  }
  EXPECT_GT(seen, 100u);
}

}  // namespace
}  // namespace pucker
