#include "surface.h"

#include <algorithm>
#include <numeric>

#include "pucker/errors.h"

namespace pucker::viewer {

namespace {

using FloatArray3 = Eigen::Matrix<float, Eigen::Dynamic, 3, Eigen::RowMajor>;

constexpr std::size_t kSampleBytes = 32;  // two vec4, see samples.glsl
constexpr std::size_t kSphereBytes = 16;  // one vec4

std::span<const std::uint32_t> unsigned_numbers(const Index3& faces) {
  return {reinterpret_cast<const std::uint32_t*>(faces.data()), std::size_t(faces.size())};
}

std::span<const float> numbers(const FloatArray3& values) { return {values.data(), std::size_t(values.size())}; }

/// The reach as the shaders read it, triangle by triangle, two numbers an entry: the triangle in the low bits with the
/// number of segments above, then the first path point.
std::vector<std::uint32_t> reach_entries(const PackedWrinkles& packed, std::uint32_t triangle_bits) {
  const std::uint32_t most_segments = (std::uint32_t(1) << (32 - triangle_bits)) - 1;
  std::vector<std::uint32_t> entries;
  for (std::uint32_t triangle = 0; 2 * triangle < packed.triangles.size(); ++triangle) {
    const std::uint32_t count = packed.triangles[2 * triangle];
    const std::uint32_t start = packed.triangles[2 * triangle + 1];
    for (std::uint32_t row = start; row < start + count; ++row) {
      const std::uint32_t first = packed.reach[2 * row];
      const std::uint32_t segments = packed.reach[2 * row + 1] - first;
      require(segments <= most_segments, "a wrinkle may reach triangle ", triangle, " with at most ", most_segments,
              " segments, not ", segments);
      entries.insert(entries.end(), {triangle | segments << triangle_bits, first});
    }
  }
  return entries;
}

}  // namespace

FloatArray3 vertex_normals(const ConstArray3& positions, const Index3& faces, const std::vector<std::int32_t>& weld) {
  const std::int32_t count = weld.empty() ? 0 : *std::max_element(weld.begin(), weld.end()) + 1;
  Array3 sums = Array3::Zero(count, 3);
  for (Eigen::Index face = 0; face < faces.rows(); ++face) {
    const Vector3 a = positions.row(faces(face, 0));
    const Vector3 ab = positions.row(faces(face, 1)).transpose() - a;
    const Vector3 ac = positions.row(faces(face, 2)).transpose() - a;
    const Vector3 area = ab.cross(ac);
    for (const std::int32_t vertex : faces.row(face)) sums.row(weld[std::size_t(vertex)]) += area.transpose();
  }
  FloatArray3 normals(positions.rows(), 3);
  for (Eigen::Index vertex = 0; vertex < normals.rows(); ++vertex) {
    const Vector3 sum = sums.row(weld[std::size_t(vertex)]);
    const double length = sum.norm();
    const Vector3 unit = length > 0.0 ? Vector3(sum / length) : Vector3(0, 1, 0);
    normals.row(vertex) = unit.cast<float>().transpose();
  }
  return normals;
}

Surface::Surface(const ShaderLibrary& shaders, const Appearance& appearance, SurfaceMesh mesh,
                 std::shared_ptr<const Textures> textures)
    : appearance_(appearance),
      mesh_(std::move(mesh)),
      textures_(std::move(textures)),
      edges_(edge_numbers(mesh_.faces)),
      by_texture_(std::size_t(mesh_.faces.rows())),
      packed_triangles_(2 * by_texture_.size()),
      samples_per_segment_(std::size_t(shaders.constant("SAMPLES_PER_SEGMENT"))),
      reach_triangle_bits_(std::uint32_t(shaders.constant("REACH_TRIANGLE_BITS"))) {
  require(by_texture_.size() <= std::size_t(1) << reach_triangle_bits_, "a surface may have at most ",
          std::size_t(1) << reach_triangle_bits_, " triangles, not ", by_texture_.size());
  for (const char* block : {"Positions", "Normals", "Faces", "Texcoords", "Colours", "Tints", "Triangles", "Reach",
                            "Points", "Samples", "Spheres", "Patches", "Twins", "DrawList"}) {
    buffers_[block];
    bindings_[block] = shaders.binding(block);
  }
  buffers_["Faces"].write(unsigned_numbers(mesh_.faces));
  buffers_["Texcoords"].write(mesh_.texcoords);
  buffers_["Colours"].write(mesh_.colours);
  buffers_["Tints"].write(std::vector<Rgba8>(by_texture_.size()));
  buffers_["Triangles"].write(packed_triangles_);
  buffers_["Patches"].write(std::vector<std::uint32_t>(by_texture_.size()));
  buffers_["Twins"].write(edge_twins(edges_));
  std::iota(by_texture_.begin(), by_texture_.end(), 0U);
  std::stable_sort(by_texture_.begin(), by_texture_.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return mesh_.textures[a] < mesh_.textures[b]; });
  buffers_["DrawList"].write(by_texture_);
  draws_ = grouped_by_texture();
}

