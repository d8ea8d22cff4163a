#include "pucker/waves/wave_surface.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "pucker/draw/content.h"
#include "pucker/mesh/frames.h"
#include "pucker/mesh/origin.h"
#include "pucker/threads.h"

namespace pucker::waves {

namespace {

constexpr double kTurn = 2 * std::numbers::pi;

struct Corners {
  Vector3 place[3];
  Vector3 opposite[3];  ///< the edge opposite to each corner
  Vector3 normal;       ///< as long as twice the area
};

Corners corners_of(const FieldView& field, std::int32_t triangle) {
  Corners out;
  Vector3 position[3];
  for (int k = 0; k < 3; ++k) {
    position[k] = field.positions.row(field.mesh.faces()(triangle, k)).transpose();
    out.place[k] = field.places.row(field.mesh.faces()(triangle, k)).transpose();
  }
  for (int k = 0; k < 3; ++k) out.opposite[k] = position[(k + 2) % 3] - position[(k + 1) % 3];
  out.normal = out.opposite[2].cross(-out.opposite[1]);
  return out;
}

struct FieldPoint {
  double height = 0;
  Vector3 gradient = Vector3::Zero();
};

FieldPoint field_at(const FieldView& field, Gradient kind, std::int32_t triangle, const Vector3& weights) {
  const Corners corners = corners_of(field, triangle);
  const double square = corners.normal.squaredNorm();
  const bool full = kind == Gradient::full && square > 0;
  Vector3 place = Vector3::Zero();
  for (int k = 0; k < 3; ++k) place += weights[k] * corners.place[k];
  FieldPoint out;
  for (int k = 0; k < 3; ++k) {
    const std::size_t v = std::size_t(field.mesh.faces()(triangle, k));
    const double turn = kTurn / field.waves.wavelengths[v];
    const Vector3 vector = turn * field.vectors.row(Eigen::Index(v)).transpose();
    const double phase = vector.dot(place - corners.place[k]) + field.phases[v];
    const double amplitude = field.waves.amplitudes[v];
    const double value = amplitude * field.table.value(phase);
    const double slope = weights[k] * amplitude * field.table.slope(phase);
    out.height += weights[k] * value;
    if (full) {
      // n × the edge opposite to a corner, over n², is the gradient of the corner's weight.
      Vector3 edges = value * corners.opposite[k];
      for (int j = 0; j < 3; ++j)
        edges += slope * vector.dot(corners.place[j] - corners.place[k]) * corners.opposite[j];
      out.gradient += corners.normal.cross(edges) / square;
    } else {
      out.gradient += slope * turn * field.waves.wave_vectors.row(Eigen::Index(v)).transpose();
    }
  }
  return out;
}

/// Calls `visit(row, point of the field)` for each point.
template <class Visit>
void visit_field(const FieldView& field, Gradient kind, std::span<const std::int32_t> triangles,
                 const ConstArray3& barycentrics, const Visit& visit) {
  parallel_blocks(triangles.size(), kPointsTaken, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto row = Eigen::Index(i);
      visit(row, field_at(field, kind, triangles[i], barycentrics.row(row).transpose()));
    }
  });
}

}  // namespace

FieldPoints evaluate_field(const FieldView& field, Gradient gradient, std::span<const std::int32_t> triangles,
                           const ConstArray3& barycentrics) {
  points_of_mesh(field.mesh, field.positions, triangles, barycentrics);  // refuses what is no point of the mesh
  FieldPoints out;
  out.heights.resize(triangles.size());
  out.gradients.resize(barycentrics.rows(), 3);
  visit_field(field, gradient, triangles, barycentrics, [&](Eigen::Index i, const FieldPoint& at) {
    out.heights[std::size_t(i)] = at.height;
    out.gradients.row(i) = at.gradient.transpose();
  });
  return out;
}

WaveDetail::WaveDetail(const FieldView& field, const std::vector<PackedWave>& packed, Gradient gradient)
    : Detail(field.mesh, field.positions), field_(field), packed_(packed), gradient_(gradient) {}

FieldPoints WaveDetail::evaluate_field(std::span<const std::int32_t> triangles, const ConstArray3& barycentrics) const {
  return waves::evaluate_field(field_, gradient_, triangles, barycentrics);
}

void WaveDetail::evaluate_into(std::span<const std::int32_t> triangles, const ConstArray3& barycentrics,
                               Evaluation& out) const {
  points_of_mesh(field_.mesh, field_.positions, triangles, barycentrics, out);
  SurfacePoints& points = out.points;
  visit_field(field_, gradient_, triangles, barycentrics, [&](Eigen::Index i, const FieldPoint& at) {
    points.displacements.row(i) = at.height * points.base_normals.row(i);
    points.positions.row(i) = points.base.row(i) + points.displacements.row(i);
    points.normals.row(i) = (points.base_normals.row(i) - at.gradient.transpose()).normalized();
  });
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

draw::Content WaveDetail::draw_content(const Vector3&, const draw::Continued*) const {
  draw::Content out;
  out.buffers = {draw::buffer_of("Waves", packed_), draw::buffer_of("Pleat", field_.table.packed())};
  out.constants = {{"gradient", std::int32_t(gradient_)}};
  return out;
}

void pack_waves(const FieldView& field, std::vector<PackedWave>& out) {
  out.resize(field.phases.size());
  const Vector3 origin = nearby_origin(field.places);
  constexpr std::size_t taken = 2048;
  parallel_blocks(out.size(), taken, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const double turn = kTurn / field.waves.wavelengths[v];
      PackedWave& wave = out[v];
      wave = {};
      for (int k = 0; k < 3; ++k) {
        wave.wave_vector[k] = float(turn * field.waves.wave_vectors(Eigen::Index(v), k));
        wave.normal[k] = float(field.waves.normals(Eigen::Index(v), k));
        wave.vector[k] = float(turn * field.vectors(Eigen::Index(v), k));
        wave.place[k] = float(field.places(Eigen::Index(v), k) - origin[k]);
      }
      wave.phase = float(field.phases[v]);
      wave.amplitude = float(field.waves.amplitudes[v]);
    }
  });
}

}  // namespace pucker::waves
