#include "pucker/byexample/synthesis.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "pucker/byexample/kernels.h"
#include "pucker/errors.h"
#include "pucker/mesh/frames.h"
#include "pucker/threads.h"

namespace pucker::byexample {

namespace {

/// Numbers that are blended at once.
template <class Scalar>
constexpr Eigen::Index kTogether = std::is_same_v<Scalar, float> ? kLanes : 2;

/// Vertices whose details are blended and then added, so that these need not come back from memory.
constexpr std::size_t kBlended = 256;

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

void require_options(const SynthesisOptions& options) {
  require(std::isfinite(options.trail) && options.trail >= 0,
          "the time by which cloth trails its guide must be finite and at least 0, not ", options.trail);
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
      pose_space_(pose_space_of(features_, subdivision_->matrix() * rest, poses, options)),
      poses_(std::move(poses)),
      details_(std::move(details)) {
  require(details_.size() == poses_.size(), "there must be one detail a pose: ", poses_.size(), ", not ",
          details_.size());
  require_options(options_);
  take_details();
}

Synthesis::Synthesis(std::shared_ptr<const Mesh> mesh, int levels, const Array3& rest, std::vector<Array3> poses,
                     std::vector<Array3> details, RegressionTables tables, const SynthesisOptions& options)
    : options_(options),
      features_(mesh, rest),
      subdivision_(std::make_shared<const LoopSubdivision>(std::move(mesh), levels)),
      frames_(subdivision_->fine()),
      regression_(std::in_place, features_, poses, std::move(tables), options.metric),
      poses_(std::move(poses)),
      details_(std::move(details)) {
  options_.places = WeightPlaces::sparse;
  require(std::int64_t(details_.size()) == regression_->detail_count(),
          "there must be one detail a weight: ", regression_->detail_count(), ", not ", details_.size());
  require_options(options_);
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
  if (regression_) {
    take_details(single_);
  } else {
    take_details(double_);
  }
}

template <class Scalar>
void Synthesis::take_details(Blending<Scalar>& blending) const {
  const Eigen::Index lanes = kTogether<Scalar>;
  const Eigen::Index count = (Eigen::Index(details_.size()) + lanes - 1) / lanes * lanes;
  const Eigen::Index vertices = subdivision_->fine()->vertex_count();
  const bool sparse = options_.places == WeightPlaces::sparse;
  blending.at_vertices.setZero(sparse ? Eigen::Index(features_.mesh()->vertex_count()) : vertices, count);
  blending.by_vertex.assign(std::size_t(3 * vertices * count), 0);
  auto to = blending.by_vertex.begin();
  for (Eigen::Index v = 0; v < vertices; ++v)
    for (int axis = 0; axis < 3; ++axis, to += count)
      for (std::size_t pose = 0; pose < details_.size(); ++pose)
        to[std::ptrdiff_t(pose)] = Scalar(details_[pose](v, axis));
}

void Synthesis::step(const ConstArray3& positions, Synthesised& out, const Before* before, const Array3* guide) {
  weigh(positions, out, before, guide);
  blend(positions, out);
}

void Synthesis::weigh(const ConstArray3& positions, Synthesised& out, const Before* before, const Array3* guide) {
  features_.stretch(positions, out.features);
  if (regression_) {
    regression_->weights(out.features, positions, before, out.pose_weights, guide);
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
      options_.places == WeightPlaces::sparse ? features_.mesh()->vertex_count() : subdivision_->matrix().rows();
  require(pose_weights.rows() == places && pose_weights.cols() == std::int64_t(details_.size()),
          "weights must have shape (", places, ", ", details_.size(), "), not (", pose_weights.rows(), ", ",
          pose_weights.cols(), ")");
  out.resize(subdivision_->matrix().rows(), pose_weights.cols());
  for (Eigen::Index v = 0; v < out.rows(); ++v) weights_at(pose_weights, v, out.row(v).data());
}

void Synthesis::blend_double(double gain, Eigen::Index begin, Eigen::Index end, Array3& out) const {
  constexpr Eigen::Index lanes = kTogether<double>;
  using Two = Eigen::Array<double, lanes, 1>;
  const Eigen::Index count = double_.at_vertices.cols();
  const double* from = double_.by_vertex.data() + 3 * count * begin;
  // `weight(q)`: those of the vertex at hand, from q on.
  const auto blend = [&](Eigen::Index v, const auto& weight) {
    Two sums[3] = {Two::Zero(), Two::Zero(), Two::Zero()};
    for (Eigen::Index q = 0; q < count; q += lanes) {
      const Two weights = weight(q);
      for (int axis = 0; axis < 3; ++axis) sums[axis] += weights * Two::Map(from + axis * count + q);
    }
    from += 3 * count;
    for (int axis = 0; axis < 3; ++axis) out(v, axis) = gain * sums[axis].sum();
  };
  const auto row = [&](Eigen::Index k) { return double_.at_vertices.data() + k * count; };
  if (options_.places == WeightPlaces::dense) {
    for (Eigen::Index v = begin; v < end; ++v) blend(v, [&](Eigen::Index q) -> Two { return Two::Map(row(v) + q); });
    return;
  }
  const SparseRows& spread = subdivision_->barycentrics();
  for (Eigen::Index v = begin; v < end; ++v) {
    const std::int32_t entry = spread.outerIndexPtr()[v];
    const std::int32_t corners = spread.outerIndexPtr()[v + 1] - entry;
    const double* const shares = spread.valuePtr() + entry;
    const std::int32_t* const columns = spread.innerIndexPtr() + entry;
    const double* const first = row(columns[0]);
    if (corners == 1) {
      blend(v, [&](Eigen::Index q) -> Two { return shares[0] * Two::Map(first + q); });
      continue;
    }
    const double* const second = row(columns[1]);
    if (corners == 2) {
      blend(v,
            [&](Eigen::Index q) -> Two { return shares[0] * Two::Map(first + q) + shares[1] * Two::Map(second + q); });
      continue;
    }
    const double* const third = row(columns[2]);
    blend(v, [&](Eigen::Index q) -> Two {
      return shares[0] * Two::Map(first + q) + shares[1] * Two::Map(second + q) + shares[2] * Two::Map(third + q);
    });
  }
}

void Synthesis::blend(const ConstArray3& positions, Synthesised& out, double gain) {
  multiply(subdivision_->matrix(), positions, smooth_);
  const Eigen::Index count = smooth_.rows();
  out.detail.resize(count, 3);
  out.positions.resize(count, 3);
  if (!regression_) {
    double_.at_vertices.leftCols(out.pose_weights.cols()) = out.pose_weights;
    parallel_blocks(std::size_t(count), kBlended, [&](std::size_t from, std::size_t to) {
      const auto begin = Eigen::Index(from);
      const auto end = Eigen::Index(to);
      blend_double(gain, begin, end, out.detail);
      frames_.add(smooth_, out.detail, smooth_, begin, end, out.positions);
    });
    return;
  }
  const SparseRows& shares = subdivision_->barycentrics();
  single_.at_vertices.leftCols(out.pose_weights.cols()) = out.pose_weights.cast<float>();
  const Eigen::Index width = single_.at_vertices.cols();
  // In mean lengths of edges, whose powers single precision can hold.
  const Eigen::RowVector3d origin = smooth_.row(0);
  places_.resize(count, 3);
  parallel_blocks(std::size_t(count), kBlended, [&](std::size_t from, std::size_t to) {
    const auto rows = Eigen::Index(to - from);
    places_.middleRows(Eigen::Index(from), rows) =
        ((smooth_.middleRows(Eigen::Index(from), rows).rowwise() - origin) / features_.mean_length()).cast<float>();
  });
  parallel_blocks(std::size_t(count), kBlended, [&](std::size_t from, std::size_t to) {
    const auto begin = Eigen::Index(from);
    const auto end = Eigen::Index(to);
    const Spread spread{
        .begins = shares.outerIndexPtr() + begin, .columns = shares.innerIndexPtr(), .shares = shares.valuePtr()};
    blend_single(spread, single_.at_vertices.data(), single_.by_vertex.data() + 3 * width * begin, width, end - begin,
                 gain, out.detail.data() + 3 * begin);
    frames_.add(places_, out.detail, smooth_, begin, end, out.positions);
  });
}

}  // namespace pucker::byexample
