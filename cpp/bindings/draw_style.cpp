#include "pucker/draw/style.h"

#include "draw.h"
#include "enums.h"
#include "pucker/draw/lighting.h"
#include "record.h"

namespace pucker::bindings {

namespace {

using namespace draw;

void register_light(py::module_& m) {
  bind_record<Light>(
      m, "Light",
      "A key light, a weaker fill light from the other side, and a sky; directions are towards the light, colours "
      "linear.",
      RecordField{"key_direction", &Light::key_direction, "Towards the key light."},
      RecordField{"key_colour", &Light::key_colour, "Of the key light."},
      RecordField{"fill_direction", &Light::fill_direction, "Towards the fill light."},
      RecordField{"fill_colour", &Light::fill_colour, "Of the fill light."},
      RecordField{"sky_colour", &Light::sky_colour, "Of what comes from above."},
      RecordField{"ground_colour", &Light::ground_colour, "Of what comes from below."},
      RecordField{"specular", &Light::specular, "Strength of the highlights."},
      RecordField{"exponent", &Light::exponent, "How narrow they are."},
      RecordField{
          "grazing", &Light::grazing,
          "Degrees between the key light and the mean normal of the cloth in view, from above the camera's left, "
          "where a ClipRenderer draws; None: key_direction."},
      RecordField{
          "attached", &Light::attached,
          "Whether key and fill turn with the camera (x right, y up, z towards the viewer); otherwise they stand "
          "in the world."});
}

void register_style(py::module_& m) {
  bind_record<Style>(
      m, "Style",
      R"(How a picture is drawn. Colours are sRGB in [0, 1], line widths in pixels; a width of 0 draws no lines.

Tessellated edges are 3/8 of the smallest feature, but no shorter than `least_edge` pixels at the camera's target: normals
are evaluated for each pixel, so smaller triangles change no more than single pixels of an outline.)",
      RecordField{"mode", &Style::mode, "What of the detail is drawn."},
      RecordField{"light", &Style::light,
                  "The light; None stands for Light(), and for FOLD_LIGHT where a ClipRenderer draws."},
      RecordField{"shadows", &Style::shadows,
                  "Whether the key light casts shadows; None stands for no, and for yes where a ClipRenderer draws."},
      RecordField{"occlusion", &Style::occlusion,
                  "Whether what is near keeps the other light away; None as for shadows."},
      RecordField{"fabric", &Style::fabric,
                  "Whether untextured cloth has a fine weave and a sheen; None as for shadows."},
      RecordField{"exposure", &Style::exposure,
                  "Factor of all light; None stands for 1, and for what suits the cloth where a ClipRenderer draws."},
      RecordField{"background", &Style::background, "What is seen beside the surfaces."},
      RecordField{"least_edge", &Style::least_edge,
                  "Shortest tessellated edge in pixels at the camera's target; 0 takes the limit away."},
      RecordField{"stroke_width", &Style::stroke_width,
                  "Of the lines that the method's own shaders draw, such as the paths of wrinkles."},
      RecordField{"stroke_colour", &Style::stroke_colour, "Of those lines."},
      RecordField{"wire_width", &Style::wire_width, "Of the mesh's edges."},
      RecordField{"wire_colour", &Style::wire_colour, "Of the mesh's edges."},
      RecordField{"reached", &Style::reached, "Tints the triangles that detail reaches."},
      RecordField{"reached_colour", &Style::reached_colour, "That tint."},
      RecordField{"reached_left", &Style::reached_left,
                  "Share of its colour that each piece of detail leaves a triangle."},
      RecordField{"tessellation", &Style::tessellation,
                  "Draws the edges of the tessellated triangles, one pixel wide; they fade where they are close."},
      RecordField{"tessellation_colour", &Style::tessellation_colour, "Of those edges."});
}

void register_numbers(py::module_& m) {
  m.attr("STROKE_SHARE") = kStrokeShare;
  m.attr("WIRE_WIDTH") = kWireWidth;
  m.attr("LINE_WIDTH") = kLineWidth;
  m.attr("SURFACE_COLOUR") =
      py::make_tuple(kSurfaceColour[0] / 255.0, kSurfaceColour[1] / 255.0, kSurfaceColour[2] / 255.0);
  m.attr("PICTURE_SIZE") = py::tuple(py::cast(kPictureSize));
  m.attr("SAMPLES") = kSamples;
  m.attr("FOLD_LIGHT") = kFoldLight;
  m.attr("MAX_LEVEL") = kMaxLevel;
  m.attr("TARGET_EDGE_SHARE") = kTargetEdgeShare;
}

}  // namespace

void register_draw_style(py::module_& m) {
  bind_int_enum<Mode>(m, "Mode",
                      "What of the detail is drawn. `parallax` moves nothing, as `normals`, but shifts textures by how "
                      "high the detail stands (Loviscach 2006).");
  bind_int_enum<Output>(m, "Output",
                        "What a pixel holds: the shaded colour, or the surface's unit normal or position as floats.");
  register_light(m);
  register_style(m);
  register_numbers(m);
  py::dict parts;
  Style plain;
  for (const auto& [part, doc] : kLightParts) {
    parts[py::str(std::string(part))] = doc;
    plain = without(plain, part);
  }
  m.attr("LIGHT_PARTS") = parts;
  m.attr("PLAIN_STYLE") = plain;
  m.def(
      "without", &without, py::arg("style"), py::arg("part"),
      "The style without a part of the light that suits a clip, a name of LIGHT_PARTS. Raises ValueError for another.");
  m.def(
      "grazing_direction",
      [](const ArrayLike& area_normals, const Camera& camera, double angle) {
        return tuple_of(grazing_direction(input_array3(area_normals, -1, "area_normals"), camera, angle));
      },
      py::arg("area_normals"), py::arg("camera"), py::arg("angle"),
      "The unit direction, in the camera's axes, towards a light that stands so many degrees off the mean normal of "
      "the "
      "triangles that face the camera, above its left; area_normals (m, 3) are as long as the areas. Raises ValueError "
      "unless the angle lies in [0, 90].");
  m.def(
      "srgb_from_linear",
      [](const ArrayLike& colours) {
        return py::vectorize([](double linear) { return srgb_from_linear(linear); })(input<double>(colours, "colours"));
      },
      py::arg("colours"),
      "8-bit sRGB (IEC 61966-2-1) of linear colour in [0, 1]; any shape. Raises ValueError outside.");
  m.def(
      "linear_from_srgb",
      [](const ArrayLike& colours) {
        return py::vectorize([](double encoded) { return linear_from_srgb(encoded); })(
            input<double>(colours, "colours"));
      },
      py::arg("colours"), "Linear light of sRGB colour in [0, 1]; any shape.");
}

}  // namespace pucker::bindings
