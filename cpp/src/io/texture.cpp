#include "pucker/io/texture.h"

#include <array>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "pucker/errors.h"

namespace pucker::io {

Clip with_texture(const Clip& clip, std::span<const double> corners) {
  ClipData data = clip.data();
  StoredSurface& garment = data.garment;
  const StoredSurface before = garment;
  require(std::int64_t(corners.size()) == 2 * before.faces.size(), "there must be two texture coordinates for each of ",
          before.faces.size(), " corners, not ", corners.size());
  std::map<std::tuple<std::int32_t, double, double>, std::int32_t> numbers;
  std::vector<std::int32_t> from;
  std::vector<std::array<double, 2>> uv;
  for (Eigen::Index corner = 0; corner < before.faces.size(); ++corner) {
    const std::array<double, 2> at{corners[std::size_t(2 * corner)], corners[std::size_t(2 * corner + 1)]};
    require(std::isfinite(at[0]) && std::isfinite(at[1]), "texture coordinates must be finite");
    const std::int32_t vertex = before.faces.data()[corner];
    const auto [found, is_new] = numbers.try_emplace({vertex, at[0], at[1]}, std::int32_t(from.size()));
    if (is_new) {
      from.push_back(vertex);
      uv.push_back(at);
    }
    garment.faces.data()[corner] = found->second;
  }
  const auto count = Eigen::Index(from.size());
  garment.uv.resize(count, 2);
  garment.weld.resize(from.size());
  const bool has_normals = before.normals.rows() > 0;
  const bool has_pose = before.normal_pose.rows() > 0;
  garment.normals.resize(has_normals ? count : 0, 3);
  garment.normal_pose.resize(has_pose ? count : 0, 3);
  for (std::size_t k = 0; k < from.size(); ++k) {
    const auto row = Eigen::Index(k);
    garment.uv.row(row) << uv[k][0], uv[k][1];
    garment.weld[k] = before.weld[std::size_t(from[k])];
    if (has_normals) garment.normals.row(row) = before.normals.row(from[k]);
    if (has_pose) garment.normal_pose.row(row) = before.normal_pose.row(from[k]);
  }
  return Clip(std::move(data));
}

}  // namespace pucker::io
