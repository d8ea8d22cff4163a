#include "pucker/draw/surface.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <tuple>

#include "pucker/errors.h"
#include "pucker/mesh/frames.h"
#include "pucker/mesh/normals.h"
#include "pucker/mesh/origin.h"

namespace pucker::draw {

namespace {

template <class T>
void require_length(const std::vector<T>& list, std::size_t length, const char* name) {
  require(list.empty() || list.size() == length, name, " must have ", length, " entries, not ", list.size());
}

std::vector<float> floats(const ConstArray3& rows) {
  std::vector<float> out(std::size_t(rows.size()));
  std::transform(rows.data(), rows.data() + rows.size(), out.begin(), [](double x) { return float(x); });
  return out;
}

// Relative luminance of linear sRGB (IEC 61966-2-1).
double luminance(double red, double green, double blue) { return 0.2126 * red + 0.7152 * green + 0.0722 * blue; }

/// Where a texture is read that repeats.
std::size_t texel(float coordinate, int size) {
  const double at = double(coordinate) - std::floor(double(coordinate));
  return std::min(std::size_t(at * size), std::size_t(size - 1));
}

// Albedo that the usual light shows as it is meant to be; what is paler is darkened to the upper bound, what is darker
// is brightened to the lower one, but not beyond what makes a black cloth grey.
constexpr double kDarkest = 0.12;
constexpr double kPalest = 0.5;
constexpr double kBrightest = 2.5;

// Alpha of a colour that nothing shines through.
constexpr std::uint8_t kSolid = 255;

/// Of a point whose colour has this alpha.
double seen_share(const Alpha& taken, double alpha) {
  if (taken.mode == AlphaMode::mask) return alpha < taken.cutoff ? 0.0 : 1.0;
  return taken.mode == AlphaMode::blend ? alpha : 1.0;
}

// Threads along the diagonal of a garment's box: one in a millimetre and a half of a shirt.
constexpr double kThreads = 900.0;

}  // namespace

void drawn_normals(const ConstIndex3& faces, const ConstArray3& positions, std::span<const std::int32_t> weld,
                   Array3& out) {
  welded_normals(faces, positions, weld, out);
  for (auto normal : out.rowwise())
    if (normal.isZero(0)) normal << 0, 1, 0;
}

Surface::Surface(SurfaceMesh mesh) : mesh_(std::move(mesh)) {
  const auto count = std::size_t(triangle_count());
  require_length(mesh_.colours, count, "colours");
  require_length(mesh_.texcoords, 6 * count, "texcoords");
  require_length(mesh_.textures, count, "textures");
  require_length(mesh_.alphas, count, "alphas");
  require_length(mesh_.weld, std::size_t(this->mesh().vertex_count()), "weld");
  if (mesh_.colours.empty()) mesh_.colours.assign(count, kSurfaceColour);
  if (mesh_.texcoords.empty()) mesh_.texcoords.assign(6 * count, 0.0F);
  if (mesh_.textures.empty()) mesh_.textures.assign(count, kNone);
  if (mesh_.alphas.empty()) mesh_.alphas.assign(count, Alpha{});
  for (std::size_t k = 0; k < mesh_.texcoords.size(); ++k)
    require(std::isfinite(mesh_.texcoords[k]), "texture coordinates must be finite, but those of triangle ", k / 6,
            " hold ", mesh_.texcoords[k]);
  for (std::size_t t = 0; t < count; ++t)
    require(mesh_.textures[t] >= kNone && mesh_.textures[t] < mesh_.texture_count, "texture numbers must lie in [-1, ",
            mesh_.texture_count, "), but triangle ", t, " has ", mesh_.textures[t]);
  for (std::size_t t = 0; t < count; ++t) {
    Alpha& alpha = mesh_.alphas[t];
    require(std::isfinite(alpha.cutoff) && alpha.cutoff >= 0.0,
            "alpha cutoffs must be finite and at least 0, but triangle ", t, " has ", alpha.cutoff);
    const bool solid = mesh_.textures[t] == kNone && mesh_.colours[t][3] == kSolid;
    if (solid && (alpha.mode == AlphaMode::blend || alpha.cutoff <= 1.0)) alpha.mode = AlphaMode::opaque;
    if (alpha.mode != AlphaMode::mask) alpha.cutoff = Alpha{}.cutoff;
  }
  for (std::size_t v = 0; v < mesh_.weld.size(); ++v)
    require(mesh_.weld[v] >= 0 && mesh_.weld[v] < this->mesh().vertex_count(), "welded vertices must lie in [0, ",
            this->mesh().vertex_count(), "), but vertex ", v, " has ", mesh_.weld[v]);
  twins_ = edge_twins(this->mesh());
  coarse_.faces = this->mesh().faces();
  coarse_.source.resize(count);
  std::iota(coarse_.source.begin(), coarse_.source.end(), 0);
  coarse_.texcoords = mesh_.texcoords;
  coarse_.colours = mesh_.colours;
  sort(coarse_);
  tints_.assign(count, Rgba8{});
  patches_.assign(count, 0);
  reached_.assign(count, 0);
  for (const Block block :
       {Block::faces, Block::texcoords, Block::colours, Block::tints, Block::patches, Block::draw_list, Block::twins})
    mark(block);
}

void Surface::sort(Triangles& triangles) const {
  const auto key = [&](std::uint32_t triangle) {
    const auto source = std::size_t(triangles.source[triangle]);
    const Alpha& alpha = mesh_.alphas[source];
    // What is blended is drawn material by material, which its colour tells.
    const Rgba8 colour = alpha.mode == AlphaMode::blend ? mesh_.colours[source] : Rgba8{};
    return std::tuple(alpha.mode, alpha.cutoff, mesh_.textures[source], colour);
  };
  std::vector<std::uint32_t>& order = triangles.by_texture;
  order.resize(triangles.source.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
  triangles.ranges.clear();
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (k == 0 || key(order[k]) != key(order[k - 1])) {
      const auto [mode, cutoff, texture, colour] = key(order[k]);
      triangles.ranges.push_back({std::int64_t(k), 0, texture, {mode, cutoff}});
    }
    ++triangles.ranges.back().count;
  }
}

Vector3 Surface::middle(const DrawRange& range) const {
  Vector3 sum = Vector3::Zero();
  for (std::int64_t k = range.first; k < range.first + range.count; ++k)
    for (const std::int32_t vertex : mesh().faces().row(drawn().source[drawn().by_texture[std::size_t(k)]]))
      sum += exact_.row(vertex).transpose();
  return sum / (3.0 * double(range.count));
}

void Surface::set_positions(const ConstArray3& positions, const std::optional<Array3>& normals,
                            const std::optional<Vector3>& origin, const std::optional<Array3>& corner_normals) {
  require_positions(mesh(), positions);
  require(!normals || normals->rows() == positions.rows(), "normals must have one row a vertex: (", positions.rows(),
          ", 3), not (", normals ? normals->rows() : 0, ", 3)");
  require(!corner_normals || corner_normals->rows() == 3 * triangle_count(),
          "corner normals must have three rows a triangle: (", 3 * triangle_count(), ", 3), not (",
          corner_normals ? corner_normals->rows() : 0, ", 3)");
  clear_detail();
  origin_ = origin.value_or(nearby_origin(positions));
  exact_ = positions;
  if (mesh_.cloth && !has_positions_) weave();
  positions_ = floats(positions.rowwise() - origin_.transpose());
  Array3 computed;
  if (!normals) drawn_normals(mesh().faces(), positions, mesh_.weld, computed);
  normals_ = floats(normals ? *normals : computed);
  first_corner_normal_ = corner_normals ? std::int32_t(positions.rows()) : 0;
  if (corner_normals)
    for (const double x : std::span(corner_normals->data(), std::size_t(corner_normals->size())))
      normals_.push_back(float(x));
  has_positions_ = true;
  mark(Block::positions);
  mark(Block::normals);
}

Vector3 Surface::area_normal(Eigen::Index t) const {
  const auto face = mesh().faces().row(t);
  const Vector3 a = exact_.row(face[0]);
  const Vector3 b = exact_.row(face[1]);
  const Vector3 c = exact_.row(face[2]);
  return 0.5 * (b - a).cross(c - a);
}

void Surface::weave() {
  const double diagonal = (exact_.colwise().maxCoeff() - exact_.colwise().minCoeff()).norm();
  if (diagonal == 0.0) return;
  for (Eigen::Index t = 0; t < triangle_count(); ++t) {
    if (mesh_.textures[std::size_t(t)] != kNone) continue;
    const auto face = mesh().faces().row(t);
    Eigen::Index facing = 0;
    area_normal(t).cwiseAbs().maxCoeff(&facing);
    for (Eigen::Index k = 0; k < 3; ++k)
      for (Eigen::Index axis = 0; axis < 2; ++axis)
        mesh_.texcoords[std::size_t(6 * t + 2 * k + axis)] =
            float(kThreads / diagonal * (exact_(face[k], (facing + 1 + axis) % 3) - origin_[(facing + 1 + axis) % 3]));
  }
  coarse_.texcoords = mesh_.texcoords;
  mark(Block::texcoords);
}

void Surface::clear_detail() {
  if (divided_) {
    mark(Block::positions);
    mark(Block::normals);
  }
  if (content_.places_vertices) mark(Block::positions);
  divided_ = displaced_ = unrefined_ = false;
  method_ = kPlainMethod;
  content_ = {};
  std::fill(changed_.begin() + kMethodBinding, changed_.end(), false);
  laid_.first = -1.0;
  unevaluated_ = false;
  std::fill(reached_.begin(), reached_.end(), 0);
  cut_edge_ = -1.0;
  target_edge_ = 0.0;
}

void Surface::set_detail(const Detail& detail, Mode mode) {
  require(has_positions_, "a surface must be given positions before their detail");
  require(detail.mesh().triangle_count() == triangle_count() && detail.mesh().vertex_count() == mesh().vertex_count(),
          "the detail of ", detail.mesh().triangle_count(), " triangles and ", detail.mesh().vertex_count(),
          " vertices cannot lie over a surface of ", triangle_count(), " and ", mesh().vertex_count());
  if (detail.shaders().empty() || (detail.own_mesh() != nullptr && mode != Mode::both)) {
    divide(detail, mode);
  } else {
    shade_by(detail);
  }
}

void Surface::shade_by(const Detail& detail) {
  Content content = detail.draw_content(origin_, done_.get());
  require(content.buffers.size() <= kMethodBlocks, "the shaders of a method may have at most ", kMethodBlocks,
          " blocks of their own, those of ", detail.shaders(), " have ", content.buffers.size());
  clear_detail();
  method_ = detail.shaders();
  content_ = std::move(content);
  cut_edge_ = -1.0;
  unrefined_ = true;
  for (std::size_t k = 0; k < content_.buffers.size(); ++k) changed_[kMethodBinding + k] = !content_.buffers[k].kept;
  if (const Subdivision* own = detail.own_mesh()) {
    show(*own);
    return;
  }
  reached_ = detail.reached();
  displaced_ = std::any_of(reached_.begin(), reached_.end(), [](std::uint8_t reached) { return reached != 0; });
  target_edge_ = kTargetEdgeShare * detail.feature_size();
  if (!content_.programs.empty() || content_.continued) return;
  divided_edges(mesh(), reached_, patches_);
  mark(Block::patches);
}

bool Surface::take_unrefined() {
  if (unrefined_) done_ = content_.continued;
  return std::exchange(unrefined_, false);
}

void Surface::divide(const Detail& detail, Mode mode) {
  const Subdivision& fine = fine_enough(detail);
  const SurfacePoints points = detail.evaluate(fine.triangles, fine.barycentrics);
  clear_detail();
  show(fine);
  fine_positions_ = floats((displaces(mode) ? points.positions : points.base).rowwise() - origin_.transpose());
  fine_normals_ = floats(has_normals(mode) ? points.normals : points.base_normals);
}

void Surface::show(const Subdivision& fine) {
  if (fine.faces.rows() != fine_.faces.rows() || fine.faces != fine_.faces || fine.source != fine_.source) refill(fine);
  fine_size_ = 3 * sizeof(float) * fine.triangles.size();
  divided_ = true;
  mark(Block::positions);
  mark(Block::normals);
}

const Subdivision& Surface::fine_enough(const Detail& detail) {
  if (const Subdivision* own = detail.own_mesh()) return *own;
  std::vector<double> targets = detail.feature_sizes();
  for (double& target : targets) target *= kTargetEdgeShare;
  std::vector<std::int32_t> levels = edge_levels(mesh(), exact_, targets, kMaxLevel);
  bool finer = levels_.empty();
  levels_.resize(levels.size(), 1);
  for (std::size_t e = 0; e < levels.size(); ++e) {
    finer = finer || levels[e] > levels_[e];
    levels_[e] = std::max(levels[e], levels_[e]);
  }
  if (finer) own_fine_ = subdivide(mesh(), levels_);
  return own_fine_;
}

void Surface::refill(const Subdivision& fine) {
  fine_changed_ = true;
  fine_.faces = fine.faces;
  fine_.source = fine.source;
  const std::size_t count = fine.source.size();
  fine_.colours.resize(count);
  fine_.texcoords.assign(6 * count, 0.0F);
  for (std::size_t f = 0; f < count; ++f) {
    const auto source = std::size_t(fine.source[f]);
    fine_.colours[f] = mesh_.colours[source];
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t axis = 0; axis < 2; ++axis) {
        double sum = 0.0;
        for (std::size_t c = 0; c < 3; ++c)
          sum += fine.corner(std::int32_t(f), int(k))[Eigen::Index(c)] *
                 double(mesh_.texcoords[6 * source + 2 * c + axis]);
        fine_.texcoords[6 * f + 2 * k + axis] = float(sum);
      }
  }
  sort(fine_);
}

