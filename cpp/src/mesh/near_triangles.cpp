#include "pucker/mesh/near_triangles.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "pucker/target_clones.h"
#include "pucker/threads.h"

namespace pucker {

namespace {

/// By how much a distance in single precision may be wrong, as a share of the farthest coordinate.
constexpr double kRounded = 2e-6;
/// Triangles that a thread takes at a time.
constexpr std::size_t kTaken = 512;

std::array<float, 3> single(const Vector3& x) { return {float(x[0]), float(x[1]), float(x[2])}; }

inline float larger(float a, float b) { return a > b ? a : b; }
inline float smaller(float a, float b) { return a < b ? a : b; }
inline float product(const std::array<float, 3>& a, float x, float y, float z) {
  return a[0] * x + a[1] * y + a[2] * z;
}

/// Of a point and a side.
struct Apart {
  float square;  ///< of the distance
  float beyond;  ///< above 0: outside of the side, in the triangle's plane
  float above;   ///< in front of the plane
};

template <class Side>
inline Apart apart(const Side& side, const std::array<float, 3>& normal, float px, float py, float pz) {
  const float x = px - side.corner[0];
  const float y = py - side.corner[1];
  const float z = pz - side.corner[2];
  const float share = smaller(larger(product(side.share, x, y, z), 0.0F), 1.0F);
  const float to_x = x - share * side.along[0];
  const float to_y = y - share * side.along[1];
  const float to_z = z - share * side.along[2];
  return {to_x * to_x + to_y * to_y + to_z * to_z, product(side.out, x, y, z), product(normal, x, y, z)};
}

}  // namespace

std::vector<std::int32_t> order_in_groups(const ConstArray3& points, std::size_t size) {
  std::vector<std::int32_t> out(std::size_t(points.rows()));
  std::iota(out.begin(), out.end(), 0);
  // Parts that are left to be halved, from where to where.
  std::vector<std::pair<std::size_t, std::size_t>> parts = {{0, out.size()}};
  while (!parts.empty()) {
    const auto [begin, end] = parts.back();
    parts.pop_back();
    if (end - begin <= size) continue;
    Eigen::AlignedBox3d box;
    for (std::size_t k = begin; k < end; ++k) box.extend(points.row(out[k]).transpose());
    Eigen::Index axis = 0;
    box.sizes().maxCoeff(&axis);
    // Whole groups come first, so that only the last one of all may have fewer.
    const std::size_t groups = (end - begin + size - 1) / size;
    const std::size_t half = begin + (groups + 1) / 2 * size;
    const auto at = [&](std::size_t k) { return out.begin() + std::ptrdiff_t(k); };
    // Of equals the number decides, so that the order does not depend on the library.
    std::nth_element(at(begin), at(half), at(end), [&points, axis](std::int32_t a, std::int32_t b) {
      return std::pair(points(a, axis), a) < std::pair(points(b, axis), b);
    });
    parts.emplace_back(begin, half);
    parts.emplace_back(half, end);
  }
  return out;
}

void NearTriangles::refit(const TriangleTree& tree) {
  const Array3& positions = tree.positions();
  const Index3& triangles = tree.triangles();
  if (positions.rows() > 0) {
    middle_ = (positions.colwise().minCoeff() + positions.colwise().maxCoeff()).transpose() / 2;
    int exponent = 0;
    std::frexp((positions.rowwise() - middle_.transpose()).cwiseAbs().maxCoeff(), &exponent);
    unit_ = std::ldexp(1.0, exponent);
  }
  facets_.resize(std::size_t(triangles.rows()));
  parallel_blocks(facets_.size(), kTaken, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      std::array<Vector3, 3> corners;
      for (int k = 0; k < 3; ++k) corners[std::size_t(k)] = (tree.corner(std::int32_t(t), k) - middle_) / unit_;
      const Vector3 normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).stableNormalized();
      Facet& facet = facets_[t];
      facet.normal = single(normal);
      for (std::size_t k = 0; k < 3; ++k) {
        const Vector3 along = corners[(k + 1) % 3] - corners[k];
        const double square = along.squaredNorm();
        const Vector3 share = square > 0 ? Vector3(along / square) : Vector3(Vector3::Zero());
        facet.sides[k] = {single(corners[k]), single(along), single(share), single(along.cross(normal))};
      }
    }
  });
}

