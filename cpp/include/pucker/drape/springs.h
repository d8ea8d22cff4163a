/// The springs of draped cloth: one along each edge, four taken at once.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "pucker/drape/four.h"
#include "pucker/mesh/topology.h"
#include "pucker/types.h"

namespace pucker::drape {

/// How springs take to the guide.
struct SpringOptions {
  double creep = 0;
  double compression = 1e9;
};

/// Springs of stiffness 1, of rest length L = min(L⁰ + creep max(0, l − L⁰), max(1, compression / max(1, a)) · l), L⁰
/// being the length in the cut pose over the tightness, the mean of that of both ends, l that on the guide, and a by
/// how much the guide is squeezed across the spring: its area in the cut pose over that on the guide, over L⁰ / l. So
/// no piece of the sheet has more than compression times the guide's area: squeezed from all sides it could only turn
/// over.
///
/// Positions are relative to the guide, so that single precision resolves small folds on a large
/// character, and a guide without strain has none at all.
class Springs {
 public:
  /// `cut` (N, 3), `tightness` (N,), and places of vertices in all that follows (N,): vertex v of the mesh stands at
  /// `places[v]`. Arrays of four have one entry more, at which no vertex stands.
  Springs(const Mesh& mesh, std::span<const std::int32_t> places, const Array3& cut, std::span<const double> tightness,
          const SpringOptions& options);

  /// Σ L⁰², in the square of the unit of the cut pose.
  double squares() const { return squares_; }
  /// Sets the guide (N, 3), and its areas in the cut pose, over the square of the tightness, over those it has now,
  /// round each vertex (N,); what is `unit` long counts as 1 from now on.
  void aim(const Array3& guide, std::span<const double> squeezed, double unit);
  /// (E,) of the guide (N, 3), in its unit and the mesh's order.
  std::vector<double> rest_lengths(const Array3& guide, std::span<const double> squeezed) const;
  /// Σ (length − L)² at places `away` from the guide (N + 1,), whose gradient's half is added to `gradient` (N + 1,).
  double add(const Four* away, Four* gradient) const;
  /// The same in double precision.
  double add_exact(const Array3& away, Array3& gradient) const;
  /// Adds to each vertex' 3×3 block (N + 1,), by rows, how stiff its springs are: along them 1, across them as they are
  /// stretched, at least `least`.
  void add_blocks(const Four* away, float least, std::array<Four, 3>* blocks) const;

 private:
  /// Four springs.
  struct Quad {
    std::array<std::int32_t, 8> ends;  ///< of the first two of the first, then of the second and so on
    Four x, y, z;                      ///< along the guide from one end to the other
    Four length;                       ///< of that
    Four over;                         ///< by which it is longer than at rest
  };
  struct Spring {
    std::int32_t edge;  ///< of the mesh; kNone: none, which fills a quad
    double cut;         ///< L⁰
  };
  double rest_length(double cut, double now, double squeezed) const;

  SpringOptions options_;
  double squares_ = 0;
  std::vector<Spring> springs_;
  std::vector<Quad> quads_;
};

}  // namespace pucker::drape
