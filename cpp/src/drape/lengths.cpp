#include "pucker/drape/lengths.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "pucker/buckling.h"
#include "pucker/errors.h"
#include "pucker/mesh/frames.h"
#include "pucker/mesh/thickness.h"

namespace pucker::drape {

namespace {

std::vector<double> interpolated(const SparseRows& rows, const std::vector<double>& values) {
  std::vector<double> out(std::size_t(rows.rows()), 0);
  for (Eigen::Index v = 0; v < rows.rows(); ++v)
    for (SparseRows::InnerIterator entry(rows, v); entry; ++entry)
      out[std::size_t(v)] += entry.value() * values[std::size_t(entry.col())];
  return out;
}

}  // namespace

namespace {

/// Of each vertex (n,) the longest side of the box round its piece: all that edges join it with.
std::vector<double> piece_extents(const Mesh& mesh, const ConstArray3& positions) {
  std::vector<double> out(std::size_t(positions.rows()), -1);
  std::vector<std::int32_t> piece;
  for (std::size_t first = 0; first < out.size(); ++first) {
    if (out[first] >= 0) continue;
    Eigen::AlignedBox3d box;
    piece.assign(1, std::int32_t(first));
    out[first] = 0;
    for (std::size_t k = 0; k < piece.size(); ++k) {
      box.extend(positions.row(piece[k]).transpose());
      for (const std::int32_t triangle : mesh.ring(piece[k]))
        for (const std::int32_t next : mesh.faces().row(triangle))
          if (std::exchange(out[std::size_t(next)], 0) < 0) piece.push_back(next);
    }
    for (const std::int32_t v : piece) out[std::size_t(v)] = box.sizes().maxCoeff();
  }
  return out;
}

/// ℓ of the coarse vertices (n,).
std::vector<double> coarse_sizes(const Mesh& mesh, const ConstArray3& cut, double extent, const Params& params) {
  // So that a buckle is held as close as a buckle, whatever it is worn on. A piece of one point has no size.
  constexpr double smallest = 0.01;
  std::vector<double> sizes = piece_extents(mesh, cut);
  for (double& size : sizes) size = params.fold_size * std::clamp(kOfPiece * size, smallest * extent, extent);
  if (params.thickness == 0) return sizes;
  const std::vector<double> depths = thickness(mesh, cut);
  for (std::size_t v = 0; v < sizes.size(); ++v) {
    // Two sides that touch would hold the cloth infinitely hard.
    constexpr double least = 0.05;
    sizes[v] = std::min(sizes[v], std::max(params.thickness * depths[v] / 2, least * sizes[v]));
  }
  constexpr int rounds = 3;
  for (int round = 0; round < rounds; ++round) smooth_over_edges(mesh, sizes);
  return sizes;
}

double extent_of(const ConstArray3& cut) {
  const double extent = cut.rows() > 0 ? (cut.colwise().maxCoeff() - cut.colwise().minCoeff()).maxCoeff() : 0;
  require(extent == 0 || (extent >= 1 / kFarthest && extent <= kFarthest), "draped cloth needs a garment between ",
          1 / kFarthest, " and ", kFarthest, " large, got ", extent);
  require(extent > 0, "draped cloth needs a garment with an extent, but all of its ", cut.rows(),
          " vertices lie in one point");
  return extent;
}

/// (n,): mean length of the edges of each vertex; 0 for one that has none.
std::vector<double> mean_edges(const Mesh& mesh, const ConstArray3& positions) {
  std::vector<double> out(std::size_t(positions.rows()), 0);
  std::vector<double> counts(out.size(), 0);
  for (Eigen::Index e = 0; e < mesh.edges().rows(); ++e) {
    const double length = (positions.row(mesh.edges()(e, 0)) - positions.row(mesh.edges()(e, 1))).norm();
    for (int end = 0; end < 2; ++end) {
      out[std::size_t(mesh.edges()(e, end))] += length;
      counts[std::size_t(mesh.edges()(e, end))] += 1;
    }
  }
  for (std::size_t v = 0; v < out.size(); ++v)
    if (counts[v] > 0) out[v] /= counts[v];
  return out;
}

/// How long folds are at a fold size, on a garment of an extent, without a map.
class FoldLength {
 public:
  FoldLength(const Params& params, double extent) : share_(params.wavelength), fabric_(fabric_of(params.fabric)) {
    if (!fabric_) return;
    constexpr double smallest = 0.01;
    constexpr double largest = 20;
    require(params.fabric.size || (extent >= smallest && extent <= largest),
            "params.fabric.size must be given, in metres, for a garment ", extent,
            " large, as the unit of its clip cannot be the metre");
    metre_ = params.fabric.size ? extent / *params.fabric.size : 1;
  }
  double operator()(double size) const {
    return fabric_ ? metre_ * buckling_wavelength(fabric_->bending, fabric_->tension, size / metre_) : share_ * size;
  }

