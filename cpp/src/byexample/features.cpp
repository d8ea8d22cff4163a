#include "pucker/byexample/features.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "pucker/errors.h"
#include "pucker/mesh/frames.h"

namespace pucker::byexample {

namespace {
/// Detours, in mean edge lengths, that differ by less count as equal.
constexpr double kSameDetour = 1e-9;
}  // namespace

Features::Features(std::shared_ptr<const Mesh> mesh, const ConstArray3& rest) : mesh_(std::move(mesh)), rest_(rest) {
  require_positions(*mesh_, rest);
  require(mesh_->edge_count() > 0, "a feature mesh needs edges");
  rest_lengths_.resize(std::size_t(mesh_->edge_count()));
  for (std::int32_t e = 0; e < mesh_->edge_count(); ++e) {
    const std::int32_t a = mesh_->edges()(e, 0);
    const std::int32_t b = mesh_->edges()(e, 1);
    const double length = (rest.row(a) - rest.row(b)).norm();
    require(length > 0, "edges must have a length at rest, but edge ", e, " of vertices ", a, " and ", b, " has none");
    require(std::isfinite(length), "edges must have a finite length at rest, but edge ", e, " of vertices ", a, " and ",
            b, " is longer than numbers go");
    rest_lengths_[std::size_t(e)] = length;
  }
  mean_length_ = std::accumulate(rest_lengths_.begin(), rest_lengths_.end(), 0.0) / double(rest_lengths_.size());
  require(std::isfinite(mean_length_), "the edges at rest are longer in all than numbers go");
}

void Features::stretch(const ConstArray3& positions, std::vector<double>& out) const {
  require_positions(*mesh_, positions);
  out.resize(rest_lengths_.size());
  for (std::size_t e = 0; e < out.size(); ++e) {
    const auto row = Eigen::Index(e);
    const double length = (positions.row(mesh_->edges()(row, 0)) - positions.row(mesh_->edges()(row, 1))).norm();
    out[e] = length / rest_lengths_[e];
  }
}

SparseRows Features::metric(const ConstArray3& points, const MetricOptions& options) const {
  require(std::isfinite(options.falloff) && options.falloff > 0, "the falloff of the metric must be positive, not ",
          options.falloff);
  require(options.edges >= 1, "the metric must keep at least 1 edge at a point, not ", options.edges);
  require(points.allFinite(), "points of a metric must be finite");
  const std::size_t kept = std::min(std::size_t(options.edges), rest_lengths_.size());
  SparseRows out(points.rows(), Eigen::Index(rest_lengths_.size()));
  out.reserve(Eigen::VectorXi::Constant(points.rows(), int(kept)));
  std::vector<double> detours(rest_lengths_.size());
  std::vector<double> sorted;
  std::vector<std::int32_t> order;
  for (Eigen::Index point = 0; point < points.rows(); ++point) {
    for (std::size_t e = 0; e < detours.size(); ++e) {
      const auto row = Eigen::Index(e);
      detours[e] = ((points.row(point) - rest_.row(mesh_->edges()(row, 0))).norm() +
                    (points.row(point) - rest_.row(mesh_->edges()(row, 1))).norm() - rest_lengths_[e]) /
                   mean_length_;
      require(std::isfinite(detours[e]), "point ", point, " of a metric is farther from edge ", e, " than numbers go");
    }
    sorted = detours;
    const auto last = sorted.begin() + std::ptrdiff_t(kept) - 1;
    std::ranges::nth_element(sorted, last);
    // Where a mesh is regular many are equal but for rounding, which must not choose among them.
    const double below = *last - kSameDetour;
    std::size_t equal = kept - std::size_t(std::ranges::count_if(detours, [&](double d) { return d < below; }));
    order.clear();
    for (std::size_t e = 0; e < detours.size(); ++e) {
      const bool is_equal = detours[e] >= below && detours[e] <= *last + kSameDetour;
      if (detours[e] < below || (is_equal && equal > 0)) order.push_back(std::int32_t(e));
      if (is_equal && equal > 0) --equal;
    }
    // Against the nearest edge, so that a point far from all of them has weights too.
    double nearest = detours[std::size_t(order[0])];
    for (std::size_t k = 0; k < kept; ++k) nearest = std::min(nearest, detours[std::size_t(order[k])]);
    const auto weight = [&](std::size_t k) {
      return std::exp(-options.falloff * (detours[std::size_t(order[k])] - nearest));
    };
    double sum = 0;
    for (std::size_t k = 0; k < kept; ++k) sum += weight(k);
    for (std::size_t k = 0; k < kept; ++k) out.insert(point, order[k]) = weight(k) / sum;
  }
  out.makeCompressed();
  return out;
}

}  // namespace pucker::byexample