PUCKER_TARGET_CLONES void NearTriangles::measure(const Facet& facet, const std::array<Lanes, 3>& points, Lanes& squares,
                                                 Lanes& above) {
  for (std::size_t k = 0; k < kPoints; ++k) {
    const float x = points[0][k];
    const float y = points[1][k];
    const float z = points[2][k];
    const Apart a = apart(facet.sides[0], facet.normal, x, y, z);
    const Apart b = apart(facet.sides[1], facet.normal, x, y, z);
    const Apart c = apart(facet.sides[2], facet.normal, x, y, z);
    const float beyond = larger(larger(a.beyond, b.beyond), c.beyond);
    const float outside = smaller(smaller(a.square, b.square), c.square);
    squares[k] = beyond < 0 ? a.above * a.above : outside;
    above[k] = a.above;
  }
}

void NearTriangles::Points::add(const Vector3& point, double within, std::int32_t guess) {
  const Vector3 from = (point - facets_.middle_) / unit();
  farthest_ = std::max(farthest_, from.cwiseAbs().maxCoeff());
  for (std::size_t axis = 0; axis < 3; ++axis) relative_[axis][size_] = float(from[Eigen::Index(axis)]);
  points_[size_] = point;
  within_[size_] = within;
  guesses_[size_] = guess;
  least_[size_++] = std::numeric_limits<float>::infinity();
}

void NearTriangles::Points::look(std::int32_t triangle, Lanes& squares, Lanes& above) {
  measure(facets_.facets_[std::size_t(triangle)], relative_, squares, above);
  for (std::size_t k = 0; k < kPoints; ++k) least_[k] = smaller(squares[k], least_[k]);
}

void NearTriangles::Points::look_around(double more, List& list) {
  Eigen::AlignedBox3d box;
  std::int32_t last = -1;
  for (std::size_t k = 0; k < size_; ++k) {
    box.extend(points_[k]);
    // What is near by a guess bounds what is looked for. Neighbours often have the same one.
    Lanes squares;
    Lanes above;
    if (guesses_[k] >= 0 && std::exchange(last, guesses_[k]) != guesses_[k]) look(guesses_[k], squares, above);
  }
  list.middle = box.center();
  list.radius = 0;
  for (std::size_t k = 0; k < size_; ++k)
    list.radius = std::max(list.radius, (points_[k] - list.middle).norm() + at_most(k));
  list.radius += more;
  list.count = tree_.around(list.middle, list.radius, list.triangles);
  if (list.count > List::kMost) list.clear();
  look(list);
}

void NearTriangles::Points::look(const List& list) {
  for (std::size_t k = 0; k < list.count; ++k) look(list.triangles[k], squares_[k], above_[k]);
}

double NearTriangles::Points::rounding() const { return kRounded * farthest_ * unit(); }

float NearTriangles::Points::bound(std::size_t point) const {
  const double most = std::sqrt(double(least_[point])) + 2 * kRounded * farthest_;
  return float(most * most);
}

double NearTriangles::Points::at_most(std::size_t point) const {
  return std::min(unit() * std::sqrt(double(least_[point])) + 2 * rounding(), within_[point]);
}

bool NearTriangles::Points::covers(const List& list, std::size_t point, double distance) const {
  return (points_[point] - list.middle).norm() + distance <= list.radius;
}

bool NearTriangles::Points::in_front(std::size_t point, double distance, const List& list) const {
  if (!covers(list, point, at_most(point))) return false;
  if (!(unit() * std::sqrt(double(least_[point])) - rounding() > distance)) return false;
  const float most = bound(point);
  const auto in_its_plane = float(kRounded * farthest_);
  for (std::size_t k = 0; k < list.count; ++k)
    if (squares_[k][point] <= most && !(above_[k][point] > in_its_plane)) return false;
  return true;
}

NearestPoint NearTriangles::Points::nearest(std::size_t point, const List& list) const {
  const double within = within_[point];
  if (!covers(list, point, at_most(point))) return tree_.nearest(points_[point], within, guesses_[point]);
  NearestPoint best;
  best.square = within * within;
  if (unit() * std::sqrt(double(least_[point])) - rounding() > within) return best;
  const float most = bound(point);
  for (std::size_t k = 0; k < list.count; ++k)
    if (squares_[k][point] <= most) tree_.look(list.triangles[k], points_[point], best);
  return best;
}

}  // namespace pucker
