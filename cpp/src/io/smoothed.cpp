#include "pucker/io/smoothed.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "pucker/errors.h"
#include "pucker/mesh/loop.h"
#include "pucker/mesh/sewing.h"
#include "pucker/mesh/weld.h"

namespace pucker::io {
namespace {

/// Consecutive triangles of the joined mesh.
struct Block {
  std::int32_t first;
  std::int32_t count;

  bool holds(std::int32_t triangle) const { return triangle >= first && triangle - first < count; }
};

/// The stored triangles of the garment, or none, and then of the body, as the joined mesh has them.
class StoredTriangles {
 public:
  StoredTriangles(const ClipData& data, const Block& garment) : data_(data), garment_(garment) {}

  /// Whether the garment ends between two triangles and what is seen changes there too.
  bool are_at_hem(std::int32_t a, std::int32_t b) const {
    return garment_.holds(a) != garment_.holds(b) && material(a) != material(b);
  }
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
  const StoredSurface& surface(std::int32_t triangle) const {
    return garment_.holds(triangle) ? data_.garment : data_.body;
  }
  std::int32_t stored(std::int32_t triangle) const {
    return garment_.holds(triangle) ? triangle : triangle - garment_.count;
  }
  std::int32_t vertex(std::int32_t triangle, int k) const { return surface(triangle).faces(stored(triangle), k); }
  std::int32_t material(std::int32_t triangle) const {
    return surface(triangle).materials[std::size_t(stored(triangle))];
  }

