#include "pucker/drape/springs.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "pucker/target_clones.h"
#include "pucker/threads.h"

namespace pucker::drape {

namespace {

constexpr std::size_t kQuad = 4;
/// Quads whose energies are summed in single precision.
constexpr std::size_t kQuadBlock = kSumBlock / kQuad;
/// Quads that a thread takes at a time.
constexpr std::size_t kQuadsTaken = 8 * kQuadBlock;
/// Of what is divided by, where a spring has no length at all.
constexpr float kLeastLength = 1e-18F;

struct Gap {
  Four x, y, z;
};

/// Of a spring in the cut pose (N, 3), over the tightness.
double cut_length(const std::pair<std::int32_t, std::int32_t>& ends, const Array3& cut,
                  std::span<const double> tightness) {
  const auto [a, b] = ends;
  return (cut.row(b) - cut.row(a)).norm() / ((tightness[std::size_t(a)] + tightness[std::size_t(b)]) / 2);
}

/// From one end of each of four springs to the other.
inline Gap gap(const std::array<std::int32_t, 2 * kQuad>& ends, const Four* at) {
  Four a = at[ends[1]] - at[ends[0]];
  Four b = at[ends[3]] - at[ends[2]];
  Four c = at[ends[5]] - at[ends[4]];
  Four d = at[ends[7]] - at[ends[6]];
  transpose(a, b, c, d);
  return {a, b, c};
}

}  // namespace

void vertex_areas(const Mesh& mesh, const ConstArray3& positions, double unit, std::vector<double>& out) {
  out.assign(std::size_t(mesh.vertex_count()), 0);
  for (Eigen::Index t = 0; t < mesh.faces().rows(); ++t) {
    const auto corner = mesh.faces().row(t);
    const Vector3 a = (positions.row(corner[1]) - positions.row(corner[0])).transpose() / unit;
    const Vector3 b = (positions.row(corner[2]) - positions.row(corner[0])).transpose() / unit;
    const double area = a.cross(b).norm() / 2;
    for (int k = 0; k < 3; ++k) out[std::size_t(corner[k])] += area;
  }
}

Springs::Springs(const Mesh& mesh, std::span<const std::int32_t> places, const Array3& cut,
                 std::span<const double> tightness, const SpringOptions& options)
    : options_(options), count_(std::size_t(mesh.edge_count())), blocks_((places.size() + kTaken - 1) / kTaken) {
  const auto block_of = [](std::int32_t v) { return std::size_t(v) / kTaken; };
  // In a block, what crosses its border comes last.
  using Ends = std::pair<std::int32_t, std::int32_t>;
  std::vector<std::vector<Ends>> inner(blocks_.size());
  std::vector<std::vector<Ends>> crossing(blocks_.size());
  for (Eigen::Index e = 0; e < mesh.edge_count(); ++e) {
    const auto [a, b] = std::minmax(places[std::size_t(mesh.edges()(e, 0))], places[std::size_t(mesh.edges()(e, 1))]);
    const double length = cut_length({a, b}, cut, tightness);
    squares_ += length * length;
    if (block_of(a) == block_of(b)) {
      inner[block_of(a)].emplace_back(a, b);
    } else {
      crossing[block_of(a)].emplace_back(a, b);
      crossing[block_of(b)].emplace_back(b, a);
    }
  }
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    std::ranges::sort(inner[k]);
    std::ranges::sort(crossing[k]);
    blocks_[k].begin = quads_.size();
    add_quads(inner[k], cut, tightness);
    blocks_[k].crossing = quads_.size();
    add_quads(crossing[k], cut, tightness);
    blocks_[k].end = quads_.size();
  }
  quads_.shrink_to_fit();
  cuts_.shrink_to_fit();
}

void Springs::add_quads(std::span<const std::pair<std::int32_t, std::int32_t>> springs, const Array3& cut,
                        std::span<const double> tightness) {
  // Springs of one vertex stand beside each other; a quad takes of different ones, or sums would wait for each other.
  constexpr std::size_t apart = 16;
  for (std::size_t begin = 0; begin < springs.size(); begin += kQuad * apart)
    for (std::size_t quad = 0; quad < std::min(apart, springs.size() - begin); ++quad) {
      Quad next{};
      next.x = next.length = Four{1, 1, 1, 1};
      for (std::size_t lane = 0; lane < kQuad; ++lane) {
        const std::size_t k = begin + lane * apart + quad;
        const bool there = k < springs.size();
        // What fills a quad pulls at a vertex of the block with nothing.
        const auto [a, b] = there ? springs[k] : std::pair(springs[begin].first, springs[begin].first);
        next.ends[2 * lane] = a;
        next.ends[2 * lane + 1] = b;
        cuts_.push_back(there ? cut_length({a, b}, cut, tightness) : -1);
      }
      quads_.push_back(next);
    }
}

