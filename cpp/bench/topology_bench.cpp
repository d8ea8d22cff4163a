#include "pucker/mesh/topology.h"

#include <benchmark/benchmark.h>

#include "sheet.h"

namespace pucker::bench {
namespace {

void mesh_construction(benchmark::State& state) {
  const auto cells = std::int32_t(state.range(0));
  const Index3 faces = sheet_faces(cells);
  const std::int64_t vertices = std::int64_t(cells + 1) * (cells + 1);
  for (auto _ : state) benchmark::DoNotOptimize(Mesh(faces, vertices));
  state.SetItemsProcessed(state.iterations() * faces.rows());
}
BENCHMARK(mesh_construction)->Arg(16)->Arg(64)->Arg(256)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pucker::bench
