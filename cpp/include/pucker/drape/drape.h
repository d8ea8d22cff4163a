/// The whole method: cloth draped over the guide, on one frame after the other.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pucker/drape/balance.h"
#include "pucker/drape/contact.h"
#include "pucker/drape/guide.h"
#include "pucker/drape/height.h"
#include "pucker/drape/inertia.h"
#include "pucker/drape/layers.h"
#include "pucker/drape/lengths.h"
#include "pucker/drape/params.h"
#include "pucker/loop_detail.h"
#include "pucker/method.h"

namespace pucker::drape {

class DrapeState;

/// Share of the cloth that lies in the body in the cut pose, from which users are told: more than collars and belts.
inline constexpr double kMuchInside = 0.5;

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
  Array3 cut;            ///< (n, 3)
  std::string cut_from;  ///< which pose that is, for messages
  Maps maps;
  Lengths lengths;
  double feature_size = 0;

  /// Whether a coarse vertex goes farther from one frame (n, 3) to the next one than the garment is large: the
  /// character was put elsewhere, and the cloth starts anew.
  bool jumps(const ConstArray3& from, const ConstArray3& to) const;
};

/// Throws InvalidArgument for positions (n, 3) beyond kFarthest.
void require_near(const ConstArray3& positions);
/// (N,) masses, as a multiple of what each vertex is held with: all of the sheet weighs what is held over the whole
/// `fold_size`.
std::vector<double> mass_shares(const Lengths& lengths, const Params& params);

/// What one frame gave.
class DrapeState final : public pucker::State {
 public:
  explicit DrapeState(std::shared_ptr<const Setting> setting) : setting_(std::move(setting)), detail_(*this) {}
  std::span<const std::string_view> stages() const override;
  const DrapeDetail& detail() const override { return detail_; }
  const Setting& setting() const { return *setting_; }

  Array3 guide;     ///< (N, 3) that the cloth is held to
  Array3 balanced;  ///< (N, 3) in balance, where the next frame goes on
  Array3 draped;    ///< (N, 3) the cloth: `gain` times as high over the guide, but for what body and layers refuse
  Array3 normals;   ///< (N, 3) of the cloth
  Solved solved;
  std::vector<float> residuals;       ///< (N,) how far each vertex is from balance, a strain: see Balance::residuals
  std::vector<std::uint8_t> on_body;  ///< (N,) 1: lies on the body in balance, with no more room than it keeps; else 0
  bool started = false;  ///< nothing was taken over from the frame before: the first frame, or a jump of the guide

 private:
  std::shared_ptr<const Setting> setting_;
  DrapeDetail detail_;
};

/// Drapes each frame, and holds what the next one needs: where the cloth was.
///
/// It starts from the last balance, carried in the frames of the guide's vertices. `lag` τ pulls it to where it was in
/// the world, `memory` to what is carried, each with τ/Δt times the hold, and with a `swing` above 0 it has Inertia,
/// whose mass is that of the hold over `fold_size`, also where the cloth is held closer. In the first frame there is
/// none of them, and so in one in which a vertex has gone farther than the garment is large, since then the character
/// was put elsewhere.
/// At the end no vertex lies deeper than `depth` inside of the guide, along its normal, but where the body is near and
/// for what a `gain` adds, and none within the body's room (Contact).
class Drape final : public MethodOf<Drape, DrapeState> {
 public:
  /// `cut` (n, 3): the pose that the garment was cut for; `shared`: coarse vertices that the rest of the character has
  /// as well; `cut_from`: which pose that is, for those who ask; `body`: what the cloth is kept out of, whose frames
  /// are those of the run, null for none; `maps`: what differs over the garment. Throws InvalidArgument for parameters
  /// out of range, vertices that there are not, and positions that do not fit the mesh.
  Drape(std::shared_ptr<const Mesh> mesh, const ConstArray3& cut, Params params = {},
        std::vector<std::int32_t> shared = {}, std::string cut_from = {}, std::shared_ptr<const Body> body = nullptr,
        Maps maps = {});

  std::string_view name() const override { return "drape"; }
  std::span<const std::string_view> stages() const override;
  const Params& params() const { return params_; }
  const Setting& setting() const { return *setting_; }
  const std::shared_ptr<const Mesh>& mesh() const override { return setting_->levels->coarse(); }

  const std::shared_ptr<const Body>& body() const { return body_; }
  /// What keeps the cloth out of it, as the last frame has left it; null where nothing does.
  const Contact* contact() const { return contact_ ? &*contact_ : nullptr; }
  /// What keeps one layer of the garment under another; null where nothing does.
  const Layers* layers() const { return layers_ ? &*layers_ : nullptr; }
  /// Share of the cloth that lies in the body in the cut pose, which the body does not keep out; 0 without contact.
  double cut_inside() const { return contact_ ? contact_->cut_inside() : 0; }
  /// What a user should know of that, one sentence; empty where less than kMuchInside of the cloth does.
  std::string body_warning() const;

  /// Throws InvalidArgument as well for a frame that the body has not.
  void require_frame(const ConstArray3& positions, double time) const override;
  const DrapeState& advance(const ConstArray3& positions, double time) override;
  /// Throws InvalidArgument as well for positions of another body.
  const DrapeState& advance_worn(const ConstArray3& positions, const ConstArray3& body, double time) override;

  /// All but the body, of which there is only a checksum.
  std::string save() const override;
  /// A run that goes on with the same bits as the saved one. Throws Error for bytes that save() has not made, and
  /// without the body that the saved run had.
  static Drape restore(std::string_view bytes, std::shared_ptr<const Body> body = nullptr);
  /// With the body of this run.
  std::unique_ptr<pucker::Method> restored(std::string_view bytes) const override;

 private:
  /// One frame that is as it must be; without contact `body` is not looked at.
  const DrapeState& drape(const ConstArray3& positions, const ConstArray3& body, double time);
  /// Aims the balance at the guide, with planes that keep the cloth from where it starts out of body and guide.
  void aim(DrapeState& state, std::span<const Pull> pulls);
  /// Takes what lies deeper than `depth` out to it, out of the body, and under the layer that covers it; tells what
  /// lies on the body then.
  void lift(DrapeState& state);
  /// Takes places of the cloth out of the body, and under the layer that covers them.
  void keep_out(const Array3& guide, Array3& places);
  /// Keeps what the next frame carries along; the guide is that of the state.
  void keep(const DrapeState& state);
  /// (N,) fine vertices that stay on the guide.
  const std::vector<std::uint8_t>& pinned() const { return setting_->levels->sewing().fixed(); }

  Params params_;
  std::vector<std::int32_t> shared_;
  std::shared_ptr<const Setting> setting_;
  std::shared_ptr<const Body> body_;
  Guide guide_;
  Balance balance_;
  Inertia inertia_;
  Height height_;
  std::optional<Layers> layers_;
  std::optional<Contact> contact_;
  std::vector<std::uint8_t> stayed_;  ///< (N,): 0 for what was taken under another layer, else 1
  Array3 points_;                     ///< (N, 3) of the planes
  std::vector<double> depths_;        ///< (N,)
  std::vector<std::uint8_t> near_;    ///< (N,) whose plane is the body's
  /// (N, 3) the last balance, away from its guide, in the guide's frames; during a step, where it would be by itself.
  Array3 local_;
  std::shared_ptr<DrapeState> previous_;  ///< of the frame before the last
};

}  // namespace pucker::drape
