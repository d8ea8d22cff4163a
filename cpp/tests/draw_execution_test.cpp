#include "pucker/draw/execution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "pucker/draw/shaders.h"
#include "pucker/errors.h"

namespace pucker::draw {
namespace {

using Made = std::vector<std::string>;

/// What was called, one line a call, and the state that is changed for a step alone.
struct Calls {
  Made made;
  std::map<std::uint32_t, bool> enabled;
  std::uint32_t polygons = 0x1B02;
  bool writes_depth = true;
};
Calls calls;

/// Those of `asked` that were not called.
Made missing(const Made& made, const Made& asked) {
  Made out;
  std::ranges::copy_if(asked, std::back_inserter(out),
                       [&](const std::string& line) { return std::ranges::find(made, line) == made.end(); });
  return out;
}

template <class... Values>
void record(const Values&... values) {
  calls.made.push_back(message(values...));
}

OpenGl recording() {
  OpenGl gl{};
  gl.active_texture = [](std::uint32_t unit) { record("active texture ", unit - 0x84C0); };
  gl.bind_buffer_base = [](std::uint32_t target, std::uint32_t index, std::uint32_t buffer) {
    EXPECT_EQ(target, 0x90D2U);
    record("storage ", index, ": ", buffer);
  };
  gl.bind_buffer_range = [](std::uint32_t target, std::uint32_t index, std::uint32_t buffer, std::ptrdiff_t offset,
                            std::ptrdiff_t size) {
    EXPECT_EQ(target, 0x8A11U);
    EXPECT_EQ(offset % 256, 0);
    EXPECT_EQ(size, std::ptrdiff_t(sizeof(FrameBlock)));
    record("uniforms ", index, ": ", buffer, " from ", offset / size);
  };
  gl.bind_texture = [](std::uint32_t, std::uint32_t texture) { record("texture ", texture); };
  gl.bind_vertex_array = [](std::uint32_t array) { record("array ", array); };
  gl.blend_func_separate = [](std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t) {};
  gl.depth_mask = [](std::uint8_t written) { calls.writes_depth = written != 0; };
  gl.disable = [](std::uint32_t what) { calls.enabled[what] = false; };
  gl.dispatch_compute = [](std::uint32_t x, std::uint32_t y, std::uint32_t z) { record("run ", x, ' ', y, ' ', z); };
  gl.draw_arrays_instanced = [](std::uint32_t primitive, std::int32_t first, std::int32_t count,
                                std::int32_t instances) {
    record("draw ", primitive, ": ", count, " from ", first, ", ", instances, " times, polygons ", calls.polygons,
           calls.enabled[0x0BE2] ? ", blended" : "", calls.writes_depth ? "" : ", depths stay");
  };
  gl.enable = [](std::uint32_t what) { calls.enabled[what] = true; };
  gl.get_uniform_location = [](std::uint32_t program, const char* name) {
    record("find ", name);
    return std::string(name) == "textured" ? 7 : std::int32_t(program);
  };
  gl.memory_barrier = [](std::uint32_t) { record("wait"); };
  gl.patch_parameter = [](std::uint32_t, std::int32_t value) { record("patches of ", value); };
  gl.polygon_mode = [](std::uint32_t, std::uint32_t mode) { calls.polygons = mode; };
  gl.polygon_offset = [](float, float) {};
  gl.uniform_float = [](std::int32_t location, float value) { record("set ", location, " to ", value); };
  gl.uniform_floats3 = [](std::int32_t location, std::int32_t, const float* values) {
    record("set ", location, " to ", values[0], ' ', values[1], ' ', values[2]);
  };
  gl.uniform_int = [](std::int32_t location, std::int32_t value) { record("set ", location, " to int ", value); };
  gl.uniform_unsigned = [](std::int32_t location, std::uint32_t value) {
    record("set ", location, " to uint ", value);
  };
  gl.use_program = [](std::uint32_t program) { record("use ", program); };
  return gl;
}

class ExecutionTest : public testing::Test {
 protected:
  ExecutionTest() { calls = {}; }

  Made run(const std::vector<Step>& steps) {
    const std::vector<const SurfaceObjects*> surfaces{&one_, &other_};
    calls.made.clear();
    execution_.run(steps, surfaces, {.frames = 90, .line_ends = {80, 81}});
    return calls.made;
  }

