#include "replay.h"

#include <algorithm>
#include <iostream>

#include "image.h"
#include "pucker/errors.h"
#include "pucker/io/npz.h"

namespace pucker::viewer {

namespace {
// A saved state is about as large as the mesh; reaching a frame between two takes at most so many steps.
constexpr std::int64_t kStride = 16;
}  // namespace

NamedArrays read_arrays(const std::string& path, std::span<const std::string_view> names) {
  return io::read_npz(path, names);
}

NamedArray read_array(const std::string& path) { return path.ends_with(".npy") ? io::read_npy(path) : read_grey(path); }

Replay::Replay(const io::Clip& clip, const Kind& kind, const AnyParams& params, const ReadArrays& read)
    : clip_(clip),
      method_(kind.start({.mesh = clip.mesh(),
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
