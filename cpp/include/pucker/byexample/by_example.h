/// The whole method: the detail of recorded poses, on one frame after the other.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pucker/byexample/example_run.h"
#include "pucker/byexample/example_surface.h"
#include "pucker/byexample/guide_cloth.h"
#include "pucker/byexample/params.h"
#include "pucker/byexample/sway.h"
#include "pucker/byexample/synthesis.h"
#include "pucker/byexample/trail.h"
#include "pucker/drape/drape.h"
#include "pucker/method.h"
#include "pucker/stopwatch.h"

namespace pucker::byexample {

/// What one frame gave. Its surface is made with it, or when it is first asked for, as the parameters say.
class ExampleState final : public pucker::State {
 public:
  explicit ExampleState(std::shared_ptr<const ExampleRun> run);
  /// Those of the frame: weights alone where surfaces are made when they are asked for.
  std::span<const std::string_view> stages() const override;
  const ExampleDetail& detail() const override { return detail_; }

  const ExampleRun& run() const { return *run_; }
  /// (n, 3): the coarse mesh that detail is predicted for and put on, the balance of the guide's cloth, or `positions`
  /// for a set without.
  const Array3& balance() const { return balance_.rows() > 0 ? balance_ : positions; }
  /// (k, P), with fade and lag.
  const Table& pose_weights() const { return surface_.pose_weights; }
  /// Of the coarse vertices; empty without `params.sway`.
  const Sway& sway() const { return sway_; }
  /// Of the coarse vertices; empty where the set's cloth does not trail, and without `params.trail`.
  const Trail& trail() const { return trail_; }
  /// (n, 3) by which sway and trail carry the coarse vertices along; empty for neither.
  const Array3& carried() const { return carried_; }
  const Synthesised& surface() const;
  /// (N, 3) of the fine vertices, unit; zero for one without area.
  const Array3& normals() const;

 private:
  friend class ByExample;
  void make(Stopwatch* watch) const;
  void make_once() const;

  std::shared_ptr<const ExampleRun> run_;
  Array3 balance_;  ///< empty for `positions`
  Sway sway_;
  Trail trail_;
  Array3 carried_;
  /// After sway or trail have changed.
  void carry();
  mutable std::mutex making_;
  mutable bool made_ = false;  ///< the surface; features and weights always are
  mutable Synthesised surface_;
  mutable Array3 normals_;
  ExampleDetail detail_;
};

/// Synthesises each frame, and holds what the next one needs: the weights, which follow the deformation with a lag.
///
/// With w of the frame's own deformation and a step of Δt seconds, the weights of a pose become
/// w′ + (1 − exp(−Δt/lag)) (w − w′): a lag that does not depend on the frame rate, and weights that keep the sum 1. The
/// first frame has no lag.
///
/// With `params.reach` r, the weights of a vertex whose deformation is at a distance d > r from that of every pose are
/// (1 − s²(3 − 2s)) times as large, s = d/r − 1, and none from 2r on: what nothing was learned of is the smooth
/// surface.
///
/// With `params.sway` each coarse vertex has a mass on a spring of that period (Sway). How far the masses are from
/// their vertices is subdivided and added to the detailed surface: as training takes out of a recording what the
/// garment lags as a whole. They are at rest in the first frame, and in one in which a vertex has gone farther than the
/// garment is large, since then the character was put elsewhere.
///
/// A set that was taught by draped cloth leaves out by how much that trails its guide, which deformation does not
/// determine. It is added in the same way (Trail), `params.trail` times as long.
///
/// A set may have cloth of its coarse mesh (GuideCloth), which is held to the frame's positions. Then its balance is
/// what detail is predicted for and put on. So where that cloth swings (drape::Inertia) the garment does;
/// `params.swing`, if it is given, takes the place of its own.
///
/// Garment and body that share vertices would come apart where the one is subdivided and the other is not. With
/// `params.sewn` fine vertices lie between their place on the coarse mesh and that on the detailed surface, in the
/// proportion in which the corners of their coarse triangle are shared and not, by barycentric coordinates: on the
/// shared border nothing moves, and one triangle away from it everything does.
///
/// With `params.compute` gpu, a frame is weighed and no more: its surface is made by compute programs where it is drawn
/// (ComputedSurface), and by its state when that is asked for it.
class ByExample final : public MethodOf<ByExample, ExampleState> {
 public:
  /// `shared`: vertices of the feature mesh that the rest of the character has as well; `cloth`: of the guide, none for
  /// a set without. Throws InvalidArgument for parameters out of range, vertices that there are not, and as
  /// GuideCloth::on.
  ByExample(Synthesis synthesis, Params params, std::vector<std::int32_t> shared = {},
            const std::optional<GuideCloth>& cloth = std::nullopt);

  std::string_view name() const override { return "byexample"; }
  std::span<const std::string_view> stages() const override;
  const Params& params() const { return run_->params(); }
  const Synthesis& synthesis() const { return run_->synthesis(); }
  const std::vector<std::int32_t>& shared() const { return run_->shared(); }
  /// Of the guide; null for none.
  const drape::Drape* cloth() const { return cloth_ ? &cloth_->cloth() : nullptr; }
  const std::shared_ptr<const Mesh>& mesh() const override { return synthesis().features().mesh(); }

  const ExampleState& advance(const ConstArray3& positions, double time) override;

  /// The trained set is among the bytes.
  std::string save() const override;
  /// A run that goes on with the same bits as the saved one. Throws Error for bytes that save() has not made.
  static ByExample restore(std::string_view bytes);

 private:
  /// A state without other owners.
  std::shared_ptr<ExampleState> unused_state();
  /// The set's own time times `params.trail`, in seconds.
  double trailing() const { return params().trail * synthesis().options().trail; }
  /// The offsets of the masses and of what trails, after the frame before.
  void swing(ExampleState& state) const;

  std::shared_ptr<const ExampleRun> run_;   ///< copies have it together, and wait for each other
  std::optional<GuideBalance> cloth_;       ///< of the guide
  std::shared_ptr<ExampleState> previous_;  ///< of the frame before it
};

}  // namespace pucker::byexample
