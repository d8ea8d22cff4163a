#include "pucker/draw/surface.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "pucker/dynamic/curve.h"
#include "pucker/errors.h"
#include "pucker/mesh/frames.h"
#include "pucker/mesh/normals.h"

namespace pucker::draw {

namespace {

constexpr std::size_t kSampleBytes = 32;  // two vec4
constexpr std::size_t kSphereBytes = 16;  // one vec4

template <class T>
void require_length(const std::vector<T>& list, std::size_t length, const char* name) {
  require(list.empty() || list.size() == length, name, " must have ", length, " entries, not ", list.size());
}

std::vector<float> floats(const ConstArray3& rows) {
  std::vector<float> out(std::size_t(rows.size()));
  std::transform(rows.data(), rows.data() + rows.size(), out.begin(), [](double x) { return float(x); });
  return out;
}

/// The reach as the shaders read it, triangle by triangle: the triangle in the low bits with the number of segments
/// above, then the first path point.
std::vector<std::uint32_t> entries_of(const PackedWrinkles& packed) {
  std::vector<std::uint32_t> entries;
  for (std::uint32_t triangle = 0; 2 * triangle < packed.triangles.size(); ++triangle) {
    const std::uint32_t count = packed.triangles[2 * triangle];
    const std::uint32_t start = packed.triangles[2 * triangle + 1];
    for (std::uint32_t row = start; row < start + count; ++row) {
      const std::uint32_t first = packed.reach[2 * row];
      const std::uint32_t segments = packed.reach[2 * row + 1] - first;
      require(segments <= kMostSegments, "packed reach ", row, " must span at most ", kMostSegments, " segments, not ",
              segments);
      entries.insert(entries.end(), {triangle | segments << kReachTriangleBits, first});
    }
  }
  return entries;
}

// Relative luminance of linear sRGB (IEC 61966-2-1).
double luminance(double red, double green, double blue) { return 0.2126 * red + 0.7152 * green + 0.0722 * blue; }

/// Where a texture is read that repeats.
std::size_t texel(float coordinate, int size) {
  const double at = double(coordinate) - std::floor(double(coordinate));
  return std::min(std::size_t(at * size), std::size_t(size - 1));
}

// Albedo that the usual light shows as it is meant to be; what is paler is darkened to the upper bound, what is darker
// is brightened to the lower one, but not beyond what makes a black cloth grey.
constexpr double kDarkest = 0.12;
constexpr double kPalest = 0.5;
constexpr double kBrightest = 2.5;

/// Least width of wrinkles; 0 if there are none.
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

template <class Range>
Upload upload(Block block, const Range& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {block, bytes, bytes.size()};
}

Upload room(Block block, std::size_t size) { return {block, {}, size}; }

}  // namespace

void drawn_normals(const ConstIndex3& faces, const ConstArray3& positions, std::span<const std::int32_t> weld,
                   Array3& out) {
  welded_normals(faces, positions, weld, out);
  for (auto normal : out.rowwise())
    if (normal.isZero(0)) normal << 0, 1, 0;
}

Surface::Surface(SurfaceMesh mesh) : mesh_(std::move(mesh)) {
  const auto count = std::size_t(triangle_count());
  require(triangle_count() <= kMostTriangles, "a surface may have at most ", kMostTriangles, " triangles, not ", count);
  require_length(mesh_.colours, count, "colours");
  require_length(mesh_.texcoords, 6 * count, "texcoords");
  require_length(mesh_.textures, count, "textures");
  require_length(mesh_.weld, std::size_t(this->mesh().vertex_count()), "weld");
  if (mesh_.colours.empty()) mesh_.colours.assign(count, kSurfaceColour);
  if (mesh_.texcoords.empty()) mesh_.texcoords.assign(6 * count, 0.0F);
  if (mesh_.textures.empty()) mesh_.textures.assign(count, kNone);
  for (std::size_t t = 0; t < count; ++t)
    require(mesh_.textures[t] >= kNone && mesh_.textures[t] < mesh_.texture_count, "texture numbers must lie in [-1, ",
            mesh_.texture_count, "), but triangle ", t, " has ", mesh_.textures[t]);
  for (std::size_t v = 0; v < mesh_.weld.size(); ++v)
    require(mesh_.weld[v] >= 0 && mesh_.weld[v] < this->mesh().vertex_count(), "welded vertices must lie in [0, ",
            this->mesh().vertex_count(), "), but vertex ", v, " has ", mesh_.weld[v]);
  twins_ = edge_twins(this->mesh());
  by_texture_.resize(count);
  std::iota(by_texture_.begin(), by_texture_.end(), 0U);
  std::stable_sort(by_texture_.begin(), by_texture_.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return mesh_.textures[a] < mesh_.textures[b]; });
  for (std::size_t k = 0; k < count; ++k) {
    const std::int32_t texture = mesh_.textures[by_texture_[k]];
    if (k == 0 || texture != ranges_.back().texture) ranges_.push_back({std::int64_t(k), 0, texture});
    ++ranges_.back().count;
  }
  tints_.assign(count, Rgba8{});
  reached_.assign(count, 0);
  untouched_.assign(2 * count, 0);
  for (const Block block : {Block::faces, Block::texcoords, Block::colours, Block::tints, Block::triangles,
                            Block::patches, Block::draw_list, Block::twins})
    mark(block);
}

