#include "pucker/dynamic/widths.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "pucker/mesh/thickness.h"

namespace pucker {

namespace {

/// No leg is so thin, as a share of the garment's longest side; a hem, a pocket or a lining is.
constexpr double kThinnest = 0.02;
/// Finer wrinkles would be scratches: cloth so thin, a buckle or a stiff hem, has none.
constexpr double kLeast = 0.2;
/// How often widths are averaged over neighbouring vertices.
constexpr int kRounds = 3;

/// Whether each vertex belongs to a connected part, a button or a pouch, that fits into a ball of that diameter about
/// the mean of its vertices.
std::vector<std::uint8_t> in_small_part(const Mesh& mesh, const ConstArray3& rest, double diameter) {
  std::vector<std::uint8_t> small(std::size_t(mesh.vertex_count()), 0);
  std::vector<std::uint8_t> met(small.size(), 0);
  std::vector<std::int32_t> part;
  for (std::int32_t first = 0; first < mesh.vertex_count(); ++first) {
    if (std::exchange(met[std::size_t(first)], 1) != 0) continue;
    part.assign(1, first);
    for (std::size_t head = 0; head < part.size(); ++head)
      for (const std::int32_t t : mesh.ring(part[head]))
        for (const std::int32_t next : mesh.faces().row(t))
          if (std::exchange(met[std::size_t(next)], 1) == 0) part.push_back(next);
    const auto vertices = rest(part, Eigen::all);
    const Eigen::RowVector3d middle = vertices.colwise().mean();
    if ((vertices.rowwise() - middle).rowwise().squaredNorm().maxCoeff() > diameter * diameter / 4) continue;
    for (const std::int32_t v : part) small[std::size_t(v)] = 1;
  }
  return small;
}

}  // namespace

std::vector<double> wrinkle_widths(const Mesh& mesh, const ConstArray3& rest, const Params& params) {
  std::vector<double> out;
  const double flat = params.flat_width();
  if (!(params.thickness > 0) || params.verbatim || !(flat > 0)) return out;
  std::vector<double> widths = thickness(mesh, rest, kThinnest);
  std::vector<std::uint8_t> none = in_small_part(mesh, rest, flat);
  for (std::size_t v = 0; v < widths.size(); ++v) {
    const double width = params.thickness * widths[v] / flat;
    if (width < kLeast) none[v] = 1;
    widths[v] = std::clamp(width, kLeast, 1.0);
  }
  for (int round = 0; round < kRounds; ++round) smooth_over_edges(mesh, widths);
  out.resize(std::size_t(mesh.triangle_count()));
  for (std::int32_t t = 0; t < mesh.triangle_count(); ++t) {
    const auto of_corner = [&](int k) { return widths[std::size_t(mesh.faces()(t, k))]; };
    const auto has_none = [&](int k) { return none[std::size_t(mesh.faces()(t, k))] != 0; };
    if (!has_none(0) || !has_none(1) || !has_none(2))
      out[std::size_t(t)] = (of_corner(0) + of_corner(1) + of_corner(2)) / 3;
  }
  return out;
}

}  // namespace pucker
