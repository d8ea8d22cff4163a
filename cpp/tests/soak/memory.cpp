#include "soak/memory.h"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <deque>
#include <fstream>
#include <functional>
#include <iostream>
#include <limits>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "motion.h"
#include "pucker/byexample/by_example.h"
#include "pucker/drape/drape.h"
#include "pucker/draw/content.h"
#include "pucker/dynamic/wrinkler.h"
#include "pucker/waves/wave_field.h"

namespace pucker::soak {

namespace {

constexpr int kCells = 10;
/// Frames after which the motion, and what is done with frames, begins again: what is held is the same once more.
constexpr std::int64_t kCycle = 400;
constexpr std::int64_t kFewest = 5 * kCycle;

/// Bytes of this process that are in memory.
std::int64_t resident() {
  std::ifstream file("/proc/self/statm");
  std::int64_t size = 0;
  std::int64_t pages = 0;
  file >> size >> pages;
  if (!file) throw std::runtime_error("/proc/self/statm cannot be read");
  return pages * sysconf(_SC_PAGESIZE);
}

struct Held {
  std::int64_t resident = std::numeric_limits<std::int64_t>::max();
  std::int64_t in_use = std::numeric_limits<std::int64_t>::max();

  void least() {
    resident = std::min(resident, soak::resident());
    in_use = std::min(in_use, soak::in_use());
  }
};

byexample::Synthesis synthesis(const testing::RestShape& cloth) {
  constexpr int levels = 2;
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal(0, 0.01);
  const std::int64_t fine = LoopSubdivision(cloth.mesh, levels).fine()->vertex_count();
  std::vector<Array3> poses;
  std::vector<Array3> details;
  for (std::uint64_t k = 0; k < 4; ++k) {
    poses.push_back(testing::RandomMotion(cloth.positions, 0.1, 10 + k).at(0));
    details.emplace_back(Array3::NullaryExpr(fine, 3, [&] { return normal(random); }));
  }
  return {cloth.mesh, levels, cloth.positions, std::move(poses), std::move(details), byexample::SynthesisOptions{}};
}

/// A name and how its run starts.
using Started = std::pair<const char*, std::function<std::unique_ptr<Method>()>>;

std::vector<Started> methods(const testing::RestShape& cloth) {
  const Array3& rest = cloth.positions;
  return {
      {"dynamic",
       [&] {
         Params params;
         params.min_width = 0.05;
         return std::make_unique<Wrinkler>(cloth.mesh, params, pucker::Cloth{rest, {}});
       }},
      {"waves",
       [&] {
         waves::Params params;
         params.unit = waves::WavelengthUnit::clip;
         params.wavelength = 0.2;
         return std::make_unique<waves::WaveField>(cloth.mesh, rest, params);
       }},
      {"by example", [&] { return std::make_unique<byexample::ByExample>(synthesis(cloth), byexample::Params()); }},
      {"draped",
       [&] {
         drape::Params params;
         params.levels = 1;
         return std::make_unique<drape::Drape>(cloth.mesh, rest, params);
       }},
  };
}

/// One frame, and what programs do with it, more and less often.
void frame(std::unique_ptr<Method>& run, std::deque<std::shared_ptr<const State>>& held, const Array3& positions,
           std::int64_t index) {
  run->advance(positions, double(index) / 30);
  const State& state = run->state();
  if (index % 4 == 0) {
    const draw::Content content = state.detail().draw_content(Vector3::Zero(), nullptr);
    state.detail().feature_sizes();
  }
  // Up to three of the last frames are held.
  if (index % 8 == 0) held.push_back(run->share_state());
  if (held.size() > 3) held.pop_front();
  if (index % 50 == 0) run = run->restored(run->save());
  if (index % 50 == 25) {
    try {
      run->advance(positions, double(index) / 30);
    } catch (const InvalidArgument&) {
      return;
    }
    throw std::logic_error("a frame that is not later is not refused");
  }
}

}  // namespace

std::int64_t in_use() {
  const auto info = mallinfo2();
  return std::int64_t(info.uordblks + info.hblkhd);
}

bool run_memory(std::int64_t frames, std::size_t leak) {
  if (frames < kFewest)
    throw std::invalid_argument("memory is looked at over at least " + std::to_string(kFewest) + " frames, got " +
                                std::to_string(frames));
  const testing::RestShape cloth = testing::irregular_sheet(kCells, 0.3, 1);
  const testing::RandomMotion motion(cloth.positions, 0.15, 2);
  std::vector<std::unique_ptr<char[]>> leaked;
  bool flat = true;
  for (const auto& [name, start] : methods(cloth)) {
    std::unique_ptr<Method> run = start();
    std::deque<std::shared_ptr<const State>> held;
    Held begin;
    Held middle;
    Held end;
    // What is kept for later grows to what the largest frame needs: the start is looked at after a tenth of the frames.
    const std::int64_t cycles = frames / kCycle;
    const std::int64_t looked = kCycle * std::max<std::int64_t>(1, cycles / 100);
    const std::int64_t from = kCycle * std::max<std::int64_t>(1, cycles / 10);
    for (std::int64_t index = 0; index < frames; ++index) {
      // The same motion again and again, so that late frames need what early ones do.
      frame(run, held, motion.at(double(index % kCycle) / 30), index);
      if (leak > 0) {
        leaked.push_back(std::make_unique<char[]>(leak));
        std::memset(leaked.back().get(), 1, leak);
      }
      if (index >= from && index < from + looked) begin.least();
      if (index >= frames / 2 && index < frames / 2 + looked) middle.least();
      if (index >= frames - looked) end.least();
    }
    std::cout << name << ": " << frames << " frames of " << cloth.mesh->triangle_count() << " triangles, resident "
              << begin.resident << ", " << middle.resident << ", " << end.resident << " bytes, in use " << begin.in_use
              << ", " << middle.in_use << ", " << end.in_use << " bytes" << std::endl;
    for (const auto& [what, early, late] :
         {std::tuple("resident", begin.resident, end.resident), std::tuple("in use", begin.in_use, end.in_use)})
      if (late > early + kGrowth) {
        std::cerr << "soak: memory " << what << " grew from " << early << " to " << late << " bytes over " << frames
                  << " frames of " << name << ", by more than " << kGrowth << '\n';
        flat = false;
      }
  }
  return flat;
}

}  // namespace pucker::soak
