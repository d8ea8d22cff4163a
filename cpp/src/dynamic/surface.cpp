#include "pucker/dynamic/surface.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "monotone.h"
#include "pucker/draw/content.h"
#include "pucker/dynamic/profile.h"
#include "pucker/errors.h"
#include "pucker/mesh/frames.h"
#include "pucker/mesh/subdivision.h"
#include "pucker/threads.h"

namespace pucker {

namespace {

struct Sample {
  Vector3 position;
  double width;
  Vector3 tangent;
  double height;
};

/// A sphere round all that a segment displaces.
struct Sphere {
  Vector3 centre;
  double square = -1;  // of the radius; where no segment starts nothing lies inside
};

/// The paths as curve.comp refines them: sample j of segment i stands at i·kCurveSamples + j.
struct RefinedPaths {
  std::span<const Sample> samples;
  std::span<const Sphere> spheres;
};

Vector3 vector(const float (&v)[3]) { return {v[0], v[1], v[2]}; }

Sphere enclosing(std::span<const Sample> samples) {
  Vector3 low = samples.front().position;
  Vector3 high = low;
  double width = 0;
  for (const Sample& sample : samples) {
    low = low.cwiseMin(sample.position);
    high = high.cwiseMax(sample.position);
    width = std::max(width, sample.width);
  }
  Sphere out{0.5 * (low + high)};
  double radius = 0;
  for (const Sample& sample : samples) radius = std::max(radius, (sample.position - out.centre).norm());
  // A thousandth more than needed, so that rounding never cuts a wrinkle off.
  radius = 1.001 * (radius + 0.5 * width);
  out.square = radius * radius;
  return out;
}

class Refiner final : public Evaluation::Work {
 public:
  /// The result is valid until the next call.
  RefinedPaths run(const PackedView& packed) {
    const std::span<const PackedPoint> points = packed.points;
    samples_.resize(points.size() * kCurveSamples);
    spheres_.assign(points.size(), {});
    for (std::size_t first = 0; first < points.size();) {
      std::size_t end = first + 1;
      while (end < points.size() && points[end].arc_length > 0) ++end;
      if (end - first > 1) refine(packed, first, end);
      first = end;
    }
    return {samples_, spheres_};
  }

 private:
  void refine(const PackedView& packed, std::size_t first, std::size_t end) {
    curve_.points.clear();
    curve_.tangents.clear();
    curve_.normals.clear();
    curve_.arc_lengths.clear();
    widths_.clear();
    heights_.clear();
    for (std::size_t i = first; i < end; ++i) {
      const PackedPoint& point = packed.points[i];
      curve_.points.push_back(packed.origin + vector(point.position));
      curve_.tangents.push_back(vector(point.tangent));
      curve_.arc_lengths.push_back(point.arc_length);
      widths_.push_back(point.width);
      heights_.push_back(point.height);
      if (i + 1 == end) break;
      curve_.normals.push_back(vector(point.normal));
      widths_.push_back(point.mid_width);
      heights_.push_back(point.mid_height);
    }
    sample_curve(curve_, widths_, heights_, sampled_);
    const std::span<Sample> samples = std::span(samples_).subspan(first * kCurveSamples, sampled_.points.size());
    for (std::size_t s = 0; s < samples.size(); ++s)
      samples[s] = {sampled_.points[s], sampled_.widths[s], sampled_.tangents[s], sampled_.heights[s]};
    for (std::size_t i = 0; i + 1 < end - first; ++i)
      spheres_[first + i] = enclosing(samples.subspan(i * kCurveSamples, kCurveSamples + 1));
  }

  std::vector<Sample> samples_;
  std::vector<Sphere> spheres_;
  PathCurve curve_;
  CurveSamples sampled_;
  std::vector<double> widths_;
  std::vector<double> heights_;
};

/// Where a point is projected to: between a sample and the next one, which is null if the wrinkle does not reach it.
struct Projection {
  const Sample* piece = nullptr;
  double along = 0;
  double square = std::numeric_limits<double>::infinity();
  bool starts = true;  ///< the path, with this piece
  bool ends = true;

