/// Every number a run of the wave field depends on besides its clip: one tree, with units and defaults.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "pucker/params.h"

namespace pucker::waves {

enum class WavelengthUnit { height, clip };
enum class Pleat { cosine, accordion, pencil };
enum class Gradient { printed, full };
enum class Start { random, solved, carried };
enum class Influence { relative, length };
enum class Coordinates { rest, frame };
enum class Compute { cpu, gpu, skinned };

/// The largest step of the descent for which no error can grow: 2π², see Relax.
inline constexpr double kLargestStep = 19.739208802178716;

/// Steps of the descent a second that there may be: more take longer than anybody waits for.
inline constexpr double kMostRounds = 1e9;
/// Wavelengths lie between these, in the clip's unit, and cloth is squeezed no further than this: then the shaders' 32
/// bits hold amplitudes and wave vectors.
inline constexpr double kLeastWavelength = 1e-30;
inline constexpr double kLargestWavelength = 1e30;
inline constexpr double kLeastStretch = 1e-6;

// Meaning, unit and range of every field stand in visit_params below.

/// Local deformation (Loviscach 2006, section 4.2).
struct CrushParams {
  std::int32_t smoothing = 2;
  double threshold = 1.05;
  double min_stretch = 0.05;
  double turn = 0.02;
  double growth = 0.2;
  double bend = 0.35;
};

/// Alignment of the waves of neighbours (Loviscach 2006, section 5.2).
struct RelaxParams {
  Start start = Start::solved;
  Influence influence = Influence::relative;
  double step = 0.5 * kLargestStep;
  double slide = 0.1;
  std::int32_t rounds = 4;
  std::int32_t start_rounds = 200;
};

struct Params {
  double wavelength = 0.08;
  WavelengthUnit unit = WavelengthUnit::height;
  Pleat profile = Pleat::cosine;
  Gradient gradient = Gradient::printed;
  Coordinates coordinates = Coordinates::rest;
  Compute compute = Compute::cpu;
  double border_fade = 1.0;
  double interval = 1.0 / 30.0;
  std::uint64_t seed = 0;
  std::string painting;
  std::string wavelength_map;
  CrushParams crush;
  RelaxParams relax;

  /// Throws InvalidArgument naming the first parameter out of its range, and for more than kMostRounds rounds a second.
  void validate() const;
};

template <class P, class Visitor>
requires std::is_same_v<std::remove_const_t<P>, CrushParams>
void visit_params(P& p, Visitor&& visit) {
  visit.field("smoothing", p.smoothing, Range{0, 1000},
              "rounds in which a vertex takes the mean of its neighbours' compression and its own; 0: as printed");
  visit.field("threshold", p.threshold, Range{1, std::numeric_limits<double>::infinity()},
              "compression from which cloth waves; 1: as printed, from the least on");
  visit.field("min_stretch", p.min_stretch, Range{kLeastStretch, 1},
              "stretch below which cloth counts as so stretched when wave vectors are carried to it");
  visit.field("turn", p.turn, Range{0, std::numeric_limits<double>::infinity(), false},
              "largest turn of the highest waves per interval, in radians, lower ones turn faster; from 2 on: at once");
  visit.field("growth", p.growth, Range{0, std::numeric_limits<double>::infinity(), false},
              "largest growth of waves per interval, as a share of the greatest height; from 1 on: at once");
  visit.field("bend", p.bend, Range{0, std::numeric_limits<double>::infinity(), false},
              "largest height where the surface bends, as a share of its radius of curvature; 1e9: as printed");
}

template <class P, class Visitor>
requires std::is_same_v<std::remove_const_t<P>, RelaxParams>
void visit_params(P& p, Visitor&& visit) {
  visit.choice("start", p.start,
               "first phases: random, solved: those of least error by one eigenproblem, or carried: in each part those "
               "that follow from its first vertex");
  visit.choice("influence", p.influence, "a neighbour weighs by its height relative to the highest, or by its length");
  visit.field("step", p.step, Range{0, kLargestStep, false}, "step of the descent; 2*pi^2 at most, else errors grow");
  visit.field("slide", p.slide, Range{0, std::numeric_limits<double>::infinity(), false},
              "largest slide of the highest waves per interval, in radians, lower ones slide faster");
  visit.field("rounds", p.rounds, Range{0, 1e6}, "steps of the descent per interval");
  visit.field("start_rounds", p.start_rounds, Range{0, 1e6}, "steps of the descent in the first frame");
}

template <class P, class Visitor>
requires std::is_same_v<std::remove_const_t<P>, Params>
void visit_params(P& p, Visitor&& visit) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  visit.field("wavelength", p.wavelength, Range{0, inf, false}, "wavelength in the rest pose, in `unit`");
  visit.choice("unit", p.unit, "of the wavelength: height of the clip, or clip: its unit of length");
  visit.choice("profile", p.profile, "cross-section of the waves");
  visit.choice("gradient", p.gradient, "slope of the field: printed: without, full: with the change of the weights");
  visit.choice("coordinates", p.coordinates,
               "what phases are measured along: rest: the cloth, frame: space, as printed");
  visit.choice("compute", p.compute,
               "where frames are computed: cpu, gpu: where they are drawn, skinned: there, from the clip's bones");
  visit.field(
      "border_fade", p.border_fade, Range{0, inf},
      "wavelengths within which waves fade out towards a border shared with what is not cloth, and towards what "
      "another layer covers; 0: never");
  visit.field("interval", p.interval, Range{0, inf, false}, "interval all rates are stated for, in seconds");
  visit.field("seed", p.seed, Range{0, inf}, "key of the random phases");
  visit.choice("painting", p.painting, "file of painted wrinkles");
  visit.choice(
      "wavelength_map", p.wavelength_map,
      "file of what the wavelength is multiplied with: a picture, white as 1, or an .npy of a number a vertex");
  visit.node("crush", p.crush, "local deformation");
  visit.node("relax", p.relax, "alignment of the waves of neighbours");
}

inline constexpr std::array<std::string_view, 6> kCommonParams{"wavelength", "profile",        "seed",
                                                               "painting",   "wavelength_map", "crush.threshold"};

inline std::span<const std::string_view> common_params(const Params& /*params*/) { return kCommonParams; }

}  // namespace pucker::waves
