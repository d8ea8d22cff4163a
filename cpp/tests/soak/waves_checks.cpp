#include <algorithm>
#include <cmath>
#include <numbers>

#include "soak/checks.h"

namespace pucker::soak {

namespace {

constexpr double kRounding = 1e-9;

class WavesChecks final : public Checks {
 public:
  explicit WavesChecks(const waves::WaveField& run) : params_(run.params()) {}

 protected:
  void method_frame(const Method& run, double dt, int) override {
    const auto& state = dynamic_cast<const waves::WaveState&>(run.state());
    const waves::PlaneWaves& waves = state.waves;
    const auto n = std::size_t(run.mesh()->vertex_count());
    hold(waves.wavelengths.size() == n && waves.stretches.size() == n && waves.amplitudes.size() == n &&
             std::size_t(waves.directions.rows()) == n && std::size_t(waves.wave_vectors.rows()) == n &&
             std::size_t(waves.normals.rows()) == n && state.phases.size() == n && state.packed.size() == n,
         "a stage has not one entry a vertex");
    const double intervals = dt / params_.interval;
    for (std::size_t v = 0; v < n; ++v) {
      const auto row = Eigen::Index(v);
      const double wavelength = waves.wavelengths[v];
      const double most = wavelength / 4;
      const double amplitude = waves.amplitudes[v];
      hold(std::isfinite(wavelength) && wavelength > 0, "vertex ", v, " has the wavelength ", wavelength);
      hold(std::isfinite(waves.stretches[v]) && waves.stretches[v] >= 0, "vertex ", v, " has the stretch ",
           waves.stretches[v]);
      hold(amplitude >= 0 && amplitude <= most * (1 + kRounding), "vertex ", v, " has the amplitude ", amplitude,
           ", a quarter of the wavelength is ", most);
      unit_or_zero("direction", v, waves.directions.row(row));
      unit_or_zero("normal", v, waves.normals.row(row));
      hold(waves.wave_vectors.row(row).allFinite(), "vertex ", v, " has a wave vector that is not finite");
      hold(amplitude == 0 || waves.directions.row(row).norm() > 0, "vertex ", v, " has a wave without a direction");
      const double phase = state.phases[v];
      hold(std::abs(phase) <= std::numbers::pi * (1 + kRounding), "vertex ", v, " has the phase ", phase);
      if (dt > 0) change(v, amplitude, waves.directions.row(row), most, intervals);
    }
    hold(state.energy >= 0 && state.energy <= 0.25 * (1 + kRounding), "the energy is ", state.energy);
    for (const std::int64_t count :
         {state.report.isolated, state.report.singular, state.report.flattened, state.report.bounded})
      hold(count >= 0 && count <= std::int64_t(n), "the report counts ", count, " of ", n, " vertices");
    for (const waves::PackedWave& wave : state.packed)
      for (const float value : {wave.wave_vector[0], wave.wave_vector[1], wave.wave_vector[2], wave.phase,
                                wave.normal[0], wave.normal[1], wave.normal[2], wave.amplitude, wave.vector[0],
                                wave.vector[1], wave.vector[2], wave.place[0], wave.place[1], wave.place[2]})
        hold(std::isfinite(value), "a packed wave is not finite");
    amplitudes_ = waves.amplitudes;
    directions_ = waves.directions;
  }
  double seam(const State& state) const override {
    double highest = 0;
    for (const double amplitude : dynamic_cast<const waves::WaveState&>(state).waves.amplitudes)
      highest = std::max(highest, amplitude);
    return 1e-6 * highest;
  }

 private:
  static void unit_or_zero(const char* what, std::size_t vertex, const Eigen::RowVector3d& vector) {
    const double size = vector.norm();
    hold(size == 0 || std::abs(size - 1) < 1e-6, "the ", what, " of vertex ", vertex, " is ", size, " long");
  }

  /// Waves grow and turn no faster than their rates.
  void change(std::size_t v, double amplitude, const Eigen::RowVector3d& direction, double most,
              double intervals) const {
    const double before = amplitudes_[v];
    hold(amplitude <= before + std::min(params_.crush.growth * intervals, 1.0) * most + kRounding * most,
         "the wave of vertex ", v, " grows from ", before, " to ", amplitude, " in ", intervals, " intervals");
    const Eigen::RowVector3d last = directions_.row(Eigen::Index(v));
    if (before <= 0 || amplitude <= 0) return;
    const double turn = std::atan2(last.cross(direction).norm(), std::abs(last.dot(direction)));
    const double allowed = params_.crush.turn * intervals / (before / most);
    hold(params_.crush.turn >= 2 || turn <= allowed + 1e-6, "the wave of vertex ", v, " turns by ", turn, ", beyond ",
         allowed);
  }

  waves::Params params_;
  std::vector<double> amplitudes_;
  Array3 directions_;
};

}  // namespace

std::unique_ptr<Checks> waves_checks(const waves::WaveField& run) { return std::make_unique<WavesChecks>(run); }

}  // namespace pucker::soak
