#include "pucker/drape/computed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "pucker/drape/computed_sheet.h"
#include "pucker/draw/content.h"
#include "pucker/errors.h"
#include "shapes.h"

namespace pucker::drape {
namespace {

constexpr std::int32_t kSide = 4;
constexpr int kLevels = 2;
constexpr int kIterations = 6;

std::shared_ptr<const Mesh> small_sheet() {
  return std::make_shared<const Mesh>(shapes::grid(kSide, kSide), (kSide + 1) * (kSide + 1));
}

/// Squeezed along x, and bent.
Array3 bent_sheet(double share, double size = 1) {
  Array3 out((kSide + 1) * (kSide + 1), 3);
  for (std::int32_t y = 0; y <= kSide; ++y)
    for (std::int32_t x = 0; x <= kSide; ++x)
      out.row(y * (kSide + 1) + x) << size * share * x, size * y, size * 0.05 * std::sin(0.9 * x + 0.3 * y);
  return out;
}

Params on_gpu() {
  Params out;
  out.compute = Compute::gpu;
  out.levels = kLevels;
  out.iterations = kIterations;
  out.settling = 2;
  return out;
}

/// A sheet that is squeezed more and more.
class ComputedCloth : public testing::Test {
 protected:
  static std::shared_ptr<const ComputedState> advance(ComputedDrape& run, int frame, double size = 1) {
    run.advance(bent_sheet(1 - 0.02 * frame, size), frame / 30.0);
    return run.share_state();
  }
  /// For who has run the programs of `done`.
  static draw::Content content(const ComputedState& state, const ComputedState* done,
                               const Vector3& origin = Vector3::Zero()) {
    const auto left = done == nullptr ? nullptr : done->detail().draw_content(Vector3::Zero(), nullptr).continued;
    return state.detail().draw_content(origin, left.get());
  }
  static std::int64_t count_of(const draw::Content& content, std::string_view name) {
    return std::ranges::count(content.programs, name, &draw::Program::name);
  }
  static bool kept(const draw::Content& content) {
    return std::all_of(content.buffers.begin() + 1, content.buffers.end(),
                       [](const draw::Buffer& buffer) { return buffer.kept; });
  }

