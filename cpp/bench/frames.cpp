#include <malloc.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "pucker/threads.h"
#include "runs.h"
#include "scenes.h"
#include "subjects.h"

namespace pucker::bench {

namespace {

using nlohmann::json;

/// Bytes the heap holds, mapped blocks included.
std::int64_t held_bytes() {
  const auto info = mallinfo2();
  return std::int64_t(info.uordblks + info.hblkhd);
}

json run(const Scene& scene) {
  const std::int64_t bytes_before = held_bytes();
  Wrinkler wrinkler(scene.mesh, scene.params, scene.cloth);
  json out;
  out["name"] = scene.name;
  out["triangles"] = scene.mesh->triangle_count();
  out["vertices"] = scene.mesh->vertex_count();
  out["threshold"] = scene.params.threshold;
  out["min_width"] = scene.params.least_width() / scene.size;
  std::vector<std::vector<double>> seconds(wrinkler.stages().size());
  std::vector<std::int64_t> alive;
  std::vector<std::int64_t> points;
  std::vector<std::int64_t> reached;
  std::vector<std::int64_t> counts;
  std::vector<std::int64_t> born;
  std::int64_t youngest = -1;
  for (std::size_t frame = 0; frame < scene.frames.size(); ++frame) {
    const std::int64_t before = allocation_count();
    const WrinklerState& state = wrinkler.advance(scene.frames[frame], scene.time(frame));
    counts.push_back(allocation_count() - before);
    for (std::size_t s = 0; s < seconds.size(); ++s) seconds[s].push_back(state.seconds[s]);
    std::int64_t newest = youngest;
    for (const Wrinkle& wrinkle : state.wrinkles) newest = std::max(newest, wrinkle.id);
    alive.push_back(
        std::count_if(state.wrinkles.begin(), state.wrinkles.end(), [](const Wrinkle& w) { return w.alive; }));
    born.push_back(newest - youngest);
    youngest = newest;
    points.push_back(std::int64_t(state.packed.points.size()));
    reached.push_back(std::int64_t(state.packed.overlaps.size() / 2));
  }
  out["bytes_held"] = held_bytes() - bytes_before;
  for (std::size_t s = 0; s < seconds.size(); ++s) out["seconds"][std::string(wrinkler.stages()[s])] = seconds[s];
  out["wrinkles"] = alive;
  out["path_points"] = points;
  out["reached"] = reached;
  out["new_wrinkles"] = born;
  out["allocations"] = counts;
  return out;
}

/// All scenes, one after the other, and so again: each stage of each frame as fast as in the quickest of the rounds, so
/// that what else the machine does in one of them does not count.
json run_all(const std::vector<Scene>& scenes, int rounds) {
  json out = json::array();
  for (const Scene& scene : scenes) out.push_back(run(scene));
  for (int round = 1; round < rounds; ++round)
    for (std::size_t i = 0; i < scenes.size(); ++i) {
      const json again = run(scenes[i]);
      for (auto& [stage, seconds] : out[i]["seconds"].items())
        for (std::size_t frame = 0; frame < seconds.size(); ++frame)
          seconds[frame] = std::min(seconds[frame].get<double>(), again["seconds"][stage][frame].get<double>());
    }
  return out;
}

/// Seconds of reading as many arrays of a number a triangle as `kStreams` and writing as many, none of them together:
/// the quickest of several times.
constexpr std::size_t kStreams = 16;

double streamed(std::size_t triangles) {
  constexpr std::size_t lanes = 8;
  std::vector<std::vector<double>> from(kStreams, std::vector<double>(triangles, 1.0));
  std::vector<std::vector<double>> to(kStreams, std::vector<double>(triangles, 0.0));
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t round = 0; round < 3 + 20'000'000 / triangles; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i + lanes <= triangles; i += lanes)
      for (std::size_t s = 0; s < kStreams; ++s)
        for (std::size_t k = i; k < i + lanes; ++k) to[s][k] = 1.5 * from[s][k];
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return best;
}

/// Seconds of reading a number from `count` lines of the cache here and there in as much memory as a run of so many
/// triangles holds, each read without waiting for the one before: the quickest of several times.
double fetched(std::size_t triangles, std::size_t count) {
  struct alignas(64) Line {
    std::uint64_t number = 1;
  };
  constexpr std::size_t lines_a_triangle = 11;
  const std::vector<Line> lines(lines_a_triangle * triangles);
  double best = std::numeric_limits<double>::infinity();
  std::uint64_t sum = 0;
  for (int round = 0; round < 5; ++round) {
    std::minstd_rand random(std::uint_fast32_t(round + 1));
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < count; ++i) sum += lines[random() % lines.size()].number;
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  if (sum != 5 * count) throw std::logic_error("not every line was read");  // and none of it is left out
  return best;
}

/// Whether two surfaces have the same bits at the middles of all triangles of their mesh.
bool same_bits(const State& one, const State& other) {
  const std::int64_t count = one.detail().mesh().triangle_count();
  std::vector<std::int32_t> triangles(static_cast<std::size_t>(count));
  std::iota(triangles.begin(), triangles.end(), 0);
  const Array3 middles = Array3::Constant(count, 3, 1.0 / 3);
  return one.detail().evaluate(triangles, middles).positions == other.detail().evaluate(triangles, middles).positions;
}

/// Seconds of each stage and of whole frames on one and two threads, which take turns frame by frame, and whether both
/// have the same bits in the end.
template <class Start>
json run_shared(const Scene& scene, const Start& start) {
  using Run = std::invoke_result_t<Start>;
  struct Turn {
    std::size_t threads;
    Run run;
    std::vector<std::vector<double>> seconds;
    std::vector<double> whole;
  };
  std::vector<Turn> turns;
  for (const std::size_t count : {1U, 2U}) turns.push_back({count, start(), {}, {}});
  for (std::size_t frame = 0; frame < scene.frames.size(); ++frame)
    for (Turn& turn : turns) {
      set_threads(turn.threads);
      const auto begin = std::chrono::steady_clock::now();
      const auto& state = turn.run.advance(scene.frames[frame], scene.time(frame));
      turn.whole.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
      turn.seconds.emplace_back(state.seconds.begin(), state.seconds.end());
    }
  set_threads(1);
  json out = {
      {"triangles", triangles_of(turns[0].run)},
      {"same", same_bits(turns[0].run.state(), turns[1].run.state()) && turns[0].run.save() == turns[1].run.save()}};
  for (const Turn& turn : turns) {
    json stages;
    for (std::size_t s = 0; s < turn.run.stages().size(); ++s) {
      json& each = stages[std::string(turn.run.stages()[s])];
      for (const auto& frame : turn.seconds) each.push_back(frame[s]);
    }
    out["threads"][std::to_string(turn.threads)] = {{"whole", turn.whole}, {"seconds", stages}};
  }
  return out;
}

}  // namespace

