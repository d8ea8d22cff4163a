/// The whole method: the detail of recorded poses, on one frame after the other.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pucker/byexample/example_surface.h"
#include "pucker/byexample/params.h"
#include "pucker/byexample/sway.h"
#include "pucker/byexample/synthesis.h"
#include "pucker/method.h"
#include "pucker/stopwatch.h"

namespace pucker::byexample {

/// The stages in the order in which a frame runs through them.
enum class Stage { weights, detail, normals };

/// What one frame gave.
struct ExampleState final : pucker::State {
  explicit ExampleState(const Synthesis& synthesis);
  std::span<const std::string_view> stages() const override;
  const ExampleDetail& detail() const override { return detail_; }

  Synthesised surface;
  Sway sway;       ///< of the coarse vertices; empty without `params.sway`
  Array3 normals;  ///< (N, 3) of the fine vertices, unit; zero for one without area

 private:
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
/// Garment and body that share vertices would come apart where the one is subdivided and the other is not. With
/// `params.sewn` fine vertices lie between their place on the coarse mesh and that on the detailed surface, in the
/// proportion in which the corners of their coarse triangle are shared and not, by barycentric coordinates: on the
/// shared border nothing moves, and one triangle away from it everything does.
class ByExample final : public MethodOf<ByExample, ExampleState> {
 public:
  /// `shared`: vertices of the feature mesh that the rest of the character has as well. Throws InvalidArgument for
  /// parameters out of range and vertices that there are not.
  ByExample(Synthesis synthesis, Params params, std::vector<std::int32_t> shared = {});

  std::string_view name() const override { return "byexample"; }
  std::span<const std::string_view> stages() const override;
  const Params& params() const { return params_; }
  const Synthesis& synthesis() const { return synthesis_; }
  const std::vector<std::int32_t>& shared() const { return shared_; }
  const std::shared_ptr<const Mesh>& mesh() const override { return synthesis_.features().mesh(); }

  const ExampleState& advance(const ConstArray3& positions, double time) override;

  /// The trained set is among the bytes.
  std::string save() const override;
  /// A run that goes on with the same bits as the saved one. Throws Error for bytes that save() has not made.
  static ByExample restore(std::string_view bytes);

 private:
  /// A state that nobody holds.
  std::shared_ptr<ExampleState> unused_state();
  /// What follows from the pose weights, for the positions that the synthesis weighed last.
  void finish(ExampleState& state, Stopwatch& watch);
  /// Takes weights away where no pose is near.
  void fade(Table& weights) const;
  /// The offsets of the masses, after the frame before.
  void swing(ExampleState& state) const;
  void sew(ExampleState& state) const;

  Params params_;
  Synthesis synthesis_;
  RingNormals normals_;  ///< of the fine mesh
  Array3 carried_;       ///< (N, 3) subdivided offsets of the masses
  double extent_;        ///< of the garment at rest
  std::vector<std::int32_t> shared_;
  std::vector<std::int32_t> sewn_;          ///< fine vertices near shared ones
  std::vector<double> holds_;               ///< how much each of them is held, in (0, 1]
  std::shared_ptr<ExampleState> previous_;  ///< of the frame before it
};

}  // namespace pucker::byexample
