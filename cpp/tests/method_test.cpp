#include "pucker/method.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "motion.h"
#include "pucker/crowd.h"
#include "pucker/dynamic/wrinkler.h"
#include "pucker/errors.h"
#include "pucker/serial.h"

namespace pucker {
namespace {

using testing::irregular_sheet;
using testing::params_for;
using testing::RandomMotion;
using testing::RestShape;

/// A sine over x along the normals, in the triangles of the first half.
class RippleDetail final : public Detail {
 public:
  RippleDetail(const Mesh& mesh, const Array3& positions) : Detail(mesh, positions) {}

  void evaluate_into(std::span<const std::int32_t> triangles, const ConstArray3& barycentrics,
                     Evaluation& out) const override {
    points_of_mesh(mesh(), positions(), triangles, barycentrics, out);
    SurfacePoints& points = out.points;
    for (Eigen::Index i = 0; i < points.base.rows(); ++i)
      points.displacements.row(i) = 0.1 * std::sin(points.base(i, 0)) * points.base_normals.row(i);
    points.positions += points.displacements;
  }
  std::vector<std::uint8_t> reached() const override {
    std::vector<std::uint8_t> out(std::size_t(mesh().triangle_count()), 0);
    std::fill_n(out.begin(), out.size() / 2, 1);
    return out;
  }
  double feature_size() const override { return 1; }
  std::array<double, 2> offset_range() const override { return {-0.1, 0.1}; }
};

struct RippleState final : State {
  explicit RippleState(const Mesh& mesh) : detail_(mesh, positions) {}
  std::span<const std::string_view> stages() const override { return {}; }
  const Detail& detail() const override { return detail_; }

 private:
  RippleDetail detail_;
};

class Ripple final : public Method {
 public:
  explicit Ripple(std::shared_ptr<const Mesh> mesh) : mesh_(std::move(mesh)) {}

  std::string_view name() const override { return "ripple"; }
  std::span<const std::string_view> stages() const override { return {}; }
  const std::shared_ptr<const Mesh>& mesh() const override { return mesh_; }
  void require_frame(const ConstArray3& positions, double time) const override {
    require_next_frame(*mesh_, state_ ? std::optional(state_->time) : std::nullopt, positions, time);
  }
  const State& advance(const ConstArray3& positions, double time) override {
    require_frame(positions, time);
    auto next = std::make_shared<RippleState>(*mesh_);
    next->frame = state_ ? state_->frame + 1 : 0;
    next->time = time;
    next->positions = positions;
    state_ = std::move(next);
    return *state_;
  }
  const State& state() const override {
    require(state_ != nullptr, "there is no state before the first frame");
    return *state_;
  }
  std::string save() const override {
    ByteWriter out;
    out.value(state().frame);
    out.value(state().time);
    out.matrix(state().positions);
    return out.take_sealed();
  }
  std::unique_ptr<Method> restored(std::string_view bytes) const override {
    ByteReader in(bytes, "a ripple");
    in.unseal();
    auto out = std::make_unique<Ripple>(mesh_);
    out->state_ = std::make_shared<RippleState>(*mesh_);
    out->state_->frame = in.value<std::int64_t>();
    out->state_->time = in.value<double>();
    in.matrix(out->state_->positions);
    return out;
  }

