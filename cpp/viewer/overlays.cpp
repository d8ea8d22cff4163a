#include "overlays.h"

#include "pucker/dynamic/glyphs.h"
#include "pucker/dynamic/tracing.h"

namespace pucker::viewer {

namespace {

/// The points (k, 3) that are tried in a run's present frame.
Array3 seed_points(const Run& run) {
  const CompressionField field = run.wrinkler().field();
  std::vector<Seed> seeds;
  Tracer(run.wrinkler().mesh(), run.params()).seeds(field, run.frame(), seeds);
  Array3 points(Eigen::Index(seeds.size()), 3);
  for (std::size_t k = 0; k < seeds.size(); ++k)
    points.row(Eigen::Index(k)) = field.at(seeds[k].triangle, seeds[k].barycentrics).transpose();
  return points;
}

}  // namespace

std::vector<draw::Lines> overlay_lines(const Overlays& overlays, const Run& run) {
  constexpr const draw::Overlay& usual = draw::kOverlay;
  const Wrinkler& wrinkler = run.wrinkler();
  const WrinklerState& state = wrinkler.state();
  const Index3& faces = wrinkler.mesh()->faces();
  std::vector<draw::Lines> lines;
  if (overlays.ellipses) {
    const Array3 corners = stretch_ellipses(faces, wrinkler.positions(), state.frames, state.stretch);
    lines.push_back(draw::closed_lines(corners, kEllipseCorners, usual.ellipse_colour, usual.line_width));
  }
  if (overlays.reference) {
    const Array3 corners =
        reference_triangles(faces, wrinkler.positions(), state.frames, state.stretch, wrinkler.reference().matrices());
    lines.push_back(draw::closed_lines(corners, 3, usual.reference_colour, usual.line_width));
  }
  if (overlays.seeds) lines.push_back(draw::dots(seed_points(run), usual.seed_colour, usual.seed_width));
  return lines;
}

}  // namespace pucker::viewer