  ComputedDrape run_{small_sheet(), bent_sheet(1), on_gpu()};
};

TEST_F(ComputedCloth, runs_the_programs_of_frames_that_are_yet_to_come) {
  const auto first = advance(run_, 0);
  const auto second = advance(run_, 1);
  const auto third = advance(run_, 2);
  EXPECT_EQ(count_of(content(*third, nullptr), "guide"), 3);
  EXPECT_FALSE(kept(content(*third, nullptr)));
  EXPECT_EQ(count_of(content(*third, first.get()), "guide"), 2);
  EXPECT_TRUE(kept(content(*third, first.get())));
  // What is there already is drawn once more, as it may be drawn from another origin.
  EXPECT_EQ(count_of(content(*third, third.get()), "guide"), 0);
  EXPECT_EQ(content(*third, third.get()).programs.size(), 2U);
  EXPECT_TRUE(content(*third, third.get()).places_vertices);
  // Back to an earlier one, and over to another run: from the first frame on.
  EXPECT_EQ(count_of(content(*second, third.get()), "guide"), 2);
  EXPECT_FALSE(kept(content(*second, third.get())));
  ComputedDrape other(small_sheet(), bent_sheet(1), on_gpu());
  EXPECT_FALSE(kept(content(*third, advance(other, 0).get())));
}

TEST_F(ComputedCloth, is_sent_coarse_positions_alone_once_it_has_begun) {
  const auto first = advance(run_, 0);
  const auto second = advance(run_, 1);
  std::size_t bytes = 0;
  for (const draw::Buffer& buffer : content(*second, first.get()).buffers) bytes += buffer.bytes.size();
  EXPECT_EQ(bytes, 12U * (kSide + 1) * (kSide + 1));
}

TEST_F(ComputedCloth, evaluates_a_quarter_more_often_than_it_iterates) {
  const auto first = advance(run_, 0);
  const auto second = advance(run_, 1);
  EXPECT_EQ(ComputedSheet::evaluations(100), 133);
  EXPECT_EQ(count_of(content(*first, nullptr), "judge"), ComputedSheet::evaluations(2 * kIterations));
  const draw::Content next = content(*second, first.get());
  EXPECT_EQ(count_of(next, "judge"), ComputedSheet::evaluations(kIterations));
  EXPECT_EQ(count_of(next, "down"), kLevels * count_of(next, "step"));
  // The coarsest level has nothing below it.
  EXPECT_EQ(count_of(next, "up"), (kLevels - 1) * count_of(next, "step"));
}

TEST_F(ComputedCloth, unit_and_place_do_not_count) {
  const draw::Content plain = content(*advance(run_, 0), nullptr);
  for (const double size : {0x1p-60, 0x1p60}) {
    ComputedDrape scaled(small_sheet(), bent_sheet(1, size), on_gpu());
    const draw::Content found = content(*advance(scaled, 0, size), nullptr);
    ASSERT_EQ(found.buffers.size(), plain.buffers.size());
    for (std::size_t k = 0; k < plain.buffers.size(); ++k) EXPECT_EQ(found.buffers[k].bytes, plain.buffers[k].bytes);
  }
}

TEST_F(ComputedCloth, gives_the_numbers_of_a_drape_in_any_order) {
  Drape drape(small_sheet(), bent_sheet(1), on_gpu());
  std::vector<std::shared_ptr<const ComputedState>> states;
  std::vector<std::shared_ptr<const DrapeState>> wanted;
  for (int frame = 0; frame < 5; ++frame) {
    states.push_back(advance(run_, frame));
    drape.advance(states.back()->positions, states.back()->time);
    wanted.push_back(drape.share_state());
  }
  for (const std::size_t k : {3U, 1U, 4U, 4U, 0U}) {
    EXPECT_EQ(states[k]->reference().draped, wanted[k]->draped);
    EXPECT_EQ(states[k]->detail().fine_normals(), wanted[k]->normals);
    EXPECT_EQ(states[k]->detail().feature_size(), wanted[k]->detail().feature_size());
  }
}

TEST_F(ComputedCloth, is_saved_with_all_its_frames) {
  for (int frame = 0; frame < 3; ++frame) advance(run_, frame);
  ComputedDrape again = ComputedDrape::restore(run_.save());
  EXPECT_EQ(again.state().frame, 2);
  EXPECT_EQ(again.save(), run_.save());
  EXPECT_EQ(advance(again, 3)->reference().draped, advance(run_, 3)->reference().draped);
  EXPECT_THROW((void)ComputedDrape::restore("pucker drape"), Error);
  EXPECT_EQ(run_.restored(run_.save())->state().frame, 3);
}

/// A ball under the middle of the sheet, or so much higher.
Array3 ball_positions(double up) {
  const shapes::Surface ball = shapes::sphere(2);
  return (1.2 * ball.positions.array()).matrix().rowwise() + Eigen::RowVector3d(1.9, 2.1, up - 1.4);
}

std::shared_ptr<const Body> ball_below(std::initializer_list<double> heights) {
  std::vector<double> positions;
  for (const double up : heights) {
    const Array3 at = ball_positions(up);
    positions.insert(positions.end(), at.data(), at.data() + at.size());
  }
  return std::make_shared<const Body>(shapes::sphere(2).faces, std::move(positions), ball_positions(0));
}

class ComputedClothOnABody : public ComputedCloth {
 protected:
  static ComputedDrape on(std::initializer_list<double> heights) {
    return {small_sheet(), bent_sheet(1), on_gpu(), {}, "", ball_below(heights)};
  }
  static std::shared_ptr<const ComputedState> advance_worn(ComputedDrape& run, int frame, double up) {
    run.advance_worn(bent_sheet(1 - 0.02 * frame), ball_positions(up), frame / 30.0);
    return run.share_state();
  }
  static void expect_same(const draw::Content& one, const draw::Content& other) {
    ASSERT_EQ(one.buffers.size(), other.buffers.size());
    for (std::size_t k = 0; k < one.buffers.size(); ++k) EXPECT_EQ(one.buffers[k].bytes, other.buffers[k].bytes);
  }
};

TEST_F(ComputedClothOnABody, searches_it_where_there_is_one) {
  ComputedDrape on_body = on({0, 0.3});
  advance(on_body, 0);
  const draw::Content with = content(*advance(on_body, 1), nullptr);
  advance(run_, 0);
  const draw::Content without = content(*advance(run_, 1), nullptr);
  for (const char* name : {"look", "regions", "touch"}) {
    EXPECT_EQ(count_of(with, name), 2);
    EXPECT_EQ(count_of(without, name), 0);
  }
  EXPECT_EQ(count_of(with, "lift"), 2);
  EXPECT_EQ(count_of(without, "lift"), 2);
  EXPECT_LE(with.buffers.size(), 5U);
}

TEST_F(ComputedClothOnABody, takes_positions_of_the_body_from_anywhere) {
  ComputedDrape from_clip = on({0, 0.3, 0.4});
  ComputedDrape live = on({0});
  advance(from_clip, 0);
  advance(live, 0);
  const auto second = advance(from_clip, 1);
  const auto second_live = advance_worn(live, 1, 0.3);
  expect_same(content(*second_live, nullptr), content(*second, nullptr));
  EXPECT_EQ(second_live->reference().draped, second->reference().draped);
  EXPECT_THROW(live.advance(bent_sheet(0.9), 1), InvalidArgument);
  EXPECT_THROW(live.advance_worn(bent_sheet(0.9), bent_sheet(1), 1), InvalidArgument);
  // They are saved, too.
  ComputedDrape again = ComputedDrape::restore(live.save(), live.body());
  expect_same(content(*advance_worn(again, 2, 0.4), nullptr), content(*advance(from_clip, 2), nullptr));
  EXPECT_THROW((void)ComputedDrape::restore(live.save()), Error);
  EXPECT_EQ(live.restored(live.save())->state().frame, 1);
  // Without contact they are left alone.
  EXPECT_NO_THROW(run_.advance_worn(bent_sheet(1), ball_positions(0), 0));
}

TEST_F(ComputedClothOnABody, unit_and_place_do_not_count) {
  ComputedDrape plain = on({0});
  ComputedDrape far(small_sheet(), bent_sheet(1, 0x1p20), on_gpu(), {}, "",
                    std::make_shared<const Body>(
                        shapes::sphere(2).faces,
                        [] {
                          const Array3 at = 0x1p20 * ball_positions(0);
                          return std::vector<double>(at.data(), at.data() + at.size());
                        }(),
                        0x1p20 * ball_positions(0)));
  expect_same(content(*advance(far, 0, 0x1p20), nullptr), content(*advance(plain, 0), nullptr));
}

TEST_F(ComputedCloth, lets_go_of_ten_thousand_frames_one_after_the_other) {
  for (int frame = 0; frame < 10'000; ++frame) run_.advance(bent_sheet(0.9), frame / 30.0);
  EXPECT_EQ(run_.state().frame, 9'999);
}

}  // namespace
}  // namespace pucker::drape
