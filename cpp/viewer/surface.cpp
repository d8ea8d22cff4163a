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
      list_binding_(shaders.binding("DrawList")),
      packed_triangles_(2 * by_texture_.size()),
      samples_per_segment_(std::size_t(shaders.constant("SAMPLES_PER_SEGMENT"))) {
  for (const char* block : {"Positions", "Normals", "Faces", "Texcoords", "Colours", "Tints", "Triangles", "Reach",
                            "Points", "Samples", "Spheres", "Patches"}) {
    buffers_[block];
    bindings_[block] = shaders.binding(block);
  }
  buffers_["Faces"].write(unsigned_numbers(mesh_.faces));
  buffers_["Texcoords"].write(mesh_.texcoords);
  buffers_["Colours"].write(mesh_.colours);
  buffers_["Triangles"].write(packed_triangles_);
  std::iota(by_texture_.begin(), by_texture_.end(), 0U);
  std::stable_sort(by_texture_.begin(), by_texture_.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return mesh_.textures[a] < mesh_.textures[b]; });
  everything_.write(by_texture_);
  everything_draws_ = group(by_texture_);
  set_labels({});
}

void Surface::set_positions(const ConstArray3& positions) {
  positions_ = positions.cast<float>();
  buffers_["Positions"].write(numbers(positions_));
  buffers_["Normals"].write(numbers(vertex_normals(positions, mesh_.faces, mesh_.weld)));
  cut_edge_ = -1.0;
}

void Surface::set_wrinkles(const PackedWrinkles& packed, double smallest_width) {
  target_edge_ = appearance_.target_edge_share * smallest_width;
  packed_triangles_ = packed.triangles;
  point_count_ = packed.points.size();
  buffers_["Triangles"].write(packed.triangles);
  buffers_["Reach"].write(packed.reach);
  buffers_["Points"].write(packed.points);
  buffers_["Samples"].reserve(samples_per_segment_ * point_count_ * kSampleBytes);
  buffers_["Spheres"].reserve(point_count_ * kSphereBytes);
  std::vector<std::uint32_t> starts;
  for (std::size_t point = 1; point < point_count_; ++point)
    // An arc length of 0 starts a path, so no segment leads there.
    if (packed.points[point].arc_length > 0.0F) starts.push_back(std::uint32_t(point - 1));
  path_list_.write(starts);
  segments_ = starts.size();
  unrefined_ = segments_ > 0;
  cut_edge_ = -1.0;
}

void Surface::set_labels(const std::vector<std::int8_t>& labels) {
  std::vector<Rgba8> tints(by_texture_.size(), Rgba8{});
  for (std::size_t triangle = 0; triangle < labels.size(); ++triangle)
    tints[triangle] = appearance_.label_tints.at(std::size_t(labels[triangle]));
  buffers_["Tints"].write(tints);
}

void Surface::bind() const {
  for (const auto& [block, buffer] : buffers_) buffer.bind(GL_SHADER_STORAGE_BUFFER, bindings_.at(block));
}

void Surface::bind_paths() const { path_list_.bind(GL_SHADER_STORAGE_BUFFER, list_binding_); }

const std::vector<Draw>& Surface::all_draws() const {
  everything_.bind(GL_SHADER_STORAGE_BUFFER, list_binding_);
  return everything_draws_;
}

const std::vector<Draw>& Surface::plain_draws() const {
  plain_.bind(GL_SHADER_STORAGE_BUFFER, list_binding_);
  return plain_draws_;
}

void Surface::cut(double target_edge) {
  if (cut_edge_ == target_edge) return;
  cut_edge_ = target_edge;
  std::vector<Patch> patches = find_patches(packed_triangles_, edges_);
  std::stable_sort(patches.begin(), patches.end(), [&](const Patch& a, const Patch& b) {
    return mesh_.textures[a.triangle] < mesh_.textures[b.triangle];
  });
  std::vector<bool> is_patch(by_texture_.size());
  std::vector<std::uint32_t> triangles, codes, plain;
  std::vector<std::int64_t> counts;
  for (const Patch& patch : patches) {
    is_patch[patch.triangle] = true;
    triangles.push_back(patch.triangle);
    codes.push_back(patch.code());
    counts.push_back(vertex_count(patch, corners(patch.triangle), float(target_edge), float(appearance_.max_level)));
  }
  std::copy_if(by_texture_.begin(), by_texture_.end(), std::back_inserter(plain),
               [&](std::uint32_t triangle) { return !is_patch[triangle]; });
  plain_.write(plain);
  plain_draws_ = group(plain);
  buffers_["Patches"].write(codes);
  patch_draws_.clear();
  for (const Draw& range : group(triangles)) {
    const std::vector<std::int64_t> part(counts.begin() + range.first, counts.begin() + range.first + range.count);
    for (const auto& [first, count] : split_draws(part, appearance_.max_draw_vertices))
      patch_draws_.push_back({range.first + first, count, range.texture});
  }
}

std::vector<Draw> Surface::group(const std::vector<std::uint32_t>& triangles) const {
  std::vector<Draw> draws;
  std::int32_t last = kNone - 1;
  for (std::size_t k = 0; k < triangles.size(); ++k) {
    const std::int32_t texture = mesh_.textures[triangles[k]];
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
