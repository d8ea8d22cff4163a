#include "pucker/byexample/regression.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "byexample_shapes.h"
#include "pucker/byexample/by_example.h"
#include "pucker/errors.h"

namespace pucker::byexample {
namespace {

constexpr int kLevels = 1;
constexpr int kDetails = 4;
const std::vector<std::int32_t> kPoints{0, 21, 44};

std::vector<Array3> centres() { return {bent(0.8), bent(-0.6, 0.2), bent(0.2, -0.3), bent(0.4)}; }

Array3 random_rows(std::mt19937_64& random, Eigen::Index rows, double size) {
  std::normal_distribution<double> normal(0, size);
  return Array3::NullaryExpr(rows, 3, [&] { return normal(random); });
}

RegressionTables tables() {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  RegressionTables out{
      .points = kPoints, .velocities = {}, .coefficients = {}, .width = 0.3, .motion = 0.1, .displacements = {}};
  for (std::size_t k = 0; k < centres().size(); ++k) out.velocities.push_back(random_rows(random, 3, 1));
  for (std::size_t k = 0; k < kPoints.size(); ++k)
    out.coefficients.emplace_back(
        Table::NullaryExpr(Eigen::Index(centres().size()) + 1, kDetails - 1, [&] { return normal(random); }));
  return out;
}

RegressionTables displaced_tables() {
  std::mt19937_64 random(6);
  RegressionTables out = tables();
  out.displacement = 0.7;
  for (std::size_t k = 0; k < centres().size(); ++k) out.displacements.push_back(random_rows(random, 48, 0.3));
  return out;
}

Synthesis synthesis(RegressionTables learned = tables()) {
  std::mt19937_64 random(9);
  std::vector<Array3> details;
  details.reserve(kDetails);
  const LoopSubdivision loop(tube(), kLevels);
  for (int k = 0; k < kDetails; ++k) details.push_back(random_rows(random, loop.fine()->vertex_count(), 0.02));
  return {tube(), kLevels, bent(0), centres(), std::move(details), std::move(learned)};
}

TEST(Roots, are_rounded_right_and_no_estimate_of_the_processor) {
  std::mt19937_64 random(8);
  std::uniform_real_distribution<float> number(0, 10);
  const Eigen::ArrayXf numbers = Eigen::ArrayXf::NullaryExpr(1000, [&] { return number(random); });
  const Eigen::ArrayXf roots = numbers.sqrt();
  for (Eigen::Index i = 0; i < numbers.size(); ++i) EXPECT_EQ(roots[i], std::sqrt(numbers[i]));
}

TEST(Products, are_summed_in_blocks_whose_size_no_machine_decides) {
  EXPECT_EQ(Eigen::l1CacheSize(), Eigen::internal::defaultL1CacheSize);
  EXPECT_EQ(Eigen::l2CacheSize(), Eigen::internal::defaultL2CacheSize);
  EXPECT_EQ(Eigen::l3CacheSize(), Eigen::internal::defaultL3CacheSize);
}

TEST(Regions, points_are_farthest_and_shares_are_of_the_nearest) {
  const Features features(tube(), bent(0));
  const Regions few = Regions::spread(features, 5);
  EXPECT_EQ(few.points().size(), 5U);
  EXPECT_EQ(few.points()[0], 0);
  for (Eigen::Index v = 0; v < few.shares().rows(); ++v) {
    EXPECT_NEAR(few.shares().row(v).sum(), 1, 1e-12);
    EXPECT_LE(few.shares().row(v).nonZeros(), kRegionsEach);
  }
  // The farthest along edges, found by relaxing all edges again and again.
  std::vector<double> nearest(48, std::numeric_limits<double>::infinity());
  for (const std::int32_t point : few.points()) {
    if (point != 0) {
      EXPECT_EQ(nearest[std::size_t(point)], *std::ranges::max_element(nearest));
    }
    nearest[std::size_t(point)] = 0;
    for (int sweep = 0; sweep < 48; ++sweep)
      for (std::int32_t e = 0; e < tube()->edge_count(); ++e) {
        const auto a = std::size_t(tube()->edges()(e, 0));
        const auto b = std::size_t(tube()->edges()(e, 1));
        const double length = features.rest_lengths()[std::size_t(e)];
        nearest[a] = std::min(nearest[a], nearest[b] + length);
        nearest[b] = std::min(nearest[b], nearest[a] + length);
      }
  }
  const Regions all = Regions::spread(features, 1000);
  EXPECT_EQ(all.points().size(), 48U);
  for (Eigen::Index k = 0; k < 48; ++k) EXPECT_EQ(all.shares().coeff(all.points()[std::size_t(k)], k), 1);
}

TEST(Regions, what_cannot_be_is_refused) {
  const Features features(tube(), bent(0));
  EXPECT_THROW(Regions::spread(features, 0), InvalidArgument);
  EXPECT_THROW(Regions(features, {}), InvalidArgument);
  EXPECT_THROW(Regions(features, {3, 48}), InvalidArgument);
  EXPECT_THROW(Regions(features, {3, 7, 3}), InvalidArgument);
  Index3 apart(2, 3);
  apart << 0, 1, 2, 3, 4, 5;
  Array3 rest(6, 3);
  rest << 0, 0, 0, 1, 0, 0, 0, 1, 0, 5, 0, 0, 6, 0, 0, 5, 1, 0;
  const Features two(std::make_shared<const Mesh>(apart, 6), rest);
  EXPECT_THROW(Regions(two, {0, 1}), InvalidArgument);
  EXPECT_THROW(Regions::spread(two, 1), InvalidArgument);
  EXPECT_GE(Regions::spread(two, 2).points()[1], 3);
}

/// (n, P − 1) weights after the first, for these stretches; `more(metric, point, centre)` is what a squared distance
/// has besides them.
template <class More>
Table weights_by_formula(const Regression& regression, const Features& features, const std::vector<double>& stretch,
                         const More& more) {
  Array3 places(3, 3);
  for (int k = 0; k < 3; ++k) places.row(k) = features.rest().row(kPoints[std::size_t(k)]);
  const SparseRows metric = features.metric(places);
  std::vector<double> other;
  Table at_points(3, kDetails - 1);
  for (int k = 0; k < 3; ++k) {
    const Table& coefficients = regression.tables().coefficients[std::size_t(k)];
    at_points.row(k) = coefficients.row(0);
    for (std::size_t centre = 0; centre < centres().size(); ++centre) {
      features.stretch(centres()[centre], other);
      double squared = more(metric, k, centre);
      for (SparseRows::InnerIterator entry(metric, k); entry; ++entry)
        squared += entry.value() * std::pow(stretch[std::size_t(entry.col())] - other[std::size_t(entry.col())], 2);
      at_points.row(k) += std::exp(-std::sqrt(squared) / 0.3) * coefficients.row(Eigen::Index(centre) + 1);
    }
  }
  return regression.regions().shares() * at_points;
}

TEST(Regression, weights_are_their_formula) {
  const Features features(tube(), bent(0));
  const RegressionTables learned = tables();
  Regression regression(features, centres(), learned);
  const Array3 now = bent(0.3, 0.1);
  const Array3 earlier = bent(0.25, 0.12);
  const double seconds = 1.0 / 30;
  const Before before{.positions = earlier, .seconds = seconds};
  std::vector<double> stretch;
  features.stretch(now, stretch);
  Table found;
  regression.weights(stretch, now, &before, found);

  VertexFrames frames(tube());
  frames.step(now);
  const auto moved = [&](const SparseRows&, int k, std::size_t centre) {
    const std::int32_t v = kPoints[std::size_t(k)];
    const Eigen::RowVector3d velocity =
        (now.row(v) - earlier.row(v)) / seconds / features.mean_length() * frames.frames()[std::size_t(v)];
    return 0.01 * (velocity - learned.velocities[centre].row(k)).squaredNorm();
  };
  const Table expected = weights_by_formula(regression, features, stretch, moved);
  EXPECT_EQ(found.col(0), Eigen::VectorXd::Ones(48));
  EXPECT_LT((found.rightCols(kDetails - 1) - expected).cwiseAbs().maxCoeff(), 1e-5);

  // Nothing moves without positions before, as if they were the same.
  Table still;
  Table same;
  const Before unmoved{.positions = now, .seconds = seconds};
  regression.weights(stretch, now, nullptr, still);
  regression.weights(stretch, now, &unmoved, same);
  EXPECT_EQ(still, same);
  EXPECT_NE(still, found);
}

TEST(Regression, displacements_from_the_guide_count_as_their_formula) {
  const Features features(tube(), bent(0));
  const RegressionTables learned = displaced_tables();
  Regression regression(features, centres(), learned);
  const Array3 now = bent(0.3, 0.1);
  const Array3 guide = bent(0.25, 0.12);
  std::vector<double> stretch;
  features.stretch(now, stretch);
  Table found;
  regression.weights(stretch, now, nullptr, found, &guide);

  VertexFrames frames(tube());
  frames.step(guide);
  const auto displaced = [&](const SparseRows& metric, int k, std::size_t centre) {
    double squared = 0.01 * learned.velocities[centre].row(k).squaredNorm();
    for (SparseRows::InnerIterator entry(metric, k); entry; ++entry)
      for (int end = 0; end < 2; ++end) {
        const std::int32_t v = tube()->edges()(entry.col(), end);
        const Eigen::RowVector3d apart =
            (now.row(v) - guide.row(v)) / features.mean_length() * frames.frames()[std::size_t(v)];
        squared += 0.49 * 0.5 * entry.value() * (apart - learned.displacements[centre].row(v)).squaredNorm();
      }
    return squared;
  };
  const Table expected = weights_by_formula(regression, features, stretch, displaced);
  EXPECT_LT((found.rightCols(kDetails - 1) - expected).cwiseAbs().maxCoeff(), 1e-5);

  EXPECT_THROW(regression.weights(stretch, now, nullptr, found), InvalidArgument);
  const Array3 fewer = guide.topRows(47);
  EXPECT_THROW(regression.weights(stretch, now, nullptr, found, &fewer), InvalidArgument);
}

TEST(Regression, a_run_whose_displacements_count_goes_on_from_its_bytes) {
  ByExample run(synthesis(displaced_tables()), {});
  run.advance(bent(0.1), 0);
  const std::string bytes = run.save();
  run.advance(bent(0.2), 0.05);
  ByExample again = ByExample::restore(bytes);
  EXPECT_EQ(again.save(), bytes);
  EXPECT_EQ(again.advance(bent(0.2), 0.05).surface().positions, run.state().surface().positions);
  // A run without a guide's cloth is on its guide.
  Synthesis alone = synthesis(displaced_tables());
  Synthesised expected;
  const Array3 guide = bent(0.1);
  alone.step(guide, expected, nullptr, &guide);
  ByExample first(synthesis(displaced_tables()), {});
  EXPECT_EQ(first.advance(guide, 0).surface().pose_weights, expected.pose_weights);
}

TEST(Regression, turning_and_shifting_the_motion_turns_and_shifts_the_result) {
  Synthesis alone = synthesis();
  const Eigen::Matrix3d turn = Eigen::AngleAxisd(2.1, Vector3(1, -2, 0.5).normalized()).toRotationMatrix();
  const Eigen::RowVector3d shift(3, -5, 0.7);
  const auto moved = [&](const Array3& positions) -> Array3 {
    return (positions * turn.transpose()).rowwise() + shift;
  };
  const Array3 earlier = bent(0.25, 0.12);
  const Array3 earlier_moved = moved(earlier);
  const Before before{.positions = earlier, .seconds = 0.04};
  const Before before_moved{.positions = earlier_moved, .seconds = 0.04};
  Synthesised found;
  Synthesised turned;
  alone.step(bent(0.3, 0.1), found, &before);
  alone.step(moved(bent(0.3, 0.1)), turned, &before_moved);
  // Single precision, of details of 0.02 and weights of a few.
  EXPECT_LT((turned.positions - moved(found.positions)).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(Regression, single_precision_is_near_double_in_any_unit_and_far_from_the_origin) {
  Synthesis alone = synthesis();
  for (const double unit : {1.0, 1e-12, 1e12}) {
    std::vector<Array3> poses = centres();
    std::vector<Array3> details = alone.details();
    for (Array3& pose : poses) pose *= unit;
    for (Array3& detail : details) detail *= unit;
    Synthesis scaled(tube(), kLevels, unit * bent(0), poses, details, tables());
    const Eigen::RowVector3d shift = unit * Eigen::RowVector3d(100, -30, 7);
    const Array3 now = (unit * bent(0.3, 0.1)).rowwise() + shift;
    Synthesised found;
    scaled.step(now, found);

    SmoothSurface smooth(tube(), kLevels, now);
    Table weights;
    scaled.spread(found.pose_weights, weights);
    Array3 detail = Array3::Zero(found.detail.rows(), 3);
    for (Eigen::Index v = 0; v < detail.rows(); ++v)
      for (Eigen::Index k = 0; k < weights.cols(); ++k) detail.row(v) += weights(v, k) * details[std::size_t(k)].row(v);
    Array3 expected;
    smooth.add(detail, expected);
    EXPECT_LT((found.detail - detail).cwiseAbs().maxCoeff(), 1e-6 * unit);
    EXPECT_LT((found.positions - expected).cwiseAbs().maxCoeff(), 1e-6 * unit);
  }
}

TEST(Regression, a_run_knows_its_velocity_and_goes_on_from_its_bytes) {
  ByExample run(synthesis(), {});
  Synthesis alone = synthesis();
  Synthesised expected;
  run.advance(bent(0.1), 0);
  alone.step(bent(0.1), expected);
  EXPECT_EQ(run.state().surface().pose_weights, expected.pose_weights);
  const std::string bytes = run.save();
  const Array3 earlier = bent(0.1);
  const Before before{.positions = earlier, .seconds = 0.05};
  alone.step(bent(0.2), expected, &before);
  EXPECT_EQ(run.advance(bent(0.2), 0.05).surface().pose_weights, expected.pose_weights);
  ByExample again = ByExample::restore(bytes);
  EXPECT_EQ(again.save(), bytes);
  EXPECT_EQ(again.advance(bent(0.2), 0.05).surface().positions, run.state().surface().positions);
}

TEST(Regression, what_does_not_fit_is_refused) {
  const Features features(tube(), bent(0));
  const auto refused = [&](auto&& change) {
    RegressionTables learned = tables();
    std::vector<Array3> poses = centres();
    change(learned, poses);
    EXPECT_THROW(Regression(features, poses, std::move(learned)), InvalidArgument);
  };
  refused([](RegressionTables& t, auto&) { t.width = 0; });
  refused([](RegressionTables& t, auto&) { t.motion = -1; });
  refused([](RegressionTables& t, auto&) { t.points[1] = 0; });
  refused([](RegressionTables& t, auto&) { t.velocities.pop_back(); });
  refused([](RegressionTables& t, auto&) { t.velocities[1](0, 0) = std::nan(""); });
  refused([](RegressionTables& t, auto&) { t.coefficients.pop_back(); });
  refused([](RegressionTables& t, auto&) { t.coefficients[2](1, 1) = std::nan(""); });
  refused([](RegressionTables& t, auto&) { t.coefficients[1].conservativeResize(4, kDetails - 1); });
  refused([](RegressionTables&, auto& poses) { poses.clear(); });
  refused([](RegressionTables& t, auto&) { t.displacement = 0.5; });
  refused([](RegressionTables& t, auto&) { t.displacements = displaced_tables().displacements; });
  refused([](RegressionTables& t, auto&) { (t = displaced_tables()).displacement = -1; });
  refused([](RegressionTables& t, auto&) { (t = displaced_tables()).displacements[1](0, 0) = std::nan(""); });
  refused([](RegressionTables& t, auto&) { (t = displaced_tables()).displacements[1].conservativeResize(47, 3); });

  Synthesis alone = synthesis();
  Synthesised out;
  const Array3 earlier = bent(0);
  EXPECT_THROW(alone.pose_space(), InvalidArgument);
  for (const double seconds : {0.0, -1.0, std::nan("")}) {
    const Before before{.positions = earlier, .seconds = seconds};
    EXPECT_THROW(alone.step(bent(0.1), out, &before), InvalidArgument);
  }
  std::vector<Array3> details = alone.details();
  details.pop_back();
  EXPECT_THROW(Synthesis(tube(), kLevels, bent(0), centres(), details, tables()), InvalidArgument);
}

}  // namespace
}  // namespace pucker::byexample
