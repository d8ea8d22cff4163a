/// What the methods have in common: each turns the frames of a coarse mesh into detail over it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pucker/errors.h"
#include "pucker/mesh/topology.h"
#include "pucker/types.h"

namespace pucker {

struct Subdivision;
namespace draw {
struct Content;
class Continued;
}  // namespace draw

/// Points of a detailed surface, one row each.
struct SurfacePoints {
  Array3 base;           ///< (N, 3) on the mesh
  Array3 base_normals;   ///< (N, 3) unit, interpolated from the vertices
  Array3 displacements;  ///< (N, 3) vectors from the base
  Array3 positions;      ///< (N, 3) base + displacement
  Array3 normals;        ///< (N, 3) unit, of the displaced surface
};

/// Points of a surface that a thread takes at a time.
inline constexpr std::size_t kPointsTaken = 256;

/// Points of the mesh itself, displaced by nothing, given by a triangle (N,) and barycentric coordinates (N, 3) in it.
///
/// Normals of vertices without area, and interpolated normals that vanish, are (0, 1, 0). Throws InvalidArgument for
/// positions that are not (n, 3) and finite, and for a triangle out of range or coordinates that do not lie in it to
/// 1e-5.
SurfacePoints points_of_mesh(const Mesh& mesh, const ConstArray3& positions, std::span<const std::int32_t> triangles,
                             const ConstArray3& barycentrics);

/// What a surface is evaluated into. Kept from frame to frame, it takes memory only while there is more to hold.
struct Evaluation {
  /// What a kind of detail works in.
  struct Work {
    virtual ~Work() = default;
  };

  SurfacePoints points;
  Array3 vertex_normals;  ///< (n, 3) unit, of the mesh
  std::unique_ptr<Work> work;
};

/// The same into `out.points`.
void points_of_mesh(const Mesh& mesh, const ConstArray3& positions, std::span<const std::int32_t> triangles,
                    const ConstArray3& barycentrics, Evaluation& out);
/// How far each point is displaced along its base normal, (N,), negative inwards.
std::vector<double> normal_offsets(const SurfacePoints& points);

/// The fine surface that one frame of a method puts over the coarse one. It refers to the frame, which must outlive it.
class Detail {
 public:
  virtual ~Detail() = default;

  const Mesh& mesh() const { return mesh_; }
  /// (n, 3), of the frame.
  const Array3& positions() const { return positions_; }

  /// Points given by a triangle (N,) and barycentric coordinates (N, 3) in it. Points of an edge come out the same from
  /// both its triangles, to rounding. Throws InvalidArgument for a triangle out of range or coordinates outside of it.
  SurfacePoints evaluate(std::span<const std::int32_t> triangles, const ConstArray3& barycentrics) const;
  /// The same into `out.points`.
  virtual void evaluate_into(std::span<const std::int32_t> triangles, const ConstArray3& barycentrics,
                             Evaluation& out) const = 0;

  /// Whether a point of each triangle (m,) may be displaced; the others are drawn as they are.
  virtual std::vector<std::uint8_t> reached() const = 0;
  /// Length of the smallest feature that there can be, in the unit of the positions: what edges are measured by that
  /// are to show it.
  virtual double feature_size() const = 0;
  /// Length of the smallest feature in each triangle (m,), at least feature_size(); infinite where nothing is
  /// displaced.
  virtual std::vector<double> feature_sizes() const;
  /// Between which ends every displacement along the base normal lies, negative inwards; {0, 0} where there is none.
  virtual std::array<double, 2> offset_range() const = 0;
  /// Number of pieces (e,) that each edge is tessellated into: as many as make them no longer than `target_edge`, but
  /// `limit` at most; 1 where none of the edge's triangles is reached. An edge depends on itself alone, so the
  /// triangles on both its sides agree. Throws InvalidArgument for a target that is not finite and positive and a limit
  /// below 1.
  virtual std::vector<std::int32_t> edge_levels(double target_edge, int limit = 64) const;

  /// The mesh that the detail is, if it is the same one in all frames: its vertices lie where `evaluate` puts them and
  /// are drawn as they are. None of a detail that may be divided as finely as asked.
  virtual const Subdivision* own_mesh() const { return nullptr; }
  /// Folder of the shaders that tessellate the detail, or make the mesh that it is; empty for one that is divided on
  /// the processor.
  virtual std::string_view shaders() const { return {}; }
  /// The buffers that the shaders read, with positions relative to `origin`. `done`: what compute programs have left in
  /// the buffers so far, which may be of any run; null if nothing.
  virtual draw::Content draw_content(const Vector3& origin, const draw::Continued* done) const;

