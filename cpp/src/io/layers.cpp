#include "layers.h"

#include <span>

#include "pucker/types.h"
#include "whole.h"

namespace pucker::io {
namespace {

// With more pairs a vertex that may be one, these would take more memory than the frames.
constexpr std::size_t kMostPairs = 64;

void append_rows(std::vector<double>& values, const Array3& positions, const std::vector<std::int32_t>& vertices) {
  for (const std::int32_t vertex : vertices)
    for (int axis = 0; axis < 3; ++axis) values.push_back(positions(vertex, axis));
}

}  // namespace

Layer cut(const Character& character, const std::vector<bool>& chosen, bool side) {
  Layer layer;
  std::vector<std::int32_t> number(std::size_t(character.vertices), kNone);
  std::vector<std::int32_t> faces;
  for (std::int64_t face = 0; face < character.faces.rows(); ++face) {
    if (chosen[std::size_t(face)] != side) continue;
    faces.push_back(std::int32_t(face));
    for (const std::int32_t vertex : character.faces.row(face)) number[std::size_t(vertex)] = 0;
  }
  for (std::int32_t vertex = 0; vertex < std::int32_t(character.vertices); ++vertex) {
    if (number[std::size_t(vertex)] == kNone) continue;
    number[std::size_t(vertex)] = std::int32_t(layer.vertices.size());
    layer.vertices.push_back(vertex);
  }
  layer.surface.faces.resize(std::int64_t(faces.size()), 3);
  for (std::size_t k = 0; k < faces.size(); ++k) {
    for (int corner = 0; corner < 3; ++corner)
      layer.surface.faces(std::int64_t(k), corner) = number[std::size_t(character.faces(faces[k], corner))];
    layer.surface.materials.push_back(character.face_materials[std::size_t(faces[k])]);
  }
  layer.surface.uv = character.uv.rows() == 0 ? UvArray(0, 2) : UvArray(character.uv(layer.vertices, Eigen::all));
  return layer;
}

Poses::Poses(const Layer& layer, std::size_t still, std::size_t frames, bool passing)
    : layer_(layer), frames_(still * layer.vertices.size() * 3), passing_(passing) {
  // What grows by doubling would take as much again; a pose that is not kept is there while it is looked at.
  values_.reserve((still + frames + (passing ? 1 : 0)) * layer.vertices.size() * 3);
}

bool Poses::add(const Array3& positions, bool kept) {
  const std::size_t start = values_.size();
  append_rows(values_, positions, layer_.vertices);
  bool enough = true;
  if (passing_ && !layer_.vertices.empty()) {
    const std::span<const double> pose = std::span(values_).subspan(start);
    const auto count = std::int64_t(layer_.vertices.size());
    if (together_)
      together_->offer(pose);
    else
      together_ = TogetherSearch::of(pose, count, 0, kMostPairs * std::size_t(count));
    enough = together_.has_value();
  }
  if (!kept) values_.resize(start);
  return enough;
}

Weld Poses::weld() const {
  if (layer_.vertices.empty()) return {};
  return together_ ? together_->weld() : pucker::weld(values_, std::int64_t(layer_.vertices.size()));
}

std::vector<double> Poses::frames(const std::vector<std::int32_t>& vertices) const {
  std::vector<double> result;
  const std::size_t stride = layer_.vertices.size() * 3;
  if (stride > 0) result.reserve((values_.size() - frames_) / stride * vertices.size() * 3);
  for (std::size_t start = frames_; start < values_.size(); start += stride)
    for (const std::int32_t vertex : vertices)
      for (std::size_t axis = 0; axis < 3; ++axis) result.push_back(values_[start + 3 * std::size_t(vertex) + axis]);
  return result;
}

bool SewnSearch::add(const Array3& positions) {
  const auto own = std::int64_t(garment_.vertices.size());
  const std::int64_t all = own + std::int64_t(body_.vertices.size());
  if (own == 0 || own == all) return true;
  std::vector<double> frame;
  frame.reserve(3 * std::size_t(all));
  append_rows(frame, positions, garment_.vertices);
  append_rows(frame, positions, body_.vertices);
  if (together_)
    together_->offer(frame);
  else
    together_ = TogetherSearch::of(frame, all, own, kMostPairs * std::size_t(all));
  return together_.has_value();
}

Whole SewnSearch::whole(const Clip& clip, const std::vector<std::int32_t>& representatives) const {
  std::vector<std::vector<std::int32_t>> at(representatives.size());
  std::vector<std::int32_t> number(garment_.vertices.size(), kNone);
  for (std::size_t v = 0; v < representatives.size(); ++v) number[std::size_t(representatives[v])] = std::int32_t(v);
  const auto own = std::int32_t(garment_.vertices.size());
  if (together_)
    for (const auto& [other, vertex] : together_->pairs())
      if (const std::int32_t v = number[std::size_t(vertex)]; v != kNone) at[std::size_t(v)].push_back(other - own);
  Whole out{.height = clip.height(), .shared = {}, .shared_with = {}};
  out.shared = sewn_vertices(*clip.mesh(), at, body_.vertices.size(), out.shared_with);
  return out;
}

}  // namespace pucker::io
