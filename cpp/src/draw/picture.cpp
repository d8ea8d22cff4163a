#include "pucker/draw/picture.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "pucker/errors.h"
#include "pucker/mesh/origin.h"

namespace pucker::draw {

namespace {

constexpr std::int64_t kGroup = 64;       // invocations of a work group of the compute programs
constexpr std::int64_t kLineCorners = 6;  // two triangles

std::array<float, 3> linear(const Colour& colour) {
  const Colour light = linear_from_srgb(colour);
  return {float(light[0]), float(light[1]), float(light[2])};
}

/// A program of the method of a surface's detail.
std::string of_method(const Surface& surface, std::string_view program) {
  return std::string(surface.method()).append("/").append(program);
}

std::vector<Uniform> line_uniforms(const Colour& colour, double width) {
  return {{"flat_colour", linear(colour)}, {"line_width", float(width)}};
}

Vector3 vector(const Colour& values) { return {values[0], values[1], values[2]}; }

/// Builds the list of one picture.
class Builder {
 public:
  Builder(std::span<Surface* const> surfaces, const Camera& camera, const Style& style, const Size& size, Output output)
      : surfaces_(surfaces), camera_(camera), style_(style), size_(size), output_(output) {}

  Picture run(std::span<const Lines> lines) {
    const bool shaded = output_ == Output::shaded;
    out_.background = {};
    if (shaded)
      std::transform(style_.background.begin(), style_.background.end(), out_.background.begin(),
                     [](double x) { return float(x); });
    for (std::int32_t k = 0; k < count(); ++k)
      for (Step& step : refinement(surface(k), k)) out_.steps.push_back(std::move(step));
    for (std::int32_t k = 0; k < count(); ++k) add_plain(k);
    for (std::int32_t k = 0; k < count(); ++k)
      if (const auto edge = target_edge(k)) add_wrinkled(k, *edge);
    if (!shaded) return std::move(out_);
    if (style_.tessellation)
      for (std::int32_t k = 0; k < count(); ++k)
        if (const auto edge = target_edge(k)) add_tessellation(k, *edge);
    if (style_.stroke_width > 0.0)
      for (std::int32_t k = 0; k < count(); ++k) add_strokes(k);
    for (const Lines& group : lines) add_lines(group);
    return std::move(out_);
  }

 private:
  std::int32_t count() const { return std::int32_t(surfaces_.size()); }
  Surface& surface(std::int32_t index) { return *surfaces_[std::size_t(index)]; }

  /// Length of tessellated edges, none where nothing is displaced.
  std::optional<double> target_edge(std::int32_t index) {
    if (!displaces(style_.mode) || !surface(index).displaced()) return std::nullopt;
    return std::max(surface(index).target_edge(), style_.least_edge * camera_.pixel_size(size_[1]));
  }

  std::int32_t frame_of(const Vector3& origin) {
    const auto found = std::find(origins_.begin(), origins_.end(), origin);
    const auto index = std::int32_t(found - origins_.begin());
    if (found == origins_.end()) {
      origins_.push_back(origin);
      out_.frames.push_back(frame_block(camera_, style_, size_, origin));
    }
    return index;
  }

  void add_shaded(Step step) {
    step.frame = frame_of(surface(step.surface).origin());
    step.textures = true;
    step.constants.push_back({"mode", std::int32_t(style_.mode)});
    step.constants.push_back({"output_kind", std::int32_t(output_)});
    step.uniforms.push_back({"first_corner_normal", surface(step.surface).first_corner_normal()});
    out_.steps.push_back(std::move(step));
  }

  void add_plain(std::int32_t index) {
    const bool without_patches = target_edge(index).has_value();
    // No detail reaches the triangles that are left over where others are tessellated.
    const bool detailed = !without_patches && !surface(index).divided();
    Step step{.pass = Pass::plain,
              .program = detailed ? of_method(surface(index), "surface") : std::string(kPlainMethod).append("/surface"),
              .surface = index,
              .constants = detailed ? surface(index).content().constants : std::vector<Constant>{},
              .uniforms = {{"without_patches", std::int32_t(without_patches)}},
              .ranges = surface(index).ranges()};
    add_shaded(std::move(step));
  }

  void add_wrinkled(std::int32_t index, double edge) {
    add_shaded(patch_step(surface(index), index, Pass::wrinkled, "patch", edge));
  }

  void add_tessellation(std::int32_t index, double edge) {
    Step step = patch_step(surface(index), index, Pass::tessellation, "tessellation", edge);
    step.frame = frame_of(surface(index).origin());
    step.edges = true;
    step.uniforms.push_back({"flat_colour", linear(style_.tessellation_colour)});
    out_.steps.push_back(std::move(step));
  }

  void add_strokes(std::int32_t index) {
    const Strokes& strokes = surface(index).content().strokes;
    if (strokes.count == 0) return;
    out_.steps.push_back({.pass = Pass::strokes,
                          .program = of_method(surface(index), strokes.program),
                          .surface = index,
                          .frame = frame_of(surface(index).origin()),
                          .uniforms = line_uniforms(style_.stroke_colour, style_.stroke_width),
                          .ranges = {{0, strokes.pieces}},
                          .vertices_each = kLineCorners,
                          .instances = strokes.count});
  }

