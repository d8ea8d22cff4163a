#include "pucker/waves/crush.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "pucker/errors.h"
#include "pucker/mesh/frames.h"
#include "pucker/mesh/walk.h"
#include "pucker/threads.h"

namespace pucker::waves {

namespace {

/// Ratio of the eigenvalues of Σ v⊗v below which the neighbours lie on one line: a millionth as wide as long.
constexpr double kLine = 1e-12;
/// Share of an edge's length below which its projection to the tangent plane has no direction of its own.
constexpr double kNoDirection = 1e-6;
/// Radians from the first edge to the side on which the first direction lies. Any angle would do; at this one few
/// directions are at right angles to it, where rounding decides on the sign, since few meshes have edges so turned.
constexpr double kFirstSign = 1;
/// Cosine beyond which two normals count as opposite: no rotation between them is the smallest.
constexpr double kOpposite = -0.999;
constexpr Range kWavelengths{kLeastWavelength, kLargestWavelength};
/// 1 − r² of cloth that is as it was, but for rounding; a millionth of the greatest height.
constexpr double kRounding = 1e-12;
/// Vertices that a thread takes at a time.
constexpr std::size_t kTaken = 512;

/// Singular values σ₁ ≥ σ₂ ≥ 0 of a matrix, and its right vectors: v₁ and, a quarter turn from it, v₂.
struct Stretches {
  double largest;
  double smallest;
  Vector2 along_largest;
  Vector2 along_smallest() const { return quarter_turn(along_largest); }
};

Stretches stretches_of(const Matrix2& m) {
  const Vector2 x = m.col(0);
  const Vector2 y = m.col(1);
  // Twice the angle of v₁ is that of the deviator of MᵀM. No trigonometric function is needed.
  const Vector2 deviator(x.squaredNorm() - y.squaredNorm(), 2 * x.dot(y));
  const double length = deviator.norm();
  Stretches out;
  out.largest = std::sqrt(0.5 * (x.squaredNorm() + y.squaredNorm() + length));
  // By the determinant, because the difference would cancel for a nearly singular matrix.
  out.smallest = out.largest > 0 ? std::abs(cross(x, y)) / out.largest : 0;
  if (!(length > 0)) {
    out.along_largest = {1, 0};
  } else if (deviator.x() >= 0) {
    const double cosine = std::sqrt(0.5 * (1 + deviator.x() / length));
    out.along_largest = {cosine, 0.5 * deviator.y() / (length * cosine)};
  } else {
    const double sine = std::copysign(std::sqrt(0.5 * (1 - deviator.x() / length)), deviator.y());
    out.along_largest = {0.5 * deviator.y() / (length * sine), sine};
  }
  return out;
}

/// (M⁻¹)ᵀ k, singular values `s` of M below `least` counting as `least`. Sets `bounded` if there was one.
Vector2 carry(const Matrix2& m, const Stretches& s, const Vector2& k, double least, bool& bounded) {
  bounded = !(s.smallest >= least);
  const Vector2 image = s.largest > 0 ? Vector2(m * s.along_largest / s.largest) : Vector2(1, 0);
  const Vector2 other = std::copysign(1.0, cross(m.col(0), m.col(1))) * quarter_turn(image);
  return s.along_largest.dot(k) / std::max(s.largest, least) * image +
         s.along_smallest().dot(k) / std::max(s.smallest, least) * other;
}

/// The symmetric matrix whose square is MᵀM, with the singular values of M along the same directions.
Matrix2 stretch_of(double mean, double along, double across) {
  Matrix2 square;
  square << 1 - mean - along, -across, -across, 1 - mean + along;
  // By rounding the mean of squares may have a determinant below 0.
  const double root = std::sqrt(std::max(square.determinant(), 0.0));
  const double scale = std::sqrt(std::max(square.trace() + 2 * root, 0.0));
  if (!(scale > 0)) return Matrix2::Zero();
  square.diagonal().array() += root;
  return square / scale;
}

void require_rows(const ConstArray3& rows, std::int64_t count, const char* name) {
  require(rows.rows() == count, name, " must have one row a vertex: (", count, ", 3), got (", rows.rows(), ", 3)");
  for (Eigen::Index v = 0; v < rows.rows(); ++v)
    require(rows.row(v).allFinite(), name, " must be finite, but ", name, "[", v, "] is (", rows(v, 0), ", ",
            rows(v, 1), ", ", rows(v, 2), ")");
}

}  // namespace

void PlaneWaves::copy(const PlaneWaves& other) {
  const std::size_t count = other.wavelengths.size();
  for (auto member : {&PlaneWaves::wavelengths, &PlaneWaves::stretches, &PlaneWaves::amplitudes})
    (this->*member).resize(count);
  for (auto member : {&PlaneWaves::directions, &PlaneWaves::wave_vectors, &PlaneWaves::normals})
    (this->*member).resize(Eigen::Index(count), 3);
  parallel_blocks(count, kTaken, [&](std::size_t begin, std::size_t end) {
    for (auto member : {&PlaneWaves::wavelengths, &PlaneWaves::stretches, &PlaneWaves::amplitudes})
      std::copy((other.*member).begin() + std::ptrdiff_t(begin), (other.*member).begin() + std::ptrdiff_t(end),
                (this->*member).begin() + std::ptrdiff_t(begin));
    const auto first = Eigen::Index(begin);
    const auto rows = Eigen::Index(end - begin);
    for (auto member : {&PlaneWaves::directions, &PlaneWaves::wave_vectors, &PlaneWaves::normals})
      (this->*member).middleRows(first, rows) = (other.*member).middleRows(first, rows);
  });
}

Neighbours::Neighbours(const Mesh& mesh) : offsets_(std::size_t(mesh.vertex_count()) + 1, 0) {
  const Index2& edges = mesh.edges();
  for (Eigen::Index e = 0; e < edges.rows(); ++e)
    for (int end = 0; end < 2; ++end) ++offsets_[std::size_t(edges(e, end)) + 1];
  for (std::size_t v = 1; v < offsets_.size(); ++v) offsets_[v] += offsets_[v - 1];
  vertices_.resize(std::size_t(offsets_.back()));
  std::vector<std::int64_t> next(offsets_.begin(), offsets_.end() - 1);
  // Edges are sorted with the smaller vertex first, so each list comes out in ascending order.
  for (Eigen::Index e = 0; e < edges.rows(); ++e)
    for (int end = 0; end < 2; ++end) vertices_[std::size_t(next[std::size_t(edges(e, end))]++)] = edges(e, 1 - end);
}

Crush::Crush(std::shared_ptr<const Mesh> mesh, const ConstArray3& rest, double wavelength, const CrushParams& params)
    : mesh_(std::move(mesh)), params_(params), neighbours_(*mesh_), normals_(*mesh_) {
  require_rows(rest, mesh_->vertex_count(), "rest");
  require(kWavelengths.holds(wavelength), "wavelength must lie in ", to_string(kWavelengths), ", got ", wavelength);
  visit_params(params_, ParamValidator{});
  rest_ = rest;
  const std::size_t count = std::size_t(mesh_->vertex_count());
  frames_.resize(count);
  regressors_.resize(neighbours_.size(), Vector2::Zero());
  paint_.setZero(Eigen::Index(count), 3);
  shares_.assign(count, 1);
  waves_.wavelengths.assign(count, wavelength);
  waves_.stretches.assign(count, 1);
  waves_.amplitudes.assign(count, 0);
  waves_.directions.setZero(Eigen::Index(count), 3);
  waves_.wave_vectors.setZero(Eigen::Index(count), 3);
  normals_.step(rest_, waves_.normals);
  for (std::int32_t v = 0; v < mesh_->vertex_count(); ++v) {
    if (neighbours_.of(v).empty()) {
      ++report_.isolated;
      continue;
    }
    const TangentFrame frame = tangent_frame(v, rest_, waves_.normals.row(v).transpose());
    if (frame.valid) regress(v, frame);
    if (!frames_[std::size_t(v)].valid) ++report_.singular;
  }
  deformations_.resize(count);
  if (params_.smoothing == 0) return;
  losses_.resize(count);
  averaged_.resize(count);
  measure_turns();
}

void Crush::measure_turns() {
  turns_.assign(neighbours_.size(), Vector2::Zero());
  for (std::int32_t v = 0; v < mesh_->vertex_count(); ++v) {
    const TangentFrame& at = frames_[std::size_t(v)];
    const Vector3 normal = at.tangent.cross(at.bitangent);
    std::size_t link = neighbours_.offset(v);
    for (const std::int32_t neighbour : neighbours_.of(v)) {
      Vector2& turn = turns_[link++];
      const TangentFrame& other = frames_[std::size_t(neighbour)];
      const Vector3 beside = other.tangent.cross(other.bitangent);
      if (!at.valid || !other.valid || normal.dot(beside) < kOpposite) continue;
      // The smallest rotation of the normals takes the neighbour's t into the plane here (Rodrigues' formula).
      const Vector3 carried = other.tangent - other.tangent.dot(normal) / (1 + normal.dot(beside)) * (normal + beside);
      const double cosine = at.tangent.dot(carried);
      const double sine = at.bitangent.dot(carried);
      turn = {cosine * cosine - sine * sine, 2 * cosine * sine};
    }
  }
}

Crush::TangentFrame Crush::tangent_frame(std::int32_t vertex, const ConstArray3& positions,
                                         const Vector3& normal) const {
  TangentFrame out;
  if (normal.isZero(0)) return out;
  for (const std::int32_t neighbour : neighbours_.of(vertex)) {
    const Vector3 edge = (positions.row(neighbour) - positions.row(vertex)).transpose();
    const Vector3 flat = edge - edge.dot(normal) * normal;
    const double square = flat.squaredNorm();
    if (!(square > kNoDirection * kNoDirection * edge.squaredNorm())) continue;
    out.tangent = flat / std::sqrt(square);
    out.bitangent = normal.cross(out.tangent);
    out.valid = true;
    break;
  }
  return out;
}

void Crush::regress(std::int32_t vertex, const TangentFrame& frame) {
  const std::span<const std::int32_t> neighbours = neighbours_.of(vertex);
  const std::size_t first = neighbours_.offset(vertex);
  Matrix2 sum = Matrix2::Zero();
  for (std::size_t i = 0; i < neighbours.size(); ++i) {
    const Vector3 edge = (rest_.row(neighbours[i]) - rest_.row(vertex)).transpose();
    regressors_[first + i] = {frame.tangent.dot(edge), frame.bitangent.dot(edge)};
    sum += regressors_[first + i] * regressors_[first + i].transpose();
  }
  const double determinant = sum.determinant();
  const double trace = sum.trace();
  // det/trace² is about the ratio of the eigenvalues where that is small.
  if (!(determinant > kLine * trace * trace)) return;
  Matrix2 inverse;
  inverse << sum(1, 1), -sum(0, 1), -sum(1, 0), sum(0, 0);
  for (std::size_t i = 0; i < neighbours.size(); ++i)
    regressors_[first + i] = Vector2(inverse * regressors_[first + i]) / determinant;
  frames_[std::size_t(vertex)] = frame;
}

void Crush::set_wavelengths(std::span<const double> wavelengths) {
  require(std::int64_t(wavelengths.size()) == mesh_->vertex_count(),
          "wavelengths must have one entry a vertex: ", mesh_->vertex_count(), ", got ", wavelengths.size());
  for (std::size_t v = 0; v < wavelengths.size(); ++v)
    require(kWavelengths.holds(wavelengths[v]), "wavelengths must lie in ", to_string(kWavelengths), ", but ",
            "wavelengths[", v, "] is ", wavelengths[v]);
  std::copy(wavelengths.begin(), wavelengths.end(), waves_.wavelengths.begin());
}

void Crush::set_shares(std::span<const double> shares) {
  require(std::int64_t(shares.size()) == mesh_->vertex_count(),
          "shares must have one entry a vertex: ", mesh_->vertex_count(), ", got ", shares.size());
  for (std::size_t v = 0; v < shares.size(); ++v)
    require(shares[v] >= 0 && shares[v] <= 1, "shares must lie in [0, 1], but shares[", v, "] is ", shares[v]);
  std::copy(shares.begin(), shares.end(), shares_.begin());
}

void Crush::set_paint(const ConstArray3& paint) {
  require_rows(paint, mesh_->vertex_count(), "paint");
  for (Eigen::Index v = 0; v < paint.rows(); ++v)
    require(paint.row(v).norm() < 1, "paint must be shorter than 1, but paint[", v, "] is (", paint(v, 0), ", ",
            paint(v, 1), ", ", paint(v, 2), "), ", paint.row(v).norm(), " long");
  paint_ = paint;
}

void Crush::resume(const PlaneWaves& waves) {
  const std::int64_t count = mesh_->vertex_count();
  require_rows(waves.directions, count, "directions");
  require(std::int64_t(waves.amplitudes.size()) == count && std::int64_t(waves.wavelengths.size()) == count,
          "waves must be of ", count, " vertices, got those of ", waves.amplitudes.size());
  for (std::size_t v = 0; v < waves.amplitudes.size(); ++v)
    require(std::isfinite(waves.amplitudes[v]), "amplitudes must be finite, but amplitudes[", v, "] is ",
            waves.amplitudes[v]);
  waves_.directions = waves.directions;
  for (std::size_t v = 0; v < waves.amplitudes.size(); ++v) waves_.amplitudes[v] = waves.amplitudes[v];
}

void Crush::reset() {
  waves_.directions.setZero();
  std::fill(waves_.amplitudes.begin(), waves_.amplitudes.end(), 0.0);
}

const PlaneWaves& Crush::step(const ConstArray3& positions, double intervals) {
  require_positions(*mesh_, positions);
  require(intervals > 0, "intervals must be above 0, got ", intervals);
  normals_.step(positions, waves_.normals);
  const auto count = std::size_t(mesh_->vertex_count());
  parallel_blocks(count, kTaken, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const Matrix2& m = (deformations_[v] = deformation(std::int32_t(v), positions)).map;
      if (params_.smoothing == 0) continue;
      const double x = m.col(0).squaredNorm();
      const double y = m.col(1).squaredNorm();
      losses_[v] = {1 - 0.5 * (x + y), 0.5 * (y - x), -m.col(0).dot(m.col(1))};
    }
  });
  for (std::int32_t round = 0; round < params_.smoothing; ++round) {
    parallel_blocks(count, kTaken, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) average(std::int32_t(v));
    });
    losses_.swap(averaged_);
  }
  std::atomic<std::int64_t> flattened{0};
  std::atomic<std::int64_t> bounded{0};
  parallel_blocks(count, kTaken, [&](std::size_t begin, std::size_t end) {
    std::array<std::int64_t, 3> fates{};
    for (std::size_t v = begin; v < end; ++v) ++fates[std::size_t(crush(std::int32_t(v), intervals))];
    flattened += fates[std::size_t(Fate::flattened)];
    bounded += fates[std::size_t(Fate::bounded)];
  });
  report_.flattened = flattened;
  report_.bounded = bounded;
  return waves_;
}

