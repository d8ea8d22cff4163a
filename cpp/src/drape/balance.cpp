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

namespace {

/// In-plane stiffness of a sheet of springs of stiffness 1.
constexpr double kSheet = 1.3;
constexpr double kMostCotangent = 4;
/// Least area of a vertex as a share of the mean: what bends where triangles are degenerate would be infinitely stiff.
constexpr double kLeastArea = 1e-3;
/// Most that hold and pulls together, and bending, may be, of a spring's stiffness. What is held so hard moves less
/// than single precision shows; products of three such numbers must not leave its range.
constexpr double kStiffest = 1e12;
constexpr double kStiffestBend = 1e9;

/// Cotangent of the angle between two edges.
double cotangent(const Vector3& a, const Vector3& b) {
  const double area = a.cross(b).norm();
  return area > 0 ? a.dot(b) / area : 0;
}

}  // namespace

Balance::Sheet Balance::sheet_of(const Mesh& mesh, const Array3& cut, const Lengths& lengths) {
  const auto count = std::size_t(mesh.vertex_count());
  Sheet out;
  std::vector<double> cotangents(std::size_t(mesh.edge_count()), 0);
  std::vector<double> areas(count, 0);
  for (Eigen::Index t = 0; t < mesh.faces().rows(); ++t) {
    if (mesh.degenerate(std::int32_t(t))) continue;
    for (int k = 0; k < 3; ++k) {
      const Vector3 apex = cut.row(mesh.faces()(t, (k + 2) % 3)).transpose();
      const Vector3 a = cut.row(mesh.faces()(t, k)).transpose() - apex;
      const Vector3 b = cut.row(mesh.faces()(t, (k + 1) % 3)).transpose() - apex;
      cotangents[std::size_t(mesh.triangle_edges()(t, k))] += cotangent(a, b) / 2;
      areas[std::size_t(mesh.faces()(t, k))] += a.cross(b).norm() / 6;
    }
  }
  out.cotangents.reserve(cotangents.size());
  for (const double weight : cotangents) out.cotangents.push_back(float(std::clamp(weight, 0.0, kMostCotangent)));
  double mean = 0;
  for (const double area : areas) mean += area / double(count);
  // Vertices of a coarser level are the first ones of the finest.
  for (std::size_t v = 0; v < count; ++v) {
    const double area = std::max(areas[v], kLeastArea * mean);
    const double hold = kSheet / (lengths.fold_sizes[v] * lengths.fold_sizes[v]);
    const double wave = lengths.wavelengths[v] / (2 * std::numbers::pi);
    // The hold may be infinite; then it must meet no zero.
    const double bend = area > 0 && wave > 0 ? hold * wave * wave * wave * wave / area : 0;
    out.stiffness.hold.push_back(float(area > 0 ? std::min(hold * area, kStiffest) : 0));
    out.bend.push_back(float(std::min(bend, kStiffestBend)));
  }
  std::vector<float> sums(count, 0);
  out.diagonal.assign(count, 0);
  out.stiffness.own.assign(count, 0);
  for (std::size_t e = 0; e < out.cotangents.size(); ++e) {
    const float weight = out.cotangents[e];
    for (int end = 0; end < 2; ++end) {
      const auto v = std::size_t(mesh.edges()(Eigen::Index(e), end));
      const auto other = std::size_t(mesh.edges()(Eigen::Index(e), 1 - end));
      out.stiffness.own[v] += 0.5F;
      sums[v] += weight;
      out.diagonal[v] += weight * weight * out.bend[other];
    }
  }
  for (std::size_t v = 0; v < count; ++v) {
    out.diagonal[v] += sums[v] * sums[v] * out.bend[v];
    out.stiffness.own[v] += out.diagonal[v];
  }
  return out;
}

Balance::Made Balance::make(const Levels& levels, const ConstArray3& cut, const Lengths& lengths) {
  require_positions(*levels.coarse(), cut);
  const auto count = std::size_t(levels.whole().fine()->vertex_count());
  for (const std::vector<double>* list : {&lengths.fold_sizes, &lengths.wavelengths, &lengths.tightness}) {
    require(list->size() == count, "lengths must be of ", count, " vertices, got ", list->size());
    for (const double length : *list)
      require(std::isfinite(length) && length >= 0, "lengths must be finite and at least 0, got ", length);
  }
  for (const double size : lengths.fold_sizes) require(size > 0, "fold sizes must be above 0, got ", size);
  for (const double tightness : lengths.tightness) require(tightness > 0, "tightness must be above 0, got ", tightness);
  Made out{Steps(levels.whole()), order_of(*levels.whole().fine()), {}, {}, {}};
  Array3 places = cut;
  for (int level = 0; level <= levels.count(); ++level) {
    if (level > 0) places = Array3(out.steps.up(level - 1) * places);
    if (level == levels.count()) levels.sewing().sew(cut, places);
    out.sheets.push_back(sheet_of(*out.steps.mesh(level), places, lengths));
  }
  out.cut.resize(places.rows(), 3);
  for (std::size_t v = 0; v < count; ++v) out.cut.row(Eigen::Index(v)) = places.row(out.order[v]);
  out.tightness.reserve(count);
  for (const std::int32_t v : out.order) out.tightness.push_back(lengths.tightness[std::size_t(v)]);
  return out;
}

std::vector<LevelStiffness> Balance::coarse_of(const Made& made) {
  std::vector<LevelStiffness> out;
  for (std::size_t level = 0; level + 1 < made.sheets.size(); ++level) out.push_back(made.sheets[level].stiffness);
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
      multilevel_(made.steps, order_, coarse_of(made)),
      guide_(made.cut) {
  const Mesh& mesh = *levels_->whole().fine();
  const std::size_t count = order_.size();
  require(pinned.empty() || pinned.size() == count, "pinned must have ", count, " entries, got ", pinned.size());
  unit_ = springs_.unit();
  const Sheet& sheet = made.sheets.back();
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
    array->assign(count + 1, Four{});
  blocks_.resize(count + 1);
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
