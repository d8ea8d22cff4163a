/// The whole dynamic method: one frame after the other through all stages.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pucker/dynamic/curve.h"
#include "pucker/dynamic/field.h"
#include "pucker/dynamic/labelling.h"
#include "pucker/dynamic/packing.h"
#include "pucker/dynamic/path_index.h"
#include "pucker/dynamic/persistence.h"
#include "pucker/dynamic/reference.h"
#include "pucker/dynamic/shape.h"
#include "pucker/dynamic/stretch.h"
#include "pucker/dynamic/tracing.h"
#include "pucker/params.h"

namespace pucker {

/// The stages in the order in which a frame runs through them.
enum class Stage { stretch, labels, reference, persistence, tracing, shape, packing };
inline constexpr std::size_t kStageCount = 7;
std::string_view stage_name(Stage stage);

/// What one frame gave. Valid until the next one.
struct State {
  std::int64_t frame = 0;
  double time = 0;                  ///< seconds
  LocalFrames frames;               ///< of this frame's triangles
  Stretch motion;                   ///< previous → current frame, per reference interval; sizes only
  Array3 costs;                     ///< label costs, (m, 3)
  std::vector<std::int8_t> labels;  ///< (m,)
  Stretch stretch;                  ///< reference → current, (m,)
  std::vector<double> compression;  ///< λ̃, (m,)
  std::vector<Wrinkle> wrinkles;    ///< alive and dying
  std::vector<PathCurve> curves;    ///< of the wrinkles, in their order; may be followed by unused ones
  PackedWrinkles packed;
  std::array<double, kStageCount> seconds;  ///< wall clock of each stage
};

/// Runs the stages in order and holds what the next frame needs. Each stage used by hand gives the same bits.
class Wrinkler {
 public:
  Wrinkler(std::shared_ptr<const Mesh> mesh, const Params& params);

  const Params& params() const { return params_; }
  const std::shared_ptr<const Mesh>& mesh() const { return mesh_; }

  /// One frame: `positions` (n, 3) at `time` seconds, later than the frame before. The first frame is the reference and
  /// has no wrinkles. Throws InvalidArgument for a wrong shape, a position that is not finite or a time that is not
  /// later; nothing has changed then.
  const State& advance(const ConstArray3& positions, double time);

  /// The last frame; throws InvalidArgument before the first.
  const State& state() const;
  /// Positions of the last frame.
  const Array3& positions() const { return positions_; }
  /// The compression of the last frame; valid until the next one.
  CompressionField field() const;
  /// The reference triangles; throws InvalidArgument before the first frame.
  const ReferenceShape& reference() const;

  /// The whole run as bytes: mesh, parameters, last frame and everything the next one depends on.
  std::string save() const;
  /// A run that goes on with the same bits as the saved one. Throws Error for bytes that save() has not made.
  static Wrinkler restore(std::string_view bytes);

 private:
  void measure_motion();
  void measure_compression();
  void measure_curves();
  void drop_gone();
  void find_new_wrinkles(const CompressionField& field);

  std::shared_ptr<const Mesh> mesh_;
  Params params_;
  Labeller labeller_;
  Tracer tracer_;
  Persistence persistence_;
  Shaper shaper_;
  Packer packer_;
  std::optional<ReferenceShape> reference_;

  State state_;
  std::int64_t next_id_ = 0;
  double edge_length_ = 0;
  double dt_ = 0;
  Array3 positions_;
  Array3 previous_positions_;
  LocalFrames previous_frames_;
  std::vector<std::uint8_t> still_;  ///< triangles whose motion cannot be measured in this frame
  SegmentIndex occupied_;
  CurveIndex curve_index_;
  PathCurve curve_;
};

}  // namespace pucker