json run_frames(const std::string& folder) {
  constexpr std::array<Setting, 4> of_theses{{{1.15, 0.01}, {1.15, 0.005}, {1.25, 0.01}, {1.25, 0.005}}};
  std::vector<Scene> scenes;
  const auto add = [&](std::optional<Setting> setting, const std::vector<Character>& some) {
    for (const Character& character : some) scenes.push_back(load_scene(folder, character, 20, setting));
  };
  add(std::nullopt, all_characters());
  for (const Setting& setting : of_theses) add(setting, all_characters());
  json out = run_all(scenes, 5);
  for (std::size_t i = 0; i < out.size(); ++i) out[i]["shipped"] = i < all_characters().size();
  return out;
}

json run_scale() {
  std::vector<Scene> finer;
  std::vector<Scene> larger;
  for (const std::int32_t cells : {71, 158, 224, 500, 707}) finer.push_back(sheet(cells, 1, 24, 24));
  for (const std::int32_t tiles : {1, 2, 3, 7, 10}) larger.push_back(sheet(71, tiles, 24, 24));
  constexpr std::size_t kLines = 1'000'000;
  json streams = json::array();
  for (const Scene& scene : {std::cref(larger.front()), std::cref(larger.back())}) {
    const std::int64_t triangles = scene.mesh->triangle_count();
    streams.push_back({{"triangles", triangles},
                       {"bytes", 2 * kStreams * sizeof(double)},
                       {"seconds", streamed(std::size_t(triangles))},
                       {"lines", kLines},
                       {"line_seconds", fetched(std::size_t(triangles), kLines)}});
  }
  return {{"finer", run_all(finer, 3)}, {"larger", run_all(larger, 3)}, {"streams", streams}};
}

json run_shared_scale() {
  json out;
  for (const auto& [name, scene] :
       {std::pair("Params.ridges()", with_ridges(sheet(71, 10, 24, 24))), std::pair("defaults", sheet(71, 10, 24, 24))})
    out[name] = run_shared(scene, [&cloth = scene] { return Wrinkler(cloth.mesh, cloth.params, cloth.cloth); });
  // Of frames that take longer fewer.
  const Scene many = sheet(88, 1, 48, 24);
  out["by example"] = run_shared(many, [&] { return by_example_over(many); });
  const Scene few = sheet(88, 1, 8, 24);
  out["draped"] = run_shared(few, [&] { return draped_over(few); });
  return out;
}

}  // namespace pucker::bench
