#include "pucker/dynamic/widths.h"

#include <algorithm>
#include <cmath>

#include "pucker/mesh/thickness.h"

namespace pucker {

namespace {

/// No leg is so thin, as a share of the garment's longest side; a hem, a pocket or a lining is.
constexpr double kThinnest = 0.02;
/// Finer wrinkles would be scratches.
constexpr double kLeast = 0.2;
/// How often widths are averaged over neighbouring vertices.
constexpr int kRounds = 3;

}  // namespace

std::vector<double> wrinkle_widths(const Mesh& mesh, const ConstArray3& rest, const Params& params) {
  std::vector<double> out;
  const double flat = params.flat_width();
  if (!(params.thickness > 0) || params.verbatim || !(flat > 0)) return out;
  std::vector<double> widths = thickness(mesh, rest, kThinnest);
  for (double& width : widths) width = std::clamp(params.thickness * width / flat, kLeast, 1.0);
  for (int round = 0; round < kRounds; ++round) smooth_over_edges(mesh, widths);
  out.resize(std::size_t(mesh.triangle_count()));
  for (std::int32_t t = 0; t < mesh.triangle_count(); ++t) {
    const auto of_corner = [&](int k) { return widths[std::size_t(mesh.faces()(t, k))]; };
    out[std::size_t(t)] = (of_corner(0) + of_corner(1) + of_corner(2)) / 3;
  }
  return out;
}

}  // namespace pucker
