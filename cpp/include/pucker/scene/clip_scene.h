/// Garment and body of a clip as what is drawn of them, frame by frame, without OpenGL.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "pucker/draw/camera.h"
#include "pucker/draw/lighting.h"
#include "pucker/draw/surface.h"
#include "pucker/io/clip.h"

namespace pucker::scene {

/// What fills a picture: the garment, or the whole character.
enum class Focus { cloth, all };

/// All positions (k, 3) of all frames, of the garment and then of the body.
Array3 points_of(const io::Clip& clip);

/// The first and the last of some frames.
using FrameRange = std::array<std::int64_t, 2>;

/// The nearest camera in a direction that sees the frames of the focus, all unless some are given; of the rest, as of
/// scenery_of, what is in sight is not cut off. The azimuth counts from where the character faces (io::front_of).
/// Throws InvalidArgument for frames that the clip does not have.
draw::Camera fitted_camera(const io::Clip& clip, const draw::Angles& angles, double aspect, Focus focus,
                           const std::optional<FrameRange>& frames = std::nullopt);

class ClipScene {
 public:
  /// The clip must outlive it. `textures`: the number in `pictures` of what each material of the clip shows, kNone for
  /// none. Throws InvalidArgument for another number of materials, and for a picture there is not.
  ClipScene(const io::Clip& clip, std::span<const std::int32_t> textures, std::span<const draw::Texels> pictures);

  /// Its mesh is that of the clip.
  const std::shared_ptr<draw::Surface>& garment() const { return garment_; }
  /// Null if the whole character is cloth.
  const std::shared_ptr<draw::Surface>& body() const { return body_; }

  /// Moves both to a frame, without detail, unless they stand there. With `authored` they are lit by the file's normals
  /// where it has some; see Clip::shading_normals. Throws InvalidArgument for a frame that the clip does not have.
  void show(std::int64_t frame, bool authored);
  /// The style with what it leaves open as suits the clip: found from the first frame, so that a clip has one light.
  draw::Style style(const draw::Style& style, const draw::Camera& camera) const { return suited_->of(style, camera); }

 private:
  struct Shown {
    std::int64_t frame;
    bool authored;
    bool operator==(const Shown&) const = default;
  };

  const io::Clip& clip_;
  std::shared_ptr<draw::Surface> garment_, body_;
  std::optional<draw::ClipStyle> suited_;
  std::optional<Shown> shown_;
};

}  // namespace pucker::scene
