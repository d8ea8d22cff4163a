/// The stretch that wrinkles follow: that of the skin, or smoothed over the triangles.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "pucker/dynamic/params.h"
#include "pucker/dynamic/stretch.h"
#include "pucker/mesh/frames.h"
#include "pucker/mesh/topology.h"

namespace pucker {

/// Measures the stretch of a frame as GuideParams say. With `verbatim`, or without rounds and narrowing, it is that of
/// `stretch`, the same bits. Cloth stretched by λ_max > 1 has λ_min·λ_max^−narrowing for λ_min: pulled one way
/// it narrows the other (Poisson's ratio by Hencky's strain). Holds memory, and nothing of an earlier frame.
class Guide {
 public:
  Guide(std::shared_ptr<const Mesh> mesh, const Params& params);

  /// Stretch from the reference triangles, (m,), to the frame at `positions` (n, 3), whose local frames are `frames`.
  /// Directions lie in those frames. Throws InvalidArgument if the lists do not fit the mesh.
  void measure(const Matrix2List& reference, const ConstArray3& positions, const LocalFrames& frames, Stretch& out);

 private:
  /// A symmetric tensor of a plane: `mean` on the diagonal, plus what turns by twice the angle that the plane turns by.
  struct Tensor {
    double mean = 0;
    double along = 0;  ///< half the difference of the diagonal's entries
    double across = 0;

    /// left · diag(maximum, minimum) · leftᵀ of triangle `t`.
    static Tensor of(const Stretch& stretch, std::size_t t) {
      const Rotation twice = stretch.left[t] * stretch.left[t];
      const double half = 0.5 * (stretch.maximum[t] - stretch.minimum[t]);
      return {0.5 * (stretch.maximum[t] + stretch.minimum[t]), half * twice.cosine, half * twice.sine};
    }
    /// Turned by half the angle of `twice`.
    Tensor turned(const Rotation& twice) const {
      return {mean, twice.cosine * along - twice.sine * across, twice.sine * along + twice.cosine * across};
    }
    void add(double weight, const Tensor& other) {
      mean += weight * other.mean;
      along += weight * other.along;
      across += weight * other.across;
    }
  };

  /// Fills `turns_` for the frame. Between corners of triangles and vertices tensors are carried by the smallest
  /// rotation of the normals; where these are opposite, or a vertex has none, the triangle keeps its own.
  void measure_turns(const ConstArray3& positions, const LocalFrames& frames);
  /// Sums up the tensors of the triangles round each vertex.
  void sum_up(const LocalFrames& frames, const Stretch& stretch);
  /// The same, and measure_turns() if it is the `first` round of a frame, vertex by vertex on several threads: the same
  /// bits, as each vertex is given its triangles in their order.
  void sum_up_shared(const ConstArray3& positions, const LocalFrames& frames, bool first, const Stretch& stretch);
  void sum_up_at(std::size_t v, const LocalFrames& frames, bool first);
  /// As rows: two axes of the tangent plane at a vertex and its normal, the bits of vertex_normals(); 0: it has none.
  Eigen::Matrix3d axes_at(std::size_t v);
  void find_corners();
  /// One round.
  void smooth(const ConstArray3& positions, const LocalFrames& frames, bool first, Stretch& stretch);
  /// Gives a triangle the mean of its corners.
  void take_mean(std::size_t t, Stretch& stretch) const;

  std::shared_ptr<const Mesh> mesh_;
  GuideParams params_;
  Array3 normals_;                     ///< (n, 3) of the skin
  std::vector<Eigen::Matrix3d> axes_;  ///< (n,) rows: two axes of a vertex's tangent plane, its normal; 0: it has none
  std::vector<Rotation> turns_;  ///< (3m,) from a triangle's frame to that of its corner's vertex, by twice the angle
  std::vector<Tensor> own_;      ///< (m,) of the triangles, before the round
  std::vector<Tensor> sums_;     ///< (n,) of the triangles round a vertex, by area
  std::vector<double> weights_;  ///< (n,) the areas
  // Of several threads only:
  std::vector<std::uint32_t> corners_;       ///< 3t + k of the corners at each vertex, in the order of the triangles
  std::vector<std::uint32_t> first_corner_;  ///< (n + 1,) of each vertex, in `corners_`
  Array3 areas_;                             ///< (m, 3) twice, along the normals
};

}  // namespace pucker
