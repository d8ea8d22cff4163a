/// Where and how strongly cloth is compressed: a plane wave per vertex, but for its phase (Loviscach 2006,
/// section 4.2).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "pucker/mesh/normals.h"
#include "pucker/mesh/topology.h"
#include "pucker/types.h"
#include "pucker/waves/params.h"

namespace pucker::waves {

/// The wave of each vertex v of one frame, without its phase φ:
/// height = amplitude · f(2π/wavelength · direction·(x − x_v) + φ) on the cloth, x in the rest pose, or
/// amplitude · f(2π/wavelength · wave_vector·(x′ − x′_v) + φ) in the frame, see Coordinates. Both are the same where
/// the cloth around the vertex is mapped affinely.
struct PlaneWaves {
  std::vector<double> wavelengths;  ///< (n,) W, in the rest pose
  std::vector<double> stretches;    ///< (n,) r ≥ 0, the smallest stretch against the rest pose, 1 = none
  std::vector<double> amplitudes;   ///< (n,) h, in [0, W/4]
  Array3 directions;                ///< (n, 3) k, unit, in the rest pose's tangent plane
  Array3 wave_vectors;              ///< (n, 3) k′, in the tangent plane of the frame; 1/r long without a bias
  Array3 normals;                   ///< (n, 3) of the frame's vertices, unit; zero for a vertex without area

  const Array3& vectors(Coordinates coordinates) const {
    return coordinates == Coordinates::rest ? directions : wave_vectors;
  }
  /// Copies all of `other`, as assignment does; the threads of parallel_for share the vertices.
  void copy(const PlaneWaves& other);
};

/// Vertices that have no wave, or a bounded one.
struct CrushReport {
  std::int64_t isolated = 0;   ///< without neighbours
  std::int64_t singular = 0;   ///< whose neighbours lie on one line in the rest pose, or that have no normal there
  std::int64_t flattened = 0;  ///< without a tangent plane in this frame
  std::int64_t bounded = 0;    ///< with a stretch below `min_stretch` in this frame
};

/// The neighbours of each vertex, in ascending order.
class Neighbours {
 public:
  explicit Neighbours(const Mesh& mesh);
  std::span<const std::int32_t> of(std::int32_t vertex) const {
    const std::size_t v = std::size_t(vertex);
    return {vertices_.data() + offsets_[v], std::size_t(offsets_[v + 1] - offsets_[v])};
  }
  /// Where the entries of `vertex` begin in an array with one entry for each neighbour of each vertex.
  std::size_t offset(std::int32_t vertex) const { return std::size_t(offsets_[std::size_t(vertex)]); }
  std::size_t size() const { return vertices_.size(); }

 private:
  std::vector<std::int64_t> offsets_;
  std::vector<std::int32_t> vertices_;
};

/// Compares each vertex' neighbourhood with the rest pose.
///
/// In the tangent planes, with frames (t, b) and (t′, b′) by the first neighbour whose edge has a direction there,
/// M = (Σ v′⊗v)(Σ v⊗v)⁻¹ maps the edges v of the rest pose to the edges v′ of the frame with least squares (equation
/// 1). r² is the smaller eigenvalue of MᵀM and k its unit eigenvector; h = W/4·√max(1 − (t r)², 0), t = `threshold`
/// (equation 2 has t = 1; 0 where the root's argument is below 1e-12, as rounding leaves it); k′ = (L⁻¹)ᵀk with L =
/// (t′, b′) M (t, b)ᵀ, so that k′·(x′ − x′₀) = k·(x − x₀) (equation 4). Painted wrinkles p bias the amplitude and the
/// direction, by M(E − q⊗q) with q = (t·p, b·p) (section 7), but not the map from k to k′, and the threshold is for
/// what the cloth itself has lost: of that the first 1 − 1/t² counts not.
///
/// r, k and h are those of the mean of MᵀM over a vertex and its neighbours, `smoothing` times, so that neighbours
/// whose compression differs by accident have waves that meet (equation 1 has none). A neighbour's tensor is carried
/// into the vertex' tangent plane by the smallest rotation between their normals in the rest pose; one whose normal is
/// opposite, or that has no M, is left out. k′ is carried by the vertex' own M.
///
/// The sign of k is free. That of the first frame follows from the rest pose, then it is the one that turns k the
/// least, so that a wave does not jump from one frame to the next. Nor do waves turn round at once where the two
/// eigenvalues change places: an angle of more than `turn`·intervals/a, a = h/(W/4) of the frame before, is cut to
/// that. A wave that so lags behind is as high as its own direction asks for, h = W/4·√max(1 − t²|Mk|², 0), the same as
/// above where it does not; so it fades as the cloth comes out of its direction, and is then free to turn. Waves grow
/// by `growth`·intervals·W/4 at most, but in the first frame. Directions and amplitudes of the frame before are all
/// that is remembered.
///
/// Nor are waves higher than `bend` times the least radius of curvature ρ of the frame's surface, over the neighbours u
/// of v: ρ = |e|²/|e·(n_u − n_v)| with the edge e between them and the normals n. Where both ends are moved along their
/// normals by h their edge is e + h(n_u − n_v): from h = ρ on it points the other way and the cloth is turned over.
///
/// A vertex without neighbours, or with all of them on one line (ratio of the eigenvalues of Σ v⊗v below 1e-12), has
/// no wave: r = 1, h = 0, k = k′ = 0. Singular values of M below `min_stretch` count as that in k′.
class Crush {
 public:
  /// `rest`: (n, 3). `wavelength`: W, in the unit of `rest`. Throws InvalidArgument for positions that are not (n, 3)
  /// and finite and a wavelength out of [1e-30, 1e30].
  Crush(std::shared_ptr<const Mesh> mesh, const ConstArray3& rest, double wavelength, const CrushParams& params);

