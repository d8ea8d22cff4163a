#include "brush.h"

#include "pucker/errors.h"
#include "pucker/io/npz.h"
#include "pucker/waves/params.h"

namespace pucker::viewer {

namespace {

const waves::Params* waves_of(const AnyParams& params) {
  const auto* found = dynamic_cast<const ParamsOf<waves::Params>*>(&params);
  return found == nullptr ? nullptr : &found->values();
}

}  // namespace

bool Brush::takes(const AnyParams& params) { return waves_of(params) != nullptr; }

void Brush::follow(const PlayedClip& scene, const AnyParams& params) {
  const waves::Params* values = waves_of(params);
  if (values == nullptr) return;
  const io::Clip& clip = scene.clip();
  const bool same_cloth = painting_ && painting_->mesh() == clip.mesh();
  if (same_cloth && values->painting == name_) return;
  const Array3 rest = clip.rest() ? *clip.rest() : Array3(clip.positions(0));
  // What is read may be the painting that is replaced.
  std::optional<waves::Painting> next;
  if (values->painting.empty()) {
    next.emplace(clip.mesh(), rest);
  } else {
    next = waves::Painting::read(values->painting, clip.mesh(), rest,
                                 [this](const auto& path, auto names) { return read(path, names); });
  }
  painting_ = std::move(next);
  unsaved_ = unsaved_ && values->painting == name_;
  name_ = values->painting;
  dragging_ = false;
}

NamedArrays Brush::read(const std::string& path, std::span<const std::string_view> names) const {
  return unsaved_ && path == name_ ? painting_->arrays() : io::read_npz(path, names);
}

void Brush::down(double x, double y) {
  if (!painting_ || dragging_) return;
  place_ = {x, y};
  painting_->begin();
  before_ = painting_->vectors();
  dragging_ = true;
}

std::optional<double> Brush::radius_at(const scene::Sight& sight, double x, double y) const {
  const std::optional<draw::Hit> hit = scene::cloth_at(sight, {x, y});
  if (!hit) return std::nullopt;
  const double away = (sight.camera.eye - sight.camera.target).norm();
  return double(settings.radius) * sight.clip.height() * away /
         (sight.camera.pixel_size(sight.size[1]) * hit->distance);
}

void Brush::to(const scene::Sight& sight, double x, double y) {
  const scene::Pixels way{x - place_[0], y - place_[1]};
  if (!dragging_ || (way[0] == 0 && way[1] == 0)) return;
  place_ = {x, y};
  const scene::Brush brush{
      .erase = settings.erase, .radius = double(settings.radius), .strength = double(settings.strength)};
  scene::drag(*painting_, brush, sight, place_, way);
}

bool Brush::up() {
  if (!dragging_) return false;
  dragging_ = false;
  painting_->end();
  return painting_->vectors() != before_;
}

bool Brush::random() {
  if (!painting_ || dragging_) return false;
  painting_->random(seed_++, double(settings.strength));
  return true;
}

bool Brush::clear() {
  if (!painting_ || dragging_) return false;
  painting_->clear();
  return true;
}

bool Brush::undo() { return painting_ && !dragging_ && painting_->undo(); }

std::unique_ptr<AnyParams> Brush::named(const AnyParams& params) {
  // A name of its own each time, so that parameters say which painting it is.
  unsaved_ = !painting_->vectors().isZero(0);
  name_ = unsaved_ ? message("unsaved painting ", ++named_) : "";
  std::unique_ptr<AnyParams> out = params.clone();
  set_param(*out, "painting", name_, "painting");
  return out;
}

std::string Brush::file() const { return io::pack_npz(painting_->arrays()); }

}  // namespace pucker::viewer
