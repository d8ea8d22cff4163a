#include "pucker/drape/balance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "pucker/errors.h"
#include "pucker/mesh/frames.h"
#include "pucker/threads.h"
#include "rows.h"

namespace pucker::drape {

Balance::Made Balance::make(const Levels& levels, const ConstArray3& cut, const Lengths& lengths) {
  Made out{Sheets(levels, cut, lengths), order_of(*levels.whole().fine()), {}, {}};
  out.cut.resize(out.sheets.cut.rows(), 3);
  out.tightness.reserve(out.order.size());
  for (const std::int32_t v : out.order) {
    out.cut.row(Eigen::Index(out.tightness.size())) = out.sheets.cut.row(v);
    out.tightness.push_back(lengths.tightness[std::size_t(v)]);
  }
  return out;
}

std::vector<LevelStiffness> Balance::coarse_of(const Made& made) {
  std::vector<LevelStiffness> out;
  const std::vector<Sheet>& sheets = made.sheets.levels;
  for (std::size_t level = 0; level + 1 < sheets.size(); ++level) out.push_back(sheets[level].stiffness);
  return out;
}

Balance::Balance(const std::shared_ptr<const Levels>& levels, const ConstArray3& cut, const Lengths& lengths,
                 std::span<const std::uint8_t> pinned, const SpringOptions& options)
    : Balance(levels, make(*levels, cut, lengths), pinned, options) {}

Balance::Balance(std::shared_ptr<const Levels> levels, const Made& made, std::span<const std::uint8_t> pinned,
                 const SpringOptions& options)
    : levels_(std::move(levels)),
      order_(made.order),
      springs_(*levels_->whole().fine(), places_of(order_), made.cut, made.tightness, options),
      multilevel_(made.sheets.steps, order_, coarse_of(made)),
      guide_(made.cut) {
  const Mesh& mesh = *levels_->whole().fine();
  const std::size_t count = order_.size();
  require(pinned.empty() || pinned.size() == count, "pinned must have ", count, " entries, got ", pinned.size());
  unit_ = springs_.unit();
  const Sheet& sheet = made.sheets.levels.back();
  std::vector<Eigen::Triplet<double, std::int32_t>> weights;
  weights.reserve(2 * sheet.cotangents.size());
  for (std::size_t e = 0; e < sheet.cotangents.size(); ++e)
    for (int end = 0; end < 2; ++end)
      weights.emplace_back(mesh.edges()(Eigen::Index(e), end), mesh.edges()(Eigen::Index(e), 1 - end),
                           double(sheet.cotangents[e]));
  SparseRows rings{Eigen::Index(count), Eigen::Index(count)};
  rings.setFromTriplets(weights.begin(), weights.end());
  rings_ = Stencils::renumbered(rings, order_, places_of(order_));
  vertices_.resize(count);
  for (std::size_t v = 0; v < count; ++v) {
    const auto old = std::size_t(order_[v]);
    holds_.push_back(sheet.stiffness.hold[old]);
    own_.push_back(sheet.stiffness.own[old]);
    diagonal_.push_back(sheet.diagonal[old]);
    const bool stays = (!pinned.empty() && pinned[old] != 0) || mesh.ring(order_[v]).empty();
    vertices_[v] = {holds_[v], std::numeric_limits<float>::infinity(), sheet.bend[old], stays ? 0.0F : 1.0F};
  }
  for (Fours* array : {&targets_, &normals_, &away_, &next_, &gradient_, &next_gradient_, &sum_, &curved_})
    array->assign(count, Four{});
  blocks_.resize(count);
  sums_.resize((count + kSumBlock - 1) / kSumBlock);
  Array3 cut(guide_.rows(), 3);
  for (std::size_t v = 0; v < count; ++v) cut.row(order_[v]) = guide_.row(Eigen::Index(v));
  squeezed_.assign(count, 1);
  numbers_.assign(count, 1);
  vertex_areas(mesh, cut, unit_, cut_areas_);
  for (std::size_t v = 0; v < count; ++v) cut_areas_[std::size_t(order_[v])] /= made.tightness[v] * made.tightness[v];
  for (std::size_t k = 0; k < kPairs; ++k) {
    slots_[k] = k;
    steps_[k] = changes_[k] = away_;
  }
}

std::vector<double> Balance::holds() const {
  std::vector<double> out(order_.size());
  for (std::size_t v = 0; v < out.size(); ++v) out[std::size_t(order_[v])] = double(holds_[v]);
  return out;
}

std::vector<double> Balance::rest_lengths() const {
  return springs_.rest_lengths(*levels_->whole().fine(), order_, guide_, squeezed_);
}

void Balance::aim(const ConstArray3& guide, const ConstArray3& normals, std::span<const Pull> pulls, double depth) {
  const Mesh& mesh = *levels_->whole().fine();
  require_positions(mesh, guide);
  require_positions(mesh, normals);
  require(depth >= 0, "depth must be at least 0, got ", depth);
  aim_springs(guide, pulls);
  parallel_blocks(order_.size(), kTaken, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) aim_plane(v, normals.row(order_[v]), depth);
  });
}

