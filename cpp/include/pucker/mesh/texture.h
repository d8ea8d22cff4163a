/// Where a garment lies in its picture.
#pragma once

#include "pucker/types.h"

namespace pucker {

/// Texture coordinates, shape (N, 2); (0, 0) is the lower left corner of the picture, as in OpenGL.
using UvArray = Eigen::Matrix<double, Eigen::Dynamic, 2, Eigen::RowMajor>;

/// A mesh in a picture. A vertex of the mesh has several stored ones where the picture has a seam.
struct TextureCoordinates {
  Index3 faces;  ///< (m, 3) stored vertices of the mesh's triangles, corner by corner
  UvArray uv;    ///< (N, 2) of the stored vertices; (0, 2) if there are none
};

}  // namespace pucker
