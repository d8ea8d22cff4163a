/// How the feature mesh is deformed, edge by edge, and how near each edge is to a point (Zurdo et al. 2013, section
/// 4.1; Bickel et al. 2008).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "pucker/mesh/loop.h"
#include "pucker/mesh/topology.h"
#include "pucker/types.h"

namespace pucker::byexample {

/// Which edges count how much at a point.
struct MetricOptions {
  double falloff = 2.0;     ///< β > 0: how fast an edge's weight falls with distance, in mean edge lengths
  std::int32_t edges = 16;  ///< of the largest weights, kept at each point
};

/// The feature vector f of the mesh: the length of each edge against its length at rest (equation 1).
class Features {
 public:
  /// `rest`: (n, 3). Throws InvalidArgument for positions that are not (n, 3) and finite, a mesh without edges, and an
  /// edge without length, naming it.
  Features(std::shared_ptr<const Mesh> mesh, const ConstArray3& rest);

  const std::shared_ptr<const Mesh>& mesh() const { return mesh_; }
  const Array3& rest() const { return rest_; }
  /// (e,), in the unit of `rest`.
  const std::vector<double>& rest_lengths() const { return rest_lengths_; }
  /// Mean of the lengths at rest.
  double mean_length() const { return mean_length_; }

  /// Fills `out` (e,) with f, 1 at rest. Throws InvalidArgument for positions that are not (n, 3) and finite. Does not
  /// allocate once `out` has its size.
  void stretch(const ConstArray3& positions, std::vector<double>& out) const;

  /// The metric at points (k, 3) of the rest pose, as rows (k, e) that sum to 1: with the distances of the point x from
  /// the ends a, b of edge i, m̄_i = exp(−β(‖x−a‖ + ‖x−b‖ − ‖a−b‖)/ē), ē the mean length; the `edges` largest are kept,
  /// of those equal to 1e-9 the ones of smaller number, and divided by their sum. Throws InvalidArgument for another
  /// shape, points that are not finite, and options out of their range.
  SparseRows metric(const ConstArray3& points, const MetricOptions& options = {}) const;

 private:
  std::shared_ptr<const Mesh> mesh_;
  Array3 rest_;
  std::vector<double> rest_lengths_;
  double mean_length_ = 0;
};

}  // namespace pucker::byexample
