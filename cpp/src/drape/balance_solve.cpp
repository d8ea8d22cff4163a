#include <algorithm>
#include <cmath>
#include <utility>

#include "pucker/drape/balance.h"
#include "pucker/mesh/frames.h"
#include "pucker/target_clones.h"
#include "pucker/threads.h"
#include "rows.h"

namespace pucker::drape {

namespace {

/// Share of the vertices' own blocks in the preconditioner, and least stiffness across a spring in them.
constexpr float kOwnBlocks = 0.3F;
constexpr float kLeastAcross = 0.1F;

/// Σ weight (x_j − x) over the neighbours of a vertex. Differences first, as folds are long and these are small.
inline Four curvature(const Stencils& rings, std::size_t v, const Four* x) {
  Four out = {};
  const Stencils::Share* const end = rings.shares.data() + rings.begins[v + 1];
  for (const Stencils::Share* share = rings.shares.data() + rings.begins[v]; share != end; ++share)
    out += share->weight * (x[share->column] - x[v]);
  return out;
}

}  // namespace

double Balance::total(std::size_t which) const {
  double out = 0;
  for (const auto& each : sums_) out += each[which];
  return out;
}

PUCKER_TARGET_CLONES void Balance::pull(const Fours& away, std::size_t first, std::size_t last) {
  for (std::size_t begin = first; begin < last; begin += kSumBlock) {
    Four energies = {};
    const std::size_t end = std::min(last, begin + kSumBlock);
    for (std::size_t v = begin; v < end; ++v) {
      const Vertex& vertex = vertices_[v];
      const Four pulled = away[v] - targets_[v];
      Four force = vertex.hold * pulled;
      energies += pulled * force;
      const float below = sum(away[v] * normals_[v]) + vertex.depth;
      if (below < 0) {
        const Four back = below * normals_[v];
        force += back;
        energies += Four{below * below, 0, 0, 0};
      }
      const Four curve = curvature(rings_, v, away.data());
      const Four bent = vertex.bend * curve;
      curved_[v] = bent;
      energies += curve * bent;
      sum_[v] = force;
    }
    sums_[begin / kSumBlock][0] = double(sum(energies));
  }
}

double Balance::energy(const Fours& away) {
  parallel_blocks(order_.size(), kTaken, [&](std::size_t begin, std::size_t end) {
    pull(away, begin, end);
    sums_[begin / kSumBlock][0] += springs_.stretch(away.data(), begin / kTaken, sum_.data());
  });
  return total(0);
}

PUCKER_TARGET_CLONES void Balance::add_forces(std::size_t first, std::size_t last) {
  Four* const change = changes_[slots_[0]].data();
  const Four* steps[kPairs];
  for (std::size_t k = 0; k < kPairs; ++k) steps[k] = steps_[slots_[k]].data();
  for (std::size_t begin = first; begin < last; begin += kSumBlock) {
    Four sums[kPairs] = {};
    const std::size_t end = std::min(last, begin + kSumBlock);
    for (std::size_t v = begin; v < end; ++v) {
      const Four curve = curvature(rings_, v, curved_.data());
      const Four next = vertices_[v].free * (sum_[v] + curve);
      // Read back from where it is stored, it would wait for the other store wherever their addresses end alike.
      const Four changed = next - gradient_[v];
      change[v] = changed;
      next_gradient_[v] = next;
      for (std::size_t k = 0; k < kPairs; ++k) sums[k] += steps[k][v] * changed;
    }
    for (std::size_t k = 0; k < kPairs; ++k) sums_[begin / kSumBlock][k] = double(sum(sums[k]));
  }
}

void Balance::finish_gradient() {
  parallel_blocks(order_.size(), kTaken, [&](std::size_t begin, std::size_t end) { add_forces(begin, end); });
  for (std::size_t i = 0; i < kPairs; ++i) products_[i][0] = total(i);
}

PUCKER_TARGET_CLONES void Balance::begin_blocks(std::size_t begin, std::size_t end) {
  for (std::size_t v = begin; v < end; ++v) {
    const float own = vertices_[v].hold + diagonal_[v];
    Block& block = blocks_[v];
    block = {own, 0, 0, own, 0, own};
    const Four& n = normals_[v];
    if (!(sum(away_[v] * n) + vertices_[v].depth < 0)) continue;
    block.xx += n[0] * n[0];
    block.xy += n[0] * n[1];
    block.xz += n[0] * n[2];
    block.yy += n[1] * n[1];
    block.yz += n[1] * n[2];
    block.zz += n[2] * n[2];
  }
}

PUCKER_TARGET_CLONES void Balance::end_blocks(std::size_t begin, std::size_t end) {
  // Inverses by cofactors, and what the finest level adds.
  for (std::size_t v = begin; v < end; ++v) {
    Block& m = blocks_[v];
    const float xx = m.yy * m.zz - m.yz * m.yz;
    const float xy = m.xz * m.yz - m.xy * m.zz;
    const float xz = m.xy * m.yz - m.xz * m.yy;
    const float yy = m.xx * m.zz - m.xz * m.xz;
    const float yz = m.xy * m.xz - m.xx * m.yz;
    const float zz = m.xx * m.yy - m.xy * m.xy;
    const float det = m.xx * xx + m.xy * xy + m.xz * xz;
    const float share = det > 0 ? kOwnBlocks / det : 0;
    const float stiffness = own_[v] + vertices_[v].hold;
    const float diagonal = stiffness > 0 ? 1 / stiffness : 0;
    m = {share * xx + diagonal, share * xy, share * xz, share * yy + diagonal, share * yz, share * zz + diagonal};
  }
}

void Balance::make_blocks() {
  parallel_blocks(order_.size(), kTaken, [&](std::size_t begin, std::size_t end) {
    begin_blocks(begin, end);
    springs_.add_stiffness(away_.data(), kLeastAcross, begin / kTaken, blocks_.data());
    end_blocks(begin, end);
  });
}

PUCKER_TARGET_CLONES void Balance::take_changes(const Shares& taken, std::size_t begin, std::size_t end) {
  const Four* changes[kPairs];
  for (std::size_t k = 0; k < kPairs; ++k) changes[k] = changes_[slots_[k]].data();
  for (std::size_t v = begin; v < end; ++v) {
    Four g = gradient_[v];
    for (std::size_t k = 0; k < kPairs; ++k) g -= taken[k] * changes[k][v];
    sum_[v] = g;
  }
}

PUCKER_TARGET_CLONES void Balance::precondition(std::size_t first, std::size_t last) {
  const Stencils& rows = multilevel_.finest();
  const Four* const coarse = multilevel_.coarse();
  const Four* changes[kPairs];
  for (std::size_t k = 0; k < kPairs; ++k) changes[k] = changes_[slots_[k]].data();
  for (std::size_t begin = first; begin < last; begin += kSumBlock) {
    Four sums[kPairs] = {};
    const std::size_t end = std::min(last, begin + kSumBlock);
    for (std::size_t v = begin; v < end; ++v) {
      const Four g = sum_[v];
      const Block& m = blocks_[v];
      Four z = g[0] * Four{m.xx, m.xy, m.xz, 0} + g[1] * Four{m.xy, m.yy, m.yz, 0} + g[2] * Four{m.xz, m.yz, m.zz, 0};
      const Stencils::Share* const stop = rows.shares.data() + rows.begins[v + 1];
      for (const Stencils::Share* share = rows.shares.data() + rows.begins[v]; share != stop; ++share)
        z += share->weight * coarse[share->column];
      z = vertices_[v].free * scale_ * z;
      sum_[v] = z;
      for (std::size_t k = 0; k < kPairs; ++k) sums[k] += changes[k][v] * z;
    }
    for (std::size_t k = 0; k < kPairs; ++k) sums_[begin / kSumBlock][k] = double(sum(sums[k]));
  }
}

PUCKER_TARGET_CLONES void Balance::take_steps(const Shares& added, std::size_t first, std::size_t last) {
  const Four* steps[kPairs];
  for (std::size_t k = 0; k < kPairs; ++k) steps[k] = steps_[slots_[k]].data();
  Four* const step = steps_[slots_[kPairs - 1]].data();
  for (std::size_t begin = first; begin < last; begin += kSumBlock) {
    Four sums = {};
    const std::size_t end = std::min(last, begin + kSumBlock);
    for (std::size_t v = begin; v < end; ++v) {
      Four way = Four{} - sum_[v];
      for (std::size_t k = 0; k < kPairs; ++k) way -= added[k] * steps[k][v];
      step[v] = way;
      next_[v] = away_[v] + way;
      sums += way * gradient_[v];
    }
    sums_[begin / kSumBlock][0] = double(sum(sums));
  }
}

double Balance::direct() {
  const std::size_t count = order_.size();
  // Of the two loops of L-BFGS, the products of old steps and changes are known, so that each loop is one.
  double shares[kPairs] = {};
  for (std::size_t i = 0; i < pairs_; ++i) {
    double share = slopes_[i];
    for (std::size_t j = 0; j < i; ++j) share -= shares[j] * products_[i][j];
    shares[i] = share / products_[i][i];
  }
  Shares taken{};
  for (std::size_t k = 0; k < kPairs; ++k) taken[k] = float(shares[k]);
  parallel_blocks(count, kTaken, [&](std::size_t begin, std::size_t end) { take_changes(taken, begin, end); });

  multilevel_.apply(sum_);
  parallel_blocks(count, kTaken, [&](std::size_t begin, std::size_t end) { precondition(begin, end); });

  double added[kPairs] = {};
  for (std::size_t i = pairs_; i-- > 0;) {
    double share = total(i);
    for (std::size_t j = i + 1; j < pairs_; ++j) share += added[j] * products_[j][i];
    added[i] = shares[i] - share / products_[i][i];
  }
  Shares by{};
  for (std::size_t k = 0; k < kPairs; ++k) by[k] = float(added[k]);
  parallel_blocks(count, kTaken, [&](std::size_t begin, std::size_t end) { take_steps(by, begin, end); });
  return total(0);
}

Solved Balance::solve(Array3& x, int iterations, double tolerance) {
  require_positions(*levels_->whole().fine(), x);
  const std::size_t count = order_.size();
  parallel_blocks(count, kTaken, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const auto row = Eigen::Index(v);
      if (vertices_[v].free == 0) x.row(order_[v]) = guide_.row(row);
      away_[v] = four_of((x.row(order_[v]) - guide_.row(row)) / unit_);
    }
  });
  Solved out;
  pairs_ = 0;
  scale_ = 1;
  double now = energy(away_);
  double lowest = now;
  make_blocks();
  finish_gradient();
  gradient_.swap(next_gradient_);
  // Without edges there is nothing that could be out of balance but the hold.
  const double scale = springs_.squares() > 0 ? springs_.squares() / (unit_ * unit_) : 1;
  for (;; ++out.iterations) {
    double slope = direct();
    out.residual = std::sqrt(std::max(0.0, -slope) / scale);
    if (out.residual <= tolerance || out.iterations >= iterations) break;
    constexpr double enough = 1e-4;
    constexpr double rounding = 2e-7;
    constexpr int most_halvings = 12;
    constexpr double less = 0.9;
    // The oldest pair makes room.
    std::rotate(slots_.begin(), slots_.end() - 1, slots_.end());
    for (std::size_t i = kPairs - 1; i > 0; --i)
      for (std::size_t j = i; j > 0; --j) products_[i][j] = products_[i - 1][j - 1];
    Fours& step = steps_[slots_[0]];
    double then = energy(next_);
    int halvings = 0;
    // Where a step gains less than what energies are rounded by, slopes say whether it leads downwards.
    for (;; ++halvings) {
      if (then <= now + 2 * enough * slope) {
        finish_gradient();
        break;
      }
      if (then <= lowest * (1 + rounding)) {
        finish_gradient();
        if (slope + products_[0][0] <= -less * slope) break;
      }
      if (halvings == most_halvings) break;
      slope /= 2;
      parallel_blocks(count, kTaken, [&](std::size_t begin, std::size_t end) {
        for (std::size_t v = begin; v < end; ++v) {
          step[v] = 0.5F * step[v];
          next_[v] = away_[v] + step[v];
        }
      });
      then = energy(next_);
    }
    if (halvings == most_halvings) {
      // Products of pairs may have lost their digits near the balance: once without them.
      if (std::exchange(pairs_, 0) == 0) break;
      --out.iterations;
      continue;
    }
    for (std::size_t i = kPairs - 1; i > 0; --i) slopes_[i] = slopes_[i - 1] + products_[i][0];
    slopes_[0] = slope + products_[0][0];
    lowest = std::min(lowest, then);
    // Levels overlap, so that their sum goes too far where there are many: by how much, steps that were halved tell.
    constexpr float shorter = 0.7F;
    constexpr float least = 0.2F;
    if (halvings > 0) scale_ = std::max(least, shorter * scale_);
    pairs_ = std::min(pairs_ + 1, kPairs);
    // A pair along which the slope falls would make a direction that leads upwards.
    if (!(products_[0][0] > 0)) pairs_ = 0;
    gradient_.swap(next_gradient_);
    away_.swap(next_);
    now = then;
  }
  out.energy = now * unit_ * unit_ / 2;
  if (out.iterations > 0)
    parallel_blocks(count, kTaken, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v)
        if (vertices_[v].free != 0) x.row(order_[v]) = guide_.row(Eigen::Index(v)) + unit_ * row_of(away_[v]);
    });
  return out;
}

void Balance::residuals(std::vector<float>& out) const {
  const auto edges = double(levels_->whole().fine()->edge_count());
  const double length = edges > 0 ? std::sqrt(springs_.squares() / edges) : 1;
  const auto scale = float(length > 0 ? unit_ / length : 1);
  out.resize(order_.size());
  for (std::size_t v = 0; v < order_.size(); ++v)
    out[std::size_t(order_[v])] = scale * std::sqrt(sum(gradient_[v] * gradient_[v]));
}

}  // namespace pucker::drape
