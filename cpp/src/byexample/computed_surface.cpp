#include "pucker/byexample/computed_surface.h"

#include <algorithm>
#include <array>
#include <bit>

#include "pucker/mesh/origin.h"

namespace pucker::byexample {

namespace {

/// Bytes of a Place of places.glsl.
constexpr std::size_t kPlaceSize = 32;

}  // namespace

ComputedSurface::ComputedSurface(const Synthesis& synthesis, const RingNormals& normals, std::span<const double> holds,
                                 double gain)
    : unit_(synthesis.features().mean_length()),
      gain_(gain),
      dense_(synthesis.options().places == WeightPlaces::dense),
      coarse_(synthesis.features().mesh()->vertex_count()) {
  const LoopSubdivision& subdivision = synthesis.subdivision();
  const SparseRows& matrix = subdivision.matrix();
  const SparseRows& shares = subdivision.barycentrics();
  const std::vector<std::int32_t>& neighbours = synthesis.neighbours();
  fine_.resize(std::size_t(matrix.rows()));
  for (std::size_t v = 0; v < fine_.size(); ++v) {
    const auto row = Eigen::Index(v);
    FineVertex& at = fine_[v];
    at = {};
    double largest = 0;
    int corner = 0;
    for (SparseRows::InnerIterator entry(shares, row); entry; ++entry, ++corner) {
      at.corners[corner] = std::uint32_t(entry.col());
      at.shares[corner] = float(entry.value());
      if (entry.value() <= largest) continue;
      largest = entry.value();
      at.anchor = std::uint32_t(entry.col());
    }
    at.row = std::uint32_t(links_.size());
    for (SparseRows::InnerIterator entry(matrix, row); entry; ++entry) {
      links_.push_back(std::uint32_t(entry.col()));
      links_.push_back(std::bit_cast<std::uint32_t>(float(entry.value())));
    }
    at.row_end = at.ring = std::uint32_t(links_.size());
    for (const RingNormals::Quad& quad : normals.quads(std::int32_t(v)))
      links_.insert(links_.end(), quad.begin(), quad.end());
    at.ring_end = std::uint32_t(links_.size());
    at.neighbour = std::uint32_t(neighbours[v] == kNone ? std::int32_t(v) : neighbours[v]);
    at.hold = float(holds[v]);
  }
  for (const Array3& detail : synthesis.details())
    for (const double x : std::span(detail.data(), std::size_t(detail.size()))) details_.push_back(float(x / unit_));
}

draw::Content ComputedSurface::content(const ConstArray3& positions, const Array3& sway, const Table& weights,
                                       const Vector3& origin, const draw::Continued* done) const {
  const Vector3 middle = middle_of(positions);
  std::vector<float> frame;
  frame.reserve(std::size_t(positions.size() + weights.size() + sway.size()));
  for (Eigen::Index v = 0; v < positions.rows(); ++v)
    for (int axis = 0; axis < 3; ++axis) frame.push_back(float((positions(v, axis) - middle[axis]) / unit_));
  for (const double weight : std::span(weights.data(), std::size_t(weights.size()))) frame.push_back(float(weight));
  // Numbers of positions come before those of weights and sway, so that 0 stands for none.
  const std::size_t sway_first = sway.rows() > 0 ? frame.size() : 0;
  for (const double x : std::span(sway.data(), std::size_t(sway.size()))) frame.push_back(float(x / unit_));

  const auto once = [&](std::string_view block, const auto& values) {
    return done == this ? draw::kept(block, std::as_bytes(std::span(values)).size()) : draw::buffer_of(block, values);
  };
  const auto count = std::int64_t(fine_.size());
  const Vector3 shift = middle - origin;
  draw::Content out;
  out.buffers = {draw::buffer_of("Features", frame), once("Fine", fine_), once("Links", links_),
                 once("Details", details_),
                 done == this ? draw::kept("Places", kPlaceSize * fine_.size())
                              : draw::room_of("Places", kPlaceSize * fine_.size())};
  out.programs = {{"subdivide", count},
                  {"displace",
                   count,
                   {{"sway_first", std::uint32_t(sway_first)},
                    {"weights_first", std::uint32_t(3 * coarse_)},
                    {"poses", std::uint32_t(weights.cols())},
                    {"dense", std::int32_t(dense_)},
                    {"gain", float(gain_)},
                    {"unit", float(unit_)},
                    {"middle", std::array{float(shift[0]), float(shift[1]), float(shift[2])}}}},
                  {"normals", count, {{"sway_first", std::uint32_t(sway_first)}}}};
  out.continued = shared_from_this();
  out.places_vertices = true;
  return out;
}

}  // namespace pucker::byexample