  const ClipData& data_;
  const Block garment_;
};

/// Cosine of the angle between two vectors; 1 where one has no length.
double cosine(const Vector3& a, const Vector3& b) {
  const double lengths = a.stableNorm() * b.stableNorm();
  return lengths > 0 ? a.dot(b) / lengths : 1;
}

/// Which edges (e,) of the joined mesh the file lights as sharp and which are, and hems: a vertex inside a surface
/// moves along it towards its longer edges, by which a hem between cloth of short edges and skin of long ones becomes a
/// zigzag.
std::vector<std::uint8_t> creases_of(const StoredTriangles& stored, const Mesh& mesh) {
  constexpr double sharp = 0.5;    // cos 60°
  constexpr double split = 0.999;  // normals of single precision that are the same are nearer
  std::vector<std::uint8_t> out(std::size_t(mesh.edge_count()));
  for (std::int32_t e = 0; e < mesh.edge_count(); ++e) {
    const auto [a, b] = mesh.edge_triangles(e);
    if (b != kNone && stored.are_at_hem(a, b)) out[std::size_t(e)] = 1;
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

/// What of a clip is subdivided as one mesh: garment and body, or the body alone, sewn to the coarse garment.
class Joined {
 public:
  Joined(const Clip& clip, int levels, bool with_garment)
      : data_(clip.data()),
        of_garment_{0, with_garment ? std::int32_t(data_.garment.faces.rows()) : 0},
        of_body_{of_garment_.count, std::int32_t(data_.body.faces.rows())},
        joined_(clip.joined()) {
    Index3 faces(of_garment_.count + of_body_.count, 3);
    faces << data_.garment.faces.topRows(of_garment_.count).unaryExpr([&](std::int32_t vertex) {
      return data_.garment.weld[std::size_t(vertex)];
    }),
        data_.body.faces.unaryExpr([&](std::int32_t vertex) { return joined_of_body()[std::size_t(vertex)]; });
    const auto count = std::int64_t(joined_.size());
    std::vector<Array3> frames;
    for (std::int64_t frame = 0; frame < clip.frame_count(); ++frame)
      frames.push_back(both(clip.positions(frame), clip.body_positions(frame)));
    const Array3 rest = data_.rest ? both(*data_.rest, data_.body_rest) : frames.front();
    touching_.emplace(Mesh(faces, count), rest, frames);
    const auto one_of = [&](std::int32_t vertex) { return touching_->one_of(vertex); };
    faces = faces.unaryExpr(one_of).eval();
    std::ranges::transform(joined_, joined_.begin(), one_of);
    const auto mesh = std::make_shared<const Mesh>(std::move(faces), count);
    loop_.emplace(mesh, levels, creases_of({data_, of_garment_}, *mesh), sharp_corners(*mesh, rest));
    if (!with_garment) sewing_.emplace(*loop_, clip.shared_vertices());
  }
  Joined(const Joined&) = delete;  // Sewing refers to the subdivision
  Joined& operator=(const Joined&) = delete;

  FineLayer garment() const {
    std::vector<std::int32_t> joined = data_.garment.weld;
    std::ranges::transform(joined, joined.begin(), [&](std::int32_t vertex) { return touching_->one_of(vertex); });
    return subdivided(data_.garment, joined, *loop_, of_garment_);
  }
  FineLayer body() const {
    FineLayer out = subdivided(data_.body, joined_of_body(), *loop_, of_body_);
    weld_body(out);
    return out;
  }
  /// The fine places (N, 3) of coarse ones, of the garment (n, 3) and the body (nb, 3), until the next call.
  const Array3& places(const ConstArray3& garment, const ConstArray3& body) {
    const Array3 coarse = both(garment, body);
    united_ = coarse;
    touching_->unite(united_);
    multiply(loop_->matrix(), united_, fine_);
    if (sewing_) sewing_->sew(coarse, fine_);
    return fine_;
  }

 private:
  std::span<const std::int32_t> joined_of_body() const {
    return std::span(joined_).subspan(std::size_t(data_.vertices));
  }
  static Array3 both(const ConstArray3& garment, const ConstArray3& body) {
    Array3 out(garment.rows() + body.rows(), 3);
    out << garment, body;
    return out;
  }

  const ClipData& data_;
  const Block of_garment_, of_body_;
  std::vector<std::int32_t> joined_;  ///< (n + nb,) see Clip::joined; then as shells that touch share numbers
  std::optional<Touching> touching_;
  std::optional<LoopSubdivision> loop_;
  std::optional<Sewing> sewing_;
  Array3 united_, fine_;
};

}  // namespace

void require_smoothing(int levels) {
  require(levels >= 0 && levels <= kMostSmoothing, "a clip may be smoothed by 0 to ", kMostSmoothing, " levels, not ",
          levels);
}

Clip smoothed(const Clip& clip, int levels) {
  require_smoothing(levels);
  if (levels == 0) return clip;
  const ClipData& data = clip.data();
  Joined joined(clip, levels, true);
  FineLayer garment = joined.garment();
  FineLayer body = joined.body();
  const std::vector<std::int32_t> vertices = weld_garment(garment, data.vertices);

  ClipData out{.name = data.name,
               .times = data.times,
               .vertices = std::int64_t(vertices.size()),
               .positions = {},
               .rest = std::nullopt,
               .skin = std::nullopt,
               .front = front_of(clip),
               .garment = std::move(garment.surface),
               .body_positions = {},
               .body = std::move(body.surface),
               .materials = data.materials,
               .parts = data.parts,
               .clips = data.clips,
               .whole = std::nullopt};
  out.positions.reserve(3 * vertices.size() * data.times.size());
  out.body_positions.reserve(3 * body.joined.size() * data.times.size());
  for (std::int64_t frame = 0; frame < clip.frame_count(); ++frame) {
    const Array3& fine = joined.places(clip.positions(frame), clip.body_positions(frame));
    append(out.positions, fine, vertices);
    append(out.body_positions, fine, body.joined);
  }
  if (data.rest) {
    const Array3& fine = joined.places(*data.rest, data.body_rest);
    out.rest = fine(vertices, Eigen::all);
    out.body_rest = fine(body.joined, Eigen::all);
  }
  if (data.standing) {
    const Array3& fine = joined.places(data.standing->garment, data.standing->body);
    out.standing = {data.standing->from, fine(vertices, Eigen::all), fine(body.joined, Eigen::all)};
  }
  return Clip(std::move(out));
}

Clip with_smooth_body(const Clip& clip, int levels) {
  require_smoothing(levels);
  if (levels == 0 || clip.body_vertex_count() == 0) return clip;
  Joined joined(clip, levels, false);
  FineLayer body = joined.body();
  ClipData out = clip.data();
  out.front = front_of(clip);
  out.body_skin = std::nullopt;
  out.whole = std::nullopt;  // of another body
  out.body = std::move(body.surface);
  out.body_positions.clear();
  out.body_positions.reserve(3 * body.joined.size() * out.times.size());
  for (std::int64_t frame = 0; frame < clip.frame_count(); ++frame)
    append(out.body_positions, joined.places(clip.positions(frame), clip.body_positions(frame)), body.joined);
  if (out.rest) out.body_rest = joined.places(*out.rest, clip.data().body_rest)(body.joined, Eigen::all);
  if (out.standing)
    out.standing->body = joined.places(out.standing->garment, clip.data().standing->body)(body.joined, Eigen::all);
  return Clip(std::move(out));
}

}  // namespace pucker::io
