#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "pucker/threads.h"
#include "pucker/waves/wave_field.h"
#include "shapes.h"

namespace pucker::waves {
namespace {

// Enough vertices for several threads to have blocks of their own.
constexpr std::int32_t kAcross = 160;
constexpr std::int32_t kAlong = 80;

/// A sheet, squeezed along x more and more, and bent by a wave that runs along it; a strip of it collapses to a line.
Array3 squeezed(int frame) {
  Array3 out((kAcross + 1) * (kAlong + 1), 3);
  for (std::int32_t y = 0; y <= kAlong; ++y)
    for (std::int32_t x = 0; x <= kAcross; ++x) {
      const double along = frame > 3 && y < 3 ? 0 : y;
      out.row(y * (kAcross + 1) + x) << (1 - 0.04 * frame) * x / 80.0, along / 80.0,
          0.02 * std::sin(0.09 * x + 0.03 * along + 0.4 * frame);
    }
  return out;
}

struct Shown {
  std::vector<std::string> saved;
  std::vector<std::int64_t> flattened, bounded;
  std::vector<double> energies;
  std::vector<PackedWave> packed;
};

/// All that a run gave, frame by frame.
Shown run_on(std::size_t count) {
  set_threads(count);
  Params params;
  params.unit = WavelengthUnit::clip;
  params.wavelength = 0.1;
  params.crush.min_stretch = 0.9;
  const auto mesh =
      std::make_shared<const Mesh>(shapes::grid(kAcross, kAlong), Eigen::Index((kAcross + 1) * (kAlong + 1)));
  WaveField field(mesh, squeezed(0), params);
  Shown out;
  for (int frame = 0; frame < 6; ++frame) {
    const WaveState& state = field.advance(squeezed(frame), frame / 30.0);
    out.saved.push_back(field.save());
    out.flattened.push_back(state.report.flattened);
    out.bounded.push_back(state.report.bounded);
    out.energies.push_back(state.energy);
    out.packed = state.packed;
  }
  set_threads(1);
  return out;
}

TEST(WavesThreads, give_the_same_bits_however_many_there_are) {
  const Shown alone = run_on(1);
  EXPECT_GT(alone.energies.back(), 0);
  EXPECT_GT(alone.flattened.back(), 0);
  EXPECT_GT(alone.bounded.back(), 1000);
  for (const std::size_t count : {2U, 3U, 8U}) {
    const Shown shared = run_on(count);
    EXPECT_TRUE(shared.saved == alone.saved) << count << " threads";  // not printed: they are long
    EXPECT_EQ(shared.flattened, alone.flattened) << count << " threads";
    EXPECT_EQ(shared.bounded, alone.bounded) << count << " threads";
    EXPECT_EQ(shared.energies, alone.energies) << count << " threads";
    ASSERT_EQ(shared.packed.size(), alone.packed.size());
    for (std::size_t v = 0; v < alone.packed.size(); ++v) {
      ASSERT_EQ(shared.packed[v].phase, alone.packed[v].phase) << "vertex " << v << ", " << count << " threads";
      ASSERT_EQ(shared.packed[v].amplitude, alone.packed[v].amplitude) << "vertex " << v;
    }
  }
}

TEST(WavesThreads, leave_the_phases_of_one_round_what_a_sum_over_edges_makes_them) {
  set_threads(3);
  const auto mesh =
      std::make_shared<const Mesh>(shapes::grid(kAcross, kAlong), Eigen::Index((kAcross + 1) * (kAlong + 1)));
  Crush crush(mesh, squeezed(0), 0.1, {});
  RelaxParams params;
  Relax relax(mesh, params, 7);
  relax.prepare(crush.step(squeezed(3)), squeezed(0), Coordinates::rest);
  const std::vector<double> before(relax.phases().begin(), relax.phases().end());
  std::vector<double> differences;
  relax.differences(differences);
  relax.step(1);
  set_threads(1);
  const Index2& edges = mesh->edges();
  std::vector<double> pull(before.size(), 0), count(before.size(), 0);
  for (Eigen::Index e = 0; e < edges.rows(); ++e) {
    const auto a = std::size_t(edges(e, 0)), b = std::size_t(edges(e, 1));
    pull[a] += relax.influences()[b] * differences[std::size_t(e)];
    pull[b] -= relax.influences()[a] * relax.comparisons()[std::size_t(e)].sign * differences[std::size_t(e)];
    ++count[a];
    ++count[b];
  }
  double moved = 0;
  for (std::size_t v = 0; v < before.size(); ++v) {
    // The frame before had no waves, so that nothing holds back what moves along.
    const double step = params.step / (std::numbers::pi * count[v]) * pull[v];
    moved = std::max(moved, std::abs(step));
    EXPECT_NEAR(std::remainder(relax.phases()[v] - before[v] - step, 2 * std::numbers::pi), 0, 1e-12) << "vertex " << v;
  }
  EXPECT_GT(moved, 0.1);
}

}  // namespace
}  // namespace pucker::waves
