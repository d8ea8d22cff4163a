#include "pucker/mesh/frames.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "pucker/errors.h"
#include "pucker/mesh/normals.h"
#include "pucker/target_clones.h"
#include "pucker/threads.h"

namespace pucker {

namespace {

/// So many triangles are measured side by side: divisions and roots take most of the time, and a processor has several
/// at once.
constexpr std::size_t kLanes = 8;
using Lanes = double[kLanes];
/// Triangles or vertices that a thread takes at a time.
constexpr std::size_t kTaken = 1024;
static_assert(kTaken % kLanes == 0);

/// From the first corner to the others, by axis.
struct Edges {
  Lanes first[3] = {};
  Lanes second[3] = {};
};

struct Frames {
  Lanes x[3], normal[3];
  Lanes base, shift, height, twice_area;
};

PUCKER_TARGET_CLONES void measure(const Edges& edges, Frames& out) {
  const auto& u = edges.first;
  const auto& v = edges.second;
  for (std::size_t k = 0; k < kLanes; ++k) {
    const double cross[3] = {u[1][k] * v[2][k] - u[2][k] * v[1][k], u[2][k] * v[0][k] - u[0][k] * v[2][k],
                             u[0][k] * v[1][k] - u[1][k] * v[0][k]};
    const double twice_area = std::sqrt(cross[0] * cross[0] + cross[1] * cross[1] + cross[2] * cross[2]);
    const double base = std::sqrt(u[0][k] * u[0][k] + u[1][k] * u[1][k] + u[2][k] * u[2][k]);
    // A root above 0 is so far above it that one over it is finite.
    const double per_area = 1 / twice_area;
    const double per_base = 1 / base;
    out.twice_area[k] = twice_area;
    out.base[k] = base;
    out.shift[k] = (v[0][k] * u[0][k] + v[1][k] * u[1][k] + v[2][k] * u[2][k]) * per_base;
    out.height[k] = twice_area * per_base;
    for (int axis = 0; axis < 3; ++axis) {
      out.x[axis][k] = u[axis][k] * per_base;
      out.normal[axis][k] = cross[axis] * per_area;
    }
  }
}

/// As allFinite, several numbers at a time: x − x is 0 for a finite x and NaN for any other.
bool all_finite(const ConstArray3& positions) {
  if (positions.outerStride() != positions.cols()) return positions.allFinite();
  std::atomic<bool> finite = true;
  parallel_blocks(std::size_t(positions.rows()), kTaken, [&](std::size_t begin, std::size_t end) {
    const Eigen::Map<const Eigen::ArrayXd> numbers(positions.data() + 3 * begin, Eigen::Index(3 * (end - begin)));
    if (!((numbers - numbers).sum() == 0)) finite.store(false, std::memory_order_relaxed);
  });
  return finite;
}

/// The frames of triangles begin … end.
void measure_frames(const Mesh& mesh, const ConstArray3& positions, std::size_t begin, std::size_t end,
                    LocalFrames& out) {
  const Index3& faces = mesh.faces();
  Edges edges;
  Frames frames;
  for (std::size_t start = begin; start < end; start += kLanes) {
    const std::size_t lanes = std::min(end - start, kLanes);
    for (std::size_t k = 0; k < lanes; ++k) {
      const auto row = Eigen::Index(start + k);
      for (int axis = 0; axis < 3; ++axis) {
        const double origin = positions(faces(row, 0), axis);
        edges.first[axis][k] = positions(faces(row, 1), axis) - origin;
        edges.second[axis][k] = positions(faces(row, 2), axis) - origin;
      }
    }
    measure(edges, frames);
    for (std::size_t k = 0; k < lanes; ++k) {
      const std::size_t t = start + k;
      if (!(frames.twice_area[k] > 0) || !(frames.base[k] > 0)) {
        out.matrices[t].setZero();
        out.frames[t] = {Vector3::Zero(), Vector3::Zero()};
        continue;
      }
      const auto vector = [&](const Lanes(&axes)[3]) { return Vector3(axes[0][k], axes[1][k], axes[2][k]); };
      out.frames[t] = {vector(frames.x), vector(frames.normal)};
      out.matrices[t] << frames.base[k], frames.shift[k], 0, frames.height[k];
    }
  }
}

}  // namespace

void require_positions(const Mesh& mesh, const ConstArray3& positions) {
  require(positions.rows() == mesh.vertex_count(), "positions must have one row a vertex: (", mesh.vertex_count(),
          ", 3), got (", positions.rows(), ", 3)");
  if (all_finite(positions)) return;
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
  parallel_blocks(count, kTaken,
                  [&](std::size_t begin, std::size_t end) { measure_frames(mesh, positions, begin, end, out); });
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
