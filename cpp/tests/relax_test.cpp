#include "pucker/waves/relax.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <random>

#include "pucker/errors.h"
#include "waves_shapes.h"

namespace pucker::waves {
namespace {

constexpr double kPi = std::numbers::pi;

double largest(const std::vector<double>& values) {
  double out = 0;
  for (const double value : values) out = std::max(out, std::abs(value));
  return out;
}

/// Waves drawn at random on a sheet: the hardest case, for nothing fits.
PlaneWaves random_waves(std::mt19937_64& random, const Sheet& sheet) {
  std::uniform_real_distribution<double> share(0, 1);
  PlaneWaves out;
  const Eigen::Index count = sheet.rest.rows();
  out.wave_vectors.setZero(count, 3);
  for (Eigen::Index v = 0; v < count; ++v) {
    const double angle = 2 * kPi * share(random);
    out.wave_vectors.row(v) << std::cos(angle), std::sin(angle), 0;
    out.wavelengths.push_back(0.05 + 0.2 * share(random));
    out.amplitudes.push_back(out.wavelengths.back() / 4 * share(random));
  }
  return out;
}

/// Phases of one plane wave over the whole sheet.
std::vector<double> matching_phases(const PlaneWaves& waves, const Array3& positions) {
  std::vector<double> out;
  for (Eigen::Index v = 0; v < positions.rows(); ++v) {
    const double sign = waves.wave_vectors.row(v).dot(waves.wave_vectors.row(0)) < 0 ? -1 : 1;
    const double phase = 2 * kPi / waves.wavelengths[0] * waves.wave_vectors.row(0).dot(positions.row(v));
    out.push_back(sign * std::remainder(phase, 2 * kPi));
  }
  return out;
}

struct Squeezed {
  Sheet sheet;
  Array3 positions;
  Crush crush;
};

Squeezed squeezed(std::mt19937_64& random, double r) {
  Sheet sheet = irregular_sheet(random);
  const Array3 positions = sheet.rest * squeeze(r, 0.3).transpose();
  CrushParams params;
  params.threshold = 1;
  Crush crush(sheet.mesh, sheet.rest, 0.11, params);
  crush.step(positions);
  return {sheet, positions, std::move(crush)};
}

TEST(Relax, finds_no_error_in_one_wave_over_the_whole_sheet) {
  std::mt19937_64 random(1);
  const Squeezed s = squeezed(random, 0.6);
  Relax relax(s.sheet.mesh, {});
  relax.prepare(s.crush.waves(), s.positions);
  relax.set_phases(matching_phases(s.crush.waves(), s.positions));
  std::vector<double> values;
  relax.differences(values);
  EXPECT_LT(largest(values), 1e-12);
  relax.errors(values);
  EXPECT_LT(largest(values), 1e-24);
  std::vector<std::int8_t> bifurcations;
  relax.bifurcations(bifurcations);
  for (const std::int8_t b : bifurcations) EXPECT_EQ(b, 0);
}

TEST(Relax, finds_errors_of_half_a_cycle_at_most_however_far_apart_places_are) {
  std::mt19937_64 random(2);
  const Sheet sheet = irregular_sheet(random);
  const PlaneWaves waves = random_waves(random, sheet);
  Relax relax(sheet.mesh, {});
  for (const double size : {1.0, 1e6, 1e12, 1e15, 1e16, 1e18, 1e100}) {
    relax.prepare(waves, size * sheet.rest);
    std::vector<double> values;
    relax.differences(values);
    EXPECT_LE(largest(values), 0.5) << size;
    relax.step(3);
    EXPECT_LE(relax.energy(), 0.25) << size;
  }
}

TEST(Relax, steps_down_the_gradient_of_each_vertex_own_error) {
  std::mt19937_64 random(2);
  const Sheet sheet = irregular_sheet(random);
  const PlaneWaves waves = random_waves(random, sheet);
  RelaxParams params;
  params.step = 0.01;
  Relax relax(sheet.mesh, params, 5);
  relax.prepare(waves, sheet.rest);
  const std::vector<double> before(relax.phases().begin(), relax.phases().end());
  constexpr double delta = 1e-6;
  std::vector<double> slopes;
  for (std::size_t v = 0; v < before.size(); ++v) {
    std::vector<double> errors[2];
    for (int side = 0; side < 2; ++side) {
      std::vector<double> moved = before;
      moved[v] += side == 0 ? -delta : delta;
      relax.set_phases(moved);
      relax.errors(errors[side]);
    }
    slopes.push_back((errors[1][v] - errors[0][v]) / (2 * delta));
  }
  relax.set_phases(before);
  relax.step(1);
  for (std::size_t v = 0; v < before.size(); ++v)
    EXPECT_NEAR(std::remainder(relax.phases()[v] - before[v], 2 * kPi), -params.step * slopes[v], 1e-10);
}

TEST(Relax, never_raises_the_energy_up_to_the_bound) {
  std::mt19937_64 random(3);
  for (const double share : {0.01, 0.3, 0.7, 1.0})
    for (int trial = 0; trial < 10; ++trial) {
      const Sheet sheet = irregular_sheet(random);
      RelaxParams params;
      params.step = share * kLargestStep;
      Relax relax(sheet.mesh, params, std::uint64_t(trial));
      relax.prepare(random_waves(random, sheet), sheet.rest);
      double before = relax.energy();
      for (int round = 0; round < 100; ++round) {
        relax.step();
        const double after = relax.energy();
        EXPECT_LE(after, before * (1 + 1e-12));
        before = after;
      }
    }
}

/// Three waves that run towards each other in pairs: every sign is −1.
struct Opposed {
  std::shared_ptr<const Mesh> mesh = std::make_shared<Mesh>(shapes::faces({{0, 1, 2}}), 3);
  Array3 positions;
  PlaneWaves waves;

