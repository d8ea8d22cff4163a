#include "pucker/byexample/pose_space.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <utility>

#include "pucker/errors.h"

namespace pucker::byexample {

namespace {

/// Poses nearer to each other than this are equal at a point: rounding, of 1e-15 in a stretch, must not decide between
/// them.
constexpr double kSamePose = 1e-6;
/// Reciprocal condition number below which a system counts as singular.
constexpr double kSingular = 1e-13;
/// Sum of the weights, 1 at every pose, up to which they say nothing.
constexpr double kLeastSum = 1e-6;

/// Numbers of the poses that stand for themselves or for a later one equal to them: the first of each group.
struct Groups {
  std::vector<std::int32_t> of;      ///< (P,) the group of each pose
  std::vector<std::int32_t> firsts;  ///< the first pose of each group
  std::vector<double> sizes;         ///< poses in each group
};

Groups grouped(const Eigen::MatrixXd& squared) {
  constexpr double least = kSamePose * kSamePose;
  Groups out;
  for (Eigen::Index i = 0; i < squared.rows(); ++i) {
    std::size_t group = 0;
    while (group < out.firsts.size() && squared(i, out.firsts[group]) > least) ++group;
    if (group == out.firsts.size()) {
      out.firsts.push_back(std::int32_t(i));
      out.sizes.push_back(0);
    }
    out.of.push_back(std::int32_t(group));
    ++out.sizes[group];
  }
  return out;
}

}  // namespace

PoseSpace::PoseSpace(const SparseRows& metric, Table poses, const PoseSpaceOptions& options)
    : metric_(metric), poses_(std::move(poses)), options_(options) {
  metric_.makeCompressed();
  require(poses_.rows() >= 1, "a pose space needs at least one pose");
  require(poses_.cols() == metric_.cols(), "poses must have ", metric_.cols(), " features as the metric, not ",
          poses_.cols());
  for (Eigen::Index pose = 0; pose < poses_.rows(); ++pose)
    require(poses_.row(pose).allFinite(), "features must be finite, but pose ", pose, " has some that are not");
  for (Eigen::Index k = 0; k < metric_.nonZeros(); ++k) {
    const double weight = metric_.valuePtr()[k];
    require(std::isfinite(weight) && weight >= 0, "a metric must be finite and not negative, got ", weight);
  }
  const std::size_t count = std::size_t(poses_.rows());
  by_edge_ = poses_.transpose();
  sums_.resize(count);
  lambda_.resize(std::size_t(metric_.rows()) * count * count);
  for (std::int32_t point = 0; point < metric_.rows(); ++point) solve(point);
}

double PoseSpace::phi(double squared_distance) const {
  return options_.kernel == Kernel::squared ? squared_distance : std::sqrt(squared_distance);
}

void PoseSpace::solve(std::int32_t point) {
  const Eigen::Index count = poses_.rows();
  Eigen::MatrixXd squared = Eigen::MatrixXd::Zero(count, count);
  for (Eigen::Index i = 0; i < count; ++i)
    for (Eigen::Index j = 0; j < i; ++j) {
      double sum = 0;
      for (SparseRows::InnerIterator entry(metric_, point); entry; ++entry) {
        const double difference = poses_(i, entry.col()) - poses_(j, entry.col());
        sum += entry.value() * difference * difference;
      }
      squared(i, j) = squared(j, i) = sum;
    }
  const Groups groups = grouped(squared);
  const auto distinct = Eigen::Index(groups.firsts.size());
  if (distinct < count) {
    for (Eigen::Index i = 0; i < count && options_.equal == EqualPoses::refuse; ++i) {
      const std::int32_t first = groups.firsts[std::size_t(groups.of[std::size_t(i)])];
      require(first == i, "poses must differ at every point, but ", first, " and ", i, " are equal at point ", point);
    }
    ++shared_points_;
  }
  // One pose alone needs no system, whose only number would be φ(0) = 0.
  Eigen::MatrixXd inverse = Eigen::MatrixXd::Ones(distinct, distinct);
  if (distinct > 1) {
    // In units of the mean, so that neither the unit of the features nor their size decides what is singular.
    double scale = 0;
    Eigen::MatrixXd system(distinct, distinct);
    for (Eigen::Index i = 0; i < distinct; ++i)
      for (Eigen::Index j = 0; j < distinct; ++j)
        scale += system(i, j) = phi(squared(groups.firsts[std::size_t(i)], groups.firsts[std::size_t(j)]));
    scale /= double(distinct * distinct);
    const Eigen::PartialPivLU<Eigen::MatrixXd> solver(system / scale);
    const double condition = solver.rcond();
    require(condition > kSingular, "the poses' system must not be singular, but at point ", point, " that of ",
            distinct, " poses over ", metric_.row(point).nonZeros(), " edges is (reciprocal condition ", condition,
            options_.kernel == Kernel::squared ? "); r² has one for at most 2 poses more than edges" : ")");
    inverse = solver.inverse() / scale;
  }
  double* lambda = lambda_.data() + std::size_t(point) * std::size_t(count * count);
  for (Eigen::Index j = 0; j < count; ++j)
    for (Eigen::Index i = 0; i < count; ++i) {
      const std::int32_t from = groups.of[std::size_t(j)];
      const std::int32_t to = groups.of[std::size_t(i)];
      const bool stands = groups.firsts[std::size_t(from)] == j;
      *lambda++ = stands ? inverse(from, to) / groups.sizes[std::size_t(to)] : 0.0;
    }
}

void PoseSpace::require_features(std::span<const double> features) const {
  require(std::int64_t(features.size()) == poses_.cols(), "features must have length ", poses_.cols(), ", got ",
          features.size());
  for (std::size_t e = 0; e < features.size(); ++e)
    require(std::isfinite(features[e]), "features must be finite, but features[", e, "] is ", features[e]);
}

void PoseSpace::distances(std::span<const double> features, Table& out) const {
  require_features(features);
  out.setZero(metric_.rows(), poses_.rows());
  for (Eigen::Index point = 0; point < metric_.rows(); ++point)
    for (SparseRows::InnerIterator entry(metric_, point); entry; ++entry) {
      const auto differences = features[std::size_t(entry.col())] - by_edge_.row(entry.col()).array();
      out.row(point).array() += entry.value() * differences * differences;
    }
  out = out.cwiseSqrt();
}

void PoseSpace::weights(std::span<const double> features, Table& out) {
  distances(features, out);
  const Eigen::Index count = poses_.rows();
  nearest_.resize(std::size_t(out.rows()));
  for (Eigen::Index point = 0; point < out.rows(); ++point) nearest_[std::size_t(point)] = out.row(point).minCoeff();
  if (count == 1) {
    out.setOnes();
    return;
  }
  const double* lambda = lambda_.data();
  for (Eigen::Index point = 0; point < out.rows(); ++point) {
    std::ranges::fill(sums_, 0.0);
    const double nearest = nearest_[std::size_t(point)];
    for (Eigen::Index j = 0; j < count; ++j) {
      const double distance = out(point, j);
      const double value = options_.kernel == Kernel::squared ? distance * distance : distance;
      for (double& sum : sums_) sum += *lambda++ * value;
    }
    double total = 0;
    for (const double weight : sums_) total += weight;
    if (!(total > kLeastSum)) {
      total = 0;
      for (Eigen::Index i = 0; i < count; ++i)
        total += sums_[std::size_t(i)] = out(point, i) <= nearest + kSamePose ? 1.0 : 0.0;
    }
    for (Eigen::Index i = 0; i < count; ++i) out(point, i) = sums_[std::size_t(i)] / total;
  }
}

}  // namespace pucker::byexample
