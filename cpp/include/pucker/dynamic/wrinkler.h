/// The whole dynamic method: one frame after the other through all stages.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pucker/dynamic/border.h"
#include "pucker/dynamic/curve.h"
#include "pucker/dynamic/field.h"
#include "pucker/dynamic/guide.h"
#include "pucker/dynamic/junctions.h"
#include "pucker/dynamic/labelling.h"
#include "pucker/dynamic/packing.h"
#include "pucker/dynamic/params.h"
#include "pucker/dynamic/path_index.h"
#include "pucker/dynamic/persistence.h"
#include "pucker/dynamic/reference.h"
#include "pucker/dynamic/shape.h"
#include "pucker/dynamic/stretch.h"
#include "pucker/dynamic/surface.h"
#include "pucker/dynamic/tracing.h"
#include "pucker/method.h"
#include "pucker/stopwatch.h"

namespace pucker {

class ByteReader;

/// The stages in the order in which a frame runs through them.
enum class Stage { stretch, labels, reference, persistence, tracing, shape, packing };

/// What one frame gave.
struct WrinklerState final : State {
  WrinklerState(std::shared_ptr<const Mesh> mesh, const Params& params);
  std::span<const std::string_view> stages() const override;
  const PathDetail& detail() const override { return detail_; }

  LocalFrames frames;               ///< of this frame's triangles
  Stretch motion;                   ///< previous → current frame, per reference interval; sizes only
  Array3 costs;                     ///< label costs, (m, 3)
  std::vector<std::int8_t> labels;  ///< (m,)
  Matrix2List reference;            ///< reference triangles, (m,)
  Stretch stretch;                  ///< reference → current, (m,)
  std::vector<double> compression;  ///< λ̃, (m,)
  std::vector<Wrinkle> wrinkles;    ///< alive and dying
  std::vector<PathCurve> curves;    ///< of the wrinkles, in their order; may be followed by unused ones
  PackedWrinkles packed;

 private:
  std::shared_ptr<const Mesh> mesh_;
  PathDetail detail_;
};

/// What a run may know of its cloth besides its connectivity.
struct Cloth {
  std::optional<Array3> rest;        ///< (n, 3): the pose it was made in
  std::vector<std::int32_t> shared;  ///< vertices that are also vertices of what is not cloth
};

/// Runs the stages in order and holds what the next frame needs. Each stage used by hand gives the same bits.
class Wrinkler final : public MethodOf<Wrinkler, WrinklerState> {
 public:
  /// Throws InvalidArgument if the reference triangles are to start from a rest pose and there is none, if that is not
  /// (n, 3) and finite, and for a shared vertex outside the mesh.
  Wrinkler(std::shared_ptr<const Mesh> mesh, const Params& params, Cloth cloth = {});

  std::string_view name() const override { return "dynamic"; }
  std::span<const std::string_view> stages() const override;
  const Params& params() const { return params_; }
  const std::shared_ptr<const Mesh>& mesh() const override { return mesh_; }

  /// As Method::advance. The first frame has no wrinkles; it is the reference, or the rest pose is.
  const WrinklerState& advance(const ConstArray3& positions, double time) override;
  /// Of a flat wrinkle in each triangle, in flat widths of the parameters, (m,); empty: 1 everywhere, as without a rest
  /// pose.
  const std::vector<double>& widths() const { return widths_; }
  /// Positions of the last frame.
  const Array3& positions() const { return state().positions; }
  /// The compression of the last frame; valid until the next one. Throws InvalidArgument before the first.
  CompressionField field() const;

  std::string save() const override;
  /// A run that goes on with the same bits as the saved one. Throws Error for bytes that save() has not made.
  static Wrinkler restore(std::string_view bytes);

 private:
  /// A frame in the making, which becomes the last one only when it is whole.
  struct Draft {
    WrinklerState& state;
    const WrinklerState& previous;  ///< of the first frame: itself
    double dt;                      ///< of the first frame: 0
    double edge_length;
    std::int64_t next_id;
  };
  /// A State without other owners.
  std::shared_ptr<WrinklerState> unused_state();
  /// Goes on where save() wrote a run that had begun.
  void read_frame(ByteReader& in);
  void compute(Draft& draft, Stopwatch& watch);
  void measure_motion(const Draft& draft);
  Matrix2List first_reference(const WrinklerState& state) const;
  CompressionField measure_compression(WrinklerState& state);
  /// Curves of the wrinkles from number `from` on.
  static void measure_curves(WrinklerState& state, std::size_t from);
  void find_new_wrinkles(const CompressionField& field, Draft& draft);
  void drop_gone(WrinklerState& state);
  void pack(const CompressionField& field, WrinklerState& state);

  std::shared_ptr<const Mesh> mesh_;
  Params params_;
  Cloth cloth_;
  std::vector<double> widths_;  ///< of a field
  SharedBorder border_;
  std::shared_ptr<WrinklePool> pool_;
  Labeller labeller_;
  Guide guide_;
  Tracer tracer_;
  Persistence persistence_;
  Junctions junctions_;
  Shaper shaper_;
  Packer packer_;

  std::shared_ptr<WrinklerState> previous_;  ///< of the frame before it; after the first frame the same as `state_`
  std::shared_ptr<WrinklerState> spare_;     ///< memory of the next one, unless it has another owner
  std::int64_t next_id_ = 0;
  double edge_length_ = 0;
  double dt_ = 0;
  std::vector<std::uint8_t> still_;  ///< triangles whose motion cannot be measured in this frame
  SegmentIndex occupied_;
  CurveIndex curve_index_;
  std::vector<EndHeights> ends_;
};

}  // namespace pucker