  Opposed() {
    positions.resize(3, 3);
    waves.wave_vectors.resize(3, 3);
    for (int v = 0; v < 3; ++v) {
      const double angle = 2 * kPi * v / 3;
      positions.row(v) << std::cos(angle), std::sin(angle), 0;
      waves.wave_vectors.row(v) = positions.row(v);
      waves.wavelengths.push_back(1000);
      waves.amplitudes.push_back(250);
    }
  }
};

TEST(Relax, attains_its_bound_where_every_wave_runs_towards_every_other) {
  const Opposed opposed;
  RelaxParams params;
  params.step = kLargestStep;
  Relax relax(opposed.mesh, params);
  relax.prepare(opposed.waves, opposed.positions);
  std::vector<double> offsets;
  relax.set_phases(std::vector<double>(3, 0.0));
  relax.differences(offsets);
  // The phases that match, and the same with a disturbance that a step turns round without making it smaller.
  const double match = kPi * offsets[0];
  relax.set_phases(std::vector<double>(3, match + 0.1));
  relax.step();
  for (const double phase : relax.phases()) EXPECT_NEAR(phase, match - 0.1, 1e-12);
}

TEST(Relax, slides_high_waves_slowly_and_raises_no_error_so) {
  std::mt19937_64 random(11);
  for (const double slide : {0.01, 0.3})
    for (int trial = 0; trial < 10; ++trial) {
      const Sheet sheet = irregular_sheet(random);
      const PlaneWaves before = random_waves(random, sheet);
      PlaneWaves now = random_waves(random, sheet);
      now.wavelengths = before.wavelengths;
      for (std::size_t v = 0; v < now.amplitudes.size(); ++v) now.amplitudes[v] = before.amplitudes[v] * double(v % 3);
      RelaxParams params;
      params.step = kLargestStep;
      params.slide = slide;
      params.rounds = 5;
      Relax relax(sheet.mesh, params, std::uint64_t(trial));
      relax.prepare(before, sheet.rest);
      relax.step(20);
      relax.prepare(now, sheet.rest);
      const std::vector<double> phases(relax.phases().begin(), relax.phases().end());
      double energy = relax.energy();
      for (int round = 0; round < params.rounds; ++round) {
        relax.step();
        EXPECT_LE(relax.energy(), energy + 1e-14);
        energy = relax.energy();
      }
      int cut = 0;
      for (std::size_t v = 0; v < phases.size(); ++v) {
        const double seen = 4 * std::min(before.amplitudes[v], now.amplitudes[v]) / now.wavelengths[v];
        const double moved = std::abs(std::remainder(relax.phases()[v] - phases[v], 2 * kPi));
        EXPECT_LE(moved * seen, slide + 1e-12);
        cut += moved * seen > 0.99 * slide ? 1 : 0;
      }
      EXPECT_GT(cut, slide < 0.1 ? 10 : 0);
    }
}

TEST(Relax, moves_phases_of_waves_that_appear_freely) {
  std::mt19937_64 random(12);
  const Sheet sheet = irregular_sheet(random);
  const PlaneWaves waves = random_waves(random, sheet);
  PlaneWaves flat = waves;
  flat.amplitudes.assign(flat.amplitudes.size(), 0);
  RelaxParams params;
  params.slide = 1e-9;
  RelaxParams free;
  free.slide = 1e9;
  Relax bound(sheet.mesh, params);
  Relax unbound(sheet.mesh, free);
  for (Relax* relax : {&bound, &unbound}) {
    relax->prepare(flat, sheet.rest);
    relax->step();
    relax->prepare(waves, sheet.rest);
    relax->step();
  }
  EXPECT_TRUE(std::equal(bound.phases().begin(), bound.phases().end(), unbound.phases().begin()));
}

TEST(Relax, compares_phases_on_the_cloth_whatever_becomes_of_it) {
  std::mt19937_64 random(13);
  Squeezed s = squeezed(random, 0.6);
  Relax relax(s.sheet.mesh, {});
  relax.prepare(s.crush.waves(), s.sheet.rest, Coordinates::rest);
  PlaneWaves on_cloth = s.crush.waves();
  on_cloth.wave_vectors = on_cloth.directions;
  relax.set_phases(matching_phases(on_cloth, s.sheet.rest));
  EXPECT_LT(relax.energy(), 1e-24);
}

TEST(Relax, refuses_a_step_beyond_its_bound) {
  const Opposed opposed;
  RelaxParams params;
  params.step = std::nextafter(kLargestStep, 100);
  try {
    const Relax relax(opposed.mesh, params);
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("params.step"), std::string::npos) << error.what();
  }
}

TEST(Relax, reads_the_phases_before_the_step_only) {
  // A renumbering changes the order in which edges are gone through.
  std::mt19937_64 random(4);
  const Sheet sheet = irregular_sheet(random);
  const PlaneWaves waves = random_waves(random, sheet);
  const Eigen::Index count = sheet.rest.rows();
  const auto turned = [&](Eigen::Index v) { return count - 1 - v; };
  Index3 faces = sheet.mesh->faces();
  for (Eigen::Index t = 0; t < faces.rows(); ++t)
    for (int k = 0; k < 3; ++k) faces(t, k) = std::int32_t(turned(faces(t, k)));
  const auto mesh = std::make_shared<Mesh>(faces, count);
  PlaneWaves other = waves;
  other.wave_vectors = waves.wave_vectors.colwise().reverse();
  std::reverse(other.wavelengths.begin(), other.wavelengths.end());
  std::reverse(other.amplitudes.begin(), other.amplitudes.end());
  Relax a(sheet.mesh, {});
  Relax b(mesh, {});
  a.prepare(waves, sheet.rest);
  b.prepare(other, sheet.rest.colwise().reverse());
  std::vector<double> start(a.phases().begin(), a.phases().end());
  std::reverse(start.begin(), start.end());
  b.set_phases(start);
  a.step(10);
  b.step(10);
  for (Eigen::Index v = 0; v < count; ++v)
    EXPECT_NEAR(std::remainder(a.phases()[std::size_t(v)] - b.phases()[std::size_t(turned(v))], 2 * kPi), 0, 1e-9);
}

TEST(Relax, continues_from_saved_phases_to_the_bit) {
  std::mt19937_64 random(5);
  const Sheet sheet = irregular_sheet(random);
  const PlaneWaves waves = random_waves(random, sheet);
  Relax whole(sheet.mesh, {}, 9);
  whole.prepare(waves, sheet.rest);
  whole.step(3);
  Relax rest(sheet.mesh, {}, 10);
  rest.set_phases(whole.phases());
  rest.prepare(waves, sheet.rest);
  whole.step(4);
  rest.step(4);
  EXPECT_TRUE(std::equal(whole.phases().begin(), whole.phases().end(), rest.phases().begin()));
}

TEST(Relax, is_as_it_was_made_after_a_reset) {
  std::mt19937_64 random(10);
  const Sheet sheet = irregular_sheet(random);
  const PlaneWaves first = random_waves(random, sheet);
  const PlaneWaves second = random_waves(random, sheet);
  Relax used(sheet.mesh, {}, 9);
  used.prepare(first, sheet.rest);
  used.solve();
  used.step(30);
  used.reset();
  Relax fresh(sheet.mesh, {}, 9);
  EXPECT_EQ(used.energy(), 0);
  // The highest waves slide from the first frame on by what they were before it: not at all.
  for (Relax* relax : {&used, &fresh}) {
    relax->prepare(second, sheet.rest);
    relax->step(5);
  }
  EXPECT_TRUE(std::equal(used.phases().begin(), used.phases().end(), fresh.phases().begin()));
  EXPECT_TRUE(std::equal(used.influences().begin(), used.influences().end(), fresh.influences().begin()));
}

TEST(Relax, solves_an_affine_squeeze_without_error) {
  std::mt19937_64 random(6);
  for (const double r : {0.98, 0.75, 0.5}) {
    const Squeezed s = squeezed(random, r);
    Relax relax(s.sheet.mesh, {});
    relax.prepare(s.crush.waves(), s.positions);
    const PhaseReport report = relax.solve();
    EXPECT_EQ(report.parts, 1);
    EXPECT_LT(report.eigenvalue, 1e-10);
    std::vector<double> d;
    relax.differences(d);
    EXPECT_LT(largest(d), 1e-5);
  }
}

TEST(Relax, solves_to_the_same_bits_whatever_was_solved_before) {
  std::mt19937_64 random(14);
  const Sheet sheet = irregular_sheet(random, 12);
  PlaneWaves waves = random_waves(random, sheet);
  Relax used(sheet.mesh, {}, 3);
  // Cloth that comes to be flat, as a band that cuts the rest in two parts, and is wrinkled again; signs that do not
  // agree and signs that do.
  const auto heights = waves.amplitudes;
  const Array3 vectors = waves.wave_vectors;
  for (const int flat : {0, 0, 13, 26, 0, 39, 39}) {
    for (const bool aligned : {false, true, true, false}) {
      waves.amplitudes = heights;
      for (int v = 65; v < 65 + flat; ++v) waves.amplitudes[std::size_t(v)] = 0;
      waves.wave_vectors = vectors;
      if (aligned) waves.wave_vectors.rowwise() = Eigen::RowVector3d(1, 0, 0);
      const std::vector<double> start(used.phases().begin(), used.phases().end());
      Relax fresh(sheet.mesh, {}, 3);
      fresh.set_phases(start);
      for (Relax* relax : {&used, &fresh}) relax->prepare(waves, sheet.rest);
      const PhaseReport report = used.solve();
      EXPECT_EQ(fresh.solve().products, report.products);
      EXPECT_TRUE(std::equal(used.phases().begin(), used.phases().end(), fresh.phases().begin())) << flat << aligned;
    }
  }
}

TEST(Relax, solves_each_part_and_leaves_flat_cloth_alone) {
  std::mt19937_64 random(7);
  const Sheet one = irregular_sheet(random);
  const std::int32_t count = std::int32_t(one.rest.rows());
  Index3 faces(2 * one.mesh->faces().rows(), 3);
  faces << one.mesh->faces(), one.mesh->faces().array() + count;
  Sheet both{std::make_shared<Mesh>(faces, 2 * count), Array3(2 * count, 3)};
  both.rest << one.rest, one.rest.rowwise() + Eigen::RowVector3d(3, 0, 0);
  PlaneWaves waves = random_waves(random, both);
  waves.amplitudes.back() = 0;
  Relax relax(both.mesh, {});
  relax.prepare(waves, both.rest);
  const double untouched = relax.phases().back();
  const PhaseReport report = relax.solve();
  EXPECT_GE(report.parts, 2);
  EXPECT_LT(report.residual, 1e-8);
  EXPECT_EQ(relax.phases().back(), untouched);
}

TEST(Relax, carries_the_phases_of_a_wave_on_without_error) {
  std::mt19937_64 random(8);
  Squeezed scene = squeezed(random, 0.6);
  const PlaneWaves& waves = scene.crush.waves();
  const std::vector<double> wanted = matching_phases(waves, scene.positions);
  std::vector<std::uint8_t> kept(wanted.size(), 0);
  std::vector<double> phases(wanted.size());
  std::uniform_real_distribution<double> any(-kPi, kPi);
  for (std::size_t v = 0; v < wanted.size(); ++v) {
    kept[v] = scene.sheet.rest(Eigen::Index(v), 0) < 0.2;
    phases[v] = kept[v] != 0 ? wanted[v] : any(random);
  }
  Relax relax(scene.sheet.mesh, {});
  relax.prepare(waves, scene.positions);
  relax.set_phases(phases);
  EXPECT_GT(relax.energy(), 0.01);
  EXPECT_FALSE(relax.carry_on(kept));
  EXPECT_LT(relax.energy(), 1e-24);
  for (std::size_t v = 0; v < wanted.size(); ++v) {
    EXPECT_NEAR(std::remainder(relax.phases()[v] - wanted[v], 2 * kPi), 0, 1e-11);
    if (kept[v] != 0) {
      EXPECT_EQ(relax.phases()[v], wanted[v]);
    }
  }
}

TEST(Relax, carries_the_phase_of_the_first_vertex_on_where_none_is_kept) {
  std::mt19937_64 random(10);
  const Squeezed scene = squeezed(random, 0.6);
  PlaneWaves waves = scene.crush.waves();
  const auto x = [&](std::size_t v) { return scene.sheet.rest(Eigen::Index(v), 0); };
  // Two parts, and in the second a kept vertex.
  std::vector<std::uint8_t> kept(waves.amplitudes.size(), 0);
  std::size_t first = kept.size();
  for (std::size_t v = kept.size(); v-- > 0;) {
    if (std::abs(x(v) - 0.5) < 0.2) waves.amplitudes[v] = 0;
    if (x(v) < 0.3) first = v;
  }
  const std::size_t last = kept.size() - 1;
  ASSERT_GT(x(last), 0.7);
  kept[last] = 1;
  Relax relax(scene.sheet.mesh, {}, 3);
  relax.prepare(waves, scene.positions);
  const std::vector<double> before(relax.phases().begin(), relax.phases().end());
  EXPECT_GT(relax.energy(), 0.01);
  relax.carry_on_everywhere(kept);
  EXPECT_LT(relax.energy(), 1e-24);
  EXPECT_EQ(relax.phases()[first], before[first]);
  EXPECT_EQ(relax.phases()[last], before[last]);
  kept.pop_back();
  EXPECT_THROW(relax.carry_on_everywhere(kept), InvalidArgument);
}

TEST(Relax, carries_phases_neither_over_flat_cloth_nor_from_it) {
  std::mt19937_64 random(9);
  const Squeezed scene = squeezed(random, 0.6);
  PlaneWaves waves = scene.crush.waves();
  const auto flat = [&](std::size_t v) { return std::abs(scene.sheet.rest(Eigen::Index(v), 0) - 0.5) < 0.2; };
  std::vector<std::uint8_t> kept(waves.amplitudes.size(), 0);
  for (std::size_t v = 0; v < kept.size(); ++v) {
    if (flat(v)) waves.amplitudes[v] = 0;
    kept[v] = scene.sheet.rest(Eigen::Index(v), 0) < 0.7 && (flat(v) || v % 3 == 0);
  }
  Relax relax(scene.sheet.mesh, {}, 3);
  relax.prepare(waves, scene.positions);
  const std::vector<double> before(relax.phases().begin(), relax.phases().end());
  EXPECT_TRUE(relax.carry_on(kept));
  for (std::size_t v = 0; v < kept.size(); ++v)
    EXPECT_EQ(relax.phases()[v] == before[v], kept[v] != 0 || scene.sheet.rest(Eigen::Index(v), 0) > 0.3) << v;
  kept.pop_back();
  EXPECT_THROW(relax.carry_on(kept), InvalidArgument);
}

}  // namespace
}  // namespace pucker::waves