  const std::shared_ptr<const Mesh>& mesh() const { return mesh_; }
  const Array3& rest() const { return rest_; }

  /// W of each vertex, (n,); it is fixed from the next frame on. Throws InvalidArgument for another length and for one
  /// out of [1e-30, 1e30], naming the vertex; nothing has changed then.
  void set_wavelengths(std::span<const double> wavelengths);
  /// Painted wrinkles (n, 3), without a unit: each across its wrinkle, in the rest pose, as long as the compression to
  /// begin with. Throws InvalidArgument for another shape, numbers that are not finite and a length of 1 or more,
  /// naming the vertex; nothing has changed then.
  void set_paint(const ConstArray3& paint);
  /// (n, 3), zero at first.
  const Array3& paint() const { return paint_; }
  /// Share of W/4 that the highest wave of each vertex has, (n,) in [0, 1], 1 at first; from the next frame on. Waves
  /// turn as they would with 1. Throws InvalidArgument for another length or a share out of range, naming the vertex;
  /// nothing has changed then.
  void set_shares(std::span<const double> shares);
  const std::vector<double>& shares() const { return shares_; }
  const Neighbours& neighbours() const { return neighbours_; }
  /// t and b of the rest pose; zero for a vertex that has no wave in any frame.
  const Vector3& tangent(std::int32_t vertex) const { return frames_[std::size_t(vertex)].tangent; }
  const Vector3& bitangent(std::int32_t vertex) const { return frames_[std::size_t(vertex)].bitangent; }
  /// (Σ v⊗v)⁻¹ v of each neighbour of a vertex, in its (t, b).
  std::span<const Vector2> regressors(std::int32_t vertex) const {
    return {regressors_.data() + neighbours_.offset(vertex), neighbours_.of(vertex).size()};
  }
  /// Cosine and sine of twice the angle by which the smallest rotation of the normals turns each neighbour's (t, b)
  /// against those of a vertex, in the rest pose; zero for a neighbour that has none. Only with `smoothing`.
  std::span<const Vector2> turns(std::int32_t vertex) const {
    return {turns_.data() + neighbours_.offset(vertex), neighbours_.of(vertex).size()};
  }

  /// The waves of a frame with `positions` (n, 3), so many intervals after the last one; valid until the next call.
  /// Throws InvalidArgument for positions that are not (n, 3) and finite, and for a time that is not above 0; nothing
  /// has changed then. Allocates nothing. The threads of parallel_for share the vertices.
  const PlaneWaves& step(const ConstArray3& positions, double intervals = 1);
  const PlaneWaves& waves() const { return waves_; }
  /// Of the last frame.
  const CrushReport& report() const { return report_; }
  /// Goes on as after the frame with these waves, but keeps its wavelengths. Throws InvalidArgument for waves that are
  /// not those of n vertices, or not finite; nothing has changed then.
  void resume(const PlaneWaves& waves);
  /// As if no frame had been seen.
  void reset();

 private:
  struct TangentFrame {
    Vector3 tangent = Vector3::Zero();
    Vector3 bitangent = Vector3::Zero();
    bool valid = false;
  };
  /// How the cloth round a vertex is deformed: `map` is M, from (t, b) to the frame's.
  struct Deformation {
    TangentFrame frame;  ///< not valid where there is none
    Matrix2 map;
    double radius;  ///< ρ; infinite where all lies flat
  };
  /// The symmetric tensor E − MᵀM in (t, b), `across` half the sum of the entries off the diagonal: what is lost of the
  /// square of a length, by its direction. Turning (t, b) turns (along, across) by twice the angle.
  struct Loss {
    double mean = 0;
    double along = 0;
    double across = 0;
  };
  TangentFrame tangent_frame(std::int32_t vertex, const ConstArray3& positions, const Vector3& normal) const;
  void regress(std::int32_t vertex, const TangentFrame& frame);
  void measure_turns();
  Deformation deformation(std::int32_t vertex, const ConstArray3& positions) const;
  /// One round from `losses_` to `averaged_`: the mean of a vertex and its neighbours.
  void average(std::int32_t vertex);
  /// How a vertex came out of a frame, for the report.
  enum class Fate { free, flattened, bounded };
  Fate crush(std::int32_t vertex, double intervals);
  /// ±k, or the direction on the way to it that is `most` from the last one.
  Vector2 turned(std::int32_t vertex, const TangentFrame& rest, const Vector2& k, double most) const;

  std::shared_ptr<const Mesh> mesh_;
  CrushParams params_;
  Array3 rest_;
  Neighbours neighbours_;
  SummedNormals normals_;
  std::vector<TangentFrame> frames_;  ///< of the rest pose; not valid for a singular vertex
  std::vector<Vector2> regressors_;   ///< (Σ v⊗v)⁻¹ v of each neighbour of each vertex
  std::vector<Vector2> turns_;  ///< cosine and sine of twice the angle from each neighbour's (t, b); 0: it has none
  std::vector<Deformation> deformations_;
  std::vector<Loss> losses_;
  std::vector<Loss> averaged_;
  Array3 paint_;
  std::vector<double> shares_;
  PlaneWaves waves_;
  CrushReport report_;
};

}  // namespace pucker::waves
