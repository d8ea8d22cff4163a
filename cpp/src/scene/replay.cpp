#include "pucker/scene/replay.h"

namespace pucker::scene {

namespace {

/// The body, whose stored vertices are split at seams of texture, with one vertex in each place.
Wearer wearer_of(const io::Clip& clip) {
  const io::ClipData& data = clip.data();
  const std::vector<std::int32_t>& weld = data.body.weld;
  // The first stored vertex of each place.
  std::vector<std::int64_t> kept;
  for (std::size_t v = 0; v < weld.size(); ++v)
    if (std::size_t(weld[v]) == kept.size()) kept.push_back(std::int64_t(v));
  Wearer out;
  out.vertices = Eigen::Index(kept.size());
  out.faces = data.body.faces.unaryExpr([&](std::int32_t v) { return weld[std::size_t(v)]; });
  out.positions.reserve(std::size_t(clip.frame_count() * out.vertices) * 3);
  for (std::int64_t frame = 0; frame < clip.frame_count(); ++frame) {
    const auto positions = clip.body_positions(frame);
    for (const std::int64_t v : kept)
      for (int axis = 0; axis < 3; ++axis) out.positions.push_back(positions(v, axis));
  }
  const auto joined = [&](const Array3& stored) {
    return std::size_t(stored.rows()) == weld.size() ? Array3(stored(kept, Eigen::all)) : Array3(0, 3);
  };
  out.rest = joined(data.body_rest);
  if (clip.standing()) out.standing = joined(clip.standing()->body);
  return out;
}

}  // namespace

StartInput start_of(const io::Clip& clip) {
  return {.mesh = clip.mesh(),
          .first = clip.positions(0),
          .rest = clip.rest(),
          .shared = clip.shared_vertices(),
          .height = clip.height(),
          .read = {},
          .bones = clip.skin() ? std::optional(io::bones_of(*clip.skin())) : std::nullopt,
          .standing = clip.standing() ? std::optional(clip.standing()->garment) : std::nullopt,
          .standing_from = clip.standing() ? clip.standing()->from : std::string(),
          .texture = {clip.data().garment.faces, clip.data().garment.uv},
          .wearer = [&clip] { return wearer_of(clip); }};
}

}  // namespace pucker::scene
