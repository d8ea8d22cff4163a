/// What all frames of a run by example share: how a deformation becomes weights, and weights a surface.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "pucker/byexample/computed_surface.h"
#include "pucker/byexample/params.h"
#include "pucker/byexample/synthesis.h"
#include "pucker/mesh/normals.h"
#include "pucker/mesh/sewing.h"
#include "pucker/stopwatch.h"

namespace pucker::byexample {

/// The stages in the order in which a frame runs through them.
enum class Stage { weights, detail, normals };

/// Frames may ask from any thread; one waits for the other.
class ExampleRun {
 public:
  /// `shared`: see ByExample. Throws InvalidArgument for parameters out of range and vertices that there are not.
  ExampleRun(Synthesis synthesis, Params params, std::vector<std::int32_t> shared);

  const Synthesis& synthesis() const { return synthesis_; }
  const Params& params() const { return params_; }
  const std::vector<std::int32_t>& shared() const { return shared_; }

  /// Features and weights of positions (n, 3), which the guide's cloth made of `guide` (n, 3); fewer where no pose is
  /// near.
  void weigh(const ConstArray3& positions, const Array3& guide, const Before* before, Synthesised& out) const;
  /// Diagonal of the box about the rest pose.
  double extent() const { return extent_; }
  /// The surface of positions (n, 3) by the weights that `out` holds, carried along by `carry` (n, 3), empty for
  /// nothing, and its normals (N, 3). Adds to the stages' times if there is a watch.
  void make(const ConstArray3& positions, const Array3& carry, Synthesised& out, Array3& normals,
            Stopwatch* watch) const;
  /// What programs make the same of, see Detail::draw_content.
  draw::Content content(const ConstArray3& positions, const Array3& carry, const Table& weights, const Vector3& origin,
                        const draw::Continued* done) const;

 private:
  /// Takes weights away where no pose is near.
  void fade(Table& weights) const;

  Params params_;
  double extent_;
  std::vector<std::int32_t> shared_;
  mutable std::mutex mutex_;
  mutable Synthesis synthesis_;
  Sewing sewing_;
  mutable Array3 carried_;                                   ///< (N, 3) what of that reaches the fine vertices
  RingNormals normals_;                                      ///< of the fine mesh
  mutable std::shared_ptr<const ComputedSurface> computed_;  ///< null before it is asked for
};

}  // namespace pucker::byexample
