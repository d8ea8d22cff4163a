#include "pucker/draw/picture.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "pucker/errors.h"
#include "pucker/mesh/origin.h"

namespace pucker::draw {

namespace {

// Radius within which light is occluded, as a share of the height of the picture at the camera's target.
constexpr double kOcclusionShare = 0.05;
// Pixels along each side of a texel of the maps of distances and occlusion.
constexpr int kMapShare = 3;
// How much longer the shortest edges are in maps, whose texels are larger than pixels.
constexpr double kMapEdges = 2.0;
constexpr std::int64_t kLineCorners = 6;  // two triangles
// Least alpha of what is drawn as opaque where the rest is blended: half a step of 8 bits below 1.
constexpr float kSolidAlpha = 1.0F - 0.5F / 255.0F;

std::array<float, 3> linear(const Colour& colour) {
  const Colour light = linear_from_srgb(colour);
  return {float(light[0]), float(light[1]), float(light[2])};
}

/// Has the step draw what its triangles' alpha leaves of them.
void take_alpha(Step& step, AlphaMode mode, float cutoff) {
  step.constants.push_back({"alpha_mode", std::int32_t(mode)});
  if (mode == AlphaMode::opaque) return;
  step.textures = true;
  step.uniforms.push_back({"alpha_cutoff", cutoff});
}

Alpha alpha_of(const Step& step) { return step.ranges.empty() ? Alpha{} : step.ranges.front().alpha; }

/// Steps of the ranges that have the same alpha, by which they come sorted; without any the step itself.
std::vector<Step> by_alpha(const Step& step) {
  std::vector<Step> out;
  if (step.ranges.empty()) out.push_back(step);
  for (const DrawRange& range : step.ranges) {
    if (out.empty() || out.back().ranges.back().alpha != range.alpha) {
      out.push_back(step);
      out.back().ranges.clear();
    }
    out.back().ranges.push_back(range);
  }
  return out;
}

std::vector<Uniform> line_uniforms(const Colour& colour, double width) {
  return {{"flat_colour", linear(colour)}, {"line_width", float(width)}};
}

Vector3 vector(const Colour& values) { return {values[0], values[1], values[2]}; }

/// From the axes of a light's directions to those of the world.
Eigen::Matrix3d light_turn(const Light& light, const Camera& camera) {
  return light.attached ? camera.axes() : Eigen::Matrix3d(Eigen::Matrix3d::Identity());
}

/// Builds the list of one picture.
class Builder {
 public:
  Builder(std::span<Surface* const> surfaces, const Camera& camera, const Style& style, const Size& size, Output output)
      : surfaces_(surfaces), camera_(camera), style_(style), size_(size), output_(output) {}

