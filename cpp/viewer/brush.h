/// Painting wrinkles on the garment with the mouse, for the method that takes paint.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "played_clip.h"
#include "pucker/method_type.h"
#include "pucker/named_arrays.h"
#include "pucker/scene/brush.h"
#include "pucker/waves/painting.h"

namespace pucker::viewer {

/// What a drag with the left button does while the brush is on.
struct BrushSettings {
  bool on = false;
  bool erase = false;
  float radius = 0.06F;  ///< as a share of the character's height
  float strength = 0.6F;
};

/// Wrinkles come out across the way of the mouse, as if it pushed the cloth together. The painting is a file that the
/// parameters name; until it is saved, one that only this window has, under a name that no file has.
class Brush {
 public:
  /// Whether parameters name a painting.
  static bool takes(const AnyParams& params);

  /// Goes on with the painting that the parameters of a scene's run name, if they do not name the one that is painted
  /// on already. Throws as waves::Painting::read.
  void follow(const PlayedClip& scene, const AnyParams& params);
  /// Reads files that parameters name, the painting that no file has among them.
  NamedArrays read(const std::string& path, std::span<const std::string_view> names) const;

  /// A drag begins at a place of the picture, in pixels from its upper left corner.
  void down(double x, double y);
  /// The drag goes on to a place; beside the cloth nothing is painted.
  void to(const scene::Sight& sight, double x, double y);
  /// Radius in pixels of the circle that is painted at a place; none beside the cloth.
  std::optional<double> radius_at(const scene::Sight& sight, double x, double y) const;
  /// The drag ends; says whether it has painted anything.
  bool up();
  bool dragging() const { return dragging_; }
  /// These say whether anything has changed.
  bool random();
  bool clear();
  bool undo();

  /// The parameters with the painting as it is now; without one where nothing is painted, so that any cloth fits.
  std::unique_ptr<AnyParams> named(const AnyParams& params);
  /// The bytes of its file.
  std::string file() const;
  /// Takes note that a file of this name holds it.
  void saved(const std::string& path) {
    name_ = path;
    unsaved_ = false;
  }
  bool has_painting() const { return painting_.has_value(); }

  BrushSettings settings;

 private:
  std::optional<waves::Painting> painting_;
  std::string name_;        ///< as parameters name it
  std::int32_t named_ = 0;  ///< names given so far to what no file has
  bool unsaved_ = false;    ///< whether the present name is one of them
  std::uint64_t seed_ = 0;  ///< of the next random painting
  bool dragging_ = false;
  Array3 before_;  ///< vectors when the drag began
  scene::Pixels place_{};
};

}  // namespace pucker::viewer
