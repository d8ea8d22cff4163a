/// The balance of a fine mesh between its own lengths and a guide: the energy, and what makes it least.
///
/// M. Müller, N. Chentanez, Wrinkle Meshes, SCA 2010; T. Liu, S. Bouaziz, L. Kavan, Quasi-Newton Methods for Real-Time
/// Simulation of Hyperelastic Materials, ACM Transactions on Graphics 36, 2017.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "pucker/drape/guide.h"
#include "pucker/drape/lengths.h"
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
  const Array3* to = nullptr;  ///< (N, 3)
  double weight = 0;           ///< as a multiple of the hold
};

/// A plane for each vertex, which it may lie behind by so much before it is pushed back, with the stiffness of a
/// spring. Rows without a plane have an infinite depth.
struct Planes {
  ConstArray3 points;              ///< (N, 3), one of each plane
  ConstArray3 normals;             ///< (N, 3), unit
  std::span<const double> depths;  ///< (N,); below 0: it must lie in front of the plane by so much
};

/// How springs take to the guide.
struct SpringOptions {
  double creep = 0;
  double compression = 1e9;
  double tightness = 1;
};

/// E(x) = ½ Σ_e (|x_i − x_j| − L_e)² + ½ Σ_v h_v A_v (|x_v − g_v|² + Σ_p w_p |x_v − p_v|²) + ½ Σ_v B_v A_v |Δ(x − g)|²
///        + ½ Σ_v min(0, (x_v − p_v)·n_v + depth_v)², the stiffness of a spring being 1, p and n of a plane a vertex,
/// with h = K / ℓ², B = (K / ℓ²) (λ / 2π)⁴, K = 1.3 the stiffness in its plane of a sheet of such springs, Δ the
/// cotangent Laplacian of the cut pose, whose weights are held to [0, 4], A a third of the triangles' areas there. The
/// part of the pulls that does not depend on x is left out. Pinned vertices stay on the guide.
///
/// With L⁰ the length in the cut pose over the tightness and l that on the guide, L = min(L⁰ + creep max(0, l − L⁰),
/// compression · l).
///
/// It is solved by L-BFGS of three pairs with Armijo's rule, whose first guess of the inverse Hessian is
/// z = Σ_l P…P D_l⁻¹ Pᵀ…Pᵀ G + 0.3 H⁻¹ G: P Loop's weights from level to level, D_l the diagonal of half the springs,
/// hold and bending on level l, H each vertex' own block. The same input gives the same bits.
class Balance {
 public:
  /// `cut`: coarse positions (n, 3); `pinned` (N,): fine vertices that stay on the guide, those that are not 0. Throws
  /// InvalidArgument for shapes that do not fit, lengths that are not finite and positive.
  Balance(std::shared_ptr<const Levels> levels, const ConstArray3& cut, const Lengths& lengths,
          std::span<const std::uint8_t> pinned, const SpringOptions& options);

  const Levels& levels() const { return *levels_; }
  /// (E,) of the cut pose.
  const std::vector<double>& cut_lengths() const { return cut_lengths_; }
  /// (E,) of the last aim.
  const std::vector<double>& rest_lengths() const { return rest_lengths_; }
  /// (N,): h A, of which pulls are multiples.
  const std::vector<double>& holds() const { return fine().hold; }

  /// Sets the guide, the pulls and the planes. All are copied. Throws InvalidArgument for other shapes, weights below
  /// 0, places and normals that are not finite, and depths that are not a number or -inf.
  void aim(const ConstArray3& guide, std::span<const Pull> pulls, const Planes& planes);
  /// The same, the planes being those of the guide's normals. `depth` infinite: there is no inner side.
  void aim(const ConstArray3& guide, const ConstArray3& normals, std::span<const Pull> pulls, double depth);
  /// The energy of x (N, 3) at the last aim; fills `gradient` (N, 3), zero at pinned vertices.
  double evaluate(const ConstArray3& x, Array3& gradient) const;
  /// Takes x (N, 3) towards the balance, by so many iterations or until the residual is below `tolerance`. The energy
  /// never rises. Pinned vertices are put on the guide first.
  Solved solve(Array3& x, int iterations, double tolerance);

 private:
  static constexpr std::size_t kPairs = 3;

  /// The parts that do not change from frame to frame, of one level.
  struct Sheet {
    std::vector<double> cotangents;  ///< (E,)
    std::vector<double> hold;        ///< (N,) h A
    std::vector<double> bend;        ///< (N,) B / A
    std::vector<double> diagonal;    ///< (N,) of bending
    std::vector<double> degree;      ///< (N,)
  };
  const Sheet& fine() const { return sheets_.back(); }
  void aim_springs(const ConstArray3& guide, std::span<const Pull> pulls);
  void make_sheet(int level, const Array3& cut, const Lengths& lengths);
  /// Each vertex' own block, at x.
  void make_blocks(const Array3& x);
  void precondition(const Array3& gradient, Array3& out);
  /// −(inverse Hessian) G by the pairs, where there are any.
  void direct(const Array3& gradient, Array3& out);

  std::shared_ptr<const Levels> levels_;
  SpringOptions options_;
  std::vector<std::uint8_t> pinned_;
  std::vector<Sheet> sheets_;
  std::vector<double> cut_lengths_;
  double scale_ = 0;  ///< Σ L²

  // Of the last aim.
  Array3 guide_, normals_, target_;
  double pull_ = 1;             ///< of hold and pulls, as a multiple of the hold
  std::vector<double> depths_;  ///< (N,) of the planes, behind the guide
  std::vector<double> rest_lengths_;

  // Of the solver.
  using Block = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
  std::vector<Block> blocks_;
  std::vector<Array3> down_, up_;  ///< by level
  Array3 gradient_, next_gradient_, next_, direction_;
  mutable Array3 away_, curved_;
  std::array<Array3, kPairs> steps_, changes_;
  std::array<double, kPairs> curvatures_{};
  std::size_t pairs_ = 0;
};

}  // namespace pucker::drape
