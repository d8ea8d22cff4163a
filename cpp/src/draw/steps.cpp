#include <utility>

#include "pucker/draw/picture.h"

namespace pucker::draw {

namespace {

constexpr std::int64_t kGroup = 64;  // invocations of a work group of the compute programs

std::int64_t groups_of(std::int64_t invocations) { return (invocations + kGroup - 1) / kGroup; }

}  // namespace

std::string of_method(const Surface& surface, std::string_view program) {
  return std::string(surface.method()).append("/").append(program);
}

std::vector<Step> refinement(Surface& surface, std::int32_t index) {
  std::vector<Step> steps;
  if (!surface.take_unrefined()) return steps;
  for (const Program& program : surface.content().programs) {
    if (program.invocations <= 0) continue;
    steps.push_back({.pass = Pass::compute,
                     .program = of_method(surface, program.name),
                     .primitive = Primitive::compute,
                     .surface = index,
                     .uniforms = program.uniforms,
                     .ranges = {{0, groups_of(program.invocations)}}});
    steps.back().uniforms.push_back({"invocations", std::uint32_t(program.invocations)});
  }
  return steps;
}

Step patch_step(Surface& surface, std::int32_t index, Pass pass, std::string_view program, double target_edge,
                bool gridded) {
  Step step{.pass = pass,
            .program = of_method(surface, program),
            .primitive = Primitive::patches,
            .surface = index,
            .constants = surface.content().constants,
            .uniforms = {{"target_edge", float(target_edge)}},
            .ranges = surface.patch_ranges(target_edge)};
  step.constants.push_back({"gridded", std::int32_t(gridded)});
  return step;
}

Step grid_step(const Surface& surface, std::int32_t index) {
  const auto points = std::uint32_t(surface.grid().points);
  return {.pass = Pass::compute,
          .program = of_method(surface, "grid"),
          .primitive = Primitive::compute,
          .surface = index,
          .constants = surface.content().constants,
          .uniforms = {{"invocations", points},
                       {"grid_entries", std::uint32_t(surface.grid().entries)},
                       {"grid_begin", std::uint32_t(surface.grid().words.size())}},
          .ranges = {{0, groups_of(points)}}};
}

}  // namespace pucker::draw