Crush::Deformation Crush::deformation(std::int32_t vertex, const ConstArray3& positions) const {
  constexpr double flat = std::numeric_limits<double>::infinity();
  Deformation out{{}, Matrix2::Identity(), flat};
  if (!frames_[std::size_t(vertex)].valid) return out;
  const TangentFrame frame = tangent_frame(vertex, positions, waves_.normals.row(vertex).transpose());
  if (!frame.valid) return out;
  const Vector2* regressor = regressors_.data() + neighbours_.offset(vertex);
  Vector3 x = Vector3::Zero();
  Vector3 y = Vector3::Zero();
  double radius = flat;
  for (const std::int32_t neighbour : neighbours_.of(vertex)) {
    const Vector3 edge = (positions.row(neighbour) - positions.row(vertex)).transpose();
    x += regressor->x() * edge;
    y += regressor->y() * edge;
    ++regressor;
    // By how much an edge shortens when both of its ends are moved along their normals by 1.
    const double turn = std::abs(edge.dot((waves_.normals.row(neighbour) - waves_.normals.row(vertex)).transpose()));
    if (turn > 0) radius = std::min(radius, edge.squaredNorm() / turn);
  }
  Matrix2 m;
  m << frame.tangent.dot(x), frame.tangent.dot(y), frame.bitangent.dot(x), frame.bitangent.dot(y);
  // Finite positions may be too far apart for their squares.
  if (std::isfinite(m.squaredNorm())) out = {frame, m, radius};
  return out;
}

