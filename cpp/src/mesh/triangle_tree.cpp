#include "pucker/mesh/triangle_tree.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "pucker/errors.h"

namespace pucker {

namespace {

constexpr std::int32_t kLeaf = 4;
/// Halving never goes deeper than a number of 32 bits counts, and one child of each node waits.
constexpr std::size_t kStack = 64;
/// By which a distance may be rounded, as a share of the largest coordinate.
constexpr double kSlack = 1e-12;

/// So that rays at an edge do not pass between its triangles.
constexpr double kMargin = 1e-9;

/// Whether a ray meets a box between `from` and `to` (slabs; a ray along a side has infinite reciprocals).
bool meets(const Eigen::AlignedBox3d& box, const Vector3& origin, const Vector3& reciprocal, double from,
           double to = std::numeric_limits<double>::infinity()) {
  double enter = from;
  double leave = to;
  for (int axis = 0; axis < 3; ++axis) {
    double low = (box.min()[axis] - origin[axis]) * reciprocal[axis];
    double high = (box.max()[axis] - origin[axis]) * reciprocal[axis];
    if (low > high) std::swap(low, high);
    // What is not a number, of a ray within the side itself, does not narrow.
    if (low > enter) enter = low;
    if (high < leave) leave = high;
  }
  return enter <= leave;
}

/// Distance along a unit ray to a triangle, infinite where it is missed (Möller and Trumbore 1997).
double distance_to(const Vector3& a, const Vector3& b, const Vector3& c, const Vector3& origin, const Vector3& ray) {
  constexpr double missed = std::numeric_limits<double>::infinity();
  const Vector3 along = b - a;
  const Vector3 across = c - a;
  const Vector3 p = ray.cross(across);
  const double det = along.dot(p);
  if (det == 0) return missed;
  const Vector3 from = origin - a;
  const double u = from.dot(p) / det;
  if (!(u >= -kMargin && u <= 1 + kMargin)) return missed;
  const Vector3 q = from.cross(along);
  const double v = ray.dot(q) / det;
  if (!(v >= -kMargin && u + v <= 1 + kMargin)) return missed;
  return across.dot(q) / det;
}

}  // namespace

Vector3 nearest_on_triangle(const Vector3& point, const Vector3& a, const Vector3& b, const Vector3& c) {
  const Vector3 ab = b - a;
  const Vector3 ac = c - a;
  const Vector3 ap = point - a;
  const double d1 = ab.dot(ap);
  const double d2 = ac.dot(ap);
  if (d1 <= 0 && d2 <= 0) return {1, 0, 0};
  const Vector3 bp = point - b;
  const double d3 = ab.dot(bp);
  const double d4 = ac.dot(bp);
  if (d3 >= 0 && d4 <= d3) return {0, 1, 0};
  const Vector3 cp = point - c;
  const double d5 = ab.dot(cp);
  const double d6 = ac.dot(cp);
  if (d6 >= 0 && d5 <= d6) return {0, 0, 1};
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) {
    const double share = d1 / (d1 - d3);
    return {1 - share, share, 0};
  }
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) {
    const double share = d2 / (d2 - d6);
    return {1 - share, 0, share};
  }
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    const double share = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    return {0, 1 - share, share};
  }
  const double sum = va + vb + vc;
  return {1 - vb / sum - vc / sum, vb / sum, vc / sum};
}

