/// Draped cloth as the compute programs of `shaders/drape` know it: what they are sent of a garment, and which of them
/// run in a frame.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "pucker/drape/computed_body.h"
#include "pucker/drape/drape.h"
#include "pucker/draw/content.h"
#include "pucker/types.h"

namespace pucker::drape {

/// A frame as the programs need it.
struct ComputedStep {
  std::size_t coarse_first = 0;                 ///< where its positions begin in the block Coarse
  std::size_t body_first = 0;                   ///< and the body's, if there is one
  Vector3 moved = Vector3::Zero();              ///< from the middle of the coarse mesh to that of the frame before
  std::optional<double> passed = std::nullopt;  ///< seconds since that; none: nothing is taken over from it
  double passed_before = 0;                     ///< seconds that those before were; 0: unknown
};

/// Lengths are in a power of two about as long as an edge, so that unit and place of the garment do not matter.
class ComputedSheet {
 public:
  /// Of a run that has seen no frame.
  explicit ComputedSheet(const Drape& start);

  double unit() const { return unit_; }
  /// What keeps the cloth out of it; null where nothing does.
  const ComputedBody* body() const { return body_ ? &*body_ : nullptr; }
  /// Evaluations of the energy in a frame. Steps that are halved take one more each, of which there is no telling
  /// before: there are a quarter more than iterations, and a few. Where they do not suffice, iterations are missing.
  static std::int64_t evaluations(int iterations);
  /// All blocks but that of the coarse positions, of one that has seen no frame, or as they are.
  std::vector<draw::Buffer> buffers(bool kept) const;
  /// Adds the programs that balance a frame.
  void add_programs(const ComputedStep& step, std::vector<draw::Program>& out) const;
  /// Adds those that draw what was balanced last, whose coarse positions begin at `coarse_first` of the block Coarse;
  /// `middle` of the coarse mesh, from where positions are drawn relative to.
  void add_drawing(std::size_t coarse_first, const Vector3& middle, std::vector<draw::Program>& out) const;

 private:
  /// As sheet.glsl has them.
  struct Vertex {
    float value[3];
    float own;
    float hold;
    std::uint32_t up, up_end;
    std::uint32_t down, down_end;
    std::uint32_t anchor, neighbour;
    std::uint32_t row, row_end, base_end;
    std::uint32_t ring, ring_end;
    std::uint32_t spring, spring_end;
    float bend;
    float diagonal;
    float free;
    float mass;
    float cut_area;
    float sewn;
    float last[3];
    float cut_room;
    float before[3];
    float cut_depth;
    float velocity[3];
    float kept_out;
    float velocity_before[3];
    std::uint32_t touched;
    float local[3];
    std::uint32_t listed;
  };
  static_assert(sizeof(Vertex) == 176);
  struct Spring {
    std::uint32_t neighbour;
    float weight;
    float cut;
    float over;
    float along[4];
  };
  static_assert(sizeof(Spring) == 32);

  void add_body(const Contact& contact, std::span<const std::uint8_t> fixed);
  void add_layers(const Layers& layers);
  void add_levels(const Levels& levels, const Sheets& sheets);
  void add_places(const Levels& levels);
  void add_springs(const Levels& levels, const Sheets& sheets, const Lengths& lengths);
  std::uint32_t add_row(const SparseRows& rows, std::int64_t row);
  void add_iteration(const std::vector<draw::Uniform>& in_judge, bool last, std::vector<draw::Program>& out) const;

  Params params_;
  double extent_;
  double unit_ = 1;
  double squares_ = 1;                ///< Σ L², in squares of the unit
  std::int64_t count_;                ///< N
  std::vector<std::int64_t> firsts_;  ///< (levels + 1,) of the vertices of each level but the finest; the end
  std::vector<Vertex> vertices_;
  std::vector<std::uint32_t> links_;
  std::vector<Spring> springs_;
  std::optional<ComputedBody> body_;
  std::int64_t covered_ = 0;      ///< vertices under another layer
  std::size_t layers_first_ = 0;  ///< where they begin in links_
  std::size_t fine_first_ = 0;    ///< where the triangles that may cover do
  double between_ = 0;            ///< what layers keep from each other, in the unit
};

}  // namespace pucker::drape
