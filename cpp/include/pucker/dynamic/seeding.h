/// Where wrinkle paths may start (Gillette 2015, section 5.1; trains: Jobard and Lefer 1997).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "pucker/dynamic/field.h"
#include "pucker/dynamic/params.h"
#include "pucker/dynamic/wrinkle.h"
#include "pucker/mesh/walk.h"
#include "pucker/threads.h"

namespace pucker {

/// A point at which a path may start.
struct Seed {
  std::int32_t triangle;
  Vector3 barycentrics;
};

/// Finds the points at which paths are tried. Deterministic: they depend on (seed, triangle, attempt) only.
class Seeder {
 public:
  Seeder(std::shared_ptr<const Mesh> mesh, const Params& params);

  /// Calls `visit(seed)` for each point tried in a frame, until it returns false: random points of the triangles with
  /// compression above the threshold and a direction, the most compressed triangle first. `frame` enters the key only
  /// if `verbatim`.
  template <class Visitor>
  void visit(const CompressionField& field, std::int64_t frame, Visitor&& visit) {
    sort_triangles(field);
    for (const std::int32_t triangle : order_) {
      const int attempts = attempts_in(field, triangle);
      for (int attempt = 0; attempt < attempts; ++attempt)
        if (!visit(seed_at(triangle, attempt, frame))) return;
    }
  }

  /// The same without triangles none of whose points may be `kept(seed)`, which several threads ask beforehand.
  template <class Kept, class Visitor>
  void visit_kept(const CompressionField& field, std::int64_t frame, const Kept& kept, Visitor&& visit) {
    constexpr std::size_t taken = 256;
    sort_triangles(field);
    kept_.resize(order_.size());
    parallel_blocks(order_.size(), taken, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const int attempts = attempts_in(field, order_[i]);
        kept_[i] = 0;
        for (int attempt = 0; attempt < attempts && !kept_[i]; ++attempt)
          kept_[i] = kept(seed_at(order_[i], attempt, frame));
      }
    });
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const int attempts = kept_[i] ? attempts_in(field, order_[i]) : 0;
      for (int attempt = 0; attempt < attempts; ++attempt)
        if (!visit(seed_at(order_[i], attempt, frame))) return;
    }
  }

  /// Points to both sides of the path, across it, where the next wrinkles of a train have room: away from it by
  /// spacing(), at every flat width along it (the seeds of evenly spaced streamlines, Jobard and Lefer 1997). Those of
  /// them that a path may start at are appended to `out`, none from or to a triangle with an edge of more than 32 flat
  /// widths, which has exploded.
  void beside(const CompressionField& field, const Wrinkle& wrinkle, std::vector<Seed>& out) const;

  /// Distance that seeds keep from paths, in the clip's unit.
  double distance(const CompressionField& field, std::int32_t triangle) const {
    return field.width_at(triangle) * params_.tracing.seed_distance * params_.flat_width();
  }

  /// Distance between the wrinkles of a train in the triangle: tracing.seed_distance flat widths of cloth, as wide as
  /// they are when compressed. So many wrinkles side by side take up all that the cloth is too long.
  double spacing(const CompressionField& field, std::int32_t triangle) const;

  /// Whether the cloth half a wrinkle to both sides of the seed, as far as there is any, is compressed as well and
  /// within 45 degrees of the same direction.
  bool is_coherent(const CompressionField& field, const Seed& seed) const;

 private:
  /// Whether a path may start in the triangle.
  bool may_start(const CompressionField& field, std::int32_t triangle) const;
  /// Whether the triangle is small enough for rows.
  bool has_rows(const CompressionField& field, std::int32_t triangle) const;
  /// Fills `order_` with the triangles where a path may start, the most compressed first.
  void sort_triangles(const CompressionField& field);
  int attempts_in(const CompressionField& field, std::int32_t triangle) const;
  Seed seed_at(std::int32_t triangle, int attempt, std::int64_t frame) const;
  /// The point at `distance` straight on from `point` and the direction there; none if the cloth ends before.
  std::optional<SurfacePoint> straight_on(const CompressionField& field, SurfacePoint point, double distance) const;

  std::shared_ptr<const Mesh> mesh_;
  Params params_;
  std::vector<std::int32_t> order_;
  std::vector<std::uint8_t> kept_;  ///< of `order_`
};

}  // namespace pucker