TriangleTree::TriangleTree(Index3 triangles, const ConstArray3& positions) : triangles_(std::move(triangles)) {
  const auto count = std::int32_t(triangles_.rows());
  for (std::int32_t t = 0; t < count; ++t)
    for (int k = 0; k < 3; ++k)
      require(triangles_(t, k) >= 0 && triangles_(t, k) < positions.rows(), "triangle ", t, " names vertex ",
              triangles_(t, k), " of ", positions.rows());
  order_.resize(std::size_t(count));
  std::iota(order_.begin(), order_.end(), 0);
  Array3 middles(count, 3);
  for (std::int32_t t = 0; t < count; ++t) {
    middles.row(t).setZero();
    for (int k = 0; k < 3; ++k) middles.row(t) += positions.row(triangles_(t, k)) / 3;
  }
  if (count > 0) nodes_.push_back({.box = {}, .first = 0, .count = count});
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    const Node whole = nodes_[node];
    if (whole.count <= kLeaf) continue;
    Eigen::AlignedBox3d box;
    const auto begin = order_.begin() + whole.first;
    for (auto t = begin; t != begin + whole.count; ++t) box.extend(middles.row(*t).transpose());
    Eigen::Index axis = 0;
    box.sizes().maxCoeff(&axis);
    const std::int32_t half = whole.count / 2;
    // Of equals the number decides, so that the order does not depend on the library.
    std::nth_element(begin, begin + half, begin + whole.count, [&](std::int32_t a, std::int32_t b) {
      return std::pair(middles(a, axis), a) < std::pair(middles(b, axis), b);
    });
    nodes_[node] = {.box = {}, .first = std::int32_t(nodes_.size()), .count = 0};
    nodes_.push_back({.box = {}, .first = whole.first, .count = half});
    nodes_.push_back({.box = {}, .first = whole.first + half, .count = whole.count - half});
  }
  pairs_.resize(nodes_.size());
  positions_.resize(positions.rows(), 3);
  refit(positions);
}

std::vector<TreeVisit> TriangleTree::visits(std::int32_t leaf) const {
  std::vector<TreeVisit> out;
  if (!nodes_.empty()) visit(0, leaf, out);
  return out;
}

void TriangleTree::visit(std::int32_t node, std::int32_t leaf, std::vector<TreeVisit>& out) const {
  std::int32_t left = node;
  while (nodes_[std::size_t(left)].count == 0) left = nodes_[std::size_t(left)].first;
  std::int32_t right = node;
  while (nodes_[std::size_t(right)].count == 0) right = nodes_[std::size_t(right)].first + 1;
  const std::int32_t first = nodes_[std::size_t(left)].first;
  const std::int32_t end = nodes_[std::size_t(right)].first + nodes_[std::size_t(right)].count;
  const std::size_t at = out.size();
  const bool whole = left == node || end - first <= leaf;
  out.push_back({.first = first, .end = whole ? end : first, .next = 0});
  if (!whole)
    for (std::int32_t child = 0; child < 2; ++child) visit(nodes_[std::size_t(node)].first + child, leaf, out);
  out[at].next = std::int32_t(out.size());
}

void TriangleTree::refit(const ConstArray3& positions) {
  require(positions.rows() == positions_.rows(), "positions must have ", positions_.rows(), " rows, got ",
          positions.rows());
  positions_ = positions;
  largest_ = positions.size() > 0 ? positions.cwiseAbs().maxCoeff() : 0;
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    Node& node = nodes_[i];
    node.box.setEmpty();
    if (node.count == 0) {
      for (std::size_t child = 0; child < 2; ++child) {
        const Eigen::AlignedBox3d& box = nodes_[std::size_t(node.first) + child].box;
        node.box.extend(box);
        for (std::size_t axis = 0; axis < 3; ++axis) {
          pairs_[i].low[axis][Eigen::Index(child)] = box.min()[Eigen::Index(axis)];
          pairs_[i].high[axis][Eigen::Index(child)] = box.max()[Eigen::Index(axis)];
        }
      }
      continue;
    }
    for (std::int32_t k = node.first; k < node.first + node.count; ++k)
      for (int corner = 0; corner < 3; ++corner)
        node.box.extend(positions_.row(triangles_(order_[std::size_t(k)], corner)).transpose());
  }
}

void TriangleTree::look(std::int32_t triangle, const Vector3& point, NearestPoint& best) const {
  const Vector3 a = corner(triangle, 0);
  const Vector3 b = corner(triangle, 1);
  const Vector3 c = corner(triangle, 2);
  const Vector3 shares = nearest_on_triangle(point, a, b, c);
  const Vector3 place = shares[0] * a + shares[1] * b + shares[2] * c;
  const double square = (place - point).squaredNorm();
  // Of equals the first, so that it does not matter in which order they are looked at.
  const bool first = best.triangle < 0 || triangle < best.triangle;
  if (square < best.square || (square == best.square && first)) best = {triangle, shares, place, square};
}

