/// Wrinkle paths traced across the compression (Gillette 2015, section 5.1).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "pucker/dynamic/bend.h"
#include "pucker/dynamic/field.h"
#include "pucker/dynamic/params.h"
#include "pucker/dynamic/path_index.h"
#include "pucker/dynamic/seeding.h"
#include "pucker/dynamic/walker.h"
#include "pucker/dynamic/wrinkle.h"

namespace pucker {

/// A path and why its two walks ended, in the order of its ends.
struct Trace {
  std::optional<Wrinkle> wrinkle;  ///< none: it would be too short
  std::array<WalkEnd, 2> ends;
};

/// Starts new paths and lengthens living ones.
class Tracer {
 public:
  /// `pool`: memory for new wrinkles, shared with the code that removes them; none: its own.
  Tracer(std::shared_ptr<const Mesh> mesh, const Params& params, std::shared_ptr<WrinklePool> pool = nullptr);

  const Params& params() const { return params_; }
  const Mesh& mesh() const { return *mesh_; }

  /// Fills `out` with the points tried in this frame, as `Seeder::visit` has them.
  void seeds(const CompressionField& field, std::int64_t frame, std::vector<Seed>& out);

  /// The path through `seed`, traced both ways and smoothed once; its ends keep merge_distance from the `occupied`
  /// segments and from itself. No wrinkle if it is shorter than min_length. Heights are 0, widths flat; `id` is given.
  Trace trace(const CompressionField& field, const Seed& seed, const SegmentIndex& occupied, std::int64_t id);

  /// Seeds and traces all new paths of a frame: a seed keeps `Seeder::distance` from every curve of `curves`, whose
  /// radius is at least that, or with Seeding::trains the share kKept of the spacing there, and what is beside a path
  /// comes first, at 256 places in each triangle at most. New paths are appended to `wrinkles` and entered in both
  /// indices, their place among the wrinkles as owner of the curve; ids count up from `next_id`. Across
  /// tracing.coherence flat widths of a seed the cloth is compressed alike. `alive`: paths alive before. If it throws,
  /// `occupied`, `next_id` and `wrinkles` are as before.
  void grow(const CompressionField& field, std::int64_t frame, std::size_t alive, SegmentIndex& occupied,
            CurveIndex& curves, std::int64_t& next_id, std::vector<Wrinkle>& wrinkles);

  /// Lengthens `wrinkle` at its last point by at most `length`, along its last segment to the end of that triangle and
  /// on along the field. An addition shorter than kLeastStep·min_width is not made. Returns the length added.
  double extend(const CompressionField& field, const SegmentIndex& occupied, double length, Wrinkle& wrinkle);

  static constexpr double kLeastStep = 0.05;
  static constexpr double kKept = 0.9;

 private:
  /// Places beside a few wrinkles, found before any wrinkle of the frame is started.
  struct Beside {
    std::vector<Seed> seeds;
    std::vector<std::uint8_t> away;  ///< whether each keeps its distance from the curves there were
    std::vector<std::size_t> ends;   ///< of each wrinkle's, in `seeds`
  };
  /// Fills `found_` for the wrinkles, on several threads.
  void find_beside(const CompressionField& field, const CurveIndex& curves, const std::vector<Wrinkle>& wrinkles);
  /// Whether a seed is too near to one of the curves to start a path.
  bool too_near(const CompressionField& field, const CurveIndex& curves, const Seed& seed) const;
  /// Traces into `draft_`; false if the path is too short.
  bool draft(const CompressionField& field, const Seed& seed, const SegmentIndex& occupied, std::int64_t id);

  std::shared_ptr<const Mesh> mesh_;
  Params params_;
  Seeder seeder_;
  BendLimit bend_;
  bool trains_;
  std::vector<Seed> beside_;
  std::vector<Beside> found_;
  std::vector<std::int32_t> tries_;  ///< beside paths, in each triangle in this frame
  PathCurve curve_;
  Wrinkle draft_;
  std::array<WalkEnd, 2> draft_ends_{};
  std::shared_ptr<WrinklePool> pool_;
  std::vector<PathPoint> straight_;
  PassedTriangles passed_;
};

}  // namespace pucker