double Springs::unit() const {
  if (count_ == 0) return 1;
  int exponent = 0;
  std::frexp(std::sqrt(squares_ / double(count_)), &exponent);
  return std::ldexp(1.0, exponent);
}

double Springs::rest_length(double cut, double now, double squeezed) const {
  // Where a spring has no length, what it is squeezed by across is no number, and counts as 1.
  const double across = std::max(1.0, squeezed * now / cut);
  const double most = std::max(1.0, options_.compression / across);
  return std::min(cut + options_.creep * std::max(0.0, now - cut), most * now);
}

void Springs::aim(const Array3& guide, std::span<const double> squeezed, double unit) {
  parallel_blocks(quads_.size(), kQuadsTaken,
                  [&](std::size_t begin, std::size_t end) { aim(guide, squeezed, 1 / unit, begin, end); });
}

void Springs::aim(const Array3& guide, std::span<const double> squeezed, double scale, std::size_t first,
                  std::size_t last) {
  for (std::size_t q = first; q < last; ++q) {
    Quad& quad = quads_[q];
    for (std::size_t lane = 0; lane < kQuad; ++lane) {
      const double cut = cuts_[kQuad * q + lane];
      if (cut < 0) continue;
      const std::int32_t a = quad.ends[2 * lane];
      const std::int32_t b = quad.ends[2 * lane + 1];
      const Eigen::RowVector3d along = guide.row(b) - guide.row(a);
      const double now = along.norm();
      const double area = (squeezed[std::size_t(a)] + squeezed[std::size_t(b)]) / 2;
      quad.x[lane] = float(scale * along[0]);
      quad.y[lane] = float(scale * along[1]);
      quad.z[lane] = float(scale * along[2]);
      quad.length[lane] = float(scale * now);
      quad.over[lane] = float(scale * (now - rest_length(cut, now, area)));
    }
  }
}

std::vector<double> Springs::rest_lengths(const Mesh& mesh, std::span<const std::int32_t> order, const Array3& guide,
                                          std::span<const double> squeezed) const {
  std::vector<double> out(std::size_t(mesh.edge_count()));
  // Edges are sorted by their ends.
  const auto number_of = [&](const std::pair<std::int32_t, std::int32_t>& edge) {
    Eigen::Index first = 0;
    Eigen::Index last = mesh.edge_count();
    while (first < last) {
      const Eigen::Index middle = first + (last - first) / 2;
      const bool before = std::pair(mesh.edges()(middle, 0), mesh.edges()(middle, 1)) < edge;
      (before ? first : last) = before ? middle + 1 : middle;
    }
    return std::size_t(first);
  };
  for (std::size_t k = 0; k < cuts_.size(); ++k) {
    if (cuts_[k] < 0) continue;
    const auto& ends = quads_[k / kQuad].ends;
    const std::size_t lane = k % kQuad;
    const std::int32_t a = ends[2 * lane];
    const std::int32_t b = ends[2 * lane + 1];
    const double now = (guide.row(b) - guide.row(a)).norm();
    const double area = (squeezed[std::size_t(a)] + squeezed[std::size_t(b)]) / 2;
    out[number_of(std::minmax(order[std::size_t(a)], order[std::size_t(b)]))] = rest_length(cuts_[k], now, area);
  }
  return out;
}

