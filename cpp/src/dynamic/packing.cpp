#include "pucker/dynamic/packing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "blocks.h"
#include "pucker/errors.h"
#include "pucker/mesh/distance.h"
#include "pucker/mesh/origin.h"
#include "pucker/threads.h"

namespace pucker {

namespace {

/// A width is above 0, also that of a path that all but has no length.
float packed_width(double width) { return std::max(float(width), std::numeric_limits<float>::min()); }

void store(const Vector3& v, float (&out)[3]) {
  for (int k = 0; k < 3; ++k) out[k] = float(v[k]);
}

/// The farthest the curve of segment `i` deviates from the segment: a cubic, at most 3/4 of the larger distance of its
/// inner control points. They lie a third of its length from the ends along the tangents in the plane: beyond an end
/// where the path turns back.
double deviation_of(const PathCurve& curve, std::size_t i) {
  const Vector3 chord = curve.points[i + 1] - curve.points[i];
  const Vector3& normal = curve.normals[i];
  const auto square_at = [&](const Vector3& tangent) {
    const Vector3 in_plane = tangent - tangent.dot(normal) * normal;
    const double size = in_plane.squaredNorm();
    if (!(size > 0)) return 0.0;
    return in_plane.dot(chord) < 0 ? chord.squaredNorm() : in_plane.cross(chord).squaredNorm() / size;
  };
  return 0.25 * std::sqrt(std::max(square_at(curve.tangents[i]), square_at(curve.tangents[i + 1])));
}

constexpr float kEndless = std::numeric_limits<float>::infinity();

bool finite(const PackedPoint& point) {
  const auto* first = reinterpret_cast<const float*>(&point);
  return std::all_of(first, first + sizeof(PackedPoint) / sizeof(float), [](float x) { return std::isfinite(x); });
}

void require_points(std::span<const PackedPoint> points) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    const PackedPoint& point = points[i];
    require(finite(point), "packed points must be finite, but point ", i, " is not");
    require(point.width > 0, "widths of packed points must be positive, but that of point ", i, " is ", point.width);
    require(point.height >= 0, "heights of packed points must be at least 0, but that of point ", i, " is ",
            point.height);
    if (point.arc_length == 0) continue;
    require(i > 0 && point.arc_length > points[i - 1].arc_length,
            "arc lengths of packed points must increase strictly from 0 along a path, but that of point ", i, " is ",
            point.arc_length);
    const PackedPoint& before = points[i - 1];
    require(before.mid_width > 0 && before.mid_height >= 0,
            "packed widths half-way along a segment must be positive and heights at least 0, but segment ", i - 1,
            " has ", before.mid_width, " and ", before.mid_height);
  }
}

}  // namespace

void require_packed(const PackedView& packed, std::int64_t triangle_count) {
  require(std::int64_t(packed.triangles.size()) == 2 * triangle_count,
          "packed triangles must have one row a triangle: ", triangle_count, ", got ", packed.triangles.size() / 2);
  const std::size_t rows = packed.overlaps.size() / 2;
  for (std::size_t t = 0; 2 * t < packed.triangles.size(); ++t) {
    const std::size_t count = packed.triangles[2 * t];
    const std::size_t end = count + packed.triangles[2 * t + 1];
    require(count == 0 || end <= rows, "triangle ", t, " reads packed overlaps up to ", end, " of ", rows, " rows");
  }
  require_points(packed.points);
  for (std::size_t r = 0; r < rows; ++r) {
    const std::uint32_t first = packed.overlaps[2 * r];
    const std::uint32_t last = packed.overlaps[2 * r + 1];
    require(first <= last && last < packed.points.size(), "packed overlap ", r, " must be first <= last < ",
            packed.points.size(), ", got [", first, ", ", last, "]");
    for (std::uint32_t i = first + 1; i <= last; ++i)
      require(packed.points[i].arc_length > 0, "packed overlap ", r, " joins two paths: [", first, ", ", last, "]");
  }
}

double least_width(std::span<const PackedPoint> points) {
  if (points.empty()) return 0.0;
  float least = std::numeric_limits<float>::infinity();
  for (std::size_t i = 0; i < points.size(); ++i) {
    least = std::min(least, points[i].width);
    // The last point of a path starts no segment, so its width half-way along one means nothing.
    if (i + 1 < points.size() && points[i + 1].arc_length > 0.0F) least = std::min(least, points[i].mid_width);
  }
  return double(least);
}

