/// Every number a run of the dynamic method depends on besides its clip: one tree, with units and defaults.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

#include "pucker/params.h"

namespace pucker {

enum class Norm { one, two };
enum class LabelSolver { exact, expansion, swap };
enum class PersistenceMethod { edges, projection };
enum class Profile { quartic, sinusoidal, arcs, bspline, wave, crease };
enum class HeightRule { circle, profile, measured };
enum class ReferenceStart { first_frame, rest, rest_if_known };
enum class Seeding { scattered, trains };

// Meaning, unit and range of every field stand in visit_params below, once for the code and the documentation.

/// Compress / rest / stretch labelling (Gillette 2015, chapter 4).
struct LabelParams {
  Norm norm = Norm::one;
  double sigma = 0.05;
  double alpha = 9.0;
  double beta = 90.0;
  double smoothness = 0.2;
  LabelSolver solver = LabelSolver::exact;
};

/// Reference triangles (Gillette 2015, section 4.2).
struct ReferenceParams {
  ReferenceStart start = ReferenceStart::rest_if_known;
  double keep = 0.95;
};

/// How the stretch of the skinned mesh is made that of cloth: by default smoothed once.
struct GuideParams {
  std::int32_t rounds = 1;
  double narrowing = 0.0;
};

/// What the cloth is made of, which says how widely it buckles (Cerda and Mahadevan 2003). Without `bending`: not
/// known.
struct FabricParams {
  std::optional<double> bending = std::nullopt;
  double tension = 1.0;
  double length = 1.0;
};

/// Seeding and tracing of wrinkle paths (Gillette 2015, section 5.1).
struct TracingParams {
  Seeding seeding = Seeding::trains;
  double seed_distance = 0.45;
  double hysteresis = 0.0;
  std::int32_t seeds_per_triangle = 4;
  double isotropy = 0.01;
  double bridge = 1.0;
  double bend = 45.0;
  double coherence = 0.5;
  std::optional<double> min_length = std::nullopt;
  std::int32_t max_points = 4096;
  std::int32_t max_wrinkles = 4096;
};

/// Motion of wrinkle paths between frames (Gillette 2015, section 5.2).
struct PersistenceParams {
  PersistenceMethod method = PersistenceMethod::edges;
  double alpha = 0.4;
  double motion_sigma = 0.005;
  double vertex_fraction = 0.1;
  double length_change = 0.15;
  double merge_distance = 1.0;
};

/// Widths and heights (Gillette 2015, chapter 6).
struct ShapeParams {
  Profile profile = Profile::crease;
  HeightRule height = HeightRule::circle;
  std::optional<double> clearance = std::nullopt;
  double aspect = 0.5;
  double slenderness = 1.0;
  double taper = 1.0;
  double junctions = 0.5;
  double border_fade = 1.0;
  double height_rate = 8.0;
  double width_rate = 16.0;
};

struct Params {
  double threshold = 1.02;
  std::optional<double> min_width = std::nullopt;
  double relative_width = 0.04;
  double thickness = 1.25;
  double interval = 1.0 / 30.0;
  std::uint64_t seed = 0;
  bool verbatim = false;
  LabelParams label;
  ReferenceParams reference;
  FabricParams fabric;
  GuideParams guide;
  TracingParams tracing;
  PersistenceParams persistence;
  ShapeParams shape;

  /// Single narrow ridges, where cloth is compressed by a tenth and more.
  static Params ridges();
  /// The same by the theses' formulas as printed, without this library's additions.
  static Params printed();