void Balance::aim(const ConstArray3& guide, std::span<const Pull> pulls, const Planes& planes) {
  const Mesh& mesh = *levels_->whole().fine();
  require_positions(mesh, guide);
  require_positions(mesh, planes.points);
  require_positions(mesh, planes.normals);
  require(planes.depths.size() == order_.size(), "planes must have ", order_.size(), " depths, got ",
          planes.depths.size());
  for (const double depth : planes.depths)
    require(depth > -std::numeric_limits<double>::infinity(), "a depth must be a number above -inf, got ", depth);
  aim_springs(guide, pulls);
  parallel_blocks(order_.size(), kTaken, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const std::int32_t row = order_[v];
      const Eigen::RowVector3d normal = planes.normals.row(row);
      aim_plane(v, normal, planes.depths[std::size_t(row)] + (guide.row(row) - planes.points.row(row)).dot(normal));
    }
  });
}

void Balance::aim_plane(std::size_t v, const Eigen::RowVector3d& normal, double depth) {
  normals_[v] = four_of(normal);
  vertices_[v].depth = float(depth / unit_);
}

void Balance::aim_springs(const ConstArray3& guide, std::span<const Pull> pulls) {
  const Mesh& mesh = *levels_->whole().fine();
  for (const Pull& pull : pulls) {
    require(std::isfinite(pull.weight) && pull.weight >= 0, "a pull must be finite and at least 0, got ", pull.weight);
    if (pull.weight == 0) continue;
    require_positions(mesh, *pull.to);
    require(pull.shares.empty() || pull.shares.size() == order_.size(), "a pull must have shares of ", order_.size(),
            " vertices, got ", pull.shares.size());
  }
  parallel_blocks(order_.size(), kTaken, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const std::int32_t row = order_[v];
      guide_.row(Eigen::Index(v)) = guide.row(row);
      double weight = 1;
      for (const Pull& pull : pulls) weight += pull.weight_at(row);
      Eigen::RowVector3d target = Eigen::RowVector3d::Zero();
      for (const Pull& pull : pulls)
        if (pull.weight > 0) target += pull.weight_at(row) / weight / unit_ * (pull.to->row(row) - guide.row(row));
      targets_[v] = four_of(target);
      vertices_[v].hold = float(std::min(weight * double(holds_[v]), kStiffest));
      numbers_[std::size_t(row)] = weight;
    }
  });
  multilevel_.aim(numbers_);
  vertex_areas(mesh, guide, unit_, numbers_);
  parallel_blocks(order_.size(), kTaken, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const auto row = std::size_t(order_[v]);
      squeezed_[v] = cut_areas_[row] > 0 ? cut_areas_[row] / numbers_[row] : 1;
    }
  });
  springs_.aim(guide_, squeezed_, unit_);
}

double Balance::evaluate(const ConstArray3& x, Array3& gradient) const {
  require_positions(*levels_->whole().fine(), x);
  const auto count = Eigen::Index(order_.size());
  Array3 away(count, 3);
  for (Eigen::Index v = 0; v < count; ++v) away.row(v) = (x.row(order_[std::size_t(v)]) - guide_.row(v)) / unit_;
  Array3 sums = Array3::Zero(count, 3);
  double energy = springs_.add_exact(away, sums);
  const auto curvature_of = [&](const Array3& values, Eigen::Index v) {
    Eigen::RowVector3d out = Eigen::RowVector3d::Zero();
    for (std::int32_t k = rings_.begins[std::size_t(v)]; k < rings_.begins[std::size_t(v) + 1]; ++k) {
      const Stencils::Share& share = rings_.shares[std::size_t(k)];
      out += double(share.weight) * (values.row(share.column) - values.row(v));
    }
    return out;
  };
  Array3 curved(count, 3);
  for (Eigen::Index v = 0; v < count; ++v) {
    const auto i = std::size_t(v);
    const Eigen::RowVector3d pulled = away.row(v) - row_of(targets_[i]);
    sums.row(v) += double(vertices_[i].hold) * pulled;
    energy += double(vertices_[i].hold) * pulled.squaredNorm();
    const double below = std::min(0.0, away.row(v).dot(row_of(normals_[i])) + double(vertices_[i].depth));
    sums.row(v) += below * row_of(normals_[i]);
    energy += below * below;
    const Eigen::RowVector3d curvature = curvature_of(away, v);
    curved.row(v) = double(vertices_[i].bend) * curvature;
    energy += curvature.dot(curved.row(v));
  }
  gradient.resize(count, 3);
  for (Eigen::Index v = 0; v < count; ++v)
    gradient.row(order_[std::size_t(v)]) =
        double(vertices_[std::size_t(v)].free) * unit_ * (sums.row(v) + curvature_of(curved, v));
  return energy * unit_ * unit_ / 2;
}

}  // namespace pucker::drape
