#include "pucker/drape/drape.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <random>
#include <utility>
#include <vector>

#include "pucker/errors.h"
#include "shapes.h"

namespace pucker::drape {
namespace {

constexpr std::int32_t kAcross = 10;
constexpr std::int32_t kAlong = 6;
constexpr int kLevels = 2;

std::shared_ptr<const Mesh> sheet() {
  return std::make_shared<const Mesh>(shapes::grid(kAcross, kAlong), (kAcross + 1) * (kAlong + 1));
}

/// The sheet, `squeezed` along x and bent by a low wave, so that folds have a side to go to.
Array3 squeezed(double share, double bend = 0.02) {
  Array3 out((kAcross + 1) * (kAlong + 1), 3);
  for (std::int32_t y = 0; y <= kAlong; ++y)
    for (std::int32_t x = 0; x <= kAcross; ++x)
      out.row(y * (kAcross + 1) + x) << share * x / 10.0, y / 10.0, bend * std::sin(0.9 * x + 0.3 * y);
  return out;
}

Params held() {
  Params params;
  params.levels = kLevels;
  // Tests of the solver do not follow the defaults.
  params.fold_size = 0.2;
  params.wavelength = 0.35;
  params.edges_per_wave = 7;
  params.creep = 0.7;
  params.compression = 1.6;
  params.thickness = 0;
  params.swing = 0;
  params.depth = 10;
  return params;
}

Array3 noise(Eigen::Index rows, double size) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal(0, size);
  return Array3::NullaryExpr(rows, 3, [&] { return normal(random); });
}

struct Aimed {
  std::shared_ptr<const Levels> levels =
      std::make_shared<const Levels>(std::make_shared<const LoopSubdivision>(sheet(), kLevels));
  Guide guide{levels};
  Lengths lengths;
  Balance balance;

