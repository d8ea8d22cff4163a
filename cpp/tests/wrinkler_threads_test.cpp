#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "failing_allocations.h"
#include "pucker/dynamic/wrinkler.h"
#include "pucker/threads.h"
#include "shapes.h"

namespace pucker {
namespace {

// Enough triangles and paths for several threads to have blocks of their own.
constexpr std::int32_t kAcross = 160;
constexpr std::int32_t kAlong = 80;
constexpr int kPeriod = 10;

/// With so many threads, and again with 1 when it ends.
struct With {
  explicit With(std::size_t count) { set_threads(count); }
  With(const With&) = delete;
  With& operator=(const With&) = delete;
  ~With() { set_threads(1); }
};

/// A sheet that is squeezed along both axes by a little and opens again, bent by a wave across it; three of its
/// triangles collapse on the way.
Array3 squeezed(int frame) {
  using std::numbers::pi;
  const double squeeze = 0.5 - 0.5 * std::cos(2 * pi * frame / kPeriod);
  Array3 out((kAcross + 1) * (kAlong + 1), 3);
  for (std::int32_t y = 0; y <= kAlong; ++y)
    for (std::int32_t x = 0; x <= kAcross; ++x) {
      const double u = x / 80.0;
      const double v = y / 80.0;
      out.row(y * (kAcross + 1) + x) << u - 0.02 * squeeze * std::sin(9 * pi * u) * (1 + 0.3 * std::sin(5 * v)),
          v - 0.004 * squeeze * std::sin(7 * pi * v), 0.03 * squeeze * std::sin(5 * u + 2 * v);
    }
  if (frame % kPeriod > 3) out.row(1) = out.row(0);
  return out;
}

Params narrow() {
  Params params;
  params.min_width = 0.006;
  return params;
}

std::shared_ptr<const Mesh> sheet() {
  return std::make_shared<const Mesh>(shapes::grid(kAcross, kAlong), Eigen::Index((kAcross + 1) * (kAlong + 1)));
}

/// All that a run gave, frame by frame.
struct Shown {
  std::vector<std::string> saved;
  std::vector<std::vector<std::uint32_t>> triangles, overlaps;
  std::vector<float> points;
  std::vector<double> compression;
  std::size_t most_wrinkles = 0;
};

Shown run_on(std::size_t count, const Params& params) {
  const With with(count);
  Wrinkler run(sheet(), params);
  Shown out;
  for (int frame = 0; frame < kPeriod + 3; ++frame) {
    const WrinklerState& state = run.advance(squeezed(frame), frame / 30.0);
    out.saved.push_back(run.save());
    out.triangles.push_back(state.packed.triangles);
    out.overlaps.push_back(state.packed.overlaps);
    for (const PackedPoint& point : state.packed.points) {
      const auto* first = reinterpret_cast<const float*>(&point);
      out.points.insert(out.points.end(), first, first + sizeof(PackedPoint) / sizeof(float));
    }
    out.compression.insert(out.compression.end(), state.compression.begin(), state.compression.end());
    out.most_wrinkles = std::max(out.most_wrinkles, state.wrinkles.size());
  }
  return out;
}

void expect_same_bits(const Params& params) {
  const Shown alone = run_on(1, params);
  EXPECT_GT(alone.most_wrinkles, 300u);
  for (const std::size_t count : {2U, 3U, 7U}) {
    const Shown shared = run_on(count, params);
    EXPECT_TRUE(shared.saved == alone.saved) << count << " threads";  // not printed: they are long
    EXPECT_TRUE(shared.triangles == alone.triangles) << count << " threads";
    EXPECT_TRUE(shared.overlaps == alone.overlaps) << count << " threads";
    EXPECT_TRUE(shared.points == alone.points) << count << " threads";
    EXPECT_TRUE(shared.compression == alone.compression) << count << " threads";
  }
}

TEST(WrinklerThreads, give_the_same_bits_however_many_there_are) { expect_same_bits(narrow()); }

TEST(WrinklerThreads, give_the_same_bits_of_stretch_smoothed_twice_and_paths_carried_in_space) {
  Params params = narrow();
  params.guide.rounds = 2;
  params.guide.narrowing = 0.3;
  params.persistence.method = PersistenceMethod::projection;
  expect_same_bits(params);
}

TEST(WrinklerThreads, may_change_in_number_from_frame_to_frame) {
  Wrinkler alone(sheet(), narrow());
  Wrinkler shared(sheet(), narrow());
  for (int frame = 0; frame < kPeriod; ++frame) {
    alone.advance(squeezed(frame), frame / 30.0);
    const With with(std::size_t(1 + frame % 4));
    shared.advance(squeezed(frame), frame / 30.0);
    ASSERT_TRUE(shared.save() == alone.save()) << "frame " << frame;
  }
}

TEST(WrinklerThreads, allocate_nothing_once_the_cloth_has_come_to_rest) {
  const With with(3);
  Wrinkler run(sheet(), narrow());
  int frame = 0;
  for (; frame < 40; ++frame) run.advance(squeezed(std::min(frame, 3)), frame / 30.0);
  const Array3 positions = squeezed(3);
  EXPECT_GT(run.state().wrinkles.size(), 300u);
  const std::int64_t before = testing::allocation_count();
  for (; frame < 45; ++frame) run.advance(positions, frame / 30.0);
  EXPECT_EQ(testing::allocation_count() - before, 0);
}

TEST(WrinklerThreads, refuse_what_one_alone_refuses) {
  const auto what = [](std::size_t count) {
    const With with(count);
    std::vector<double> stretches(100'000, 1.0);
    for (const std::size_t at : {90'000U, 50'001U, 70'000U}) stretches[at] = 0;
    Array3 costs;
    try {
      label_costs(stretches, stretches, narrow(), costs, {});
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  EXPECT_EQ(what(1), "stretches must be finite and positive, but minimum[50001] is 0");
  EXPECT_EQ(what(3), what(1));
}

}  // namespace
}  // namespace pucker
