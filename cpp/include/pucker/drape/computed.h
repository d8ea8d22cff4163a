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
/// Of the body its positions are sent as well, and boxes round them: places of it are searched where the cloth is.
class ComputedDrape final : public MethodOf<ComputedDrape, ComputedState> {
 public:
  /// As Drape.
  ComputedDrape(std::shared_ptr<const Mesh> mesh, const ConstArray3& cut, Params params,
                std::vector<std::int32_t> shared = {}, std::string cut_from = {},
                std::shared_ptr<const Body> body = nullptr, Maps maps = {});

  std::string_view name() const override { return "drape"; }
  std::span<const std::string_view> stages() const override { return {}; }
  const std::shared_ptr<const Mesh>& mesh() const override { return start_->mesh(); }
  const Params& params() const { return start_->params(); }
  const Setting& setting() const { return start_->setting(); }
  const std::shared_ptr<const Body>& body() const { return start_->body(); }
  /// As Drape has them.
  double cut_inside() const { return start_->cut_inside(); }
  std::string body_warning() const { return start_->body_warning(); }

  const ComputedState& advance(const ConstArray3& positions, double time) override;
  /// Throws InvalidArgument as well for positions of another body.
  const ComputedState& advance_worn(const ConstArray3& positions, const ConstArray3& body, double time) override;
  /// Throws InvalidArgument as well for a frame that the body has not.
  void require_frame(const ConstArray3& positions, double time) const override;

  /// With all frames; all but the body, of which there is only a checksum.
  std::string save() const override;
  /// Throws Error for bytes that save() has not made, and without the body that the saved run had.
  static ComputedDrape restore(std::string_view bytes, std::shared_ptr<const Body> body = nullptr);
  /// With the body of this run.
  std::unique_ptr<pucker::Method> restored(std::string_view bytes) const override;

 private:
  explicit ComputedDrape(Drape start);
  /// A frame that is as it must be; `body` (nb, 3), or (0, 3) for that of the run's frame.
  const ComputedState& take(const ConstArray3& positions, const ConstArray3& body, double time);

  std::shared_ptr<const Drape> start_;      ///< has seen no frame
  std::shared_ptr<const ComputedRun> run_;  ///< null before the first frame
};

}  // namespace pucker::drape
