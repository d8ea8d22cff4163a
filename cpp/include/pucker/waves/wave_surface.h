/// The height field of the waves (Loviscach 2006, section 5.1) and the surface it makes of the mesh.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "pucker/method.h"
#include "pucker/waves/crush.h"
#include "pucker/waves/pleat.h"

namespace pucker::waves {

/// The height field at points of the mesh, one row each.
struct FieldPoints {
  std::vector<double> heights;  ///< (N,) along the normal of the surface, negative inwards
  Array3 gradients;             ///< (N, 3) ∂h/∂x′, without a unit
};

/// What makes up the field of one frame; views, all of which must outlive it.
struct FieldView {
  const Mesh& mesh;
  const Array3& positions;
  const PlaneWaves& waves;
  const std::vector<double>& phases;
  const PleatTable& table;
  const Array3& places;   ///< (n, 3), what phases are measured between: the rest pose, or the positions again
  const Array3& vectors;  ///< (n, 3), of the waves there
};

/// The field at points given by a triangle (N,) and barycentric coordinates (N, 3) in it.
///
/// h(x′) = Σ α_A h_A f(θ_A), θ_A = 2π/W_A k_A·(p − p_A) + φ_A over the corners A, with the places p and the vectors k
/// of the view (equation 5). In the rest pose, p moves with the cloth, whatever becomes of its triangle, and so do the
/// crests; in the frame they slide over it where triangles are not squeezed alike. `printed`: the gradient is Σ α_A h_A
/// 2π/W_A k′_A f′(θ_A) (equation 8), continuous over edges. `full`: Σ h_A (α_A f′(θ_A) ∇θ_A + f(θ_A) ∇α_A) in the plane
/// of the triangle, with f′ as the table has it; a triangle without area has the printed one. Throws InvalidArgument as
/// points_of_mesh does.
FieldPoints evaluate_field(const FieldView& field, Gradient gradient, std::span<const std::int32_t> triangles,
                           const ConstArray3& barycentrics);

/// A vertex as the shaders read it.
struct PackedWave {
  float wave_vector[3];  ///< 2π/W k′, the slope's
  float phase;
  float normal[3];
  float amplitude;
  float vector[3];    ///< 2π/W k, which measures phases between places
  float other_phase;  ///< where compute programs relax it
  float place[3];     ///< from a point near all of them
  float unused;
};

/// The surface of one frame. It refers to what the field does, which must outlive it.
class WaveDetail : public Detail {
 public:
  /// `packed`: (n,), see pack_waves.
  WaveDetail(const FieldView& field, const std::vector<PackedWave>& packed, Gradient gradient);

  FieldView field() const { return field_; }
  /// The base moved by the height along its interpolated normal n′; normals are those of n′ − ∂h/∂x′ (equation 7).
  void evaluate_into(std::span<const std::int32_t> triangles, const ConstArray3& barycentrics,
                     Evaluation& out) const override;
  FieldPoints evaluate_field(std::span<const std::int32_t> triangles, const ConstArray3& barycentrics) const;
  std::vector<std::uint8_t> reached() const override;
  /// An eighth of the shortest wavelength, which is a quarter of it where cloth is squeezed to a half.
  double feature_size() const override;
  /// A quarter of the shortest wavelength of a triangle's corners as it is in the frame, at least feature_size();
  /// infinite where nothing is displaced. (m,)
  std::vector<double> feature_sizes() const override;
  /// Between which ends every displacement along the base normal lies, negative inwards.
  std::array<double, 2> offset_range() const override;
  std::string_view shaders() const override { return "waves"; }
  draw::Content draw_content(const Vector3& origin, const draw::Continued* done) const override;

 private:
  FieldView field_;
  const std::vector<PackedWave>& packed_;
  Gradient gradient_;
};

/// Fills `out` (n,). Allocates nothing once it has its size.
void pack_waves(const FieldView& field, std::vector<PackedWave>& out);

}  // namespace pucker::waves
