/// Draped cloth as compute programs balance it, on the GPU where it is drawn.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pucker/drape/drape.h"
#include "pucker/loop_detail.h"
#include "pucker/method.h"

namespace pucker::drape {

/// What all frames of a computed run share.
class ComputedRun;
/// A frame of it, which goes on from the frame before.
class ComputedFrame;

/// The surface of a frame whose vertices are in the renderer's buffers.
///
/// What is asked of it here is answered by the Drape of the same frames, on the processor.
class ComputedDetail final : public LoopDetail {
 public:
  ComputedDetail(std::shared_ptr<const ComputedFrame> frame, const Array3& positions);

  const std::shared_ptr<const LoopSubdivision>& subdivision() const override;
  const Array3& fine_positions() const override;
  const Array3& fine_normals() const override;
  double feature_size() const override;
  std::string_view shaders() const override { return "drape"; }
  /// From the first frame on; a surface goes on from the frame that it has shown.
  draw::Content draw_content(const Vector3& origin, const draw::Continued* done) const override;

 private:
  friend class ComputedState;
  /// What a Drape gives for the same frames, once it was asked for.
  const DrapeState& reference() const;

  std::shared_ptr<const ComputedFrame> frame_;
  mutable std::shared_ptr<const DrapeState> reference_;
  mutable std::once_flag computed_;
};

/// A frame that was taken in.
class ComputedState final : public State {
 public:
  explicit ComputedState(std::shared_ptr<const ComputedFrame> taken);

  std::span<const std::string_view> stages() const override { return {}; }
  const ComputedDetail& detail() const override { return detail_; }
  /// What a Drape gives for the same frames. Frames are run through in order, so the next one takes one step and an
  /// earlier one those from the first on. Throws what Drape::advance throws.
  const DrapeState& reference() const { return detail_.reference(); }

 private:
  friend class ComputedDrape;
  std::shared_ptr<const ComputedFrame> taken_;
  ComputedDetail detail_;
};

/// Takes frames in and has them balanced where they are drawn, as compute programs in 32 bits that are sent the coarse
/// positions alone: the solver of Balance, step by step.
///
/// A surface that shows a state runs the programs of all frames since the one it showed last; after a jump back, those
/// from the first frame on. So pictures do not depend on what was shown before. Each frame keeps its positions and the
/// frame before it: a run holds as much as its clip.
///
/// There is no contact, whose search of the body is the processor's: `params.contact` must be false.
class ComputedDrape final : public MethodOf<ComputedDrape, ComputedState> {
 public:
  /// As Drape. Throws InvalidArgument as well with contact.
  ComputedDrape(std::shared_ptr<const Mesh> mesh, const ConstArray3& cut, Params params,
                std::vector<std::int32_t> shared = {}, std::string cut_from = {}, Maps maps = {});

  std::string_view name() const override { return "drape"; }
  std::span<const std::string_view> stages() const override { return {}; }
  const std::shared_ptr<const Mesh>& mesh() const override { return start_->mesh(); }
  const Params& params() const { return start_->params(); }
  const Setting& setting() const { return start_->setting(); }

  const ComputedState& advance(const ConstArray3& positions, double time) override;
  void require_frame(const ConstArray3& positions, double time) const override;

  /// With all frames.
  std::string save() const override;
  /// Throws Error for bytes that save() has not made.
  static ComputedDrape restore(std::string_view bytes);

 private:
  explicit ComputedDrape(Drape start);

  std::shared_ptr<const Drape> start_;      ///< has seen no frame
  std::shared_ptr<const ComputedRun> run_;  ///< null before the first frame
};

}  // namespace pucker::drape
