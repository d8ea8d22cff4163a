/// Local frames of vertices, in which detail is held (Zurdo et al. 2013, section 3).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "pucker/mesh/normals.h"
#include "pucker/mesh/topology.h"
#include "pucker/types.h"

namespace pucker {

/// Columns: the edge to the chosen neighbour made orthogonal to the normal, normal × that, and the normal.
using RowMatrix3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

/// Positions (n, 3), or the like, in double or single precision.
template <class Scalar>
using Rows3 = Eigen::Matrix<Scalar, Eigen::Dynamic, 3, Eigen::RowMajor>;

/// The neighbour (n,) that the frame of each vertex takes its edge to: the next corner in the first triangle round it;
/// kNone without triangles.
std::vector<std::int32_t> frame_neighbours(const Mesh& mesh);
/// The frame of a vertex of a unit normal whose edge leads to that neighbour; zero where it has none.
RowMatrix3 vertex_frame(const Vector3& normal, const Vector3& edge);

/// A frame for each vertex: its normal and the edge to one chosen neighbour, orthonormalised.
///
/// Turning or shifting the mesh turns the frames alike; scaling it leaves them as they are. A vertex without a
/// normal, or whose edge lies along it, has no frame: its matrix is zero.
class VertexFrames {
 public:
  explicit VertexFrames(std::shared_ptr<const Mesh> mesh);

  const std::shared_ptr<const Mesh>& mesh() const { return mesh_; }
  /// (n,): see frame_neighbours.
  const std::vector<std::int32_t>& neighbours() const { return neighbours_; }

  /// The frames (n,) of `positions` (n, 3); valid until the next call. Throws InvalidArgument for positions that are
  /// not (n, 3) and finite. Does not allocate.
  const std::vector<RowMatrix3>& step(const ConstArray3& positions);
  /// Fills rows `begin` to `end` of `out` (n, 3) with those of `base` and what `local` is in the frames of `places`,
  /// all (n, 3), in double or single precision; what step gave stays. But for rounding the same as from step's frames,
  /// in less than half the time. Throws InvalidArgument for other shapes and rows. Does not allocate.
  template <class Scalar>
  void add(const Rows3<Scalar>& places, const ConstArray3& local, const ConstArray3& base, Eigen::Index begin,
           Eigen::Index end, Array3& out) const;
  const std::vector<RowMatrix3>& frames() const { return frames_; }
  const RingNormals& ring_normals() const { return normals_of_; }
  /// (n, 3) of the last positions: unit, zero for a vertex without area.
  const Array3& normals() const { return normals_; }
  /// Vertices without a frame in the last positions.
  std::int64_t missing() const { return missing_; }

 private:
  std::shared_ptr<const Mesh> mesh_;
  RingNormals normals_of_;
  std::vector<std::int32_t> neighbours_;
  std::vector<RowMatrix3> frames_;
  Array3 normals_;
  std::int64_t missing_ = 0;
};

}  // namespace pucker
