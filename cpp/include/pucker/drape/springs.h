/// The springs of draped cloth: one along each edge, four taken at once.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
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

/// Fills `out` (N,) with the areas of the triangles round each vertex of positions (N, 3), in squares of `unit`.
void vertex_areas(const Mesh& mesh, const ConstArray3& positions, double unit, std::vector<double>& out);

/// Springs of stiffness 1, of rest length L = min(L⁰ + creep max(0, l − L⁰), max(1, compression / max(1, a)) · l), L⁰
/// being the length in the cut pose over the tightness, the mean of that of both ends, l that on the guide, and a by
/// how much the guide is squeezed across the spring: its area in the cut pose over that on the guide, over L⁰ / l. So
/// no piece of the sheet has more than compression times the guide's area: squeezed from all sides it could only turn
/// over.
///
/// Positions are relative to the guide, so that single precision resolves small folds on a large
/// character, and a guide without strain has none at all.
///
/// Vertices are taken in blocks of kTaken, any of them by any thread: a spring between two blocks is worked out by
/// both, each for its own end. Of the kimono's springs those are a sixth.
class Springs {
 public:
  /// `cut` (N, 3), `tightness` (N,), and places of vertices in all that follows (N,): vertex v of the mesh stands at
  /// `places[v]`.
  Springs(const Mesh& mesh, std::span<const std::int32_t> places, const Array3& cut, std::span<const double> tightness,
          const SpringOptions& options);

  /// Σ L⁰², in the square of the unit of the cut pose.
  double squares() const { return squares_; }
  /// About as long as a spring: a power of two, so that it is divided by without rounding; 1 where there is none.
  double unit() const;
  /// Sets the guide (N, 3), and its areas in the cut pose, over the square of the tightness, over those it has now,
  /// round each vertex (N,); what is `unit` long counts as 1 from now on.
  void aim(const Array3& guide, std::span<const double> squeezed, double unit);
  /// (E,) of the guide (N, 3), in its unit and the order of the edges of the mesh that they were made for, whose
  /// vertices are `order` (N,).
  std::vector<double> rest_lengths(const Mesh& mesh, std::span<const std::int32_t> order, const Array3& guide,
                                   std::span<const double> squeezed) const;
  /// Takes the springs to places `away` from the guide (N,), and adds half the gradient of their energy Σ (length − L)²
  /// to `gradient` (N,) at the vertices of one block. Returns the block's part of the energy, of springs between two
  /// blocks half.
  double stretch(const Four* away, std::size_t block, Four* gradient) const;
  /// The energy of `away` (N, 3) in double precision, whose gradient's half is added to `gradient` (N, 3).
  double add_exact(const Array3& away, Array3& gradient) const;
  /// Adds to `stiffness` (N,) of the vertices of one block how stiff their springs are: along them 1, across them as
  /// they are stretched, at least `least`.
  void add_stiffness(const Four* away, float least, std::size_t block, Block* stiffness) const;

 private:
  /// Four springs.
  struct Quad {
    std::array<std::int32_t, 8> ends;  ///< the first two of the first, then of the second and so on
    Four x, y, z;                      ///< along the guide from one end to the other
    Four length;                       ///< of that
    Four over;                         ///< by which it is longer than at rest
  };
  /// Quads of a block: those whose ends are both of it, then those whose first ends are.
  struct Range {
    std::size_t begin = 0, crossing = 0, end = 0;
  };
  /// Adds quads of springs, by their ends.
  void add_quads(std::span<const std::pair<std::int32_t, std::int32_t>> springs, const Array3& cut,
                 std::span<const double> tightness);
  double rest_length(double cut, double now, double squeezed) const;
  void aim(const Array3& guide, std::span<const double> squeezed, double scale, std::size_t first, std::size_t last);

  SpringOptions options_;
  std::size_t count_ = 0;  ///< of springs
  double squares_ = 0;
  std::vector<double> cuts_;  ///< L⁰ of four springs a quad; below 0 where there is none, which fills it
  std::vector<Quad> quads_;
  std::vector<Range> blocks_;
};

}  // namespace pucker::drape
