/// The balance of a fine mesh between its own lengths and a guide: the energy, and what makes it least.
///
/// M. Müller, N. Chentanez, Wrinkle Meshes, SCA 2010; T. Liu, S. Bouaziz, L. Kavan, Quasi-Newton Methods for Real-Time
/// Simulation of Hyperelastic Materials, ACM Transactions on Graphics 36, 2017.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "pucker/drape/four.h"
#include "pucker/drape/guide.h"
#include "pucker/drape/lengths.h"
#include "pucker/drape/multilevel.h"
#include "pucker/drape/sheet.h"
#include "pucker/drape/springs.h"
#include "pucker/types.h"

namespace pucker::drape {

/// How far a solver came.
struct Solved {
  std::int32_t iterations = 0;
  double energy = 0;    ///< at the end
  double residual = 0;  ///< √(Gᵀ z / Σ L²), G the gradient and z what the preconditioner makes of it: a strain
};

/// What pulls besides springs and bending: vertices to places.
struct Pull {
  const Array3* to = nullptr;        ///< (N, 3)
  double weight = 0;                 ///< as a multiple of the hold
  std::span<const double> shares{};  ///< (N,) of the weight that each vertex has; empty: all of it

  double weight_at(std::int32_t v) const { return shares.empty() ? weight : weight * shares[std::size_t(v)]; }
};

/// A plane for each vertex, which it may lie behind by so much before it is pushed back, with the stiffness of a
/// spring. Rows without a plane have an infinite depth.
struct Planes {
  ConstArray3 points;              ///< (N, 3), one of each plane
  ConstArray3 normals;             ///< (N, 3), unit
  std::span<const double> depths;  ///< (N,); below 0: it must lie in front of the plane by so much
};

/// E(x) = ½ Σ_e (|x_i − x_j| − L_e)² + ½ Σ_v h_v A_v (|x_v − g_v|² + Σ_p w_p |x_v − p_v|²) + ½ Σ_v B_v A_v |Δ(x − g)|²
///        + ½ Σ_v min(0, (x_v − p_v)·n_v + depth_v)², the stiffness of a spring being 1, p and n of a plane a vertex,
/// with h = K / ℓ², B = (K / ℓ²) (λ / 2π)⁴, K = 1.3 the stiffness in its plane of a sheet of such springs, Δ the
/// cotangent Laplacian of the cut pose, whose weights are held to [0, 4], A a third of the triangles' areas there. The
/// part of the pulls that does not depend on x is left out. Pinned vertices stay on the guide.
///
/// The rest lengths L are those of Springs.
///
/// It is solved by L-BFGS of three pairs with Armijo's rule, whose first guess of the inverse Hessian is
/// z = Σ_l P…P D_l⁻¹ Pᵀ…Pᵀ G + 0.3 H⁻¹ G: P Loop's weights from level to level, D_l the diagonal of half the springs,
/// hold and bending on level l, H each vertex' own block; all of it is 0.7 times as much after a step that was halved,
/// down to 0.2.
///
/// Hold and pulls together are 10¹² times a spring at most, and bending 10⁹ times: beyond, nothing moves by what single
/// precision shows. The solver works in single precision on what x is away from the guide, in a unit about as long as
/// an edge, and sums in double by blocks of fixed size: the same input gives the same bits on every machine, and on any
/// number of threads, which aim() and solve() share their work between. `evaluate` is in double.
class Balance {
 public:
  /// `cut`: coarse positions (n, 3); `pinned` (N,): fine vertices that stay on the guide, those that are not 0. Throws
  /// InvalidArgument for shapes that do not fit, and lengths and tightness that are not finite and positive.
  Balance(const std::shared_ptr<const Levels>& levels, const ConstArray3& cut, const Lengths& lengths,
          std::span<const std::uint8_t> pinned, const SpringOptions& options);

  const Levels& levels() const { return *levels_; }
  /// (E,) of the last aim.
  std::vector<double> rest_lengths() const;
  /// (N,): h A, of which pulls are multiples.
  std::vector<double> holds() const;

