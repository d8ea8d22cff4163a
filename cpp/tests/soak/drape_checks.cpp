#include <algorithm>
#include <cmath>

#include "soak/checks.h"

namespace pucker::soak {

namespace {

class DrapeChecks final : public Checks {
 public:
  explicit DrapeChecks(const drape::Drape& run)
      : most_(run.params().iterations),
        first_(run.params().iterations * run.params().settling),
        fine_(run.setting().levels->whole().fine()->vertex_count()) {}

 protected:
  void method_frame(const Method& run, double dt, int) override {
    const auto& state = dynamic_cast<const drape::DrapeState&>(run.state());
    for (const Array3* rows : {&state.guide, &state.draped, &state.balanced, &state.normals})
      hold(rows->rows() == fine_ && rows->allFinite(), "a fine vertex is not finite");
    for (Eigen::Index v = 0; v < fine_; ++v) {
      const double size = state.normals.row(v).norm();
      hold(size == 0 || std::abs(size - 1) < 1e-6, "the normal of fine vertex ", v, " is ", size, " long");
    }
    const drape::Solved& solved = state.solved;
    hold(solved.iterations >= 0 && solved.iterations <= (state.started ? first_ : most_), "the solver took ",
         solved.iterations, " iterations");
    hold(std::isfinite(solved.energy), "the energy is ", solved.energy);
    hold(std::isfinite(solved.residual) && solved.residual >= 0, "the residual is ", solved.residual);
    hold(state.started || dt > 0, "the first frame has taken something over");
    const drape::Lengths& lengths = state.setting().lengths;
    for (const std::vector<double>* each : {&lengths.fold_sizes, &lengths.wavelengths})
      for (const double length : *each) hold(std::isfinite(length) && length >= 0, "there is the length ", length);
  }
  /// Fine vertices lie on the edges of the coarse mesh, and both sides see the same.
  double seam(const State&) const override { return 0; }

 private:
  std::int32_t most_;
  std::int32_t first_;
  Eigen::Index fine_;
};

}  // namespace

std::unique_ptr<Checks> drape_checks(const drape::Drape& run) { return std::make_unique<DrapeChecks>(run); }

}  // namespace pucker::soak
