#include "runs.h"
#include "scenes.h"

namespace pucker::bench {

nlohmann::json run_fixed() {
  constexpr int frames = 60;
  Scene scene = sheet(18, 1, frames, 30);
  std::int64_t points = 0;
  for (const LabelSolver solver : {LabelSolver::exact, LabelSolver::expansion, LabelSolver::swap}) {
    scene.params.label.solver = solver;
    scene.params.persistence.method =
        solver == LabelSolver::exact ? PersistenceMethod::edges : PersistenceMethod::projection;
    Wrinkler wrinkler(scene.mesh, scene.params);
    for (int frame = 0; frame < frames; ++frame)
      points += std::int64_t(
          wrinkler.advance(scene.frames[std::size_t(frame)], scene.time(std::size_t(frame))).packed.points.size());
  }
  return {{"frames", frames}, {"triangles", scene.mesh->triangle_count()}, {"path_points", points}};
}

}  // namespace pucker::bench
