#include "scene.h"

#include <numeric>

#include "image.h"
#include "pucker/errors.h"

namespace pucker::viewer {

namespace {

Texture make_texture(const io::Material& material) {
  const Picture picture =
      decode_texture(material.texture, message("texture ", material.texture_name, " of material ", material.name));
  Texture texture = generate<Texture>(glGenTextures);
  glBindTexture(GL_TEXTURE_2D, texture.name());
  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_SRGB8_ALPHA8, picture.width, picture.height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
               picture.pixels.data());
  glGenerateMipmap(GL_TEXTURE_2D);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  return texture;
}

/// Materials as colours and textures of triangles.
class Palette {
 public:
  Palette(const std::vector<io::Material>& materials, const Appearance& appearance)
      : default_colour_(appearance.surface_colour), textures_(std::make_shared<Textures>()) {
    for (const io::Material& material : materials) {
      colours_.push_back(srgb_from_linear(material.color));
      numbers_.push_back(material.texture.empty() ? kNone : std::int32_t(textures_->size()));
      if (!material.texture.empty()) textures_->push_back(make_texture(material));
    }
  }

  std::shared_ptr<const Textures> textures() const { return textures_; }

  /// `faces` may number other vertices than the stored surface does, in the same order of triangles and corners.
  SurfaceMesh paint(const io::Surface& stored, Index3 faces, std::int64_t vertex_count) const {
    SurfaceMesh mesh{.faces = std::move(faces),
                     .vertex_count = vertex_count,
                     .colours = {},
                     .texcoords = std::vector<float>(6 * std::size_t(stored.faces.rows())),
                     .textures = {},
                     .weld = {}};
    const bool textured = stored.uv.rows() > 0;
    for (const std::int32_t material : stored.materials) {
      mesh.colours.push_back(colours_.empty() ? default_colour_ : colours_[std::size_t(material)]);
      mesh.textures.push_back(textured ? numbers_[std::size_t(material)] : kNone);
    }
    if (textured)
      for (Eigen::Index corner = 0; corner < stored.faces.size(); ++corner)
        for (Eigen::Index axis = 0; axis < 2; ++axis)
          mesh.texcoords[std::size_t(2 * corner + axis)] = float(stored.uv(stored.faces.data()[corner], axis));
    return mesh;
  }

 private:
  Rgba8 default_colour_;
  std::shared_ptr<Textures> textures_;
  std::vector<Rgba8> colours_;
  std::vector<std::int32_t> numbers_;
};

}  // namespace

Scene::Scene(const ShaderLibrary& shaders, const Appearance& appearance, io::Clip clip, const Params& params)
    : appearance_(appearance),
      clip_(std::make_unique<io::Clip>(std::move(clip))),
      run_(std::make_unique<Run>(*clip_, params)) {
  const io::ClipData& data = clip_->data();
  const Palette palette(data.materials, appearance);
  if (data.body.faces.rows() > 0) {
    SurfaceMesh body = palette.paint(data.body, data.body.faces, clip_->body_vertex_count());
    body.weld = data.body.weld;
    body_ = std::make_unique<Surface>(shaders, appearance, std::move(body), palette.textures());
    surfaces_.push_back(body_.get());
  }
  SurfaceMesh garment = palette.paint(data.garment, clip_->mesh()->faces(), clip_->vertex_count());
  garment.weld.resize(std::size_t(clip_->vertex_count()));
  std::iota(garment.weld.begin(), garment.weld.end(), 0);
  garment_ = std::make_unique<Surface>(shaders, appearance, std::move(garment), palette.textures());
  surfaces_.push_back(garment_.get());
}

void Scene::restart(const Params& params) {
  run_ = std::make_unique<Run>(*clip_, params);
  sent_frame_ = -1;
}

Camera Scene::fitted_camera(const std::array<double, 2>& angles, double aspect) const {
  const io::ClipData& data = clip_->data();
  const auto rows = [](const std::vector<double>& numbers) { return Eigen::Index(numbers.size() / 3); };
  Array3 points(rows(data.positions) + rows(data.body_positions), 3);
  points << Eigen::Map<const Array3>(data.positions.data(), rows(data.positions), 3),
      Eigen::Map<const Array3>(data.body_positions.data(), rows(data.body_positions), 3);
  return fit(points, angles, aspect, appearance_);
}

void Scene::draw(Renderer& renderer, const Target& target, const Camera& camera, const Look& look) {
  const Overlays& overlays = look.overlays;
  send(overlays.labels);
  const Style style{.mode = look.mode,
                    .profile = run_->params().shape.profile,
                    .least_edge = look.least_edge,
                    .path_width = overlays.paths ? appearance_.path_width_share * target.size()[1] : 0.0,
                    .wire_width = overlays.wireframe ? appearance_.wire_width : 0.0,
                    .reached = overlays.reached,
                    .tessellation = overlays.tessellation};
  renderer.draw(target, surfaces_, camera, style, overlay_lines(overlays, *run_, appearance_));
}

void Scene::send(bool labels) {
  const std::int64_t frame = run_->frame();
  if (frame == sent_frame_ && labels == sent_labels_) return;
  garment_->set_labels(labels ? run_->state().labels : std::vector<std::int8_t>{});
  sent_labels_ = labels;
  if (frame == sent_frame_) return;
  garment_->set_positions(clip_->positions(frame));
  garment_->set_wrinkles(run_->state().packed, run_->params().min_width);
  if (body_) body_->set_positions(clip_->body_positions(frame));
  sent_frame_ = frame;
}

}  // namespace pucker::viewer
