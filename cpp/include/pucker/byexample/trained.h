/// A trained set: the poses of a garment with their details, as one file keeps them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pucker/byexample/guide_cloth.h"
#include "pucker/byexample/synthesis.h"
#include "pucker/mesh/topology.h"
#include "pucker/named_arrays.h"
#include "pucker/types.h"

namespace pucker::byexample {

/// What a set was learned from.
struct Origin {
  std::string file;                ///< name of the character's, without its folder; empty if it is not known
  std::vector<std::string> clips;  ///< that were learned from
  std::string simulator;           ///< of the garment, drape or blender; empty for a recording
  double correlation = 0;          ///< of weights predicted for clips left out, in the mean; 0 if that was not tried
  std::vector<double> left_out;    ///< that of each clip, NaN where nothing changes; empty if it was not tried
  double again = 0;                ///< correlation of the cloth with itself begun otherwise; 0 if that was not tried
  double untaught = 0;             ///< and of the guide's cloth with it, without detail; 0 without
  std::int64_t frames = 0;         ///< of the clips that were learned from; 0 if it is not known
  std::int64_t made = 0;           ///< frames besides, of motion made of the clips' poses
  std::string date;                ///< of the learning, as 2026-11-24; empty if it is not known
};

struct TrainedSet {
  Index3 faces;                                ///< (m, 3) of the feature mesh
  Array3 rest;                                 ///< (n, 3) of the feature mesh, in the clip's unit of length
  std::int32_t levels = 0;                     ///< how often it is subdivided
  std::vector<Array3> poses;                   ///< P of shape (n, 3), the first at rest; C, the centres of a regression
  std::vector<Array3> details;                 ///< P of shape (N, 3), in the frames of the smooth surface
  SynthesisOptions options;                    ///< how weights are computed
  std::vector<std::string> parts;              ///< of a character that the feature mesh is; none if it is all
  Origin origin;                               ///< what it was learned from
  double step = 0;                             ///< of the details' multiples, if it is not 0
  bool by_level = false;                       ///< multiples are those of DetailCode, not of the details themselves
  std::optional<RegressionTables> regression;  ///< where weights come from, if not from the poses' own distances
  std::optional<GuideCloth> cloth;             ///< of the guide, which the poses are in balance with; none: the guide
  double pose_step = 0;                        ///< those of a regression's numbers
  double velocity_step = 0;
  std::vector<double> coefficient_steps;  ///< of each detail's but the first; none: coefficients are any numbers
  double displacement_step = 0;
};

/// Largest of the multiples of a step.
inline constexpr std::int32_t kLargestMultiple = (1 << 23) - 1;

/// Reads a trained set of the arrays faces, rest, poses and details, those of a regression (points, velocities,
/// coefficients and, where they count, displacements), that of a guide's cloth (cut), and of the text header.
///
/// Throws Error, naming the file, for what is no trained set, of a newer version, lacks a part, or has parts that do
/// not fit each other. Whether a detail fits the subdivided mesh is found out by Synthesis.
TrainedSet read_trained(const std::string& path, const ReadArrays& read);

/// A synthesis from the poses of a set, on a mesh that must be that of the set. Throws InvalidArgument for another
/// mesh, saying what differs, and as Synthesis does.
Synthesis synthesis_of(const TrainedSet& set, const std::shared_ptr<const Mesh>& mesh);

/// Throws InvalidArgument unless `mesh` has the vertices (n) and triangles of a set, saying what differs, and which
/// parts of which file the set is for.
void require_mesh_of_set(const Index3& faces, std::int64_t vertex_count, const std::vector<std::string>& parts,
                         const std::string& file, const Mesh& mesh);
/// Throws InvalidArgument unless the edges of `rest` (n, 3) are as long as those of the set's rest pose, of which the
/// features are, to a thousandth.
void require_rest_of_set(const Features& set, const ConstArray3& rest);
/// Throws InvalidArgument if positions (n, 3) of any pose are of another unit of length than the set: if the median of
/// the edges' stretch is not within a factor of 1.5.
void require_unit_of_set(const Features& set, const ConstArray3& positions);

}  // namespace pucker::byexample
