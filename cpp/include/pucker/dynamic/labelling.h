/// Compress / rest / stretch labels of the triangles (Gillette 2015, section 4.1.2).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "pucker/dynamic/label.h"
#include "pucker/dynamic/params.h"
#include "pucker/mesh/topology.h"
#include "pucker/types.h"

namespace pucker {

/// Data costs of the labels from the principal stretches against the previous frame (Gillette 2015, equations 4.4–4.7;
/// at λ̃ = λ_max, which equation 4.5 leaves out, both its branches agree).
///
/// With a < b equation 4.5 prints c(a, b) = (b/a)(H − 1) + 1, which makes a deformation the cheaper the more the
/// opposite one dominates it, against the thesis' own account of it. Here the factor is a/b; b/a with `verbatim`.
///
/// `minimum`, `maximum`: (m,), λ_min and λ_max, 1 = no deformation. `out` becomes (m, 3), columns C, R, S; nothing is
/// allocated if it has that shape already. Costs of C are in (0, 1] where λ̃ ≥ 1, those of S where λ_max ≥ 1; with
/// `verbatim` they fall below 0 where both are large. `inert`: (m,) or empty; the stretches of triangles with a
/// non-zero entry are not looked at and their costs are 0. Throws InvalidArgument if lengths differ, or for a stretch
/// that is not finite and positive.
void label_costs(std::span<const double> minimum, std::span<const double> maximum, const Params& params, Array3& out,
                 std::span<const std::uint8_t> inert = {});
Array3 label_costs(std::span<const double> minimum, std::span<const double> maximum, const Params& params,
                   std::span<const std::uint8_t> inert = {});

/// Labels that agree with the data costs and change little over the surface and over time.
///
/// They minimise (Gillette 2015, equation 4.3)
///     Σ_t costs(t, l_t) + smoothness · (Σ |l_t − l_u| over edges between t and u + Σ |l_t − previous_t|).
/// Solvers: `exact` finds the optimum with one minimum cut, since |i − j| makes the labels an ordered total-variation
/// problem (Ishikawa 2003); of several optima it takes the one whose labels are lowest (C < R < S) in every triangle at
/// once, which exists. `expansion` and `swap` start from the cheapest label of each triangle and make the best
/// α-expansions or αβ-swaps until none lowers the energy (Boykov, Veksler, Zabih 2001).
///
/// Optima are those of costs rounded to multiples of 2⁻⁴⁰ (of a larger power of two if a triangle's costs differ by
/// more than 512): flows are then sums without rounding, and the labels the same bits whatever was solved before.
///
/// Triangles the mesh calls degenerate, and those marked `inert`, have the label Rest and no part in the energy.
class Labeller {
 public:
  /// Throws InvalidArgument unless the smoothness is finite and ≥ 0.
  Labeller(std::shared_ptr<const Mesh> mesh, const LabelParams& params);
  ~Labeller();
  Labeller(Labeller&&) noexcept;
  Labeller& operator=(Labeller&&) noexcept;

  /// The labels of the next frame, the previous frame's being fixed; (m,), valid until the next call. Memory is
  /// set aside by the first call. `costs`: (m, 3), any finite numbers; `inert`: (m,) or empty.
  /// Throws InvalidArgument for a wrong shape or a cost that is not finite; the state is then unchanged.
  std::span<const std::int8_t> step(const ConstArray3& costs, std::span<const std::uint8_t> inert = {});
  /// The labels that step would give; previous() stays as it is until accept().
  std::span<const std::int8_t> preview(const ConstArray3& costs, std::span<const std::uint8_t> inert = {});
  /// Makes the labels of the last preview the previous ones.
  void accept() noexcept;

  /// The labels of all frames of a clip, solved at once over space and time. Independent of `previous()`.
  /// `costs`: (frames · m, 3), frame after frame; `inert`: (frames · m,) or empty. Returns (frames · m,).
  /// About 550 bytes a triangle and frame are needed meanwhile.
  std::vector<std::int8_t> solve_clip(const ConstArray3& costs, std::span<const std::uint8_t> inert = {}) const;

  /// The energy of `labels`, (m,). `previous`: (m,) as from previous(), or empty for a first frame.
  /// The energy of a clip is the sum over its frames. Throws InvalidArgument for a wrong shape or a label outside 0…2.
  double energy(const ConstArray3& costs, std::span<const std::int8_t> labels,
                std::span<const std::int8_t> previous = {}, std::span<const std::uint8_t> inert = {}) const;

  /// What the next frame is tied to, (m,): the last labels, kNone for a triangle that was inert or had no frame yet.
  /// It is the whole state: set_previous continues a run with the same bits.
  std::span<const std::int8_t> previous() const;
  /// Throws InvalidArgument for a wrong length or an entry outside −1…2.
  void set_previous(std::span<const std::int8_t> previous);
  /// As if no frame had been seen.
  void reset();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pucker
