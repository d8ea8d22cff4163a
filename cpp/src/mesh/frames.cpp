#include "pucker/mesh/frames.h"

#include <cmath>

#include "pucker/errors.h"
#include "pucker/mesh/normals.h"

namespace pucker {

void require_positions(const Mesh& mesh, const ConstArray3& positions) {
  require(positions.rows() == mesh.vertex_count(), "positions must have one row a vertex: (", mesh.vertex_count(),
          ", 3), got (", positions.rows(), ", 3)");
  if (positions.allFinite()) return;
  for (Eigen::Index v = 0; v < positions.rows(); ++v)
    for (int k = 0; k < 3; ++k)
      require(std::isfinite(positions(v, k)), "positions must be finite, but positions[", v, ", ", k, "] is ",
              positions(v, k));
}

void local_frames(const Mesh& mesh, const ConstArray3& positions, LocalFrames& out) {
  require(positions.rows() == mesh.vertex_count(), "positions must have one row a vertex: (", mesh.vertex_count(),
          ", 3), got (", positions.rows(), ", 3)");
  const std::size_t count = std::size_t(mesh.triangle_count());
  out.matrices.resize(count);
  out.frames.resize(count);
  out.areas.resize(count);
  const Index3& faces = mesh.faces();
  for (std::size_t t = 0; t < count; ++t) {
    const Eigen::Index row = Eigen::Index(t);
    const Vector3 origin = positions.row(faces(row, 0));
    const Vector3 first = positions.row(faces(row, 1)).transpose() - origin;
    const Vector3 second = positions.row(faces(row, 2)).transpose() - origin;
    const Vector3 cross = first.cross(second);
    const double twice_area = cross.norm();
    const double base = first.norm();
    if (!(twice_area > 0) || !(base > 0)) {
      out.matrices[t].setZero();
      out.frames[t] = {Vector3::Zero(), Vector3::Zero(), Vector3::Zero()};
      out.areas[t] = 0;
      continue;
    }
    TriangleFrame& frame = out.frames[t];
    frame.x = first / base;
    frame.normal = cross / twice_area;
    frame.y = frame.normal.cross(frame.x);
    out.matrices[t] << base, second.dot(frame.x), 0, twice_area / base;
    out.areas[t] = twice_area / 2;
  }
}

LocalFrames local_frames(const Mesh& mesh, const ConstArray3& positions) {
  LocalFrames out;
  local_frames(mesh, positions, out);
  return out;
}

void vertex_normals(const Mesh& mesh, const ConstArray3& positions, Array3& out) {
  require(positions.rows() == mesh.vertex_count(), "positions must have one row a vertex: (", mesh.vertex_count(),
          ", 3), got (", positions.rows(), ", 3)");
  welded_normals(mesh.faces(), positions, {}, out);
}

double mean_edge_length(const Mesh& mesh, const ConstArray3& positions) {
  const Index2& edges = mesh.edges();
  double sum = 0;
  for (Eigen::Index e = 0; e < edges.rows(); ++e)
    sum += (positions.row(edges(e, 0)) - positions.row(edges(e, 1))).norm();
  return edges.rows() == 0 ? 0 : sum / double(edges.rows());
}

}  // namespace pucker
