/// Wrinkle paths carried from one frame to the next (Gillette 2015, section 5.2).
#pragma once

#include <memory>
#include <vector>

#include "pucker/dynamic/field.h"
#include "pucker/dynamic/params.h"
#include "pucker/dynamic/path_index.h"
#include "pucker/dynamic/tracing.h"
#include "pucker/dynamic/wrinkle.h"
#include "pucker/mesh/unfold.h"

namespace pucker {

/// What happened to the cloth between two frames; a view, the owner keeps it alive.
struct Motion {
  const Array3& previous_positions;    ///< (n, 3)
  const LocalFrames& previous_frames;  ///< of `previous_positions`
  const CompressionField& field;       ///< of the current frame
  const Stretch& stretch;              ///< previous → current frame, per reference interval; directions are not used
  double edge_length;                  ///< unit of length of the energy: the mean edge length of the mesh
  double dt;                           ///< seconds between the frames
};

/// The three terms of the energy that places a path (Gillette 2015, equation 5.2).
struct PathEnergy {
  double alignment = 0;  ///< Σ α_i ((p_{i+1}−p_i)·e_i)²
  double motion = 0;     ///< Σ (t_i − t̄_i)²
  double shape = 0;      ///< Σ ‖L_i − L̄_i‖²
  double sum() const { return alignment + motion + shape; }
};

/// What the energy needs to know of a path again and again.
struct PathMotion {
  std::vector<Vector3> now;   ///< (k,): its points, in the current frame
  std::vector<Vector3> then;  ///< (k,): in the previous one
  std::vector<Vector2> turns;  ///< (k−1,): angle by which each segment's triangle turns in its plane, as a unit complex
                               ///< number
  void take(const Motion& motion, const Wrinkle& wrinkle);
};

/// Cuts paths, reusing its memory.
class PathCutter {
 public:
  /// `out` becomes the part of the path from parameter `from` to `to`, where i + u is the point u of the way along
  /// segment i; fewer than two points if nothing is left. Sizes are taken along; id, age and state stay. `lengths`: arc
  /// lengths of the path's points.
  void cut(const Mesh& mesh, const Wrinkle& wrinkle, const std::vector<double>& lengths, double from, double to,
           Wrinkle& out);

 private:
  std::vector<double> sources_;
  SizeAlong sizes_;
};

/// Moves, merges, trims and lengthens the wrinkles of the previous frame.
class Persistence {
 public:
  /// `pool`: memory for parts that are cut off, shared with the code that removes them; none: its own.
  Persistence(std::shared_ptr<const Mesh> mesh, const Params& params, std::shared_ptr<WrinklePool> pool = nullptr);

  const std::shared_ptr<const Mesh>& mesh() const { return mesh_; }

  /// Carries all wrinkles into the current frame: move, then merge, then change_length of each. `occupied` holds the
  /// segments of the living wrinkles afterwards. Dying wrinkles keep their place on the mesh. Parts cut off are
  /// appended as dying wrinkles with ids from `next_id`.
  void step(const Motion& motion, SegmentIndex& occupied, std::int64_t& next_id, std::vector<Wrinkle>& wrinkles);

  /// The minimiser of the energy: t of each point, not restricted to [0, 1]. Of points that lie near the same vertex
  /// only one is free, the others' entries are their old t, so that the energy of all points need not fall. Zero motion
  /// gives the old bits, as does cloth so large against `edge_length` that the system is singular in double precision.
  void solve(const Motion& motion, const Wrinkle& wrinkle, std::vector<double>& t);
  /// The minimiser of the second solution's energy (equation 5.3): a point in space for each point of the path. The
  /// points are compared with their old places carried along by the mesh (`verbatim`: with their old places in space).
  void solve_in_space(const Motion& motion, const Wrinkle& wrinkle, std::vector<Vector3>& points);
  /// The energy of the path with parameters `t` (k,), all points free.
  PathEnergy energy(const Motion& motion, const Wrinkle& wrinkle, const std::vector<double>& t);

  /// Solves and puts the path back onto the mesh: by the method `edges` where a point has passed a vertex
  /// (section 5.2.1, figures 5.4, 5.5), by the method `projection` with a walk over the mesh along the solved points
  /// (section 5.2.2).
  void move(const Motion& motion, Wrinkle& wrinkle);

  /// Cuts, oldest wrinkle first, each living wrinkle where it crosses an older one or itself or comes closer than half
  /// the merge distance, and where it turns more sharply than tracing.bend allows; the longest clear part lives on.
  /// Fills `occupied`.
  void merge(const CompressionField& field, SegmentIndex& occupied, std::int64_t& next_id,
             std::vector<Wrinkle>& wrinkles);

