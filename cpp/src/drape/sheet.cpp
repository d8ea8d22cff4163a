#include "pucker/drape/sheet.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "pucker/errors.h"
#include "pucker/mesh/frames.h"

namespace pucker::drape {

namespace {

/// In-plane stiffness of a sheet of springs of stiffness 1.
constexpr double kSheet = 1.3;
constexpr double kMostCotangent = 4;
/// Least area of a vertex as a share of the mean: what bends where triangles are degenerate would be infinitely stiff.
constexpr double kLeastArea = 1e-3;

/// Cotangent of the angle between two edges.
double cotangent(const Vector3& a, const Vector3& b) {
  const double area = a.cross(b).norm();
  return area > 0 ? a.dot(b) / area : 0;
}

Sheet sheet_of(const Mesh& mesh, const Array3& cut, const Lengths& lengths) {
  const auto count = std::size_t(mesh.vertex_count());
  Sheet out;
  std::vector<double> cotangents(std::size_t(mesh.edge_count()), 0);
  std::vector<double> areas(count, 0);
  for (Eigen::Index t = 0; t < mesh.faces().rows(); ++t) {
    if (mesh.degenerate(std::int32_t(t))) continue;
    for (int k = 0; k < 3; ++k) {
      const Vector3 apex = cut.row(mesh.faces()(t, (k + 2) % 3)).transpose();
      const Vector3 a = cut.row(mesh.faces()(t, k)).transpose() - apex;
      const Vector3 b = cut.row(mesh.faces()(t, (k + 1) % 3)).transpose() - apex;
      cotangents[std::size_t(mesh.triangle_edges()(t, k))] += cotangent(a, b) / 2;
      areas[std::size_t(mesh.faces()(t, k))] += a.cross(b).norm() / 6;
    }
  }
  out.cotangents.reserve(cotangents.size());
  for (const double weight : cotangents) out.cotangents.push_back(float(std::clamp(weight, 0.0, kMostCotangent)));
  double mean = 0;
  for (const double area : areas) mean += area / double(count);
  // Vertices of a coarser level are the first ones of the finest.
  for (std::size_t v = 0; v < count; ++v) {
    const double area = std::max(areas[v], kLeastArea * mean);
    const double hold = kSheet / (lengths.fold_sizes[v] * lengths.fold_sizes[v]);
    const double wave = lengths.wavelengths[v] / (2 * std::numbers::pi);
    // The hold may be infinite; then it must meet no zero.
    const double bend = area > 0 && wave > 0 ? hold * wave * wave * wave * wave / area : 0;
    out.stiffness.hold.push_back(float(area > 0 ? std::min(hold * area, kStiffest) : 0));
    out.bend.push_back(float(std::min(bend, kStiffestBend)));
  }
  std::vector<float> sums(count, 0);
  out.diagonal.assign(count, 0);
  out.stiffness.own.assign(count, 0);
  for (std::size_t e = 0; e < out.cotangents.size(); ++e) {
    const float weight = out.cotangents[e];
    for (int end = 0; end < 2; ++end) {
      const auto v = std::size_t(mesh.edges()(Eigen::Index(e), end));
      const auto other = std::size_t(mesh.edges()(Eigen::Index(e), 1 - end));
      out.stiffness.own[v] += 0.5F;
      sums[v] += weight;
      out.diagonal[v] += weight * weight * out.bend[other];
    }
  }
  for (std::size_t v = 0; v < count; ++v) {
    out.diagonal[v] += sums[v] * sums[v] * out.bend[v];
    out.stiffness.own[v] += out.diagonal[v];
  }
  return out;
}

/// The cut, once all of it and the lengths are as they must be.
const ConstArray3& checked(const Levels& levels, const ConstArray3& cut, const Lengths& lengths) {
  require_positions(*levels.coarse(), cut);
  const auto count = std::size_t(levels.whole().fine()->vertex_count());
  for (const std::vector<double>* list : {&lengths.fold_sizes, &lengths.wavelengths, &lengths.tightness}) {
    require(list->size() == count, "lengths must be of ", count, " vertices, got ", list->size());
    for (const double length : *list)
      require(std::isfinite(length) && length >= 0, "lengths must be finite and at least 0, got ", length);
  }
  for (const double size : lengths.fold_sizes) require(size > 0, "fold sizes must be above 0, got ", size);
  for (const double tightness : lengths.tightness) require(tightness > 0, "tightness must be above 0, got ", tightness);
  return cut;
}

}  // namespace

Sheets::Sheets(const Levels& of, const ConstArray3& at, const Lengths& lengths)
    : steps(of.whole()), cut(checked(of, at, lengths)) {
  for (int level = 0; level <= of.count(); ++level) {
    if (level > 0) cut = Array3(steps.up(level - 1) * cut);
    if (level == of.count()) of.sewing().sew(at, cut);
    levels.push_back(sheet_of(*steps.mesh(level), cut, lengths));
  }
}

}  // namespace pucker::drape
