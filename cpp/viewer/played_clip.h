/// A clip with its run and its surfaces on the GPU.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "programs.h"
#include "pucker/io/clip.h"
#include "pucker/scene/clip_scene.h"
#include "pucker/scene/replay.h"
#include "renderer.h"
#include "surface.h"

namespace pucker::viewer {

/// What a scene is lit by: the means over the triangles round a vertex, or the file's normals where it has some.
enum class Normals { smooth, file };

/// What of a scene is shown.
struct Appearance {
  Mode mode = Mode::both;
  Normals normals = Normals::smooth;
  std::set<std::string> overlays;  ///< names; see overlay_choices
  double least_edge = 0.0;         ///< shortest tessellated edge, in pixels at the camera's target; 0 for no limit
  std::set<std::string> without;   ///< parts of the light that are left away; see draw::kLightParts

  bool operator==(const Appearance&) const = default;
};

/// Name and words of an overlay.
using OverlayChoice = std::pair<std::string_view, std::string_view>;
/// The overlays that every method has, then its own.
std::vector<OverlayChoice> overlay_choices(const MethodType& type);

/// How files are read that parameters name, where no brush has what is no file yet.
NamedArrays read_arrays(const std::string& path, std::span<const std::string_view> names);

class PlayedClip {
 public:
  /// `read`: how files are read that parameters name. Throws as MethodType::start.
  PlayedClip(io::Clip clip, const MethodType& type, const AnyParams& params, ReadArrays read = read_arrays);

  const io::Clip& clip() const { return *clip_; }
  scene::Replay& replay() { return *replay_; }
  const scene::Replay& replay() const { return *replay_; }
  const Method& method() const { return replay_->run().method(); }
  /// Starts a run anew, of this method. Throws as MethodType::start, and then keeps the old run.
  void restart(const MethodType& type, const AnyParams& params);

  /// Corners (8, 3) of the box round all frames.
  const Array3& box() const { return box_; }
  /// Edges of the garment that are drawn more coarsely than its wrinkles ask for, in the last picture.
  std::int64_t limited_edges() const { return shown_->garment()->limited_edges(); }
  /// Sends the replay's present frame to the GPU and draws it. Throws InvalidArgument for an overlay that the method
  /// has not.
  void draw(Renderer& renderer, const Target& target, const Camera& camera, const Appearance& appearance);

 private:
  std::unique_ptr<scene::Replay> replay_of(const MethodType& type, const AnyParams& params) const;
  void send(const Appearance& appearance);

  const MethodType* type_;
  ReadArrays read_;
  std::unique_ptr<io::Clip> clip_;
  std::unique_ptr<scene::Replay> replay_;
  std::optional<scene::ClipScene> shown_;
  std::vector<DrawnSurface> surfaces_;
  Array3 box_;
  std::int64_t sent_frame_ = -1;
  Appearance sent_;
};

}  // namespace pucker::viewer