  void add_lines(const Lines& lines) {
    if (lines.ends.rows() == 0) return;
    // Lines lie on the surfaces and are drawn relative to the same point.
    const Vector3 origin = surfaces_.empty() ? nearby_origin(lines.ends) : surfaces_.back()->origin();
    std::vector<float> ends;
    ends.reserve(std::size_t(lines.ends.size()));
    for (const auto& end : lines.ends.rowwise())
      for (Eigen::Index k = 0; k < 3; ++k) ends.push_back(float(end[k] - origin[k]));
    out_.steps.push_back({.pass = Pass::lines,
                          .program = "line",
                          .lines = std::int32_t(out_.line_ends.size()),
                          .frame = frame_of(origin),
                          .uniforms = line_uniforms(lines.colour, lines.width),
                          .ranges = {{0, 1}},
                          .vertices_each = kLineCorners,
                          .instances = std::int64_t(lines.ends.rows() / 2)});
    out_.line_ends.push_back(std::move(ends));
  }

  std::span<Surface* const> surfaces_;
  const Camera& camera_;
  const Style& style_;
  const Size& size_;
  Output output_;
  std::vector<Vector3> origins_;
  Picture out_;
};

}  // namespace

Lines closed_lines(const ConstArray3& corners, Eigen::Index count, const Colour& colour, double width) {
  require(count > 0 && corners.rows() % count == 0, "polygons of ", count, " corners cannot have ", corners.rows());
  Lines lines{.ends = Array3(2 * corners.rows(), 3), .colour = colour, .width = width};
  for (Eigen::Index first = 0; first < corners.rows(); first += count)
    for (Eigen::Index k = 0; k < count; ++k) {
      lines.ends.row(2 * (first + k)) = corners.row(first + k);
      lines.ends.row(2 * (first + k) + 1) = corners.row(first + (k + 1) % count);
    }
  return lines;
}

void require_lines(const Lines& lines) {
  require(lines.ends.rows() % 2 == 0, "lines have two ends each, not ", lines.ends.rows(), " in all");
  for (Eigen::Index end = 0; end < lines.ends.rows(); ++end)
    require(lines.ends.row(end).allFinite(), "line ", end / 2, " is not finite");
  require(lines.width > 0.0, "the width of lines must be positive, not ", lines.width);
}

Lines dots(const ConstArray3& points, const Colour& colour, double width) {
  return closed_lines(points, 1, colour, width);
}

FrameBlock frame_block(const Camera& camera, const Style& style, const Size& size, const Vector3& origin) {
  Camera near = camera;
  near.eye -= origin;
  near.target -= origin;
  const Light& light = style.light;
  const Eigen::Matrix3d turn = light.attached ? camera.axes() : Eigen::Matrix3d::Identity();
  FrameBlock out;
  auto next = out.begin();
  const auto add = [&](const Vector3& xyz, double w) {
    for (const double value : {xyz.x(), xyz.y(), xyz.z(), w}) *next++ = float(value);
  };
  // std140 stores matrices by columns.
  const Eigen::Matrix4d matrix = near.view_projection(double(size[0]) / double(size[1]));
  for (Eigen::Index column = 0; column < 4; ++column) add(matrix.col(column).head<3>(), matrix(3, column));
  add(near.eye, 0.0);
  add((turn * vector(light.key_direction)).normalized(), light.specular);
  const double exposure = style.exposure.value_or(1.0);
  add(exposure * vector(light.key_colour), light.exponent);
  add((turn * vector(light.fill_direction)).normalized(), 0.0);
  add(exposure * vector(light.fill_colour), 0.0);
  add(exposure * vector(light.sky_colour), 0.0);
  add(exposure * vector(light.ground_colour), 0.0);
  add(vector(linear_from_srgb(style.wire_colour)), style.wire_width);
  add(vector(linear_from_srgb(style.reached_colour)), style.reached ? style.reached_left : 1.0);
  // How clip z falls with the distance d: it is this plus a multiple of d.
  const double depth = 2.0 * camera.far * camera.near / (camera.near - camera.far);
  add({double(size[0]), double(size[1]), depth}, camera.pixel_size(size[1]) / camera.distance());
  return out;
}

std::vector<Step> refinement(Surface& surface, std::int32_t index) {
  std::vector<Step> steps;
  if (!surface.take_unrefined()) return steps;
  for (const Program& program : surface.content().programs) {
    if (program.invocations <= 0) continue;
    steps.push_back({.pass = Pass::compute,
                     .program = of_method(surface, program.name),
                     .primitive = Primitive::compute,
                     .surface = index,
                     .uniforms = program.uniforms,
                     .ranges = {{0, (program.invocations + kGroup - 1) / kGroup}}});
    steps.back().uniforms.push_back({"invocations", std::uint32_t(program.invocations)});
  }
  return steps;
}

Step patch_step(Surface& surface, std::int32_t index, Pass pass, std::string_view program, double target_edge) {
  return {.pass = pass,
          .program = of_method(surface, program),
          .primitive = Primitive::patches,
          .surface = index,
          .constants = surface.content().constants,
          .uniforms = {{"target_edge", float(target_edge)}},
          .ranges = surface.patch_ranges(target_edge)};
}

Picture picture(std::span<Surface* const> surfaces, const Camera& camera, const Style& style, const Size& size,
                Output output, std::span<const Lines> lines) {
  require(size[0] >= 1 && size[1] >= 1, "a picture must be at least 1 pixel wide and high, not ", size[0], " x ",
          size[1]);
  for (const Lines& group : lines) require_lines(group);
  // All of them before any: a list takes the refinement that its surfaces are due, which a refused one would lose.
  for (const Surface* surface : surfaces)
    require(surface->has_positions(), "a surface must be given positions before it is drawn");
  return Builder(surfaces, camera, style, size, output).run(lines);
}

}  // namespace pucker::draw
