#include "pucker/mesh/subdivision.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "pucker/errors.h"

namespace pucker {

namespace {

/// A vertex as one triangle sees it.
struct Corner {
  std::int32_t vertex;
  Vector3 at;
};
using Row = std::vector<Corner>;

Vector3 on_side(int k, double share) {
  Vector3 at = Vector3::Zero();
  at[k] = 1 - share;
  at[(k + 1) % 3] = share;
  return at;
}

class Subdivider {
 public:
  Subdivider(const Mesh& mesh, std::span<const std::int32_t> levels) : mesh_(mesh), levels_(levels) {}

  Subdivision run() {
    count();
    place_vertices();
    for (std::int32_t t = 0; t < mesh_.triangle_count(); ++t) {
      if (mesh_.degenerate(t)) {
        add(t, corner(t, 0), corner(t, 1), corner(t, 2));
      } else {
        divide(t);
      }
    }
    out_.faces = Eigen::Map<const Index3>(faces_.data(), Eigen::Index(faces_.size() / 3), 3);
    out_.barycentrics = Eigen::Map<const Array3>(barycentrics_.data(), Eigen::Index(barycentrics_.size() / 3), 3);
    out_.corners = Eigen::Map<const Array3>(corners_.data(), Eigen::Index(corners_.size() / 3), 3);
    return std::move(out_);
  }

 private:
  int level(std::int32_t triangle, int k) const { return levels_[std::size_t(mesh_.triangle_edges()(triangle, k))]; }

  int finest(std::int32_t triangle) const {
    return std::max({level(triangle, 0), level(triangle, 1), level(triangle, 2)});
  }

  void count() const {
    require(std::int64_t(levels_.size()) == mesh_.edge_count(),
            "levels must have one entry an edge: ", mesh_.edge_count(), ", got ", levels_.size());
    std::int64_t total = mesh_.vertex_count();
    for (std::size_t e = 0; e < levels_.size(); ++e) {
      require(levels_[e] >= 1, "levels must be at least 1, but levels[", e, "] is ", levels_[e]);
      total += levels_[e] - 1;
    }
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    for (std::int32_t t = 0; t < mesh_.triangle_count() && total <= most; ++t) {
      if (mesh_.degenerate(t)) continue;
      const std::int64_t n = finest(t);
      total += (n - 1) * (n - 2) / 2 + 1;
    }
    require(total <= most, "a subdivision may have at most ", most, " vertices, got more than ", total);
  }

  std::int32_t new_vertex(std::int32_t triangle, const Vector3& at) {
    out_.triangles.push_back(triangle);
    barycentrics_.insert(barycentrics_.end(), at.data(), at.data() + 3);
    return std::int32_t(out_.triangles.size() - 1);
  }

  /// Numbers the vertices of the mesh and the points of its edges.
  void place_vertices() {
    std::vector<std::array<std::int32_t, 2>> home(std::size_t(mesh_.vertex_count()), {kNone, kNone});
    std::vector<std::array<std::int32_t, 2>> side(levels_.size(), {kNone, kNone});
    for (std::int32_t t = std::int32_t(mesh_.triangle_count()) - 1; t >= 0; --t)
      for (std::int32_t k = 2; k >= 0; --k) {
        home[std::size_t(mesh_.faces()(t, k))] = {t, k};
        if (!mesh_.degenerate(t)) side[std::size_t(mesh_.triangle_edges()(t, k))] = {t, k};
      }
    vertex_.assign(home.size(), kNone);
    for (std::size_t v = 0; v < home.size(); ++v)
      if (home[v][0] != kNone) vertex_[v] = new_vertex(home[v][0], Vector3::Unit(home[v][1]));
    first_on_edge_.resize(side.size());
    for (std::size_t e = 0; e < side.size(); ++e) {
      const auto [t, k] = side[e];
      first_on_edge_[e] = std::int32_t(out_.triangles.size());
      for (int i = 1; i < levels_[e]; ++i) {
        const double share = double(i) / levels_[e];
        new_vertex(t, on_side(k, forward(t, k) ? share : 1 - share));
      }
    }
  }

  /// Whether edge (k, k+1) of the triangle runs from its smaller vertex to its larger one.
  bool forward(std::int32_t t, int k) const { return mesh_.faces()(t, k) < mesh_.faces()(t, (k + 1) % 3); }

  Corner corner(std::int32_t t, int k) const { return {vertex_[std::size_t(mesh_.faces()(t, k))], Vector3::Unit(k)}; }

  Corner inner(std::int32_t t, const Vector3& at) { return {new_vertex(t, at), at}; }

  /// All points of edge (k, k+1), from corner k.
  void side_of(std::int32_t t, int k, Row& out) const {
    const auto edge = std::size_t(mesh_.triangle_edges()(t, k));
    const int pieces = levels_[edge];
    out.clear();
    out.push_back(corner(t, k));
    for (int i = 1; i < pieces; ++i) {
      const int along = forward(t, k) ? i : pieces - i;
      out.push_back({first_on_edge_[edge] + along - 1, on_side(k, double(i) / pieces)});
    }
    out.push_back(corner(t, (k + 1) % 3));
  }

