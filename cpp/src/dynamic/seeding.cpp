#include "pucker/dynamic/seeding.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "pucker/dynamic/path.h"

namespace pucker {

namespace {

/// Finaliser of SplitMix64 (Steele, Lea & Flood 2014): every bit of the result depends on every bit of `x`.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

/// Longest edge of a triangle that rows go on in, in flat widths: of the default width that is how high the character
/// is, so a longer one has exploded, and would have room for any number.
constexpr double kLongestEdge = 32;

/// Uniform in [0, 1), a function of its key alone.
double uniform(std::uint64_t key, std::uint64_t counter) { return double(mix(mix(key) ^ counter) >> 11) * 0x1p-53; }

}  // namespace

Seeder::Seeder(std::shared_ptr<const Mesh> mesh, const Params& params) : mesh_(std::move(mesh)), params_(params) {
  params_.validate();
}

bool Seeder::may_start(const CompressionField& field, std::int32_t triangle) const {
  return field.compressed(triangle, params_.threshold) &&
         field.compression[std::size_t(triangle)] > params_.threshold &&
         field.has_direction(triangle, params_.tracing.isotropy);
}

bool Seeder::has_rows(const CompressionField& field, std::int32_t triangle) const {
  const RowMatrix2& edges = field.frames.matrices[std::size_t(triangle)];
  const double square =
      std::max({edges.col(0).squaredNorm(), edges.col(1).squaredNorm(), (edges.col(0) - edges.col(1)).squaredNorm()});
  const double longest = kLongestEdge * params_.flat_width();
  return square <= longest * longest;
}

double Seeder::spacing(const CompressionField& field, std::int32_t triangle) const {
  return distance(field, triangle) / field.compression[std::size_t(triangle)];
}

std::optional<SurfacePoint> Seeder::straight_on(const CompressionField& field, SurfacePoint point,
                                                double distance) const {
  // A line that crosses more edges than that turns round a vertex.
  constexpr int most = 256;
  for (int passed = 0; passed < most; ++passed) {
    const std::optional<EdgeCrossing> crossing = next_crossing(field.frames, point);
    if (!crossing) return std::nullopt;
    const double whole =
        make_segment(field.frames, point.triangle, point.barycentrics, crossing->barycentrics, kNone, 0).length();
    if (whole >= distance) {
      const double part = distance / whole;
      point.barycentrics = (1 - part) * point.barycentrics + part * crossing->barycentrics;
      return point;
    }
    distance -= whole;
    point.barycentrics = crossing->barycentrics;
    const std::int32_t next = mesh_->triangle_neighbours()(point.triangle, crossing->corner);
    if (next == kNone) return std::nullopt;
    point = enter(field.frames, point, shared_edge(*mesh_, point.triangle, crossing->corner, next));
  }
  return std::nullopt;
}

bool Seeder::is_coherent(const CompressionField& field, const Seed& seed) const {
  if (!(params_.tracing.coherence > 0) || params_.verbatim) return true;
  const double flat = field.width_at(seed.triangle) * params_.flat_width();
  const double half = 0.5 * params_.tracing.coherence * flat / field.compression[std::size_t(seed.triangle)];
  const Vector2 across = quarter_turn(field.a_max(seed.triangle));
  for (const double side : {-1.0, 1.0}) {
    const std::optional<SurfacePoint> there =
        straight_on(field, {seed.triangle, seed.barycentrics, kNone, side * across}, half);
    if (!there || there->triangle == seed.triangle) continue;
    if (!field.compressed(there->triangle, params_.end_threshold())) return false;
    if (!field.has_direction(there->triangle, params_.tracing.isotropy)) continue;
    const Vector2 along = quarter_turn(there->direction.normalized());
    if (std::fabs(along.dot(field.a_max(there->triangle))) < kLeastAlikeCosine) return false;
  }
  return true;
}

void Seeder::beside(const CompressionField& field, const Wrinkle& wrinkle, std::vector<Seed>& out) const {
  const double length = path_length(wrinkle, field.positions);
  // However narrow wrinkles are, a path has no more places beside it than it may have points.
  const double flat = field.mean_width(wrinkle.triangles) * params_.flat_width();
  const double places = std::clamp(std::floor(length / flat), 1.0, double(params_.tracing.max_points));
  const double step = length / places;
  double next = 0.5 * step;
  // Counted as well: of a path so short that rounding takes its length in space, but not its lengths in the planes of
  // its triangles, the step is nothing.
  double left = places;
  visit_segments(field, wrinkle, [&](std::size_t i, const PathSegment& segment) {
    const std::int32_t triangle = wrinkle.triangles[i];
    const double whole = segment.length();
    const bool goes_on = has_rows(field, triangle);
    for (; left > 0 && next < segment.arc_length + whole; next += step, --left) {
      if (!goes_on) continue;
      const double along = (next - segment.arc_length) / whole;
      const Vector2 first = (1 - along) * segment.a_barycentrics + along * segment.b_barycentrics;
      const Vector2 across = quarter_turn((segment.b - segment.a) / whole);
      for (const double side : {-1.0, 1.0}) {
        const SurfacePoint from{triangle, {first.x(), first.y(), 1 - first.sum()}, kNone, side * across};
        const std::optional<SurfacePoint> there = straight_on(field, from, spacing(field, triangle));
        if (there && may_start(field, there->triangle) && has_rows(field, there->triangle))
          out.push_back({there->triangle, there->barycentrics});
      }
    }
  });
}

void Seeder::sort_triangles(const CompressionField& field) {
  order_.clear();
  for (std::int32_t t = 0; t < mesh_->triangle_count(); ++t)
    if (may_start(field, t)) order_.push_back(t);
  std::sort(order_.begin(), order_.end(), [&](std::int32_t a, std::int32_t b) {
    const double first = field.compression[std::size_t(a)];
    const double second = field.compression[std::size_t(b)];
    return first != second ? first > second : a < b;
  });
}

int Seeder::attempts_in(const CompressionField& field, std::int32_t triangle) const {
  const double flat = field.width_at(triangle) * params_.flat_width();
  const double room = flat * flat;
  const double wanted = 1 + std::floor(field.frames.area(std::size_t(triangle)) / room);
  return int(std::min(wanted, double(params_.tracing.seeds_per_triangle)));
}

Seed Seeder::seed_at(std::int32_t triangle, int attempt, std::int64_t frame) const {
  const std::uint64_t run = params_.verbatim ? mix(params_.seed ^ mix(std::uint64_t(frame))) : params_.seed;
  const std::uint64_t key = mix(run) ^ std::uint64_t(triangle);
  // Uniform over the triangle: the root makes the density the same at every distance from corner 0.
  const double root = std::sqrt(uniform(key, 2 * std::uint64_t(attempt)));
  const double split = uniform(key, 2 * std::uint64_t(attempt) + 1);
  return {triangle, {1 - root, root * (1 - split), root * split}};
}

}  // namespace pucker
