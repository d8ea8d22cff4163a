#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "failing_allocations.h"
#include "pucker/io/load.h"
#include "pucker/pucker.h"

namespace pucker {
namespace {

struct Free {
  void operator()(pucker_params* params) const { pucker_params_free(params); }
  void operator()(pucker_run* run) const { pucker_run_free(run); }
};

const io::Clip& walking() {
  static const io::Clip clip = io::load(PUCKER_DATA_DIR "/kimono_male.gltf", {.clip = "Walk", .parts = {"Clothes"}});
  return clip;
}

/// A run over the kimono as C sees it, with room for all that a frame gives.
class Followed {
 public:
  explicit Followed(const std::string& method) {
    pucker_params* params = nullptr;
    check(pucker_params_new(method.c_str(), &params, &error_));
    const std::unique_ptr<pucker_params, Free> owned(params);
    if (method == "byexample") check(pucker_params_set(params, "trained", PUCKER_DATA_DIR "/kimono.pose.npz", &error_));
    const Array3 first = walking().positions(0);
    const Index3& faces = walking().mesh()->faces();
    const pucker_garment garment{.vertices = first.rows(),
                                 .triangles = faces.rows(),
                                 .faces = faces.data(),
                                 .first = first.data(),
                                 .rest = walking().rest().value().data(),
                                 .standing = nullptr,
                                 .height = first.col(1).maxCoeff() - first.col(1).minCoeff()};
    pucker_run* run = nullptr;
    check(pucker_run_new(params, &garment, 4, &run, &error_));
    run_.reset(run);
  }

  /// One frame, and all that may be asked of it each frame.
  void advance(std::int64_t frame) {
    const auto positions = walking().positions(frame);
    check(pucker_run_advance(run_.get(), positions.data(), double(++frames_) / 30, &error_));
    std::int64_t vertices = 0;
    check(pucker_run_size(run_.get(), &vertices, nullptr, &error_));
    positions_.resize(std::max(positions_.size(), 3 * std::size_t(vertices)));
    normals_.resize(positions_.size());
    check(pucker_run_surface(run_.get(), positions_.data(), normals_.data(), positions_.size(), &error_));
    check(pucker_run_path_count(run_.get(), &paths_, &error_));
    for (std::int64_t path = 0; path < paths_; ++path) {
      pucker_path told;
      check(pucker_run_path(run_.get(), path, &told, points_.data(), points_.size(), &error_));
      check(pucker_run_curve(run_.get(), path, nullptr, points_.data(), points_.size(), &error_));
    }
  }

  std::int64_t paths() const { return paths_; }

 private:
  void check(pucker_status status) const { ASSERT_EQ(status, PUCKER_OK) << error_.text; }

  std::unique_ptr<pucker_run, Free> run_;
  std::vector<double> positions_, normals_, points_ = std::vector<double>(40'000);
  pucker_error error_;
  std::int64_t frames_ = 0;
  std::int64_t paths_ = 0;
};

class Interface : public ::testing::TestWithParam<const char*> {};

TEST_P(Interface, takes_no_memory_once_the_cloth_has_come_to_rest) {
  Followed run(GetParam());
  const std::int64_t last = walking().frame_count() / 3;
  for (std::int64_t frame = 0; frame < last; ++frame) run.advance(frame);
  for (int still = 0; still < 60; ++still) run.advance(last);
  EXPECT_EQ(run.paths() > 0, GetParam() == std::string("dynamic"));
  const std::int64_t before = testing::allocation_count();
  for (int still = 0; still < 5; ++still) run.advance(last);
  EXPECT_EQ(testing::allocation_count() - before, 0);
}

INSTANTIATE_TEST_SUITE_P(c, Interface, ::testing::Values("dynamic", "waves", "byexample", "drape"));

}  // namespace
}  // namespace pucker
