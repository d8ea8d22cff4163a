#include "pucker/drape/balance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "pucker/clones.h"
#include "pucker/errors.h"
#include "pucker/mesh/frames.h"

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
/// Share of the vertices' own blocks in the preconditioner, and least stiffness across a spring in them.
constexpr float kOwnBlocks = 0.3F;
constexpr float kLeastAcross = 0.1F;

/// Cotangent of the angle between two edges.
double cotangent(const Vector3& a, const Vector3& b) {
  const double area = a.cross(b).norm();
  return area > 0 ? a.dot(b) / area : 0;
}

Four four_of(const Eigen::RowVector3d& row) { return Four{float(row[0]), float(row[1]), float(row[2]), 0}; }
Eigen::RowVector3d row_of(const Four& four) { return {double(four[0]), double(four[1]), double(four[2])}; }

/// Σ weight (x_j − x) over the neighbours of a vertex. Differences first, as folds are long and these are small.
inline Four curvature(const Stencils& rings, std::size_t v, const Four* x) {
  Four out = {};
  const Stencils::Share* const end = rings.shares.data() + rings.begins[v + 1];
  for (const Stencils::Share* share = rings.shares.data() + rings.begins[v]; share != end; ++share)
    out += share->weight * (x[share->column] - x[v]);
  return out;
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
  require_positions(*levels.mesh(0), cut);
  const auto count = std::size_t(levels.whole().fine()->vertex_count());
  for (const std::vector<double>* list : {&lengths.fold_sizes, &lengths.wavelengths}) {
    require(list->size() == count, "lengths must be of ", count, " vertices, got ", list->size());
    for (const double length : *list)
      require(std::isfinite(length) && length >= 0, "lengths must be finite and at least 0, got ", length);
  }
  for (const double size : lengths.fold_sizes) require(size > 0, "fold sizes must be above 0, got ", size);
  Made out{order_of(*levels.whole().fine()), {}, {}};
  Array3 places = cut;
  for (int level = 0; level <= levels.count(); ++level) {
    if (level > 0) places = Array3(levels.up(level - 1) * places);
    out.sheets.push_back(sheet_of(*levels.mesh(level), places, lengths));
  }
  out.cut.resize(places.rows(), 3);
  for (std::size_t v = 0; v < count; ++v) out.cut.row(Eigen::Index(v)) = places.row(out.order[v]);
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
      springs_(*levels_->whole().fine(), places_of(order_), made.cut, options),
      multilevel_(*levels_, order_, coarse_of(made)),
      guide_(made.cut) {
  const Mesh& mesh = *levels_->whole().fine();
  const std::size_t count = order_.size();
  require(pinned.empty() || pinned.size() == count, "pinned must have ", count, " entries, got ", pinned.size());
  if (mesh.edge_count() > 0) {
    // A power of two, so that it is divided by without rounding.
    int exponent = 0;
    std::frexp(std::sqrt(springs_.squares() / double(mesh.edge_count())), &exponent);
    unit_ = std::ldexp(1.0, exponent);
  }
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
  for (Fours* array : {&targets_, &normals_, &away_, &next_, &gradient_, &next_gradient_, &sum_, &curved_, &work_})
    array->assign(count + 1, Four{});
  blocks_.resize(count + 1);
  Array3 cut(guide_.rows(), 3);
  for (std::size_t v = 0; v < count; ++v) cut.row(order_[v]) = guide_.row(Eigen::Index(v));
  for (std::vector<double>* array : {&cut_areas_, &areas_}) array->assign(count, 0);
  squeezed_.assign(count, 1);
  measure_areas(cut, cut_areas_);
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

void Balance::aim(const ConstArray3& guide, const ConstArray3& normals, std::span<const Pull> pulls, double depth) {
  const Mesh& mesh = *levels_->whole().fine();
  require_positions(mesh, guide);
  require_positions(mesh, normals);
  require(depth >= 0, "depth must be at least 0, got ", depth);
  aim_springs(guide, pulls);
  for (std::size_t v = 0; v < order_.size(); ++v) aim_plane(v, normals.row(order_[v]), depth);
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
  for (std::size_t v = 0; v < order_.size(); ++v) {
    const std::int32_t row = order_[v];
    const Eigen::RowVector3d normal = planes.normals.row(row);
    aim_plane(v, normal, planes.depths[std::size_t(row)] + (guide.row(row) - planes.points.row(row)).dot(normal));
  }
}

void Balance::aim_plane(std::size_t v, const Eigen::RowVector3d& normal, double depth) {
  normals_[v] = four_of(normal);
  vertices_[v].depth = float(depth / unit_);
}

void Balance::measure_areas(const ConstArray3& positions, std::vector<double>& out) const {
  const Mesh& mesh = *levels_->whole().fine();
  std::ranges::fill(out, 0);
  for (Eigen::Index t = 0; t < mesh.faces().rows(); ++t) {
    const auto corner = mesh.faces().row(t);
    const Vector3 a = (positions.row(corner[1]) - positions.row(corner[0])).transpose() / unit_;
    const Vector3 b = (positions.row(corner[2]) - positions.row(corner[0])).transpose() / unit_;
    const double area = a.cross(b).norm() / 2;
    for (int k = 0; k < 3; ++k) out[std::size_t(corner[k])] += area;
  }
}

void Balance::aim_springs(const ConstArray3& guide, std::span<const Pull> pulls) {
  const Mesh& mesh = *levels_->whole().fine();
  double weight = 1;
  for (const Pull& pull : pulls) {
    require(std::isfinite(pull.weight) && pull.weight >= 0, "a pull must be finite and at least 0, got ", pull.weight);
    if (pull.weight == 0) continue;
    require_positions(mesh, *pull.to);
    weight += pull.weight;
  }
  for (std::size_t v = 0; v < order_.size(); ++v) {
    const std::int32_t row = order_[v];
    guide_.row(Eigen::Index(v)) = guide.row(row);
    Eigen::RowVector3d target = Eigen::RowVector3d::Zero();
    for (const Pull& pull : pulls)
      if (pull.weight > 0) target += pull.weight / weight / unit_ * (pull.to->row(row) - guide.row(row));
    targets_[v] = four_of(target);
    vertices_[v].hold = float(std::min(weight * double(holds_[v]), kStiffest));
  }
  multilevel_.aim(weight);
  measure_areas(guide, areas_);
  for (std::size_t v = 0; v < order_.size(); ++v) {
    const auto row = std::size_t(order_[v]);
    squeezed_[v] = cut_areas_[row] > 0 ? cut_areas_[row] / areas_[row] : 1;
  }
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

PUCKER_CLONES double Balance::energy(const Fours& away) {
  const std::size_t count = order_.size();
  double out = 0;
  for (std::size_t begin = 0; begin < count; begin += kSumBlock) {
    Four energies = {};
    const std::size_t end = std::min(count, begin + kSumBlock);
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
      curved_[v] = vertex.bend * curve;
      energies += curve * curved_[v];
      sum_[v] = force;
    }
    out += double(sum(energies));
  }
  return out + springs_.add(away.data(), sum_.data());
}

PUCKER_CLONES void Balance::finish_gradient() {
  const std::size_t count = order_.size();
  Four* const change = changes_[slots_[0]].data();
  const Four* steps[kPairs];
  for (std::size_t k = 0; k < kPairs; ++k) steps[k] = steps_[slots_[k]].data();
  double products[kPairs] = {};
  for (std::size_t begin = 0; begin < count; begin += kSumBlock) {
    Four sums[kPairs] = {};
    const std::size_t end = std::min(count, begin + kSumBlock);
    for (std::size_t v = begin; v < end; ++v) {
      const Four next = vertices_[v].free * (sum_[v] + curvature(rings_, v, curved_.data()));
      change[v] = next - gradient_[v];
      next_gradient_[v] = next;
      for (std::size_t k = 0; k < kPairs; ++k) sums[k] += steps[k][v] * change[v];
    }
    for (std::size_t k = 0; k < kPairs; ++k) products[k] += double(sum(sums[k]));
  }
  for (std::size_t i = 0; i < kPairs; ++i) products_[i][0] = products[i];
}

PUCKER_CLONES void Balance::make_blocks() {
  const std::size_t count = order_.size();
  for (std::size_t v = 0; v < count; ++v) {
    const float own = vertices_[v].hold + diagonal_[v];
    blocks_[v] = {Four{own, 0, 0, 0}, Four{0, own, 0, 0}, Four{0, 0, own, 0}};
    const Four& n = normals_[v];
    if (!(sum(away_[v] * n) + vertices_[v].depth < 0)) continue;
    for (std::size_t k = 0; k < 3; ++k) blocks_[v][k] += n[k] * n;
  }
  springs_.add_blocks(away_.data(), kLeastAcross, blocks_.data());
  // Inverses by cofactors, and what the finest level adds.
  for (std::size_t v = 0; v < count; ++v) {
    Block& m = blocks_[v];
    const float xx = m[1][1] * m[2][2] - m[1][2] * m[1][2];
    const float xy = m[0][2] * m[1][2] - m[0][1] * m[2][2];
    const float xz = m[0][1] * m[1][2] - m[0][2] * m[1][1];
    const float yy = m[0][0] * m[2][2] - m[0][2] * m[0][2];
    const float yz = m[0][1] * m[0][2] - m[0][0] * m[1][2];
    const float zz = m[0][0] * m[1][1] - m[0][1] * m[0][1];
    const float det = m[0][0] * xx + m[0][1] * xy + m[0][2] * xz;
    const float share = det > 0 ? kOwnBlocks / det : 0;
    const float stiffness = own_[v] + vertices_[v].hold;
    const float diagonal = stiffness > 0 ? 1 / stiffness : 0;
    m[0] = share * Four{xx, xy, xz, 0} + Four{diagonal, 0, 0, 0};
    m[1] = share * Four{xy, yy, yz, 0} + Four{0, diagonal, 0, 0};
    m[2] = share * Four{xz, yz, zz, 0} + Four{0, 0, diagonal, 0};
  }
}

PUCKER_CLONES double Balance::direct() {
  const std::size_t count = order_.size();
  // Of the two loops of L-BFGS, the products of old steps and changes are known, so that each loop is one.
  double shares[kPairs] = {};
  for (std::size_t i = 0; i < pairs_; ++i) {
    double share = slopes_[i];
    for (std::size_t j = 0; j < i; ++j) share -= shares[j] * products_[i][j];
    shares[i] = share / products_[i][i];
  }
  const Four* changes[kPairs];
  float taken[kPairs];
  for (std::size_t k = 0; k < kPairs; ++k) changes[k] = changes_[slots_[k]].data(), taken[k] = float(shares[k]);
  for (std::size_t v = 0; v < count; ++v) {
    Four g = gradient_[v];
    for (std::size_t k = 0; k < kPairs; ++k) g -= taken[k] * changes[k][v];
    work_[v] = g;
  }

  multilevel_.apply(work_);
  const Stencils& rows = multilevel_.finest();
  const Four* const coarse = multilevel_.coarse();
  double products[kPairs] = {};
  for (std::size_t begin = 0; begin < count; begin += kSumBlock) {
    Four sums[kPairs] = {};
    const std::size_t end = std::min(count, begin + kSumBlock);
    for (std::size_t v = begin; v < end; ++v) {
      const Four g = work_[v];
      Four z = g[0] * blocks_[v][0] + g[1] * blocks_[v][1] + g[2] * blocks_[v][2];
      const Stencils::Share* const last = rows.shares.data() + rows.begins[v + 1];
      for (const Stencils::Share* share = rows.shares.data() + rows.begins[v]; share != last; ++share)
        z += share->weight * coarse[share->column];
      z = vertices_[v].free * scale_ * z;
      work_[v] = z;
      for (std::size_t k = 0; k < kPairs; ++k) sums[k] += changes[k][v] * z;
    }
    for (std::size_t k = 0; k < kPairs; ++k) products[k] += double(sum(sums[k]));
  }

  double added[kPairs] = {};
  for (std::size_t i = pairs_; i-- > 0;) {
    double share = products[i];
    for (std::size_t j = i + 1; j < pairs_; ++j) share += added[j] * products_[j][i];
    added[i] = shares[i] - share / products_[i][i];
  }
  const Four* steps[kPairs];
  for (std::size_t k = 0; k < kPairs; ++k) steps[k] = steps_[slots_[k]].data();
  float by[kPairs];
  for (std::size_t k = 0; k < kPairs; ++k) by[k] = float(added[k]);
  Four* const step = steps_[slots_[kPairs - 1]].data();
  double slope = 0;
  for (std::size_t begin = 0; begin < count; begin += kSumBlock) {
    Four sums = {};
    const std::size_t end = std::min(count, begin + kSumBlock);
    for (std::size_t v = begin; v < end; ++v) {
      Four way = Four{} - work_[v];
      for (std::size_t k = 0; k < kPairs; ++k) way -= by[k] * steps[k][v];
      step[v] = way;
      next_[v] = away_[v] + way;
      sums += way * gradient_[v];
    }
    slope += double(sum(sums));
  }
  return slope;
}

Solved Balance::solve(Array3& x, int iterations, double tolerance) {
  require_positions(*levels_->whole().fine(), x);
  const std::size_t count = order_.size();
  for (std::size_t v = 0; v < count; ++v) {
    const auto row = Eigen::Index(v);
    if (vertices_[v].free == 0) x.row(order_[v]) = guide_.row(row);
    away_[v] = four_of((x.row(order_[v]) - guide_.row(row)) / unit_);
  }
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
      for (std::size_t v = 0; v < count; ++v) {
        step[v] = 0.5F * step[v];
        next_[v] = away_[v] + step[v];
      }
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
    for (std::size_t v = 0; v < count; ++v)
      if (vertices_[v].free != 0) x.row(order_[v]) = guide_.row(Eigen::Index(v)) + unit_ * row_of(away_[v]);
  return out;
}

}  // namespace pucker::drape