  explicit Aimed(const Params& params, const Array3& positions, double depth = 10,
                 const std::vector<std::uint8_t>& pinned = {})
      : lengths(lengths_of(*levels, squeezed(1), params)),
        balance(levels, squeezed(1), lengths, pinned, {.creep = params.creep, .compression = params.compression}) {
    guide.step(positions);
    balance.aim(guide.positions(), guide.normals(), {}, depth);
  }
};

TEST(DrapeLevels, one_after_the_other_they_are_the_whole_subdivision) {
  const Levels levels(subdivided(sheet(), 3, squeezed(1)));
  const Steps steps(levels.whole());
  Array3 places = squeezed(0.9);
  for (int level = 0; level < 3; ++level) places = Array3(steps.up(level) * places);
  for (int level = 0; level <= 3; ++level) EXPECT_EQ(levels.vertex_count(level), steps.mesh(level)->vertex_count());
  EXPECT_EQ(steps.mesh(3)->faces(), levels.whole().fine()->faces());
  EXPECT_LT((places - levels.whole().matrix() * squeezed(0.9)).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(DrapeLevels, a_sheet_keeps_its_corners) {
  const Levels levels(subdivided(sheet(), 2, squeezed(1)));
  Array3 bent = squeezed(1);
  for (const int axis : {0, 1}) bent.col(2).array() += bent.col(axis).array().square();
  Array3 fine;
  levels.place(bent, fine);
  for (std::int32_t y = 0; y <= kAlong; ++y)
    for (std::int32_t x = 0; x <= kAcross; ++x) {
      const Eigen::Index v = y * (kAcross + 1) + x;
      const bool corner = (x == 0 || x == kAcross) && (y == 0 || y == kAlong);
      EXPECT_EQ((fine.row(v) - bent.row(v)).norm() == 0, corner) << "at " << x << ", " << y;
    }
}

TEST(DrapeBalance, gradient_is_that_of_the_energy) {
  // With all parts: a pull, bending, and vertices that are too deep.
  Aimed aimed(held(), squeezed(0.85), 0.005);
  const Array3 before = aimed.guide.positions() + noise(aimed.guide.positions().rows(), 0.02);
  const Pull pull{.to = &before, .weight = 0.7};
  aimed.balance.aim(aimed.guide.positions(), aimed.guide.normals(), std::span(&pull, 1), 0.005);
  const Array3 x = aimed.guide.positions() + noise(aimed.guide.positions().rows(), 0.01);
  Array3 gradient, unused;
  aimed.balance.evaluate(x, gradient);
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 5; ++trial) {
    const Array3 way = Array3::NullaryExpr(x.rows(), 3, [&] { return normal(random); });
    constexpr double step = 1e-6;
    const double slope =
        (aimed.balance.evaluate(x + step * way, unused) - aimed.balance.evaluate(x - step * way, unused)) / (2 * step);
    const double expected = gradient.cwiseProduct(way).sum();
    EXPECT_NEAR(slope, expected, 1e-6 * gradient.norm() * way.norm());
  }
}

TEST(DrapeBalance, energy_never_rises_and_more_iterations_are_nearer) {
  double last = 1e300;
  for (const int iterations : {0, 1, 2, 5, 10, 30, 100, 300}) {
    Aimed aimed(held(), squeezed(0.85));
    Array3 x = aimed.guide.positions();
    const Solved solved = aimed.balance.solve(x, iterations, 0);
    Array3 unused;
    // The solver's own sum is of terms in single precision.
    EXPECT_NEAR(aimed.balance.evaluate(x, unused), solved.energy, 1e-6 * solved.energy);
    EXPECT_LE(solved.energy, last);
    last = solved.energy;
  }
}

TEST(DrapeBalance, another_start_near_a_minimum_finds_it) {
  Aimed aimed(held(), squeezed(0.9));
  Array3 x = aimed.guide.positions();
  const Solved first = aimed.balance.solve(x, 3000, 0);
  // About what single precision resolves of a strain.
  EXPECT_LE(first.residual, 1e-6);
  Array3 moved = x + noise(x.rows(), 1e-3);
  const Solved second = aimed.balance.solve(moved, 3000, 0);
  EXPECT_NEAR(second.energy, first.energy, 1e-6 * first.energy);
}

TEST(DrapeBalance, pinned_vertices_stay_on_the_guide) {
  std::vector<std::uint8_t> pinned(std::size_t(LoopSubdivision(sheet(), kLevels).fine()->vertex_count()), 0);
  for (std::size_t v = 0; v < pinned.size(); v += 7) pinned[v] = 1;
  Aimed aimed(held(), squeezed(0.85), 10, pinned);
  Array3 x = aimed.guide.positions() + noise(aimed.guide.positions().rows(), 0.01);
  aimed.balance.solve(x, 20, 0);
  for (std::size_t v = 0; v < pinned.size(); v += 7)
    EXPECT_EQ(x.row(Eigen::Index(v)), aimed.guide.positions().row(Eigen::Index(v)));
}

TEST(DrapeBalance, each_vertex_has_a_plane_of_its_own) {
  Aimed guides(held(), squeezed(0.85), 0.005);
  Aimed given(held(), squeezed(0.85));
  const Eigen::Index count = guides.guide.positions().rows();
  // Those of the guide, through other points of theirs: shifted along them.
  const Array3 points = guides.guide.positions() + 0.01 * guides.guide.normals();
  std::vector<double> depths(std::size_t(count), 0.015);
  given.balance.aim(guides.guide.positions(), {}, {points, guides.guide.normals(), depths});
  Array3 x = guides.guide.positions();
  Array3 other = x;
  guides.balance.solve(x, 20, 0);
  given.balance.solve(other, 20, 0);
  EXPECT_LT((x - other).cwiseAbs().maxCoeff(), 1e-9);

  // A table for half of the sheet, which lies partly beneath it; the other half is free.
  const Array3 up = Eigen::RowVector3d(0, 0, 1).replicate(count, 1);
  for (std::size_t v = 0; v < depths.size(); ++v)
    depths[v] = guides.guide.positions()(Eigen::Index(v), 0) < 0.4 ? -0.01 : std::numeric_limits<double>::infinity();
  given.balance.aim(guides.guide.positions(), {}, {Array3::Zero(count, 3), up, depths});
  Array3 gradient, unused;
  const Array3 away = noise(count, 1);
  constexpr double step = 1e-6;
  const double slope =
      (given.balance.evaluate(other + step * away, unused) - given.balance.evaluate(other - step * away, unused)) /
      (2 * step);
  given.balance.evaluate(other, gradient);
  EXPECT_NEAR(slope, gradient.cwiseProduct(away).sum(), 1e-6 * gradient.norm() * away.norm());
  given.balance.solve(other, 500, 1e-8);
  double on_table = 1;
  double beside = 1;
  for (std::size_t v = 0; v < depths.size(); ++v) {
    double& least = depths[v] < 1 ? on_table : beside;
    least = std::min(least, other(Eigen::Index(v), 2));
  }
  EXPECT_GT(on_table, 0.009);
  EXPECT_LT(beside, -0.01);

  depths[3] = std::nan("");
  EXPECT_THROW(given.balance.aim(points, {}, {points, up, depths}), InvalidArgument);
  depths.pop_back();
  EXPECT_THROW(given.balance.aim(points, {}, {points, up, depths}), InvalidArgument);
}

TEST(DrapeBalance, folds_of_a_squeezed_sheet_are_as_long_as_asked_on_two_levels) {
  // A strip far longer than its folds, flat but for noise: the crossings of its middle line count them.
  constexpr std::int32_t along = 64;
  const auto mesh = std::make_shared<const Mesh>(shapes::grid(along, 2), 3 * (along + 1));
  const auto strip = [&](double share) {
    Array3 out(3 * (along + 1), 3);
    for (std::int32_t y = 0; y <= 2; ++y)
      for (std::int32_t x = 0; x <= along; ++x) out.row(y * (along + 1) + x) << share * x / double(along), y / 64.0, 0;
    return out;
  };
  for (const int levels : {1, 2}) {
    Params params = held();
    params.levels = levels;
    params.fold_size = 0.1;
    params.wavelength = 1.2;
    params.edges_per_wave = 0;
    const auto shared = std::make_shared<const Levels>(subdivided(mesh, levels, strip(1)));
    Guide guide(shared);
    Balance balance(shared, strip(1), lengths_of(*shared, strip(1), params), {}, {});
    // Folds begin at a strain of about 2 (λ / 2πℓ)².
    guide.step(strip(0.9));
    balance.aim(guide.positions(), guide.normals(), {}, 10);
    Array3 x = guide.positions() + noise(guide.positions().rows(), 1e-4);
    balance.solve(x, 2000, 1e-9);
    double highest = 0;
    std::vector<std::pair<double, double>> line;
    for (Eigen::Index v = 0; v < x.rows(); ++v) {
      if (std::abs(guide.positions()(v, 1) - 1 / 64.0) > 1e-6) continue;
      line.emplace_back(guide.positions()(v, 0), x(v, 2));
      highest = std::max(highest, std::abs(x(v, 2)));
    }
    std::ranges::sort(line);
    EXPECT_GT(highest, 0.005);
    int crossings = 0;
    for (std::size_t k = 1; k < line.size(); ++k) crossings += line[k - 1].second * line[k].second < 0 ? 1 : 0;
    EXPECT_NEAR(2 * 0.9 / crossings, 0.12, 0.15 * 0.12) << crossings << " crossings at level " << levels;
  }
}

TEST(Drape, at_rest_nothing_moves) {
  Drape run(sheet(), squeezed(1), held());
  for (int frame = 0; frame < 4; ++frame) {
    const DrapeState& state = run.advance(squeezed(1), 0.1 * frame);
    EXPECT_LT((state.draped - state.guide).cwiseAbs().maxCoeff(), 1e-12);
  }
}

TEST(Drape, a_rigid_motion_moves_the_cloth_rigidly) {
  Params params = held();
  params.lag = 0;
  Drape still(sheet(), squeezed(1), params);
  Drape moved(sheet(), squeezed(1), params);
  for (int frame = 0; frame < 4; ++frame) {
    const Array3 at = squeezed(1 - 0.02 * frame);
    const Eigen::Matrix3d turn(Eigen::AngleAxisd(0.2 * frame, Vector3(1, 2, 3).normalized()));
    const Eigen::RowVector3d shift(0.1 * frame, -0.2, 0.05 * frame);
    const Array3 turned = (at * turn.transpose()).rowwise() + shift;
    const Array3 expected = (still.advance(at, 0.1 * frame).draped * turn.transpose()).rowwise() + shift;
    // The solver rounds numbers to single precision, 6e-8 of what is away from the guide, differently when turned.
    EXPECT_LT((moved.advance(turned, 0.1 * frame).draped - expected).cwiseAbs().maxCoeff(), 1e-7);
  }
}

TEST(Drape, another_unit_of_length_changes_nothing) {
  Drape one(sheet(), squeezed(1), held());
  Drape hundred(sheet(), 100 * squeezed(1), held());
  for (int frame = 0; frame < 4; ++frame) {
    const Array3 at = squeezed(1 - 0.04 * frame);
    const Array3 small = one.advance(at, 0.1 * frame).balanced;
    // The solver's unit is a power of two: with another, single precision rounds differently.
    EXPECT_LT((hundred.advance(100 * at, 0.1 * frame).balanced - 100 * small).cwiseAbs().maxCoeff(), 100 * 2e-6);
  }
}

TEST(Drape, a_unit_of_a_power_of_two_keeps_the_bits) {
  Drape one(sheet(), squeezed(1), held());
  Drape other(sheet(), 1024 * squeezed(1), held());
  for (int frame = 0; frame < 4; ++frame) {
    const Array3 at = squeezed(1 - 0.04 * frame);
    const Array3 small = one.advance(at, 0.1 * frame).draped;
    EXPECT_EQ(other.advance(1024 * at, 0.1 * frame).draped, 1024 * small);
  }
}

TEST(Drape, a_sheet_that_is_carried_along_lags) {
  // Without strain x = (g + r x_last) / (1 + r), r the lag over the time between frames.
  Params params = held();
  params.memory = 0;
  params.lag = 0.02;
  Drape run(sheet(), squeezed(1), params);
  Array3 last = run.advance(squeezed(1), 0).balanced;
  for (int frame = 1; frame < 5; ++frame) {
    const Array3 at = squeezed(1).rowwise() + Eigen::RowVector3d(0, 0.01 * frame, 0.02 * frame);
    const DrapeState& state = run.advance(at, 0.1 * frame);
    const Array3 expected = (state.guide + 0.2 * last) / 1.2;
    EXPECT_LT((state.balanced - expected).cwiseAbs().maxCoeff(), 1e-5);
    last = state.balanced;
  }
}

TEST(Drape, no_vertex_lies_deeper_than_asked) {
  Params params = held();
  params.depth = 0.002;
  Drape run(sheet(), squeezed(1), params);
  for (int frame = 0; frame < 4; ++frame) {
    const DrapeState& state = run.advance(squeezed(0.95 - 0.05 * frame), 0.1 * frame);
    Guide guide(std::make_shared<const Levels>(subdivided(sheet(), kLevels, squeezed(1))));
    guide.step(state.positions);
    const Eigen::VectorXd heights = (state.balanced - state.guide).cwiseProduct(guide.normals()).rowwise().sum();
    EXPECT_GE(heights.minCoeff(), -params.depth * run.setting().lengths.extent - 1e-12);
    EXPECT_GT(heights.maxCoeff(), params.depth * run.setting().lengths.extent);
  }
}

TEST(Drape, a_restored_run_goes_on_with_the_same_bits) {
  Params params = held();
  params.gain = 1.5;
  Drape run(sheet(), squeezed(1), params, {0, 1, 2});
  EXPECT_EQ(Drape::restore(run.save()).save(), run.save());
  for (int frame = 0; frame < 3; ++frame) run.advance(squeezed(1 - 0.04 * frame), 0.1 * frame);
  Drape other = Drape::restore(run.save());
  EXPECT_EQ(other.state().draped, run.state().draped);
  for (int frame = 3; frame < 6; ++frame) {
    const Array3 at = squeezed(1 - 0.04 * frame);
    EXPECT_EQ(run.advance(at, 0.1 * frame).draped, other.advance(at, 0.1 * frame).draped);
    EXPECT_EQ(run.state().normals, other.state().normals);
  }
  EXPECT_EQ(other.save(), run.save());
  std::string bytes = run.save();
  bytes[bytes.size() / 2] ^= 1;
  EXPECT_THROW(Drape::restore(bytes), Error);
}

TEST(Drape, a_shared_border_lies_on_the_coarse_edges_and_is_cut_there) {
  // The first row of vertices is shared with what is not subdivided. Bent along it, a smooth border would leave it.
  std::vector<std::int32_t> shared;
  for (std::int32_t x = 0; x <= kAcross; ++x) shared.push_back(x);
  const auto bent = [](double height) {
    Array3 out = squeezed(1, 0);
    for (std::int32_t x = 0; x <= kAcross; ++x) out(x, 2) = x % 2 == 0 ? height : 0;
    return out;
  };
  Drape sewn(sheet(), bent(0.05), held(), shared);
  const LoopSubdivision& fine = sewn.setting().levels->whole();
  const DrapeState& rest = sewn.advance(bent(0.05), 0);
  // Cut with the border where it is sewn, nothing is strained at rest.
  EXPECT_LT((rest.balanced - rest.guide).cwiseAbs().maxCoeff(), 1e-6);
  const Array3 moved = bent(0.09);
  const DrapeState& state = sewn.advance(moved, 0.1);
  const Array3 flat = fine.barycentrics() * moved;
  const Array3 smooth = fine.matrix() * moved;
  double away = 0;
  for (Eigen::Index v = 0; v < flat.rows(); ++v) {
    bool on_border = true;
    for (SparseRows::InnerIterator entry(fine.barycentrics(), v); entry; ++entry)
      on_border = on_border && entry.col() <= kAcross;
    if (!on_border) continue;
    EXPECT_LT((state.draped.row(v) - flat.row(v)).norm(), 1e-12) << v;
    away = std::max(away, (smooth.row(v) - flat.row(v)).norm());
  }
  EXPECT_GT(away, 0.01);
  Params loose = held();
  loose.sewn = false;
  Drape free(sheet(), bent(0.05), loose, shared);
  EXPECT_EQ(free.advance(moved, 0).guide, smooth);
  EXPECT_THROW(Drape(sheet(), bent(0.05), loose, {77}), InvalidArgument);
}

TEST(Drape, a_guide_that_jumps_starts_anew_and_says_so) {
  Drape run(sheet(), squeezed(1), held());
  Drape fresh(sheet(), squeezed(1), held());
  EXPECT_TRUE(run.advance(squeezed(1), 0).started);
  EXPECT_FALSE(run.advance(squeezed(0.9), 0.1).started);
  const Array3 there = squeezed(0.9).rowwise() + Eigen::RowVector3d(5, 0, 0);
  EXPECT_TRUE(run.advance(there, 0.2).started);
  EXPECT_EQ(run.state().draped, fresh.advance(there, 0.2).draped);
}

TEST(Drape, what_is_held_harder_than_single_precision_tells_stays_where_it_is_pulled) {
  for (const double size : {1e-30, 1e-102, 1e-300}) {
    Params params = held();
    params.fold_size = size;
    Drape run(sheet(), squeezed(1), params);
    const DrapeState& state = run.advance(squeezed(0.8), 0);
    EXPECT_TRUE(std::isfinite(state.solved.energy) && std::isfinite(state.solved.residual)) << size;
    EXPECT_LT((state.balanced - state.guide).cwiseAbs().maxCoeff(), 1e-7) << size;
  }
  // A frame of no length, or a lag without end: the cloth stays where it was in the world.
  for (const auto& [lag, passed] :
       std::vector<std::pair<double, double>>{{0.004, 1e-60}, {0.004, 1e-310}, {1e300, 0.04}, {1e300, 1e-60}}) {
    Params params = held();
    params.memory = 0;
    params.lag = lag;
    Drape run(sheet(), squeezed(1), params);
    const Array3 before = run.advance(squeezed(0.8), 0).balanced;
    const DrapeState& state = run.advance(squeezed(0.7), passed);
    EXPECT_TRUE(std::isfinite(state.solved.energy) && std::isfinite(state.solved.residual)) << lag;
    EXPECT_LT((state.balanced - before).cwiseAbs().maxCoeff(), 1e-6) << lag;
  }
}

TEST(Drape, states_that_are_held_stay_as_they_are) {
  Drape run(sheet(), squeezed(1), held());
  run.advance(squeezed(0.9), 0);
  const std::shared_ptr<const DrapeState> kept = run.share_state();
  const Array3 surface = kept->draped;
  for (int frame = 1; frame < 5; ++frame) run.advance(squeezed(1 - 0.04 * frame), 0.1 * frame);
  EXPECT_EQ(kept->draped, surface);
}

TEST(Drape, refuses_what_it_cannot_drape) {
  Params params = held();
  params.fold_size = 0;
  EXPECT_THROW(Drape(sheet(), squeezed(1), params), InvalidArgument);
  EXPECT_THROW(Drape(sheet(), Array3::Zero(77, 3), held()), InvalidArgument);
  EXPECT_THROW(Drape(sheet(), Array3::Zero(3, 3), held()), InvalidArgument);
  EXPECT_THROW(Drape(sheet(), squeezed(1), held(), {77}), InvalidArgument);
}

TEST(DrapeLengths, each_piece_has_a_fold_size_by_its_own_extent) {
  // The sheet, a quarter of it beside it that no edge joins, and a vertex of no triangle.
  const Index3 faces = sheet()->faces();
  const auto count = std::int32_t(squeezed(1).rows());
  Index3 both(2 * faces.rows(), 3);
  both << faces, faces.array() + count;
  Array3 cut(2 * count + 1, 3);
  cut << squeezed(1), 0.25 * squeezed(1), Eigen::RowVector3d(3, 0, 0);
  cut.middleRows(count, count).col(0).array() += 2;
  const Levels levels(subdivided(std::make_shared<const Mesh>(both, cut.rows()), 1, cut));
  const Lengths lengths = lengths_of(levels, cut, held());
  const double extent = kAcross / 10.0;
  EXPECT_DOUBLE_EQ(lengths.extent, 3);
  EXPECT_NEAR(lengths.fold_sizes[0], 0.2 * 1.5 * extent, 1e-12);
  EXPECT_NEAR(lengths.fold_sizes[std::size_t(count)], 0.2 * 1.5 * 0.25 * extent, 1e-12);
  EXPECT_NEAR(lengths.fold_sizes[2 * std::size_t(count)], 0.01 * 0.2 * 3, 1e-12);
}

TEST(DrapeLevels, are_as_many_as_folds_need) {
  Params params = held();
  params.levels = -1;
  params.fold_size = 1;
  // 0.1 between vertices, 0.114 in the mean with diagonals: seven of them are 0.8.
  params.wavelength = 0.85;
  EXPECT_EQ(levels_of(*sheet(), squeezed(1, 0), params), 0);
  params.wavelength = 0.5;
  EXPECT_EQ(levels_of(*sheet(), squeezed(1, 0), params), 1);
  params.wavelength = 0.25;
  EXPECT_EQ(levels_of(*sheet(), squeezed(1, 0), params), 2);
  EXPECT_EQ(levels_of(*sheet(), 7 * squeezed(1, 0), params), 2);
  params.wavelength = 0.001;
  EXPECT_EQ(levels_of(*sheet(), squeezed(1, 0), params), 3) << "no more levels than three";
  constexpr std::int32_t across = 40;
  constexpr std::int32_t along = 20;
  const Mesh large(shapes::grid(across, along), (across + 1) * (along + 1));
  Array3 flat(large.vertex_count(), 3);
  for (Eigen::Index v = 0; v < flat.rows(); ++v) {
    const Eigen::Index row = v / (across + 1);
    flat.row(v) << double(v % (across + 1)), double(row), 0;
  }
  EXPECT_EQ(levels_of(large, flat, params), 2) << "1 600 triangles, 102 400 at three levels";
  params.wavelength = 0;
  EXPECT_EQ(levels_of(*sheet(), squeezed(1, 0), params), 0);
  params.levels = 5;
  EXPECT_EQ(levels_of(*sheet(), squeezed(1, 0), params), 5);
  params.levels = -1;
  params.wavelength = 0.25;
  const Drape run(sheet(), squeezed(1), params);
  EXPECT_EQ(run.setting().levels->count(), 2);
  params.levels = -2;
  EXPECT_THROW(levels_of(*sheet(), squeezed(1), params), InvalidArgument);
}

}  // namespace
}  // namespace pucker::drape
