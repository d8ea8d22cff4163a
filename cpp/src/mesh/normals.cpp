#include "pucker/mesh/normals.h"

namespace pucker {

void welded_normals(const ConstIndex3& faces, const ConstArray3& positions, std::span<const std::int32_t> weld,
                    Array3& out) {
  out.setZero(positions.rows(), 3);
  // What vertices share is summed up at the row of their number and copied from there.
  const auto number = [&](Eigen::Index v) { return weld.empty() ? v : Eigen::Index(weld[std::size_t(v)]); };
  for (Eigen::Index t = 0; t < faces.rows(); ++t) {
    const Eigen::RowVector3d origin = positions.row(faces(t, 0));
    const Eigen::RowVector3d first = positions.row(faces(t, 1)) - origin;
    const Eigen::RowVector3d second = positions.row(faces(t, 2)) - origin;
    const Eigen::RowVector3d cross = first.cross(second);
    for (int k = 0; k < 3; ++k) out.row(number(faces(t, k))) += cross;
  }
  for (Eigen::Index v = 0; v < out.rows(); ++v) {
    const double length = out.row(v).norm();
    if (length > 0) out.row(v) /= length;
  }
  if (weld.empty()) return;
  const Array3 shared = out;
  for (Eigen::Index v = 0; v < out.rows(); ++v) out.row(v) = shared.row(number(v));
}

}  // namespace pucker
