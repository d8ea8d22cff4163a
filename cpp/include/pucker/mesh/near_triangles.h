/// The nearest triangles to points that are neighbours, looked for at all of them at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "pucker/mesh/triangle_tree.h"
#include "pucker/types.h"

namespace pucker {

/// Numbers of points (n, 3) in an order in which each `size` of them, from the first on, are near each other: halves at
/// the median of the longest side, of halves.
std::vector<std::int32_t> order_in_groups(const ConstArray3& points, std::size_t size);

/// Triangles of a tree in single precision, from which distances of a few points are worked out at once. Only those
/// that may be nearest, by what such distances are rounded by, are then looked at one by one, in double. So what is
/// found is what TriangleTree::nearest finds, sooner where points have most of the triangles near them in common.
class NearTriangles {
 public:
  /// Points that are asked for together, at most.
  static constexpr std::size_t kPoints = 8;
  class Points;

  /// What is around a few points.
  struct List {
    static constexpr std::size_t kMost = 96;
    Vector3 middle = Vector3::Zero();
    double radius = -1;  ///< all triangles within it are there; below 0: none are known
    std::size_t count = 0;
    std::array<std::int32_t, kMost> triangles;

    void clear() { radius = -1, count = 0; }
  };

  /// Takes the triangles to where the tree has them. Allocates the first time.
  void refit(const TriangleTree& tree);

 private:
  struct Side {
    std::array<float, 3> corner;
    std::array<float, 3> along;  ///< to the next corner
    std::array<float, 3> share;  ///< product with a point's way from the corner: which share of `along` it is
    std::array<float, 3> out;    ///< of the triangle, in its plane; 0 where it has none
  };
  struct Facet {
    std::array<Side, 3> sides;
    std::array<float, 3> normal;  ///< unit, or 0
  };
  using Lanes = std::array<float, kPoints>;
  /// Squares of the distances of points from a triangle, and how far they are in front of its plane.
  static void measure(const Facet& facet, const std::array<Lanes, 3>& points, Lanes& squares, Lanes& above);

  std::vector<Facet> facets_;         ///< from `middle_`, in `unit_`
  Vector3 middle_ = Vector3::Zero();  ///< of all corners
  double unit_ = 1;                   ///< a power of two, above the farthest coordinate of a corner from there
};

/// A question: first points, then triangles, then what is nearest. Nothing is allocated.
class NearTriangles::Points {
 public:
  /// Refers to both; `facets` are those of the tree as it is.
  Points(const NearTriangles& facets, const TriangleTree& tree) : facets_(facets), tree_(tree) {}

  std::size_t size() const { return size_; }
  /// Adds a point. Triangles farther from it than `within` do not count. `guess`: see TriangleTree::nearest.
  void add(const Vector3& point, double within, std::int32_t guess = -1);
  /// Looks at all triangles that may be nearest to a point, and at others up to `more` farther, and lists them. Where
  /// there are too many, the list is empty.
  void look_around(double more, List& list);
  /// Looks at those of a list.
  void look(const List& list);
  /// Whether a point is farther than `distance` from all triangles of the list, in which is what is nearest to it, and
  /// in front of those that may be that.
  bool in_front(std::size_t point, double distance, const List& list) const;
  /// TriangleTree::nearest to a point, which is asked where the list, which was looked at, does not tell.
  NearestPoint nearest(std::size_t point, const List& list) const;

 private:
  /// Whether what is within `distance` of a point is in a list.
  bool covers(const List& list, std::size_t point, double distance) const;
  void look(std::int32_t triangle, Lanes& squares, Lanes& above);
  /// How far those triangles are at most that may be nearest to a point, by those that were looked at.
  double at_most(std::size_t point) const;
  /// By which a distance in single precision may be wrong.
  double rounding() const;
  /// Up to which the square of a distance in single precision may be that of the nearest triangle.
  float bound(std::size_t point) const;
  double unit() const { return facets_.unit_; }

  const NearTriangles& facets_;
  const TriangleTree& tree_;
  double farthest_ = 1;  ///< coordinate of a corner or point, in the unit
  std::size_t size_ = 0;
  std::array<Vector3, kPoints> points_;
  std::array<double, kPoints> within_;
  std::array<std::int32_t, kPoints> guesses_;
  std::array<Lanes, 3> relative_{};
  Lanes least_{};                                   ///< of the squares
  std::array<Lanes, List::kMost> squares_, above_;  ///< of the triangles of a list
};

}  // namespace pucker
