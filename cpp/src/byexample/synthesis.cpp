#include "pucker/byexample/synthesis.h"

#include <utility>

#include "pucker/errors.h"
#include "pucker/mesh/frames.h"

namespace pucker::byexample {

namespace {

PoseSpace pose_space_of(const Features& features, const SmoothSurface& smooth, const std::vector<Array3>& poses,
                        const SynthesisOptions& options) {
  require(!poses.empty(), "a synthesis needs at least one pose");
  Table rows(Eigen::Index(poses.size()), Eigen::Index(features.rest_lengths().size()));
  std::vector<double> stretch;
  for (std::size_t pose = 0; pose < poses.size(); ++pose) {
    features.stretch(poses[pose], stretch);
    rows.row(Eigen::Index(pose)) = Eigen::Map<const Eigen::RowVectorXd>(stretch.data(), rows.cols());
  }
  const bool sparse = options.places == WeightPlaces::sparse;
  return {features.metric(sparse ? features.rest() : smooth.positions(), options.metric), std::move(rows),
          options.pose_space};
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
      smooth_(std::move(mesh), levels, rest),
      pose_space_(pose_space_of(features_, smooth_, poses, options)),
      poses_(std::move(poses)),
      details_(std::move(details)) {
  const std::int64_t count = smooth_.subdivision().fine()->vertex_count();
  require(details_.size() == poses_.size(), "there must be one detail a pose: ", poses_.size(), ", not ",
          details_.size());
  for (std::size_t pose = 0; pose < details_.size(); ++pose) {
    require(details_[pose].rows() == count, "details must have ", count, " rows, but that of pose ", pose, " has ",
            details_[pose].rows());
    require(details_[pose].allFinite(), "details must be finite, but that of pose ", pose, " is not");
  }
  by_vertex_.reserve(std::size_t(3 * count) * details_.size());
  for (Eigen::Index v = 0; v < count; ++v)
    for (const Array3& detail : details_)
      for (int axis = 0; axis < 3; ++axis) by_vertex_.push_back(detail(v, axis));
}

void Synthesis::step(const ConstArray3& positions, Synthesised& out) {
  weigh(positions, out);
  blend(out);
}

void Synthesis::weigh(const ConstArray3& positions, Synthesised& out) {
  features_.stretch(positions, out.features);
  smooth_.step(positions);
  pose_space_.weights(out.features, out.pose_weights);
}

void Synthesis::blend(Synthesised& out, double gain) const {
  const auto count = Eigen::Index(details_.size());
  if (options_.places == WeightPlaces::sparse) {
    const SparseRows& spread = smooth_.subdivision().barycentrics();
    out.weights.resize(spread.rows(), count);
    for (Eigen::Index v = 0; v < spread.rows(); ++v) {
      out.weights.row(v).setZero();
      for (SparseRows::InnerIterator entry(spread, v); entry; ++entry)
        out.weights.row(v) += entry.value() * out.pose_weights.row(entry.col());
    }
  } else {
    out.weights = out.pose_weights;
  }
  out.detail.resize(out.weights.rows(), 3);
  const double* from = by_vertex_.data();
  for (Eigen::Index v = 0; v < out.weights.rows(); ++v) {
    Eigen::RowVector3d sum = Eigen::RowVector3d::Zero();
    for (Eigen::Index pose = 0; pose < count; ++pose, from += 3)
      sum += out.weights(v, pose) * Eigen::Map<const Eigen::RowVector3d>(from);
    out.detail.row(v) = sum;
  }
  if (gain != 1) out.detail *= gain;
  smooth_.add(out.detail, out.positions);
}

}  // namespace pucker::byexample
