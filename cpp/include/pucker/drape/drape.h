/// The whole method: cloth draped over the guide, on one frame after the other.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pucker/drape/balance.h"
#include "pucker/drape/guide.h"
#include "pucker/drape/lengths.h"
#include "pucker/drape/params.h"
#include "pucker/loop_detail.h"
#include "pucker/method.h"

namespace pucker::drape {

class DrapeState;

/// The fine mesh that one frame puts over the coarse one. It refers to the frame's state, which must outlive it.
class DrapeDetail final : public LoopDetail {
 public:
  explicit DrapeDetail(const DrapeState& state);

  const std::shared_ptr<const LoopSubdivision>& subdivision() const override;
  const Array3& fine_positions() const override;
  const Array3& fine_normals() const override;
  double feature_size() const override;

 private:
  const DrapeState& state_;
};

/// What all frames of a run share.
struct Setting {
  std::shared_ptr<const Levels> levels;
  Array3 cut;  ///< (n, 3)
  Lengths lengths;
  double feature_size = 0;
};

/// What one frame gave.
class DrapeState final : public pucker::State {
 public:
  explicit DrapeState(std::shared_ptr<const Setting> setting) : setting_(std::move(setting)), detail_(*this) {}
  std::span<const std::string_view> stages() const override;
  const DrapeDetail& detail() const override { return detail_; }
  const Setting& setting() const { return *setting_; }

  Array3 guide;    ///< (N, 3) that the cloth is held to
  Array3 draped;   ///< (N, 3) in balance
  Array3 surface;  ///< (N, 3) the guide and `gain` times what lies between
  Array3 normals;  ///< (N, 3) of the surface
  Solved solved;
  bool started = false;  ///< nothing was taken over from the frame before: the first frame, or a jump of the guide

 private:
  std::shared_ptr<const Setting> setting_;
  DrapeDetail detail_;
};

/// Drapes each frame, and holds what the next one needs: where the cloth was.
///
/// It starts from the last balance, carried in the frames of the guide's vertices. `lag` τ pulls it to where it was in
/// the world, `memory` to what is carried, each with τ/Δt times the hold. In the first frame there is neither, and so
/// in one in which a vertex has gone farther than the garment is large, since then the character was put elsewhere.
/// At the end no vertex lies deeper than `depth` inside of the guide, along its normal, but for what a `gain` adds.
class Drape final : public MethodOf<Drape, DrapeState> {
 public:
  /// `cut` (n, 3): the pose that the garment was cut for; `shared`: coarse vertices that the rest of the character has
  /// as well. Throws InvalidArgument for parameters out of range, vertices that there are not, and positions that do
  /// not fit the mesh.
  Drape(std::shared_ptr<const Mesh> mesh, const ConstArray3& cut, Params params = {},
        std::vector<std::int32_t> shared = {});

  std::string_view name() const override { return "drape"; }
  std::span<const std::string_view> stages() const override;
  const Params& params() const { return params_; }
  const Setting& setting() const { return *setting_; }
  const std::shared_ptr<const Mesh>& mesh() const override { return setting_->levels->mesh(0); }

  const DrapeState& advance(const ConstArray3& positions, double time) override;

  std::string save() const override;
  /// A run that goes on with the same bits as the saved one. Throws Error for bytes that save() has not made.
  static Drape restore(std::string_view bytes);

 private:
  /// Takes what lies deeper than `depth` out to it.
  void lift(DrapeState& state) const;
  void finish(DrapeState& state) const;

  Params params_;
  std::vector<std::int32_t> shared_;
  std::shared_ptr<const Setting> setting_;
  Guide guide_;
  Balance balance_;
  RingNormals normals_;
  std::vector<RowMatrix3> frames_;        ///< (N,) of the last frame's guide
  Array3 carried_;                        ///< (N, 3) the last balance in the frames of this one
  std::shared_ptr<DrapeState> previous_;  ///< of the frame before the last
};

}  // namespace pucker::drape