void Surface::set_positions(const ConstArray3& positions, const std::optional<Array3>& normals,
                            const std::optional<Vector3>& origin) {
  require_positions(mesh(), positions);
  require(!normals || normals->rows() == positions.rows(), "normals must have one row a vertex: (", positions.rows(),
          ", 3), not (", normals ? normals->rows() : 0, ", 3)");
  const Vector3 before = origin_;
  origin_ = origin.value_or(packing_origin(positions));
  exact_ = positions;
  positions_ = floats(positions.rowwise() - origin_.transpose());
  Array3 computed;
  if (!normals) drawn_normals(mesh().faces(), positions, mesh_.weld, computed);
  normals_ = floats(normals ? *normals : computed);
  has_positions_ = true;
  cut_edge_ = -1.0;
  mark(Block::positions);
  mark(Block::normals);
  if (origin_ != before && !points_.empty()) rebase_points();
}

void Surface::set_wrinkles(const PackedWrinkles& packed, std::optional<double> smallest_width) {
  require_packed(packed, triangle_count());
  require(!smallest_width || *smallest_width > 0.0, "the smallest width of a wrinkle must be positive, not ",
          smallest_width.value_or(0.0));
  std::vector<std::uint32_t> entries = entries_of(packed);
  const bool changes = !points_.empty() || !packed.points.empty();
  target_edge_ = kTargetEdgeShare * smallest_width.value_or(least_width(packed.points));
  cut_edge_ = -1.0;
  reach_ = std::move(entries);
  for (std::size_t t = 0; t < reached_.size(); ++t) reached_[t] = packed.triangles[2 * t];
  packed_points_.assign(packed.points.begin(), packed.points.end());
  packed_origin_ = packed.origin;
  segments_ = 0;
  for (std::size_t i = 1; i < packed.points.size(); ++i) segments_ += std::size_t(packed.points[i].arc_length > 0.0F);
  if (!changes) return;
  mark(Block::reach);
  rebase_points();
}

void Surface::clear_wrinkles(std::optional<double> smallest_width) {
  set_wrinkles({.triangles = untouched_, .reach = {}, .points = {}}, smallest_width);
}

void Surface::rebase_points() {
  points_ = packed_points_;
  const Vector3 shift = packed_origin_ - origin_;
  if (!shift.isZero(0))
    for (PackedPoint& point : points_)
      for (int k = 0; k < 3; ++k) point.position[k] = float(double(point.position[k]) + shift[k]);
  mark(Block::points);
  mark(Block::samples);
  mark(Block::spheres);
  unrefined_ = true;
}

void Surface::set_tints(std::span<const Rgba8> tints) {
  require(tints.empty() || tints.size() == tints_.size(), "tints must have one row a triangle: ", tints_.size(),
          ", not ", tints.size());
  if (tints.empty() && !tinted_) return;
  if (tints.empty()) {
    std::fill(tints_.begin(), tints_.end(), Rgba8{});
  } else {
    std::copy(tints.begin(), tints.end(), tints_.begin());
  }
  tinted_ = !tints.empty();
  mark(Block::tints);
}

