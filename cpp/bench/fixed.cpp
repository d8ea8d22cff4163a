#include "pucker/byexample/by_example.h"
#include "pucker/byexample/trained.h"
#include "pucker/drape/drape.h"
#include "pucker/io/npz.h"
#include "pucker/waves/wave_field.h"
#include "runs.h"
#include "scenes.h"

namespace pucker::bench {

namespace {

constexpr int kFrames = 60;

/// Path points of all frames, by each way to label and to persist.
std::int64_t run_dynamic(Scene& scene) {
  std::int64_t points = 0;
  for (const LabelSolver solver : {LabelSolver::exact, LabelSolver::expansion, LabelSolver::swap}) {
    scene.params.label.solver = solver;
    scene.params.persistence.method =
        solver == LabelSolver::exact ? PersistenceMethod::edges : PersistenceMethod::projection;
    Wrinkler wrinkler(scene.mesh, scene.params);
    for (std::size_t frame = 0; frame < kFrames; ++frame)
      points += std::int64_t(wrinkler.advance(scene.frames[frame], scene.time(frame)).packed.points.size());
  }
  return points;
}

/// Vertices with a wave in all frames.
std::int64_t run_wave_field(const Scene& scene) {
  waves::Params params;
  params.unit = waves::WavelengthUnit::clip;
  params.wavelength = 0.15;
  waves::WaveField field(scene.mesh, scene.frames.front(), params);
  std::int64_t waved = 0;
  for (std::size_t frame = 0; frame < kFrames; ++frame)
    for (const double amplitude : field.advance(scene.frames[frame], scene.time(frame)).waves.amplitudes)
      waved += amplitude > 0;
  return waved;
}

/// Fine vertices of all frames.
std::int64_t run_by_example(const std::string& folder) {
  const byexample::TrainedSet set = byexample::read_trained(
      folder + "/dress.pose.npz", [](const std::string& path, auto names) { return io::read_npz(path, names); });
  const Scene scene =
      load_scene(folder, {"female_dress.fbx", "HumanArmature|Female_Run", set.parts}, 1, Setting{1.25, 0.01});
  byexample::ByExample run(byexample::synthesis_of(set, scene.mesh), {});
  std::int64_t vertices = 0;
  for (std::size_t frame = 0; frame < scene.frames.size(); ++frame)
    vertices += run.advance(scene.frames[frame], scene.time(frame)).surface().positions.rows();
  return vertices;
}

/// Iterations of all frames.
std::int64_t run_draped(const Scene& scene) {
  drape::Params params;
  params.levels = 2;
  drape::Drape run(scene.mesh, scene.frames.front(), params);
  std::int64_t iterations = 0;
  constexpr std::size_t frames = 12;
  for (std::size_t frame = 0; frame < frames; ++frame)
    iterations += run.advance(scene.frames[frame], scene.time(frame)).solved.iterations;
  return iterations;
}

}  // namespace

nlohmann::json run_fixed(const std::string& folder) {
  Scene scene = sheet(18, 1, kFrames, 30);
  const std::int64_t points = run_dynamic(scene);
  return {{"frames", kFrames},
          {"triangles", scene.mesh->triangle_count()},
          {"path_points", points},
          {"waved_vertices", run_wave_field(scene)},
          {"fine_vertices", run_by_example(folder)},
          {"iterations", run_draped(scene)}};
}

}  // namespace pucker::bench
