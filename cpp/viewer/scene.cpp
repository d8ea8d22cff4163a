#include "scene.h"

#include <array>
#include <functional>
#include <iostream>
#include <optional>
#include <utility>

#include "image.h"
#include "pucker/errors.h"
#include "pucker/nearest.h"

namespace pucker::viewer {

namespace {

constexpr std::array<OverlayChoice, 3> kEverywhere{{
    {"reached", "Tint wrinkled triangles by how much detail overlaps them"},
    {"wireframe", "Draw the mesh's edges"},
    {"tessellation", "Draw the edges of the tessellated triangles"},
}};

Texture make_texture(const Image& picture) {
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

/// The picture of a material; none if it has none, or if it cannot be read, as a model is worth showing without.
std::optional<Image> picture_of(const io::Material& material) {
  if (material.texture.empty()) return std::nullopt;
  try {
    return decode_texture(material.texture, message("texture ", material.texture_name, " of material ", material.name));
  } catch (const Error& error) {
    std::cerr << "pucker-view: " << error.what() << ", it is left out\n";
    return std::nullopt;
  }
}

/// Materials as colours and textures of triangles.
class Palette {
 public:
  explicit Palette(const std::vector<io::Material>& materials) : textures_(std::make_shared<Textures>()) {
    for (const io::Material& material : materials) {
      colours_.push_back(draw::srgb_from_linear(material.color));
      alphas_.push_back(material.alpha);
      std::optional<Image> picture = picture_of(material);
      numbers_.push_back(picture ? std::int32_t(textures_->size()) : kNone);
      if (!picture) continue;
      pictures_.push_back(std::move(*picture));
      textures_->push_back(make_texture(pictures_.back()));
    }
  }

  std::shared_ptr<const Textures> textures() const { return textures_; }
  std::vector<draw::Texels> texels() const {
    std::vector<draw::Texels> out;
    for (const Image& picture : pictures_) out.push_back({picture.width, picture.height, picture.pixels});
    return out;
  }

  /// `mesh` may have other vertices than the stored surface has, in the same order of triangles and corners.
  draw::SurfaceMesh paint(const io::StoredSurface& stored, std::shared_ptr<const Mesh> mesh) const {
    draw::SurfaceMesh painted{.mesh = std::move(mesh),
                              .colours = {},
                              .texcoords = {},
                              .textures = {},
                              .texture_count = std::int32_t(textures_->size()),
                              .weld = {}};
    const bool textured = stored.uv.rows() > 0;
    if (!colours_.empty())
      for (const std::int32_t material : stored.materials) {
        painted.colours.push_back(colours_[std::size_t(material)]);
        painted.alphas.push_back(alphas_[std::size_t(material)]);
        painted.textures.push_back(textured ? numbers_[std::size_t(material)] : kNone);
      }
    if (textured)
      for (Eigen::Index corner = 0; corner < stored.faces.size(); ++corner)
        for (Eigen::Index axis = 0; axis < 2; ++axis)
          painted.texcoords.push_back(float(stored.uv(stored.faces.data()[corner], axis)));
    return painted;
  }

 private:
  std::shared_ptr<Textures> textures_;
  std::vector<Image> pictures_;
  std::vector<draw::Rgba8> colours_;
  std::vector<Alpha> alphas_;
  std::vector<std::int32_t> numbers_;
};

}  // namespace

std::vector<OverlayChoice> overlay_choices(const MethodType& type) {
  std::vector<OverlayChoice> out(kEverywhere.begin(), kEverywhere.end());
  for (const Overlay& overlay : type.overlays()) out.emplace_back(overlay.name, overlay.doc);
  return out;
}

Scene::Scene(io::Clip clip, const MethodType& type, const AnyParams& params, ReadArrays read)
    : type_(&type),
      read_(std::move(read)),
      clip_(std::make_unique<io::Clip>(std::move(clip))),
      run_(std::make_unique<Replay>(*clip_, type, params, read_)) {
  const io::ClipData& data = clip_->data();
  const Palette palette(data.materials);
  if (data.body.faces.rows() > 0) {
    draw::SurfaceMesh body =
        palette.paint(data.body, std::make_shared<Mesh>(data.body.faces, clip_->body_vertex_count()));
    body.weld = data.body.weld;
    body_ = std::make_unique<DrawnSurface>(std::move(body), palette.textures());
    surfaces_.push_back(body_.get());
  }
  draw::SurfaceMesh garment = palette.paint(data.garment, clip_->mesh());
  garment.cloth = true;
  garment_ = std::make_unique<DrawnSurface>(std::move(garment), palette.textures());
  surfaces_.push_back(garment_.get());
  garment_->content().set_positions(clip_->positions(0));
  suited_.emplace(garment_->content(), garment_->content().exposure(palette.texels()));
  box_ = draw::box_corners(all_points());
}

void Scene::restart(const MethodType& type, const AnyParams& params) {
  run_ = std::make_unique<Replay>(*clip_, type, params, read_);
  type_ = &type;
  sent_frame_ = -1;
}

Array3 Scene::all_points() const {
  const io::ClipData& data = clip_->data();
  const auto rows = [](const std::vector<double>& numbers) { return Eigen::Index(numbers.size() / 3); };
  Array3 points(rows(data.positions) + rows(data.body_positions), 3);
  points << Eigen::Map<const Array3>(data.positions.data(), rows(data.positions), 3),
      Eigen::Map<const Array3>(data.body_positions.data(), rows(data.body_positions), 3);
  return points;
}

Camera Scene::fitted_camera(const draw::Angles& angles, double aspect, Focus focus) const {
  const auto& positions = clip_->data().positions;
  const Eigen::Map<const Array3> cloth(positions.data(), Eigen::Index(positions.size() / 3), 3);
  if (focus == Focus::cloth) return draw::holding(draw::fit(cloth, angles, aspect), all_points());
  return draw::fit(all_points(), angles, aspect);
}

void Scene::draw(Renderer& renderer, const Target& target, const Camera& camera, const Appearance& appearance) {
  const std::set<std::string>& asked = appearance.overlays;
  std::string known;
  std::vector<std::string> names;
  std::set<std::string, std::less<>> left(asked.begin(), asked.end());
  for (const auto& [name, doc] : overlay_choices(*type_)) {
    left.erase(std::string(name));
    names.emplace_back(name);
    known.append(known.empty() ? "" : ", ").append(name);
  }
  require(left.empty(), "overlays of the method ", type_->name(), " must be of ", known, ", not '",
          left.empty() ? "" : *left.begin(), "'", left.empty() ? "" : did_you_mean(*left.begin(), names));
  send(appearance);
  double stroke_width = 0.0;
  std::vector<draw::Lines> lines;
  for (const Overlay& overlay : type_->overlays()) {
    if (!asked.contains(std::string(overlay.name))) continue;
    if (overlay.strokes) stroke_width = draw::kStrokeShare * target.size()[1];
    if (overlay.lines == nullptr) continue;
    for (draw::Lines& group : overlay.lines(run_->method())) lines.push_back(std::move(group));
  }
  Style style{.mode = appearance.mode,
              .least_edge = appearance.least_edge,
              .stroke_width = stroke_width,
              .wire_width = asked.contains("wireframe") ? draw::kWireWidth : 0.0,
              .reached = asked.contains("reached"),
              .tessellation = asked.contains("tessellation")};
  for (const std::string& part : appearance.without) style = draw::without(style, part);
  renderer.draw(target, surfaces_, camera, suited_->of(style, camera), lines);
}

void Scene::send(const Appearance& appearance) {
  const std::int64_t frame = run_->frame();
  const bool sent = frame == sent_frame_ && appearance.mode == sent_.mode && appearance.normals == sent_.normals;
  if (sent && appearance.overlays == sent_.overlays) return;
  draw::Surface& garment = garment_->content();
  std::vector<draw::Rgba8> tints;
  for (const Overlay& overlay : type_->overlays())
    if (overlay.tints != nullptr && appearance.overlays.contains(std::string(overlay.name)))
      tints = overlay.tints(run_->method());
  garment.set_tints(tints);
  sent_ = appearance;
  if (sent) return;
  std::optional<Array3> normals;
  std::optional<Array3> corner_normals;
  std::optional<Array3> body_normals;
  const io::StoredSurface& stored = clip_->data().garment;
  if (!clip_->shared_vertices().empty()) {
    io::ShadingNormals found = clip_->shading_normals(frame, false);
    normals.emplace(clip_->vertex_count(), 3);
    (*normals)(stored.weld, Eigen::all) = found.garment;
    body_normals = std::move(found.body);
  }
  if (appearance.normals == Normals::file && clip_->has_authored_normals()) {
    io::ShadingNormals found = clip_->shading_normals(frame, true);
    corner_normals = found.garment(stored.faces.reshaped<Eigen::RowMajor>(), Eigen::all);
    body_normals = std::move(found.body);
  }
  garment.set_positions(clip_->positions(frame), normals, std::nullopt, corner_normals);
  garment.set_detail(run_->state().detail(), appearance.mode);
  if (body_) body_->content().set_positions(clip_->body_positions(frame), body_normals, garment.origin());
  sent_frame_ = frame;
}

}  // namespace pucker::viewer