  void divide(std::int32_t t) {
    const int n = finest(t);
    if (n == 1) {
      add(t, corner(t, 0), corner(t, 1), corner(t, 2));
      return;
    }
    if (n <= 3) {
      const Corner middle = inner(t, Vector3::Constant(1.0 / 3));
      for (int k = 0; k < 3; ++k) {
        side_of(t, k, outer_);
        for (std::size_t i = 0; i + 1 < outer_.size(); ++i) add(t, outer_[i], outer_[i + 1], middle);
      }
      return;
    }
    fill_lattice(t, n);
    for (int k = 0; k < 3; ++k) {
      side_of(t, k, outer_);
      lattice_side(n, k);
      join(t, n);
    }
  }

  /// The points (i, j, n − i − j)/n inside the triangle, row by row of falling i, and the faces between them.
  void fill_lattice(std::int32_t t, int n) {
    lattice_.clear();
    for (int i = n - 2; i >= 1; --i)
      for (int j = n - 1 - i; j >= 1; --j) lattice_.push_back(inner(t, Vector3(i, j, n - i - j) / n));
    for (int row = 0; row + 1 < n - 2; ++row)
      for (int place = 0; place <= row; ++place) {
        add(t, lattice(row, place), lattice(row + 1, place), lattice(row + 1, place + 1));
        if (place < row) add(t, lattice(row, place), lattice(row + 1, place + 1), lattice(row, place + 1));
      }
  }

  /// Row r of the lattice has r + 1 points, from the side of corner 1 to that of corner 2.
  const Corner& lattice(int row, int place) const {
    return lattice_[std::size_t(row) * std::size_t(row + 1) / 2 + std::size_t(place)];
  }

  /// The lattice's side along edge (k, k+1), from corner k.
  void lattice_side(int n, int k) {
    const int last = n - 3;
    inner_.clear();
    for (int i = 0; i <= last; ++i)
      inner_.push_back(k == 0 ? lattice(i, 0) : k == 1 ? lattice(last, i) : lattice(last - i, last - i));
  }

  /// Fills the strip between an edge and the lattice, going to the next point on whichever side it comes first.
  void join(std::int32_t t, int n) {
    const auto outer_middle = [&](std::size_t i) { return (double(i) + 0.5) / double(outer_.size() - 1); };
    const auto inner_middle = [&](std::size_t i) { return (double(i) + 2) / n; };
    std::size_t a = 0;
    std::size_t b = 0;
    while (a + 1 < outer_.size() || b + 1 < inner_.size()) {
      const bool on_edge = b + 1 == inner_.size() || (a + 1 < outer_.size() && outer_middle(a) <= inner_middle(b));
      if (on_edge) {
        add(t, outer_[a], outer_[a + 1], inner_[b]);
        ++a;
      } else {
        add(t, outer_[a], inner_[b + 1], inner_[b]);
        ++b;
      }
    }
  }

  void add(std::int32_t t, const Corner& a, const Corner& b, const Corner& c) {
    for (const Corner* corner : {&a, &b, &c}) {
      faces_.push_back(corner->vertex);
      corners_.insert(corners_.end(), corner->at.data(), corner->at.data() + 3);
    }
    out_.source.push_back(t);
  }

  const Mesh& mesh_;
  std::span<const std::int32_t> levels_;
  Subdivision out_;
  std::vector<std::int32_t> faces_;
  std::vector<double> barycentrics_;
  std::vector<double> corners_;
  std::vector<std::int32_t> vertex_;         // refined vertex of each coarse one
  std::vector<std::int32_t> first_on_edge_;  // first refined vertex inside each edge
  Row outer_;
  Row inner_;
  Row lattice_;
};

}  // namespace

std::int32_t edge_pieces(double length, double target, std::int32_t limit) {
  // Not a number for an edge without length and no target.
  const double pieces = std::ceil(length / target);
  return pieces > 1.0 ? std::int32_t(std::min(pieces, double(limit))) : 1;
}

std::vector<std::int32_t> edge_levels(const Mesh& mesh, const ConstArray3& positions, std::span<const double> targets,
                                      std::int32_t limit) {
  require(std::int64_t(targets.size()) == mesh.triangle_count(),
          "there must be one target a triangle: ", mesh.triangle_count(), ", got ", targets.size());
  for (std::size_t t = 0; t < targets.size(); ++t)
    require(targets[t] > 0, "targets must be positive, but that of triangle ", t, " is ", targets[t]);
  std::vector<double> least(std::size_t(mesh.edge_count()), std::numeric_limits<double>::infinity());
  for (std::int32_t t = 0; t < mesh.triangle_count(); ++t) {
    if (mesh.degenerate(t)) continue;
    for (const std::int32_t edge : mesh.triangle_edges().row(t))
      least[std::size_t(edge)] = std::min(least[std::size_t(edge)], targets[std::size_t(t)]);
  }
  std::vector<std::int32_t> out(least.size(), 1);
  for (std::size_t e = 0; e < out.size(); ++e) {
    const auto ends = mesh.edges().row(Eigen::Index(e));
    const double length = (positions.row(ends[1]) - positions.row(ends[0])).norm();
    if (std::isfinite(least[e])) out[e] = edge_pieces(length, least[e], limit);
  }
  return out;
}

Subdivision subdivide(const Mesh& mesh, std::span<const std::int32_t> levels) { return Subdivider(mesh, levels).run(); }

}  // namespace pucker
