#include "played_clip.h"

#include <array>
#include <functional>
#include <iostream>
#include <optional>
#include <utility>

#include "image.h"
#include "pucker/errors.h"
#include "pucker/io/npz.h"
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

/// The one array of a file; see ReadArray.
NamedArray read_array(const std::string& path) { return path.ends_with(".npy") ? io::read_npy(path) : read_grey(path); }

}  // namespace

NamedArrays read_arrays(const std::string& path, std::span<const std::string_view> names) {
  return io::read_npz(path, names);
}

std::vector<OverlayChoice> overlay_choices(const MethodType& type) {
  std::vector<OverlayChoice> out(kEverywhere.begin(), kEverywhere.end());
  for (const Overlay& overlay : type.overlays()) out.emplace_back(overlay.name, overlay.doc);
  return out;
}

PlayedClip::PlayedClip(io::Clip clip, const MethodType& type, const AnyParams& params, ReadArrays read)
    : type_(&type),
      read_(std::move(read)),
      clip_(std::make_unique<io::Clip>(std::move(clip))),
      replay_(replay_of(type, params)) {
  auto textures = std::make_shared<Textures>();
  std::vector<std::int32_t> numbers;
  std::vector<Image> pictures;
  for (const io::Material& material : clip_->data().materials) {
    std::optional<Image> picture = picture_of(material);
    numbers.push_back(picture ? std::int32_t(pictures.size()) : kNone);
    if (!picture) continue;
    textures->push_back(make_texture(*picture));
    pictures.push_back(std::move(*picture));
  }
  std::vector<draw::Texels> texels;
  texels.reserve(pictures.size());
  for (const Image& picture : pictures) texels.push_back({picture.width, picture.height, picture.pixels});
  shown_.emplace(*clip_, numbers, texels);
  for (const auto& surface : {shown_->body(), shown_->garment()})
    if (surface) surfaces_.emplace_back(surface, textures);
  box_ = draw::box_corners(scene::points_of(*clip_));
}

std::unique_ptr<scene::Replay> PlayedClip::replay_of(const MethodType& type, const AnyParams& params) const {
  StartInput start = scene::start_of(*clip_);
  start.read = read_;
  start.read_array = read_array;
  start.warn = [](const std::string& text) { std::cerr << "pucker-view: " << text << "\n"; };
  return std::make_unique<scene::Replay>(scene::ClipRun(*clip_, type.start(start, params)));
}

void PlayedClip::restart(const MethodType& type, const AnyParams& params) {
  replay_ = replay_of(type, params);
  type_ = &type;
  sent_frame_ = -1;
}

void PlayedClip::draw(Renderer& renderer, const Target& target, const Camera& camera, const Appearance& appearance) {
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
    for (draw::Lines& group : overlay.lines(method())) lines.push_back(std::move(group));
  }
  Style style{.mode = appearance.mode,
              .least_edge = appearance.least_edge,
              .stroke_width = stroke_width,
              .wire_width = asked.contains("wireframe") ? draw::kWireWidth : 0.0,
              .reached = asked.contains("reached"),
              .tessellation = asked.contains("tessellation")};
  for (const std::string& part : appearance.without) style = draw::without(style, part);
  renderer.draw(target, surfaces_, camera, shown_->style(style, camera), lines);
}

void PlayedClip::send(const Appearance& appearance) {
  const std::int64_t frame = replay_->frame();
  const bool sent = frame == sent_frame_ && appearance.mode == sent_.mode && appearance.normals == sent_.normals;
  if (sent && appearance.overlays == sent_.overlays) return;
  draw::Surface& garment = *shown_->garment();
  std::vector<draw::Rgba8> tints;
  for (const Overlay& overlay : type_->overlays())
    if (overlay.tints != nullptr && appearance.overlays.contains(std::string(overlay.name)))
      tints = overlay.tints(method());
  garment.set_tints(tints);
  sent_ = appearance;
  if (sent) return;
  shown_->show(frame, appearance.normals == Normals::file);
  garment.set_detail(method().state().detail(), appearance.mode);
  sent_frame_ = frame;
}

}  // namespace pucker::viewer
