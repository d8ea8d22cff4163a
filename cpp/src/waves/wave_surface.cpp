#include "pucker/waves/wave_surface.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "pucker/mesh/frames.h"

namespace pucker::waves {

namespace {

constexpr double kTurn = 2 * std::numbers::pi;

struct Corners {
  Vector3 position[3];
  Vector3 normal;  ///< as long as twice the area
};

Corners corners_of(const FieldView& field, std::int32_t triangle) {
  Corners out;
  for (int k = 0; k < 3; ++k) out.position[k] = field.positions.row(field.mesh.faces()(triangle, k)).transpose();
  out.normal = (out.position[1] - out.position[0]).cross(out.position[2] - out.position[0]);
  return out;
}

FieldPoints field_at(const FieldView& field, Gradient kind, const Array3& base, std::span<const std::int32_t> triangles,
                     const ConstArray3& barycentrics) {
  FieldPoints out;
  out.heights.resize(triangles.size());
  out.gradients.resize(base.rows(), 3);
  for (Eigen::Index i = 0; i < base.rows(); ++i) {
    const std::int32_t t = triangles[std::size_t(i)];
    const Corners corners = corners_of(field, t);
    const double square = corners.normal.squaredNorm();
    double height = 0;
    Vector3 gradient = Vector3::Zero();
    Vector3 shift = Vector3::Zero();  // of the height by the change of the weights
    for (int k = 0; k < 3; ++k) {
      const std::size_t v = std::size_t(field.mesh.faces()(t, k));
      const Vector3 k_turn =
          kTurn / field.waves.wavelengths[v] * field.waves.wave_vectors.row(Eigen::Index(v)).transpose();
      const double phase = k_turn.dot(base.row(i).transpose() - corners.position[k]) + field.phases[v];
      const double amplitude = field.waves.amplitudes[v];
      const double value = amplitude * field.table.value(phase);
      height += barycentrics(i, k) * value;
      gradient += barycentrics(i, k) * amplitude * field.table.slope(phase) * k_turn;
      shift += value * corners.normal.cross(corners.position[(k + 2) % 3] - corners.position[(k + 1) % 3]);
    }
    if (kind == Gradient::full && square > 0)
      gradient += shift / square - gradient.dot(corners.normal) / square * corners.normal;
    out.heights[std::size_t(i)] = height;
    out.gradients.row(i) = gradient.transpose();
  }
  return out;
}

}  // namespace

FieldPoints evaluate_field(const FieldView& field, Gradient gradient, std::span<const std::int32_t> triangles,
                           const ConstArray3& barycentrics) {
  const SurfacePoints points = points_of_mesh(field.mesh, field.positions, triangles, barycentrics);
  return field_at(field, gradient, points.base, triangles, barycentrics);
}

WaveDetail::WaveDetail(const FieldView& field, const std::vector<PackedWave>& packed, Gradient gradient)
    : Detail(field.mesh, field.positions), field_(field), packed_(packed), gradient_(gradient) {}

FieldPoints WaveDetail::evaluate_field(std::span<const std::int32_t> triangles, const ConstArray3& barycentrics) const {
  return waves::evaluate_field(field_, gradient_, triangles, barycentrics);
}

SurfacePoints WaveDetail::evaluate(std::span<const std::int32_t> triangles, const ConstArray3& barycentrics) const {
  SurfacePoints out = points_of_mesh(field_.mesh, field_.positions, triangles, barycentrics);
  const FieldPoints field = field_at(field_, gradient_, out.base, triangles, barycentrics);
  for (Eigen::Index i = 0; i < out.base.rows(); ++i) {
    out.displacements.row(i) = field.heights[std::size_t(i)] * out.base_normals.row(i);
    out.positions.row(i) = out.base.row(i) + out.displacements.row(i);
    out.normals.row(i) = (out.base_normals.row(i) - field.gradients.row(i)).normalized();
  }
  return out;
}

std::vector<std::uint8_t> WaveDetail::reached() const {
  std::vector<std::uint8_t> out(std::size_t(field_.mesh.triangle_count()), 0);
  for (std::size_t t = 0; t < out.size(); ++t)
    for (int k = 0; k < 3; ++k)
      if (field_.waves.amplitudes[std::size_t(field_.mesh.faces()(Eigen::Index(t), k))] > 0) out[t] = 1;
  return out;
}

double WaveDetail::feature_size() const {
  const std::vector<double>& wavelengths = field_.waves.wavelengths;
  return wavelengths.empty() ? 0 : 0.125 * *std::min_element(wavelengths.begin(), wavelengths.end());
}

std::vector<double> WaveDetail::feature_sizes() const {
  const std::vector<std::uint8_t> reached = this->reached();
  const double least = feature_size();
  std::vector<double> out(reached.size(), std::numeric_limits<double>::infinity());
  for (std::size_t t = 0; t < out.size(); ++t) {
    if (!reached[t]) continue;
    for (int k = 0; k < 3; ++k) {
      const std::size_t v = std::size_t(field_.mesh.faces()(Eigen::Index(t), k));
      const double shortened = std::max(field_.waves.wave_vectors.row(Eigen::Index(v)).norm(), 1.0);
      out[t] = std::min(out[t], 0.25 * field_.waves.wavelengths[v] / shortened);
    }
    out[t] = std::max(out[t], least);
  }
  return out;
}

std::array<double, 2> WaveDetail::offset_range() const {
  const std::vector<double>& amplitudes = field_.waves.amplitudes;
  const double highest = amplitudes.empty() ? 0 : *std::max_element(amplitudes.begin(), amplitudes.end());
  const auto [low, high] = std::minmax_element(field_.table.values().begin(), field_.table.values().end());
  return {highest * std::min(*low, 0.0), highest * std::max(*high, 0.0)};
}

std::vector<DrawBuffer> WaveDetail::draw_buffers() const {
  return {{"Waves", std::as_bytes(std::span(packed_))}, {"Pleat", std::as_bytes(std::span(field_.table.packed()))}};
}

void pack_waves(const PlaneWaves& waves, std::span<const double> phases, std::vector<PackedWave>& out) {
  out.resize(phases.size());
  for (std::size_t v = 0; v < out.size(); ++v) {
    const double turn = kTurn / waves.wavelengths[v];
    for (int k = 0; k < 3; ++k) {
      out[v].wave_vector[k] = float(turn * waves.wave_vectors(Eigen::Index(v), k));
      out[v].normal[k] = float(waves.normals(Eigen::Index(v), k));
    }
    out[v].phase = float(phases[v]);
    out[v].amplitude = float(waves.amplitudes[v]);
  }
}

}  // namespace pucker::waves