void Surface::set_tints(std::span<const Rgba8> tints) {
  require(tints.empty() || tints.size() == tints_.size(), "tints must have one row a triangle: ", tints_.size(),
          ", not ", tints.size());
  if (tints.empty() && !tinted_) return;
  if (tints.empty()) {
    std::fill(tints_.begin(), tints_.end(), Rgba8{});
  } else {
    std::copy(tints.begin(), tints.end(), tints_.begin());
  }
  tinted_ = !tints.empty();
  mark(Block::tints);
}

double Surface::exposure(std::span<const Texels> textures) const {
  require(has_positions_, "a surface must be given positions before it is exposed for");
  require(textures.size() == std::size_t(mesh_.texture_count), "there must be ", mesh_.texture_count, " textures, not ",
          textures.size());
  std::vector<std::pair<double, double>> albedos;  // and the area that has it
  double whole = 0.0;
  for (std::size_t t = 0; t < mesh_.colours.size(); ++t) {
    std::array<double, 3> albedo;
    for (std::size_t k = 0; k < 3; ++k) albedo[k] = linear_from_srgb(double(mesh_.colours[t][k]) / 255.0);
    double alpha = double(mesh_.colours[t][3]) / 255.0;
    if (mesh_.textures[t] != kNone) {
      const Texels& texels = textures[std::size_t(mesh_.textures[t])];
      const float* at = &mesh_.texcoords[6 * t];
      const std::size_t pixel = texel((at[1] + at[3] + at[5]) / 3.0F, texels.height) * std::size_t(texels.width) +
                                texel((at[0] + at[2] + at[4]) / 3.0F, texels.width);
      for (std::size_t k = 0; k < 3; ++k) albedo[k] *= linear_from_srgb(double(texels.rgba[4 * pixel + k]) / 255.0);
      alpha *= double(texels.rgba[4 * pixel + 3]) / 255.0;
    }
    const auto face = mesh().faces().row(Eigen::Index(t));
    const Eigen::RowVector3d a = exact_.row(face[0]);
    const double area =
        seen_share(mesh_.alphas[t], alpha) * (exact_.row(face[1]) - a).cross(exact_.row(face[2]) - a).norm();
    albedos.emplace_back(luminance(albedo[0], albedo[1], albedo[2]), area);
    whole += area;
  }
  std::sort(albedos.rbegin(), albedos.rend());
  double brighter = 0.0;
  for (const auto& [albedo, area] : albedos) {
    brighter += area;
    if (brighter < 0.1 * whole) continue;
    if (albedo > kPalest) return kPalest / albedo;
    return albedo < kDarkest ? std::min(kDarkest / std::max(albedo, 1e-6), kBrightest) : 1.0;
  }
  return 1.0;
}

