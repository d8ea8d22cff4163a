#include "soak/episode.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "pucker/crowd.h"
#include "soak/checks.h"
#include "soak/course.h"
#include "soak/draws.h"

namespace pucker::soak {

namespace {

/// A run and what its frames must keep.
struct Subject {
  std::unique_ptr<Method> run;
  std::unique_ptr<Checks> checks;
};

Subject dynamic_subject(const Cloth& cloth, const Course& course, const Params& params, bool usual) {
  auto run = std::make_unique<Wrinkler>(cloth.mesh, params, pucker::Cloth{course.rest(), cloth.shared});
  auto checks = dynamic_checks(*run, usual);
  return {std::move(run), std::move(checks)};
}

Subject waves_subject(const Cloth& cloth, const Course& course, const waves::Params& params) {
  auto run = std::make_unique<waves::WaveField>(cloth.mesh, course.rest(), params, course.size());
  auto checks = waves_checks(*run);
  return {std::move(run), std::move(checks)};
}

/// Trained on smooth deformations of the rest pose, with random detail.
Subject byexample_subject(const Cloth& cloth, const Course& course, const byexample::Params& params, Draws& draws) {
  const Array3 rest = course.rest();
  const int levels = int(draws.below(cloth.mesh->triangle_count() > 500 ? 2 : 3));
  const std::int64_t fine = LoopSubdivision(cloth.mesh, levels).fine()->vertex_count();
  std::vector<Array3> poses{rest};
  std::vector<Array3> details;
  const Array3 unit = (rest.rowwise() - Eigen::RowVector3d(rest.colwise().mean())) / course.size();
  for (std::int64_t k = draws.below(5); k > 0; --k)
    poses.emplace_back(
        rest +
        course.size() *
            (testing::RandomMotion(unit, draws.logarithmic(0.01, 0.3), std::uint64_t(draws.below(1 << 30))).at(0) -
             unit));
  const double detail = draws.logarithmic(1e-4, 0.1) * course.size();
  for (std::size_t k = 0; k < poses.size(); ++k)
    details.emplace_back(Array3::NullaryExpr(fine, 3, [&] { return detail * draws.normal(); }));
  byexample::SynthesisOptions options;
  options.pose_space.equal = byexample::EqualPoses::share;
  if (draws.chance(0.2)) options.pose_space.kernel = byexample::Kernel::squared;
  if (draws.chance(0.3)) options.places = byexample::WeightPlaces::dense;
  auto run = std::make_unique<byexample::ByExample>(
      byexample::Synthesis(cloth.mesh, levels, rest, std::move(poses), std::move(details), options), params,
      cloth.shared);
  auto checks = byexample_checks(*run);
  return {std::move(run), std::move(checks)};
}

/// Cut for the rest pose, or for one that the cloth was stretched from.
Subject drape_subject(const Cloth& cloth, const Course& course, drape::Params params, Draws& draws) {
  // What is too much of these is time: a frame takes as long as its iterations are many and its triangles.
  constexpr std::int32_t most_iterations = 60;
  constexpr std::int32_t most_settling = 5;
  params.levels = std::min(params.levels, cloth.mesh->triangle_count() > 500 ? 1 : 2);
  params.iterations = std::min(params.iterations, most_iterations);
  params.settling = std::min(params.settling, most_settling);
  Array3 cut = course.rest();
  if (draws.chance(0.3)) cut.col(draws.below(3)) *= draws.logarithmic(0.3, 3);
  auto run = std::make_unique<drape::Drape>(cloth.mesh, cut, params, cloth.shared);
  auto checks = drape_checks(*run);
  return {std::move(run), std::move(checks)};
}

/// How wild the parameters of a run are.
double wildness(Draws& draws) { return draws.chance(0.4) ? 0 : draws.logarithmic(0.03, 0.8); }

/// Cloth that has exploded has room for any number of paths, each of any length, and what they cost grows with the
/// square of how many lie in a triangle: that is what the counts are for.
void bound_counts(TracingParams& tracing, const Cloth& cloth, bool narrow) {
  constexpr std::int32_t few = 40;
  constexpr std::int32_t points = 300;
  constexpr std::int32_t points_of_narrow = 200;
  const auto triangles = std::int32_t(cloth.mesh->triangle_count());
  tracing.max_points = std::min(tracing.max_points, narrow ? points_of_narrow : points);
  tracing.max_wrinkles = std::min(tracing.max_wrinkles, narrow ? few : std::max(few, triangles));
}

/// A run of a random method; its parameters may be refused, their defaults may not.
Subject subject(const Cloth& cloth, const Course& course, Draws& draws, Tally& tally) {
  const std::int64_t method = draws.below(6);
  const double wild = wildness(draws);
  try {
    if (method < 2) {
      Params params;
      params.min_width = course.size() * (draws.chance(0.3) ? params.relative_width : draws.logarithmic(1e-3, 1));
      DrawParams visitor(draws, wild);
      const double width = *params.min_width;
      visit_params(params, visitor);
      bound_counts(params.tracing, cloth, *params.min_width < 0.2 * width);
      return dynamic_subject(cloth, course, params, wild == 0 && course.interval() == params.interval);
    }
    if (method < 4) {
      waves::Params params;
      params.wavelength = draws.logarithmic(0.003, 1);
      DrawParams visitor(draws, wild);
      visit_params(params, visitor);
      // A step of one second may stand for so many rounds.
      constexpr double most = 2e4;
      if (params.relax.rounds > most * params.interval && draws.chance(0.9)) params.interval = waves::Params().interval;
      if (params.relax.rounds <= waves::kMostRounds * params.interval)
        params.relax.rounds = std::int32_t(std::min(double(params.relax.rounds), most * params.interval));
      return waves_subject(cloth, course, params);
    }
    if (method == 4) {
      drape::Params params;
      DrawParams visitor(draws, wild);
      visit_params(params, visitor);
      return drape_subject(cloth, course, params, draws);
    }
    byexample::Params params;
    DrawParams visitor(draws, wild);
    visit_params(params, visitor);
    return byexample_subject(cloth, course, params, draws);
  } catch (const InvalidArgument& error) {
    hold(std::string(error.what()).size() > 10, "a run is refused without a reason");
    hold(wild > 0 || method >= 4, "the defaults are refused: ", error.what());
    ++tally.refused_runs;
  }
  Params params;
  params.min_width = course.size() * params.relative_width;
  bound_counts(params.tracing, cloth, false);
  return dynamic_subject(cloth, course, params, course.interval() == params.interval);
}

/// Shows the run frames that it must refuse, by rule and value, and stay as it was.
void refusals(Method& run, const Shot& shot, bool begun, Draws& draws, Tally& tally) {
  const std::string before = run.save();
  const auto refused = [&](const Array3& positions, double time, const std::string& value) {
    try {
      run.advance(positions, time);
    } catch (const InvalidArgument& error) {
      hold(std::string(error.what()).find(value) != std::string::npos, "a refusal does not name '", value,
           "': ", error.what());
      hold(run.save() == before, "a refused frame changes the run");
      ++tally.refused_frames;
      return;
    }
    throw Broken(message("a frame is not refused that holds ", value));
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  Array3 bad = shot.positions;
  if (bad.rows() > 0) {
    const bool infinite = draws.chance(0.5);
    bad(draws.below(bad.rows()), draws.below(3)) = infinite ? inf : nan;
    refused(bad, shot.time, infinite ? "inf" : "nan");
  }
  refused(Array3::Zero(shot.positions.rows() + 1, 3), shot.time, std::to_string(shot.positions.rows() + 1));
  refused(shot.positions, nan, "nan");
  refused(shot.positions, inf, "inf");
  if (begun) refused(shot.positions, run.state().time, message(run.state().time));
}

/// A state that somebody holds, and the bits it had.
struct Held {
  std::shared_ptr<const State> state;
  Array3 positions;
  double time;
  std::vector<double> offsets;
};

std::vector<double> offsets_of(const State& state) {
  const auto count = std::int32_t(std::min<std::int64_t>(state.detail().mesh().triangle_count(), 20));
  std::vector<std::int32_t> triangles(static_cast<std::size_t>(count));
  std::iota(triangles.begin(), triangles.end(), 0);
  return normal_offsets(state.detail().evaluate(triangles, Array3::Constant(count, 3, 1.0 / 3)));
}

Held held(const Method& run) {
  const std::shared_ptr<const State> state = run.share_state();
  return {state, state->positions, state->time, offsets_of(*state)};
}

void release(std::optional<Held>& held) {
  hold(held->state->positions == held->positions && held->state->time == held->time &&
           offsets_of(*held->state) == held->offsets,
       "a state that is held changes with the frames after it");
  held.reset();
}

std::int64_t wrinkled(const State& state) {
  const auto* dynamic = dynamic_cast<const WrinklerState*>(&state);
  return dynamic == nullptr ? 0 : std::int64_t(dynamic->wrinkles.size());
}

/// Two threads, as long as there is an episode.
Crowd& crowd() {
  thread_local Crowd team(2);
  return team;
}

}  // namespace

void Tally::add(const Tally& other) {
  frames += other.frames;
  refused_runs += other.refused_runs;
  refused_frames += other.refused_frames;
  restored += other.restored;
  threaded += other.threaded;
  wrinkles += other.wrinkles;
}

Tally run_episode(const std::vector<Source>& cloths, std::uint64_t number, std::atomic<std::int64_t>& frame) {
  Draws draws(0x9e3779b97f4a7c15 * (number + 1));
  const Cloth cloth = cloths[std::size_t(number % cloths.size())].make();
  Tally tally;
  Course course(cloth, draws.chance(0.7) ? Params().interval : draws.logarithmic(1e-4, 1), draws);
  Subject subject = soak::subject(cloth, course, draws, tally);
  const std::int64_t frames = cloth.clip ? 6 + draws.below(24) : 20 + draws.below(160);
  /// Goes on from a saved run beside it, on another thread, and must have the same bits.
  std::unique_ptr<Method> twin;
  std::int64_t twin_left = 0;
  std::optional<Held> state;
  int still = 0;
  for (std::int64_t index = 0; index < frames; ++index) {
    frame = index;
    const Shot shot = course.next();
    still = shot.still ? still + 1 : 0;
    if (draws.chance(0.04)) refusals(*subject.run, shot, index > 0, draws, tally);
    if (!twin && draws.chance(0.04)) {
      const std::string bytes = subject.run->save();
      twin = subject.run->restored(bytes);
      hold(twin->save() == bytes, "a restored run saves other bytes");
      twin_left = 1 + draws.below(8);
      ++tally.restored;
    }
    if (twin) {
      const Eigen::Map<const Array3> positions(shot.positions.data(), shot.positions.rows(), 3);
      const std::array<CrowdStep, 2> steps{
          {{subject.run.get(), positions, shot.time}, {twin.get(), positions, shot.time}}};
      crowd().advance(steps);
      ++tally.threaded;
      hold(subject.run->save() == twin->save(), "a restored run goes on with other bits");
      if (--twin_left == 0) twin.reset();
    } else {
      subject.run->advance(shot.positions, shot.time);
    }
    subject.checks->frame(*subject.run, shot, still, draws);
    tally.wrinkles += wrinkled(subject.run->state());
    if (state && draws.chance(0.3)) release(state);
    if (!state && draws.chance(0.05)) state = held(*subject.run);
    ++tally.frames;
  }
  if (state) release(state);
  return tally;
}

}  // namespace pucker::soak
