#include "pucker/dynamic/junctions.h"

#include <algorithm>
#include <cmath>

#include "blocks.h"
#include "pucker/threads.h"

namespace pucker {

Junctions::Junctions(const Params& params)
    : reach_(params.verbatim ? 0.0 : params.shape.junctions * params.flat_width()) {}

double index_radius(const Params& params) {
  return std::max(params.tracing.seed_distance * params.flat_width(), Junctions(params).reach());
}

double height_at(const Wrinkle& wrinkle, const PathCurve& curve, double arc_length) {
  const auto& lengths = curve.arc_lengths;
  const auto after = std::upper_bound(lengths.begin() + 1, lengths.end() - 1, arc_length);
  const std::size_t i = std::size_t(after - lengths.begin()) - 1;
  const double span = lengths[i + 1] - lengths[i];
  const double along = span > 0 ? std::clamp((arc_length - lengths[i]) / span, 0.0, 1.0) : 0.0;
  const std::size_t knot = 2 * i + (along < 0.5 ? 0 : 1);
  return std::lerp(wrinkle.knot_heights[knot], wrinkle.knot_heights[knot + 1], along < 0.5 ? 2 * along : 2 * along - 1);
}

double Junctions::end_height(const CurveIndex& index, const std::vector<Wrinkle>& wrinkles,
                             const std::vector<PathCurve>& curves, std::size_t number, bool last) const {
  const PathCurve& curve = curves[number];
  const Vector3& end = last ? curve.points.back() : curve.points.front();
  const Vector3& normal = last ? curve.normals.back() : curve.normals.front();
  const Vector3 ahead = last ? curve.tangents.back() : Vector3(-curve.tangents.front());
  const auto older = [&](std::int32_t owner) { return wrinkles[std::size_t(owner)].id < wrinkles[number].id; };
  const std::optional<NearestCurve> nearest = index.nearest(end, normal, reach_, older);
  if (!nearest) return 0;
  const Vector3 way = nearest->point - end;
  if (way.dot(ahead) < kLeastCosine * way.norm()) return 0;
  const auto owner = std::size_t(nearest->owner);
  return height_at(wrinkles[owner], curves[owner], nearest->arc_length);
}

void Junctions::find(const CurveIndex& index, const std::vector<Wrinkle>& wrinkles,
                     const std::vector<PathCurve>& curves, std::vector<EndHeights>& out) const {
  out.assign(wrinkles.size(), {});
  if (!(reach_ > 0)) return;
  parallel_blocks(wrinkles.size(), kPathsTaken, [&](std::size_t begin, std::size_t end) {
    for (std::size_t w = begin; w < end; ++w)
      if (wrinkles[w].alive)
        out[w] = {end_height(index, wrinkles, curves, w, false), end_height(index, wrinkles, curves, w, true)};
  });
}

}  // namespace pucker