namespace {

/// Which sides of a box a point lies beyond, a bit each; of an edge whose ends share a bit no point is in the box.
using Sides = std::uint8_t;

/// All points within a radius of a straight segment.
struct Tube {
  Vector3 a, b;
  double radius;
  Vector3 low, high;  ///< bounding box
  Vector3 scaled;     ///< dot product with this: share of the way from a to b

  Tube(const Vector3& from, const Vector3& to, double distance)
      : a(from),
        b(to),
        radius(distance),
        low(from.cwiseMin(to).array() - distance),
        high(from.cwiseMax(to).array() + distance) {
    const double square = (b - a).squaredNorm();
    scaled = square > 0 ? Vector3((b - a) / square) : Vector3::Zero();
  }

  static constexpr Sides kInside = 1 << 6;
  /// The sides of the bounding box that `point` lies beyond, or kInside if it lies in the tube.
  Sides sides(const Vector3& point) const {
    int out = 0;
    for (int k = 0; k < 3; ++k) out |= (point[k] < low[k]) << k | (point[k] > high[k]) << (k + 3);
    if (out != 0) return Sides(out);
    const double u = std::clamp((point - a).dot(scaled), 0.0, 1.0);
    return (a + u * (b - a) - point).squaredNorm() <= radius * radius ? kInside : Sides(0);
  }

  bool meets(const Vector3& from, const Vector3& to) const {
    return segment_segment_square(a, b, from, to) <= radius * radius;
  }
};

}  // namespace

/// What one thread has at a time: the wrinkles of a part, spread one after the other.
class Packer::Part {
 public:
  explicit Part(const Mesh& mesh)
      : last_overlap_(std::size_t(mesh.triangle_count()), kNone),
        visited_(std::size_t(mesh.triangle_count()), 0),
        corners_(std::size_t(mesh.vertex_count())) {}

  const std::vector<Overlap>& overlaps() const { return overlaps_; }
  void clear() {
    overlaps_.clear();
    queue_.clear();
  }
  /// Enters the overlaps of a wrinkle whose first point is number `base`.
  void spread(const CompressionField& field, const Wrinkle& wrinkle, const PathCurve& curve, std::uint32_t base);

 private:
  /// Where a vertex lies to the tube of the walk that met it last.
  struct Corner {
    std::uint32_t measured = 0;  ///< stamp of the walk
    std::uint8_t sides = 0;
  };
  /// Queues the triangles that share a point within the tube with `triangle`.
  void queue_round(const CompressionField& field, const Tube& tube, std::int32_t triangle);
  void queue(std::int32_t triangle);
  /// Makes all triangles and vertices those that no walk has met.
  void begin_walk();
  /// Enters what the segments from `first` on overlap, as many as belong together; returns the first one left.
  std::size_t spread(const CompressionField& field, const Wrinkle& wrinkle, const PathCurve& curve, std::size_t first,
                     std::uint32_t base);

  std::vector<Overlap> overlaps_;
  std::vector<std::int32_t> last_overlap_;  ///< per triangle: its entry for the wrinkle being spread, if at or past it
  std::vector<std::uint32_t> visited_;      ///< per triangle: stamp of the walk that saw it last
  std::vector<Corner> corners_;             ///< per vertex
  std::uint32_t stamp_ = 0;
  std::size_t wrinkle_start_ = 0;
  std::vector<std::int32_t> queue_;
};

Packer::Packer(const Mesh& mesh) { parts_.push_back(std::make_unique<Part>(mesh)); }
Packer::~Packer() = default;
Packer::Packer(Packer&&) noexcept = default;
Packer& Packer::operator=(Packer&&) noexcept = default;

void Packer::Part::queue_round(const CompressionField& field, const Tube& tube, std::int32_t triangle) {
  const Mesh& mesh = field.mesh;
  const auto vertices = mesh.faces().row(triangle);
  std::array<Sides, 3> sides;
  for (std::size_t k = 0; k < 3; ++k) {
    const std::int32_t v = vertices[Eigen::Index(k)];
    Corner& corner = corners_[std::size_t(v)];
    if (corner.measured != stamp_) {
      corner = {stamp_, tube.sides(field.positions.row(v))};
      if (corner.sides == Tube::kInside)
        for (const std::int32_t next : mesh.ring(v)) queue(next);
    }
    sides[k] = corner.sides;
  }
  for (int k = 0; k < 3; ++k) {
    const int end = k == 2 ? 0 : k + 1;
    const Sides either = sides[std::size_t(k)] | sides[std::size_t(end)];
    // All triangles at a vertex inside are queued; an edge whose ends lie beyond one side is outside.
    if ((either & Tube::kInside) != 0 || (sides[std::size_t(k)] & sides[std::size_t(end)]) != 0) continue;
    const std::int32_t neighbour = mesh.triangle_neighbours()(triangle, k);
    if (neighbour != kNone && visited_[std::size_t(neighbour)] == stamp_) continue;
    if (!tube.meets(field.positions.row(vertices[k]), field.positions.row(vertices[end]))) continue;
    if (neighbour != kNone) {
      queue(neighbour);
      continue;
    }
    for (const std::int32_t next : mesh.ring(vertices[k]))
      if (mesh.corner(next, vertices[end]) != kNone) queue(next);
  }
}

