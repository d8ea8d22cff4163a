#include "pucker/drape/computed_body.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "links.h"
#include "pucker/mesh/topology.h"

namespace pucker::drape {

namespace {

/// Triangles of a box that are looked at one after the other: more are sooner divided than looked at, and of fewer
/// there would be more boxes to be sent.
constexpr std::int32_t kBoxed = 8;
/// Of a distance that there is none of, as single precision multiplies it by 0.
constexpr double kNowhere = 1e30;

}  // namespace

ComputedBody::ComputedBody(const Contact& contact, double unit)
    : unit_(unit),
      clearance_(contact.clearance()),
      reach_(contact.reach()),
      seeds_(contact.seeds()),
      visits_(contact.tree().visits(kBoxed)),
      triangles_(contact.solid().triangle_count(), 3),
      across_(contact.solid().triangle_count(), 3) {
  const Mesh& solid = contact.solid();
  const std::vector<std::int32_t>& order = contact.tree().order();
  std::vector<std::int32_t> place(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) place[std::size_t(order[k])] = std::int32_t(k);
  std::vector<std::int32_t> number(std::size_t(solid.vertex_count()), kNone);
  for (std::size_t k = 0; k < order.size(); ++k)
    for (int corner = 0; corner < 3; ++corner) {
      const std::int32_t vertex = solid.faces()(order[k], corner);
      std::int32_t& own = number[std::size_t(vertex)];
      if (own == kNone) {
        own = std::int32_t(vertices_.size());
        vertices_.push_back(vertex);
        from_border_.push_back(float(std::min(contact.from_border()[std::size_t(vertex)] / unit, kNowhere)));
      }
      triangles_(Eigen::Index(k), corner) = own;
      const std::int32_t across = solid.triangle_neighbours()(order[k], corner);
      across_(Eigen::Index(k), corner) = across == kNone ? kNone : place[std::size_t(across)];
    }
}

void ComputedBody::add_links(std::vector<std::uint32_t>& links) {
  visits_first_ = links.size();
  for (const TreeVisit& visit : visits_)
    for (const std::int32_t each : {visit.first, visit.end, visit.next}) links.push_back(std::uint32_t(each));
  triangles_first_ = links.size();
  add_triangles(triangles_, across_, links);
  // The other two corners of the triangles round each vertex, counterclockwise.
  std::vector<std::vector<std::uint32_t>> rings(vertices_.size());
  for (Eigen::Index t = 0; t < triangles_.rows(); ++t)
    for (int k = 0; k < 3; ++k)
      for (int other = 1; other < 3; ++other)
        rings[std::size_t(triangles_(t, k))].push_back(std::uint32_t(triangles_(t, (k + other) % 3)));
  vertices_first_ = links.size();
  std::size_t ring = vertices_first_ + 3 * vertices_.size();
  for (std::size_t v = 0; v < vertices_.size(); ++v) {
    links.push_back(std::uint32_t(ring));
    ring += rings[v].size();
    links.push_back(std::uint32_t(ring));
    links.push_back(link_of(from_border_[v]));
  }
  for (const auto& each : rings) links.insert(links.end(), each.begin(), each.end());
}

void ComputedBody::add_frame(const ConstArray3& positions, const Vector3& middle, std::vector<float>& coarse) const {
  const std::size_t first = coarse.size();
  for (const std::int32_t vertex : vertices_)
    for (int k = 0; k < 3; ++k) coarse.push_back(float((positions(vertex, k) - middle[k]) / unit_));
  const std::size_t boxes = coarse.size();
  coarse.resize(boxes + 6 * visits_.size());
  const auto extend = [&](std::size_t node, const float* low, const float* high) {
    float* box = coarse.data() + boxes + 6 * node;
    for (std::size_t k = 0; k < 3; ++k) {
      box[k] = std::min(box[k], low[k]);
      box[3 + k] = std::max(box[3 + k], high[k]);
    }
  };
  for (std::size_t node = visits_.size(); node-- > 0;) {
    float* box = coarse.data() + boxes + 6 * node;
    std::fill_n(box, 3, std::numeric_limits<float>::infinity());
    std::fill_n(box + 3, 3, -std::numeric_limits<float>::infinity());
    const TreeVisit& visit = visits_[node];
    for (Eigen::Index t = visit.first; t < visit.end; ++t)
      for (const std::int32_t vertex : triangles_.row(t)) {
        const float* at = coarse.data() + first + 3 * std::size_t(vertex);
        extend(node, at, at);
      }
    if (visit.first < visit.end) continue;
    const std::size_t left = node + 1;
    for (const std::size_t child : {left, std::size_t(visits_[left].next)}) {
      const float* of = coarse.data() + boxes + 6 * child;
      extend(node, of, of + 3);
    }
  }
}

std::vector<draw::Uniform> ComputedBody::uniforms(std::size_t first) const {
  return {{"nodes", std::uint32_t(visits_.size())},
          {"nodes_first", std::uint32_t(visits_first_)},
          {"triangles_first", std::uint32_t(triangles_first_)},
          {"vertices_first", std::uint32_t(vertices_first_)},
          {"body_first", std::uint32_t(first)},
          {"boxes_first", std::uint32_t(first + 3 * vertices_.size())},
          {"clearance", float(clearance_ / unit_)},
          {"reach", float(reach_ / unit_)},
          {"deepest", float(kDeepest * reach_ / unit_)}};
}

std::vector<draw::Uniform> ComputedBody::of_regions() const {
  return {{"seeds", std::uint32_t(seeds_)},
          {"reach", float(reach_ / unit_)},
          {"under", float(kUnder)},
          {"through", float(kThrough)}};
}

}  // namespace pucker::drape
