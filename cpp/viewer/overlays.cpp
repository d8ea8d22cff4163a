#include "overlays.h"

#include "pucker/dynamic/glyphs.h"
#include "pucker/dynamic/tracing.h"

namespace pucker::viewer {

namespace {

void append(const Vector3& point, std::vector<float>& out) {
  for (const double coordinate : point) out.push_back(float(coordinate));
}

/// Closed polygons of `count` corners each, (k·count, 3), as lines.
std::vector<float> loops(const Array3& corners, Eigen::Index count) {
  std::vector<float> ends;
  ends.reserve(std::size_t(2 * corners.size()));
  for (Eigen::Index first = 0; first < corners.rows(); first += count)
    for (Eigen::Index k = 0; k < count; ++k) {
      append(corners.row(first + k), ends);
      append(corners.row(first + (k + 1) % count), ends);
    }
  return ends;
}

/// The points that are tried in a run's present frame, as lines of no length.
std::vector<float> seed_dots(const Run& run) {
  const CompressionField field = run.wrinkler().field();
  std::vector<Seed> seeds;
  Tracer(run.wrinkler().mesh(), run.params()).seeds(field, run.frame(), seeds);
  std::vector<float> ends;
  for (const Seed& seed : seeds)
    for (int end = 0; end < 2; ++end) append(field.at(seed.triangle, seed.weights), ends);
  return ends;
}

}  // namespace

std::vector<Lines> overlay_lines(const Overlays& overlays, const Run& run, const Appearance& appearance) {
  const Wrinkler& wrinkler = run.wrinkler();
  const WrinklerState& state = wrinkler.state();
  const Index3& faces = wrinkler.mesh()->faces();
  std::vector<Lines> lines;
  if (overlays.ellipses) {
    const Array3 corners = stretch_ellipses(faces, wrinkler.positions(), state.frames, state.stretch);
    lines.push_back({loops(corners, kEllipseCorners), appearance.ellipse_colour, appearance.line_width});
  }
  if (overlays.reference) {
    const Array3 corners =
        reference_triangles(faces, wrinkler.positions(), state.frames, state.stretch, wrinkler.reference().matrices());
    lines.push_back({loops(corners, 3), appearance.reference_colour, appearance.line_width});
  }
  if (overlays.seeds) lines.push_back({seed_dots(run), appearance.seed_colour, appearance.seed_width});
  return lines;
}

}  // namespace pucker::viewer
