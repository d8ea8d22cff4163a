#include "pucker/mesh/loop.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include "pucker/errors.h"
#include "pucker/mesh/border.h"
#include "pucker/mesh/frames.h"
#include "pucker/threads.h"

namespace pucker {

namespace {

using Triplets = std::vector<Eigen::Triplet<double, std::int32_t>>;

/// The weight of each of k neighbours of a vertex inside (Loop 1987).
double neighbour_weight(double k) {
  const double c = 0.375 + 0.25 * std::cos(2 * std::numbers::pi / k);
  return (0.625 - c * c) / k;
}

struct Level {
  SparseRows smooth;
  SparseRows middle;
  std::shared_ptr<const Mesh> fine;
  std::vector<std::uint8_t> creases;  ///< of the fine mesh's edges
};

/// A mesh and what of it stays sharp: edges, and of the vertices, which begin with those of the coarsest mesh, corners.
struct Creased {
  const Mesh& mesh;
  const std::vector<std::uint8_t>& creases;
  const std::vector<std::uint8_t>& corners;

  bool is_inner(std::int32_t edge) const {
    return mesh.edge_triangles(edge)[1] != kNone && creases[std::size_t(edge)] == 0;
  }
  bool is_corner(std::size_t vertex) const { return vertex < corners.size() && corners[vertex] != 0; }
};

/// How a vertex moves: it keeps a share of itself and takes one of each neighbour that counts.
struct VertexRule {
  double neighbour = 0;   ///< weight of each
  bool boundary = false;  ///< only the neighbours along boundary edges count
};

std::vector<VertexRule> vertex_rules(const Creased& creased) {
  const Mesh& mesh = creased.mesh;
  std::vector<std::int32_t> inner(std::size_t(mesh.vertex_count()));
  std::vector<std::int32_t> outer(inner.size());
  for (std::int32_t e = 0; e < mesh.edge_count(); ++e)
    for (const std::int32_t vertex : {mesh.edges()(e, 0), mesh.edges()(e, 1)})
      ++(creased.is_inner(e) ? inner : outer)[std::size_t(vertex)];
  std::vector<VertexRule> rules(inner.size());
  for (std::int32_t v = 0; v < mesh.vertex_count(); ++v) {
    const std::size_t i = std::size_t(v);
    if (mesh.fan_count(v) == 0 || creased.is_corner(i)) continue;
    if (outer[i] == 0 && mesh.fan_count(v) == 1) rules[i] = {.neighbour = neighbour_weight(double(inner[i]))};
    if (outer[i] == 2) rules[i] = {.neighbour = 0.125, .boundary = true};
  }
  return rules;
}

void add_vertex_rows(const Creased& creased, Triplets& smooth) {
  const Mesh& mesh = creased.mesh;
  const std::vector<VertexRule> rules = vertex_rules(creased);
  std::vector<double> kept(rules.size(), 1.0);
  for (std::int32_t e = 0; e < mesh.edge_count(); ++e)
    for (int end = 0; end < 2; ++end) {
      const std::int32_t vertex = mesh.edges()(e, end);
      const VertexRule& rule = rules[std::size_t(vertex)];
      if (rule.neighbour == 0 || (rule.boundary && creased.is_inner(e))) continue;
      smooth.emplace_back(vertex, mesh.edges()(e, 1 - end), rule.neighbour);
      kept[std::size_t(vertex)] -= rule.neighbour;
    }
  for (std::size_t v = 0; v < kept.size(); ++v) smooth.emplace_back(std::int32_t(v), std::int32_t(v), kept[v]);
}

void add_edge_row(const Creased& creased, std::int32_t edge, std::int32_t row, Triplets& smooth) {
  const Mesh& mesh = creased.mesh;
  const std::int32_t a = mesh.edges()(edge, 0);
  const std::int32_t b = mesh.edges()(edge, 1);
  const auto triangles = mesh.edge_triangles(edge);
  const auto opposite = [&](std::int32_t triangle) {
    for (int k = 0; k < 3; ++k) {
      const std::int32_t vertex = mesh.faces()(triangle, k);
      if (vertex != a && vertex != b) return vertex;
    }
    return kNone;
  };
  if (!creased.is_inner(edge)) {
    smooth.emplace_back(row, a, 0.5);
    smooth.emplace_back(row, b, 0.5);
    return;
  }
  smooth.emplace_back(row, a, 0.375);
  smooth.emplace_back(row, b, 0.375);
  smooth.emplace_back(row, opposite(triangles[0]), 0.125);
  smooth.emplace_back(row, opposite(triangles[1]), 0.125);
}

SparseRows assembled(std::int64_t rows, std::int64_t columns, const Triplets& entries) {
  SparseRows out{Eigen::Index(rows), Eigen::Index(columns)};
  out.setFromTriplets(entries.begin(), entries.end());
  return out;
}

/// Which edges of the finer mesh are halves of a crease.
std::vector<std::uint8_t> finer_creases(const Creased& creased, const Mesh& fine) {
  const Mesh& mesh = creased.mesh;
  std::vector<std::uint8_t> out(std::size_t(fine.edge_count()));
  for (std::int32_t e = 0; e < fine.edge_count(); ++e) {
    const auto end = fine.edges().row(e).minCoeff();
    const std::int64_t middle = fine.edges().row(e).maxCoeff() - mesh.vertex_count();
    if (end >= mesh.vertex_count() || middle < 0) continue;
    const auto coarse = mesh.edges().row(middle);
    if (coarse[0] == end || coarse[1] == end) out[std::size_t(e)] = creased.creases[std::size_t(middle)];
  }
  return out;
}

Level refine(const Creased& creased) {
  const Mesh& mesh = creased.mesh;
  const std::int64_t n = mesh.vertex_count();
  const std::int64_t count = n + mesh.edge_count();
  std::int64_t whole = 0;
  for (std::int32_t t = 0; t < mesh.triangle_count(); ++t) whole += mesh.degenerate(t) ? 0 : 1;
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  require(count <= most && 4 * whole <= most / 3, "a subdivision must have at most ", most,
          " vertices and corners, got ", count, " vertices and ", 4 * whole, " triangles");

  Triplets smooth;
  Triplets middle;
  add_vertex_rows(creased, smooth);
  for (std::int32_t v = 0; v < n; ++v) middle.emplace_back(v, v, 1.0);
  for (std::int32_t e = 0; e < mesh.edge_count(); ++e) {
    const auto row = std::int32_t(n + e);
    add_edge_row(creased, e, row, smooth);
    middle.emplace_back(row, mesh.edges()(e, 0), 0.5);
    middle.emplace_back(row, mesh.edges()(e, 1), 0.5);
  }

  Index3 faces(Eigen::Index(4 * whole), 3);
  Eigen::Index next = 0;
  for (std::int32_t t = 0; t < mesh.triangle_count(); ++t) {
    if (mesh.degenerate(t)) continue;
    const auto at = [&](int k) { return mesh.faces()(t, k); };
    const auto on = [&](int k) { return std::int32_t(n + mesh.triangle_edges()(t, k)); };
    faces.row(next++) << at(0), on(0), on(2);
    faces.row(next++) << at(1), on(1), on(0);
    faces.row(next++) << at(2), on(2), on(1);
    faces.row(next++) << on(0), on(1), on(2);
  }
  auto fine = std::make_shared<const Mesh>(std::move(faces), count);
  std::vector<std::uint8_t> halves = finer_creases(creased, *fine);
  return {assembled(count, n, smooth), assembled(count, n, middle), std::move(fine), std::move(halves)};
}

/// Rows: where the corners of a part of a coarse triangle, divided so often, lie in it.
Eigen::Matrix3d part_corners(std::int32_t part, int levels) {
  Eigen::Matrix3d at = Eigen::Matrix3d::Identity();
  for (int level = levels - 1; level >= 0; --level) {
    const int which = (part >> 2 * level) & 3;
    const Eigen::Matrix3d whole = at;
    for (int k = 0; k < 3; ++k) {
      const auto middle = [&](int a) { return 0.5 * (whole.row(a) + whole.row((a + 1) % 3)); };
      if (which == 3) {
        at.row(k) = middle(k);
      } else if (k == 0) {
        at.row(k) = whole.row(which);
      } else {
        at.row(k) = middle(k == 1 ? which : (which + 2) % 3);
      }
    }
  }
  return at;
}

SparseRows identity(std::int64_t n) {
  SparseRows out{Eigen::Index(n), Eigen::Index(n)};
  out.setIdentity();
  return out;
}

}  // namespace

std::vector<std::uint8_t> sharp_corners(const Mesh& mesh, const ConstArray3& rest) {
  require_positions(mesh, rest);
  constexpr double narrow = 2 * std::numbers::pi / 3;
  std::vector<double> angles(std::size_t(mesh.vertex_count()), 0);
  for (std::int32_t t = 0; t < mesh.triangle_count(); ++t)
    for (int k = 0; k < 3; ++k) {
      const auto at = [&](int corner) -> Vector3 { return rest.row(mesh.faces()(t, corner % 3)); };
      const Vector3 first = at(k + 1) - at(k);
      const Vector3 second = at(k + 2) - at(k);
      angles[std::size_t(mesh.faces()(t, k))] += std::atan2(first.cross(second).norm(), first.dot(second));
    }
  std::vector<std::uint8_t> out(angles.size());
  for (const std::int32_t v : border_vertices(mesh)) out[std::size_t(v)] = angles[std::size_t(v)] < narrow ? 1 : 0;
  return out;
}

LoopSubdivision::LoopSubdivision(std::shared_ptr<const Mesh> coarse, int levels, std::vector<std::uint8_t> creases,
                                 std::vector<std::uint8_t> corners)
    : coarse_(std::move(coarse)), levels_(levels), corners_(std::move(corners)), fine_(coarse_) {
  require(levels >= 0, "a mesh must be subdivided at least 0 times, not ", levels);
  require(levels <= kMostLevels, "a mesh may be subdivided at most ", kMostLevels, " times, not ", levels);
  const auto edges = std::size_t(coarse_->edge_count());
  if (creases.empty()) creases.resize(edges);
  require(creases.size() == edges, "creases must be of ", edges, " edges, got ", creases.size());
  require(corners_.empty() || corners_.size() == std::size_t(coarse_->vertex_count()), "corners must be of ",
          coarse_->vertex_count(), " vertices, got ", corners_.size());
  report_.isolated = coarse_->report().isolated_vertices;
  report_.fans = coarse_->report().fan_vertices;
  report_.degenerate = coarse_->report().degenerate_triangles;
  matrix_ = identity(coarse_->vertex_count());
  barycentrics_ = matrix_;
  for (int level = 0; level < levels; ++level) {
    Level next = refine({*fine_, creases, corners_});
    matrix_ = SparseRows(next.smooth * matrix_);
    barycentrics_ = SparseRows(next.middle * barycentrics_);
    fine_ = std::move(next.fine);
    creases = std::move(next.creases);
  }
  std::int32_t next = 0;
  first_faces_.assign(std::size_t(coarse_->triangle_count()), kNone);
  for (std::int32_t t = 0; t < coarse_->triangle_count(); ++t)
    if (levels == 0 || !coarse_->degenerate(t))
      first_faces_[std::size_t(t)] = std::exchange(next, next + (1 << 2 * levels));
  find_places();
  matrix_.makeCompressed();
  barycentrics_.makeCompressed();
}

void LoopSubdivision::find_places() {
  const Index3& faces = fine_->faces();
  places_.faces = faces;
  places_.triangles.assign(std::size_t(fine_->vertex_count()), 0);
  places_.barycentrics = Array3::Zero(fine_->vertex_count(), 3);
  places_.barycentrics.col(0).setOnes();
  places_.source.assign(std::size_t(faces.rows()), 0);
  const auto parts = std::int32_t(std::min(faces.rows(), Eigen::Index(1) << 2 * levels_));
  places_.corners.resize(3 * Eigen::Index(parts), 3);
  for (std::int32_t part = 0; part < parts; ++part)
    places_.corners.middleRows(3 * Eigen::Index(part), 3) = part_corners(part, levels_);
  for (std::int32_t t = 0; t < coarse_->triangle_count(); ++t) {
    const std::int32_t first = first_faces_[std::size_t(t)];
    if (first == kNone) continue;
    for (std::int32_t part = 0; part < parts; ++part) {
      const std::int32_t face = first + part;
      places_.source[std::size_t(face)] = t;
      for (int k = 0; k < 3; ++k) {
        const std::int32_t vertex = faces(face, k);
        places_.triangles[std::size_t(vertex)] = t;
        places_.barycentrics.row(vertex) = places_.corner(face, k);
      }
    }
  }
}

FinePoint LoopSubdivision::locate(std::int32_t triangle, const Vector3& barycentrics) const {
  FinePoint at{first_faces_[std::size_t(triangle)], barycentrics};
  if (at.face == kNone) return at;
  // The four parts of a triangle stand in the order of refine: one at each corner, then the one in the middle.
  for (int level = levels_ - 1; level >= 0; --level) {
    const std::int32_t parts = 1 << 2 * level;
    Vector3& b = at.barycentrics;
    int part = 0;
    while (part < 3 && b[part] < 0.5) ++part;
    if (part < 3) {
      b = Vector3(2 * b[part] - 1, 2 * b[(part + 1) % 3], 2 * b[(part + 2) % 3]);
    } else {
      b = Vector3(1 - 2 * b[2], 1 - 2 * b[0], 1 - 2 * b[1]);
    }
    at.face += part * parts;
  }
  return at;
}

void multiply(const SparseRows& rows, const ConstArray3& in, Array3& out) {
  require(in.rows() == rows.cols(), "a matrix of ", rows.cols(), " columns takes as many rows, not ", in.rows());
  out.resize(rows.rows(), 3);
  constexpr std::size_t taken = 1024;
  parallel_blocks(std::size_t(rows.rows()), taken, [&](std::size_t first, std::size_t last) {
    const std::int32_t* const begins = rows.outerIndexPtr();
    const std::int32_t* column = rows.innerIndexPtr() + begins[first];
    const double* entry = rows.valuePtr() + begins[first];
    for (std::size_t i = first; i < last; ++i) {
      double sum[3] = {0, 0, 0};
      for (const double* const end = rows.valuePtr() + begins[i + 1]; entry != end; ++entry, ++column) {
        const double* from = in.data() + *column * in.outerStride();
        for (int axis = 0; axis < 3; ++axis) sum[axis] += *entry * from[axis];
      }
      out.row(Eigen::Index(i)) << sum[0], sum[1], sum[2];
    }
  });
}

}  // namespace pucker