Eigen::Array2d TriangleTree::squares_to_children(std::int32_t node, const Vector3& point) const {
  const Pair& pair = pairs_[std::size_t(node)];
  Eigen::Array2d out = Eigen::Array2d::Zero();
  // Without a branch, as which side a point is on is not to be foreseen.
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double p = point[Eigen::Index(axis)];
    out += (pair.low[axis] - p).max(p - pair.high[axis]).max(0.0).square();
  }
  return out;
}

NearestPoint TriangleTree::nearest(const Vector3& point, double within, std::int32_t guess) const {
  NearestPoint best;
  best.square = within * within;
  if (guess >= 0) {
    NearestPoint there;
    look(guess, point, there);
    // More than what distances are rounded by, so that what is found does not depend on the guess.
    const double bound = std::sqrt(there.square) + kSlack * (largest_ + point.cwiseAbs().maxCoeff());
    best.square = std::min(best.square, bound * bound);
  }
  if (nodes_.empty() || nodes_[0].box.squaredExteriorDistance(point) > best.square) return best;
  struct Waiting {
    std::int32_t node;
    double square;  ///< of the distance to its box
  };
  std::array<Waiting, kStack> stack;
  std::size_t waiting = 0;
  stack[waiting++] = {0, 0};
  while (waiting > 0) {
    const auto [number, square] = stack[--waiting];
    if (square > best.square) continue;
    const Node& node = nodes_[std::size_t(number)];
    if (node.count == 0) {
      const Eigen::Array2d to = squares_to_children(number, point);
      // The nearer one on top; written whether it counts or not, as that is not to be foreseen either.
      const int near = to[0] <= to[1] ? 0 : 1;
      for (const int child : {1 - near, near}) {
        stack[waiting] = {node.first + child, to[child]};
        waiting += to[child] <= best.square ? 1 : 0;
      }
      continue;
    }
    for (std::int32_t k = node.first; k < node.first + node.count; ++k) look(order_[std::size_t(k)], point, best);
  }
  return best;
}

std::size_t TriangleTree::around(const Vector3& point, double radius, std::span<std::int32_t> out) const {
  const double wide = radius + kSlack * (largest_ + point.cwiseAbs().maxCoeff());
  const double square = wide * wide;
  if (nodes_.empty() || nodes_[0].box.squaredExteriorDistance(point) > square) return 0;
  std::size_t count = 0;
  std::array<std::int32_t, kStack> stack;
  std::size_t waiting = 0;
  stack[waiting++] = 0;
  while (waiting > 0) {
    const std::int32_t number = stack[--waiting];
    const Node& node = nodes_[std::size_t(number)];
    if (node.count == 0) {
      const Eigen::Array2d to = squares_to_children(number, point);
      for (const int child : {1, 0}) {
        stack[waiting] = node.first + child;
        waiting += to[child] <= square ? 1 : 0;
      }
      continue;
    }
    for (std::int32_t k = node.first; k < node.first + node.count; ++k) {
      const std::int32_t triangle = order_[std::size_t(k)];
      Eigen::AlignedBox3d box(corner(triangle, 0));
      box.extend(corner(triangle, 1)).extend(corner(triangle, 2));
      if (box.squaredExteriorDistance(point) > square) continue;
      if (count == out.size()) return count + 1;
      out[count++] = triangle;
    }
  }
  return count;
}

