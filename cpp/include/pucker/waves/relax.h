/// The phases of the waves, relaxed until the waves of neighbours meet (Loviscach 2006, section 5.2).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "pucker/mesh/topology.h"
#include "pucker/types.h"
#include "pucker/waves/crush.h"
#include "pucker/waves/params.h"
#include "pucker/waves/phase_solver.h"

namespace pucker::waves {

/// Steepest descent of each vertex' phase error, every vertex from the phases before the step.
///
/// Halfway along the edge to its neighbour n the wave of vertex 0 has the phase ψ₀ = π/W₀ k′₀·e + φ₀, e = x′_n − x′₀,
/// and its neighbour's ψ_n = s(φ_n − π/W_n k′_n·e), s = sgn(k′_n·k′₀), sgn 0 = 1; on the cloth k and x stand for k′ and
/// x′. With d the difference (ψ_n − ψ₀)/2π less the nearest whole number, E₀ = 1/N Σ g_n d², and the step is φ₀ ← φ₀ −
/// ε ∂E₀/∂φ₀ = φ₀ + ε/(πN) Σ g_n d (equation 6). g_n = clamp(4a_n − 0.2, 0, 1); a_n = h_n/(W_n/4), which has no unit,
/// or the paper's h_n.
///
/// **Bound.** Where no d wraps round, the step multiplies the phases by 1 − ε/2π² D, D₀₀ = G₀ = 1/N Σ g_n,
/// D₀ₙ = −s g_n/N. D is similar to a symmetric matrix, its eigenvalues lie in [0, 2 max G] by Gershgorin's circles, and
/// G ≤ 1; so the step is stable for ε ≤ 2π². A triangle in which every wave runs towards every other attains it. Nor
/// does a step then ever raise Σ g₀ g_n d² over all edges, wrapped or not: it is a descent of that sum scaled by
/// 1/(N₀ g₀), the sum is the least of quadratic functions, and each of those has the curvature 2D in that scale.
///
/// **Slide.** What is seen of a wave that is moved along is its height times the way. So no phase moves by more than
/// `slide`/a an interval, a = h/(W/4) of this frame or the one before, whichever is lower; steps are cut to their share
/// of that. A step along whose direction each phase goes less far still raises no error.
class Relax {
 public:
  /// Phases are drawn by `seed`, each by the number of its vertex. Throws InvalidArgument for parameters out of range,
  /// a step above 2π² among them.
  Relax(std::shared_ptr<const Mesh> mesh, const RelaxParams& params, std::uint64_t seed = 0);

  const std::shared_ptr<const Mesh>& mesh() const { return mesh_; }

  /// Takes the waves of a frame: from now on phases are compared over its edges between `places` (n, 3), the positions
  /// of the frame or of the rest pose, as `coordinates` says. Throws InvalidArgument for a wrong shape or a place that
  /// is not finite; nothing has changed then.
  void prepare(const PlaneWaves& waves, const ConstArray3& places, Coordinates coordinates = Coordinates::frame);
  /// As it was made: no frame has been taken, and phases are those of the seed. Allocates nothing.
  void reset();
  /// `rounds` steps of the descent. Phases come out in [−π, π]. Allocates nothing. Throws InvalidArgument below 0. The
  /// threads of parallel_for share the edges, then the vertices.
  void step(std::int64_t rounds = 1);
  /// Phases of least error of the whole frame, see PhaseSolver; the weight of an edge is g₀ g_n. As they are the
  /// phases serve as a start. Connected parts with a vertex that is marked in `kept`, (n,) or empty, are left alone.
  PhaseReport solve(std::span<const std::uint8_t> kept = {});

  /// Carries the phases of vertices that are marked in `kept` (n,) on to the others that have an influence, from ring
  /// to ring: the direction of Σ g_n e^{iψ_n} over the neighbours n of the rings before, ψ_n the phase that makes d
  /// zero; then once more, with those of its own ring. Connected parts without a marked vertex are left alone; whether
  /// there are any. Allocates nothing. Throws InvalidArgument for another length.
  bool carry_on(std::span<const std::uint8_t> kept);
  /// As carry_on; parts without a marked vertex are given the phase of their first vertex.
  void carry_on_everywhere(std::span<const std::uint8_t> kept);

  /// φ (n,) in radians: the whole state.
  std::span<const double> phases() const { return phases_; }
  /// Throws InvalidArgument for another length or a phase that is not finite, naming the vertex.
  void set_phases(std::span<const double> phases);

  /// Of each edge (e,) of the mesh, in the frame that was taken.
  std::span<const EdgePhase> comparisons() const { return comparisons_; }
  /// g of each vertex, (n,).
  std::span<const double> influences() const { return influences_; }
  /// d of each edge (e,) of the mesh, in cycles, in [−½, ½], seen from its first vertex.
  void differences(std::vector<double>& out) const;
  /// E₀ of each vertex (n,), in squared cycles.
  void errors(std::vector<double>& out) const;
  /// Σ g₀ g_n d² / Σ g₀ g_n over all edges, in squared cycles: what no step raises. 0 without a weighted edge.
  double energy() const;
  /// Crests that end in each triangle (m,): the whole number of wavelengths that the waves differ by around it, without
  /// the sign; 0 where they match. −1 where the directions do not agree on signs, so that there is no such number, and
  /// in a degenerate triangle.
  void bifurcations(std::vector<std::int8_t>& out) const;

 private:
  /// How far phases have been carried on.
  enum class Carried : std::uint8_t { no, next, done };

  double difference(std::size_t edge) const;
  /// Puts the neighbours of a vertex that a phase is to be carried on to into the front.
  void add_to_front(std::int32_t vertex);
  /// Carries phases on to the front and the rings beyond.
  void carry_front_on();
  /// What the neighbours that have a phase predict.
  double carried_phase(std::int32_t vertex) const;
  /// N of a vertex.
  double neighbour_count(std::size_t v) const { return double(neighbours_.of(std::int32_t(v)).size()); }

  std::shared_ptr<const Mesh> mesh_;
  RelaxParams params_;
  std::uint64_t seed_;
  std::vector<double> phases_;
  Neighbours neighbours_;
  std::vector<std::uint32_t> places_;  ///< in pulls_, one for each neighbour of each vertex
  std::vector<double> pulls_;          ///< (2e,) d of each edge as its first and its second vertex see it
  std::vector<double> shares_;         ///< ε/(πN) of each vertex
  std::vector<double> influences_;
  std::vector<double> heights_;         ///< a of each vertex in the frame that was taken
  std::vector<double> most_;            ///< that each phase may move in one step
  std::vector<EdgePhase> comparisons_;  ///< of each edge; the weight is g₀ g_n
  std::vector<Carried> carried_;        ///< (n,)
  std::vector<std::int32_t> front_;     ///< vertices that phases are carried on to, one ring after the other
  std::vector<double> carried_phases_;  ///< of a ring, until all of them are known; (n,)
  PhaseSolver solver_;
};

}  // namespace pucker::waves