  /// Sets the guide, the pulls and the planes. All are copied. Throws InvalidArgument for other shapes, weights below
  /// 0, places and normals that are not finite, and depths that are not a number or -inf.
  void aim(const ConstArray3& guide, std::span<const Pull> pulls, const Planes& planes);
  /// The same, the planes being those of the guide's normals. `depth` infinite: there is no inner side.
  void aim(const ConstArray3& guide, const ConstArray3& normals, std::span<const Pull> pulls, double depth);
  /// The energy of x (N, 3) at the last aim; fills `gradient` (N, 3), zero at pinned vertices. Allocates.
  double evaluate(const ConstArray3& x, Array3& gradient) const;
  /// Takes x (N, 3) towards the balance, by so many iterations, until the residual is below `tolerance`, or until
  /// single precision finds no lower energy. The energy never rises by more than
  /// its rounding. Pinned vertices are put on the guide first.
  Solved solve(Array3& x, int iterations, double tolerance);
  /// Fills `out` (N,) with how far each vertex is from balance where the last solve ended: the length of the energy's
  /// gradient over the root mean square of the rest lengths in the cut pose, a strain. 0 at pinned vertices.
  void residuals(std::vector<float>& out) const;

 private:
  static constexpr std::size_t kPairs = 3;

  /// What a vertex of the finest mesh has, at the last aim.
  struct Vertex {
    float hold;   ///< of all pulls together
    float depth;  ///< behind the guide
    float bend;
    float free;  ///< 0: pinned, else 1
  };
  /// What the constructor makes first.
  struct Made {
    Sheets sheets;
    std::vector<std::int32_t> order;
    Array3 cut;                     ///< (N, 3) of the finest mesh, in that order
    std::vector<double> tightness;  ///< (N,) likewise
  };
  static Made make(const Levels& levels, const ConstArray3& cut, const Lengths& lengths);
  static std::vector<LevelStiffness> coarse_of(const Made& made);
  Balance(std::shared_ptr<const Levels> levels, const Made& made, std::span<const std::uint8_t> pinned,
          const SpringOptions& options);
  void aim_springs(const ConstArray3& guide, std::span<const Pull> pulls);
  void aim_plane(std::size_t v, const Eigen::RowVector3d& normal, double depth);
  using Shares = std::array<float, kPairs>;
  /// What each vertex' own block and the finest level's diagonal make of a gradient, where it is.
  void make_blocks();
  /// Twice the energy at `away`; leaves what makes up the gradient in sum_ and curved_.
  double energy(const Fours& away);
  /// Adds bending to sum_, and fills next_gradient_ with it: the change from gradient_ is that of the
  /// newest pair.
  void finish_gradient();
  /// Fills the step of the newest pair with −(inverse Hessian) G, and `next_`. Returns its slope.
  double direct();
  // The same for vertices `begin` to `end`, which start at a block of sums. What they sum up goes into sums_.
  void pull(const Fours& away, std::size_t first, std::size_t last);
  void add_forces(std::size_t first, std::size_t last);
  void begin_blocks(std::size_t begin, std::size_t end);
  void end_blocks(std::size_t begin, std::size_t end);
  void take_changes(const Shares& taken, std::size_t begin, std::size_t end);
  void precondition(std::size_t first, std::size_t last);
  void take_steps(const Shares& added, std::size_t first, std::size_t last);
  /// Sum of one of the numbers in sums_, in the order of the blocks.
  double total(std::size_t which) const;

  std::shared_ptr<const Levels> levels_;
  std::vector<std::int32_t> order_;  ///< (N,) of the finest mesh's vertices, in which all that follows stands
  Springs springs_;
  Multilevel multilevel_;
  double unit_ = 1;
  std::vector<float> holds_, own_, diagonal_;  ///< (N,): of a weight of 1; springs and bending; bending
  Stencils rings_;                             ///< cotangents to the neighbours
  std::vector<double> cut_areas_;              ///< (N,) round each vertex as it is sewn, in the mesh's order

  // Of the last aim.
  Array3 guide_;
  std::vector<double> squeezed_;  ///< (N,) areas of the cut pose over those of the guide
  std::vector<double> numbers_;   ///< (N,) in the mesh's order: weights of hold and pulls together, then areas
  Fours targets_, normals_;
  std::vector<Vertex> vertices_;

  // Of the solver.
  std::vector<Block> blocks_;
  Fours away_, next_, gradient_, next_gradient_, curved_;
  Fours sum_;  ///< what makes up the gradient; once that is done, the direction that is found from it
  std::vector<std::array<double, kPairs>> sums_;               ///< by block of kSumBlock vertices
  std::array<Fours, kPairs> steps_, changes_;                  ///< of the pairs
  std::array<std::size_t, kPairs> slots_{};                    ///< where pairs stand, from the newest on
  std::array<std::array<double, kPairs>, kPairs> products_{};  ///< of step i and change j ≤ i, from the newest on
  std::array<double, kPairs> slopes_{};                        ///< of step i and the gradient
  std::size_t pairs_ = 0;
  float scale_ = 1;  ///< of the first guess of the inverse Hessian
};

}  // namespace pucker::drape