PUCKER_TARGET_CLONES double Springs::stretch(const Four* away, std::size_t block, Four* gradient) const {
  const Range& range = blocks_[block];
  double energy = 0;
  for (std::size_t begin = range.begin; begin < range.end; begin += kQuadBlock) {
    Four squares = {};
    const std::size_t end = std::min(range.end, begin + kQuadBlock);
    for (std::size_t q = begin; q < end; ++q) {
      const Quad& quad = quads_[q];
      const bool both = q < range.crossing;
      const Gap more = gap(quad.ends, away);
      const Four x = quad.x + more.x;
      const Four y = quad.y + more.y;
      const Four z = quad.z + more.z;
      const Four length = root(x * x + y * y + z * z);
      // By how much it is longer than on the guide: |g + d| − |g| = d·(2 g + d) / (|g + d| + |g|), without cancelling.
      const Four stretch = (more.x * (quad.x + x) + more.y * (quad.y + y) + more.z * (quad.z + z)) /
                           larger(length + quad.length, kLeastLength);
      const Four over = quad.over + stretch;
      squares += (both ? 1.0F : 0.5F) * (over * over);
      const Four force = over / larger(length, kLeastLength);
      Four a = force * x;
      Four b = force * y;
      Four c = force * z;
      Four d = {};
      transpose(a, b, c, d);
      gradient[quad.ends[0]] -= a;
      gradient[quad.ends[2]] -= b;
      gradient[quad.ends[4]] -= c;
      gradient[quad.ends[6]] -= d;
      if (!both) continue;
      gradient[quad.ends[1]] += a;
      gradient[quad.ends[3]] += b;
      gradient[quad.ends[5]] += c;
      gradient[quad.ends[7]] += d;
    }
    energy += double(sum(squares));
  }
  return energy;
}

double Springs::add_exact(const Array3& away, Array3& gradient) const {
  double energy = 0;
  for (const Range& range : blocks_)
    for (std::size_t k = kQuad * range.begin; k < kQuad * range.end; ++k) {
      if (cuts_[k] < 0) continue;
      const Quad& quad = quads_[k / kQuad];
      const bool both = k / kQuad < range.crossing;
      const std::size_t lane = k % kQuad;
      const Eigen::RowVector3d guide(quad.x[lane], quad.y[lane], quad.z[lane]);
      const Eigen::Index a = quad.ends[2 * lane];
      const Eigen::Index b = quad.ends[2 * lane + 1];
      const Eigen::RowVector3d more = away.row(b) - away.row(a);
      const double length = (guide + more).norm();
      const double whole = length + guide.norm();
      const double over = double(quad.over[lane]) + (whole > 0 ? more.dot(2 * guide + more) / whole : 0);
      energy += both ? over * over : over * over / 2;
      if (length == 0) continue;
      const Eigen::RowVector3d force = over / length * (guide + more);
      gradient.row(a) -= force;
      if (both) gradient.row(b) += force;
    }
  return energy;
}

PUCKER_TARGET_CLONES void Springs::add_stiffness(const Four* away, float least, std::size_t block,
                                                 Block* stiffness) const {
  const Range& range = blocks_[block];
  for (std::size_t q = range.begin; q < range.end; ++q) {
    const Quad& quad = quads_[q];
    const Gap more = gap(quad.ends, away);
    const Four x = quad.x + more.x;
    const Four y = quad.y + more.y;
    const Four z = quad.z + more.z;
    const Four square = larger(x * x + y * y + z * z, kLeastLength * kLeastLength);
    const Four length = root(square);
    const Four stretch = (more.x * (quad.x + x) + more.y * (quad.y + y) + more.z * (quad.z + z)) /
                         larger(length + quad.length, kLeastLength);
    const Four across = larger((quad.over + stretch) / length, least);
    const Four along = (Four{1, 1, 1, 1} - across) / square;
    const std::size_t ends = q < range.crossing ? 2 : 1;
    for (std::size_t lane = 0; lane < kQuad; ++lane) {
      if (cuts_[kQuad * q + lane] < 0) continue;
      const float share_x = along[lane] * x[lane];
      const float share_y = along[lane] * y[lane];
      const Block added = {
          share_x * x[lane] + across[lane], share_x * y[lane], share_x * z[lane],
          share_y * y[lane] + across[lane], share_y * z[lane], along[lane] * z[lane] * z[lane] + across[lane]};
      for (std::size_t end = 0; end < ends; ++end) {
        Block& sum = stiffness[quad.ends[2 * lane + end]];
        sum.xx += added.xx;
        sum.xy += added.xy;
        sum.xz += added.xz;
        sum.yy += added.yy;
        sum.yz += added.yz;
        sum.zz += added.zz;
      }
    }
  }
}

}  // namespace pucker::drape
