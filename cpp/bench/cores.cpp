#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include <dlfcn.h>

#include "replay.h"
#include "runs.h"
#include "scenes.h"
#include "subjects.h"

namespace pucker::bench {

namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr std::array<std::size_t, 6> kThreads = {1, 2, 4, 8, 16, 64};
/// Frames before those with which restored runs go on; they take two to get memory, and the third one is looked at.
constexpr std::size_t kBefore = 8;
constexpr std::size_t kFrames = kBefore + 3;
constexpr int kRounds = 2;
/// Seconds of frames that are timed on one thread, and how many there are at most.
constexpr double kTimed = 1;
constexpr int kMostTimed = 20;

/// Where a loop's function lies in the program.
std::uint64_t place(BlockFunction function) {
  Dl_info info;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): addresses are what is asked for
  const auto* const address = reinterpret_cast<const char*>(function);
  if (dladdr(address, &info) == 0) return 0;
  return std::uint64_t(address - static_cast<const char*>(info.dli_fbase));
}

/// Each loop of the frame: where its function is, and seconds before it, of its blocks and of the longest of them.
json loops_of(const Pieces& pieces) {
  json out = json::array();
  for (const Piece& piece : pieces) {
    double sum = 0;
    double longest = 0;
    for (const double block : piece.blocks) {
      sum += block;
      longest = std::max(longest, block);
    }
    out.push_back({{"function", piece.blocks.empty() ? 0 : place(piece.function)},
                   {"stage", piece.stage},
                   {"serial", piece.serial},
                   {"limit", piece.limit},
                   {"blocks", piece.blocks.size()},
                   {"sum", sum},
                   {"longest", longest}});
  }
  return out;
}

/// The last frame of a run that goes on from a saved one.
class Frame {
 public:
  Frame(const Method& base, const std::string& bytes, const Scene& scene, std::size_t threads)
      : run_(base.restored(bytes)), scene_(scene) {
    set_threads(threads);
    for (std::size_t frame = kBefore; frame + 1 < kFrames; ++frame)
      run_->advance(scene.frames[frame], scene.time(frame));
  }
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;
  ~Frame() { set_threads(1); }

  /// Seconds by the clock.
  double timed() {
    const auto begin = Clock::now();
    const std::clock_t spent = std::clock();
    step();
    const double out = std::chrono::duration<double>(Clock::now() - begin).count();
    processor_ = double(std::clock() - spent) / CLOCKS_PER_SEC;
    return out;
  }
  /// Of all threads, of what was timed.
  double processor() const { return processor_; }
  Pieces rehearsed() {
    Recorder recorder;
    recorder.begin();
    rehearse(&recorder);
    step();
    rehearse(nullptr);
    return recorder.end();
  }

 private:
  void step() { run_->advance(scene_.frames[kFrames - 1], scene_.time(kFrames - 1)); }

  double processor_ = 0;
  std::unique_ptr<Method> run_;
  const Scene& scene_;
};

json measure(std::string name, Method&& base, const Scene& scene, const Costs& costs) {
  set_threads(2);
  for (std::size_t frame = 0; frame < kBefore; ++frame) base.advance(scene.frames[frame], scene.time(frame));
  const std::string bytes = base.save();
  std::map<std::size_t, Pieces> recorded;
  json timed;
  for (int round = 0; round < kRounds; ++round)
    for (const std::size_t threads : kThreads)
      keep_quickest(Frame(base, bytes, scene, threads).rehearsed(), recorded[threads]);
  // In turn, more often the less it takes.
  const double seconds = whole(Replay({}).run(recorded[1], base.stages().size()));
  const int rounds = std::clamp(int(kTimed / seconds), kRounds, kMostTimed);
  for (int round = 0; round < rounds; ++round)
    for (const std::size_t threads : {1U, 2U}) {
      Frame frame(base, bytes, scene, threads);
      timed[std::to_string(threads)].push_back({frame.timed(), frame.processor()});
    }
  json out{{"name", std::move(name)}, {"triangles", triangles_of(base)}, {"stages", base.stages()}};
  out["timed"] = std::move(timed);
  for (const auto& [threads, pieces] : recorded) {
    json& simulated = out["simulated"][std::to_string(threads)];
    for (const StageTimes& stage : Replay(costs).run(pieces, base.stages().size()))
      simulated.push_back({{"serial", stage.serial}, {"loops", stage.loops}, {"blocks", stage.blocks}});
  }
  out["loops"] = loops_of(recorded.rbegin()->second);
  return out;
}

}  // namespace

json run_cores() {
  const Costs costs = measure_costs();
  json out{{"costs",
            {{"notify", costs.notify},
             {"wake", costs.wake},
             {"dispatch", costs.dispatch},
             {"close", costs.close},
             {"line", costs.line}}}};
  struct Size {
    std::int32_t tiles;   ///< of dynamic wrinkles
    std::int32_t fine;    ///< cells of waves
    std::int32_t coarse;  ///< cells of what is subdivided
  };
  json& runs = out["runs"];
  for (const Size size : {Size{3, 224, 28}, Size{10, 707, 88}}) {
    {
      const Scene scene = sheet(71, size.tiles, kFrames, 24);
      runs.push_back(measure("dynamic", Wrinkler(scene.mesh, scene.params), scene, costs));
      const Params ridges = with_ridges(scene).params;
      runs.push_back(measure("dynamic, Params.ridges()", Wrinkler(scene.mesh, ridges), scene, costs));
    }
    {
      const Scene scene = sheet(size.fine, 1, kFrames, 24);
      runs.push_back(measure("waves", waves_over(scene), scene, costs));
    }
    const Scene scene = sheet(size.coarse, 1, kFrames, 24);
    runs.push_back(measure("by example", by_example_over(scene), scene, costs));
    runs.push_back(measure("draped", draped_over(scene), scene, costs));
  }
  return out;
}

}  // namespace pucker::bench
