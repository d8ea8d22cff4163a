#include "pucker/mesh/origin.h"

#include <cmath>

namespace pucker {

Vector3 middle_of(const ConstArray3& points) {
  if (points.rows() == 0) return Vector3::Zero();
  return 0.5 * (points.colwise().minCoeff() + points.colwise().maxCoeff()).transpose();
}

Vector3 nearby_origin(const ConstArray3& positions) {
  if (positions.rows() == 0) return Vector3::Zero();
  const Vector3 low = positions.colwise().minCoeff();
  const Vector3 high = positions.colwise().maxCoeff();
  const double diagonal = (high - low).norm();
  if (!(diagonal > 0.0)) return Vector3::Zero();
  const double step = std::exp2(std::ceil(std::log2(8.0 * diagonal)));
  return (0.5 / step * (low + high)).unaryExpr([](double x) { return std::nearbyint(x); }) * step;
}

}  // namespace pucker