void Packer::Part::queue(std::int32_t triangle) {
  std::uint32_t& visited = visited_[std::size_t(triangle)];
  if (visited == stamp_) return;
  visited = stamp_;
  queue_.push_back(triangle);
}

void Packer::Part::begin_walk() {
  if (++stamp_ > 0) return;
  // Stamps begin anew after 2³² walks.
  std::ranges::fill(visited_, 0u);
  std::ranges::fill(corners_, Corner{});
  stamp_ = 1;
}

std::size_t Packer::Part::spread(const CompressionField& field, const Wrinkle& wrinkle, const PathCurve& curve,
                                 std::size_t first, std::uint32_t base) {
  // On a coarse mesh every segment is spread by itself; on a fine one as many as are about as long as half their width,
  // so that a triangle is not looked at once for each of many tiny segments.
  const Vector3& a = curve.points[first];
  double half_width = 0;
  double highest = 0;
  std::size_t end = first;
  for (; end + 1 < wrinkle.size(); ++end) {
    if (end > first && curve.arc_lengths[end + 1] - curve.arc_lengths[first] > half_width) break;
    const auto widths = wrinkle.knot_widths.begin() + std::ptrdiff_t(2 * end);
    const auto heights = wrinkle.knot_heights.begin() + std::ptrdiff_t(2 * end);
    half_width = std::max(half_width, 0.5 * *std::max_element(widths, widths + 3));
    highest = std::max(highest, *std::max_element(heights, heights + 3));
  }
  if (highest == 0) {
    queue_.clear();
    return end;
  }
  const Vector3& b = curve.points[end];
  double deviation = 0;
  double square = 0;  // of the path's points between, from the tube's axis
  for (std::size_t i = first; i < end; ++i) {
    if (i > first) square = std::max(square, point_segment_square(curve.points[i], a, b));
    deviation = std::max(deviation, deviation_of(curve, i));
  }
  deviation += std::sqrt(square);
  const Tube tube(a, b, half_width + deviation);

  // Begins at what is queued already, or else at the triangles that the segments cross and those at their ends, which
  // they overlap: points of the path lie on edges.
  begin_walk();
  for (const std::int32_t t : queue_) visited_[std::size_t(t)] = stamp_;
  const bool begins_anew = queue_.empty();
  const std::size_t before_first = first > 0 ? first - 1 : 0;
  const std::size_t after_end = std::min(end + 1, wrinkle.triangles.size());
  for (std::size_t i = before_first; begins_anew && i < after_end; ++i) queue(wrinkle.triangles[i]);
  const Overlap part{kNone, base + std::uint32_t(first), base + std::uint32_t(end)};
  for (std::size_t head = 0; head < queue_.size(); ++head) {
    const std::int32_t t = queue_[head];
    std::int32_t& entry = last_overlap_[std::size_t(t)];
    Overlap* before = entry >= std::int32_t(wrinkle_start_) && std::size_t(entry) < overlaps_.size()
                          ? &overlaps_[std::size_t(entry)]
                          : nullptr;
    if (before != nullptr && before->triangle == t && before->last >= part.first && part.last >= before->first) {
      before->first = std::min(before->first, part.first);
      before->last = std::max(before->last, part.last);
    } else {
      entry = std::int32_t(overlaps_.size());
      overlaps_.push_back({t, part.first, part.last});
    }
    queue_round(field, tube, t);
  }
  queue_.clear();
  return end;
}

