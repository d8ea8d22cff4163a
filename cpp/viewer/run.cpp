#include "run.h"

#include "pucker/errors.h"

namespace pucker::viewer {

namespace {
// A saved state is about as large as the mesh; reaching a frame between two takes at most so many steps.
constexpr std::int64_t kStride = 16;
}  // namespace

Run::Run(const io::Clip& clip, const Params& params)
    : clip_(clip),
      wrinkler_(std::in_place, clip.mesh(), params.for_height(clip.height()),
                Cloth{clip.rest(), clip.shared_vertices()}) {
  wrinkler_->advance(clip_.positions(0), clip_.data().times[0]);
  saved_.push_back(wrinkler_->save());
}

bool Run::seek(std::int64_t frame, std::optional<std::chrono::duration<double>> budget) {
  require(frame >= 0 && frame < clip_.frame_count(), "frame must lie in [0, ", clip_.frame_count(), "), not ", frame);
  const std::int64_t nearest = std::min(frame / kStride, std::int64_t(saved_.size()) - 1);
  if (frame < this->frame() || nearest * kStride > this->frame())
    wrinkler_.emplace(Wrinkler::restore(saved_[std::size_t(nearest)]));
  const auto begin = std::chrono::steady_clock::now();
  while (this->frame() < frame) {
    advance();
    if (budget && std::chrono::steady_clock::now() - begin > *budget) break;
  }
  return this->frame() == frame;
}

void Run::advance() {
  const std::int64_t next = frame() + 1;
  wrinkler_->advance(clip_.positions(next), clip_.data().times[std::size_t(next)]);
  if (next == std::int64_t(saved_.size()) * kStride) saved_.push_back(wrinkler_->save());
}

}  // namespace pucker::viewer
