#include "pucker/drape/multilevel.h"

#include <algorithm>
#include <utility>

#include "pucker/target_clones.h"
#include "pucker/threads.h"

namespace pucker::drape {

namespace {

inline Four weighted(const Stencils::Share* share, const Stencils::Share* end, const Four* from) {
  Four out = {};
  for (; share != end; ++share) out += share->weight * from[share->column];
  return out;
}

}  // namespace

PUCKER_TARGET_CLONES void gather(const Stencils& rows, const Four* from, Four* to, std::size_t begin, std::size_t end) {
  const Stencils::Share* shares = rows.shares.data();
  for (std::size_t v = begin; v < end; ++v)
    to[v] = weighted(shares + rows.begins[v], shares + rows.begins[v + 1], from);
}

/// `to` has what came down; takes what stands there by its stiffness, and adds what comes from below.
PUCKER_TARGET_CLONES void gather_up(const Stencils& rows, const Four* from, const float* inverse, Four* to,
                                    std::size_t begin, std::size_t end) {
  const Stencils::Share* shares = rows.shares.data();
  for (std::size_t v = begin; v < end; ++v)
    to[v] = weighted(shares + rows.begins[v], shares + rows.begins[v + 1], from) + inverse[v] * to[v];
}

Stencils Stencils::renumbered(const SparseRows& rows, std::span<const std::int32_t> order,
                              std::span<const std::int32_t> places) {
  Stencils out;
  out.begins.reserve(order.size() + 1);
  out.begins.push_back(0);
  out.shares.reserve(std::size_t(rows.nonZeros()));
  for (const std::int32_t row : order) {
    const auto begin = std::ptrdiff_t(out.shares.size());
    for (SparseRows::InnerIterator entry(rows, row); entry; ++entry)
      out.shares.push_back({places[std::size_t(entry.col())], float(entry.value())});
    std::ranges::sort(out.shares.begin() + begin, out.shares.end(), {}, &Share::column);
    out.begins.push_back(std::int32_t(out.shares.size()));
  }
  return out;
}

std::vector<std::int32_t> order_of(const Mesh& mesh) {
  std::vector<std::int32_t> out;
  out.reserve(std::size_t(mesh.vertex_count()));
  std::vector<std::uint8_t> named(std::size_t(mesh.vertex_count()), 0);
  const auto add = [&](std::int32_t v) {
    if (std::exchange(named[std::size_t(v)], 1) == 0) out.push_back(v);
  };
  for (Eigen::Index t = 0; t < mesh.faces().rows(); ++t)
    for (int k = 0; k < 3; ++k) add(mesh.faces()(t, k));
  for (std::int32_t v = 0; v < mesh.vertex_count(); ++v) add(v);
  return out;
}

std::vector<std::int32_t> places_of(std::span<const std::int32_t> order) {
  std::vector<std::int32_t> out(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) out[std::size_t(order[k])] = std::int32_t(k);
  return out;
}

Multilevel::Multilevel(const Steps& levels, std::span<const std::int32_t> order,
                       std::vector<LevelStiffness> stiffness) {
  if (levels.count() == 0) finest_ = Stencils::none(order.size());
  std::vector<std::int32_t> below;
  for (int level = 0; level < levels.count(); ++level) {
    const std::vector<std::int32_t> own = order_of(*levels.mesh(level));
    const std::vector<std::int32_t> places = places_of(own);
    const bool last = level + 1 == levels.count();
    const std::vector<std::int32_t> finer =
        last ? std::vector(order.begin(), order.end()) : order_of(*levels.mesh(level + 1));
    Level& next = levels_.emplace_back();
    LevelStiffness& in = stiffness[std::size_t(level)];
    for (const std::int32_t v : own) {
      next.stiffness.own.push_back(in.own[std::size_t(v)]);
      next.stiffness.hold.push_back(in.hold[std::size_t(v)]);
    }
    next.order = own;
    next.inverse.resize(own.size());
    next.values.resize(own.size(), Four{});
    next.down = Stencils::renumbered(SparseRows(levels.up(level).transpose()), own, places_of(finer));
    next.up = level == 0 ? Stencils::none(own.size()) : Stencils::renumbered(levels.up(level - 1), own, below);
    if (last) finest_ = Stencils::renumbered(levels.up(level), finer, places);
    below = places;
  }
}

void Multilevel::aim(std::span<const double> weights) {
  for (Level& level : levels_)
    parallel_blocks(level.inverse.size(), kTaken, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) {
        const double stiffness =
            double(level.stiffness.own[v]) + weights[std::size_t(level.order[v])] * double(level.stiffness.hold[v]);
        level.inverse[v] = stiffness > 0 ? float(1 / stiffness) : 0;
      }
    });
}

void Multilevel::apply(const Fours& gradient) {
  // Of coarse levels there is one block, which is sooner done than shared.
  for (std::size_t l = levels_.size(); l-- > 0;) {
    Level& level = levels_[l];
    const Four* const from = l + 1 == levels_.size() ? gradient.data() : levels_[l + 1].values.data();
    parallel_blocks(level.values.size(), kTaken, [&](std::size_t begin, std::size_t end) {
      gather(level.down, from, level.values.data(), begin, end);
    });
  }
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    Level& level = levels_[l];
    const Four* const from = l == 0 ? nullptr : levels_[l - 1].values.data();
    parallel_blocks(level.values.size(), kTaken, [&](std::size_t begin, std::size_t end) {
      gather_up(level.up, from, level.inverse.data(), level.values.data(), begin, end);
    });
  }
}

}  // namespace pucker::drape
