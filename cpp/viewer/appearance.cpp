#include "appearance.h"

#include <cmath>

#include "json_file.h"

namespace pucker::viewer {

namespace {

using nlohmann::json;

Vector3 vector(const json& values) {
  const auto numbers = values.get<std::array<double, 3>>();
  return {numbers[0], numbers[1], numbers[2]};
}

Light light(const json& values) {
  return {.key_direction = vector(values.at("key_direction")),
          .key_colour = vector(values.at("key_colour")),
          .fill_direction = vector(values.at("fill_direction")),
          .fill_colour = vector(values.at("fill_colour")),
          .sky_colour = vector(values.at("sky_colour")),
          .ground_colour = vector(values.at("ground_colour")),
          .specular = values.at("specular"),
          .exponent = values.at("exponent")};
}

Appearance appearance(const json& values) {
  const json& style = values.at("style");
  const json& overlays = values.at("overlays");
  const json& surface = values.at("surface");
  const json& camera = values.at("camera");
  const json& picture = values.at("picture");
  return {.light = light(values.at("light")),
          .background = vector(style.at("background")),
          .path_colour = vector(style.at("path_colour")),
          .wire_colour = vector(style.at("wire_colour")),
          .tessellation_colour = vector(style.at("tessellation_colour")),
          .reached_colour = vector(style.at("reached_colour")),
          .reached_left = style.at("reached_left"),
          .path_width_share = style.at("path_width_share"),
          .wire_width = style.at("wire_width"),
          .least_edge = style.at("least_edge"),
          .ellipse_colour = vector(overlays.at("ellipse_colour")),
          .reference_colour = vector(overlays.at("reference_colour")),
          .seed_colour = vector(overlays.at("seed_colour")),
          .line_width = overlays.at("line_width"),
          .seed_width = overlays.at("seed_width"),
          .surface_colour = surface.at("colour"),
          .label_tints = surface.at("label_tints"),
          .target_edge_share = surface.at("target_edge_share"),
          .max_level = surface.at("max_level"),
          .max_draw_vertices = surface.at("max_draw_vertices"),
          .view = camera.at("view"),
          .field_of_view = camera.at("field_of_view"),
          .near = camera.at("near"),
          .far = camera.at("far"),
          .margin = camera.at("margin"),
          .views = camera.at("views"),
          .size = picture.at("size"),
          .samples = picture.at("samples"),
          .min_width_share = values.at("min_width_share")};
}

}  // namespace

Appearance read_appearance(const std::filesystem::path& shader_folder) {
  Appearance result;
  read_json(shader_folder / "appearance.json", [&](const json& values) { result = appearance(values); });
  return result;
}

Rgba8 srgb_from_linear(const std::array<double, 4>& colour) {
  Rgba8 result;
  for (std::size_t k = 0; k < 4; ++k) {
    const double linear = colour[k];
    require(linear >= 0.0 && linear <= 1.0, "linear colour must lie in [0, 1], not ", linear);
    const double encoded = linear <= 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 1.0 / 2.4) - 0.055;
    result[k] = std::uint8_t(std::nearbyint(255.0 * encoded));
  }
  return result;
}

Vector3 linear_from_srgb(const Vector3& colour) {
  return colour.unaryExpr(
      [](double encoded) { return encoded <= 0.04045 ? encoded / 12.92 : std::pow((encoded + 0.055) / 1.055, 2.4); });
}

}  // namespace pucker::viewer
