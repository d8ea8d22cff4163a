#include "pucker/waves/painting.h"

#include <Eigen/QR>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string_view>
#include <utility>

#include "pucker/errors.h"
#include "pucker/mesh/frames.h"
#include "random.h"

namespace pucker::waves {

namespace {

constexpr std::string_view kFormat = "pucker painting 1";
constexpr std::array<std::string_view, 4> kNames{"format", "faces", "rest", "vectors"};
/// A rest pose is the same if no vertex is farther away, as a share of its extent: as single precision leaves it.
constexpr double kSame = 1e-5;
/// So far below 1 that blending's rounding does not reach it.
constexpr double kLongest = 1 - 1e-12;
/// Where the direction points out of the cloth it says nothing.
constexpr double kLeastTangent = 1e-6;
constexpr double kInside = 1e-5;

NamedArray rows_of(const Array3& rows) {
  return {.shape = {rows.rows(), 3}, .values = {rows.data(), rows.data() + rows.size()}, .text = {}};
}

bool is_rows(const NamedArray& array) { return !array.is_text && array.shape.size() == 2 && array.shape[1] == 3; }

Array3 rows_from(const NamedArray& array) {
  return Eigen::Map<const Array3>(array.values.data(), Eigen::Index(array.shape[0]), 3);
}

/// Of a normal distribution (Box and Muller 1958).
double normal(std::uint64_t seed, std::uint64_t index) {
  const double length = std::sqrt(-2 * std::log(1 - uniform(seed, 2 * index)));
  return length * std::cos(2 * std::numbers::pi * uniform(seed, 2 * index + 1));
}

void require_strength(double strength) {
  require(strength >= 0 && strength < 1, "strength must lie in [0, 1), got ", strength);
}

}  // namespace

Painting::Painting(std::shared_ptr<const Mesh> mesh, const ConstArray3& rest)
    : mesh_(std::move(mesh)), rest_(rest), neighbours_(*mesh_), vectors_(Array3::Zero(rest.rows(), 3)) {
  require_positions(*mesh_, rest_);
  vertex_normals(*mesh_, rest_, normals_);
}

Painting Painting::read(const std::string& path, std::shared_ptr<const Mesh> mesh, const ConstArray3& rest,
                        const ReadArrays& read) {
  const auto fail = [&](const auto&... why) { throw Error(message(path, " is no painting: ", why...)); };
  NamedArrays found;
  try {
    found = read(path, kNames);
  } catch (const Error& error) {
    fail(error.what());
  }
  for (const std::string_view name : kNames)
    if (!found.contains(name)) fail("it has no ", name);
  const auto of = [&](std::string_view name) -> const NamedArray& { return found.find(name)->second; };
  if (of("format").text != kFormat) fail("its format is '", of("format").text, "'");
  for (const std::string_view name : {"faces", "rest", "vectors"})
    if (!is_rows(of(name))) fail("its ", name, " are no rows of three");
  if (of("vectors").shape != of("rest").shape)
    fail("it has ", of("vectors").shape[0], " vectors and a rest pose of ", of("rest").shape[0]);

  Painting out(std::move(mesh), rest);
  const Index3& faces = out.mesh_->faces();
  const std::vector<double>& painted = of("faces").values;
  const Array3 pose = rows_from(of("rest"));
  require(pose.rows() == out.rest_.rows() &&
              std::equal(painted.begin(), painted.end(), faces.data(), faces.data() + faces.size()),
          path, " was painted on another mesh, of ", pose.rows(), " vertices and ", of("faces").shape[0],
          " triangles, not of ", out.rest_.rows(), " and ", faces.rows(), " that are connected so");
  const double extent =
      pose.rows() > 0 ? (out.rest_.colwise().maxCoeff() - out.rest_.colwise().minCoeff()).maxCoeff() : 0;
  const Array3 vectors = rows_from(of("vectors"));
  for (Eigen::Index v = 0; v < pose.rows(); ++v) {
    const double apart = (pose.row(v) - out.rest_.row(v)).norm();
    require(apart <= kSame * extent, path, " was painted on another rest pose: vertex ", v, " is ", apart,
            " away from there");
    const double length = vectors.row(v).norm();
    if (!(length < 1)) fail("the vector of vertex ", v, " is ", length, " long, not below 1");
  }
  out.vectors_ = vectors;
  return out;
}

NamedArrays Painting::arrays() const {
  const Index3& faces = mesh_->faces();
  NamedArrays out;
  out["format"] = {.shape = {}, .values = {}, .text = std::string(kFormat), .is_text = true};
  out["faces"] = {
      .shape = {faces.rows(), 3}, .values = {faces.data(), faces.data() + faces.size()}, .text = {}, .is_whole = true};
  out["rest"] = rows_of(rest_);
  out["vectors"] = rows_of(vectors_);
  return out;
}

void Painting::begin() {
  if (open_++ == 0) before_ = vectors_;
}

void Painting::end() {
  require(open_ > 0, "a change of a painting ends that has not begun");
  if (--open_ > 0) return;
  Change change;
  for (Eigen::Index v = 0; v < vectors_.rows(); ++v)
    if (vectors_.row(v) != before_.row(v)) {
      change.vertices.push_back(std::int32_t(v));
      change.before.emplace_back(before_.row(v).transpose());
    }
  // What changed nothing is not worth a step back.
  if (!change.vertices.empty()) past_.push_back(std::move(change));
}

template <class Paint>
void Painting::change(const Paint& paint) {
  begin();
  paint();
  end();
}

void Painting::require_triangle(std::int32_t triangle) const {
  require(triangle >= 0 && triangle < mesh_->triangle_count(), "triangle must lie in [0, ", mesh_->triangle_count(),
          "), got ", triangle);
}

std::vector<Painting::Share> Painting::shares(const Dab& dab) const {
  require_triangle(dab.triangle);
  require(dab.barycentric.minCoeff() >= -kInside && std::abs(dab.barycentric.sum() - 1) <= kInside,
          "barycentric must be at least 0 and 1 in sum, got (", dab.barycentric.x(), ", ", dab.barycentric.y(), ", ",
          dab.barycentric.z(), ")");
  require(std::isfinite(dab.radius) && dab.radius > 0, "radius must be finite and above 0, got ", dab.radius);
  const auto corners = mesh_->faces().row(dab.triangle);
  Eigen::RowVector3d point = Eigen::RowVector3d::Zero();
  for (int k = 0; k < 3; ++k) point += dab.barycentric[k] * rest_.row(corners[k]);

  std::vector<Share> out;
  std::vector<std::uint8_t> met(std::size_t(rest_.rows()), 0);
  const auto meet = [&](std::int32_t vertex) {
    if (std::exchange(met[std::size_t(vertex)], 1) != 0) return;
    const double far = (rest_.row(vertex) - point).norm() / dab.radius;
    const double left = 1 - far * far;
    if (far < 1) out.push_back({vertex, left * left});
  };
  for (int k = 0; k < 3; ++k) meet(corners[k]);
  for (std::size_t k = 0; k < out.size(); ++k)
    for (const std::int32_t neighbour : neighbours_.of(out[k].vertex)) meet(neighbour);
  return out;
}

void Painting::stroke(const Dab& dab, const Vector3& direction) {
  const double length = direction.norm();
  require(std::isfinite(length) && length > 0, "direction must be finite and not zero, got (", direction.x(), ", ",
          direction.y(), ", ", direction.z(), ")");
  require_strength(dab.strength);
  const std::vector<Share> reached = shares(dab);
  const Vector3 along = direction / length;
  const double strength = std::min(dab.strength, kLongest);
  change([&] {
    for (const auto& [vertex, share] : reached) {
      const Vector3 normal = normals_.row(vertex).transpose();
      Vector3 tangent = along - normal.dot(along) * normal;
      const double left = tangent.norm();
      if (left <= kLeastTangent) continue;
      tangent *= strength / left;
      auto vector = vectors_.row(vertex);
      if (vector.dot(tangent) < 0) tangent = -tangent;
      vector = (1 - share) * vector + share * tangent.transpose();
    }
  });
}

void Painting::erase(const Dab& dab) {
  require(dab.strength >= 0 && dab.strength <= 1, "strength must lie in [0, 1], got ", dab.strength);
  const std::vector<Share> reached = shares(dab);
  change([&] {
    for (const auto& [vertex, share] : reached) vectors_.row(vertex) *= 1 - dab.strength * share;
  });
}

void Painting::random(std::uint64_t seed, double strength, std::int32_t smoothing) {
  require_strength(strength);
  require(smoothing >= 0, "smoothing must be at least 0, got ", smoothing);
  Array3 drawn(rest_.rows(), 3);
  for (Eigen::Index k = 0; k < drawn.size(); ++k) drawn.data()[k] = normal(seed, std::uint64_t(k));
  for (std::int32_t k = 0; k < smoothing; ++k) {
    Array3 smoothed = drawn;
    for (std::int32_t v = 0; v < drawn.rows(); ++v) {
      for (const std::int32_t neighbour : neighbours_.of(v)) smoothed.row(v) += drawn.row(neighbour);
      smoothed.row(v) /= double(1 + neighbours_.of(v).size());
    }
    drawn = std::move(smoothed);
  }
  double longest = 0;
  for (Eigen::Index v = 0; v < drawn.rows(); ++v) {
    drawn.row(v) -= drawn.row(v).dot(normals_.row(v)) * normals_.row(v);
    longest = std::max(longest, drawn.row(v).norm());
  }
  change([&] { vectors_ = longest > 0 ? Array3(std::min(strength, kLongest) / longest * drawn) : drawn; });
}

void Painting::clear() {
  change([&] { vectors_.setZero(); });
}

bool Painting::undo() {
  if (open_ > 0) {
    const bool changed = vectors_ != before_;
    vectors_ = before_;
    return changed;
  }
  if (past_.empty()) return false;
  const Change& last = past_.back();
  for (std::size_t k = 0; k < last.vertices.size(); ++k) vectors_.row(last.vertices[k]) = last.before[k].transpose();
  past_.pop_back();
  return true;
}

Vector3 Painting::carried(std::int32_t triangle, const ConstArray3& positions, const Vector3& direction) const {
  require_triangle(triangle);
  require_positions(*mesh_, positions);
  const auto corners = mesh_->faces().row(triangle);
  Eigen::Matrix<double, 3, 2> seen;
  Eigen::Matrix<double, 3, 2> rest;
  for (int k = 0; k < 2; ++k) {
    seen.col(k) = (positions.row(corners[k + 1]) - positions.row(corners[0])).transpose();
    rest.col(k) = (rest_.row(corners[k + 1]) - rest_.row(corners[0])).transpose();
  }
  return rest * seen.completeOrthogonalDecomposition().solve(direction);
}

}  // namespace pucker::waves
