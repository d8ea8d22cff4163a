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
class Springs {
 public:
  /// `cut` (N, 3), `tightness` (N,), and places of vertices in all that follows (N,): vertex v of the mesh stands at
  /// `places[v]`. Arrays of four have one entry more, at which no vertex stands.
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
  /// Blocks that `stretch` takes springs in.
  std::size_t block_count() const { return energies_.size(); }
  /// Takes the springs of blocks `first` to `last` to places `away` from the guide (N + 1,), and adds half the gradient
  /// of their energy to `gradient` (N + 1,). Null: keeps what they pull with for pull(); then several threads may do
  /// so, each with other blocks, once share() was called.
  void stretch(const Four* away, std::size_t first, std::size_t last, Four* gradient);
  /// Σ (length − L)² where all blocks were stretched to.
  double energy() const;
  /// Makes room for what pull() tells, the first time.
  void share();
  /// What a spring adds to half the gradient of the energy at one of its ends, where it was stretched to: the ends of a
  /// vertex are as many as its neighbours, all behind those of the vertices before it. Added in their order, they make
  /// what stretch() adds to a gradient, to the bit.
  const Four& pull(std::size_t end) const { return pulls_[end]; }
  /// The energy of `away` (N, 3) in double precision, whose gradient's half is added to `gradient` (N, 3).
  double add_exact(const Array3& away, Array3& gradient) const;
  /// Adds to each vertex' block (N + 1,) how stiff its springs are: along them 1, across them as they are
  /// stretched, at least `least`.
  void add_blocks(const Four* away, float least, Block* blocks) const;

 private:
  /// Four springs.
  struct Quad {
    std::array<std::int32_t, 8> ends;  ///< of the first two of the first, then of the second and so on
    Four x, y, z;                      ///< along the guide from one end to the other
    Four length;                       ///< of that
    Four over;                         ///< by which it is longer than at rest
  };
  double rest_length(double cut, double now, double squeezed) const;
  void aim(const Array3& guide, std::span<const double> squeezed, double scale, std::size_t first, std::size_t last);

  SpringOptions options_;
  double squares_ = 0;
  std::vector<double> cuts_;  ///< L⁰ of four springs a quad; below 0 where there is none, which fills it
  std::vector<Quad> quads_;
  std::vector<double> energies_;  ///< of each block
  std::size_t vertex_count_;
  std::vector<std::array<std::int32_t, 8>> ends_;  ///< of each quad, where in pulls_ its ends stand, as in `Quad::ends`
  Fours pulls_;                                    ///< of each end
};

}  // namespace pucker::drape