void Crush::average(std::int32_t vertex) {
  Loss sum = losses_[std::size_t(vertex)];
  double weight = 1;
  const Vector2* turn = turns_.data() + neighbours_.offset(vertex);
  for (const std::int32_t neighbour : neighbours_.of(vertex)) {
    const Vector2& by = *turn++;
    const auto n = std::size_t(neighbour);
    if (by.isZero(0) || !deformations_[n].frame.valid) continue;
    const Loss& loss = losses_[n];
    sum.mean += loss.mean;
    sum.along += by.x() * loss.along - by.y() * loss.across;
    sum.across += by.y() * loss.along + by.x() * loss.across;
    weight += 1;
  }
  averaged_[std::size_t(vertex)] = {sum.mean / weight, sum.along / weight, sum.across / weight};
}

Vector2 Crush::turned(std::int32_t vertex, const TangentFrame& rest, const Vector2& k, double most) const {
  const Vector3 last = waves_.directions.row(vertex).transpose();
  if (last.isZero(0)) return k.dot(Vector2(std::cos(kFirstSign), std::sin(kFirstSign))) < 0 ? Vector2(-k) : k;
  const Vector2 before = Vector2(rest.tangent.dot(last), rest.bitangent.dot(last)).normalized();
  const Vector2 nearer = before.dot(k) < 0 ? Vector2(-k) : k;
  const double sine = cross(before, nearer);
  // An angle of up to a right one is at most π/2 times its sine; most are so small, and need no function of angles.
  constexpr double bound = 0.5 * std::numbers::pi * (1 + 1e-9);
  if (bound * std::abs(sine) <= most || !(std::abs(std::atan2(sine, before.dot(nearer))) > most)) return nearer;
  const double cosine = std::cos(most);
  return cosine * before + std::copysign(std::sin(most), sine) * quarter_turn(before);
}

