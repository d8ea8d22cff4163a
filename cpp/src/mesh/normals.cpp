#include "pucker/mesh/normals.h"

#include <cmath>
#include <numeric>

#include "pucker/errors.h"
#include "pucker/threads.h"

namespace pucker {

namespace {

/// Two edges of a triangle, its unit normal and its area, twice.
struct Span {
  Vector3 first, second, normal;
  double area;
};

Span span_of(const ConstIndex3& faces, const ConstArray3& positions, Eigen::Index t) {
  const Vector3 origin = positions.row(faces(t, 0));
  Span span;
  span.first = Vector3(positions.row(faces(t, 1))) - origin;
  span.second = Vector3(positions.row(faces(t, 2))) - origin;
  span.normal = span.first.cross(span.second);
  span.area = span.normal.norm();
  if (span.area > 0) span.normal /= span.area;
  return span;
}

void make_unit(Array3& rows, Eigen::Index v) {
  const double length = rows.row(v).norm();
  if (length > 0) rows.row(v) /= length;
}

void make_unit(Array3& rows) {
  for (Eigen::Index v = 0; v < rows.rows(); ++v) make_unit(rows, v);
}

void require_count(const ConstArray3& positions, std::size_t count) {
  require(std::size_t(positions.rows()) == count, "positions must have one row a vertex: (", count, ", 3), got (",
          positions.rows(), ", 3)");
}

/// Vertices or triangles that a thread takes at a time.
constexpr std::size_t kTaken = 1024;

}  // namespace

void welded_normals(const ConstIndex3& faces, const ConstArray3& positions, std::span<const std::int32_t> weld,
                    Array3& out) {
  out.setZero(positions.rows(), 3);
  // What vertices share is summed up at the row of their number and copied from there.
  const auto number = [&](Eigen::Index v) { return weld.empty() ? v : Eigen::Index(weld[std::size_t(v)]); };
  for (Eigen::Index t = 0; t < faces.rows(); ++t) {
    const Eigen::RowVector3d area = twice_area(faces, positions, t);
    for (int k = 0; k < 3; ++k) out.row(number(faces(t, k))) += area;
  }
  make_unit(out);
  if (weld.empty()) return;
  const Array3 shared = out;
  for (Eigen::Index v = 0; v < out.rows(); ++v) out.row(v) = shared.row(number(v));
}

void carry_normals(const ConstIndex3& faces, const ConstArray3& from, const ConstArray3& normals, const ConstArray3& to,
                   Array3& out) {
  out.setZero(to.rows(), 3);
  for (Eigen::Index t = 0; t < faces.rows(); ++t) {
    const Span before = span_of(faces, from, t);
    const Span after = span_of(faces, to, t);
    if (!(before.area > 0) || !(after.area > 0)) continue;
    // The inverse transpose of [first second normal]: cross products of its columns, over the determinant.
    const double stretch = std::sqrt(after.area / before.area);
    const Vector3 along_first = stretch * after.second.cross(after.normal);
    const Vector3 along_second = stretch * after.normal.cross(after.first);
    for (int k = 0; k < 3; ++k) {
      const Vector3 given = normals.row(faces(t, k));
      const Vector3 carried = before.first.dot(given) * along_first + before.second.dot(given) * along_second +
                              before.normal.dot(given) * after.area * after.normal;
      const double length = carried.norm();
      if (length > 0) out.row(faces(t, k)) += (after.area / length * carried).transpose();
    }
  }
  make_unit(out);
}

SummedNormals::SummedNormals(const Mesh& mesh)
    : faces_(mesh.faces()), offsets_(std::size_t(mesh.vertex_count()) + 1, 0), areas_(faces_.rows(), 3) {
  for (const std::int32_t v : faces_.reshaped()) ++offsets_[std::size_t(v) + 1];
  std::partial_sum(offsets_.begin(), offsets_.end(), offsets_.begin());
  triangles_.resize(offsets_.back());
  std::vector<std::size_t> next(offsets_.begin(), offsets_.end() - 1);
  for (Eigen::Index t = 0; t < faces_.rows(); ++t)
    for (int k = 0; k < 3; ++k) triangles_[next[std::size_t(faces_(t, k))]++] = std::int32_t(t);
}

void SummedNormals::step(const ConstArray3& positions, Array3& out) {
  const std::size_t count = offsets_.size() - 1;
  require_count(positions, count);
  out.resize(Eigen::Index(count), 3);
  parallel_blocks(std::size_t(faces_.rows()), kTaken, [&](std::size_t begin, std::size_t end) {
    for (auto t = Eigen::Index(begin); t < Eigen::Index(end); ++t) areas_.row(t) = twice_area(faces_, positions, t);
  });
  parallel_blocks(count, kTaken, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const auto row = Eigen::Index(v);
      out.row(row).setZero();
      for (std::size_t k = offsets_[v]; k < offsets_[v + 1]; ++k) out.row(row) += areas_.row(triangles_[k]);
      make_unit(out, row);
    }
  });
}

RingNormals::RingNormals(const Mesh& mesh) {
  offsets_.reserve(std::size_t(mesh.vertex_count()) + 1);
  offsets_.push_back(0);
  std::vector<std::array<std::int32_t, 2>> edges;
  std::vector<std::int32_t> polygon;
  for (std::int32_t v = 0; v < mesh.vertex_count(); ++v) {
    edges.clear();
    for (const std::int32_t t : mesh.ring(v)) {
      const int k = mesh.corner(t, v);
      edges.push_back({mesh.faces()(t, (k + 1) % 3), mesh.faces()(t, (k + 2) % 3)});
    }
    while (!edges.empty()) {
      polygon.assign(edges.back().begin(), edges.back().end());
      edges.pop_back();
      // Longer at both ends, as far as there are triangles of one orientation that go on.
      for (bool longer = true; longer;) {
        longer = false;
        for (std::size_t k = 0; k < edges.size(); ++k) {
          if (edges[k][0] == polygon.back()) {
            polygon.push_back(edges[k][1]);
          } else if (edges[k][1] == polygon.front()) {
            polygon.insert(polygon.begin(), edges[k][0]);
          } else {
            continue;
          }
          edges.erase(edges.begin() + std::ptrdiff_t(k));
          longer = true;
          break;
        }
      }
      // Round the vertex it is closed already; else the vertex closes it.
      if (polygon.front() == polygon.back()) {
        polygon.pop_back();
      } else {
        polygon.push_back(v);
      }
      for (std::size_t k = 1; k + 1 < polygon.size(); k += 2) {
        const bool last = k + 2 == polygon.size();
        quads_.push_back({polygon[0], polygon[k], polygon[k + 1], polygon[last ? 0 : k + 2]});
      }
    }
    offsets_.push_back(quads_.size());
  }
}

void RingNormals::step(const ConstArray3& positions, Array3& out) const {
  const std::size_t count = offsets_.size() - 1;
  require_count(positions, count);
  out.resize(Eigen::Index(count), 3);
  parallel_blocks(count, kTaken, [&](std::size_t begin, std::size_t end) {
    for (auto v = std::int32_t(begin); v < std::int32_t(end); ++v) {
      const auto area = twice_area(positions.data(), positions.outerStride(), v);
      const Vector3 sum(area[0], area[1], area[2]);
      const double length = sum.norm();
      out.row(v) = (length > 0 ? 1 / length : 0) * sum.transpose();
    }
  });
}

}  // namespace pucker
