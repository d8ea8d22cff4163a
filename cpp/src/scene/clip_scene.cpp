#include "pucker/scene/clip_scene.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "pucker/errors.h"
#include "pucker/scene/scenery.h"

namespace pucker::scene {

namespace {

Eigen::Map<const Array3> rows_of(const std::vector<double>& numbers) {
  return {numbers.data(), Eigen::Index(numbers.size() / 3), 3};
}

/// Triangles with the colours and textures of their materials. `mesh` may have other vertices than the stored surface
/// has, in the same order of triangles and corners.
draw::SurfaceMesh painted(const io::StoredSurface& stored, std::shared_ptr<const Mesh> mesh,
                          std::span<const io::Material> materials, std::span<const std::int32_t> textures,
                          std::size_t pictures) {
  draw::SurfaceMesh out{.mesh = std::move(mesh),
                        .colours = {},
                        .texcoords = {},
                        .textures = {},
                        .texture_count = std::int32_t(pictures),
                        .weld = {}};
  const bool textured = stored.uv.rows() > 0 && pictures > 0;
  for (const std::int32_t number : stored.materials) {
    const io::Material& material = materials[std::size_t(number)];
    out.colours.push_back(draw::srgb_from_linear(material.color));
    out.alphas.push_back(material.alpha);
    if (textured) out.textures.push_back(textures[std::size_t(number)]);
  }
  if (textured)
    for (const std::int32_t vertex : stored.faces.reshaped<Eigen::RowMajor>())
      for (Eigen::Index axis = 0; axis < 2; ++axis) out.texcoords.push_back(float(stored.uv(vertex, axis)));
  return out;
}

}  // namespace

Array3 points_of(const io::Clip& clip) {
  const auto garment = rows_of(clip.data().positions);
  const auto body = rows_of(clip.data().body_positions);
  Array3 points(garment.rows() + body.rows(), 3);
  points << garment, body;
  return points;
}

draw::Camera fitted_camera(const io::Clip& clip, const draw::Angles& angles, double aspect, Focus focus,
                           const std::optional<FrameRange>& frames) {
  const FrameRange shown = frames.value_or(FrameRange{0, clip.frame_count() - 1});
  const std::int64_t first = shown[0];
  const std::int64_t last = shown[1];
  require(0 <= first && first <= last && last < clip.frame_count(), "frames must lie in [0, ", clip.frame_count(),
          ") and rise, not ", first, " to ", last);
  const auto rows = [&](const std::vector<double>& numbers, std::int64_t vertices) {
    return rows_of(numbers).middleRows(first * vertices, (last - first + 1) * vertices);
  };
  const auto garment = rows(clip.data().positions, clip.vertex_count());
  const auto body = rows(clip.data().body_positions, clip.body_vertex_count());
  Array3 all(garment.rows() + body.rows(), 3);
  all << garment, body;
  const draw::Angles turned{angles[0] + io::front_of(clip), angles[1]};
  if (focus == Focus::cloth) return draw::holding(draw::fit(garment, turned, aspect), all);
  const std::vector<std::uint8_t> scenery = scenery_of(clip);
  if (std::count(scenery.begin(), scenery.end(), 1) == 0) return draw::fit(all, turned, aspect);
  std::vector<Eigen::Index> character;
  for (Eigen::Index row = 0; row < all.rows(); ++row) {
    const Eigen::Index of_body = row - garment.rows();
    if (of_body < 0 || scenery[std::size_t(of_body) % scenery.size()] == 0) character.push_back(row);
  }
  return draw::holding(draw::fit(all(character, Eigen::all), turned, aspect), all);
}

ClipScene::ClipScene(const io::Clip& clip, std::span<const std::int32_t> textures,
                     std::span<const draw::Texels> pictures)
    : clip_(clip) {
  const io::ClipData& data = clip.data();
  require(textures.size() == data.materials.size(), "textures must have ", data.materials.size(),
          " entries, one a material, not ", textures.size());
  draw::SurfaceMesh garment = painted(data.garment, clip.mesh(), data.materials, textures, pictures.size());
  garment.cloth = true;
  garment_ = std::make_shared<draw::Surface>(std::move(garment));
  if (data.body.faces.rows() > 0) {
    const auto mesh = std::make_shared<Mesh>(data.body.faces, clip.body_vertex_count());
    draw::SurfaceMesh body = painted(data.body, mesh, data.materials, textures, pictures.size());
    body.weld = data.body.weld;
    body_ = std::make_shared<draw::Surface>(std::move(body));
  }
  garment_->set_positions(clip.positions(0));
  suited_.emplace(*garment_, garment_->exposure(pictures));
}

void ClipScene::show(std::int64_t frame, bool authored) {
  require(frame >= 0 && frame < clip_.frame_count(), "frame must lie in [0, ", clip_.frame_count(), "), not ", frame);
  const Shown asked{.frame = frame, .authored = authored};
  if (shown_ == asked) return;
  const io::StoredSurface& stored = clip_.data().garment;
  std::optional<Array3> normals;
  std::optional<Array3> corner_normals;
  std::optional<Array3> body_normals;
  // Elsewhere the triangles of each surface say all there is to say.
  if (!clip_.shared_vertices().empty()) {
    io::ShadingNormals found = clip_.shading_normals(frame, false);
    normals.emplace(clip_.vertex_count(), 3);
    (*normals)(stored.weld, Eigen::all) = found.garment;
    body_normals = std::move(found.body);
  }
  if (authored && clip_.has_authored_normals()) {
    io::ShadingNormals found = clip_.shading_normals(frame, true);
    corner_normals = found.garment(stored.faces.reshaped<Eigen::RowMajor>(), Eigen::all);
    body_normals = std::move(found.body);
  }
  garment_->set_positions(clip_.positions(frame), normals, std::nullopt, corner_normals);
  if (body_) body_->set_positions(clip_.body_positions(frame), body_normals, garment_->origin());
  shown_ = asked;
}

}  // namespace pucker::scene