  const Sample& a() const { return piece[0]; }
  const Sample& b() const { return piece[1]; }
  double half_width() const { return 0.5 * std::lerp(a().width, b().width, along); }
};

/// A size along a piece, and its derivative by the share of it.
struct Course {
  double value;
  double change;
};

/// Sizes of a wrinkle where a point is projected to: monotone cubics through the samples, level at both ends of the
/// path. Straight lines would show at grazing light as bands across it.
class Sizes {
 public:
  explicit Sizes(const Projection& at) : at_(at), length_((at.b().position - at.a().position).norm()) {
    if (!at.starts) before_ = (at.a().position - at.piece[-1].position).norm();
    if (!at.ends) after_ = (at.piece[2].position - at.b().position).norm();
  }
  Course half_width() const {
    const Course found = course([](const Sample& sample) { return sample.width; });
    return {0.5 * found.value, 0.5 * found.change};
  }
  Course height() const {
    return course([](const Sample& sample) { return sample.height; });
  }

 private:
  template <class Size>
  Course course(Size&& size) const {
    const double first = size(at_.a());
    const double rise = size(at_.b()) - first;
    // All slopes are by the share of this piece.
    const double from =
        before_ > 0 ? monotone_slope(before_, length_, (first - size(at_.piece[-1])) * length_ / before_, rise) : 0;
    const double to =
        after_ > 0 ? monotone_slope(length_, after_, rise, (size(at_.piece[2]) - first - rise) * length_ / after_) : 0;
    const double u = at_.along;
    const double v = 1 - u;
    return {first + rise * u * u * (3 - 2 * u) + u * v * (from * v - to * u),
            6 * rise * u * v + from * v * (1 - 3 * u) + to * u * (3 * u - 2)};
  }

  const Projection& at_;
  double length_;
  double before_ = 0;  ///< length of the piece before; 0: there is none
  double after_ = 0;
};

void consider(const Vector3& point, const Sample* piece, double along, Projection& nearest) {
  const Projection found{piece, along,
                         (point - (piece[0].position + along * (piece[1].position - piece[0].position))).squaredNorm()};
  const double half_width = found.half_width();
  if (found.square < half_width * half_width && found.square < nearest.square) nearest = found;
}

/// Roots of (v_i + α z − p)·((1−α) d_i + α d_{i+1}) in [0, 1]; `before` and `after` are its values at the ends.
void project_to_piece(const Vector3& point, const Sample* piece, double before, double after, Projection& nearest) {
  const double quadratic = (piece[1].position - piece[0].position).dot(piece[1].tangent - piece[0].tangent);
  const double linear = after - before - quadratic;
  const double discriminant = linear * linear - 4 * quadratic * before;
  const bool crosses = (before <= 0 && after >= 0) || (before >= 0 && after <= 0);
  const bool touches = discriminant >= 0 && before * quadratic > 0 && linear * quadratic < 0 &&
                       std::abs(linear) < 2 * std::abs(quadratic);
  if (!crosses && !touches) return;
  const double q = -0.5 * (linear + std::copysign(std::sqrt(std::max(discriminant, 0.0)), linear));
  const double small = q == 0 ? 0 : before / q;
  const double large = quadratic == 0 ? small : q / quadratic;
  if (crosses) {
    const double root = std::abs(small - 0.5) <= std::abs(large - 0.5) ? small : large;
    consider(point, piece, std::clamp(root, 0.0, 1.0), nearest);
  } else {
    consider(point, piece, std::clamp(small, 0.0, 1.0), nearest);
    consider(point, piece, std::clamp(large, 0.0, 1.0), nearest);
  }
}

Projection project_to_path(const RefinedPaths& paths, const Vector3& point, std::size_t first, std::size_t last) {
  Projection nearest;
  for (std::size_t segment = first; segment < last; ++segment) {
    const Sphere& sphere = paths.spheres[segment];
    if ((point - sphere.centre).squaredNorm() > sphere.square) continue;
    const Sample* piece = &paths.samples[segment * kCurveSamples];
    double before = (piece->position - point).dot(piece->tangent);
    for (int j = 0; j < kCurveSamples; ++j, ++piece) {
      const double after = (piece[1].position - point).dot(piece[1].tangent);
      project_to_piece(point, piece, before, after, nearest);
      before = after;
    }
  }
  if (nearest.piece == nullptr) return nearest;
  const auto sample = std::size_t(nearest.piece - paths.samples.data());
  const std::size_t segment = sample / kCurveSamples;
  nearest.starts = sample % kCurveSamples == 0 && (segment == 0 || paths.spheres[segment - 1].square < 0);
  nearest.ends = (sample + 1) % kCurveSamples == 0 && paths.spheres[segment + 1].square < 0;
  return nearest;
}

/// Gradient of one wrinkle's offset over the surface point: implicit differentiation of the projection.
Vector3 offset_gradient(const Vector3& point, const Projection& at, const profile::Section& section,
                        const Course& half_width, const Course& height) {
  const Vector3 piece = at.b().position - at.a().position;
  const Vector3 off = point - (at.a().position + at.along * piece);
  const Vector3 turn = at.b().tangent - at.a().tangent;
  const Vector3 direction = at.a().tangent + at.along * turn;
  // The denominator vanishes at the centre of curvature, where the projection is not defined; it is kept away from
  // there.
  const double advance = std::max(piece.dot(direction) - off.dot(turn), 0.05 * piece.dot(direction));
  // Along a piece without length, as where a path has collapsed, nothing changes.
  const Vector3 along_gradient = advance > 0 ? Vector3(direction / advance) : Vector3::Zero();
  const double lengthwise = section.by_width * half_width.change + section.by_height * height.change;
  return section.slope_ratio * (off - off.dot(piece) * along_gradient) + lengthwise * along_gradient;
}

/// Section of a wrinkle and the gradient of its offset at a point.
struct Relief {
  double offset = 0;
  Vector3 gradient = Vector3::Zero();
};

/// Mean of waves that lie over each other, weighted by their nearness h(1 − x²/w²)²: a smooth surface, never higher or
/// deeper than they are, and one that has just risen to a height h moves it by no more than 3h.
class Blend {
 public:
  void add(const Relief& relief, const Relief& nearness) {
    weight_ += nearness.offset;
    offset_ += nearness.offset * relief.offset;
    weight_gradient_ += nearness.gradient;
    gradient_ += nearness.offset * relief.gradient + relief.offset * nearness.gradient;
  }
  Relief mean() const {
    if (!(weight_ > 0)) return {};
    const double offset = offset_ / weight_;
    return {offset, (gradient_ - offset * weight_gradient_) / weight_};
  }

