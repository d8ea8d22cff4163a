#include "pucker/dynamic/labelling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <utility>

#include "label_oracles.h"
#include "pucker/errors.h"
#include "shapes.h"

namespace pucker {
namespace {

TEST(Labeller, ExactIsTheBestOfAllLabellings) {
  std::mt19937_64 random(1);
  for (const Index3& faces : small_meshes()) {
    const auto mesh = make_mesh(faces);
    Labeller labeller(mesh, LabelParams{});
    for (int trial = 0; trial < 20; ++trial) {
      const Array3 costs = random_costs(faces.rows(), random);
      const Labels previous = random_labels(std::size_t(faces.rows()), kNone, random);
      labeller.set_previous(previous);
      EXPECT_EQ(to_list(labeller.step(costs)), best_labelling(*mesh, costs, previous, 0.2));
    }
  }
}

TEST(Labeller, ExactHandlesCostsOfAnySizeAndSign) {
  std::mt19937_64 random(2);
  const auto mesh = make_mesh(shapes::grid(3, 1));
  Labeller labeller(mesh, LabelParams{});
  for (const double scale : {1e-8, 1.0, 1e8, 1e200}) {
    Array3 costs = random_costs(6, random);
    costs.row(2) *= scale;
    costs.row(4) *= -scale;
    labeller.reset();
    const Labels best = best_labelling(*mesh, costs, {}, 0.2);
    const double energy = labeller.energy(costs, labeller.step(costs));
    EXPECT_NEAR(energy, labeller.energy(costs, best), 1e-11 * std::max(scale, 1.0));
  }
}

TEST(Labeller, EnergyIsTheSumOfEquation43) {
  std::mt19937_64 random(3);
  for (const Index3& faces : small_meshes()) {
    const auto mesh = make_mesh(faces);
    const auto count = std::size_t(faces.rows());
    const Labeller labeller(mesh, LabelParams{});
    const Array3 costs = random_costs(faces.rows(), random);
    const Labels labels = random_labels(count, kCompress, random);
    const Labels previous = random_labels(count, kNone, random);
    EXPECT_NEAR(labeller.energy(costs, labels), direct_energy(*mesh, costs, labels, {}, 0.2), 1e-12);
    EXPECT_NEAR(labeller.energy(costs, labels, previous), direct_energy(*mesh, costs, labels, previous, 0.2), 1e-12);
  }
}

TEST(Labeller, MovesNeverRaiseTheEnergyAndNeverBeatTheOptimum) {
  std::mt19937_64 random(4);
  for (const Index3& faces : {shapes::grid(9, 7), shapes::moebius(11), shapes::octahedron(), shapes::cylinder(5, 6)})
    for (const LabelSolver solver : {LabelSolver::expansion, LabelSolver::swap}) {
      Labeller exact(make_mesh(faces), LabelParams{});
      Labeller moves(make_mesh(faces), with_solver(solver));
      for (int trial = 0; trial < 20; ++trial) {
        const Array3 costs = random_costs(faces.rows(), random);
        const Labels previous = random_labels(std::size_t(faces.rows()), kNone, random);
        exact.set_previous(previous);
        moves.set_previous(previous);
        const double best = exact.energy(costs, exact.step(costs), previous);
        const double moved = moves.energy(costs, moves.step(costs), previous);
        EXPECT_LE(best, moved + kTolerance);
        // With the tie to the previous labels added, the start is the cheapest label of each triangle.
        Array3 tied = costs;
        for (Eigen::Index t = 0; t < tied.rows(); ++t)
          for (int label = 0; label < 3; ++label)
            if (previous[std::size_t(t)] != kNone) tied(t, label) += 0.2 * std::abs(label - previous[std::size_t(t)]);
        EXPECT_LE(moved, moves.energy(costs, cheapest_labels(tied), previous) + kTolerance);
      }
    }
}

TEST(Labeller, NoSingleMoveImprovesWhatTheMovesFound) {
  std::mt19937_64 random(5);
  const auto mesh = make_mesh(shapes::grid(3, 1));
  for (const LabelSolver solver : {LabelSolver::expansion, LabelSolver::swap}) {
    Labeller moves(mesh, with_solver(solver));
    for (int trial = 0; trial < 50; ++trial) {
      const Array3 costs = random_costs(6, random);
      moves.reset();
      const Labels found = to_list(moves.step(costs));
      const double energy = moves.energy(costs, found);
      for_all_labellings(6, [&](const Labels& other) {
        for (const std::int8_t a : {kCompress, kRest, kStretch})
          for (const std::int8_t b : {kCompress, kRest, kStretch}) {
            bool reachable = true;
            for (std::size_t t = 0; t < 6; ++t)
              reachable = reachable && (other[t] == found[t] ||
                                        (solver == LabelSolver::expansion
                                             ? other[t] == a
                                             : (found[t] == a || found[t] == b) && (other[t] == a || other[t] == b)));
            if (reachable) {
              EXPECT_GE(moves.energy(costs, other), energy - kTolerance);
            }
          }
      });
    }
  }
}

TEST(Labeller, OfSeveralOptimaTheLowestLabelsAreTaken) {
  // Costs are small whole multiples of the smoothness, so that ties abound and are exact.
  std::mt19937_64 random(6);
  LabelParams params;
  params.smoothness = 0.25;
  std::uniform_int_distribution<int> steps(0, 3);
  for (const Index3& faces : small_meshes()) {
    const auto mesh = make_mesh(faces);
    Labeller labeller(mesh, params);
    for (int trial = 0; trial < 30; ++trial) {
      const Array3 costs = Array3::NullaryExpr(faces.rows(), 3, [&] { return 0.25 * steps(random); });
      labeller.reset();
      const Labels found = to_list(labeller.step(costs));
      const double energy = direct_energy(*mesh, costs, found, {}, params.smoothness);
      for_all_labellings(found.size(), [&](const Labels& other) {
        const double otherwise = direct_energy(*mesh, costs, other, {}, params.smoothness);
        EXPECT_GE(otherwise, energy);
        for (std::size_t t = 0; otherwise == energy && t < found.size(); ++t) EXPECT_GE(other[t], found[t]);
      });
    }
  }
}

TEST(Labeller, ALongStripHasTheLeastEnergyOfAnySequence) {
  std::mt19937_64 random(16);
  const auto mesh = make_mesh(shapes::grid(3000, 1));
  for (const double smoothness : {0.02, 0.2, 2.0}) {
    LabelParams params;
    params.smoothness = smoothness;
    Labeller labeller(mesh, params);
    const Array3 costs = random_costs(mesh->triangle_count(), random);
    const Labels found = to_list(labeller.step(costs));
    // From one end of the strip, its second triangle, to the other: the least energy so far that ends with each label.
    std::array<double, 3> least = {0, 0, 0};
    std::int32_t before = kNone;
    std::size_t passed = 0;
    for (std::int32_t t = 1; t != kNone; ++passed) {
      std::array<double, 3> next;
      for (std::size_t label = 0; label < 3; ++label) {
        next[label] = std::numeric_limits<double>::infinity();
        for (std::size_t last = 0; last < 3; ++last)
          next[label] = std::min(next[label], least[last] + smoothness * std::abs(double(label) - double(last)));
        next[label] += costs(t, Eigen::Index(label));
      }
      least = next;
      const auto row = mesh->triangle_neighbours().row(t);
      std::int32_t ahead = kNone;
      for (int k = 0; k < 3; ++k)
        if (row[k] != kNone && row[k] != before) ahead = row[k];
      before = std::exchange(t, ahead);
    }
    ASSERT_EQ(passed, found.size());
    EXPECT_NEAR(direct_energy(*mesh, costs, found, {}, smoothness), *std::min_element(least.begin(), least.end()),
                1e-8);
  }
}

TEST(Labeller, ReuseOfTheLastFrameChangesNoLabel) {
  std::mt19937_64 random(7);
  const auto mesh = make_mesh(shapes::grid(10, 8));
  Labeller streaming(mesh, LabelParams{});
  Array3 costs = random_costs(mesh->triangle_count(), random);
  for (int frame = 0; frame < 200; ++frame) {
    const Array3 change = random_costs(mesh->triangle_count(), random);
    const int kept = frame % 4;  // from all new to mostly old
    for (Eigen::Index t = 0; t < costs.rows(); ++t)
      if (kept == 0 || std::int64_t(random() % 16) >= 5 * kept) costs.row(t) = change.row(t);
    std::vector<std::uint8_t> inert(std::size_t(costs.rows()), 0);
    if (frame % 50 > 40) inert[std::size_t(frame % 7)] = 1;
    if (frame % 60 > 50) costs(3, kRest) = 2000;  // another unit of capacities
    Labeller fresh(mesh, LabelParams{});
    fresh.set_previous(streaming.previous());
    ASSERT_EQ(to_list(streaming.step(costs, inert)), to_list(fresh.step(costs, inert))) << "frame " << frame;
  }
}

TEST(Labeller, AReorderedMeshHasReorderedLabels) {
  std::mt19937_64 random(8);
  const Index3 faces = shapes::grid(8, 6);
  std::vector<Eigen::Index> order(std::size_t(faces.rows()));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  Labeller labeller(make_mesh(faces), LabelParams{});
  Labeller reordered(make_mesh(faces(order, Eigen::all)), LabelParams{});
  for (int frame = 0; frame < 20; ++frame) {
    const Array3 costs = random_costs(faces.rows(), random);
    const Labels labels = to_list(labeller.step(costs));
    const Labels shuffled = to_list(reordered.step(costs(order, Eigen::all)));
    for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(shuffled[i], labels[std::size_t(order[i])]);
  }
}

TEST(Labeller, AConstantAddedToTheCostsOfATriangleChangesNoLabel) {
  std::mt19937_64 random(9);
  const auto mesh = make_mesh(shapes::grid(6, 6));
  Labeller labeller(mesh, LabelParams{});
  Labeller shifted(mesh, LabelParams{});
  const Array3 costs = random_costs(mesh->triangle_count(), random);
  Array3 raised = costs;
  for (Eigen::Index t = 0; t < raised.rows(); ++t) raised.row(t).array() -= double(t);
  EXPECT_EQ(to_list(labeller.step(costs)), to_list(shifted.step(raised)));
}

TEST(Labeller, AClipSolvedAtOnceIsNotWorseThanFrameByFrame) {
  std::mt19937_64 random(10);
  const auto mesh = make_mesh(shapes::cylinder(6, 4));
  const Eigen::Index triangles = mesh->triangle_count();
  const Eigen::Index frames = 12;
  for (const LabelSolver solver : {LabelSolver::exact, LabelSolver::expansion, LabelSolver::swap}) {
    Labeller labeller(mesh, with_solver(solver));
    const Array3 costs = random_costs(frames * triangles, random);
    const Labels clip = labeller.solve_clip(costs);
    double at_once = 0;
    double frame_by_frame = 0;
    Labels before(std::size_t(triangles), kNone);
    Labels clip_before = before;
    for (Eigen::Index frame = 0; frame < frames; ++frame) {
      const Array3 now = costs.middleRows(frame * triangles, triangles);
      const Labels labels = to_list(labeller.step(now));
      const Labels clip_now(clip.begin() + frame * triangles, clip.begin() + (frame + 1) * triangles);
      frame_by_frame += labeller.energy(now, labels, before);
      at_once += labeller.energy(now, clip_now, clip_before);
      before = labels;
      clip_before = clip_now;
    }
    EXPECT_LT(at_once, frame_by_frame);
  }
}

TEST(Labeller, AClipOfOneTriangleIsTheBestOfAllSequences) {
  std::mt19937_64 random(11);
  const auto mesh = make_mesh(shapes::faces({{0, 1, 2}}));
  const Labeller labeller(mesh, LabelParams{});
  for (int trial = 0; trial < 20; ++trial) {
    const Array3 costs = random_costs(7, random);
    const auto energy = [&](const Labels& labels) {
      double sum = 0;
      for (std::size_t f = 0; f < 7; ++f)
        sum += costs(Eigen::Index(f), labels[f]) + (f > 0 ? 0.2 * std::abs(labels[f] - labels[f - 1]) : 0);
      return sum;
    };
    const double found = energy(labeller.solve_clip(costs));
    for_all_labellings(7, [&](const Labels& labels) { EXPECT_LE(found, energy(labels) + kTolerance); });
  }
}

TEST(Labeller, AClipOfOneFrameIsAFirstStep) {
  std::mt19937_64 random(12);
  const auto mesh = make_mesh(shapes::grid(5, 5));
  for (const LabelSolver solver : {LabelSolver::exact, LabelSolver::expansion, LabelSolver::swap}) {
    Labeller labeller(mesh, with_solver(solver));
    const Array3 costs = random_costs(mesh->triangle_count(), random);
    EXPECT_EQ(labeller.solve_clip(costs), to_list(labeller.step(costs)));
  }
}

TEST(Labeller, InertTrianglesRestAndTakeNoPart) {
  std::mt19937_64 random(13);
  // The middle triangle of three joins the others; without it each has the cheapest of its own labels.
  const Index3 faces = shapes::faces({{0, 1, 2}, {1, 3, 2}, {2, 3, 4}});
  for (const LabelSolver solver : {LabelSolver::exact, LabelSolver::expansion, LabelSolver::swap}) {
    Labeller labeller(make_mesh(faces), with_solver(solver));
    const std::vector<std::uint8_t> inert = {0, 1, 0};
    for (int trial = 0; trial < 20; ++trial) {
      Array3 costs = random_costs(3, random);
      costs(1, 0) = std::nan("");
      Labels expected = cheapest_labels(costs);
      expected[1] = kRest;
      labeller.reset();
      const Labels labels = to_list(labeller.step(costs, inert));
      EXPECT_EQ(labels, expected);
      EXPECT_EQ(to_list(labeller.previous()), (Labels{expected[0], kNone, expected[2]}));
      EXPECT_NEAR(labeller.energy(costs, labels, {}, inert), costs(0, labels[0]) + costs(2, labels[2]), 1e-15);
      EXPECT_EQ(labeller.solve_clip(costs, inert), expected);
    }
  }
}

TEST(Labeller, DegenerateTrianglesAreInert) {
  const auto mesh = make_mesh(shapes::faces({{0, 1, 2}, {1, 1, 2}, {0, 2, 3}}));
  Labeller labeller(mesh, LabelParams{});
  Array3 costs = Array3::Zero(3, 3);
  costs.col(kRest).setConstant(5);
  costs.col(kCompress).setConstant(5);
  EXPECT_EQ(to_list(labeller.step(costs)), (Labels{kStretch, kRest, kStretch}));
}

TEST(Labeller, SmoothnessZeroLeavesEachTriangleItsCheapestLabel) {
  std::mt19937_64 random(14);
  const auto mesh = make_mesh(shapes::grid(5, 5));
  for (const LabelSolver solver : {LabelSolver::exact, LabelSolver::expansion, LabelSolver::swap}) {
    LabelParams params = with_solver(solver);
    params.smoothness = 0;
    Labeller labeller(mesh, params);
    const Array3 costs = random_costs(mesh->triangle_count(), random);
    EXPECT_EQ(to_list(labeller.step(costs)), cheapest_labels(costs));
  }
}

TEST(Labeller, SetPreviousContinuesARun) {
  std::mt19937_64 random(15);
  const auto mesh = make_mesh(shapes::grid(6, 4));
  Labeller labeller(mesh, LabelParams{});
  labeller.step(random_costs(mesh->triangle_count(), random));
  Labeller continued(mesh, LabelParams{});
  continued.set_previous(labeller.previous());
  const Array3 costs = random_costs(mesh->triangle_count(), random);
  EXPECT_EQ(to_list(labeller.step(costs)), to_list(continued.step(costs)));
  labeller.reset();
  EXPECT_EQ(to_list(labeller.previous()), Labels(std::size_t(mesh->triangle_count()), kNone));
}

TEST(Labeller, TakesAMeshWithoutTriangles) {
  for (const LabelSolver solver : {LabelSolver::exact, LabelSolver::expansion, LabelSolver::swap}) {
    Labeller labeller(make_mesh(Index3(0, 3)), with_solver(solver));
    EXPECT_TRUE(labeller.step(Array3(0, 3)).empty());
    EXPECT_TRUE(labeller.solve_clip(Array3(0, 3)).empty());
    EXPECT_EQ(labeller.energy(Array3(0, 3), {}), 0);
  }
}

TEST(Labeller, RefusesWhatBreaksARuleAndKeepsItsState) {
  std::mt19937_64 random(16);
  const auto mesh = make_mesh(shapes::grid(2, 2));
  Labeller labeller(mesh, LabelParams{});
  labeller.step(random_costs(8, random));
  const Labels before = to_list(labeller.previous());
  Array3 bad = random_costs(8, random);
  bad(5, 1) = std::numeric_limits<double>::infinity();
  const std::vector<std::uint8_t> short_mask(7, 0);
  EXPECT_THROW(labeller.step(bad), InvalidArgument);
  EXPECT_THROW(labeller.step(random_costs(7, random)), InvalidArgument);
  EXPECT_THROW(labeller.step(random_costs(8, random), short_mask), InvalidArgument);
  EXPECT_THROW(labeller.solve_clip(random_costs(12, random)), InvalidArgument);
  EXPECT_THROW(labeller.solve_clip(bad), InvalidArgument);
  EXPECT_THROW(labeller.set_previous(Labels(7, 0)), InvalidArgument);
  EXPECT_THROW(labeller.set_previous(Labels(8, 3)), InvalidArgument);
  EXPECT_THROW(labeller.energy(random_costs(8, random), Labels(8, kNone)), InvalidArgument);
  EXPECT_THROW(labeller.energy(random_costs(8, random), Labels(7, 0)), InvalidArgument);
  bad.row(5) << -1e308, 1e308, 0;
  EXPECT_THROW(labeller.step(bad), InvalidArgument);
  EXPECT_EQ(to_list(labeller.previous()), before);

  LabelParams params;
  params.smoothness = -0.1;
  EXPECT_THROW(Labeller(mesh, params), InvalidArgument);
  EXPECT_THROW(Labeller(nullptr, LabelParams{}), InvalidArgument);
}

}  // namespace
}  // namespace pucker