  /// Trims each end below the threshold and lengthens it above, at most length_change of the length per interval.
  /// What is cut off goes to `cut_off`, dying. A wrinkle that has become too short goes there whole and is left empty.
  void change_length(const CompressionField& field, double dt, SegmentIndex& occupied, std::int64_t& next_id,
                     Wrinkle& wrinkle, std::vector<Wrinkle>& cut_off);

 private:
  /// Points first…last move as one past `vertex`.
  struct Cluster {
    std::size_t first;
    std::size_t last;
    std::int32_t vertex;
  };
  /// A path in the making.
  struct Route {
    std::vector<PathPoint> points;
    std::vector<std::int32_t> triangles;
    std::vector<double> sources;  ///< arc length of the old path that each point comes from
    std::int32_t onward = kNone;  ///< triangle that leads to the next point

    void clear();
    void append(const PathPoint& point, double source, std::int32_t next_triangle);
    void shorten(std::size_t size, std::int32_t next_triangle);
    /// Takes out pieces that lead along an edge or out of a triangle and back by the same edge.
    void remove_excursions();
  };

  /// Lets all wrinkles grow older and moves the living ones, each alone.
  void move_all(const Motion& motion, std::vector<Wrinkle>& wrinkles);
  void move_on_edges(const Motion& motion, Wrinkle& wrinkle);
  void move_in_space(const Motion& motion, Wrinkle& wrinkle);
  bool walk_along(const Motion& motion, const Wrinkle& wrinkle);
  void take_route(Wrinkle& wrinkle);
  /// Makes the points of the route that lie on an edge of the old path come from the old point there, which slid along
  /// the edge and keeps its size; the sources of the others come to lie between theirs.
  void match_edges(const Wrinkle& wrinkle);
  void find_groups(const Wrinkle& wrinkle);
  void select_free_points(const Wrinkle& wrinkle);
  void assemble(const Motion& motion, const Wrinkle& wrinkle);
  void find_clusters(const Wrinkle& wrinkle, const std::vector<double>& t);
  /// Appends the points of a cluster, moved, where they now cross edges; false if that is not possible.
  bool pass_vertex(const Motion& motion, const Wrinkle& wrinkle, const std::vector<double>& t, const Cluster& cluster);
  void draw_outline(const Wrinkle& wrinkle, const std::vector<double>& t, const Cluster& cluster);
  double alignment_weight(const Motion& motion, std::int32_t triangle) const;
  void cut(const CompressionField& field, double from, double to, std::int64_t& next_id, Wrinkle& wrinkle,
           std::vector<Wrinkle>& cut_off);
  void let_sink(const Wrinkle& wrinkle, double from, double to, std::int64_t& next_id, std::vector<Wrinkle>& cut_off);
  Interval longest_clear_part(const Wrinkle& wrinkle, const Array3& positions);
  double parameter_at(const Wrinkle& wrinkle, double arc_length) const;
  void lengthen(const CompressionField& field, const SegmentIndex& occupied, double length, Wrinkle& wrinkle);
  double shortest() const { return 0.5 * params_.least_length(); }

  std::shared_ptr<const Mesh> mesh_;
  Params params_;
  Tracer tracer_;

  // Memory that every step uses anew.
  Umbrella umbrella_;
  Route route_;
  PathMotion path_;
  SizeAlong sizes_;
  std::vector<Cluster> groups_;
  std::vector<Cluster> clusters_;
  std::vector<std::size_t> free_;
  std::vector<double> bands_, right_side_;
  std::vector<Vector3> targets_;
  std::vector<double> t_, arc_lengths_, sources_;
  std::vector<Vector2> outline_;
  std::vector<double> outline_sources_;
  SpokeCrossings crossings_;
  BendLimit bend_;
  PathBends bends_;
  std::vector<Interval> blocked_;
  std::vector<PathSegment> segments_;
  std::vector<Wrinkle> cut_off_;
  PathCutter cutter_;
  Wrinkle kept_;
  std::shared_ptr<WrinklePool> pool_;
  std::vector<std::unique_ptr<Persistence>> movers_;  ///< of several threads: one for each part of the wrinkles
};

/// Solves a symmetric positive definite banded system in place: `right_side` (n,) becomes the solution. `bands`
/// (n, bandwidth + 1), row-major: row i holds the entries (i, i) … (i, i + bandwidth); it is used up. LDLᵀ without
/// pivoting, O(n · bandwidth²).
void solve_banded(std::size_t bandwidth, std::vector<double>& bands, std::vector<double>& right_side);

/// PathCutter::cut for one path.
Wrinkle part_of_path(const Mesh& mesh, const Array3& positions, const Wrinkle& wrinkle, double from, double to);

}  // namespace pucker
