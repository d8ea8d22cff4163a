/// Weights of details by kernel ridge regression on recorded frames: what a deformation and its motion predict, point
/// by point.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "pucker/byexample/features.h"
#include "pucker/byexample/pose_space.h"
#include "pucker/byexample/regions.h"
#include "pucker/mesh/vertex_frames.h"
#include "pucker/types.h"

namespace pucker::byexample {

/// What was learned: C recorded frames, the centres, at R points of the garment, for P details.
struct RegressionTables {
  std::vector<std::int32_t> points;  ///< (R,) vertices of the feature mesh
  std::vector<Array3> velocities;    ///< C of shape (R, 3): the points' in their frames, mean edge lengths a second
  std::vector<Table> coefficients;   ///< R of shape (1 + C, P − 1): the constant, then one row a centre
  double width = 1;                  ///< of the kernel, in stretch
  double motion = 0;                 ///< what a velocity of 1 counts, in stretch
  /// C of shape (n, 3): where the vertices are beyond the guide, in the guide's frames and mean edge lengths; none
  /// where `displacement` is 0
  std::vector<Array3> displacements;
  double displacement = 0;  ///< what one of 1 counts, in stretch
};

/// The deformation before the one at hand, for its velocity.
struct Before {
  const Array3& positions;
  double seconds;  ///< that have passed since
};

/// Weights of P details from C recorded frames, by radial basis functions that fall with distance (Saunders et al.
/// 1998).
///
/// At point ρ the distance of a deformation f that moves with the velocity v from centre c is
/// dist² = Σ_e m_e (f_e − f_ce)² + motion² ‖v − v_c‖² + displacement² Σ_k m_k ‖u_k − u_ck‖², with the metric m_e of the
/// point (Features::metric), the displacement u_k of vertex k from the guide, and m_k half the sum of m_e over its
/// edges, which sums to 1 too. The weight of detail i > 0 is w_i = a_0i + Σ_c a_ci exp(−dist_c/width). Detail 0, the
/// mean, has the weight 1. Weights reach the vertices of the feature mesh by the shares of Regions. Computed in single
/// precision.
class Regression {
 public:
  /// `poses`: C of shape (n, 3), the deformations of the centres. Throws InvalidArgument for shapes that do not fit
  /// each other, numbers that are not finite, a width that is not positive, a motion or displacement below 0, and
  /// whatever Regions and Features refuse.
  Regression(const Features& features, const std::vector<Array3>& poses, RegressionTables tables,
             const MetricOptions& metric = {});

  const Regions& regions() const { return regions_; }
  const RegressionTables& tables() const { return tables_; }
  std::int64_t centre_count() const { return std::int64_t(tables_.velocities.size()); }
  std::int64_t detail_count() const { return std::int64_t(tables_.coefficients.front().cols()) + 1; }

  /// Fills `out` (n, P) with the weights of the stretches (e,) of positions (n, 3). Without `before` nothing moves.
  /// Where displacements count, `guide` (n, 3) is what the positions are displaced from. Throws InvalidArgument for
  /// another number of positions before or of the guide, none of it where displacements count, numbers that are not
  /// finite, and a time that is not positive. Does not allocate once `out` has its size.
  void weights(std::span<const double> stretches, const ConstArray3& positions, const Before* before, Table& out,
               const Array3* guide = nullptr);
  /// (n,) distances from the nearest centre, of what was last weighed; empty before.
  const std::vector<double>& nearest() const { return nearest_; }
  /// (R, 3): the velocities of the points as they count, of positions (n, 3) and those before.
  const Array3& velocities(const ConstArray3& positions, const Before& before);

 private:
  /// Checks the displacements of the centres and lays them out, and how much each vertex counts.
  void take_displacements();
  /// Fills `displaced_`.
  void displace(const ConstArray3& positions, const Array3* guide);

  using Floats = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  RegressionTables tables_;
  Regions regions_;
  SparseRows metric_;     ///< (R, e)
  SparseRows at_corner_;  ///< (R, n): the metric of vertices
  double mean_length_;
  VertexFrames frames_;  ///< of the feature mesh
  // Rows are padded to multiples of kLanes.
  Floats stretches_;            ///< (e, C), so that what is read together lies together
  Floats moving_;               ///< (3 R, C)
  Floats apart_;                ///< (3 n, C) displacements, empty where they do not count
  std::vector<Floats> solved_;  ///< the coefficients
  Array3 velocities_;           ///< (R, 3)
  Array3 displaced_;            ///< (n, 3)
  std::vector<const float*>
      rows_;  ///< what a point's distances are of: rows of centres, values now, how much they count
  std::vector<float> values_;
  std::vector<float> counts_;
  Eigen::Array<float, 1, Eigen::Dynamic> squared_;
  Floats at_points_;  ///< (R, P − 1), padded rows
  Eigen::Matrix<float, 1, Eigen::Dynamic> weights_;
  std::vector<double> nearest_at_points_;
  std::vector<double> nearest_;
};

}  // namespace pucker::byexample
