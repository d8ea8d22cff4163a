#include "pucker/byexample/synthesis.h"

#include <algorithm>
#include <utility>

#include "pucker/errors.h"
#include "pucker/mesh/frames.h"

namespace pucker::byexample {

namespace {

PoseSpace pose_space_of(const Features& features, const Array3& smooth, const std::vector<Array3>& poses,
                        const SynthesisOptions& options) {
  require(!poses.empty(), "a synthesis needs at least one pose");
  Table rows(Eigen::Index(poses.size()), Eigen::Index(features.rest_lengths().size()));
  std::vector<double> stretch;
  for (std::size_t pose = 0; pose < poses.size(); ++pose) {
    features.stretch(poses[pose], stretch);
    rows.row(Eigen::Index(pose)) = Eigen::Map<const Eigen::RowVectorXd>(stretch.data(), rows.cols());
  }
  const bool sparse = options.places == WeightPlaces::sparse;
  return {features.metric(sparse ? features.rest() : smooth, options.metric), std::move(rows), options.pose_space};
}

}  // namespace

SmoothSurface::SmoothSurface(std::shared_ptr<const Mesh> mesh, int levels, const ConstArray3& positions)
    : subdivision_(std::make_shared<const LoopSubdivision>(std::move(mesh), levels)), frames_(subdivision_->fine()) {
  step(positions);
}

void SmoothSurface::step(const ConstArray3& positions) {
  require_positions(*subdivision_->coarse(), positions);
  multiply(subdivision_->matrix(), positions, positions_);
  frames_.step(positions_);
}

void SmoothSurface::detail_of(const ConstArray3& fine, Array3& out) const {
  require_positions(*subdivision_->fine(), fine);
  out.resize(fine.rows(), 3);
  for (Eigen::Index v = 0; v < fine.rows(); ++v)
    out.row(v) = (fine.row(v) - positions_.row(v)) * frames_.frames()[std::size_t(v)];
}

void SmoothSurface::add(const ConstArray3& detail, Array3& out) const {
  require(detail.rows() == positions_.rows(), "a detail must have ", positions_.rows(), " rows, not ", detail.rows());
  out.resize(detail.rows(), 3);
  for (Eigen::Index v = 0; v < detail.rows(); ++v)
    out.row(v) = positions_.row(v) + detail.row(v) * frames_.frames()[std::size_t(v)].transpose();
}

Synthesis::Synthesis(std::shared_ptr<const Mesh> mesh, int levels, const Array3& rest, std::vector<Array3> poses,
                     std::vector<Array3> details, const SynthesisOptions& options)
    : options_(options),
      features_(mesh, rest),
      subdivision_(std::make_shared<const LoopSubdivision>(std::move(mesh), levels)),
      frames_(subdivision_->fine()),
      smooth_(subdivision_->matrix() * rest),
      pose_space_(pose_space_of(features_, smooth_, poses, options)),
      poses_(std::move(poses)),
      details_(std::move(details)) {
  require(details_.size() == poses_.size(), "there must be one detail a pose: ", poses_.size(), ", not ",
          details_.size());
  take_details();
}

Synthesis::Synthesis(std::shared_ptr<const Mesh> mesh, int levels, const Array3& rest, std::vector<Array3> poses,
                     std::vector<Array3> details, RegressionTables tables, const SynthesisOptions& options)
    : options_(options),
      features_(mesh, rest),
      subdivision_(std::make_shared<const LoopSubdivision>(std::move(mesh), levels)),
      frames_(subdivision_->fine()),
      smooth_(subdivision_->matrix() * rest),
      regression_(std::in_place, features_, poses, std::move(tables), options.metric),
      poses_(std::move(poses)),
      details_(std::move(details)) {
  options_.places = WeightPlaces::sparse;
  require(std::int64_t(details_.size()) == regression_->detail_count(),
          "there must be one detail a weight: ", regression_->detail_count(), ", not ", details_.size());
  take_details();
}

const PoseSpace& Synthesis::pose_space() const {
  require(pose_space_.has_value(), "weights that come from a regression have no pose space");
  return *pose_space_;
}

void Synthesis::take_details() {
  const std::int64_t count = subdivision_->fine()->vertex_count();
  for (std::size_t pose = 0; pose < details_.size(); ++pose) {
    require(details_[pose].rows() == count, "details must have ", count, " rows, but that of pose ", pose, " has ",
            details_[pose].rows());
    require(details_[pose].allFinite(), "details must be finite, but that of pose ", pose, " is not");
  }
  weights_.resize((details_.size() + 1) / 2 * 2);
  by_vertex_.resize(std::size_t(3 * count) * weights_.size());
  auto to = by_vertex_.begin();
  for (Eigen::Index v = 0; v < count; ++v)
    for (int axis = 0; axis < 3; ++axis, to += std::ptrdiff_t(weights_.size()))
      for (std::size_t pose = 0; pose < details_.size(); ++pose) to[std::ptrdiff_t(pose)] = details_[pose](v, axis);
}

void Synthesis::step(const ConstArray3& positions, Synthesised& out, const Before* before) {
  weigh(positions, out, before);
  blend(out);
}

void Synthesis::weigh(const ConstArray3& positions, Synthesised& out, const Before* before) {
  features_.stretch(positions, out.features);
  multiply(subdivision_->matrix(), positions, smooth_);
  if (regression_) {
    regression_->weights(out.features, positions, before, out.pose_weights);
  } else {
    pose_space_->weights(out.features, out.pose_weights);
  }
}

void Synthesis::weights_at(const Table& pose_weights, Eigen::Index vertex, double* out) const {
  const Eigen::Index count = pose_weights.cols();
  if (options_.places == WeightPlaces::dense) {
    std::copy_n(pose_weights.data() + vertex * count, count, out);
    return;
  }
  const SparseRows& spread = subdivision_->barycentrics();
  const std::int32_t begin = spread.outerIndexPtr()[vertex];
  const std::int32_t corners = spread.outerIndexPtr()[vertex + 1] - begin;
  const double* const shares = spread.valuePtr() + begin;
  const auto weights = [&](std::int32_t k) { return pose_weights.data() + spread.innerIndexPtr()[begin + k] * count; };
  const double* const first = weights(0);
  if (corners == 1) {
    for (Eigen::Index pose = 0; pose < count; ++pose) out[pose] = shares[0] * first[pose];
    return;
  }
  const double* const second = weights(1);
  if (corners == 2) {
    for (Eigen::Index pose = 0; pose < count; ++pose) out[pose] = shares[0] * first[pose] + shares[1] * second[pose];
    return;
  }
  const double* const third = weights(2);
  for (Eigen::Index pose = 0; pose < count; ++pose)
    out[pose] = shares[0] * first[pose] + shares[1] * second[pose] + shares[2] * third[pose];
}

void Synthesis::spread(const Table& pose_weights, Table& out) const {
  const std::int64_t places =
      options_.places == WeightPlaces::sparse ? features_.mesh()->vertex_count() : smooth_.rows();
  require(pose_weights.rows() == places && pose_weights.cols() == std::int64_t(details_.size()),
          "weights must have shape (", places, ", ", details_.size(), "), not (", pose_weights.rows(), ", ",
          pose_weights.cols(), ")");
  out.resize(smooth_.rows(), pose_weights.cols());
  for (Eigen::Index v = 0; v < out.rows(); ++v) weights_at(pose_weights, v, out.row(v).data());
}

void Synthesis::blend(Synthesised& out, double gain) {
  out.detail.resize(smooth_.rows(), 3);
  const std::size_t count = weights_.size();
  double* const weights = weights_.data();
  const double* from = by_vertex_.data();
  for (Eigen::Index v = 0; v < smooth_.rows(); ++v) {
    weights_at(out.pose_weights, v, weights);
    for (int axis = 0; axis < 3; ++axis, from += count) {
      double even = 0;
      double odd = 0;
      for (std::size_t pose = 0; pose < count; pose += 2) {
        even += weights[pose] * from[pose];
        odd += weights[pose + 1] * from[pose + 1];
      }
      out.detail(v, axis) = gain * (even + odd);
    }
  }
  frames_.add(smooth_, out.detail, out.positions);
}

}  // namespace pucker::byexample
