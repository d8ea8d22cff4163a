#include "pucker/waves/wave_field.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <random>

#include "failing_allocations.h"
#include "pucker/errors.h"
#include "waves_shapes.h"

namespace pucker::waves {
namespace {

constexpr double kInterval = 1.0 / 30;

/// A sheet squeezed ever more, along a direction that turns.
Array3 moved(const Sheet& sheet, int frame) { return sheet.rest * squeeze(1 - 0.03 * frame, 0.05 * frame).transpose(); }

Params params_for_tests() {
  Params out;
  out.unit = WavelengthUnit::clip;
  out.wavelength = 0.11;
  out.crush.threshold = 1;
  return out;
}

bool same(const WaveState& a, const WaveState& b) {
  return a.frame == b.frame && a.time == b.time && a.positions == b.positions && a.phases == b.phases &&
         a.waves.amplitudes == b.waves.amplitudes && a.waves.directions == b.waves.directions &&
         a.waves.wave_vectors == b.waves.wave_vectors && a.energy == b.energy && a.report.bounded == b.report.bounded;
}

TEST(WaveField, gives_the_same_bits_as_its_stages_used_by_hand) {
  std::mt19937_64 random(1);
  const Sheet sheet = irregular_sheet(random);
  const Params params = params_for_tests();
  WaveField field(sheet.mesh, sheet.rest, params);
  Crush crush(sheet.mesh, sheet.rest, params.wavelength, params.crush);
  Relax relax(sheet.mesh, params.relax, params.seed);
  for (int frame = 0; frame < 8; ++frame) {
    const Array3 positions = moved(sheet, frame);
    const WaveState& state = field.advance(positions, frame * kInterval);
    const double intervals = frame == 0 ? 1 : (frame * kInterval - (frame - 1) * kInterval) / params.interval;
    relax.prepare(crush.step(positions, intervals), sheet.rest, Coordinates::rest);
    if (frame <= 1) relax.solve();  // the sheet is squeezed from frame 1 on
    relax.step(frame == 0 ? params.relax.start_rounds : params.relax.rounds);
    EXPECT_EQ(state.waves.amplitudes, crush.waves().amplitudes);
    EXPECT_TRUE(std::equal(state.phases.begin(), state.phases.end(), relax.phases().begin()));
  }
}

TEST(WaveField, goes_on_with_the_same_bits_when_restored) {
  std::mt19937_64 random(2);
  const Sheet sheet = irregular_sheet(random);
  WaveField whole(sheet.mesh, sheet.rest, params_for_tests());
  EXPECT_NO_THROW(WaveField::restore(whole.save()).advance(sheet.rest, 0));
  std::vector<double> wavelengths(std::size_t(sheet.rest.rows()), 0.1);
  wavelengths[7] = 0.2;
  whole.set_wavelengths(wavelengths);
  whole.set_profile(PleatTable(Pleat::pencil));
  for (int frame = 0; frame < 5; ++frame) whole.advance(moved(sheet, frame), 1.3 * frame * kInterval);
  whole.set_paint(Vector3(0.1, 0.5, 0).transpose().replicate(sheet.rest.rows(), 1));
  WaveField rest = WaveField::restore(whole.save());
  EXPECT_TRUE(same(rest.state(), whole.state()));
  EXPECT_EQ(rest.save(), whole.save());
  for (int frame = 5; frame < 9; ++frame) {
    whole.advance(moved(sheet, frame), 1.3 * frame * kInterval);
    rest.advance(moved(sheet, frame), 1.3 * frame * kInterval);
    EXPECT_TRUE(same(rest.state(), whole.state()));
  }
}

TEST(WaveField, is_restored_whatever_height_its_wavelength_is_a_share_of) {
  std::mt19937_64 random(3);
  const Sheet sheet = irregular_sheet(random, 2);
  Params params = params_for_tests();
  params.unit = WavelengthUnit::height;
  for (const double share : {1e35, 0.03, 1e-35}) {
    params.wavelength = share;
    WaveField field(sheet.mesh, sheet.rest, params, 0.1 / share);
    field.advance(sheet.rest, 0);
    WaveField restored = WaveField::restore(field.save());
    EXPECT_EQ(restored.save(), field.save());
    field.advance(moved(sheet, 1), kInterval);
    restored.advance(moved(sheet, 1), kInterval);
    EXPECT_TRUE(same(restored.state(), field.state()));
  }
}

TEST(WaveField, refuses_bytes_that_are_no_saved_run) {
  std::mt19937_64 random(3);
  const Sheet sheet = irregular_sheet(random, 2);
  WaveField field(sheet.mesh, sheet.rest, params_for_tests());
  field.advance(sheet.rest, 0);
  const std::string bytes = field.save();
  EXPECT_THROW(WaveField::restore(""), Error);
  EXPECT_THROW(WaveField::restore(bytes.substr(0, bytes.size() - 1)), Error);
  for (std::size_t i = 0; i < bytes.size(); i += 37) {
    std::string damaged = bytes;
    damaged[i] = char(damaged[i] ^ 0x40);
    EXPECT_THROW(WaveField::restore(damaged), Error) << i;
  }
}

TEST(WaveField, does_not_depend_on_the_unit_or_on_rigid_motion) {
  std::mt19937_64 random(4);
  const Sheet sheet = irregular_sheet(random);
  const Eigen::Matrix3d turn = random_rotation(random);
  Params params = params_for_tests();
  WaveField plain(sheet.mesh, sheet.rest, params);
  params.wavelength *= 1000;
  WaveField scaled(sheet.mesh, 1000 * sheet.rest, params);
  for (int frame = 0; frame < 6; ++frame) {
    const Array3 positions = moved(sheet, frame + 1);
    plain.advance(positions, frame * kInterval);
    scaled.advance(1000 * ((positions * turn.transpose()).rowwise() + Eigen::RowVector3d(1, 2, 3)), frame * kInterval);
  }
  for (std::size_t v = 0; v < plain.state().phases.size(); ++v) {
    EXPECT_NEAR(scaled.state().waves.amplitudes[v], 1000 * plain.state().waves.amplitudes[v], 1e-9);
    EXPECT_NEAR(std::remainder(scaled.state().phases[v] - plain.state().phases[v], 2 * std::numbers::pi), 0, 1e-6);
  }
}

TEST(WaveField, relaxes_as_often_per_second_at_any_frame_rate) {
  std::mt19937_64 random(5);
  const Sheet sheet = irregular_sheet(random);
  Params params = params_for_tests();
  params.relax.start = Start::random;
  params.relax.start_rounds = 0;
  params.relax.rounds = 3;
  const Array3 squeezed = moved(sheet, 10);
  WaveField slow(sheet.mesh, sheet.rest, params);
  WaveField fast(sheet.mesh, sheet.rest, params);
  for (int frame = 0; frame <= 10; ++frame) slow.advance(squeezed, frame * kInterval);
  for (int frame = 0; frame <= 70; ++frame) fast.advance(squeezed, frame * kInterval / 7);
  EXPECT_EQ(slow.state().phases, fast.state().phases);
}

TEST(WaveField, keeps_states_that_are_held) {
  std::mt19937_64 random(6);
  const Sheet sheet = irregular_sheet(random);
  WaveField field(sheet.mesh, sheet.rest, params_for_tests());
  field.advance(moved(sheet, 3), 0);
  const std::shared_ptr<const WaveState> held = field.share_state();
  const std::vector<double> phases = held->phases;
  const double height = held->detail().evaluate_field(std::vector{0}, Array3(Vector3(1, 0, 0).transpose())).heights[0];
  for (int frame = 1; frame < 5; ++frame) field.advance(moved(sheet, 3 + frame), frame * kInterval);
  EXPECT_EQ(held->phases, phases);
  EXPECT_EQ(held->detail().evaluate_field(std::vector{0}, Array3(Vector3(1, 0, 0).transpose())).heights[0], height);
}

TEST(WaveField, keeps_crests_on_the_cloth_where_triangles_are_squeezed_unlike) {
  std::mt19937_64 random(8);
  std::uniform_real_distribution<double> shift(-0.02, 0.02);
  const Sheet sheet = irregular_sheet(random);
  Params params = params_for_tests();
  for (const Coordinates coordinates : {Coordinates::rest, Coordinates::frame}) {
    params.coordinates = coordinates;
    WaveField field(sheet.mesh, sheet.rest, params);
    Array3 positions = moved(sheet, 10);
    for (Eigen::Index v = 0; v < positions.rows(); ++v) positions(v, 0) += shift(random);
    const WaveState& state = field.advance(positions, 0);
    const Array3 at = Vector3(0.2, 0.5, 0.3).transpose();
    double largest = 0;
    for (std::int32_t t = 0; t < sheet.mesh->triangle_count(); ++t) {
      const auto corner = [&](int k) { return sheet.mesh->faces()(t, k); };
      Eigen::RowVector3d point = Eigen::RowVector3d::Zero();
      for (int k = 0; k < 3; ++k) point += at(0, k) * sheet.rest.row(corner(k));
      double expected = 0;
      for (int k = 0; k < 3; ++k) {
        const Eigen::Index v = corner(k);
        const double phase =
            2 * std::numbers::pi / params.wavelength * state.waves.directions.row(v).dot(point - sheet.rest.row(v)) +
            state.phases[std::size_t(v)];
        expected += at(0, k) * state.waves.amplitudes[std::size_t(v)] * field.profile().value(phase);
      }
      const double height = state.detail().evaluate_field(std::vector{t}, at).heights[0];
      largest = std::max(largest, std::abs(height - expected) / (params.wavelength / 4));
    }
    // In the frame the crests have slid over the cloth.
    if (coordinates == Coordinates::frame) {
      EXPECT_GT(largest, 0.1);
    } else {
      EXPECT_LT(largest, 1e-12);
    }
  }
}

/// A sheet whose part up to x = `front` is squeezed along x.
Array3 squeezed_up_to(const Sheet& sheet, double front) {
  Array3 out = sheet.rest;
  for (Eigen::Index v = 0; v < out.rows(); ++v) out(v, 0) -= 0.4 * std::min(out(v, 0), front);
  return out;
}

TEST(WaveField, carries_crests_on_as_compression_spreads_over_many_vertices) {
  std::mt19937_64 random(12);
  const Sheet sheet = irregular_sheet(random, 48);
  Params params;
  params.unit = WavelengthUnit::clip;
  params.wavelength = 0.25;
  params.border_fade = 0;
  for (const Start start : {Start::solved, Start::carried}) {
    params.relax.start = start;
    WaveField field(sheet.mesh, sheet.rest, params);
    for (int frame = 0; frame < 12; ++frame) {
      const Array3 positions = squeezed_up_to(sheet, 0.1 * frame);
      const std::int64_t before = testing::allocation_count();
      field.advance(positions, frame / 30.0);
      if (frame > 2) {
        EXPECT_EQ(testing::allocation_count(), before) << frame;
      }
    }
    EXPECT_GT(*std::ranges::max_element(field.state().waves.amplitudes), 0.04);
    EXPECT_LT(field.state().energy, 1e-3);
  }
}

TEST(WaveField, refuses_frames_and_parameters_and_stays_as_it_is) {
  std::mt19937_64 random(7);
  const Sheet sheet = irregular_sheet(random);
  Params params = params_for_tests();
  params.unit = WavelengthUnit::height;
  EXPECT_THROW(WaveField(sheet.mesh, sheet.rest, params), InvalidArgument);
  EXPECT_THROW(WaveField(sheet.mesh, sheet.rest, params, 0.0), InvalidArgument);
  WaveField field(sheet.mesh, sheet.rest, params, 2.0);
  EXPECT_NEAR(field.wavelengths().front(), 0.22, 1e-15);
  EXPECT_THROW(field.state(), InvalidArgument);
  field.advance(sheet.rest, 1);
  const std::string before = field.save();
  Array3 bad = sheet.rest;
  bad(1, 1) = std::numeric_limits<double>::infinity();
  EXPECT_THROW(field.advance(bad, 2), InvalidArgument);
  EXPECT_THROW(field.advance(sheet.rest, 1), InvalidArgument);
  EXPECT_THROW(field.advance(sheet.rest.topRows(3), 2), InvalidArgument);
  EXPECT_EQ(field.save(), before);
}

/// Whether `advance` went through with so many allocations.
bool advanced_with(std::int64_t allocations, WaveField& field, const Array3& positions, double time) {
  bool through = true;
  testing::let_allocations_succeed(allocations);
  try {
    field.advance(positions, time);
  } catch (const std::bad_alloc&) {
    through = false;
  }
  testing::let_allocations_succeed(-1);
  return through;
}

TEST(WaveField, goes_on_with_the_same_bits_after_a_frame_that_failed_at_any_point) {
  std::mt19937_64 random(11);
  const Sheet sheet = irregular_sheet(random, 5);
  for (const int failing : {0, 1, 3}) {
    // Waves appear in the frame that fails first, so that their phases are being solved for then.
    const auto positions = [&](int frame) { return moved(sheet, std::max(frame + 1 - std::min(failing, 1), 0)); };
    WaveField whole(sheet.mesh, sheet.rest, params_for_tests());
    for (int frame = 0; frame < failing + 3; ++frame) whole.advance(positions(frame), 1.3 * frame * kInterval);
    std::int64_t failures = 0;
    for (bool through = false; !through; ++failures) {
      WaveField field(sheet.mesh, sheet.rest, params_for_tests());
      for (int frame = 0; frame < failing; ++frame) field.advance(positions(frame), 1.3 * frame * kInterval);
      through = advanced_with(failures, field, positions(failing), 1.3 * failing * kInterval);
      for (int frame = failing + int(through); frame < failing + 3; ++frame)
        field.advance(positions(frame), 1.3 * frame * kInterval);
      ASSERT_TRUE(same(field.state(), whole.state())) << "allocation " << failures << " of frame " << failing;
    }
    // In steady state there is nothing that could fail.
    if (failing == 3) {
      EXPECT_EQ(failures, 1);
    } else {
      EXPECT_GE(failures, 40);
    }
  }
}

TEST(WaveField, refuses_more_rounds_than_there_is_time_for) {
  std::mt19937_64 random(9);
  const Sheet sheet = irregular_sheet(random);
  Params params = params_for_tests();
  params.interval = 1e-300;
  EXPECT_THROW(WaveField(sheet.mesh, sheet.rest, params), InvalidArgument);
  params.relax.rounds = 0;
  WaveField field(sheet.mesh, sheet.rest, params);
  for (int frame = 0; frame < 3; ++frame) EXPECT_NO_THROW(field.advance(moved(sheet, frame), frame * kInterval));
}

TEST(WaveField, packs_numbers_that_the_shaders_can_hold_at_any_wavelength_it_takes) {
  std::mt19937_64 random(10);
  const Sheet sheet = irregular_sheet(random);
  Params params = params_for_tests();
  params.crush.min_stretch = 1e-6;
  int refused = 0;
  for (int exponent = -300; exponent <= 300; exponent += 5) {
    params.wavelength = std::pow(10.0, exponent);
    try {
      WaveField field(sheet.mesh, sheet.rest, params);
      for (int frame = 0; frame < 2; ++frame) {
        const Array3 positions = sheet.rest * squeeze(1 - 0.999999 * frame, 0.3).transpose();
        for (const PackedWave& wave : field.advance(positions, frame).packed)
          for (const float value : {wave.wave_vector[0], wave.wave_vector[1], wave.vector[0], wave.amplitude})
            ASSERT_TRUE(std::isfinite(value)) << "wavelength " << params.wavelength;
      }
    } catch (const InvalidArgument&) {
      ++refused;
    }
  }
  EXPECT_EQ(refused, 108);  // all but the 13 from 1e-30 to 1e30
}

}  // namespace
}  // namespace pucker::waves