double Surface::exposure(std::span<const Texels> textures) const {
  require(has_positions_, "a surface must be given positions before it is exposed for");
  require(textures.size() == std::size_t(mesh_.texture_count), "there must be ", mesh_.texture_count, " textures, not ",
          textures.size());
  std::vector<std::pair<double, double>> albedos;  // and the area that has it
  double whole = 0.0;
  for (std::size_t t = 0; t < by_texture_.size(); ++t) {
    std::array<double, 3> albedo;
    for (std::size_t k = 0; k < 3; ++k) albedo[k] = linear_from_srgb(double(mesh_.colours[t][k]) / 255.0);
    if (mesh_.textures[t] != kNone) {
      const Texels& texels = textures[std::size_t(mesh_.textures[t])];
      const float* at = &mesh_.texcoords[6 * t];
      const std::size_t pixel = texel((at[1] + at[3] + at[5]) / 3.0F, texels.height) * std::size_t(texels.width) +
                                texel((at[0] + at[2] + at[4]) / 3.0F, texels.width);
      for (std::size_t k = 0; k < 3; ++k) albedo[k] *= linear_from_srgb(double(texels.rgba[4 * pixel + k]) / 255.0);
    }
    const auto face = mesh().faces().row(Eigen::Index(t));
    const Eigen::RowVector3d a = exact_.row(face[0]);
    const double area = (exact_.row(face[1]) - a).cross(exact_.row(face[2]) - a).norm();
    albedos.emplace_back(luminance(albedo[0], albedo[1], albedo[2]), area);
    whole += area;
  }
  std::sort(albedos.rbegin(), albedos.rend());
  double brighter = 0.0;
  for (const auto& [albedo, area] : albedos) {
    brighter += area;
    if (brighter < 0.1 * whole) continue;
    if (albedo > kPalest) return kPalest / albedo;
    return albedo < kDarkest ? std::min(kDarkest / std::max(albedo, 1e-6), kBrightest) : 1.0;
  }
  return 1.0;
}

std::vector<Upload> Surface::take_uploads() {
  const auto content = [&](Block block) -> Upload {
    switch (block) {
      case Block::positions:
        return upload(block, positions_);
      case Block::normals:
        return upload(block, normals_);
      case Block::faces: {
        const Index3& faces = mesh().faces();
        const auto bytes = std::as_bytes(std::span(faces.data(), std::size_t(faces.size())));
        return {block, bytes, bytes.size()};
      }
      case Block::texcoords:
        return upload(block, mesh_.texcoords);
      case Block::colours:
        return upload(block, mesh_.colours);
      case Block::tints:
        return upload(block, tints_);
      case Block::triangles:
        return upload(block, untouched_);
      case Block::reach:
        return upload(block, reach_);
      case Block::points:
        return upload(block, points_);
      case Block::samples:
        return room(block, kSampleBytes * kCurveSamples * points_.size());
      case Block::spheres:
        return room(block, kSphereBytes * points_.size());
      case Block::patches:
        return upload(block, std::span(untouched_).first(reached_.size()));
      case Block::draw_list:
        return upload(block, by_texture_);
      case Block::twins:
        return upload(block, twins_);
    }
    return room(block, 0);
  };
  std::vector<Upload> out;
  for (std::size_t block = 0; block < kBlocks; ++block)
    if (changed_[block]) out.push_back(content(Block(block)));
  changed_.fill(false);
  return out;
}

const Tessellation& Surface::tessellation(double target_edge) {
  if (cut_edge_ == target_edge) return tessellation_;
  require(has_positions_, "a surface must be given positions before it is drawn");
  tessellate(mesh(), exact_, reached_, target_edge, tessellation_);
  std::vector<std::int64_t> counts;
  counts.reserve(by_texture_.size());
  for (const std::uint32_t triangle : by_texture_) counts.push_back(tessellation_.vertices[triangle]);
  patch_ranges_.clear();
  for (const Range& range : ranges_)
    split_draws(std::span(counts).subspan(std::size_t(range.first), std::size_t(range.count)), range.first,
                range.texture, patch_ranges_);
  cut_edge_ = target_edge;
  return tessellation_;
}

const std::vector<Range>& Surface::patch_ranges(double target_edge) {
  tessellation(target_edge);
  return patch_ranges_;
}

}  // namespace pucker::draw