 private:
  std::shared_ptr<const Mesh> mesh_;
  std::shared_ptr<RippleState> state_;
};

TEST(Method, of_any_kind_goes_with_others_in_a_crowd) {
  const RestShape sheet = irregular_sheet(6, 0.3, 1);
  Wrinkler wrinkler(sheet.mesh, params_for(0.02));
  Wrinkler alone(sheet.mesh, params_for(0.02));
  Ripple ripple(sheet.mesh);
  const RandomMotion motion(sheet.positions, 0.1, 1);
  Crowd crowd(2);
  for (int frame = 0; frame < 12; ++frame) {
    const double time = frame / 30.0;
    const Array3 positions = motion.at(time);
    const Eigen::Map<const Array3> view(positions.data(), positions.rows(), 3);
    const std::array<CrowdStep, 2> steps{CrowdStep{&wrinkler, view, time}, CrowdStep{&ripple, view, time}};
    crowd.advance(steps);
    alone.advance(positions, time);
    ASSERT_EQ(wrinkler.save(), alone.save());
    ASSERT_EQ(ripple.state().positions, positions);
    ASSERT_EQ(ripple.state().frame, frame);
  }
}

TEST(Method, goes_on_from_a_saved_run_behind_its_interface) {
  const RestShape sheet = irregular_sheet(6, 0.3, 2);
  const RandomMotion motion(sheet.positions, 0.1, 2);
  Wrinkler wrinkler(sheet.mesh, params_for(0.02));
  Ripple ripple(sheet.mesh);
  for (Method* run : {static_cast<Method*>(&wrinkler), static_cast<Method*>(&ripple)}) {
    for (int frame = 0; frame < 20; ++frame) run->advance(motion.at(frame / 30.0), frame / 30.0);
    const std::unique_ptr<Method> other = run->restored(run->save());
    EXPECT_EQ(other->name(), run->name());
    EXPECT_EQ(other->state().frame, 19);
    for (int frame = 20; frame < 30; ++frame) {
      run->advance(motion.at(frame / 30.0), frame / 30.0);
      other->advance(motion.at(frame / 30.0), frame / 30.0);
    }
    EXPECT_EQ(other->save(), run->save());
    EXPECT_THROW((void)run->restored("nothing"), Error);
  }
}

TEST(Method, leaves_a_shared_state_as_it_is) {
  const RestShape sheet = irregular_sheet(6, 0.3, 3);
  const RandomMotion motion(sheet.positions, 0.1, 3);
  Wrinkler wrinkler(sheet.mesh, params_for(0.02));
  Method& run = wrinkler;
  EXPECT_THROW((void)run.share_state(), InvalidArgument);
  run.advance(motion.at(0), 0);
  const std::shared_ptr<const State> kept = run.share_state();
  for (int frame = 1; frame < 5; ++frame) run.advance(motion.at(frame / 30.0), frame / 30.0);
  EXPECT_EQ(kept->frame, 0);
  EXPECT_EQ(kept->positions, motion.at(0));
  EXPECT_EQ(kept->seconds.size(), run.stages().size());
}

TEST(Detail, of_a_state_is_its_wrinkled_surface) {
  const RestShape sheet = irregular_sheet(8, 0.35, 1);
  Wrinkler run(sheet.mesh, params_for(0.02));
  for (int frame = 0; frame < 15; ++frame) {
    Array3 positions = sheet.positions;
    positions.col(0) *= 1 - 0.03 * frame;
    run.advance(positions, frame / 30.0);
  }
  const State& state = static_cast<Method&>(run).state();
  const Detail& detail = state.detail();
  std::vector<std::int32_t> triangles(std::size_t(sheet.mesh->triangle_count()));
  std::iota(triangles.begin(), triangles.end(), 0);
  const Array3 middles = Array3::Constant(Eigen::Index(triangles.size()), 3, 1.0 / 3);
  const SurfacePoints points = detail.evaluate(triangles, middles);
  const SurfacePoints wanted = evaluate_surface(*sheet.mesh, run.params().shape.profile, run.positions(),
                                                run.state().packed, triangles, middles);
  EXPECT_EQ(points.positions, wanted.positions);
  EXPECT_EQ(points.normals, wanted.normals);
  EXPECT_GT(points.displacements.norm(), 0.01);
  const std::vector<std::uint8_t> reached = detail.reached();
  for (std::size_t t = 0; t < reached.size(); ++t)
    EXPECT_TRUE(reached[t] || points.displacements.row(Eigen::Index(t)).isZero(0)) << t;
  EXPECT_DOUBLE_EQ(detail.feature_size(), 0.02 * 2 / 3);  // the ridge between the valleys
}

TEST(Detail, divides_edges_where_it_reaches_and_agrees_on_both_sides) {
  const RestShape sheet = irregular_sheet(6, 0.3, 4);
  const RippleDetail detail(*sheet.mesh, sheet.positions);
  const std::vector<std::uint8_t> reached = detail.reached();
  const double target = 0.03;
  const std::vector<std::int32_t> levels = detail.edge_levels(target, 5);
  for (std::int32_t e = 0; e < sheet.mesh->edge_count(); ++e) {
    bool near = false;
    for (const std::int32_t t : sheet.mesh->edge_triangles(e)) near = near || (t != kNone && reached[std::size_t(t)]);
    const auto ends = sheet.mesh->edges().row(e);
    const double length = (sheet.positions.row(ends[0]) - sheet.positions.row(ends[1])).norm();
    const std::int32_t level = levels[std::size_t(e)];
    if (!near) {
      EXPECT_EQ(level, 1);
    } else {
      EXPECT_TRUE(level == 5 || length / level <= target) << e;
      EXPECT_TRUE(level == 1 || length / (level - 1) > target) << e;
    }
  }
}

TEST(SurfacePoints, of_the_mesh_lie_in_it_displaced_by_nothing) {
  const RestShape sheet = irregular_sheet(5, 0.3, 5);
  const std::vector<std::int32_t> triangles{0, 3, 7};
  const Array3 places{{1, 0, 0}, {0.5, 0.5, 0}, {0.2, 0.3, 0.5}};
  const SurfacePoints points = points_of_mesh(*sheet.mesh, sheet.positions, triangles, places);
  EXPECT_EQ(points.base.row(0), sheet.positions.row(sheet.mesh->faces()(0, 0)));
  EXPECT_EQ(points.positions, points.base);
  EXPECT_TRUE(points.displacements.isZero(0));
  EXPECT_LT((points.normals.rowwise().norm().array() - 1).abs().maxCoeff(), 1e-12);
  for (const double offset : normal_offsets(points)) EXPECT_EQ(offset, 0);
}

TEST(SurfacePoints, know_how_far_they_are_off_along_the_normal) {
  const RestShape sheet = irregular_sheet(5, 0.3, 6);
  const std::vector<std::int32_t> triangles{1, 2};
  SurfacePoints points =
      points_of_mesh(*sheet.mesh, sheet.positions, triangles, Array3{{0.2, 0.3, 0.5}, {0.4, 0.3, 0.3}});
  points.displacements = -0.25 * points.base_normals;
  for (const double offset : normal_offsets(points)) EXPECT_NEAR(offset, -0.25, 1e-15);
}

}  // namespace
}  // namespace pucker