std::vector<Upload> Surface::take_uploads() {
  if (divided_ != sent_divided_ || (divided_ && fine_changed_)) {
    for (const Block block : {Block::faces, Block::texcoords, Block::colours, Block::tints, Block::draw_list})
      mark(block);
    sent_divided_ = divided_;
    fine_changed_ = fine_changed_ && !divided_;
  }
  // What is sent anew overwrites what programs have left.
  const auto replaces = [](const Buffer& buffer) { return !buffer.kept; };
  if (std::any_of(changed_.begin() + kMethodBinding, changed_.begin() + kGridBinding, std::identity{}) &&
      std::all_of(content_.buffers.begin(), content_.buffers.end(), replaces))
    done_.reset();
  std::vector<Upload> out;
  for (std::size_t binding = 0; binding < changed_.size(); ++binding)
    if (changed_[binding]) out.push_back(upload_of(binding));
  changed_.fill(false);
  return out;
}

Upload Surface::upload_of(std::size_t binding) {
  const auto all = [&](const auto& values) -> Upload {
    const auto bytes = std::as_bytes(std::span(values));
    return {binding, bytes, bytes.size()};
  };
  if (binding == kGridBinding) return {binding, std::as_bytes(std::span(grid_.words)), grid_.size()};
  if (binding >= kMethodBinding) {
    const Buffer& buffer = content_.buffers[binding - kMethodBinding];
    return {binding, buffer.bytes, buffer.bytes.size() + buffer.room};
  }
  const Triangles& triangles = drawn();
  switch (Block(binding)) {
    case Block::positions:
      if (content_.places_vertices) return {binding, {}, divided_ ? fine_size_ : all(positions_).size};
      return all(divided_ ? fine_positions_ : positions_);
    case Block::normals:
      if (content_.places_vertices && divided_) return {binding, {}, fine_size_};
      return all(divided_ ? fine_normals_ : normals_);
    case Block::faces:
      return all(std::span(triangles.faces.data(), std::size_t(triangles.faces.size())));
    case Block::texcoords:
      return all(triangles.texcoords);
    case Block::colours:
      return all(triangles.colours);
    case Block::tints:
      drawn_tints_.clear();
      for (const std::int32_t source : triangles.source) drawn_tints_.push_back(tints_[std::size_t(source)]);
      return all(drawn_tints_);
    case Block::patches:
      return all(patches_);
    case Block::draw_list:
      return all(triangles.by_texture);
    case Block::twins:
      break;
  }
  return all(twins_);
}