  Picture run(std::span<const Lines> lines) {
    if (output_ == Output::shaded) light_up();
    const bool shaded = output_ == Output::shaded;
    out_.background = {};
    if (shaded)
      std::transform(style_.background.begin(), style_.background.end(), out_.background.begin(),
                     [](double x) { return float(x); });
    for (std::int32_t k = 0; k < count(); ++k)
      for (Step& step : refinement(surface(k), k)) out_.steps.push_back(std::move(step));
    if (shaded && style_.mode != Mode::base)
      for (std::int32_t k = 0; k < count(); ++k) add_grid(k);
    if ((effects_ & kShadowed) != 0) add_depths(Pass::shadow, Into::shadow);
    if ((effects_ & kOccluded) != 0) add_occlusion();
    for (std::int32_t k = 0; k < count(); ++k) add_plain(k);
    for (std::int32_t k = 0; k < count(); ++k)
      if (const auto edge = target_edge(k)) add_wrinkled(k, *edge);
    add_blended();
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

  /// Length of tessellated edges, none where nothing is displaced; `coarser`: by which factor the style's shortest ones
  /// are.
  std::optional<double> target_edge(std::int32_t index, double coarser = 1.0) {
    if (!displaces(style_.mode) || !surface(index).displaced()) return std::nullopt;
    return std::max(surface(index).target_edge(), coarser * style_.least_edge * camera_.pixel_size(size_[1]));
  }

  std::int32_t round_of(std::int32_t index) { return surface(index).divided() ? 0 : kRound; }

  /// Lays a grid over what is seen neither from far nor from near, and has it evaluated unless it is.
  void add_grid(std::int32_t index) {
    Surface& of = surface(index);
    const double pixel = camera_.pixel_size(size_[1]);
    if (!of.displaced() || !of.content().on_grid || of.target_edge() < style_.least_edge * pixel) return;
    const std::optional<int> cells = cells_of_piece(of.target_edge() / pixel);
    const auto most = std::int64_t(kGridShare * size_[0] * size_[1]);
    if (!cells || !of.lay_grid(of.target_edge(), *cells, most)) return;
    gridded_.insert(index);
    if (of.take_unevaluated()) out_.steps.push_back(grid_step(of, index));
  }

  /// Whether a surface has a grid for a target edge.
  bool gridded(std::int32_t index, double edge) {
    return gridded_.contains(index) && edge == surface(index).target_edge();
  }

  /// Finds out what of the style there is to do.
  void light_up() {
    if (style_.fabric.value_or(false)) effects_ |= kFabric;
    if (style_.occlusion.value_or(false) && count() > 0) effects_ |= kOccluded;
    if (!style_.shadows.value_or(false)) return;
    const Light light = style_.light.value_or(Light());
    const Vector3 towards = light_turn(light, camera_) * vector(light.key_direction);
    shadow_ = shadow_view(surfaces_, camera_, double(size_[0]) / double(size_[1]), towards);
    if (shadow_.texel > 0.0) effects_ |= kShadowed;
  }

  /// A frame of the camera, or of the light.
  std::int32_t frame_of(const Vector3& origin, bool of_light = false) {
    const auto [found, is_new] =
        frames_.try_emplace({origin.x(), origin.y(), origin.z(), of_light}, std::int32_t(frames_.size()));
    if (is_new) {
      const FrameBlock frame = frame_block(camera_, style_, size_, origin, shadow_);
      out_.frames.push_back(of_light ? seen_from_light(frame) : frame);
    }
    return found->second;
  }

  /// Draws all that the picture shows into a map of depths.
  void add_depths(Pass pass, Into into) {
    out_.map_sizes[std::size_t(into)] = pass == Pass::shadow ? Size{kShadowSize, kShadowSize} : map_size();
    const auto add = [&](Step step, std::int32_t index) {
      step.into = into;
      step.frame = frame_of(surface(index).origin(), pass == Pass::shadow);
      step.constants.push_back({"effects", into == Into::depth ? round_of(index) : 0});
      for (Step& part : by_alpha(step)) {
        // Depths are those of one surface: of what is blended they are those of the part that is more opaque than not.
        const Alpha alpha = alpha_of(part);
        take_alpha(part, std::min(alpha.mode, AlphaMode::mask), float(alpha.cutoff));
        out_.steps.push_back(std::move(part));
      }
    };
    for (std::int32_t k = 0; k < count(); ++k) add(plain_step(k, pass, "depth"), k);
    for (std::int32_t k = 0; k < count(); ++k)
      if (const auto edge = target_edge(k, kMapEdges))
        add(patch_step(surface(k), k, pass, "depth_patch", *edge, gridded(k, *edge)), k);
  }

  Size map_size() const { return {(size_[0] + kMapShare - 1) / kMapShare, (size_[1] + kMapShare - 1) / kMapShare}; }

  void add_occlusion() {
    add_depths(Pass::depth, Into::depth);
    for (const auto& [program, into] :
         {std::pair("occlusion", Into::occlusion), std::pair("smoothing", Into::smoothed)}) {
      out_.map_sizes[std::size_t(into)] = map_size();
      out_.steps.push_back({.pass = Pass::occlusion,
                            .into = into,
                            .program = program,
                            .frame = frame_of(surface(0).origin()),
                            .uniforms = {},
                            .ranges = {{0, 1}}});
    }
  }

  /// Surfaces that are blended by their alpha are drawn twice: what is solid of them as all others are, and after these
  /// the rest, from back to front and without depths of its own. So the solid parts of one surface hide each other,
  /// whatever the order of its triangles, and only what is thinner is blended in that order.
  void add_shaded(const Step& step) {
    for (Step& part : by_alpha(step)) {
      const Alpha alpha = alpha_of(part);
      if (alpha.mode != AlphaMode::blend || output_ != Output::shaded) {
        take_alpha(part, std::min(alpha.mode, AlphaMode::mask), float(alpha.cutoff));
        add_lit(std::move(part));
        continue;
      }
      Step solid = part;
      take_alpha(solid, AlphaMode::mask, kSolidAlpha);
      add_lit(std::move(solid));
      take_alpha(part, AlphaMode::blend, kSolidAlpha);
      part.pass = Pass::blended;
      part.blended = true;
      for (const DrawRange& range : part.ranges) {
        blended_.push_back(part);
        blended_.back().ranges = {range};
      }
    }
  }

  void add_blended() {
    const auto distance = [&](const Step& step) {
      return (surface(step.surface).middle(step.ranges.front()) - camera_.eye).dot(camera_.target - camera_.eye);
    };
    std::vector<std::pair<double, std::size_t>> order;
    order.reserve(blended_.size());
    for (std::size_t k = 0; k < blended_.size(); ++k) order.emplace_back(-distance(blended_[k]), k);
    std::sort(order.begin(), order.end());
    for (const auto& [nearness, k] : order) add_lit(std::move(blended_[k]));
  }

  void add_lit(Step step) {
    step.frame = frame_of(surface(step.surface).origin());
    step.textures = true;
    step.constants.push_back({"mode", std::int32_t(style_.mode)});
    step.constants.push_back({"output_kind", std::int32_t(output_)});
    step.uniforms.push_back({"first_corner_normal", surface(step.surface).first_corner_normal()});
    const std::int32_t effects = effects_ == 0 ? 0 : effects_ | round_of(step.surface);
    const auto add_with = [&](Step part, std::int32_t with) {
      part.constants.push_back({"effects", with});
      if (!part.ranges.empty()) out_.steps.push_back(std::move(part));
    };
    if ((effects & kFabric) == 0) {
      add_with(std::move(step), effects);
      return;
    }
    // Textured triangles, and surfaces that are no cloth, by a program that knows nothing of fabric.
    Step woven = step;
    const bool cloth = surface(step.surface).is_cloth();
    std::erase_if(woven.ranges, [&](const DrawRange& range) { return !cloth || range.texture != kNone; });
    std::erase_if(step.ranges, [&](const DrawRange& range) { return cloth && range.texture == kNone; });
    add_with(std::move(step), effects & ~kFabric);
    add_with(std::move(woven), effects);
  }

  /// The triangles that are drawn as they are, by a program that has the usual vertex stage.
  Step plain_step(std::int32_t index, Pass pass, std::string_view program) {
    const bool without_patches = target_edge(index).has_value();
    // A map has no use for detail that displaces nothing; and no detail reaches the triangles that are left over where
    // others are tessellated.
    const bool detailed = pass == Pass::plain && !without_patches && !surface(index).divided();
    Step step{.pass = pass,
              .program =
                  detailed ? of_method(surface(index), program) : std::string(kPlainMethod).append("/").append(program),
              .surface = index,
              .constants = detailed ? surface(index).content().constants : std::vector<Constant>{},
              .uniforms = {{"without_patches", std::int32_t(without_patches)}},
              .ranges = surface(index).ranges()};
    step.constants.push_back({"gridded", std::int32_t(detailed && gridded_.contains(index))});
    return step;
  }

  void add_plain(std::int32_t index) { add_shaded(plain_step(index, Pass::plain, "surface")); }

  void add_wrinkled(std::int32_t index, double edge) {
    add_shaded(patch_step(surface(index), index, Pass::wrinkled, "patch", edge, gridded(index, edge)));
  }

  void add_tessellation(std::int32_t index, double edge) {
    Step step = patch_step(surface(index), index, Pass::tessellation, "tessellation", edge, gridded(index, edge));
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
  std::int32_t effects_ = 0;
  ShadowView shadow_;
  std::set<std::int32_t> gridded_;  ///< whose detail is interpolated on a grid
  std::vector<Step> blended_;       ///< that are still to be added
  /// Numbers of the frames, by origin, and whether they are the light's.
  std::map<std::tuple<double, double, double, bool>, std::int32_t> frames_;
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

FrameBlock frame_block(const Camera& camera, const Style& style, const Size& size, const Vector3& origin,
                       const ShadowView& shadow) {
  Camera near = camera;
  near.eye -= origin;
  near.target -= origin;
  const Light light = style.light.value_or(Light());
  const Eigen::Matrix3d turn = light_turn(light, camera);
  FrameBlock out{};
  auto next = out.begin();
  const auto add = [&](const Vector3& xyz, double w) {
    for (const double value : {xyz.x(), xyz.y(), xyz.z(), w}) *next++ = float(value);
  };
  // std140 stores matrices by columns.
  const auto add_matrix = [&](const Eigen::Matrix4d& matrix) {
    for (Eigen::Index column = 0; column < 4; ++column) add(matrix.col(column).head<3>(), matrix(3, column));
  };
  const double aspect = double(size[0]) / double(size[1]);
  add_matrix(near.view_projection(aspect));
  add(near.eye, 0.0);
  const double exposure = style.exposure.value_or(1.0);
  // Highlights do not grow with the exposure: dark cloth that is brightened would shine like leather.
  add((turn * vector(light.key_direction)).normalized(), light.specular / std::max(exposure, 1.0));
  add(exposure * vector(light.key_colour), light.exponent);
  add((turn * vector(light.fill_direction)).normalized(), 0.0);
  add(exposure * vector(light.fill_colour), 0.0);
  add(exposure * vector(light.sky_colour), 0.0);
  add(exposure * vector(light.ground_colour), 0.0);
  add(vector(linear_from_srgb(style.wire_colour)), style.wire_width);
  add(vector(linear_from_srgb(style.reached_colour)), style.reached ? style.reached_left : 1.0);
  // How clip z falls with the distance d: it is this plus a multiple of d.
  const double depth = 2.0 * camera.far * camera.near / (camera.near - camera.far);
  const double pixel = camera.pixel_size(size[1]);
  add({double(size[0]), double(size[1]), depth}, pixel / camera.distance());
  Eigen::Matrix4d lit = shadow.matrix;
  lit.col(3).head<3>() += shadow.matrix.topLeftCorner<3, 3>() * origin;
  add_matrix(lit);
  const double half_height = 0.5 * pixel * size[1] / camera.distance();
  add({aspect * half_height, half_height, 2.0 * kOcclusionShare * half_height * camera.distance()}, shadow.texel);
  add(near.axes().col(2), 0.0);
  return out;
}

FrameBlock seen_from_light(FrameBlock frame) {
  constexpr std::size_t numbers = 16;
  constexpr std::size_t shadow_matrix = 4 * 14;
  std::copy_n(frame.begin() + shadow_matrix, numbers, frame.begin());
  return frame;
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

std::vector<Batch> batches(const Picture& picture) {
  std::vector<Batch> out;
  for (std::size_t k = 0; k < picture.steps.size(); ++k) {
    const Step& step = picture.steps[k];
    if (out.empty() || out.back().pass != step.pass || out.back().into != step.into)
      out.push_back({step.pass, step.into, k, 0});
    ++out.back().count;
  }
  return out;
}

}  // namespace pucker::draw
