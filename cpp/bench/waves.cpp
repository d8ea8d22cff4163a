#include <chrono>
#include <cmath>
#include <memory>
#include <random>

#include "pucker/waves/wave_field.h"
#include "runs.h"

namespace pucker::bench {

namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr double kInterval = 1.0 / 30;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

/// A sheet of so many quads along a side, inner vertices displaced by up to a third of one.
struct Cloth {
  std::shared_ptr<const Mesh> mesh;
  Array3 rest;

  explicit Cloth(std::int32_t cells) : rest((cells + 1) * (cells + 1), 3) {
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> shift(-1.0 / 3, 1.0 / 3);
    const std::int32_t side = cells + 1;
    for (std::int32_t y = 0; y < side; ++y)
      for (std::int32_t x = 0; x < side; ++x)
        rest.row(y * side + x) << (x + shift(random)) / cells, (y + shift(random)) / cells, 0;
    Index3 faces(2 * Eigen::Index(cells) * cells, 3);
    Eigen::Index row = 0;
    for (std::int32_t y = 0; y < cells; ++y)
      for (std::int32_t x = 0; x < cells; ++x) {
        const std::int32_t corner = y * side + x;
        faces.row(row++) << corner, corner + 1, corner + side;
        faces.row(row++) << corner + 1, corner + side + 1, corner + side;
      }
    mesh = std::make_shared<Mesh>(std::move(faces), rest.rows());
  }

  /// Squeezed along a direction that turns slowly, by a share that differs over the sheet, and bent.
  Array3 moved(double time) const {
    Array3 out = rest;
    for (Eigen::Index v = 0; v < out.rows(); ++v) {
      const double x = rest(v, 0);
      const double y = rest(v, 1);
      out(v, 0) = x * (0.7 + 0.05 * std::sin(3 * y + time)) + 0.05 * std::sin(time) * y;
      out(v, 2) = 0.05 * std::sin(5 * x + time);
    }
    return out;
  }
};

waves::Params params_of(const Cloth& cloth) {
  waves::Params out;
  out.unit = waves::WavelengthUnit::clip;
  out.wavelength = 5 / std::sqrt(double(cloth.rest.rows()));
  return out;
}

/// Seconds of `repeats` frames of each stage by itself.
json stages(std::int32_t cells, int repeats) {
  const Cloth cloth(cells);
  const waves::Params params = params_of(cloth);
  waves::Crush crush(cloth.mesh, cloth.rest, params.wavelength, params.crush);
  waves::Relax relax(cloth.mesh, params.relax);
  json out{{"vertices", cloth.rest.rows()}};
  for (int frame = 0; frame <= repeats; ++frame) {
    const Array3 positions = cloth.moved(frame * kInterval);
    Clock::time_point begin = Clock::now();
    const waves::PlaneWaves& planes = crush.step(positions);
    const double crushed = seconds_since(begin);
    begin = Clock::now();
    relax.prepare(planes, cloth.rest, waves::Coordinates::rest);
    const double prepared = seconds_since(begin);
    begin = Clock::now();
    relax.step(4);
    const double stepped = seconds_since(begin) / 4;
    if (frame == 0) continue;  // it brings everything into memory
    out["crush"].push_back(crushed);
    out["prepare"].push_back(prepared);
    out["round"].push_back(stepped);
  }
  return out;
}

/// Seconds of the first solution from random phases, and of those of the frames after it from the one before.
json solutions(std::int32_t cells, int frames) {
  const Cloth cloth(cells);
  const waves::Params params = params_of(cloth);
  waves::Crush crush(cloth.mesh, cloth.rest, params.wavelength, params.crush);
  waves::Relax relax(cloth.mesh, params.relax, 1);
  json out{{"vertices", cloth.rest.rows()}};
  for (int frame = 0; frame < frames; ++frame) {
    relax.prepare(crush.step(cloth.moved(frame * kInterval)), cloth.rest, waves::Coordinates::rest);
    const Clock::time_point begin = Clock::now();
    const waves::PhaseReport report = relax.solve();
    out["seconds"].push_back(seconds_since(begin));
    out["products"].push_back(report.products);
  }
  return out;
}

}  // namespace

json run_wave_allocations() {
  const Cloth cloth(20);
  waves::WaveField field(cloth.mesh, cloth.rest, params_of(cloth));
  json out = json::array();
  for (int frame = 0; frame < 40; ++frame) {
    const Array3 positions = cloth.moved(frame * kInterval);
    const std::int64_t before = allocation_count();
    field.advance(positions, frame * kInterval);
    const std::int64_t after = allocation_count();
    out.push_back(after - before);
  }
  return out;
}

json run_waves() {
  json out{{"allocations", run_wave_allocations()}, {"solutions", solutions(99, 5)}};
  for (const auto& [cells, repeats] : {std::pair{9, 400}, {31, 100}, {76, 60}, {99, 40}, {315, 12}, {999, 4}})
    out["stages"].push_back(stages(cells, repeats));
  return out;
}

}  // namespace pucker::bench
