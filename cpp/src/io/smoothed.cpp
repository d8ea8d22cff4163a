#include "pucker/io/smoothed.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "pucker/errors.h"
#include "pucker/mesh/loop.h"
#include "pucker/mesh/weld.h"

namespace pucker::io {
namespace {

/// Consecutive triangles of the joined mesh.
struct Block {
  std::int32_t first;
  std::int32_t count;

  bool holds(std::int32_t triangle) const { return triangle >= first && triangle - first < count; }
};

/// The stored triangles of garment and body as the joined mesh has them, one after the other.
class StoredTriangles {
 public:
  explicit StoredTriangles(const ClipData& data) : data_(data) {}

  bool have_normals(std::int32_t triangle) const { return surface(triangle).normals.rows() > 0; }
  /// Of the triangle itself in the pose of the normals, as long as twice its area.
  Vector3 area_normal(std::int32_t triangle) const {
    const auto at = [&](int k) -> Vector3 { return surface(triangle).normal_pose.row(vertex(triangle, k)); };
    return (at(1) - at(0)).cross(at(2) - at(0));
  }
  /// The file's at a corner; zero where it has none.
  Vector3 normal(std::int32_t triangle, int corner) const {
    return surface(triangle).normals.row(vertex(triangle, corner));
  }

 private:
  bool in_garment(std::int32_t triangle) const { return triangle < data_.garment.faces.rows(); }
  const StoredSurface& surface(std::int32_t triangle) const {
    return in_garment(triangle) ? data_.garment : data_.body;
  }
  std::int32_t vertex(std::int32_t triangle, int k) const {
    const auto row = in_garment(triangle) ? triangle : triangle - data_.garment.faces.rows();
    return surface(triangle).faces(row, k);
  }

  const ClipData& data_;
};

/// Cosine of the angle between two vectors; 1 where one has no length.
double cosine(const Vector3& a, const Vector3& b) {
  const double lengths = a.stableNorm() * b.stableNorm();
  return lengths > 0 ? a.dot(b) / lengths : 1;
}

/// Which edges (e,) of the joined mesh the file lights as sharp and which are.
std::vector<std::uint8_t> creases_of(const ClipData& data, const Mesh& mesh) {
  constexpr double sharp = 0.5;    // cos 60°
  constexpr double split = 0.999;  // normals of single precision that are the same are nearer
  const StoredTriangles stored(data);
  std::vector<std::uint8_t> out(std::size_t(mesh.edge_count()));
  for (std::int32_t e = 0; e < mesh.edge_count(); ++e) {
    const auto [a, b] = mesh.edge_triangles(e);
    if (b == kNone || !stored.have_normals(a) || !stored.have_normals(b)) continue;
    const std::int32_t first = mesh.edges()(e, 0);
    const std::int32_t second = mesh.edges()(e, 1);
    const auto leads = [&](std::int32_t triangle) {
      return mesh.faces()(triangle, (mesh.corner(triangle, first) + 1) % 3) == second;
    };
    // Two triangles of one side run along their edge in opposite ways.
    const double side = leads(a) == leads(b) ? -1 : 1;
    if (!(side * cosine(stored.area_normal(a), stored.area_normal(b)) < sharp)) continue;
    for (const std::int32_t end : {first, second})
      if (cosine(stored.normal(a, mesh.corner(a, end)), stored.normal(b, mesh.corner(b, end))) < split)
        out[std::size_t(e)] = 1;
  }
  return out;
}

/// Shells of a character that touch at their borders in its rest pose, but whose vertices there do not go together to
/// the last bit, as their skins differ: subdivided alone, each border would go its own way.
class Touching {
 public:
  /// `mesh`: the joined one; `rest` (n, 3): its rest pose; `frames`: positions of all frames.
  Touching(const Mesh& mesh, const Array3& rest, const std::vector<Array3>& frames)
      : one_of_(std::size_t(mesh.vertex_count())) {
    std::iota(one_of_.begin(), one_of_.end(), 0);
    std::vector<double> shortest(one_of_.size(), 0);  // edge of the border at each vertex of it
    for (std::int32_t e = 0; e < mesh.edge_count(); ++e) {
      if (mesh.edge_triangles(e)[1] != kNone) continue;
      const double length = (rest.row(mesh.edges()(e, 0)) - rest.row(mesh.edges()(e, 1))).norm();
      for (int k = 0; k < 2; ++k) {
        double& least = shortest[std::size_t(mesh.edges()(e, k))];
        least = least > 0 ? std::min(least, length) : length;
      }
    }
    std::vector<std::int32_t> border;
    std::vector<double> places;
    for (std::size_t v = 0; v < shortest.size(); ++v) {
      if (!(shortest[v] > 0)) continue;
      border.push_back(std::int32_t(v));
      for (int axis = 0; axis < 3; ++axis) places.push_back(rest(Eigen::Index(v), axis));
    }
    if (border.empty()) return;
    const Weld together = weld(places, std::int64_t(border.size()));
    for (std::size_t i = 0; i < border.size(); ++i) {
      const std::int32_t vertex = border[i];
      const std::int32_t first = border[std::size_t(together.representatives[std::size_t(together.welded[i])])];
      const double most = kMostApart * std::min(shortest[std::size_t(vertex)], shortest[std::size_t(first)]);
      const auto apart = [&](const Array3& frame) { return (frame.row(vertex) - frame.row(first)).norm(); };
      // A slit, such as the front of a coat, opens.
      if (vertex == first || !std::ranges::all_of(frames, [&](const Array3& frame) { return apart(frame) <= most; }))
        continue;
      one_of_[std::size_t(vertex)] = first;
      counts_.resize(one_of_.size(), 1);
      ++counts_[std::size_t(first)];
    }
  }
  /// The vertex that stands for it.
  std::int32_t one_of(std::int32_t vertex) const { return one_of_[std::size_t(vertex)]; }
  /// Gives vertices that are one the mean of their places.
  void unite(Array3& positions) const {
    if (counts_.empty()) return;
    const auto others = [&](auto&& visit) {
      for (std::size_t v = 0; v < one_of_.size(); ++v)
        if (one_of_[v] != std::int32_t(v)) visit(Eigen::Index(v), Eigen::Index(one_of_[v]));
    };
    others([&](Eigen::Index v, Eigen::Index first) { positions.row(first) += positions.row(v); });
    for (std::size_t v = 0; v < counts_.size(); ++v)
      if (counts_[v] > 1) positions.row(Eigen::Index(v)) /= double(counts_[v]);
    others([&](Eigen::Index v, Eigen::Index first) { positions.row(v) = positions.row(first); });
  }