  /// L_min: `min_width`, or where that is not given the one of wrinkles of the wavelength that `fabric` has. Throws
  /// InvalidArgument where neither is known.
  double least_width() const;
  /// π·L_min: width of a flat wrinkle and arc length of every cross-section.
  double flat_width() const;
  /// Length of the shortest new wrinkle. Throws as least_width does.
  double least_length() const { return tracing.min_length.value_or(verbatim ? 4 : 3) * least_width(); }
  /// Compression below which a wrinkle that has begun ends: `threshold`, less the share `tracing.hysteresis` of what it
  /// is above 1; with `verbatim`, `threshold`.
  double end_threshold() const { return verbatim ? threshold : 1 + (1 - tracing.hysteresis) * (threshold - 1); }
  /// The same for a character of that height, with both widths: `min_width`, which is `relative_width` of it unless it
  /// or `fabric.bending` was given, and then the share that it is. Throws InvalidArgument for a height of which there
  /// is no share.
  Params for_height(double height) const;
  /// Throws InvalidArgument naming the first parameter out of its range.
  void validate() const;
};

/// The square of a smaller spread would be lost to rounding, that of a larger one infinite, and the cost of rest no
/// number: 0/0, inf/inf.
inline constexpr double kLeastSpread = 1e-6;
inline constexpr double kLargestSpread = 1e150;
/// exp of it is finite, also times any ratio of stretches that cloth may have.
inline constexpr double kLargestExponent = 500;

// visit_params lists all fields.

template <class P, class Visitor>
requires std::is_same_v<std::remove_const_t<P>, LabelParams>
void visit_params(P& p, Visitor&& visit) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  visit.choice("norm", p.norm, "norm of (a-1, b-1) in the cost of Rest; the theses print both");
  visit.field("sigma", p.sigma, Range{kLeastSpread, kLargestSpread}, "spread of the data costs, in stretch");
  visit.field("alpha", p.alpha, Range{0, kLargestExponent, false}, "fall of the Compress cost with compression");
  visit.field("beta", p.beta, Range{0, inf, false}, "fall of the floor of the Compress cost with compression");
  visit.field("smoothness", p.smoothness, Range{0, inf}, "cost of one step between neighbouring labels C < R < S");
  visit.choice("solver", p.solver, "exact: the optimum by one cut; expansion, swap: the theses' moves");
}

template <class P, class Visitor>
requires std::is_same_v<std::remove_const_t<P>, ReferenceParams>
void visit_params(P& p, Visitor&& visit) {
  visit.choice("start", p.start,
               "first_frame: they start as the triangles of the first frame; rest: of the rest pose; rest_if_known: of "
               "the rest pose where there is one and verbatim is off");
  visit.field("keep", p.keep, Range{0, 1, false}, "share of the stretch a compressing triangle keeps per interval");
}

template <class P, class Visitor>
requires std::is_same_v<std::remove_const_t<P>, GuideParams>
void visit_params(P& p, Visitor&& visit) {
  visit.field("rounds", p.rounds, Range{0, 100}, "how often stretch is averaged to the vertices and back; 0: never");
  visit.field("narrowing", p.narrowing, Range{0, 4},
              "Poisson's ratio by which cloth stretched one way narrows the other and wrinkles; 0: it does not");
}

template <class P, class Visitor>
requires std::is_same_v<std::remove_const_t<P>, FabricParams>
void visit_params(P& p, Visitor&& visit) {
  visit.field("bending", p.bending, Range{1e-30, 1e30},
              "bending stiffness, N m with the clip in metres, from which min_width follows; none: not known");
  visit.field("tension", p.tension, Range{1e-30, 1e30}, "tension along the wrinkles, N/m");
  visit.field(
      "length", p.length, Range{1e-30, 1e30},
      "length of the wrinkles that buckle as widely, in the clip's unit; shorter ones are narrower by its root");
}

template <class P, class Visitor>
requires std::is_same_v<std::remove_const_t<P>, TracingParams>
void visit_params(P& p, Visitor&& visit) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  visit.choice("seeding", p.seeding,
               "scattered: at random points; trains: first beside paths, as close as the excess cloth says");
  visit.field("seed_distance", p.seed_distance, Range{0, inf}, "distance of a seed to every path, in flat widths");
  visit.field("hysteresis", p.hysteresis, Range{0, 1},
              "share of the threshold above 1 by which a wrinkle goes on below it");
  visit.field("seeds_per_triangle", p.seeds_per_triangle, Range{1, 64}, "most points tried in one triangle");
  visit.field("isotropy", p.isotropy, Range{0, inf}, "difference of the stretches below which there is no direction");
  visit.field("bridge", p.bridge, Range{0, 100},
              "flat widths of cloth below the threshold that a path leads across to cloth above it; 0: none");
  visit.field("bend", p.bend, Range{0, 180},
              "most degrees that a path turns within three flat widths; 0: any, as with verbatim");
  visit.field(
      "coherence", p.coherence, Range{0, 100},
      "flat widths across which cloth must be compressed alike for a path to start; 0, verbatim: a point is enough");
  visit.field("min_length", p.min_length, Range{0, inf},
              "shortest new wrinkle, in min_width, which dies at half of it; none: 3, with verbatim 4");
  visit.field("max_points", p.max_points, Range{2, 1e6}, "most points of one path");
  visit.field("max_wrinkles", p.max_wrinkles, Range{0, 1e7}, "most wrinkles alive at once");
}