Crush::Fate Crush::crush(std::int32_t vertex, double intervals) {
  const std::size_t v = std::size_t(vertex);
  waves_.stretches[v] = 1;
  const double amplitude_before = std::exchange(waves_.amplitudes[v], 0.0);
  waves_.wave_vectors.row(vertex).setZero();
  const TangentFrame& rest = frames_[v];
  if (!rest.valid) return Fate::free;
  const TangentFrame& frame = deformations_[v].frame;
  if (!frame.valid) return Fate::flattened;

  const Matrix2& own_map = deformations_[v].map;
  const Matrix2 m = params_.smoothing > 0 ? stretch_of(losses_[v].mean, losses_[v].along, losses_[v].across) : own_map;
  const Vector3 paint = paint_.row(vertex).transpose();
  const Vector2 q(rest.tangent.dot(paint), rest.bitangent.dot(paint));
  const Stretches biased = stretches_of(q.isZero(0) ? m : m - (m * q) * q.transpose());
  const bool first = waves_.directions.row(vertex).isZero(0);
  const double highest = 0.25 * waves_.wavelengths[v] * shares_[v];
  const double most = amplitude_before > 0 ? params_.turn * intervals * highest / amplitude_before
                                           : std::numeric_limits<double>::infinity();
  const Vector2 k = turned(vertex, rest, biased.along_smallest(), most);
  bool bounded = false;
  const Vector2 wave_vector = carry(own_map, stretches_of(own_map), k, params_.min_stretch, bounded);

  const double r = biased.smallest;
  waves_.stretches[v] = r;
  // 1 − |Mk|², by how far k is from the direction of r: what the wave is to take up if it lags behind.
  const double aside = biased.along_largest.dot(k);
  const double lost = (1 - r) * (1 + r) - (biased.largest - r) * (biased.largest + r) * aside * aside;
  // Of what the cloth itself has lost, the share below the threshold; painted wrinkles have none.
  const double own = q.isZero(0) ? lost : 1 - (m * k).squaredNorm();
  const double free = std::clamp(own, 0.0, 1 - 1 / (params_.threshold * params_.threshold));
  if (lost - free > kRounding) waves_.amplitudes[v] = highest * std::sqrt((lost - free) / (1 - free));
  if (!first)
    waves_.amplitudes[v] = std::min(waves_.amplitudes[v], amplitude_before + params_.growth * intervals * highest);
  waves_.amplitudes[v] = std::min(waves_.amplitudes[v], params_.bend * deformations_[v].radius);
  waves_.directions.row(vertex) = (k.x() * rest.tangent + k.y() * rest.bitangent).transpose();
  waves_.wave_vectors.row(vertex) = (wave_vector.x() * frame.tangent + wave_vector.y() * frame.bitangent).transpose();
  return bounded ? Fate::bounded : Fate::free;
}

}  // namespace pucker::waves
