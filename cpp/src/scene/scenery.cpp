#include "pucker/scene/scenery.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cstddef>
#include <tuple>
#include <utility>

#include "pucker/mesh/pieces.h"
#include "pucker/mesh/topology.h"

namespace pucker::scene {

namespace {

using Box = Eigen::AlignedBox3d;

/// Of the garment's size: what moves less stands still, however the file rounds.
constexpr double kStill = 1e-4;

/// Of each vertex over all frames.
std::vector<Box> boxes_of(const io::Clip& clip) {
  std::vector<Box> out(std::size_t(clip.body_vertex_count()));
  for (std::int64_t frame = 0; frame < clip.frame_count(); ++frame) {
    const auto places = clip.body_positions(frame);
    for (std::size_t v = 0; v < out.size(); ++v) out[v].extend(places.row(Eigen::Index(v)).transpose());
  }
  return out;
}

Box garment_box(const io::Clip& clip) {
  Box out;
  for (std::int64_t frame = 0; frame < clip.frame_count(); ++frame) {
    const auto places = clip.positions(frame);
    out.extend(Vector3(places.colwise().minCoeff().transpose()));
    out.extend(Vector3(places.colwise().maxCoeff().transpose()));
  }
  return out;
}

/// Whether a vertex reaches farther from a box than its diagonal.
bool is_far(const Box& vertex, const Box& box) {
  const Vector3 reach = (box.min() - vertex.min()).cwiseMax(vertex.max() - box.max()).cwiseMax(0);
  return reach.norm() > box.diagonal().norm();
}

/// Marks those in the place of a vertex that the garment shares with the body.
void mark_sewn(const io::Clip& clip, std::vector<std::uint8_t>& marked) {
  const auto place = [](const auto& row) { return std::tuple(row[0], row[1], row[2]); };
  const auto garment = clip.positions(0);
  std::vector<std::tuple<double, double, double>> seam;
  seam.reserve(clip.shared_vertices().size());
  for (const std::int32_t v : clip.shared_vertices()) seam.push_back(place(garment.row(v)));
  std::ranges::sort(seam);
  const auto body = clip.body_positions(0);
  for (std::size_t v = 0; v < marked.size(); ++v)
    if (std::binary_search(seam.begin(), seam.end(), place(body.row(Eigen::Index(v))))) marked[v] = 1;
}

/// Of the stored vertices, as if those in one place were one.
Pieces welded_pieces(const io::StoredSurface& body) {
  const std::vector<std::int32_t>& weld = body.weld;
  const std::int32_t count = weld.empty() ? 0 : *std::max_element(weld.begin(), weld.end()) + 1;
  Index3 welded(body.faces.rows(), 3);
  for (Eigen::Index t = 0; t < welded.rows(); ++t)
    for (int k = 0; k < 3; ++k) welded(t, k) = weld[std::size_t(body.faces(t, k))];
  const Pieces pieces = pucker::pieces_of(Mesh(welded, count));
  std::vector<std::int32_t> out;
  out.reserve(weld.size());
  for (const std::int32_t v : weld) out.push_back(pieces.of[std::size_t(v)]);
  return {.of = std::move(out), .count = pieces.count};
}

}  // namespace

std::vector<std::uint8_t> scenery_of(const io::Clip& clip) {
  std::vector<std::uint8_t> out(std::size_t(clip.body_vertex_count()), 0);
  if (out.empty() || clip.vertex_count() == 0) return out;
  Box character = garment_box(clip);
  const std::vector<Box> boxes = boxes_of(clip);
  // The character is no smaller than its garment.
  if (std::none_of(boxes.begin(), boxes.end(), [&](const Box& each) { return is_far(each, character); })) return out;

  std::vector<std::uint8_t> own(out.size(), 0);
  const double still = kStill * character.diagonal().norm();
  const std::optional<io::Skin>& skin = clip.body_skin();
  for (std::size_t v = 0; v < own.size(); ++v) {
    const bool blended = skin && skin->first[v + 1] - skin->first[v] > 1;
    own[v] = blended || boxes[v].sizes().maxCoeff() > still ? 1 : 0;
  }
  mark_sewn(clip, own);
  const auto [piece, count] = welded_pieces(clip.data().body);
  std::vector<std::uint8_t> owned(std::size_t(count), 0);
  for (std::size_t v = 0; v < own.size(); ++v)
    if (own[v] != 0) owned[std::size_t(piece[v])] = 1;
  for (std::size_t v = 0; v < own.size(); ++v)
    if (owned[std::size_t(piece[v])] != 0) character.extend(boxes[v]);
  std::vector<std::uint8_t> far(std::size_t(count), 0);
  for (std::size_t v = 0; v < own.size(); ++v)
    if (owned[std::size_t(piece[v])] == 0 && is_far(boxes[v], character)) far[std::size_t(piece[v])] = 1;
  for (std::size_t v = 0; v < out.size(); ++v) out[v] = far[std::size_t(piece[v])];
  return out;
}

}  // namespace pucker::scene
