#include "pucker/mesh/topology.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "pucker/errors.h"

namespace pucker {

namespace {

struct HalfEdge {
  std::int32_t low;
  std::int32_t high;
  std::int32_t triangle;
  std::int32_t corner;
};

bool names_a_vertex_twice(const Index3& faces, Eigen::Index t) {
  return faces(t, 0) == faces(t, 1) || faces(t, 1) == faces(t, 2) || faces(t, 2) == faces(t, 0);
}

}  // namespace

Mesh::Mesh(Index3 faces, std::int64_t vertex_count) : vertex_count_(vertex_count), faces_(std::move(faces)) {
  require(vertex_count >= 0, "a mesh has at least 0 vertices, got ", vertex_count);
  require(vertex_count <= std::numeric_limits<std::int32_t>::max(),
          "vertex numbers have 32 bits, so a mesh has at most ", std::numeric_limits<std::int32_t>::max(),
          " vertices, got ", vertex_count);
  for (Eigen::Index t = 0; t < faces_.rows(); ++t)
    for (int k = 0; k < 3; ++k)
      require(faces_(t, k) >= 0 && faces_(t, k) < vertex_count, "faces must lie in [0, ", vertex_count, "), but faces[",
              t, ", ", k, "] is ", faces_(t, k));
  build_edges();
  build_fans();
}

void Mesh::build_edges() {
  std::vector<HalfEdge> half_edges;
  half_edges.reserve(std::size_t(faces_.rows()) * 3);
  for (Eigen::Index t = 0; t < faces_.rows(); ++t) {
    if (names_a_vertex_twice(faces_, t)) {
      ++report_.degenerate_triangles;
      continue;
    }
    for (int k = 0; k < 3; ++k) {
      const auto [low, high] = std::minmax(faces_(t, k), faces_(t, (k + 1) % 3));
      half_edges.push_back({low, high, std::int32_t(t), k});
    }
  }
  std::sort(half_edges.begin(), half_edges.end(), [](const HalfEdge& a, const HalfEdge& b) {
    return std::tie(a.low, a.high, a.triangle) < std::tie(b.low, b.high, b.triangle);
  });

  neighbours_ = Index3::Constant(faces_.rows(), 3, kNone);
  triangle_edges_ = Index3::Constant(faces_.rows(), 3, kNone);
  std::vector<std::array<std::int32_t, 2>> ends;
  for (std::size_t i = 0; i < half_edges.size();) {
    std::size_t j = i + 1;
    while (j < half_edges.size() && half_edges[j].low == half_edges[i].low && half_edges[j].high == half_edges[i].high)
      ++j;
    const HalfEdge& first = half_edges[i];
    const std::int32_t edge = std::int32_t(ends.size());
    ends.push_back({first.low, first.high});
    for (std::size_t h = i; h < j; ++h) triangle_edges_(half_edges[h].triangle, half_edges[h].corner) = edge;
    if (j - i == 2) {
      const HalfEdge& second = half_edges[i + 1];
      neighbours_(first.triangle, first.corner) = second.triangle;
      neighbours_(second.triangle, second.corner) = first.triangle;
      edge_triangles_.push_back({first.triangle, second.triangle});
    } else {
      edge_triangles_.push_back({first.triangle, kNone});
      ++(j - i == 1 ? report_.boundary_edges : report_.non_manifold_edges);
    }
    i = j;
  }
  edges_.resize(Eigen::Index(ends.size()), 2);
  for (std::size_t e = 0; e < ends.size(); ++e) edges_.row(Eigen::Index(e)) << ends[e][0], ends[e][1];

  report_.vertices = vertex_count_;
  report_.triangles = faces_.rows();
  report_.edges = edges_.rows();
}

void Mesh::build_fans() {
  // Count, then fill: the triangles of each vertex in ascending order, to be put into fan order below.
  vertex_offsets_.assign(std::size_t(vertex_count_) + 1, 0);
  for (Eigen::Index t = 0; t < faces_.rows(); ++t)
    if (!degenerate(std::int32_t(t)))
      for (int k = 0; k < 3; ++k) ++vertex_offsets_[std::size_t(faces_(t, k)) + 1];
  for (std::size_t v = 0; v < std::size_t(vertex_count_); ++v) vertex_offsets_[v + 1] += vertex_offsets_[v];
  std::vector<std::int32_t> incident(std::size_t(vertex_offsets_.back()));
  std::vector<std::int64_t> next(vertex_offsets_.begin(), vertex_offsets_.end() - 1);
  for (Eigen::Index t = 0; t < faces_.rows(); ++t)
    if (!degenerate(std::int32_t(t)))
      for (int k = 0; k < 3; ++k) incident[std::size_t(next[std::size_t(faces_(t, k))]++)] = std::int32_t(t);

  ring_.reserve(incident.size());
  fan_offsets_.assign(1, 0);
  std::vector<char> placed(std::size_t(faces_.rows()), 0);
  for (std::int32_t v = 0; v < vertex_count_; ++v) {
    const std::span<const std::int32_t> mine(
        incident.data() + vertex_offsets_[std::size_t(v)],
        std::size_t(vertex_offsets_[std::size_t(v) + 1] - vertex_offsets_[std::size_t(v)]));
    // The two edges of triangle t at v lead to its neighbours on either side; leaving by the one not entered by.
    const auto neighbour = [&](std::int32_t t, int side) {
      const int k = corner(t, v);
      return neighbours_(t, side == 0 ? k : (k + 2) % 3);
    };
    const auto other_side = [&](std::int32_t t, std::int32_t from) {
      return neighbour(t, 0) == from ? neighbour(t, 1) : neighbour(t, 0);
    };
    for (const std::int32_t t : mine) {
      if (placed[std::size_t(t)]) continue;
      // Walk to one end of the fan (or once round it), then back along it. Two triangles may be neighbours across both
      // of their edges at v; each step then returns to where it came from and the fan is closed with two triangles.
      std::int32_t start = t;
      std::int32_t onward = neighbour(t, 0);  // where the walk along the fan goes from `start`
      bool closed = false;
      std::int32_t from = t;
      std::int32_t at = neighbour(t, 1);
      if (at == kNone) {
        onward = neighbour(t, 0);
      } else {
        while (at != kNone && at != t) {
          const std::int32_t ahead = other_side(at, from);
          start = at;
          onward = from;
          from = at;
          at = ahead;
        }
        if (at == t) {
          closed = true;
          start = t;
          onward = neighbour(t, 0);
        }
      }
      FanRange range{std::int32_t(ring_.size()), 0, closed};
      from = start;
      at = start;
      std::int32_t ahead = onward;
      while (at != kNone && !placed[std::size_t(at)]) {
        placed[std::size_t(at)] = 1;
        ring_.push_back(at);
        from = at;
        at = ahead;
        if (at != kNone) ahead = other_side(at, from);
      }
      range.size = std::int32_t(ring_.size()) - range.start;
      fans_.push_back(range);
    }
    for (const std::int32_t t : mine) placed[std::size_t(t)] = 0;
    fan_offsets_.push_back(std::int64_t(fans_.size()));
    const std::int64_t fans = fan_offsets_[std::size_t(v) + 1] - fan_offsets_[std::size_t(v)];
    report_.isolated_vertices += fans == 0;
    report_.fan_vertices += fans > 1;
  }
}

int Mesh::edge_corner(std::int32_t triangle, std::int32_t a, std::int32_t b) const {
  for (int k = 0; k < 3; ++k) {
    const std::int32_t from = faces_(triangle, k);
    const std::int32_t to = faces_(triangle, (k + 1) % 3);
    if ((from == a && to == b) || (from == b && to == a)) return k;
  }
  return kNone;
}

std::size_t Mesh::fan_count(std::int32_t vertex) const {
  require(vertex >= 0 && vertex < vertex_count_, "vertex must lie in [0, ", vertex_count_, "), got ", vertex);
  return std::size_t(fan_offsets_[std::size_t(vertex) + 1] - fan_offsets_[std::size_t(vertex)]);
}

Fan Mesh::fan(std::int32_t vertex, std::size_t index) const {
  require(index < fan_count(vertex), "vertex ", vertex, " has ", fan_count(vertex), " fans, there is no fan ", index);
  const FanRange& range = fans_[std::size_t(fan_offsets_[std::size_t(vertex)]) + index];
  return {{ring_.data() + range.start, std::size_t(range.size)}, range.closed};
}

Fan Mesh::fan_of(std::int32_t vertex, std::int32_t triangle) const {
  for (std::size_t i = 0; i < fan_count(vertex); ++i) {
    const Fan candidate = fan(vertex, i);
    if (std::find(candidate.triangles.begin(), candidate.triangles.end(), triangle) != candidate.triangles.end())
      return candidate;
  }
  throw InvalidArgument(message("triangle ", triangle, " does not touch vertex ", vertex));
}

}  // namespace pucker
