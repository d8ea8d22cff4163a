/// The nearest place of a mesh that moves: a hierarchy of boxes, built once and refitted in every frame.
#pragma once

#include <Eigen/Geometry>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "pucker/types.h"

namespace pucker {

/// Barycentric coordinates of the point of a triangle that is nearest to `point` (Ericson 2005, section 5.1.5); exact
/// zeros on edges and at corners.
Vector3 nearest_on_triangle(const Vector3& point, const Vector3& a, const Vector3& b, const Vector3& c);

/// The point of a triangle that is nearest to another one.
struct NearestPoint {
  std::int32_t triangle = -1;  ///< row of the tree's triangles; -1: none within the distance
  Vector3 barycentrics = Vector3::Zero();
  Vector3 place = Vector3::Zero();
  double square = std::numeric_limits<double>::infinity();  ///< of the distance
};

/// A triangle that a ray meets.
struct RayHit {
  double distance = 0;
  std::int32_t triangle = -1;  ///< row of the tree's triangles
  double cosine = 0;           ///< between the ray and its normal, above 0 where it is met from behind
};

/// A node of a TriangleTree for those that go through it without a stack: nodes stand in the order in which all of them
/// are visited, the first child of a node behind it.
struct TreeVisit {
  std::int32_t first = 0;  ///< of its triangles in TriangleTree::order …
  std::int32_t end = 0;    ///< … and behind the last one; the same where it has children
  std::int32_t next = 0;   ///< node that comes after it and all below it
};

/// Built by halving at the median of the longest side, down to a few triangles; questions take logarithmic time where
/// triangles are of about one size. The same input gives the same bits.
class TriangleTree {
 public:
  TriangleTree() = default;
  /// Triangles (m, 3) of vertices `positions` (n, 3). Throws InvalidArgument for a triangle out of range.
  TriangleTree(Index3 triangles, const ConstArray3& positions);

  const Index3& triangles() const { return triangles_; }
  /// (n, 3) that it was taken to last.
  const Array3& positions() const { return positions_; }
  /// (m,) numbers of triangles, those of a node next to each other.
  const std::vector<std::int32_t>& order() const { return order_; }
  /// The nodes in the order of visits; those of at most `leaf` triangles are not divided.
  std::vector<TreeVisit> visits(std::int32_t leaf) const;
  /// Takes the boxes to other positions (n, 3). Does not allocate. Throws InvalidArgument for another shape.
  void refit(const ConstArray3& positions);
  /// The nearest of all triangles that is no farther than `within`. `guess`: a triangle that may be near, such as the
  /// one that was nearest before; what is found does not depend on it, but is found sooner.
  NearestPoint nearest(const Vector3& point, double within, std::int32_t guess = -1) const;
  /// Takes a triangle for `best` if it is nearer to `point`.
  void look(std::int32_t triangle, const Vector3& point, NearestPoint& best) const;
  /// Corner 0, 1 or 2 of a triangle.
  Vector3 corner(std::int32_t triangle, int k) const { return positions_.row(triangles_(triangle, k)); }
  /// Fills the front of `out` with all triangles within `radius` of `point`, and some that are little farther. Returns
  /// how many, one more than fit where there are too many.
  std::size_t around(const Vector3& point, double radius, std::span<std::int32_t> out) const;
  /// Distance from `origin` along the unit vector `ray` to the nearest triangle, of either side, that it meets beyond
  /// `from`; infinite where there is none.
  double first_hit(const Vector3& origin, const Vector3& ray, double from) const;
  /// Whether there is such a triangle.
  bool meets_any(const Vector3& origin, const Vector3& ray, double from) const;
  /// Fills `out` with all triangles that a ray from `origin` along the unit vector `ray` meets beyond `from` and up to
  /// `to`, in no particular order; two that share an edge or corner may both be met there.
  void hits(const Vector3& origin, const Vector3& ray, double from, double to, std::vector<RayHit>& out) const;
  /// The nearest triangle that a ray from `origin` along the unit vector `ray` meets from its front no farther than
  /// `to`; a triangle of -1 where there is none.
  RayHit first_entered(const Vector3& origin, const Vector3& ray, double to) const;
  /// Whether a ray from `origin` along the unit vector `ray` leaves through the back of a triangle beyond `from`.
  bool leaves(const Vector3& origin, const Vector3& ray, double from) const;

 private:
  struct Node {
    Eigen::AlignedBox3d box;
    std::int32_t first = 0;  ///< of the triangles of a leaf in order_, or its left child; the right one follows
    std::int32_t count = 0;  ///< of a leaf; 0: not one
  };
  /// Boxes of a node's two children, side by side so that both are looked at at once.
  struct Pair {
    std::array<Eigen::Array2d, 3> low, high;
  };
  /// Of the distances of a point from the boxes of both children.
  Eigen::Array2d squares_to_children(std::int32_t node, const Vector3& point) const;
  /// Calls `met(triangle, distance)` for what a ray meets beyond `from` and no farther than `to()`, which may shrink.
  template <class To, class Met>
  void follow(const Vector3& origin, const Vector3& ray, double from, const To& to, const Met& met) const;
  /// Between a unit ray and the normal of a triangle.
  double cosine(std::int32_t triangle, const Vector3& ray) const;
  void visit(std::int32_t node, std::int32_t leaf, std::vector<TreeVisit>& out) const;

  Index3 triangles_;
  std::vector<std::int32_t> order_;
  std::vector<Node> nodes_;  ///< children behind their parent
  std::vector<Pair> pairs_;  ///< (nodes,) of those that have children
  Array3 positions_;
  double largest_ = 0;  ///< of their coordinates
};

}  // namespace pucker
