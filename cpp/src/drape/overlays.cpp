#include "pucker/drape/overlays.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pucker::drape {

namespace {

/// What has the full colour; 0: the largest of the garment.
double full_of(TriangleQuantity what) {
  switch (what) {
    case TriangleQuantity::strain_before:
    case TriangleQuantity::strain_after:
      return 0.2;
    case TriangleQuantity::hold:
      return 0.3;
    case TriangleQuantity::hold_force:
    case TriangleQuantity::contact:
      return 1;
    case TriangleQuantity::residual:
      return 0.01;
    case TriangleQuantity::fold_sizes:
    case TriangleQuantity::wavelengths:
      break;
  }
  return 0;
}

/// As the labels of dynamic wrinkles; alpha is the share.
constexpr draw::Rgba8 kShorter{206, 58, 48, 190};
constexpr draw::Rgba8 kAsCut{150, 150, 150, 150};
constexpr draw::Rgba8 kLonger{44, 92, 200, 190};
constexpr draw::Rgba8 kMost{22, 130, 84, 190};

constexpr std::array<Legend, 3> kStrains{
    {{"a fifth shorter", kShorter}, {"as cut", kAsCut}, {"a fifth longer", kLonger}}};
constexpr std::array<Legend, 2> kLengths{{{"none", kAsCut}, {"largest of the garment", kMost}}};
constexpr std::array<Legend, 2> kHolds{{{"on the guide", kAsCut}, {"0.3 of the fold size away", kMost}}};
constexpr std::array<Legend, 2> kForces{{{"not pulled", kAsCut}, {"pulled by K / extent", kMost}}};
constexpr std::array<Legend, 2> kContacts{{{"free", kAsCut}, {"on the body", kMost}}};
constexpr std::array<Legend, 2> kResiduals{{{"in balance", kAsCut}, {"off by a strain of 0.01", kMost}}};

bool is_strain(TriangleQuantity what) {
  return what == TriangleQuantity::strain_before || what == TriangleQuantity::strain_after;
}

/// (E,) of the fine edges.
std::vector<double> strains(const DrapeState& state, const Array3& places) {
  const LoopSubdivision& subdivision = state.setting().levels->whole();
  Array3 cut;
  state.setting().levels->place(state.setting().cut, cut);
  const Index2& edges = subdivision.fine()->edges();
  std::vector<double> out(std::size_t(edges.rows()), 0);
  for (Eigen::Index e = 0; e < edges.rows(); ++e) {
    const double before = (cut.row(edges(e, 0)) - cut.row(edges(e, 1))).norm();
    const double now = (places.row(edges(e, 0)) - places.row(edges(e, 1))).norm();
    if (before > 0) out[std::size_t(e)] = now / before - 1;
  }
  return out;
}

/// (N,) of the fine vertices.
std::vector<double> of_vertices(const DrapeState& state, TriangleQuantity what) {
  const Lengths& lengths = state.setting().lengths;
  const auto value = [&](std::size_t v) {
    const double size = lengths.fold_sizes[v];
    const auto row = Eigen::Index(v);
    switch (what) {
      case TriangleQuantity::hold:
        return (state.balanced.row(row) - state.guide.row(row)).norm() / size;
      case TriangleQuantity::hold_force:
        return (state.balanced.row(row) - state.guide.row(row)).norm() * lengths.extent / (size * size);
      case TriangleQuantity::contact:
        return double(state.on_body[v]);
      case TriangleQuantity::residual:
        return double(state.residuals[v]);
      case TriangleQuantity::wavelengths:
        return lengths.wavelengths[v] / lengths.extent;
      default:
        return size / lengths.extent;
    }
  };
  std::vector<double> out;
  out.reserve(lengths.fold_sizes.size());
  for (std::size_t v = 0; v < lengths.fold_sizes.size(); ++v) out.push_back(value(v));
  return out;
}

draw::Rgba8 between(const draw::Rgba8& from, const draw::Rgba8& to, double share) {
  draw::Rgba8 out{};
  for (std::size_t c = 0; c < out.size(); ++c)
    out[c] = std::uint8_t(std::lround(from[c] + std::clamp(share, 0.0, 1.0) * (int(to[c]) - int(from[c]))));
  return out;
}

}  // namespace

std::vector<double> triangle_values(const DrapeState& state, TriangleQuantity what) {
  const LoopSubdivision& subdivision = state.setting().levels->whole();
  const Mesh& fine = *subdivision.fine();
  const std::vector<double> values =
      is_strain(what) ? strains(state, what == TriangleQuantity::strain_before ? state.guide : state.balanced)
                      : of_vertices(state, what);
  const Index3& places = is_strain(what) ? fine.triangle_edges() : fine.faces();
  const auto count = std::size_t(subdivision.coarse()->triangle_count());
  std::vector<double> out(count, 0);
  std::vector<int> pieces(count, 0);
  const std::vector<std::int32_t>& source = subdivision.places().source;
  for (std::size_t f = 0; f < source.size(); ++f) {
    const auto t = std::size_t(source[f]);
    for (int k = 0; k < 3; ++k) out[t] += values[std::size_t(places(Eigen::Index(f), k))];
    pieces[t] += 3;
  }
  for (std::size_t t = 0; t < count; ++t)
    if (pieces[t] > 0) out[t] /= pieces[t];
  return out;
}

std::vector<draw::Rgba8> tints_of(const DrapeState& state, TriangleQuantity what) {
  const std::vector<double> values = triangle_values(state, what);
  double full = full_of(what);
  if (full == 0) {
    full = std::numeric_limits<double>::min();
    for (const double value : values) full = std::max(full, value);
  }
  std::vector<draw::Rgba8> out;
  out.reserve(values.size());
  for (const double value : values) {
    const draw::Rgba8& end = !is_strain(what) ? kMost : value < 0 ? kShorter : kLonger;
    out.push_back(between(kAsCut, end, std::abs(value) / full));
  }
  return out;
}

std::span<const Legend> legend_of(TriangleQuantity what) {
  if (is_strain(what)) return kStrains;
  switch (what) {
    case TriangleQuantity::hold:
      return kHolds;
    case TriangleQuantity::hold_force:
      return kForces;
    case TriangleQuantity::contact:
      return kContacts;
    case TriangleQuantity::residual:
      return kResiduals;
    default:
      return kLengths;
  }
}

}  // namespace pucker::drape
