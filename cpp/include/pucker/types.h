/// Array and matrix types shared by all stages. Everything is double precision and row-major, so that an array of the
/// core and an array of NumPy are the same bytes.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cstdint>
#include <vector>

namespace pucker {

using Vector2 = Eigen::Vector2d;
using Vector3 = Eigen::Vector3d;
using Matrix2 = Eigen::Matrix2d;

/// Vertex positions or directions, shape (n, 3).
using Array3 = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;
/// Vertex numbers of triangles, shape (m, 3).
using Index3 = Eigen::Matrix<std::int32_t, Eigen::Dynamic, 3, Eigen::RowMajor>;
/// Vertex numbers of edges, shape (e, 2).
using Index2 = Eigen::Matrix<std::int32_t, Eigen::Dynamic, 2, Eigen::RowMajor>;

using ConstArray3 = Eigen::Ref<const Array3>;
using ConstIndex3 = Eigen::Ref<const Index3>;
using ConstVector = Eigen::Ref<const Eigen::VectorXd>;

/// One 2×2 matrix a triangle, row-major in memory: an (m, 2, 2) array of Python.
using RowMatrix2 = Eigen::Matrix<double, 2, 2, Eigen::RowMajor>;
using Matrix2List = std::vector<RowMatrix2>;

/// Marks "none" wherever an index is stored.
inline constexpr std::int32_t kNone = -1;

}  // namespace pucker
