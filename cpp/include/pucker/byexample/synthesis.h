/// Detail from examples on the smooth surface of any deformation (Zurdo et al. 2013, sections 3, 4 and 5.2).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "pucker/byexample/features.h"
#include "pucker/byexample/pose_space.h"
#include "pucker/byexample/regression.h"
#include "pucker/mesh/loop.h"
#include "pucker/mesh/topology.h"
#include "pucker/mesh/vertex_frames.h"
#include "pucker/types.h"

namespace pucker::byexample {

/// Where weights are computed: at the vertices of the feature mesh, from which they spread linearly (section 4.3), or
/// at those of the smooth mesh.
enum class WeightPlaces { sparse, dense };

struct SynthesisOptions {
  WeightPlaces places = WeightPlaces::sparse;
  MetricOptions metric;
  PoseSpaceOptions pose_space;
  double trail = 0;  ///< seconds by which the examples' cloth trails its guide, which their details leave out
};

/// The smooth surface of a feature mesh, and what lies over it in coordinates that move with it.
class SmoothSurface {
 public:
  /// The surface of feature positions (n, 3). Throws as LoopSubdivision and step do.
  SmoothSurface(std::shared_ptr<const Mesh> mesh, int levels, const ConstArray3& positions);

  const LoopSubdivision& subdivision() const { return *subdivision_; }
  const std::shared_ptr<const LoopSubdivision>& share_subdivision() const { return subdivision_; }
  /// Moves the surface to feature positions (n, 3). Throws InvalidArgument for positions that are not (n, 3) and
  /// finite. Does not allocate.
  void step(const ConstArray3& positions);
  /// (N, 3) of the last positions.
  const Array3& positions() const { return positions_; }
  const VertexFrames& frames() const { return frames_; }

  /// Fills `out` (N, 3) with what fine positions (N, 3) are beyond the surface, in the frames of its vertices: equal
  /// for all that are turned and shifted alike; zero where there is no frame. Throws InvalidArgument for another shape
  /// and positions that are not finite.
  void detail_of(const ConstArray3& fine, Array3& out) const;
  /// Fills `out` (N, 3) with the surface and a detail in the frames of its vertices; the inverse of detail_of.
  void add(const ConstArray3& detail, Array3& out) const;

 private:
  std::shared_ptr<const LoopSubdivision> subdivision_;
  VertexFrames frames_;
  Array3 positions_;
};

/// What one deformation gave.
struct Synthesised {
  std::vector<double> features;  ///< (e,) f
  Table pose_weights;            ///< (k, P) where weights are computed
  Array3 detail;                 ///< (N, 3) in the frames of the smooth surface
  Array3 positions;              ///< (N, 3) of the detailed surface
};

/// Blends the details of P poses by how near a deformation is to each, or those of a regression as it says.
///
/// At a pose whose weights are its own alone the result is that pose's fine surface. Turning or shifting the feature
/// mesh turns and shifts the result alike.
class Synthesis {
 public:
  /// `rest`: (n, 3) of the feature mesh; `poses`: P of the same shape; `details`: P of shape (N, 3), in the frames of
  /// the smooth surface (SmoothSurface::detail_of). Throws InvalidArgument for shapes that do not fit, numbers that are
  /// not finite, and whatever Features, LoopSubdivision and PoseSpace refuse.
  Synthesis(std::shared_ptr<const Mesh> mesh, int levels, const Array3& rest, std::vector<Array3> poses,
            std::vector<Array3> details, const SynthesisOptions& options = {});
  /// With weights by regression: `poses` are those of its centres, and there are as many details as it has weights for.
  /// Of the options only the metric counts.
  Synthesis(std::shared_ptr<const Mesh> mesh, int levels, const Array3& rest, std::vector<Array3> poses,
            std::vector<Array3> details, RegressionTables tables, const SynthesisOptions& options = {});

  const Features& features() const { return features_; }
  /// Throws InvalidArgument where weights come from a regression.
  const PoseSpace& pose_space() const;
  /// None where weights come from a pose space.
  const Regression* regression() const { return regression_ ? &*regression_ : nullptr; }
  /// Distances from the nearest pose at the points where weights are computed, of what was weighed last.
  const std::vector<double>& nearest() const { return regression_ ? regression_->nearest() : pose_space_->nearest(); }
  const LoopSubdivision& subdivision() const { return *subdivision_; }
  const std::shared_ptr<const LoopSubdivision>& share_subdivision() const { return subdivision_; }
  /// (N,): where the edges of the smooth surface's frames go to, see VertexFrames.
  const std::vector<std::int32_t>& neighbours() const { return frames_.neighbours(); }
  /// P of shape (n, 3).
  const std::vector<Array3>& poses() const { return poses_; }
  const std::vector<Array3>& details() const { return details_; }
  const SynthesisOptions& options() const { return options_; }

  /// Fills `out` with the detailed surface over feature positions (n, 3). Throws InvalidArgument for positions that are
  /// not (n, 3) and finite; nothing has changed then. Allocates nothing once `out` has its sizes.
  /// A regression takes the velocity from the positions before; without them, nothing moves. One whose displacements
  /// count takes these from `guide` (n, 3), see Regression::weights.
  void step(const ConstArray3& positions, Synthesised& out, const Before* before = nullptr,
            const Array3* guide = nullptr);
  /// The first part of step: features and pose weights.
  void weigh(const ConstArray3& positions, Synthesised& out, const Before* before = nullptr,
             const Array3* guide = nullptr);
  /// The rest of it, with `pose_weights` as they are in `out`, `gain` times as high.
  void blend(const ConstArray3& positions, Synthesised& out, double gain = 1);
  /// Fills `out` (N, P) with pose weights (k, P) as they reach the vertices of the smooth mesh. Throws InvalidArgument
  /// for another shape.
  void spread(const Table& pose_weights, Table& out) const;

 private:
  /// Details and weights so that what is blended lies together.
  template <class Scalar>
  struct Blending {
    std::vector<Scalar> by_vertex;                                                       ///< (N, 3, Q)
    Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> at_vertices;  ///< (k, Q) weights
  };

  /// Checks the details and lays them out.
  void take_details();
  template <class Scalar>
  void take_details(Blending<Scalar>& blending) const;
  /// The details of fine vertices `begin` to `end`, by weights that stand in `double_`.
  void blend_double(double gain, Eigen::Index begin, Eigen::Index end, Array3& out) const;
  /// The weights (P,) of one vertex of the smooth mesh.
  void weights_at(const Table& pose_weights, Eigen::Index vertex, double* out) const;

  SynthesisOptions options_;
  Features features_;
  std::shared_ptr<const LoopSubdivision> subdivision_;
  VertexFrames frames_;
  Array3 smooth_;        ///< (N, 3) over the positions that were blended over
  Rows3<float> places_;  ///< (N, 3): the same from one of them, in mean lengths of edges, where weights are single
  std::optional<PoseSpace> pose_space_;
  std::optional<Regression> regression_;
  std::vector<Array3> poses_;
  std::vector<Array3> details_;
  /// Of these one is there: single precision with a regression, whose weights are single, else double.
  Blending<float> single_;
  Blending<double> double_;
};

}  // namespace pucker::byexample