 private:
  double share_;
  std::optional<Fabric> fabric_;
  double metre_ = 1;  ///< in the clip's unit
};

void require_map(const std::vector<double>& map, const char* what, std::int64_t count, double low, double high) {
  require(map.empty() || std::int64_t(map.size()) == count, "a map of ", what, " must be of ", count, " vertices, got ",
          map.size());
  for (std::size_t v = 0; v < map.size(); ++v)
    require(map[v] >= low && map[v] <= high, what, " must lie in [", low, ", ", high, "], but the map has ", map[v],
            " at vertex ", v);
}

void require_maps(const Mesh& mesh, const Params& params, const Maps& maps) {
  constexpr double most = 1e9;
  require_map(maps.stiffness, "stiffness", mesh.vertex_count(), 1 / most, most);
  require_map(maps.tightness, "tightness", mesh.vertex_count(), kLoosest / params.tightness,
              kTightest / params.tightness);
}

/// By how much folds are longer where cloth is as many times as stiff.
double longer(double stiffness) { return std::sqrt(std::sqrt(stiffness)); }

}  // namespace

std::optional<Fabric> fabric_of(Cloth cloth) {
  switch (cloth) {
    case Cloth::silk:
      return Fabric{.bending = 3e-6, .tension = 1};
    case Cloth::cotton:
      return Fabric{.bending = 1e-5, .tension = 1};
    case Cloth::wool:
      return Fabric{.bending = 2e-5, .tension = 1.2};
    case Cloth::denim:
      return Fabric{.bending = 1e-4, .tension = 2};
    case Cloth::leather:
      return Fabric{.bending = 5e-4, .tension = 3.5};
    case Cloth::unknown:
      break;
  }
  return std::nullopt;
}

std::optional<Fabric> fabric_of(const FabricParams& params) {
  std::optional<Fabric> out = fabric_of(params.cloth);
  if (!out && !params.bending) return out;
  if (!out) out = Fabric{.bending = *params.bending, .tension = 1};
  out->bending = params.bending.value_or(out->bending);
  out->tension = params.tension.value_or(out->tension);
  return out;
}

int levels_of(const Mesh& mesh, const ConstArray3& cut, const Params& params, const Maps& maps) {
  params.validate();
  require_positions(mesh, cut);
  require_maps(mesh, params, maps);
  if (params.levels >= 0) return params.levels;
  const double extent = extent_of(cut);
  const std::vector<double> sizes = coarse_sizes(mesh, cut, extent, params);
  const FoldLength length(params, extent);
  const std::vector<double> edges = mean_edges(mesh, cut);
  std::vector<double> needed;
  constexpr double each = 7;
  for (std::size_t v = 0; v < sizes.size(); ++v) {
    double wave = length(sizes[v]);
    if (!maps.stiffness.empty()) wave *= longer(maps.stiffness[v]);
    if (edges[v] > 0 && wave > 0) needed.push_back(each * edges[v] / wave);
  }
  if (needed.empty()) return 0;
  const auto middle = needed.begin() + std::ptrdiff_t(needed.size() / 2);
  std::ranges::nth_element(needed, middle);
  const double wanted = *middle;
  constexpr int most_levels = 3;
  constexpr std::int64_t most_triangles = 100'000;
  int level = 0;
  while (level < most_levels && wanted > std::ldexp(1.0, level) &&
         mesh.triangle_count() << 2 * (level + 1) <= most_triangles)
    ++level;
  return level;
}

Lengths lengths_of(const Levels& levels, const ConstArray3& cut, const Params& params, const Maps& maps) {
  params.validate();
  const Mesh& coarse = *levels.coarse();
  require_positions(coarse, cut);
  require_maps(coarse, params, maps);
  Lengths out;
  out.extent = extent_of(cut);
  out.fold_sizes = interpolated(levels.whole().barycentrics(), coarse_sizes(coarse, cut, out.extent, params));

  Array3 fine;
  levels.place(cut, fine);
  const std::vector<double> edges = mean_edges(*levels.whole().fine(), fine);
  const FoldLength length(params, out.extent);
  out.wavelengths.resize(edges.size());
  for (std::size_t v = 0; v < edges.size(); ++v) out.wavelengths[v] = length(out.fold_sizes[v]);
  if (!maps.stiffness.empty()) {
    const std::vector<double> stiffness = interpolated(levels.whole().barycentrics(), maps.stiffness);
    for (std::size_t v = 0; v < edges.size(); ++v) out.wavelengths[v] *= longer(stiffness[v]);
  }
  for (std::size_t v = 0; v < edges.size(); ++v)
    out.wavelengths[v] = std::max(out.wavelengths[v], params.edges_per_wave * edges[v]);
  out.tightness.assign(edges.size(), params.tightness);
  if (!maps.tightness.empty()) {
    out.tightness = interpolated(levels.whole().barycentrics(), maps.tightness);
    for (double& tightness : out.tightness) tightness *= params.tightness;
  }
  return out;
}

}  // namespace pucker::drape
