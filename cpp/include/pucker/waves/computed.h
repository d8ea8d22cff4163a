/// The wave field as compute programs run it, on the GPU as in the paper (Loviscach 2006, sections 4 and 5).
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pucker/mesh/bones.h"
#include "pucker/method.h"
#include "pucker/waves/pleat.h"
#include "pucker/waves/wave_field.h"

namespace pucker::waves {

/// How the influences of vertices were cut to four, a sentence without its full stop; empty if none were.
std::string cut_warning(const Bones& bones);

/// What all frames of a computed run share.
class ComputedRun;
/// A frame of it, which goes on from the frame before.
class ComputedFrame;

/// The surface of a frame whose waves are in the renderer's buffers.
///
/// What is asked of it here is answered by the WaveField of the same frames, on the processor.
class ComputedDetail final : public Detail {
 public:
  ComputedDetail(std::shared_ptr<const ComputedFrame> frame, const Array3& positions);

  void evaluate_into(std::span<const std::int32_t> triangles, const ConstArray3& barycentrics,
                     Evaluation& out) const override;
  /// All triangles.
  std::vector<std::uint8_t> reached() const override;
  double feature_size() const override;
  std::vector<double> feature_sizes() const override;
  std::array<double, 2> offset_range() const override;
  std::string_view shaders() const override { return "waves"; }
  /// From the first frame on; a surface goes on from the frame that it has shown.
  draw::Content draw_content(const Vector3& origin, const draw::Continued* done) const override;

 private:
  std::shared_ptr<const ComputedFrame> frame_;
};

/// A frame that was taken in.
class ComputedState final : public State {
 public:
  explicit ComputedState(std::shared_ptr<const ComputedFrame> taken);

  std::span<const std::string_view> stages() const override { return {}; }
  const ComputedDetail& detail() const override { return detail_; }
  /// What a WaveField gives for the same frames. Frames are run through in order, so the next one takes one step and
  /// an earlier one those from the first on. Throws what WaveField::advance throws.
  const WaveState& reference() const;

 private:
  friend class ComputedField;
  std::shared_ptr<const ComputedFrame> taken_;
  ComputedDetail detail_;
  mutable std::shared_ptr<const WaveState> reference_;
  mutable std::once_flag computed_;
};

/// Takes frames in and has them computed where they are drawn: Skin, Crush and Relax as compute programs, in 32 bits.
///
/// A surface that shows a state runs the programs of all frames since the one it showed last; after a jump back, those
/// from the first frame on. So pictures do not depend on what was shown before. Each frame keeps its positions and the
/// frame before it: a run holds as much as its clip.
///
/// `params.relax.start` must be carried or random, because phases of least error are an eigenproblem.
class ComputedField final : public MethodOf<ComputedField, ComputedState> {
 public:
  /// As WaveField.
  ComputedField(std::shared_ptr<const Mesh> mesh, const ConstArray3& rest, const Params& params,
                std::optional<double> height = std::nullopt, std::vector<std::int32_t> shared = {});

  std::string_view name() const override { return "waves"; }
  std::span<const std::string_view> stages() const override { return {}; }
  const std::shared_ptr<const Mesh>& mesh() const override { return start_.mesh(); }
  const Params& params() const { return start_.params(); }
  const WaveField& start() const { return start_; }

  /// Before the first frame; throw InvalidArgument later, and as those of WaveField do.
  void set_wavelengths(std::span<const double> wavelengths);
  void set_paint(const ConstArray3& paint);
  void set_profile(const PleatTable& table);
  /// Has vertices placed by their joints instead of by the positions of the frames, which must be those of the skin:
  /// J · 12 floats a frame are sent then. Throws InvalidArgument for arrays that do not fit the mesh or each other,
  /// joints out of range and numbers that are not finite.
  void set_bones(Bones bones);

  /// As Method::advance. Throws InvalidArgument for a frame that the bones do not have.
  const ComputedState& advance(const ConstArray3& positions, double time) override;
  void require_frame(const ConstArray3& positions, double time) const override;

  /// With all frames.
  std::string save() const override;
  /// Throws Error for bytes that save() has not made.
  static ComputedField restore(std::string_view bytes);

 private:
  explicit ComputedField(WaveField start) : start_(std::move(start)) {}
  void require_unstarted(const char* what) const;

  WaveField start_;  ///< has seen no frame
  Bones bones_;
  std::shared_ptr<const ComputedRun> run_;  ///< null before the first frame
};

}  // namespace pucker::waves
