/// Every number a run of draped cloth depends on besides its clip: one tree, with units and defaults.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "pucker/params.h"

namespace pucker::drape {

/// Beyond, cloth is no garment any more, and squares of lengths leave the range of numbers.
inline constexpr double kLoosest = 0.1;
inline constexpr double kTightest = 10;

// Meaning, unit and range of every field stand in visit_params below. Lengths are shares of the garment's largest
// extent in the pose it was cut for.

/// What a garment is sewn of.
enum class Cloth { unknown, silk, cotton, wool, denim, leather };

/// Where the balance is found.
enum class Compute { cpu, gpu };

/// What the cloth does when it is bent and pulled, from which the length of its folds follows (Cerda and Mahadevan
/// 2003). Without `bending` and with an unknown cloth: not known.
struct FabricParams {
  Cloth cloth = Cloth::unknown;
  std::optional<double> bending = std::nullopt;
  std::optional<double> tension = std::nullopt;
  std::optional<double> size = std::nullopt;
};

struct Params {
  std::int32_t levels = -1;
  double fold_size = 0.3;
  double thickness = 2.5;
  double wavelength = 0.3;
  FabricParams fabric;
  std::string stiffness_map;
  double edges_per_wave = 5;
  double lag = 0;
  double memory = 0.02;
  double swing = 0.02;
  double creep = 0.5;
  double compression = 1.4;
  double tightness = 1;
  std::string tightness_map;
  double depth = 0.02;
  double gain = 1.33;
  std::int32_t iterations = 30;
  std::int32_t settling = 5;
  double tolerance = 1e-6;
  bool sewn = true;
  bool contact = true;
  bool layers = true;
  double clearance = 0.003;
  std::string cut;
  Compute compute = Compute::cpu;

  /// Throws InvalidArgument naming the first parameter out of its range.
  void validate() const;
};

/// Whether they are for a garment's mesh as its file has it: they say how often that is subdivided, or name positions
/// or numbers of its vertices.
bool keeps_mesh(const Params& params);

template <class P, class Visitor>
requires std::is_same_v<std::remove_const_t<P>, FabricParams>
void visit_params(P& p, Visitor&& visit) {
  visit.choice("cloth", p.cloth, "what the garment is sewn of; unknown: `wavelength` says how long folds are");
  visit.field("bending", p.bending, Range{1e-12, 1e6}, "bending stiffness, N m; none: that of the cloth");
  visit.field("tension", p.tension, Range{1e-12, 1e12},
              "tension along the folds, N/m; none: that of the cloth, and 1 if that is unknown");
  visit.field("size", p.size, Range{1e-6, 1e6},
              "largest extent of the garment in metres; none: the clip's unit is the metre");
}

template <class P, class Visitor>
requires std::is_same_v<std::remove_const_t<P>, Params>
void visit_params(P& p, Visitor&& visit) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  constexpr double most_levels = 6;
  constexpr double most_iterations = 1e5;
  visit.field(
      "levels", p.levels, Range{-1, most_levels},
      "how often the mesh is subdivided; each has four times the triangles; -1: as often as folds need, at most "
      "three times and to 100 000 triangles");
  visit.field(
      "fold_size", p.fold_size, Range{0, 10, false},
      "distance over which the cloth may leave the guide, as a share of the garment's largest extent, or of one and a "
      "half times that of the piece, all that edges join, if that is less; smaller holds it closer");
  visit.field(
      "thickness", p.thickness, Range{0, inf},
      "largest fold_size as a multiple of half the thickness of what the garment covers there; 0: however thick");
  visit.field("wavelength", p.wavelength, Range{0, 10},
              "length of a fold, as a share of fold_size; of a fabric that is known, it says that itself");
  visit.node("fabric", p.fabric, "what the cloth is made of");
  visit.choice(
      "stiffness_map", p.stiffness_map,
      "file of what the bending stiffness is multiplied with: a picture in texture coordinates, white as 1, or "
      "an .npy of one number a vertex; folds are longer by its fourth root; empty: none");
  visit.field("edges_per_wave", p.edges_per_wave, Range{0, 100},
              "shortest fold, in edges of the subdivided mesh, so that none is as fine as that");
  visit.field("lag", p.lag, Range{0, inf}, "time by which the cloth trails the guide in the air, in seconds");
  visit.field("memory", p.memory, Range{0, inf}, "time for which folds stay as they were, in seconds");
  visit.field("swing", p.swing, Range{0, 1e6},
              "how long the cloth's own motion carries it on: the root of its mass over its hold, in seconds; what "
              "`thickness` holds closer swings less, and `memory` damps it");
  visit.field("creep", p.creep, Range{0, 1}, "share of a stretch of the guide that the cloth gives way to");
  visit.field("compression", p.compression, Range{1, inf},
              "how much longer than on the guide an edge may be at rest; caps what a collapsed guide leaves over");
  visit.field("tightness", p.tightness, Range{kLoosest, kTightest},
              "what all rest lengths are divided by; above 1 it is tighter");
  visit.choice("tightness_map", p.tightness_map,
               "file of what the tightness is multiplied with at each vertex, as stiffness_map; empty: none");
  visit.field("depth", p.depth, Range{0, inf},
              "how deep the cloth may lie inside of the guide, as a share of the largest extent");
  visit.field("gain", p.gain, Range{0, 100},
              "height over the guide, along its normal, as a multiple of that in balance");
  visit.field("iterations", p.iterations, Range{1, most_iterations}, "most steps of the solver a frame");
  visit.field("settling", p.settling, Range{1, 1000}, "how many times as many in the first frame");
  visit.field("tolerance", p.tolerance, Range{0, 1}, "residual, as a strain, at which the solver stops before that");
  visit.choice("sewn", p.sewn, "whether vertices shared with the rest of the character stay on the guide");
  visit.choice("contact", p.contact, "whether the cloth is kept out of the body");
  visit.choice("layers", p.layers, "whether what lies under another layer of the garment is kept there");
  visit.field("clearance", p.clearance, Range{0, 1},
              "distance that the cloth keeps from the body, and layers from each other, as a share of the largest "
              "extent");
  visit.choice("cut", p.cut,
               "pose that the garment was cut for: rest, first (frame), or a file; empty: one of the file in which the "
               "character stands with its arms low, else rest, else first");
  visit.choice("compute", p.compute, "where the cloth is balanced: cpu, or gpu: where it is drawn");
}

inline constexpr std::array<std::string_view, 9> kCommonParams{
    "levels", "fold_size", "wavelength", "fabric.cloth", "swing", "tightness", "gain", "contact", "cut"};

inline std::span<const std::string_view> common_params(const Params& /*params*/) { return kCommonParams; }

}  // namespace pucker::drape
