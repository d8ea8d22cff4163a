#include "pucker/io/clip.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <set>
#include <span>

#include "pucker/enum_names.h"
#include "pucker/errors.h"
#include "pucker/mesh/border.h"
#include "pucker/mesh/normals.h"
#include "pucker/mesh/weld.h"
#include "whole.h"

namespace pucker::io {
namespace {

void check_times(const std::vector<double>& times) {
  require(!times.empty(), "a clip needs at least one frame, got 0 times");
  for (std::size_t k = 0; k < times.size(); ++k) {
    require(std::isfinite(times[k]), "times must be finite, got ", times[k], " for frame ", k);
    require(k == 0 || times[k] > times[k - 1], "times must strictly increase, got ", times[k], " after ",
            times[k == 0 ? 0 : k - 1], " for frame ", k);
  }
}

void check_positions(std::span<const double> positions, std::size_t frames, std::int64_t vertices,
                     const std::string& what) {
  require(vertices >= 0 && vertices <= std::numeric_limits<std::int32_t>::max(), what,
          " needs between 0 and 2^31 - 1 vertices, got ", vertices);
  require(positions.size() == frames * std::size_t(vertices) * 3, what, " positions must be ", frames, " frames x ",
          vertices, " vertices x 3, got ", positions.size(), " numbers");
  for (std::size_t k = 0; k < positions.size(); ++k)
    require(std::isfinite(positions[k]), what, " positions must be finite, got ", positions[k], " in frame ",
            k / 3 / std::size_t(vertices), ", vertex ", k / 3 % std::size_t(vertices));
}

void check_rest(const std::optional<Array3>& rest, std::int64_t vertices) {
  if (!rest) return;
  require(rest->rows() == vertices, "rest must have one row a vertex (", vertices, "), got ", rest->rows());
  for (std::int64_t vertex = 0; vertex < vertices; ++vertex)
    require(rest->row(vertex).allFinite(), "rest must be finite, vertex ", vertex, " is not");
}

void check_surface(const StoredSurface& surface, std::size_t materials, const std::string& what) {
  const std::int64_t vertices = std::int64_t(surface.weld.size());
  for (std::int64_t face = 0; face < surface.faces.rows(); ++face)
    for (const std::int32_t vertex : surface.faces.row(face))
      require(vertex >= 0 && vertex < vertices, what, " faces must name vertices in [0, ", vertices, "), got ", vertex,
              " in face ", face);
  require(surface.uv.rows() == 0 || surface.uv.rows() == vertices, what, " uv must have one row a vertex (", vertices,
          "), got ", surface.uv.rows());
  require(surface.uv.allFinite(), what, " uv must be finite");
  for (const Array3* rows : {&surface.normals, &surface.normal_pose}) {
    require(rows->rows() == surface.normals.rows() && (rows->rows() == 0 || rows->rows() == vertices), what,
            " normals and the pose they are given in must have one row a vertex (", vertices, "), got ", rows->rows());
    require(rows->allFinite(), what, " normals and the pose they are given in must be finite");
  }
  require(std::int64_t(surface.materials.size()) == surface.faces.rows(), what,
          " materials must have one entry a triangle (", surface.faces.rows(), "), got ", surface.materials.size());
  for (std::size_t k = 0; k < surface.other_sides.size(); ++k) {
    const std::int32_t side = surface.other_sides[k];
    require(side >= 0 && (k == 0 || side > surface.other_sides[k - 1]), what,
            " other_sides must rise from at least 0, got ", side);
  }
  for (const std::int32_t material : surface.materials)
    require(material >= 0 && material < std::int32_t(materials), what, " materials must be in [0, ", materials,
            "), got ", material);
}

void check_weld(const StoredSurface& surface, std::int64_t limit, const std::string& what) {
  for (const std::int32_t vertex : surface.weld)
    require(vertex >= 0 && vertex < limit, what, " weld must be in [0, ", limit, "), got ", vertex);
}

void check_whole(const Whole& whole, std::int64_t vertices, std::int64_t body) {
  require(whole.height >= 0 && std::isfinite(whole.height),
          "the height of a whole clip must be at least 0 and finite, got ", whole.height);
  require(std::int64_t(whole.shared_with.size()) == body, "a whole clip must say for each of ", body,
          " body vertices what it shares, got ", whole.shared_with.size());
  for (const std::vector<std::int32_t>* numbers : {&whole.shared, &whole.shared_with})
    for (const std::int32_t vertex : *numbers)
      require(vertex < vertices && vertex >= (numbers == &whole.shared ? 0 : kNone),
              "shared vertices of a whole clip must lie in [0, ", vertices, "), got ", vertex);
  require(std::ranges::adjacent_find(whole.shared, std::greater_equal<>()) == whole.shared.end(),
          "shared vertices of a whole clip must ascend");
}

Index3 welded_faces(const StoredSurface& surface) {
  return surface.faces.unaryExpr([&](std::int32_t vertex) { return surface.weld[std::size_t(vertex)]; });
}

// Lengths of the sides of the box round both layers.
Vector3 extents(const Eigen::Map<const Array3>& garment, const Eigen::Map<const Array3>& body) {
  Vector3 low = Vector3::Constant(std::numeric_limits<double>::infinity());
  Vector3 high = -low;
  for (const auto& layer : {garment, body}) {
    if (layer.rows() == 0) continue;
    low = low.cwiseMin(layer.colwise().minCoeff().transpose());
    high = high.cwiseMax(layer.colwise().maxCoeff().transpose());
  }
  return (high.array() >= low.array()).all() ? Vector3(high - low) : Vector3::Zero();
}

// See Clip::height.
double height_of(const Clip& clip) {
  if (!lies_flat(clip)) return extents(clip.positions(0), clip.body_positions(0)).y();
  double largest = 0.0;
  for (std::int64_t k = 0; k < clip.frame_count(); ++k)
    largest = std::max(largest, extents(clip.positions(k), clip.body_positions(k)).maxCoeff());
  return largest;
}

// Area zero up to rounding: twice the area is below 1e-12 of the longest edge squared.
bool has_no_area(const Vector3& a, const Vector3& b, const Vector3& c) {
  const double longest = std::max({(b - a).stableNorm(), (c - b).stableNorm(), (a - c).stableNorm()});
  if (longest == 0.0) return true;
  return ((b - a) / longest).cross((c - a) / longest).norm() < 1e-12;
}

std::int64_t count_without_area(const Index3& faces, const Eigen::Map<const Array3>& positions) {
  std::int64_t count = 0;
  for (std::int64_t face = 0; face < faces.rows(); ++face)
    count += has_no_area(positions.row(faces(face, 0)), positions.row(faces(face, 1)), positions.row(faces(face, 2)));
  return count;
}

std::int64_t count_duplicates(const Index3& faces) {
  std::set<std::array<std::int32_t, 3>> seen;
  for (std::int64_t face = 0; face < faces.rows(); ++face) {
    std::array<std::int32_t, 3> corners{faces(face, 0), faces(face, 1), faces(face, 2)};
    std::ranges::sort(corners);
    seen.insert(corners);
  }
  return faces.rows() - std::int64_t(seen.size());
}

// See Clip::shared_vertices. `with`: the garment vertex of each body vertex there, (nb,).
std::vector<std::int32_t> shared_vertices_of(const Clip& clip, std::vector<std::int32_t>& with) {
  constexpr double kTolerance = 1e-6;
  const ClipData& data = clip.data();
  const std::size_t body = data.body.weld.size();
  const auto own = std::size_t(data.vertices);
  if (body == 0 || own == 0) {
    with.assign(body, kNone);
    return {};
  }

  // Both layers of the first frame as one mesh: what it would weld across them is shared if it stays together. Inside
  // the garment too: where trousers or a belt begin under a coat, three sheets meet in one seam.
  std::vector<double> first(data.positions.begin(), data.positions.begin() + std::ptrdiff_t(3 * own));
  first.insert(first.end(), data.body_positions.begin(), data.body_positions.begin() + std::ptrdiff_t(3 * body));
  const Weld joined = weld(first, std::int64_t(own + body), kTolerance);
  std::vector<std::vector<std::int32_t>> body_at(joined.representatives.size());
  for (std::size_t v = 0; v < body; ++v) body_at[std::size_t(joined.welded[own + v])].push_back(std::int32_t(v));
  std::vector<double> tolerances;
  for (std::int64_t frame = 0; frame < clip.frame_count(); ++frame)
    tolerances.push_back(kTolerance * extents(clip.positions(frame), clip.body_positions(frame)).stableNorm());
  const auto stay = [&](std::int32_t vertex, std::int32_t other) {
    for (std::int64_t frame = 0; frame < clip.frame_count(); ++frame) {
      const Vector3 gap = clip.positions(frame).row(vertex) - clip.body_positions(frame).row(other);
      if (!(gap.stableNorm() <= tolerances[std::size_t(frame)])) return false;
    }
    return true;
  };
  std::vector<std::vector<std::int32_t>> at(own);
  for (std::size_t v = 0; v < own; ++v)
    std::ranges::copy_if(body_at[std::size_t(joined.welded[v])], std::back_inserter(at[v]),
                         [&](std::int32_t other) { return stay(std::int32_t(v), other); });
  return sewn_vertices(*clip.mesh(), at, body, with);
}

}  // namespace

bool lies_flat(const Clip& clip) {
  constexpr double flat = 0.1;
  const Vector3 first = extents(clip.positions(0), clip.body_positions(0));
  return !(first.y() > flat * first.maxCoeff());
}

std::vector<std::int32_t> sewn_vertices(const Mesh& mesh, const std::vector<std::vector<std::int32_t>>& at,
                                        std::size_t body, std::vector<std::int32_t>& with) {
  with.assign(body, kNone);
  // Cloth that lies on a copy of itself all around a vertex, as of a lining or an outline, is not sewn there.
  const auto in_seam = [&](std::int32_t v) {
    const auto ring = mesh.ring(v);
    return std::ranges::any_of(ring, [&](std::int32_t t) {
      const auto corners = mesh.faces().row(t);
      return std::any_of(corners.begin(), corners.end(), [&](std::int32_t c) { return at[std::size_t(c)].empty(); });
    });
  };
  std::vector<std::uint8_t> on_border(at.size(), 0);
  for (const std::int32_t v : border_vertices(mesh)) on_border[std::size_t(v)] = 1;
  std::vector<std::int32_t> out;
  for (std::int32_t v = 0; std::size_t(v) < at.size(); ++v) {
    const std::vector<std::int32_t>& others = at[std::size_t(v)];
    if (others.empty() || !(on_border[std::size_t(v)] != 0 || in_seam(v))) continue;
    out.push_back(v);
    for (const std::int32_t other : others)
      if (with[std::size_t(other)] == kNone) with[std::size_t(other)] = v;
  }
  return out;
}

Clip::Clip(ClipData data) : data_(std::move(data)) {
  check_times(data_.times);
  check_positions(data_.positions, data_.times.size(), data_.vertices, "garment");
  check_rest(data_.rest, data_.vertices);
  const std::int64_t body_at_rest = data_.rest ? body_vertex_count() : 0;
  require(data_.body_rest.rows() == body_at_rest, "body_rest must have ", body_at_rest, " rows, got ",
          data_.body_rest.rows());
  require(data_.body_rest.allFinite(), "body_rest must be finite");
  require(std::isfinite(data_.front.value_or(0.0)), "the azimuth that it faces must be finite, got ",
          data_.front.value_or(0.0));
  if (data_.standing) {
    const Array3& body = data_.standing->body;
    require(data_.standing->garment.rows() == data_.vertices && body.rows() == body_vertex_count(),
            "a standing pose must have ", data_.vertices, " vertices of the garment and ", body_vertex_count(),
            " of the body, got ", data_.standing->garment.rows(), " and ", body.rows());
    require(data_.standing->garment.allFinite() && body.allFinite(), "a standing pose must be finite");
  }
  check_skeleton(data_.skeleton, frame_count());
  if (data_.skin) check_skin(*data_.skin, data_.skeleton, data_.vertices, frame_count());
  if (data_.body_skin) check_skin(*data_.body_skin, data_.skeleton, body_vertex_count(), frame_count());
  require((!data_.skin && !data_.body_skin) || data_.rest, "a skin needs the rest pose that it moves");
  check_positions(data_.body_positions, data_.times.size(), body_vertex_count(), "body");
  for (const Material& material : data_.materials)
    require(is_member(material.alpha.mode) && std::isfinite(material.alpha.cutoff) && material.alpha.cutoff >= 0.0,
            "the alpha of material '", material.name,
            "' must have a mode that there is and a finite cutoff of at least 0");
  check_surface(data_.garment, data_.materials.size(), "garment");
  check_surface(data_.body, data_.materials.size(), "body");
  check_weld(data_.garment, data_.vertices, "garment");
  check_weld(data_.body, body_vertex_count(), "body");
  mesh_ = std::make_shared<Mesh>(welded_faces(data_.garment), data_.vertices);
  if (data_.whole) {
    check_whole(*data_.whole, data_.vertices, body_vertex_count());
    shared_vertices_ = data_.whole->shared;
    shared_with_ = data_.whole->shared_with;
    height_ = data_.whole->height;
  } else {
    shared_vertices_ = shared_vertices_of(*this, shared_with_);
    height_ = height_of(*this);
  }
  report_ = {.stored_vertices = std::int64_t(data_.garment.weld.size()),
             .welded_vertices = data_.vertices,
             .triangles = data_.garment.faces.rows(),
             .zero_area_triangles = count_without_area(mesh_->faces(), positions(0)),
             .duplicate_faces = count_duplicates(mesh_->faces()),
             .other_sides = std::int64_t(data_.garment.other_sides.size() + data_.body.other_sides.size()),
             .body_vertices = body_vertex_count(),
             .body_triangles = data_.body.faces.rows(),
             .frames = frame_count(),
             .duration = data_.times.back() - data_.times.front(),
             .mesh = mesh_->report()};
}

Clip Clip::beginning(std::int64_t frames) const {
  require(frames >= 1 && frames <= frame_count(), "frames of clip '", data_.name, "' must lie in [1, ", frame_count(),
          "], got ", frames);
  ClipData data = data_;
  const auto shorten = [&](std::vector<double>& numbers) {
    numbers.resize(numbers.size() / std::size_t(frame_count()) * std::size_t(frames));
  };
  for (std::vector<double>* numbers : {&data.times, &data.positions, &data.body_positions}) shorten(*numbers);
  if (data.skin) shorten(data.skin->matrices);
  if (data.body_skin) shorten(data.body_skin->matrices);
  shorten(data.skeleton.matrices);
  data.whole = Whole{.height = height_, .shared = shared_vertices_, .shared_with = shared_with_};
  return Clip(std::move(data));
}

std::vector<std::int32_t> Clip::joined() const {
  const std::int64_t own = data_.vertices;
  const std::int64_t body = body_vertex_count();
  std::vector<std::int32_t> numbers(std::size_t(own + body), kNone);
  std::iota(numbers.begin(), numbers.begin() + own, 0);
  std::vector<std::int32_t> of_place(std::size_t(body), kNone);
  const auto place_of = [&](std::int64_t v) -> std::int32_t& {
    return of_place[std::size_t(data_.body.weld[std::size_t(v)])];
  };
  for (std::int64_t v = 0; v < body; ++v)
    if (shared_with_[std::size_t(v)] != kNone && place_of(v) == kNone) place_of(v) = shared_with_[std::size_t(v)];
  for (std::int64_t v = 0; v < body; ++v) {
    if (place_of(v) == kNone) place_of(v) = std::int32_t(own + v);
    numbers[std::size_t(own + v)] = place_of(v);
  }
  return numbers;
}

ShadingNormals Clip::shading_normals(std::int64_t frame, bool authored) const {
  const std::int64_t own = data_.vertices;
  const std::int64_t body = body_vertex_count();
  Array3 places(own + body, 3);
  places << positions(frame), body_positions(frame);
  Index3 faces(mesh_->faces().rows() + data_.body.faces.rows(), 3);
  faces << mesh_->faces(), data_.body.faces.array() + std::int32_t(own);
  Array3 means;
  welded_normals(faces, places, joined(), means);

  ShadingNormals out{means(data_.garment.weld, Eigen::all), means.bottomRows(body)};
  const auto finish = [&](const StoredSurface& surface, const ConstArray3& pose, Array3& normals) {
    Array3 carried = Array3::Zero(normals.rows(), 3);
    if (authored && surface.normals.rows() > 0)
      carry_normals(surface.faces, surface.normal_pose, surface.normals, pose, carried);
    for (Eigen::Index v = 0; v < normals.rows(); ++v) {
      if (!carried.row(v).isZero(0)) normals.row(v) = carried.row(v);
      if (normals.row(v).isZero(0)) normals.row(v) << 0, 1, 0;
    }
  };
  finish(data_.garment, places(data_.garment.weld, Eigen::all), out.garment);
  finish(data_.body, body_positions(frame), out.body);
  return out;
}

Clip Clip::from_arrays(Index3 faces, std::vector<double> positions, std::vector<double> times,
                       std::optional<UvArray> uv, bool weld, const std::optional<Array3>& rest) {
  check_times(times);
  const std::size_t frames = times.size();
  require(positions.size() % (3 * frames) == 0, "positions must be ", frames, " frames x vertices x 3, got ",
          positions.size(), " numbers");
  const std::int64_t stored = std::int64_t(positions.size() / (3 * frames));
  check_positions(positions, frames, stored, "garment");
  check_rest(rest, stored);

  Weld map;
  if (weld && stored > 0) {
    std::vector<double> poses;
    if (rest) {
      poses = positions;
      poses.insert(poses.end(), rest->data(), rest->data() + rest->size());
    }
    map = pucker::weld(rest ? poses : positions, stored);
  } else {
    map.welded.resize(std::size_t(stored));
    std::iota(map.welded.begin(), map.welded.end(), 0);
    map.representatives = map.welded;
  }
  ClipData data;
  data.name = "arrays";
  data.vertices = std::int64_t(map.representatives.size());
  for (std::size_t frame = 0; frame < frames; ++frame)
    for (const std::int32_t vertex : map.representatives)
      for (std::size_t axis = 0; axis < 3; ++axis)
        data.positions.push_back(positions[3 * (frame * std::size_t(stored) + std::size_t(vertex)) + axis]);
  if (rest) data.rest = Array3((*rest)(map.representatives, Eigen::all));
  data.garment = {.faces = std::move(faces),
                  .uv = uv ? std::move(*uv) : UvArray(0, 2),
                  .materials = {},
                  .weld = std::move(map.welded)};
  data.garment.materials.assign(std::size_t(data.garment.faces.rows()), 0);
  data.body = {.faces = Index3(0, 3), .uv = UvArray(0, 2), .materials = {}, .weld = {}};
  data.materials = {Material{}};
  data.clips = {{data.name, times.back() - times.front()}};
  data.times = std::move(times);
  return Clip(std::move(data));
}

Eigen::Map<const Array3> Clip::positions(std::int64_t frame) const {
  return {data_.positions.data() + frame * data_.vertices * 3, data_.vertices, 3};
}

Eigen::Map<const Array3> Clip::body_positions(std::int64_t frame) const {
  return {data_.body_positions.data() + frame * body_vertex_count() * 3, body_vertex_count(), 3};
}

}  // namespace pucker::io
