/// Every number a run by example depends on besides its clip and its trained set: one tree, with units and defaults.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "pucker/params.h"

namespace pucker::byexample {

// Meaning, unit and range of every field stand in visit_params below.

/// Where the surfaces of a run are made: here with each frame; or where they are drawn, and here when they are asked
/// for.
enum class Compute { cpu, gpu };

struct Params {
  std::string trained;
  double gain = 1;
  double lag = 0;
  double reach = 0;
  double trail = 1;
  std::optional<double> swing = std::nullopt;
  double sway = 0;
  double damping = 0.3;
  bool sewn = true;
  Compute compute = Compute::cpu;

  /// Throws InvalidArgument naming the first parameter out of its range.
  void validate() const;
};

template <class P, class Visitor>
requires std::is_same_v<std::remove_const_t<P>, Params>
void visit_params(P& p, Visitor&& visit) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  constexpr double most = 1e6;
  visit.choice("trained", p.trained, "file of the trained set");
  visit.field("gain", p.gain, Range{0, most}, "detail as a multiple of the examples'");
  visit.field("lag", p.lag, Range{0, inf}, "time constant with which weights follow the deformation, in seconds");
  visit.field("reach", p.reach, Range{0, inf},
              "distance from the nearest pose up to which detail is whole; at twice it there is none; 0: however far");
  visit.field("trail", p.trail, Range{0, most},
              "time by which the garment trails its guide, as a multiple of what the trained set was taught");
  visit.field(
      "swing", p.swing, Range{0, 1e6},
      "how long the motion of the guide's cloth carries it on, in seconds, as of draped cloth; 0: at rest in every "
      "frame; none: as that of the cloth that taught the set");
  visit.field(
      "sway", p.sway, Range{0, inf},
      "period in seconds of the spring by which each vertex follows its place, the detail with it; 0: no spring");
  visit.field("damping", p.damping, Range{0.01, 1}, "of that spring, as a share of the critical");
  visit.choice("sewn", p.sewn, "whether vertices shared with the rest of the character stay where they are");
  visit.choice(
      "compute", p.compute,
      "where surfaces are made: cpu: with each frame, gpu: where they are drawn, else when they are asked for");
}

inline constexpr std::array<std::string_view, 4> kCommonParams{"trained", "gain", "trail", "sway"};

inline std::span<const std::string_view> common_params(const Params& /*params*/) { return kCommonParams; }

}  // namespace pucker::byexample