 private:
  /// Of the shorter edge of the two borders there: shells that part by more do not touch.
  static constexpr double kMostApart = 0.1;

  std::vector<std::int32_t> one_of_;
  std::vector<std::int32_t> counts_;  ///< empty if all are their own
};

/// A stored surface subdivided, all but its weld.
struct FineLayer {
  StoredSurface surface;
  std::vector<std::int32_t> joined;  ///< (N,) vertex of the fine joined mesh that each stored one is
};

/// What a stored vertex is interpolated from: the coarse stored vertices, ascending, and their shares. Shares are sums
/// of powers of 1/2, so that vertices which are the same compare equal.
using Origin = std::array<std::pair<std::int32_t, double>, 3>;

Origin origin_of(const Index3& faces, std::int32_t face, const Vector3& shares) {
  Origin origin;
  origin.fill({kNone, 0.0});
  for (int k = 0; k < 3; ++k)
    if (shares[k] > 0) origin[std::size_t(k)] = {faces(face, k), shares[k]};
  std::ranges::sort(origin);
  return origin;
}

/// `joined`: the joined vertex of each stored one of the coarse surface, whose triangles are those of the block.
FineLayer subdivided(const StoredSurface& coarse, std::span<const std::int32_t> joined, const LoopSubdivision& loop,
                     const Block& block) {
  FineLayer fine{.surface = {}, .joined{joined.begin(), joined.end()}};
  std::vector<Origin> origins;
  std::map<Origin, std::int32_t> numbers;
  for (std::int32_t v = 0; v < std::int32_t(joined.size()); ++v) {
    origins.push_back({{{kNone, 0.0}, {kNone, 0.0}, {v, 1.0}}});
    numbers.emplace(origins.back(), v);
  }
  const Subdivision& places = loop.places();
  std::vector<std::int32_t> faces;
  for (std::int32_t face = 0; face < std::int32_t(places.source.size()); ++face)
    if (block.holds(places.source[std::size_t(face)])) faces.push_back(face);
  fine.surface.other_sides = coarse.other_sides;
  fine.surface.faces.resize(Eigen::Index(faces.size()), 3);
  for (std::size_t f = 0; f < faces.size(); ++f) {
    const std::int32_t face = faces[f];
    const std::int32_t triangle = places.source[std::size_t(face)] - block.first;
    fine.surface.materials.push_back(coarse.materials[std::size_t(triangle)]);
    for (int k = 0; k < 3; ++k) {
      const Origin origin = origin_of(coarse.faces, triangle, places.corner(face, k));
      const auto [found, is_new] = numbers.emplace(origin, std::int32_t(origins.size()));
      if (is_new) {
        origins.push_back(origin);
        fine.joined.push_back(places.faces(face, k));
      }
      fine.surface.faces(Eigen::Index(f), k) = found->second;
    }
  }
  fine.surface.uv = UvArray::Zero(coarse.uv.rows() == 0 ? 0 : Eigen::Index(origins.size()), 2);
  for (Eigen::Index v = 0; v < fine.surface.uv.rows(); ++v)
    for (const auto& [vertex, share] : origins[std::size_t(v)])
      if (vertex != kNone) fine.surface.uv.row(v) += share * coarse.uv.row(vertex);
  return fine;
}

/// Welded vertices of the garment: the coarse ones, then the new ones ascending in the joined mesh. Fills the weld and
/// returns the joined vertex of each.
std::vector<std::int32_t> weld_garment(FineLayer& garment, std::int64_t coarse) {
  std::vector<std::int32_t> added;
  for (const std::int32_t vertex : garment.joined)
    if (vertex >= coarse) added.push_back(vertex);
  std::ranges::sort(added);
  // Of <algorithm>, as clang reads no subrange of this library's.
  added.erase(std::unique(added.begin(), added.end()), added.end());
  std::vector<std::int32_t> vertices(static_cast<std::size_t>(coarse));
  std::iota(vertices.begin(), vertices.end(), 0);
  vertices.insert(vertices.end(), added.begin(), added.end());
  for (const std::int32_t vertex : garment.joined) {
    const auto at = std::ranges::lower_bound(added, vertex) - added.begin();
    garment.surface.weld.push_back(vertex < coarse ? vertex : std::int32_t(coarse + at));
  }
  return vertices;
}

/// Numbers what of the body is in one place by its first stored vertex's turn.
void weld_body(FineLayer& body) {
  std::map<std::int32_t, std::int32_t> places;
  for (const std::int32_t vertex : body.joined)
    body.surface.weld.push_back(places.emplace(vertex, std::int32_t(places.size())).first->second);
}

void append(std::vector<double>& numbers, const Array3& rows, const std::vector<std::int32_t>& which) {
  for (const std::int32_t row : which)
    for (int axis = 0; axis < 3; ++axis) numbers.push_back(rows(row, axis));
}

}  // namespace

void require_smoothing(int levels) {
  require(levels >= 0 && levels <= kMostSmoothing, "a clip may be smoothed by 0 to ", kMostSmoothing, " levels, not ",
          levels);
}

Clip smoothed(const Clip& clip, int levels) {
  require_smoothing(levels);
  if (levels == 0) return clip;
  const ClipData& data = clip.data();
  const std::int64_t own = data.vertices;
  std::vector<std::int32_t> joined = clip.joined();
  const auto joined_of_body = std::span(joined).subspan(std::size_t(own));
  const Block of_garment{0, std::int32_t(data.garment.faces.rows())};
  const Block of_body{of_garment.count, std::int32_t(data.body.faces.rows())};
  Index3 faces(of_garment.count + of_body.count, 3);
  faces << clip.mesh()->faces(),
      data.body.faces.unaryExpr([&](std::int32_t vertex) { return joined_of_body[std::size_t(vertex)]; });
  std::vector<Array3> frames(std::size_t(clip.frame_count()), Array3(Eigen::Index(joined.size()), 3));
  for (std::int64_t frame = 0; frame < clip.frame_count(); ++frame)
    frames[std::size_t(frame)] << clip.positions(frame), clip.body_positions(frame);
  Array3 rest(Eigen::Index(joined.size()), 3);
  if (data.rest) {
    rest << *data.rest, data.body_rest;
  } else {
    rest = frames.front();
  }
  const Touching touching(Mesh(faces, std::int64_t(joined.size())), rest, frames);
  const auto one_of = [&](std::int32_t vertex) { return touching.one_of(vertex); };
  faces = faces.unaryExpr(one_of).eval();
  std::ranges::transform(joined, joined.begin(), one_of);
  const auto mesh = std::make_shared<const Mesh>(std::move(faces), std::int64_t(joined.size()));
  const LoopSubdivision loop(mesh, levels, creases_of(data, *mesh));

  std::vector<std::int32_t> joined_of_garment = data.garment.weld;
  std::ranges::transform(joined_of_garment, joined_of_garment.begin(), one_of);
  FineLayer garment = subdivided(data.garment, joined_of_garment, loop, of_garment);
  FineLayer body = subdivided(data.body, joined_of_body, loop, of_body);
  const std::vector<std::int32_t> vertices = weld_garment(garment, own);
  weld_body(body);

  ClipData out{.name = data.name,
               .times = data.times,
               .vertices = std::int64_t(vertices.size()),
               .positions = {},
               .rest = std::nullopt,
               .skin = std::nullopt,
               .garment = std::move(garment.surface),
               .body_positions = {},
               .body = std::move(body.surface),
               .materials = data.materials,
               .parts = data.parts,
               .clips = data.clips,
               .whole = std::nullopt};
  out.positions.reserve(3 * vertices.size() * data.times.size());
  out.body_positions.reserve(3 * body.joined.size() * data.times.size());
  Array3 fine;
  for (Array3& coarse : frames) {
    touching.unite(coarse);
    multiply(loop.matrix(), coarse, fine);
    append(out.positions, fine, vertices);
    append(out.body_positions, fine, body.joined);
  }
  if (data.rest) {
    touching.unite(rest);
    multiply(loop.matrix(), rest, fine);
    out.rest = fine(vertices, Eigen::all);
    out.body_rest = fine(body.joined, Eigen::all);
  }
  if (data.standing) {
    Array3 standing(Eigen::Index(joined.size()), 3);
    standing << data.standing->garment, data.standing->body;
    touching.unite(standing);
    multiply(loop.matrix(), standing, fine);
    out.standing = {data.standing->from, fine(vertices, Eigen::all), fine(body.joined, Eigen::all)};
  }
  return Clip(std::move(out));
}

}  // namespace pucker::io
