/// Wrinkles painted on a garment in its rest pose (Loviscach 2006, section 7).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pucker/mesh/topology.h"
#include "pucker/named_arrays.h"
#include "pucker/types.h"
#include "pucker/waves/crush.h"

namespace pucker::waves {

/// Where a brush touches the cloth, and how.
struct Dab {
  std::int32_t triangle = 0;
  Vector3 barycentric{1.0 / 3, 1.0 / 3, 1.0 / 3};  ///< the point in the triangle
  double radius = 0;                               ///< in the unit of the rest pose, above 0
  double strength = 0;                             ///< in [0, 1), of erase() in [0, 1]
};

/// A vector p a vertex, across its wrinkle in the rest pose's tangent plane and shorter than 1, zero at first.
/// Crush::set_paint says what waves make of it: those of cloth that was shortened along p before.
class Painting {
 public:
  /// `rest`: (n, 3), the pose without wrinkles. Throws InvalidArgument for one of another shape or that is not finite.
  Painting(std::shared_ptr<const Mesh> mesh, const ConstArray3& rest);
  /// Reads a painting of the arrays that arrays() gives. Throws Error, naming the file, for one that is none, and
  /// InvalidArgument for one of another mesh or rest pose, saying what differs: a pose is another if a vertex is
  /// farther away than by 1e-5 of its extent.
  static Painting read(const std::string& path, std::shared_ptr<const Mesh> mesh, const ConstArray3& rest,
                       const ReadArrays& read);

  const std::shared_ptr<const Mesh>& mesh() const { return mesh_; }
  const Array3& rest() const { return rest_; }
  /// p of each vertex, (n, 3).
  const Array3& vectors() const { return vectors_; }
  /// What a file keeps: format, faces, rest and vectors.
  NamedArrays arrays() const;

  /// What is painted until the end() of the first begin() is undone together, as a drag of the mouse is.
  void begin();
  /// Throws InvalidArgument without a begin().
  void end();

  /// Blends wrinkles across `direction`, (3,) in the rest pose, in around a point.
  ///
  /// A vertex takes them up by its share w = (1 − (d/radius)²)², d its distance from the point in the rest pose, if
  /// edges lead to it over vertices that are within the radius: p becomes (1 − w) p ± w strength t, t the direction in
  /// its tangent plane, of the sign that is nearer to p, as wrinkles across t and −t are the same. No vector gets
  /// longer than `strength` or than it was.
  ///
  /// Throws InvalidArgument for a triangle out of range, a point outside of it, a direction that is not finite or zero,
  /// a radius that is not finite and positive, and a strength outside of [0, 1); nothing has changed then.
  void stroke(const Dab& dab, const Vector3& direction);
  /// Shortens vectors around a point to the share 1 − w strength, w as of stroke(); throws what that does.
  void erase(const Dab& dab);
  /// Paints everything anew at random: directions and lengths of a normal distribution, keyed by the seed and the
  /// number of the vertex, each `smoothing` times the mean of itself and its neighbours; `strength` is the length of
  /// the longest. Throws InvalidArgument for a strength outside of [0, 1) and a smoothing below 0.
  void random(std::uint64_t seed, double strength = 0.5, std::int32_t smoothing = 4);
  /// Erases everything.
  void clear();
  /// Takes the last change back, between begin() and end() all of it so far; says whether there was one.
  bool undo();

  /// A direction (3,) seen in a frame with `positions` (n, 3), as it lies in the rest pose: the part of it in the
  /// triangle moves with the cloth. Throws InvalidArgument for a triangle out of range and positions of another shape.
  Vector3 carried(std::int32_t triangle, const ConstArray3& positions, const Vector3& direction) const;

 private:
  /// Vertices with their vectors before a change.
  struct Change {
    std::vector<std::int32_t> vertices;
    std::vector<Vector3> before;
  };
  /// A vertex with the share by which it takes up what is painted.
  struct Share {
    std::int32_t vertex;
    double share;
  };
  void require_triangle(std::int32_t triangle) const;
  std::vector<Share> shares(const Dab& dab) const;
  /// Makes one change of what `paint` does to the vectors.
  template <class Paint>
  void change(const Paint& paint);

  std::shared_ptr<const Mesh> mesh_;
  Array3 rest_;
  Array3 normals_;
  Neighbours neighbours_;
  Array3 vectors_;
  Array3 before_;  ///< of the change that is under way
  std::int32_t open_ = 0;
  std::vector<Change> past_;
};

}  // namespace pucker::waves