const Tessellation& Surface::tessellation(double target_edge) {
  require(target_edge >= 0.0, "the target edge of a surface must be at least 0, not ", target_edge);
  if (cut_edge_ == target_edge) return tessellation_;
  require(has_positions_, "a surface must be given positions before it is drawn");
  tessellate(mesh(), exact_, reached_, target_edge, tessellation_);
  std::vector<std::int64_t> counts;
  counts.reserve(coarse_.by_texture.size());
  for (const std::uint32_t triangle : coarse_.by_texture) counts.push_back(tessellation_.vertices[triangle]);
  patch_ranges_.clear();
  for (const DrawRange& range : coarse_.ranges)
    split_draws(std::span(counts).subspan(std::size_t(range.first), std::size_t(range.count)), range, patch_ranges_);
  cut_edge_ = target_edge;
  return tessellation_;
}

const std::vector<DrawRange>& Surface::patch_ranges(double target_edge) {
  tessellation(target_edge);
  return patch_ranges_;
}

bool Surface::lay_grid(double target_edge, int cells, std::int64_t most) {
  if (laid_ == std::pair(target_edge, cells) && grid_.points <= most) return true;
  const Tessellation& cut = tessellation(target_edge);
  if (!draw::lay_grid(mesh(), exact_, reached_, cut, target_edge / cells, most, grid_)) return false;
  laid_ = {target_edge, cells};
  unevaluated_ = true;
  changed_[kGridBinding] = true;
  return true;
}

}  // namespace pucker::draw
