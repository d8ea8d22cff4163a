/// Weighted pose-space deformation: how much of each example pose a deformation is, point by point (Zurdo et al. 2013,
/// sections 4.2 and 4.3; Kurihara and Miyata 2004).
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "pucker/mesh/loop.h"
#include "pucker/types.h"

namespace pucker::byexample {

/// One row a pose or a point, row-major.
using Table = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ConstTable = Eigen::Ref<const Table>;

/// φ(r) of the distance r: r, or the r² that equation 3 prints.
enum class Kernel { distance, squared };
/// Poses that are the same at a point to 1e-6, though not everywhere: an error, or one pose there, whose weight they
/// share.
enum class EqualPoses { refuse, share };

struct PoseSpaceOptions {
  Kernel kernel = Kernel::distance;
  EqualPoses equal = EqualPoses::refuse;
};

/// Weights of P poses at k points, by radial basis functions: w_i(f) = Σ_j λ_ij φ(dist(f, f_j)), with λ such that
/// w_i(f_j) = δ_ij, divided by Σ_i w_i (equation 2). The distance at a point is that of its metric,
/// dist(f, g)² = Σ_e m_e (f_e − g_e)².
///
/// A single pose has the weight 1 everywhere. Where the sum of the weights is below 1e-6 they say nothing, and the
/// nearest poses share the weight 1.
class PoseSpace {
 public:
  /// `metric`: (k, e), rows that sum to 1; `poses`: (P, e) feature vectors. Throws InvalidArgument for shapes that do
  /// not fit each other, no pose, numbers that are not finite, and negative weights of a metric; for two poses equal at
  /// a point, naming all three, unless they share; and where the system of a point is singular, as that of r² is for
  /// more poses than the point has edges, plus 2.
  PoseSpace(const SparseRows& metric, Table poses, const PoseSpaceOptions& options = {});

  std::int64_t point_count() const { return metric_.rows(); }
  std::int64_t pose_count() const { return poses_.rows(); }
  const SparseRows& metric() const { return metric_; }
  const Table& poses() const { return poses_; }
  const PoseSpaceOptions& options() const { return options_; }
  /// Points at which poses share a weight.
  std::int64_t shared_points() const { return shared_points_; }

  /// Fills `out` (k, P) with the weights of the feature vector f (e,); each row sums to 1. Throws InvalidArgument for
  /// another length and numbers that are not finite. Does not allocate once `out` has its size.
  void weights(std::span<const double> features, Table& out);
  /// (k,) distances from the nearest pose, of the features that were last weighed; empty before.
  const std::vector<double>& nearest() const { return nearest_; }
  /// Fills `out` (k, P) with the distances from the poses.
  void distances(std::span<const double> features, Table& out) const;

 private:
  double phi(double squared_distance) const;
  void solve(std::int32_t point);
  void require_features(std::span<const double> features) const;

  SparseRows metric_;
  Table poses_;
  Table by_edge_;  ///< (e, P), the same turned over, so that what is read together lies together
  PoseSpaceOptions options_;
  std::vector<double> lambda_;  ///< (k, P, P): row j of a point times φ_j gives its part of all weights
  std::vector<double> sums_;    ///< (P,) of the point at hand
  std::vector<double> nearest_;
  std::int64_t shared_points_ = 0;
};

}  // namespace pucker::byexample
