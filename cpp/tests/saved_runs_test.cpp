/// Saved runs of the methods beside the dynamic one, whose own are in serial_test.cpp, with bytes that no run has made.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <string>

#include "pucker/byexample/by_example.h"
#include "pucker/drape/drape.h"
#include "pucker/serial.h"
#include "pucker/waves/wave_field.h"
#include "waves_shapes.h"

namespace pucker {
namespace {

using ::testing::HasSubstr;

waves::Sheet sheet() {
  std::mt19937_64 random(1);
  return waves::irregular_sheet(random, 3);
}

Array3 squeezed(const Array3& rest, int frame) { return rest * waves::squeeze(1 - 0.1 * frame, 0.4).transpose(); }

std::string saved_field() {
  const waves::Sheet cloth = sheet();
  waves::Params params;
  params.unit = waves::WavelengthUnit::clip;
  params.wavelength = 0.3;
  waves::WaveField run(cloth.mesh, cloth.rest, params);
  for (int frame = 0; frame < 3; ++frame) run.advance(squeezed(cloth.rest, frame), frame);
  return run.save();
}

std::string saved_example() {
  const waves::Sheet cloth = sheet();
  const std::vector<Array3> poses{cloth.rest, squeezed(cloth.rest, 3)};
  const std::int64_t fine = LoopSubdivision(cloth.mesh, 1).fine()->vertex_count();
  const std::vector<Array3> details(2, Array3::Constant(fine, 3, 0.01));
  byexample::ByExample run(byexample::Synthesis(cloth.mesh, 1, cloth.rest, poses, details), {});
  for (int frame = 0; frame < 3; ++frame) run.advance(squeezed(cloth.rest, frame), frame);
  return run.save();
}

std::string saved_drape() {
  const waves::Sheet cloth = sheet();
  drape::Params params;
  params.levels = 1;
  params.iterations = 5;
  drape::Drape run(cloth.mesh, cloth.rest, params, {0, 1});
  for (int frame = 0; frame < 3; ++frame) run.advance(squeezed(cloth.rest, frame), frame);
  return run.save();
}

/// The bytes with some replaced and the checksum made to fit again.
std::string forged(std::string bytes, std::size_t at, std::string_view with) {
  bytes.resize(bytes.size() - sizeof(std::uint64_t));
  bytes.replace(at, with.size(), with);
  ByteWriter out;
  out.text(bytes);
  return out.take_sealed();
}

template <class T>
std::string_view bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof(T)};
}

using Restore = std::function<std::unique_ptr<Method>(std::string_view)>;

std::unique_ptr<Method> restored_field(std::string_view bytes) {
  return std::make_unique<waves::WaveField>(waves::WaveField::restore(bytes));
}

std::unique_ptr<Method> restored_example(std::string_view bytes) {
  return std::make_unique<byexample::ByExample>(byexample::ByExample::restore(bytes));
}

std::unique_ptr<Method> restored_drape(std::string_view bytes) {
  return std::make_unique<drape::Drape>(drape::Drape::restore(bytes));
}

/// Every eighth byte is changed, and every number replaced by those that no run holds.
void expect_refused_or_able_to_go_on(const std::string& bytes, const Restore& restore) {
  const Array3 rest = sheet().rest;
  std::mt19937_64 random(2);
  const auto try_out = [&](const std::string& changed, std::size_t at) {
    try {
      const std::unique_ptr<Method> run = restore(changed);
      const State& state = run->state();
      ASSERT_TRUE(std::isfinite(state.time)) << "byte " << at;
      ASSERT_EQ(state.positions.rows(), run->mesh()->vertex_count()) << "byte " << at;
      const std::vector<std::int32_t> triangles{0};
      if (run->mesh()->triangle_count() > 0) state.detail().evaluate(triangles, Array3::Constant(1, 3, 1.0 / 3));
      const double time = state.time;
      if (run->mesh()->vertex_count() == rest.rows() && time + 1 > time) run->advance(squeezed(rest, 4), time + 1);
      const std::string again = run->save();
      ASSERT_EQ(restore(again)->save(), again) << "byte " << at;
    } catch (const Error&) {
    }
  };
  const std::size_t end = bytes.size() - sizeof(std::uint64_t);
  for (std::size_t at = 15; at < end; ++at) {
    const char changed = char(bytes[at] ^ int(1 + random() % 255));
    try_out(forged(bytes, at, {&changed, 1}), at);
  }
  for (std::size_t at = 15; at + sizeof(double) <= end; at += 1 + random() % 3)
    for (const double value :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), -1.0, 1e300, 0.0})
      try_out(forged(bytes, at, bytes_of(value)), at);
}

TEST(SavedRuns, a_forged_wave_field_is_refused_or_can_go_on) {
  expect_refused_or_able_to_go_on(saved_field(), restored_field);
}

TEST(SavedRuns, a_forged_run_by_example_is_refused_or_can_go_on) {
  expect_refused_or_able_to_go_on(saved_example(), restored_example);
}

TEST(SavedRuns, a_forged_run_of_draped_cloth_is_refused_or_can_go_on) {
  expect_refused_or_able_to_go_on(saved_drape(), restored_drape);
}

TEST(SavedRuns, take_no_memory_for_what_the_bytes_cannot_tell_of) {
  const auto faces = std::size_t(sheet().mesh->triangle_count()) * 12;
  const std::int64_t many = std::int64_t(1) << 30;
  const auto message_of = [](const Restore& restore, const std::string& bytes) -> std::string {
    try {
      restore(bytes);
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  };
  const std::string field = saved_field();
  EXPECT_THAT(message_of(restored_field, forged(field, field.find('\n') + 1 + 8 + faces, bytes_of(many))),
              HasSubstr("do not hold a mesh of 1073741824 vertices"));
  const std::string example = saved_example();
  const std::size_t counted = example.find('\n') + 1 + 8 + faces;
  EXPECT_THAT(message_of(restored_example, forged(example, counted, bytes_of(many))),
              HasSubstr("do not hold a mesh of 1073741824 vertices"));
  // Where the levels stand: before the rest pose, which begins with its 16 rows.
  const std::int32_t one = 1;
  const std::int64_t rows = 16;
  const std::int32_t levels = 12;
  const std::size_t at = example.find(std::string(bytes_of(one)) + std::string(bytes_of(rows)), counted + 8);
  EXPECT_THAT(message_of(restored_example, forged(example, at, bytes_of(levels))),
              HasSubstr("triangles subdivided 12 times"));
}

}  // namespace
}  // namespace pucker
