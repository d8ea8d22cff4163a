#include "pucker/drape/overlays.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pucker::drape {

namespace {

constexpr double kFullStrain = 0.2;
constexpr double kFullHold = 0.3;
/// As the labels of dynamic wrinkles; alpha is the share.
constexpr draw::Rgba8 kShorter{206, 58, 48, 190};
constexpr draw::Rgba8 kAsCut{150, 150, 150, 150};
constexpr draw::Rgba8 kLonger{44, 92, 200, 190};
constexpr draw::Rgba8 kMost{22, 130, 84, 190};

constexpr std::array<Legend, 3> kStrains{
    {{"a fifth shorter", kShorter}, {"as cut", kAsCut}, {"a fifth longer", kLonger}}};
constexpr std::array<Legend, 2> kLengths{{{"none", kAsCut}, {"largest of the garment", kMost}}};
constexpr std::array<Legend, 2> kHolds{{{"on the guide", kAsCut}, {"0.3 of the fold size away", kMost}}};

bool is_strain(Told what) { return what == Told::strain_before || what == Told::strain_after; }

/// (E,) of the fine edges.
std::vector<double> strains(const DrapeState& state, const Array3& places) {
  const LoopSubdivision& subdivision = state.setting().levels->whole();
  const Array3 cut = subdivision.matrix() * state.setting().cut;
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
std::vector<double> of_vertices(const DrapeState& state, Told what) {
  const Lengths& lengths = state.setting().lengths;
  std::vector<double> out = what == Told::wavelengths ? lengths.wavelengths : lengths.fold_sizes;
  for (std::size_t v = 0; v < out.size(); ++v) {
    const auto row = Eigen::Index(v);
    out[v] =
        what == Told::hold ? (state.draped.row(row) - state.guide.row(row)).norm() / out[v] : out[v] / lengths.extent;
  }
  return out;
}

draw::Rgba8 between(const draw::Rgba8& from, const draw::Rgba8& to, double share) {
  draw::Rgba8 out{};
  for (std::size_t c = 0; c < out.size(); ++c)
    out[c] = std::uint8_t(std::lround(from[c] + std::clamp(share, 0.0, 1.0) * (int(to[c]) - int(from[c]))));
  return out;
}

}  // namespace

std::vector<double> told_of(const DrapeState& state, Told what) {
  const LoopSubdivision& subdivision = state.setting().levels->whole();
  const Mesh& fine = *subdivision.fine();
  const std::vector<double> values = is_strain(what)
                                         ? strains(state, what == Told::strain_before ? state.guide : state.draped)
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

std::vector<draw::Rgba8> tints_of(const DrapeState& state, Told what) {
  const std::vector<double> values = told_of(state, what);
  double full = what == Told::hold ? kFullHold : kFullStrain;
  if (what == Told::fold_sizes || what == Told::wavelengths) {
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

std::span<const Legend> legend_of(Told what) {
  if (is_strain(what)) return kStrains;
  if (what == Told::hold) return kHolds;
  return kLengths;
}

}  // namespace pucker::drape