  SurfaceObjects one_{.buffers = {10, 11}, .textures = {30, 31}};
  SurfaceObjects other_{.buffers = {20, 21}, .textures = {}};
  Made compiled_;
  Execution execution_{recording(), [this](const Step& step) {
                         compiled_.push_back(step.program);
                         if (step.program == "broken") throw Error("does not compile");
                         return CompiledProgram{std::uint32_t(compiled_.size()), 50};
                       }};
};

Step drawn(const std::string& program, std::int32_t surface) {
  return {.pass = Pass::plain, .program = program, .surface = surface, .uniforms = {}, .ranges = {{2, 5}}};
}

TEST_F(ExecutionTest, BindsWhatChangesAndDraws) {
  Step first = drawn("plain", 0);
  first.frame = 1;
  Step again = first;
  again.ranges = {{0, 1}};
  again.instances = 4;
  Step other = drawn("plain", 1);
  other.frame = 2;
  EXPECT_EQ(run({first, again, other}),
            (Made{"storage 0: 10", "storage 1: 11", "uniforms 0: 90 from 1", "use 1", "array 50",
                  "draw 4: 15 from 6, 1 times, polygons 6914", "use 1", "array 50",
                  "draw 4: 3 from 0, 4 times, polygons 6914", "storage 0: 20", "storage 1: 21", "uniforms 0: 90 from 2",
                  "use 1", "array 50", "draw 4: 15 from 6, 1 times, polygons 6914"}));
}

TEST_F(ExecutionTest, BindsAnewInEachRunForOthersBindBetweenThem) {
  const Made first = run({drawn("plain", 0)});
  EXPECT_EQ(run({drawn("plain", 0)}), first);
}

TEST_F(ExecutionTest, RunsComputeProgramsAndWaitsForWhatTheyWrite) {
  const Step step{.pass = Pass::compute,
                  .program = "sum",
                  .primitive = Primitive::compute,
                  .surface = 1,
                  .uniforms = {{"count", std::uint32_t(9)}, {"share", 0.5F}, {"by", std::array{1.0F, 2.0F, 3.0F}}},
                  .ranges = {{0, 3}}};
  EXPECT_EQ(run({step}), (Made{"storage 0: 20", "storage 1: 21", "use 1", "find count", "set 1 to uint 9", "find share",
                               "set 1 to 0.5", "find by", "set 1 to 1 2 3", "run 3 1 1", "wait"}));
  // Where uniforms are is asked once.
  EXPECT_EQ(missing(run({step}), {"find count", "find share", "find by"}).size(), 3U);
}

TEST_F(ExecutionTest, CompilesAProgramOnceForItsConstants) {
  Step one = drawn("plain", 0);
  one.constants = {{"effects", 1}, {"mode", 2}};
  Step two = one;
  two.constants = {{"effects", 1}, {"mode", 3}};
  run({one, two, one, drawn("plain", 0), two});
  EXPECT_EQ(compiled_.size(), 3U);
  EXPECT_EQ(missing(run({two}), {"use 2"}), Made{});
}

TEST_F(ExecutionTest, GivesEachRangeItsTexture) {
  Step step = drawn("plain", 0);
  step.textures = true;
  step.ranges = {{.first = 0, .count = 1, .texture = 1}, {.first = 1, .count = 1, .texture = kNone}};
  EXPECT_EQ(missing(run({step}), {"active texture 0", "texture 31", "set 7 to int 1", "set 7 to int 0"}), Made{});
}

TEST_F(ExecutionTest, DrawsEdgesAndBlendsAndLeavesTheStateAsItWas) {
  Step edges = drawn("lines", 0);
  edges.edges = true;
  Step blended = drawn("glass", 0);
  blended.blended = true;
  Step patches = drawn("patch", 0);
  patches.primitive = Primitive::patches;
  Step line = drawn("line", kNone);
  line.lines = 1;
  const Made asked{"draw 4: 15 from 6, 1 times, polygons 6913, blended",
                   "draw 4: 15 from 6, 1 times, polygons 6914, blended, depths stay",
                   "patches of 3",
                   "draw 14: 15 from 6, 1 times, polygons 6914",
                   message("storage ", kLinesBinding, ": 81"),
                   "draw 4: 15 from 6, 1 times, polygons 6914"};
  EXPECT_EQ(missing(run({edges, blended, patches, line}), asked), Made{});
  EXPECT_EQ(calls.polygons, 0x1B02U);
  EXPECT_TRUE(calls.writes_depth);
  for (const auto& [what, enabled] : calls.enabled) EXPECT_FALSE(enabled) << what;
}

TEST_F(ExecutionTest, PassesOnWhatCompilingThrowsAndGoesOn) {
  EXPECT_THROW(run({drawn("broken", 0)}), Error);
  EXPECT_TRUE(calls.made.empty());
  EXPECT_EQ(missing(run({drawn("plain", 0)}), {"use 2"}), Made{});
}

TEST(OpenGlTest, IsLoadedByNameAndTellsWhatIsMissing) {
  Made asked;
  int anything = 0;
  const OpenGl gl = OpenGl::loaded([&](const char* name) -> void* {
    asked.emplace_back(name);
    return &anything;
  });
  EXPECT_NE(gl.use_program, nullptr);
  EXPECT_EQ(asked.size(), sizeof(OpenGl) / sizeof(void*));
  try {
    OpenGl::loaded([&](const char* name) -> void* { return std::string(name) == "glEnable" ? nullptr : &anything; });
    FAIL() << "not told";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "OpenGL offers no glEnable");
  }
}

TEST(BatchesTest, HoldAllStepsByPassAndTarget) {
  Picture picture{};
  for (const auto& [pass, into] : {std::pair(Pass::shadow, Into::shadow),
                                   {Pass::shadow, Into::shadow},
                                   {Pass::depth, Into::depth},
                                   {Pass::plain, Into::picture}})
    picture.steps.push_back({.pass = pass, .into = into, .program = "any", .uniforms = {}, .ranges = {}});
  const std::vector<Batch> found = batches(picture);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].count, 2U);
  EXPECT_EQ(found[1].first, 2U);
  EXPECT_EQ(found[2].pass, Pass::plain);
}

}  // namespace
}  // namespace pucker::draw