template <class To, class Met>
void TriangleTree::follow(const Vector3& origin, const Vector3& ray, double from, const To& to, const Met& met) const {
  if (nodes_.empty()) return;
  const Vector3 reciprocal = ray.cwiseInverse();
  // What a triangle reaches beyond its box, as rays at its edges meet it too.
  const double slack = 4 * kMargin * nodes_[0].box.sizes().maxCoeff();
  std::array<std::int32_t, kStack> stack;
  std::size_t waiting = 0;
  stack[waiting++] = 0;
  while (waiting > 0) {
    const Node& node = nodes_[std::size_t(stack[--waiting])];
    const Eigen::AlignedBox3d box(node.box.min().array() - slack, node.box.max().array() + slack);
    if (!meets(box, origin, reciprocal, from, to())) continue;
    if (node.count == 0) {
      stack[waiting++] = node.first + 1;
      stack[waiting++] = node.first;
      continue;
    }
    for (std::int32_t k = node.first; k < node.first + node.count; ++k) {
      const std::int32_t t = order_[std::size_t(k)];
      const double distance = distance_to(corner(t, 0), corner(t, 1), corner(t, 2), origin, ray);
      if (distance > from && distance <= to() && std::isfinite(distance)) met(t, distance);
    }
  }
}

double TriangleTree::first_hit(const Vector3& origin, const Vector3& ray, double from) const {
  double nearest = std::numeric_limits<double>::infinity();
  follow(
      origin, ray, from, [&] { return nearest; },
      [&](std::int32_t /*triangle*/, double distance) { nearest = distance; });
  return nearest;
}

bool TriangleTree::meets_any(const Vector3& origin, const Vector3& ray, double from) const {
  bool met = false;
  // Once something is met, nothing is near enough any more.
  constexpr double inf = std::numeric_limits<double>::infinity();
  follow(
      origin, ray, from, [&] { return met ? -inf : inf; },
      [&](std::int32_t /*triangle*/, double /*distance*/) { met = true; });
  return met;
}

void TriangleTree::hits(const Vector3& origin, const Vector3& ray, double from, double to,
                        std::vector<RayHit>& out) const {
  out.clear();
  follow(
      origin, ray, from, [&] { return to; },
      [&](std::int32_t triangle, double distance) {
        out.push_back({.distance = distance, .triangle = triangle, .cosine = cosine(triangle, ray)});
      });
}

double TriangleTree::cosine(std::int32_t triangle, const Vector3& ray) const {
  const Vector3 a = corner(triangle, 0);
  return ray.dot((corner(triangle, 1) - a).cross(corner(triangle, 2) - a).stableNormalized());
}

RayHit TriangleTree::first_entered(const Vector3& origin, const Vector3& ray, double to) const {
  RayHit first{.distance = to};
  follow(
      origin, ray, 0, [&] { return first.distance; },
      [&](std::int32_t triangle, double distance) {
        const double along = cosine(triangle, ray);
        if (along < 0) first = {.distance = distance, .triangle = triangle, .cosine = along};
      });
  return first;
}

bool TriangleTree::leaves(const Vector3& origin, const Vector3& ray, double from) const {
  if (nodes_.empty()) return false;
  const Vector3 reciprocal = ray.cwiseInverse();
  std::array<std::int32_t, kStack> stack;
  std::size_t waiting = 0;
  stack[waiting++] = 0;
  while (waiting > 0) {
    const Node& node = nodes_[std::size_t(stack[--waiting])];
    if (!meets(node.box, origin, reciprocal, from)) continue;
    if (node.count == 0) {
      stack[waiting++] = node.first + 1;
      stack[waiting++] = node.first;
      continue;
    }
    for (std::int32_t k = node.first; k < node.first + node.count; ++k) {
      const std::int32_t t = order_[std::size_t(k)];
      const Vector3 a = positions_.row(triangles_(t, 0));
      const Vector3 u = positions_.row(triangles_(t, 1)).transpose() - a;
      const Vector3 v = positions_.row(triangles_(t, 2)).transpose() - a;
      const Vector3 normal = u.cross(v);
      const double along = ray.dot(normal);
      if (!(along > 0)) continue;
      const double distance = (a - origin).dot(normal) / along;
      if (!(distance > from)) continue;
      const Vector3 r = origin + distance * ray - a;
      const double square = normal.squaredNorm();
      const double second = r.cross(v).dot(normal) / square;
      const double third = u.cross(r).dot(normal) / square;
      if (second >= -kMargin && third >= -kMargin && second + third <= 1 + kMargin) return true;
    }
  }
  return false;
}

}  // namespace pucker
