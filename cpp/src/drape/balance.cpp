#include "pucker/drape/balance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "pucker/errors.h"
#include "pucker/mesh/frames.h"

namespace pucker::drape {

namespace {

/// In-plane stiffness of a sheet of springs of stiffness 1.
constexpr double kSheet = 1.3;
constexpr double kMostCotangent = 4;
/// Least area of a vertex as a share of the mean: what bends where triangles are degenerate would be infinitely stiff.
constexpr double kLeastArea = 1e-3;
/// Share of the vertices' own blocks in the preconditioner, and least stiffness across a spring in them.
constexpr double kOwnBlocks = 0.3;
constexpr double kLeastAcross = 0.1;

/// Of all entries, in the order in which they lie in memory.
double dot(const Array3& a, const Array3& b) {
  const Eigen::Map<const Eigen::VectorXd> flat(a.data(), a.size());
  return flat.dot(Eigen::Map<const Eigen::VectorXd>(b.data(), b.size()));
}

/// Cotangent of the angle between two edges.
double cotangent(const Vector3& a, const Vector3& b) {
  const double area = a.cross(b).norm();
  return area > 0 ? a.dot(b) / area : 0;
}

}  // namespace

Balance::Balance(std::shared_ptr<const Levels> levels, const ConstArray3& cut, const Lengths& lengths,
                 std::span<const std::uint8_t> pinned, const SpringOptions& options)
    : levels_(std::move(levels)), options_(options), pinned_(pinned.begin(), pinned.end()) {
  const Mesh& mesh = *levels_->whole().fine();
  const auto count = std::size_t(mesh.vertex_count());
  require_positions(*levels_->mesh(0), cut);
  require(pinned_.empty() || pinned_.size() == count, "pinned must have ", count, " entries, got ", pinned_.size());
  pinned_.resize(count, 0);
  for (const std::vector<double>* list : {&lengths.fold_sizes, &lengths.wavelengths}) {
    require(list->size() == count, "lengths must be of ", count, " vertices, got ", list->size());
    for (const double length : *list)
      require(std::isfinite(length) && length >= 0, "lengths must be finite and at least 0, got ", length);
  }
  for (const double size : lengths.fold_sizes) require(size > 0, "fold sizes must be above 0, got ", size);
  Array3 places = cut;
  for (int level = 0; level <= levels_->count(); ++level) {
    if (level > 0) places = Array3(levels_->up(level - 1) * places);
    make_sheet(level, places, lengths);
    down_.emplace_back(Array3::Zero(places.rows(), 3));
    up_.emplace_back(Array3::Zero(places.rows(), 3));
  }
  for (std::size_t v = 0; v < count; ++v)
    if (mesh.ring(std::int32_t(v)).empty()) pinned_[v] = 1;
  cut_lengths_.resize(std::size_t(mesh.edge_count()));
  for (std::size_t e = 0; e < cut_lengths_.size(); ++e) {
    const auto ends = mesh.edges().row(Eigen::Index(e));
    cut_lengths_[e] = (places.row(ends[0]) - places.row(ends[1])).norm() / options_.tightness;
    scale_ += cut_lengths_[e] * cut_lengths_[e];
  }
  rest_lengths_ = cut_lengths_;
  blocks_.resize(count);
  depths_.assign(count, std::numeric_limits<double>::infinity());
  for (Array3* array :
       {&guide_, &normals_, &target_, &gradient_, &next_gradient_, &next_, &direction_, &away_, &curved_})
    *array = Array3::Zero(places.rows(), 3);
  for (std::size_t k = 0; k < kPairs; ++k) steps_[k] = changes_[k] = Array3::Zero(places.rows(), 3);
}

void Balance::make_sheet(int level, const Array3& cut, const Lengths& lengths) {
  const Mesh& mesh = *levels_->mesh(level);
  const auto count = std::size_t(mesh.vertex_count());
  Sheet& sheet = sheets_.emplace_back();
  sheet.cotangents.assign(std::size_t(mesh.edge_count()), 0);
  std::vector<double> areas(count, 0);
  for (Eigen::Index t = 0; t < mesh.faces().rows(); ++t) {
    if (mesh.degenerate(std::int32_t(t))) continue;
    for (int k = 0; k < 3; ++k) {
      const Vector3 apex = cut.row(mesh.faces()(t, (k + 2) % 3)).transpose();
      const Vector3 a = cut.row(mesh.faces()(t, k)).transpose() - apex;
      const Vector3 b = cut.row(mesh.faces()(t, (k + 1) % 3)).transpose() - apex;
      sheet.cotangents[std::size_t(mesh.triangle_edges()(t, k))] += cotangent(a, b) / 2;
      areas[std::size_t(mesh.faces()(t, k))] += a.cross(b).norm() / 6;
    }
  }
  for (double& weight : sheet.cotangents) weight = std::clamp(weight, 0.0, kMostCotangent);
  double mean = 0;
  for (const double area : areas) mean += area / double(count);
  sheet.hold.resize(count);
  sheet.bend.resize(count);
  // Vertices of a coarser level are the first ones of the finest.
  for (std::size_t v = 0; v < count; ++v) {
    const double area = std::max(areas[v], kLeastArea * mean);
    const double hold = kSheet / (lengths.fold_sizes[v] * lengths.fold_sizes[v]);
    const double wave = lengths.wavelengths[v] / (2 * std::numbers::pi);
    sheet.hold[v] = hold * area;
    sheet.bend[v] = area > 0 ? hold * wave * wave * wave * wave / area : 0;
  }
  sheet.degree.assign(count, 0);
  sheet.diagonal.assign(count, 0);
  std::vector<double> sums(count, 0);
  for (std::size_t e = 0; e < sheet.cotangents.size(); ++e) {
    const double weight = sheet.cotangents[e];
    for (int end = 0; end < 2; ++end) {
      const auto v = std::size_t(mesh.edges()(Eigen::Index(e), end));
      const auto other = std::size_t(mesh.edges()(Eigen::Index(e), 1 - end));
      sheet.degree[v] += 1;
      sums[v] += weight;
      sheet.diagonal[v] += weight * weight * sheet.bend[other];
    }
  }
  for (std::size_t v = 0; v < count; ++v) sheet.diagonal[v] += sums[v] * sums[v] * sheet.bend[v];
}

void Balance::aim(const ConstArray3& guide, const ConstArray3& normals, std::span<const Pull> pulls, double depth) {
  const Mesh& mesh = *levels_->whole().fine();
  require_positions(mesh, guide);
  require_positions(mesh, normals);
  require(depth >= 0, "depth must be at least 0, got ", depth);
  aim_springs(guide, pulls);
  normals_ = normals;
  std::ranges::fill(depths_, depth);
}

void Balance::aim(const ConstArray3& guide, std::span<const Pull> pulls, const Planes& planes) {
  const Mesh& mesh = *levels_->whole().fine();
  require_positions(mesh, guide);
  require_positions(mesh, planes.points);
  require_positions(mesh, planes.normals);
  require(planes.depths.size() == depths_.size(), "planes must have ", depths_.size(), " depths, got ",
          planes.depths.size());
  for (const double depth : planes.depths)
    require(depth > -std::numeric_limits<double>::infinity(), "a depth must be a number above -inf, got ", depth);
  aim_springs(guide, pulls);
  normals_ = planes.normals;
  for (std::size_t v = 0; v < depths_.size(); ++v) {
    const auto row = Eigen::Index(v);
    depths_[v] = planes.depths[v] + (guide_.row(row) - planes.points.row(row)).dot(normals_.row(row));
  }
}

void Balance::aim_springs(const ConstArray3& guide, std::span<const Pull> pulls) {
  const Mesh& mesh = *levels_->whole().fine();
  guide_ = guide;
  target_ = guide_;
  pull_ = 1;
  for (const Pull& pull : pulls) {
    require(std::isfinite(pull.weight) && pull.weight >= 0, "a pull must be finite and at least 0, got ", pull.weight);
    if (pull.weight == 0) continue;
    require_positions(mesh, *pull.to);
    target_ += pull.weight * *pull.to;
    pull_ += pull.weight;
  }
  if (pull_ > 1) target_ /= pull_;
  const Index2& edges = mesh.edges();
  for (std::size_t e = 0; e < rest_lengths_.size(); ++e) {
    const auto row = Eigen::Index(e);
    const double now = (guide_.row(edges(row, 0)) - guide_.row(edges(row, 1))).norm();
    const double cut = cut_lengths_[e];
    rest_lengths_[e] = std::min(cut + options_.creep * std::max(0.0, now - cut), options_.compression * now);
  }
}

double Balance::evaluate(const ConstArray3& x, Array3& gradient) const {
  const Mesh& mesh = *levels_->whole().fine();
  const Index2& edges = mesh.edges();
  const Sheet& sheet = fine();
  const Eigen::Index count = x.rows();
  gradient.resize(count, 3);
  double energy = 0;
  for (Eigen::Index v = 0; v < count; ++v) {
    const Eigen::RowVector3d away = x.row(v) - guide_.row(v);
    const Eigen::RowVector3d pulled = x.row(v) - target_.row(v);
    const double hold = pull_ * sheet.hold[std::size_t(v)];
    energy += hold * pulled.squaredNorm();
    gradient.row(v) = hold * pulled;
    const double below = away.dot(normals_.row(v)) + depths_[std::size_t(v)];
    if (below < 0) {
      energy += below * below;
      gradient.row(v) += below * normals_.row(v);
    }
    away_.row(v) = away;
  }
  curved_.setZero();
  for (Eigen::Index e = 0; e < edges.rows(); ++e) {
    const std::int32_t a = edges(e, 0);
    const std::int32_t b = edges(e, 1);
    const Eigen::RowVector3d along = x.row(b) - x.row(a);
    const double length = along.norm();
    const double over = length - rest_lengths_[std::size_t(e)];
    energy += over * over;
    if (length > 0) {
      const Eigen::RowVector3d force = (over / length) * along;
      gradient.row(a) -= force;
      gradient.row(b) += force;
    }
    const Eigen::RowVector3d bent = sheet.cotangents[std::size_t(e)] * (away_.row(b) - away_.row(a));
    curved_.row(a) += bent;
    curved_.row(b) -= bent;
  }
  for (Eigen::Index v = 0; v < count; ++v) {
    const double bend = sheet.bend[std::size_t(v)];
    energy += bend * curved_.row(v).squaredNorm();
    curved_.row(v) *= bend;
  }
  for (Eigen::Index e = 0; e < edges.rows(); ++e) {
    const std::int32_t a = edges(e, 0);
    const std::int32_t b = edges(e, 1);
    const Eigen::RowVector3d bent = sheet.cotangents[std::size_t(e)] * (curved_.row(b) - curved_.row(a));
    gradient.row(a) += bent;
    gradient.row(b) -= bent;
  }
  for (Eigen::Index v = 0; v < count; ++v)
    if (pinned_[std::size_t(v)] != 0) gradient.row(v).setZero();
  return energy / 2;
}

void Balance::make_blocks(const Array3& x) {
  const Index2& edges = levels_->whole().fine()->edges();
  const Sheet& sheet = fine();
  for (std::size_t v = 0; v < blocks_.size(); ++v) {
    const auto row = Eigen::Index(v);
    blocks_[v] = (pull_ * sheet.hold[v] + sheet.diagonal[v]) * Block::Identity();
    if ((x.row(row) - guide_.row(row)).dot(normals_.row(row)) + depths_[v] < 0)
      blocks_[v] += normals_.row(row).transpose() * normals_.row(row);
  }
  for (Eigen::Index e = 0; e < edges.rows(); ++e) {
    const Vector3 along = (x.row(edges(e, 1)) - x.row(edges(e, 0))).transpose();
    const double length = along.norm();
    Block block = Block::Identity();
    if (length > 0) {
      const Vector3 n = along / length;
      const double across = std::max(kLeastAcross, 1 - rest_lengths_[std::size_t(e)] / length);
      block = across * Block::Identity() + (1 - across) * (n * n.transpose());
    }
    blocks_[std::size_t(edges(e, 0))] += block;
    blocks_[std::size_t(edges(e, 1))] += block;
  }
  for (Block& block : blocks_) block = Block(block.inverse());
}

void Balance::precondition(const Array3& gradient, Array3& out) {
  const int finest = levels_->count();
  down_[std::size_t(finest)] = gradient;
  for (int level = finest; level > 0; --level)
    multiply(levels_->down(level - 1), down_[std::size_t(level)], down_[std::size_t(level - 1)]);
  for (int level = 0; level <= finest; ++level) {
    const Sheet& sheet = sheets_[std::size_t(level)];
    Array3& z = up_[std::size_t(level)];
    const Array3& g = down_[std::size_t(level)];
    if (level > 0) multiply(levels_->up(level - 1), up_[std::size_t(level - 1)], z);
    for (Eigen::Index v = 0; v < z.rows(); ++v) {
      const auto i = std::size_t(v);
      const double stiffness = sheet.degree[i] / 2 + pull_ * sheet.hold[i] + sheet.diagonal[i];
      const Eigen::RowVector3d own =
          stiffness > 0 ? Eigen::RowVector3d(g.row(v) / stiffness) : Eigen::RowVector3d::Zero();
      if (level > 0) {
        z.row(v) += own;
      } else {
        z.row(v) = own;
      }
    }
  }
  const Array3& z = up_[std::size_t(finest)];
  for (Eigen::Index v = 0; v < z.rows(); ++v) {
    if (pinned_[std::size_t(v)] != 0) {
      out.row(v).setZero();
    } else {
      out.row(v) = z.row(v) + kOwnBlocks * (gradient.row(v) * blocks_[std::size_t(v)]);
    }
  }
}

void Balance::direct(const Array3& gradient, Array3& out) {
  // The newest pair is the first.
  std::array<double, kPairs> shares{};
  next_ = gradient;
  for (std::size_t k = 0; k < pairs_; ++k) {
    shares[k] = dot(steps_[k], next_) / curvatures_[k];
    next_ -= shares[k] * changes_[k];
  }
  precondition(next_, out);
  for (std::size_t k = pairs_; k-- > 0;) out += (shares[k] - dot(changes_[k], out) / curvatures_[k]) * steps_[k];
  out = -out;
}

Solved Balance::solve(Array3& x, int iterations, double tolerance) {
  require_positions(*levels_->whole().fine(), x);
  for (Eigen::Index v = 0; v < x.rows(); ++v)
    if (pinned_[std::size_t(v)] != 0) x.row(v) = guide_.row(v);
  Solved out;
  pairs_ = 0;
  make_blocks(x);
  out.energy = evaluate(x, gradient_);
  // Without edges there is nothing that could be out of balance but the hold.
  const double scale = scale_ > 0 ? scale_ : 1;
  for (;; ++out.iterations) {
    direct(gradient_, direction_);
    const double slope = dot(gradient_, direction_);
    out.residual = std::sqrt(std::max(0.0, -slope) / scale);
    if (out.residual <= tolerance || out.iterations >= iterations) return out;
    constexpr double enough = 1e-4;
    constexpr int most_halvings = 30;
    double step = 1;
    double energy = out.energy;
    int halvings = 0;
    for (;; ++halvings, step /= 2) {
      if (halvings == most_halvings) return out;
      next_ = x + step * direction_;
      energy = evaluate(next_, next_gradient_);
      if (energy <= out.energy + enough * step * slope) break;
    }
    // The oldest makes room.
    std::rotate(steps_.begin(), steps_.end() - 1, steps_.end());
    std::rotate(changes_.begin(), changes_.end() - 1, changes_.end());
    std::rotate(curvatures_.begin(), curvatures_.end() - 1, curvatures_.end());
    steps_[0] = next_ - x;
    changes_[0] = next_gradient_ - gradient_;
    curvatures_[0] = dot(steps_[0], changes_[0]);
    pairs_ = std::min(pairs_ + 1, kPairs);
    // A pair along which the slope falls would make a direction that leads upwards.
    constexpr double least_curvature = 1e-10;
    if (!(curvatures_[0] > least_curvature * steps_[0].norm() * changes_[0].norm())) pairs_ = 0;
    x.swap(next_);
    gradient_.swap(next_gradient_);
    out.energy = energy;
  }
}

}  // namespace pucker::drape
