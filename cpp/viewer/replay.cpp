#include "replay.h"

#include <algorithm>
#include <iostream>
#include <vector>

#include "image.h"
#include "pucker/errors.h"
#include "pucker/io/npz.h"

namespace pucker::viewer {

namespace {
// A saved state is about as large as the mesh; reaching a frame between two takes at most so many steps.
constexpr std::int64_t kStride = 16;

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

NamedArrays read_arrays(const std::string& path, std::span<const std::string_view> names) {
  return io::read_npz(path, names);
}

NamedArray read_array(const std::string& path) { return path.ends_with(".npy") ? io::read_npy(path) : read_grey(path); }

Replay::Replay(const io::Clip& clip, const MethodType& type, const AnyParams& params, const ReadArrays& read)
    : clip_(clip),
      method_(type.start({.mesh = clip.mesh(),
                          .first = clip.positions(0),
                          .rest = clip.rest(),
                          .shared = clip.shared_vertices(),
                          .height = clip.height(),
                          .read = read,
                          .bones = clip.skin() ? std::optional(io::bones_of(*clip.skin())) : std::nullopt,
                          .standing = clip.standing() ? std::optional(clip.standing()->garment) : std::nullopt,
                          .standing_from = clip.standing() ? clip.standing()->from : std::string(),
                          .read_array = read_array,
                          .texture = {clip.data().garment.faces, clip.data().garment.uv},
                          .wearer = [&clip] { return wearer_of(clip); },
                          .warn = [](const std::string& text) { std::cerr << "pucker-view: " << text << "\n"; }},
                         params)) {
  method_->advance(clip_.positions(0), clip_.data().times[0]);
  saved_.push_back(method_->save());
}

bool Replay::seek(std::int64_t frame, std::optional<std::chrono::duration<double>> budget) {
  require(frame >= 0 && frame < clip_.frame_count(), "frame must lie in [0, ", clip_.frame_count(), "), not ", frame);
  const std::int64_t nearest = std::min(frame / kStride, std::int64_t(saved_.size()) - 1);
  if (frame < this->frame() || nearest * kStride > this->frame())
    method_ = method_->restored(saved_[std::size_t(nearest)]);
  const auto begin = std::chrono::steady_clock::now();
  while (this->frame() < frame) {
    advance();
    if (budget && std::chrono::steady_clock::now() - begin > *budget) break;
  }
  return this->frame() == frame;
}

void Replay::advance() {
  const std::int64_t next = frame() + 1;
  method_->advance(clip_.positions(next), clip_.data().times[std::size_t(next)]);
  if (next == std::int64_t(saved_.size()) * kStride) saved_.push_back(method_->save());
}

}  // namespace pucker::viewer