template <class P, class Visitor>
requires std::is_same_v<std::remove_const_t<P>, PersistenceParams>
void visit_params(P& p, Visitor&& visit) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  visit.choice("method", p.method, "edges: points slide on their edges; projection: points move in space");
  visit.field("alpha", p.alpha, Range{0, inf}, "weight of the alignment with the compression per interval");
  visit.field("motion_sigma", p.motion_sigma, Range{kLeastSpread, kLargestSpread},
              "stretch per frame at which the alignment acts");
  visit.field("vertex_fraction", p.vertex_fraction, Range{0, 0.5},
              "points nearer to a vertex than this share of their edge move as one");
  visit.field("length_change", p.length_change, Range{0, 0.99}, "largest relative change of a length per interval");
  visit.field("merge_distance", p.merge_distance, Range{0, inf, false},
              "paths closer than this are merged, in min_width");
}

template <class P, class Visitor>
requires std::is_same_v<std::remove_const_t<P>, ShapeParams>
void visit_params(P& p, Visitor&& visit) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  visit.choice("profile", p.profile, "cross-section of a wrinkle");
  visit.choice(
      "height", p.height,
      "circle: height of an arc of a circle, as profile for wave and crease; profile: exact arc length of the profile; "
      "measured: as high as folds of simulated cloth");
  visit.field(
      "clearance", p.clearance, Range{0, inf},
      "deepest a valley of the profiles wave and crease may be, in the clip's unit of length; none: as deep as it "
      "comes");
  visit.field("aspect", p.aspect, Range{0, 100},
              "largest height of a wrinkle over its width, of wave and crease over the distance of two valleys or "
              "ridges; 0: as "
              "high as takes up the cloth, as with verbatim");
  visit.field("slenderness", p.slenderness, Range{0, inf},
              "a path shorter than this many flat widths is thinner in proportion; 0: never");
  visit.field("taper", p.taper, Range{0, inf},
              "flat widths from an end within which a wrinkle rises to its height; 0: half its length");
  visit.field(
      "junctions", p.junctions, Range{0, 10},
      "flat widths from another wrinkle within which an end that leads to it runs into it; 0: all ends are flat");
  visit.field(
      "border_fade", p.border_fade, Range{0, inf},
      "flat widths within which wrinkles fade out towards a border shared with what is not cloth, and towards what "
      "another layer covers; 0: never");
  visit.field("height_rate", p.height_rate, Range{0, inf, false}, "largest change of a height, min_width per second");
  visit.field("width_rate", p.width_rate, Range{0, inf, false}, "largest change of a width, min_width per second");
}

template <class P, class Visitor>
requires std::is_same_v<std::remove_const_t<P>, Params>
void visit_params(P& p, Visitor&& visit) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  visit.field("threshold", p.threshold, Range{1, inf, false}, "compression from which cloth wrinkles");
  // The shaders hold widths in 32 bits.
  visit.field("min_width", p.min_width, Range{1e-30, 1e30},
              "smallest wrinkle width, in the clip's unit of length; none: relative_width of the clip's height");
  visit.field("relative_width", p.relative_width, Range{0, inf, false},
              "smallest wrinkle width where min_width is not given, as a share of the clip's height");
  visit.field("thickness", p.thickness, Range{0, inf},
              "most width of a flat wrinkle, in thicknesses of the garment there in its rest pose; 0, verbatim: any");
  visit.field("interval", p.interval, Range{0, inf, false}, "interval all rates are stated for, in seconds");
  visit.field("seed", p.seed, Range{0, inf}, "key of the seeding");
  visit.choice("verbatim", p.verbatim, "the theses' formulas without this library's additions");
  visit.node("label", p.label, "compress / rest / stretch labelling");
  visit.node("reference", p.reference, "reference triangles");
  visit.node("fabric", p.fabric, "what the cloth is made of");
  visit.node("guide", p.guide, "what stands for the cloth when its stretch is measured");
  visit.node("tracing", p.tracing, "seeding and tracing of wrinkle paths");
  visit.node("persistence", p.persistence, "motion of wrinkle paths between frames");
  visit.node("shape", p.shape, "widths and heights of wrinkles");
}

inline constexpr std::array<std::string_view, 7> kCommonParams{
    "threshold", "relative_width", "seed", "reference.start", "guide.rounds", "tracing.seeding", "shape.profile"};

inline std::span<const std::string_view> common_params(const Params& /*params*/) { return kCommonParams; }

}  // namespace pucker
