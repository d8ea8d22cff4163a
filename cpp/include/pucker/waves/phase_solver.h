/// Phases of least error of all vertices at once, by an eigenproblem.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pucker/types.h"

namespace pucker::waves {

/// How the phases at the ends (a, b) of an edge are compared: halfway, sign·φ_b and φ_a should differ by −2π·offset.
struct EdgePhase {
  double offset = 0;  ///< in cycles
  double weight = 0;  ///< ≥ 0
  double sign = 1;    ///< −1 if the waves run towards each other
};

/// What the solution is worth.
struct PhaseReport {
  std::int64_t parts = 0;     ///< connected parts of the mesh with weighted edges, each solved by itself
  double eigenvalue = 0;      ///< largest of the parts' smallest eigenvalues, in [0, 2]; 0 = no error at all
  double residual = 0;        ///< largest ‖Ny − λy‖ of a part, ‖y‖ = 1
  std::int64_t products = 0;  ///< solutions of the linear system that were needed
};

/// Finds phases of least error, frame by frame.
class PhaseSolver {
 public:
  PhaseSolver();
  ~PhaseSolver();
  /// A copy solves as well, but keeps nothing yet.
  PhaseSolver(const PhaseSolver&);
  PhaseSolver& operator=(const PhaseSolver&);
  PhaseSolver(PhaseSolver&&) noexcept;
  PhaseSolver& operator=(PhaseSolver&&) noexcept;

  /// Replaces `phases` (n,) in radians by those of least error, with every vertex as a unit number z = (cos φ, sin φ):
  /// the smallest eigenvector of B^(−1/2) A B^(−1/2), zᵀAz = Σ w |z_a − R(2π·offset) F z_b|² over the edges (e, 2),
  /// F the reflection (x, y) → (x, −y) where the sign is −1 and else the identity, B the diagonal of A.
  ///
  /// The reflections make this a real symmetric problem in 2n unknowns; where the signs of a part can all be made 1, by
  /// turning waves round, it is solved as the complex Hermitian one in n, for a quarter of the factors. Parts that
  /// weighted edges do not connect have an eigenvector each. It is found by Lanczos' method with thick restarts on the
  /// inverse, a sparse LDLᵀ factorisation (Eigen), from the phases as they are; matrices of up to 32 rows are solved as
  /// dense ones. The same phases and comparisons give the same bits: where the same edges have weight as in the call
  /// before, only the order of the factorisation, which follows from them, and memory are used again. Of
  /// phases that are as good, all waves of a part being moved along, they are those nearest to the phases before.
  /// Vertices without a weighted edge keep their phase. Parts with a vertex that is marked in `kept`, (n,) or empty,
  /// are left alone as well. Throws Error if a part does not converge; phases are then unchanged.
  PhaseReport solve(const Index2& edges, std::span<const EdgePhase> comparisons, std::span<double> phases,
                    std::span<const std::uint8_t> kept = {});

 private:
  struct Part;
  std::vector<Part> parts_;
};

}  // namespace pucker::waves
