#include <cmath>

#include "soak/checks.h"

namespace pucker::soak {

namespace {

class ByExampleChecks final : public Checks {
 public:
  explicit ByExampleChecks(const byexample::ByExample& run)
      : fades_(run.params().reach > 0),
        poses_(Eigen::Index(run.synthesis().poses().size())),
        fine_(run.synthesis().subdivision().fine()->vertex_count()) {}

 protected:
  void method_frame(const Method& run, double, int) override {
    const auto& state = dynamic_cast<const byexample::ExampleState&>(run.state());
    const byexample::Synthesised& surface = state.surface();
    for (const double feature : surface.features)
      hold(std::isfinite(feature) && feature >= 0, "an edge has the stretch ", feature);
    sums("pose weights", surface.pose_weights);
    hold(surface.detail.rows() == fine_ && surface.detail.allFinite(), "the detail is not finite");
    hold(surface.positions.rows() == fine_ && surface.positions.allFinite(), "a fine vertex is not finite");
    hold(state.normals().rows() == fine_, "there are ", state.normals().rows(), " normals");
    for (Eigen::Index v = 0; v < fine_; ++v) {
      const double size = state.normals().row(v).norm();
      hold(size == 0 || std::abs(size - 1) < 1e-6, "the normal of fine vertex ", v, " is ", size, " long");
    }
  }
  /// Fine vertices lie on the edges of the coarse mesh, and both sides see the same.
  double seam(const State&) const override { return 0; }

 private:
  /// Weights sum to 1, or to less of it the farther all poses are where they fade.
  void sums(const char* what, const byexample::Table& table) const {
    hold(table.cols() == poses_, what, " are those of ", table.cols(), " poses, there are ", poses_);
    for (Eigen::Index row = 0; row < table.rows(); ++row) {
      const double sum = table.row(row).sum();
      const double rounding = 1e-9 * (1 + table.row(row).cwiseAbs().sum());
      hold(sum <= 1 + rounding && sum >= (fades_ ? 0 : 1) - rounding, what, " of row ", row, " sum to ", sum);
    }
  }

  bool fades_;
  Eigen::Index poses_;
  Eigen::Index fine_;
};

}  // namespace

std::unique_ptr<Checks> byexample_checks(const byexample::ByExample& run) {
  return std::make_unique<ByExampleChecks>(run);
}

}  // namespace pucker::soak