 protected:
  Detail(const Mesh& mesh, const Array3& positions) : mesh_(mesh), positions_(positions) {}
  Detail(const Detail&) = default;

 private:
  const Mesh& mesh_;
  const Array3& positions_;
};

/// What one frame gave. A method's own state extends it.
class State : public std::enable_shared_from_this<State> {
 public:
  virtual ~State() = default;

  std::int64_t frame = 0;
  double time = 0;              ///< seconds
  Array3 positions;             ///< (n, 3)
  std::vector<double> seconds;  ///< wall clock of each of stages()

  /// Names of the method's stages in the order in which a frame runs through them.
  virtual std::span<const std::string_view> stages() const = 0;
  virtual const Detail& detail() const = 0;

 protected:
  // Not copyable: a state may hold a detail that refers to it.
  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

/// A run of one method: one frame after the other. Its parameters are fixed for its life.
class Method {
 public:
  virtual ~Method() = default;

  /// As in `--method` and in the folders of the method.
  virtual std::string_view name() const = 0;
  /// As State::stages.
  virtual std::span<const std::string_view> stages() const = 0;
  virtual const std::shared_ptr<const Mesh>& mesh() const = 0;

  /// One frame: `positions` (n, 3) at `time` seconds, later than the frame before. Throws InvalidArgument for a wrong
  /// shape, a position that is not finite or a time that is not later. Whatever it throws, nothing has changed then.
  /// The result is that of state().
  virtual const State& advance(const ConstArray3& positions, double time) = 0;
  /// The same with the positions (nb, 3) of who wears the cloth in this frame, in place of those that the run has.
  /// Methods that do not look at the wearer leave them alone.
  virtual const State& advance_worn(const ConstArray3& positions, const ConstArray3& /*body*/, double time) {
    return advance(positions, time);
  }
  /// Throws what advance would throw for the same arguments.
  virtual void require_frame(const ConstArray3& positions, double time) const = 0;

  /// How long the last frame has taken, all stages together; 0 before the first, and where it is not known.
  virtual double last_seconds() const { return 0; }
  /// The last frame, valid until the next one; throws InvalidArgument before the first.
  virtual const State& state() const = 0;
  /// The last frame as a shared pointer: while it is held, later frames use other memory.
  std::shared_ptr<const State> share_state() const { return state().shared_from_this(); }

  /// The whole run as bytes: mesh, parameters, last frame and everything the next one depends on.
  virtual std::string save() const = 0;
  /// A run of this method that goes on with the same bits as the saved one. Throws Error for bytes that save() of this
  /// method has not made.
  virtual std::unique_ptr<Method> restored(std::string_view bytes) const = 0;

 protected:
  Method() = default;
  Method(const Method&) = default;
  Method& operator=(const Method&) = default;
};

/// Throws InvalidArgument unless a run whose last frame was at `last` seconds, if there was one, may go on with
/// `positions` at `time`.
void require_next_frame(const Mesh& mesh, std::optional<double> last, const ConstArray3& positions, double time);

/// What the runs of all methods have alike: `RunState` is what a frame gives, and `Run`, which extends this, has a
/// `static Run restore(std::string_view)`.
template <class Run, class RunState>
class MethodOf : public Method {
 public:
  void require_frame(const ConstArray3& positions, double time) const override {
    require_next_frame(*mesh(), state_ ? std::optional(state_->time) : std::nullopt, positions, time);
  }
  double last_seconds() const override {
    return state_ ? std::reduce(state_->seconds.begin(), state_->seconds.end()) : 0;
  }
  const RunState& state() const override {
    require(state_ != nullptr, "there is no state before the first frame: call advance first");
    return *state_;
  }
  std::shared_ptr<const RunState> share_state() const {
    state();
    return state_;
  }
  std::unique_ptr<Method> restored(std::string_view bytes) const override {
    return std::make_unique<Run>(Run::restore(bytes));
  }

 protected:
  std::shared_ptr<RunState> state_;  ///< of the last frame, null before the first
};

}  // namespace pucker
