/// Loop subdivision with boundary rules, any number of times at once, as one sparse matrix (Loop 1987; Hoppe et al.
/// 1994).
#pragma once

#include <Eigen/SparseCore>
#include <cstdint>
#include <memory>
#include <vector>

#include "pucker/mesh/subdivision.h"
#include "pucker/mesh/topology.h"
#include "pucker/types.h"

namespace pucker {

/// Rows of few entries each; the arrays are those of SciPy's `csr_matrix`.
using SparseRows = Eigen::SparseMatrix<double, Eigen::RowMajor, std::int32_t>;

/// What a subdivision met. Vertices that no rule of a smooth surface fits stay where they are.
struct LoopReport {
  std::int64_t isolated = 0;    ///< coarse vertices of no triangle
  std::int64_t fans = 0;        ///< coarse vertices whose triangles form more than one fan
  std::int64_t degenerate = 0;  ///< coarse triangles that name a vertex twice, left out
};

/// A point of a subdivided mesh.
struct FinePoint {
  std::int32_t face;     ///< of the fine mesh; kNone over a degenerate coarse triangle
  Vector3 barycentrics;  ///< in `face`, in the coarse triangle where there is none
};

/// One triangle has then as many fine ones as a number of 32 bits counts.
inline constexpr int kMostLevels = 15;

/// Which vertices (n,) are corners, as a flag has four: those of a border at which the triangles make less than 120°
/// together in the rest pose (n, 3). A hem around a limb, however coarse, has about 180° there. Throws InvalidArgument
/// for positions that do not fit the mesh or are not finite.
std::vector<std::uint8_t> sharp_corners(const Mesh& mesh, const ConstArray3& rest);

/// A mesh subdivided `levels` times: the fine vertices are `matrix` times the coarse ones.
///
/// The vertices are those of the coarse mesh in their order, then those of the edges of each level in theirs. With
/// k neighbours, a vertex inside moves to (1 − kβ) of itself and β of each, β = (5/8 − (3/8 + cos(2π/k)/4)²)/k; that of
/// an inner edge has 3/8 of its ends and 1/8 of the two vertices opposite. At the boundary it is 1/2 of the ends, and a
/// vertex 3/4 of itself and 1/8 of its two neighbours there, so that the boundary is a cubic B-spline of its own.
/// Edges of three or more triangles are boundary, and so are creases (Hoppe et al. 1994); a vertex at which one of
/// these ends or more than two meet stays where it is, and so does a corner. Orientation is that of the coarse
/// triangles.
class LoopSubdivision : public std::enable_shared_from_this<LoopSubdivision> {
 public:
  /// `creases` (e,): which edges of the mesh stay sharp, those that are not 0; empty: none.
  /// `corners` (n,): which vertices stay where they are, those that are not 0; empty: none.
  /// Throws InvalidArgument for levels below 0 or above kMostLevels, for so many that the vertices or triangles are
  /// more than a number of 32 bits counts, and for another number of creases or corners.
  LoopSubdivision(std::shared_ptr<const Mesh> coarse, int levels, std::vector<std::uint8_t> creases = {},
                  std::vector<std::uint8_t> corners = {});

  const std::shared_ptr<const Mesh>& coarse() const { return coarse_; }
  int levels() const { return levels_; }
  /// (n,): which vertices are corners; empty if none.
  const std::vector<std::uint8_t>& corners() const { return corners_; }
  /// The fine mesh, of N vertices.
  const std::shared_ptr<const Mesh>& fine() const { return fine_; }
  /// (N, n); every row sums to 1, no entry is negative.
  const SparseRows& matrix() const { return matrix_; }
  /// (N, n); the barycentric coordinates in a coarse triangle that each fine vertex comes from, before smoothing: what
  /// values are interpolated with that should reach the fine vertices linearly.
  const SparseRows& barycentrics() const { return barycentrics_; }
  const LoopReport& report() const { return report_; }
  /// Where the fine vertices and triangles come from; a vertex of no triangle stands for a corner of triangle 0.
  const Subdivision& places() const { return places_; }
  /// Where the point of a coarse triangle with these barycentric coordinates comes to lie.
  FinePoint locate(std::int32_t triangle, const Vector3& barycentrics) const;

 private:
  std::shared_ptr<const Mesh> coarse_;
  int levels_;
  std::vector<std::uint8_t> corners_;
  std::shared_ptr<const Mesh> fine_;
  SparseRows matrix_;
  SparseRows barycentrics_;
  LoopReport report_;
  /// What `places` gives, once the fine mesh is there.
  void find_places();

  Subdivision places_;
  std::vector<std::int32_t> first_faces_;  ///< (m,) of the fine faces of each coarse triangle
};

/// Fills `out` (rows, 3) with rows · `in` (columns, 3). Throws InvalidArgument for another number of rows of `in`. Does
/// not allocate once `out` has its size.
void multiply(const SparseRows& rows, const ConstArray3& in, Array3& out);

}  // namespace pucker