void Packer::Part::spread(const CompressionField& field, const Wrinkle& wrinkle, const PathCurve& curve,
                          std::uint32_t base) {
  wrinkle_start_ = overlaps_.size();
  for (std::size_t i = 0; i + 1 < wrinkle.size();) i = spread(field, wrinkle, curve, i, base);

  // A triangle lists a wrinkle once: where the path comes back to it, with what is between. On another layer of cloth
  // that may come as close to it without having been met from its own triangles; then it spreads from this one.
  for (std::size_t i = wrinkle_start_; i < overlaps_.size(); ++i) {
    const Overlap part = overlaps_[i];
    const auto latest = std::size_t(last_overlap_[std::size_t(part.triangle)]);
    if (latest == i) continue;
    Overlap& other = overlaps_[latest];
    const std::uint32_t gap_end = std::max(part.first, other.first);
    std::size_t gap = std::min(part.last, other.last) - base;
    other.first = std::min(part.first, other.first);
    other.last = std::max(part.last, other.last);
    std::int32_t& moved = last_overlap_[std::size_t(overlaps_.back().triangle)];
    if (std::size_t(moved) + 1 == overlaps_.size()) moved = std::int32_t(i);
    overlaps_[i] = overlaps_.back();
    overlaps_.pop_back();
    while (gap < gap_end - base) {
      queue_.assign(1, part.triangle);
      gap = spread(field, wrinkle, curve, gap, base);
    }
    i = wrinkle_start_ - 1;  // older parts may have got a later one
  }
}

namespace {

/// Packs the points of a wrinkle into as many places from `out` on.
void pack_points(const Wrinkle& wrinkle, const PathCurve& curve, const Vector3& origin, PackedPoint* out) {
  for (std::size_t i = 0; i < wrinkle.size(); ++i) {
    PackedPoint& p = out[i];
    const std::size_t segment = std::min(i, wrinkle.size() - 2);
    store(curve.points[i] - origin, p.position);
    store(curve.normals[segment], p.normal);
    store(curve.tangents[i], p.tangent);
    p.width = packed_width(wrinkle.knot_widths[2 * i]);
    p.height = float(wrinkle.knot_heights[2 * i]);
    p.arc_length = float(curve.arc_lengths[i]);
    // Sizes are interpolated over the arc length, so that no two points may have the same one.
    if (i > 0) p.arc_length = std::max(p.arc_length, std::nextafter(out[i - 1].arc_length, kEndless));
    p.mid_width = i + 1 < wrinkle.size() ? packed_width(wrinkle.knot_widths[2 * i + 1]) : 0;
    p.mid_height = i + 1 < wrinkle.size() ? float(wrinkle.knot_heights[2 * i + 1]) : 0;
    p.unused[0] = p.unused[1] = 0;
  }
}

}  // namespace

void Packer::pack(const CompressionField& field, const std::vector<Wrinkle>& wrinkles,
                  const std::vector<PathCurve>& curves, PackedWrinkles& out) {
  out.origin = nearby_origin(field.positions);
  first_points_.resize(wrinkles.size());
  std::size_t points = 0;
  for (std::size_t w = 0; w < wrinkles.size(); ++w) {
    first_points_[w] = std::uint32_t(points);
    points += wrinkles[w].size();
  }
  out.points.resize(points);
  // A part a thread, of about as many points each: every part needs memory for all triangles.
  const std::size_t used = threads_for(wrinkles.size() / kPathsTaken);
  while (parts_.size() < used) parts_.push_back(std::make_unique<Part>(field.mesh));
  const auto first_of = [&](std::size_t part) {
    const auto first = std::lower_bound(first_points_.begin(), first_points_.end(), points * part / used);
    return part == used ? wrinkles.size() : std::size_t(first - first_points_.begin());
  };
  parallel_for(used, used, Taking::parts, [&](std::size_t part) {
    Part& own = *parts_[part];
    own.clear();
    for (std::size_t w = first_of(part); w < first_of(part + 1); ++w) {
      pack_points(wrinkles[w], curves[w], out.origin, &out.points[first_points_[w]]);
      own.spread(field, wrinkles[w], curves[w], first_points_[w]);
    }
  });

  // Entries of one triangle next to each other, in the order of their wrinkles: a counting sort.
  const std::size_t count = std::size_t(field.mesh.triangle_count());
  out.triangles.assign(2 * count, 0);
  const std::span parts = std::span(parts_).first(used);
  std::size_t entries = 0;
  for (const auto& part : parts) {
    entries += part->overlaps().size();
    for (const Overlap& entry : part->overlaps()) ++out.triangles[2 * std::size_t(entry.triangle)];
  }
  std::uint32_t offset = 0;
  for (std::size_t t = 0; t < count; ++t) {
    out.triangles[2 * t + 1] = offset;
    offset += out.triangles[2 * t];
    out.triangles[2 * t] = 0;
  }
  out.overlaps.resize(2 * entries);
  for (const auto& part : parts)
    for (const Overlap& entry : part->overlaps()) {
      const std::size_t t = std::size_t(entry.triangle);
      const std::size_t place = out.triangles[2 * t + 1] + out.triangles[2 * t]++;
      out.overlaps[2 * place] = entry.first;
      out.overlaps[2 * place + 1] = entry.last;
    }
}

}  // namespace pucker
