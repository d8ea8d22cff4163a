#include "pucker/dynamic/labelling.h"

#include <benchmark/benchmark.h>

#include <cmath>
#include <memory>
#include <random>

#include "sheet.h"

namespace pucker::bench {
namespace {

/// A sheet over which a wave of compression and stretch moves, with noise: stretches of one frame.
struct Waves {
  explicit Waves(std::int32_t cells)
      : cells_(cells), minimum(std::size_t(2 * cells * cells)), maximum(minimum.size()) {}

  void advance() {
    phase_ += 0.1;
    std::normal_distribution<double> noise(0, 0.01);
    for (std::size_t t = 0; t < minimum.size(); ++t) {
      const std::size_t cell = t / 2;
      const std::size_t line = cell / std::size_t(cells_);
      const double x = double(cell % std::size_t(cells_)) / cells_;
      const double y = double(line) / cells_;
      const double wave = 0.08 * std::sin(9 * x + phase_) * std::cos(7 * y - 0.7 * phase_);
      minimum[t] = std::exp(std::min(wave, 0.0) - std::abs(noise(random_)));
      maximum[t] = std::exp(std::max(wave, 0.0) + std::abs(noise(random_)));
    }
  }

 private:
  std::int32_t cells_;
  double phase_ = 0;
  std::mt19937_64 random_{7};

 public:
  std::vector<double> minimum;
  std::vector<double> maximum;
};

void data_costs(benchmark::State& state) {
  Waves waves(std::int32_t(state.range(0)));
  waves.advance();
  Array3 costs;
  for (auto _ : state) {
    label_costs(waves.minimum, waves.maximum, LabelParams{}, costs);
    benchmark::DoNotOptimize(costs.data());
  }
  state.SetItemsProcessed(state.iterations() * costs.rows());
}
BENCHMARK(data_costs)->Arg(18)->Arg(60)->Arg(200)->Unit(benchmark::kMicrosecond);

void labelling(benchmark::State& state, LabelSolver solver) {
  const auto cells = std::int32_t(state.range(0));
  const auto mesh = std::make_shared<Mesh>(sheet_faces(cells), std::int64_t(cells + 1) * (cells + 1));
  LabelParams params;
  params.solver = solver;
  Labeller labeller(mesh, params);
  // Making the frames takes longer than labelling them, so they are made beforehand and run through in a loop.
  Waves waves(cells);
  std::vector<Array3> frames(32);
  for (Array3& costs : frames) {
    waves.advance();
    costs = label_costs(waves.minimum, waves.maximum, params);
  }
  std::size_t frame = 0;
  for (auto _ : state) benchmark::DoNotOptimize(labeller.step(frames[frame++ % frames.size()]).data());
  state.SetItemsProcessed(state.iterations() * mesh->triangle_count());
}
BENCHMARK_CAPTURE(labelling, exact, LabelSolver::exact)->Arg(18)->Arg(60)->Arg(200)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(labelling, expansion, LabelSolver::expansion)
    ->Arg(18)
    ->Arg(60)
    ->Arg(200)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(labelling, swap, LabelSolver::swap)->Arg(18)->Arg(60)->Arg(200)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace pucker::bench