void Surface::set_positions(const ConstArray3& positions) {
  positions_ = positions.cast<float>();
  buffers_["Positions"].write(numbers(positions_));
  buffers_["Normals"].write(numbers(vertex_normals(positions, mesh_.faces, mesh_.weld)));
  cut_edge_ = -1.0;
}

void Surface::set_wrinkles(const PackedWrinkles& packed, double smallest_width) {
  const bool changes = point_count_ > 0 || !packed.points.empty();
  target_edge_ = appearance_.target_edge_share * smallest_width;
  packed_triangles_ = packed.triangles;
  cut_edge_ = -1.0;
  if (!changes) return;
  const std::vector<std::uint32_t> entries = reach_entries(packed, reach_triangle_bits_);
  reach_count_ = entries.size() / 2;
  point_count_ = packed.points.size();
  buffers_["Reach"].write(entries);
  buffers_["Points"].write(packed.points);
  buffers_["Samples"].reserve(samples_per_segment_ * point_count_ * kSampleBytes);
  buffers_["Spheres"].reserve(point_count_ * kSphereBytes);
  unrefined_ = true;
}

void Surface::set_labels(const std::vector<std::int8_t>& labels) {
  if (labels.empty() && !tinted_) return;
  std::vector<Rgba8> tints(by_texture_.size(), Rgba8{});
  for (std::size_t triangle = 0; triangle < labels.size(); ++triangle)
    tints[triangle] = appearance_.label_tints.at(std::size_t(labels[triangle]));
  buffers_["Tints"].write(tints);
  tinted_ = !labels.empty();
}

void Surface::bind() const {
  for (const auto& [block, buffer] : buffers_) buffer.bind(GL_SHADER_STORAGE_BUFFER, bindings_.at(block));
}

const std::vector<Draw>& Surface::patch_draws(double target_edge) {
  if (cut_edge_ == target_edge) return patch_draws_;
  cut_edge_ = target_edge;
  const auto max_level = float(appearance_.max_level);
  std::vector<std::int64_t> by_triangle(by_texture_.size());
  limited_edges_ = 0;
  for (const Patch& patch : find_patches(packed_triangles_, edges_)) {
    const std::array<float, 3> levels = edge_levels(patch, corners(patch.triangle), float(target_edge));
    limited_edges_ += std::count_if(levels.begin(), levels.end(), [=](float level) { return level > max_level; });
    by_triangle[patch.triangle] =
        vertex_count(std::int64_t(std::min(*std::max_element(levels.begin(), levels.end()), max_level)));
  }
  std::vector<std::int64_t> counts;
  counts.reserve(by_texture_.size());
  for (const std::uint32_t triangle : by_texture_) counts.push_back(by_triangle[triangle]);
  patch_draws_.clear();
  for (const Draw& range : draws_)
    for (const auto& [first, count] :
         split_draws(std::span(counts).subspan(std::size_t(range.first), std::size_t(range.count)),
                     appearance_.max_draw_vertices))
      patch_draws_.push_back({range.first + first, count, range.texture});
  return patch_draws_;
}

std::vector<Draw> Surface::grouped_by_texture() const {
  std::vector<Draw> draws;
  std::int32_t last = kNone - 1;
  for (std::size_t k = 0; k < by_texture_.size(); ++k) {
    const std::int32_t texture = mesh_.textures[by_texture_[k]];
    if (texture != last) draws.push_back({GLint(k), 0, texture < 0 ? 0 : (*textures_)[std::size_t(texture)].name()});
    ++draws.back().count;
    last = texture;
  }
  return draws;
}

std::array<Eigen::Vector3f, 3> Surface::corners(std::uint32_t triangle) const {
  const auto face = mesh_.faces.row(Eigen::Index(triangle));
  return {positions_.row(face[0]), positions_.row(face[1]), positions_.row(face[2])};
}

}  // namespace pucker::viewer
