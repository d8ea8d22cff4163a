#include "pucker/byexample/regression.h"

#include <cmath>
#include <utility>

#include "pucker/byexample/kernels.h"
#include "pucker/errors.h"
#include "pucker/mesh/frames.h"

namespace pucker::byexample {

Regression::Regression(const Features& features, const std::vector<Array3>& poses, RegressionTables tables,
                       const MetricOptions& metric)
    : tables_(std::move(tables)),
      regions_(features, tables_.points),
      mean_length_(features.mean_length()),
      frames_(features.mesh()) {
  const auto points = Eigen::Index(tables_.points.size());
  const auto centres = Eigen::Index(poses.size());
  require(std::isfinite(tables_.width) && tables_.width > 0, "the width of a regression must be positive, not ",
          tables_.width);
  require(std::isfinite(tables_.motion) && tables_.motion >= 0, "what motion counts must be at least 0, not ",
          tables_.motion);
  require(!poses.empty(), "a regression needs at least one centre");
  require(tables_.velocities.size() == poses.size(), "there must be velocities of ", poses.size(), " centres, not ",
          tables_.velocities.size());
  require(std::int64_t(tables_.coefficients.size()) == points, "there must be coefficients of ", points,
          " points, not ", tables_.coefficients.size());

  Array3 places(points, 3);
  for (Eigen::Index point = 0; point < points; ++point)
    places.row(point) = features.rest().row(tables_.points[std::size_t(point)]);
  metric_ = features.metric(places, metric);

  stretches_.setZero(Eigen::Index(features.rest_lengths().size()), whole_lanes(centres));
  moving_.setZero(3 * points, whole_lanes(centres));
  std::vector<double> stretch;
  for (Eigen::Index centre = 0; centre < centres; ++centre) {
    features.stretch(poses[std::size_t(centre)], stretch);
    stretches_.col(centre) = Eigen::Map<const Eigen::VectorXd>(stretch.data(), stretches_.rows()).cast<float>();
    const Array3& velocities = tables_.velocities[std::size_t(centre)];
    require(velocities.rows() == points && velocities.allFinite(), "velocities must be ", points,
            " and finite, but those of centre ", centre, " are not");
    moving_.col(centre) = Eigen::Map<const Eigen::VectorXd>(velocities.data(), velocities.size()).cast<float>();
  }
  const Eigen::Index details = tables_.coefficients.front().cols();
  const Eigen::Index padded = whole_lanes(details);
  for (std::size_t point = 0; point < tables_.coefficients.size(); ++point) {
    const Table& table = tables_.coefficients[point];
    require(table.rows() == 1 + centres && table.cols() == details && table.allFinite(),
            "coefficients must have shape (", 1 + centres, ", ", details, ") and be finite, but those of point ", point,
            " are not");
    Floats& solved = solved_.emplace_back(Floats::Zero(centres + 1, padded));
    solved.leftCols(details) = table.cast<float>();
  }
  take_displacements();
  velocities_ = Array3::Zero(points, 3);
  squared_.resize(whole_lanes(centres));
  at_points_.resize(points, padded);
  weights_.resize(padded);
}

void Regression::take_displacements() {
  const auto centres = Eigen::Index(tables_.velocities.size());
  const Mesh& mesh = *frames_.mesh();
  const auto count = Eigen::Index(mesh.vertex_count());
  require(std::isfinite(tables_.displacement) && tables_.displacement >= 0,
          "what a displacement counts must be at least 0, not ", tables_.displacement);
  const Eigen::Index wanted = tables_.displacement > 0 ? centres : 0;
  require(Eigen::Index(tables_.displacements.size()) == wanted, "there must be displacements of ", wanted,
          " centres, not ", tables_.displacements.size());
  if (wanted == 0) return;
  apart_.setZero(3 * count, whole_lanes(centres));
  for (Eigen::Index centre = 0; centre < centres; ++centre) {
    const Array3& apart = tables_.displacements[std::size_t(centre)];
    require(apart.rows() == count && apart.allFinite(), "displacements must be ", count,
            " and finite, but those of centre ", centre, " are not");
    apart_.col(centre) = Eigen::Map<const Eigen::VectorXd>(apart.data(), apart.size()).cast<float>();
  }
  displaced_.setZero(count, 3);
  std::vector<Eigen::Triplet<double>> corners;
  for (Eigen::Index point = 0; point < metric_.rows(); ++point)
    for (SparseRows::InnerIterator entry(metric_, point); entry; ++entry)
      for (int end = 0; end < 2; ++end)
        corners.emplace_back(int(point), mesh.edges()(entry.col(), end), 0.5 * entry.value());
  at_corner_.resize(metric_.rows(), count);
  at_corner_.setFromTriplets(corners.begin(), corners.end());
}

void Regression::displace(const ConstArray3& positions, const Array3* guide) {
  if (tables_.displacement == 0) return;
  require(guide != nullptr, "where displacements count, there must be the guide that positions are displaced from");
  require(guide->rows() == positions.rows() && guide->allFinite(),
          "the guide must have as many positions as there are now, and finite ones");
  const std::vector<RowMatrix3>& frames = frames_.step(*guide);
  for (Eigen::Index v = 0; v < positions.rows(); ++v)
    displaced_.row(v) = (positions.row(v) - guide->row(v)) / mean_length_ * frames[std::size_t(v)];
}

const Array3& Regression::velocities(const ConstArray3& positions, const Before& before) {
  require(before.positions.rows() == positions.rows() && before.positions.allFinite(),
          "positions before must be as many as now and finite");
  require(std::isfinite(before.seconds) && before.seconds > 0, "time must have passed since the positions before, not ",
          before.seconds, " s");
  const std::vector<RowMatrix3>& frames = frames_.step(positions);
  const double scale = 1 / (before.seconds * mean_length_);
  for (std::size_t point = 0; point < tables_.points.size(); ++point) {
    const std::int32_t v = tables_.points[point];
    velocities_.row(Eigen::Index(point)) =
        scale * (positions.row(v) - before.positions.row(v)) * frames[std::size_t(v)];
  }
  return velocities_;
}

void Regression::weights(std::span<const double> stretches, const ConstArray3& positions, const Before* before,
                         Table& out, const Array3* guide) {
  require(std::int64_t(stretches.size()) == stretches_.rows(), "there must be ", stretches_.rows(), " stretches, not ",
          stretches.size());
  if (before != nullptr && tables_.motion > 0) {
    velocities(positions, *before);
  } else {
    velocities_.setZero();
  }
  displace(positions, guide);
  const double motion = tables_.motion * tables_.motion;
  const double displacement = tables_.displacement * tables_.displacement;
  const auto falling = float(-1 / tables_.width);
  nearest_at_points_.resize(std::size_t(at_points_.rows()));
  for (Eigen::Index point = 0; point < at_points_.rows(); ++point) {
    rows_.clear();
    values_.clear();
    counts_.clear();
    const auto add = [&](const float* row, double value, double count) {
      rows_.push_back(row);
      values_.push_back(float(value));
      counts_.push_back(float(count));
    };
    for (SparseRows::InnerIterator entry(metric_, point); entry; ++entry)
      add(stretches_.row(entry.col()).data(), stretches[std::size_t(entry.col())], entry.value());
    for (int axis = 0; axis < 3 && motion > 0; ++axis)
      add(moving_.row(3 * point + axis).data(), velocities_(point, axis), motion);
    if (displacement > 0)
      for (SparseRows::InnerIterator entry(at_corner_, point); entry; ++entry)
        for (int axis = 0; axis < 3; ++axis)
          add(apart_.row(3 * entry.col() + axis).data(), displaced_(entry.col(), axis), displacement * entry.value());
    sum_squares(rows_.data(), values_.data(), counts_.data(), rows_.size(), stretches_.cols(), squared_.data());
    squared_ = squared_.sqrt();
    nearest_at_points_[std::size_t(point)] = double(squared_.head(centre_count()).minCoeff());
    squared_ = (falling * squared_).exp();
    add_rows(solved_[std::size_t(point)].data(), solved_[std::size_t(point)].rows(), at_points_.cols(), squared_.data(),
             at_points_.row(point).data());
  }
  const SparseRows& shares = regions_.shares();
  out.resize(shares.rows(), detail_count());
  nearest_.assign(std::size_t(shares.rows()), 0);
  for (Eigen::Index v = 0; v < shares.rows(); ++v) {
    weights_.setZero();
    for (SparseRows::InnerIterator entry(shares, v); entry; ++entry) {
      weights_ += float(entry.value()) * at_points_.row(entry.col());
      nearest_[std::size_t(v)] += entry.value() * nearest_at_points_[std::size_t(entry.col())];
    }
    out(v, 0) = 1;
    out.row(v).tail(out.cols() - 1) = weights_.head(out.cols() - 1).cast<double>();
  }
}

}  // namespace pucker::byexample