 private:
  double weight_ = 0;
  double offset_ = 0;
  Vector3 weight_gradient_ = Vector3::Zero();
  Vector3 gradient_ = Vector3::Zero();
};

/// A wrinkle at a point: its projection, or where it goes on beyond an end that is not flat, because the path was cut
/// there, as half of a round hill: the section of the end, turned about it.
template <class Visit>
void visit_sections(const RefinedPaths& paths, const PackedView& packed, const Vector3& point, std::size_t row,
                    Visit&& visit) {
  const std::size_t first = packed.overlaps[2 * row];
  const std::size_t last = packed.overlaps[2 * row + 1];
  const Projection at = project_to_path(paths, point, first, last);
  if (at.piece != nullptr) {
    const Sizes sizes(at);
    const Course half_width = sizes.half_width();
    const Course height = sizes.height();
    visit(std::sqrt(at.square), half_width.value, height.value,
          [&](const profile::Section& section) { return offset_gradient(point, at, section, half_width, height); });
  }
  const auto beyond = [&](const Sample& end, double side) {
    const Vector3 off = point - end.position;
    if (side * off.dot(end.tangent) > 0)
      visit(off.norm(), 0.5 * end.width, end.height,
            [&](const profile::Section& section) { return Vector3(section.slope_ratio * off); });
  };
  const bool starts = packed.points[first].arc_length == 0;
  const bool ends = last + 1 == packed.points.size() || packed.points[last + 1].arc_length == 0;
  if (starts) beyond(paths.samples[first * kCurveSamples], -1);
  if (ends) beyond(paths.samples[last * kCurveSamples], 1);
}

struct Displacement {
  double offset = 0;
  Vector3 normal;
};

Vector3 normal_of(const Vector3& normal, const Vector3& gradient) {
  return (normal - (gradient - gradient.dot(normal) * normal)).normalized();
}

/// Of one wrinkle the nearest section counts; several are blended.
Displacement waved(const RefinedPaths& paths, const PackedView& packed, Profile profile, const Vector3& point,
                   const Vector3& normal, std::size_t start, std::size_t count) {
  Blend blend;
  for (std::size_t row = start; row < start + count; ++row) {
    Relief relief;
    Relief nearness;
    visit_sections(paths, packed, point, row, [&](double x, double half_width, double height, auto&& gradient) {
      const profile::Section near = profile::section(Profile::quartic, x, half_width, height);
      if (!(near.value > nearness.offset)) return;
      const profile::Section section = profile::section(profile, x, half_width, height);
      relief = {section.value, gradient(section)};
      nearness = {near.value, gradient(near)};
    });
    blend.add(relief, nearness);
  }
  const Relief mean = blend.mean();
  return {mean.offset, normal_of(normal, mean.gradient)};
}

Displacement displacement(const RefinedPaths& paths, const PackedView& packed, Profile profile, const Vector3& point,
                          const Vector3& normal, std::int32_t triangle) {
  const std::size_t count = packed.triangles[2 * std::size_t(triangle)];
  const std::size_t start = packed.triangles[2 * std::size_t(triangle) + 1];
  if (count == 0) return {0, normal};  // as a mean of it may differ in the last bit
  if (profile::depth(profile) > 0) return waved(paths, packed, profile, point, normal, start, count);
  Displacement out;
  Vector3 sum = Vector3::Zero();
  for (std::size_t row = start; row < start + count; ++row) {
    Relief highest;
    visit_sections(paths, packed, point, row, [&](double x, double half_width, double height, auto&& gradient) {
      const profile::Section section = profile::section(profile, x, half_width, height);
      if (section.value > highest.offset) highest = {section.value, gradient(section)};
    });
    if (!(highest.offset > 0)) continue;
    out.offset = std::max(out.offset, highest.offset);
    sum += highest.offset * normal_of(normal, highest.gradient);
  }
  out.normal = sum.squaredNorm() > 0 ? Vector3(sum.normalized()) : normal;
  return out;
}

constexpr std::size_t kSampleBytes = 32;  // two vec4
constexpr std::size_t kSphereBytes = 16;  // one vec4
constexpr std::uint32_t kMostSegments = (std::uint32_t(1) << (32 - kOverlapTriangleBits)) - 1;

/// The overlaps as the shaders read them, triangle by triangle: the triangle in the low bits with the number of
/// segments above, then the first path point.
std::vector<std::uint32_t> overlap_entries(const PackedWrinkles& packed) {
  const std::size_t triangles = packed.triangles.size() / 2;
  constexpr std::size_t most = std::size_t(1) << kOverlapTriangleBits;
  require(triangles <= most, "a wrinkled mesh may be drawn with at most ", most, " triangles, not ", triangles);
  std::vector<std::uint32_t> entries;
  for (std::uint32_t triangle = 0; triangle < triangles; ++triangle) {
    const std::uint32_t count = packed.triangles[2 * triangle];
    const std::uint32_t start = packed.triangles[2 * triangle + 1];
    for (std::uint32_t row = start; row < start + count; ++row) {
      const std::uint32_t first = packed.overlaps[2 * row];
      const std::uint32_t segments = packed.overlaps[2 * row + 1] - first;
      require(segments <= kMostSegments, "packed overlap ", row, " must span at most ", kMostSegments,
              " segments, not ", segments);
      entries.insert(entries.end(), {triangle | segments << kOverlapTriangleBits, first});
    }
  }
  return entries;
}

}  // namespace

SurfacePoints evaluate_surface(const Mesh& mesh, Profile profile, const ConstArray3& positions,
                               const PackedView& packed, std::span<const std::int32_t> triangles,
                               const ConstArray3& barycentrics) {
  Evaluation out;
  evaluate_surface(mesh, profile, positions, packed, triangles, barycentrics, out);
  return std::move(out.points);
}

void evaluate_surface(const Mesh& mesh, Profile profile, const ConstArray3& positions, const PackedView& packed,
                      std::span<const std::int32_t> triangles, const ConstArray3& barycentrics, Evaluation& out) {
  points_of_mesh(mesh, positions, triangles, barycentrics, out);
  require_packed(packed, mesh.triangle_count());
  if (dynamic_cast<Refiner*>(out.work.get()) == nullptr) out.work = std::make_unique<Refiner>();
  const RefinedPaths paths = static_cast<Refiner&>(*out.work).run(packed);
  SurfacePoints& points = out.points;
  parallel_blocks(triangles.size(), kPointsTaken, [&](std::size_t begin, std::size_t end) {
    for (auto i = Eigen::Index(begin); i < Eigen::Index(end); ++i) {
      const Vector3 normal = points.base_normals.row(i);
      const std::int32_t triangle = triangles[std::size_t(i)];
      const Displacement moved = displacement(paths, packed, profile, points.base.row(i), normal, triangle);
      points.displacements.row(i) = (moved.offset * normal).transpose();
      points.positions.row(i) = points.base.row(i) + points.displacements.row(i);
      points.normals.row(i) = moved.normal.transpose();
    }
  });
}

void PathDetail::evaluate_into(std::span<const std::int32_t> triangles, const ConstArray3& barycentrics,
                               Evaluation& out) const {
  evaluate_surface(mesh(), profile_, positions(), packed_, triangles, barycentrics, out);
}

std::vector<std::uint8_t> PathDetail::reached() const {
  std::vector<std::uint8_t> out(std::size_t(mesh().triangle_count()));
  for (std::size_t t = 0; t < out.size(); ++t) out[t] = packed_.triangles[2 * t] > 0;
  return out;
}

std::vector<double> PathDetail::feature_sizes() const {
  std::vector<double> out(std::size_t(mesh().triangle_count()), std::numeric_limits<double>::infinity());
  for (std::size_t t = 0; t < out.size(); ++t) {
    const std::size_t start = packed_.triangles[2 * t + 1];
    for (std::size_t row = start; row < start + packed_.triangles[2 * t]; ++row) {
      // A segment is as wide as its narrowest knot: its two ends and its middle.
      for (std::size_t p = packed_.overlaps[2 * row]; p < packed_.overlaps[2 * row + 1]; ++p) {
        const PackedPoint& point = packed_.points[p];
        const float least = std::min({point.width, point.mid_width, packed_.points[p + 1].width});
        out[t] = std::min(out[t], double(least));
      }
    }
    out[t] = std::max(profile::seen_share(profile_) * out[t], feature_size());
  }
  return out;
}

std::array<double, 2> PathDetail::offset_range() const {
  float highest = 0;
  for (const PackedPoint& point : packed_.points) highest = std::max({highest, point.height, point.mid_height});
  return {0 - profile::depth(profile_) * double(highest), profile::rise(profile_) * double(highest)};
}

draw::Content PathDetail::draw_content(const Vector3& origin, const draw::Continued*) const {
  std::vector<PackedPoint> points = packed_.points;
  const Vector3 shift = packed_.origin - origin;
  if (!shift.isZero(0))
    for (PackedPoint& point : points)
      for (int k = 0; k < 3; ++k) point.position[k] = float(double(point.position[k]) + shift[k]);
  const std::vector<std::uint32_t> entries = overlap_entries(packed_);
  draw::Content out;
  out.buffers = {draw::room_of("Triangles", packed_.triangles.size() * sizeof(std::uint32_t)),
                 draw::buffer_of("Overlaps", entries), draw::buffer_of("Points", points),
                 draw::room_of("Samples", kSampleBytes * kCurveSamples * points.size()),
                 draw::room_of("Spheres", kSphereBytes * points.size())};
  out.programs = {{"clear", mesh().triangle_count()},
                  {"overlaps", std::int64_t(entries.size() / 2)},
                  {"curve", std::max(std::int64_t(points.size()) - 1, std::int64_t(0))}};
  out.strokes = {.program = "path", .pieces = kCurveSamples, .count = out.programs.back().invocations};
  out.constants = {{"profile", std::int32_t(profile_)}};
  out.on_grid = true;
  return out;
}

}  // namespace pucker
