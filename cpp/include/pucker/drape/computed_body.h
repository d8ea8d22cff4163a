/// The body that wears draped cloth as the compute programs of `shaders/drape` know it: what is solid of it, and the
/// boxes round that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pucker/drape/contact.h"
#include "pucker/draw/content.h"
#include "pucker/mesh/triangle_tree.h"
#include "pucker/types.h"

namespace pucker::drape {

/// Programs search the tree of Contact, from the root on and without a stack: a box that is too far is passed over with
/// all below it. Triangles round a vertex and across an edge say on which side of it something is.
class ComputedBody {
 public:
  /// Of a contact in the cut pose; lengths are in `unit`.
  ComputedBody(const Contact& contact, double unit);

  /// Whether nothing of it is solid.
  bool empty() const { return visits_.empty(); }
  /// Adds what never changes to the block Links.
  void add_links(std::vector<std::uint32_t>& links);
  /// Adds a frame to the block Coarse: positions (nb, 3) from the `middle`, and boxes.
  void add_frame(const ConstArray3& positions, const Vector3& middle, std::vector<float>& coarse) const;
  /// What programs that search it need, for a frame that begins at `first` of that block.
  std::vector<draw::Uniform> uniforms(std::size_t first) const;
  /// Uniforms of the program that looks for regions.
  std::vector<draw::Uniform> of_regions() const;

 private:
  double unit_;
  double clearance_;
  double reach_;
  std::int32_t seeds_;
  std::vector<TreeVisit> visits_;
  std::vector<std::int32_t> vertices_;  ///< of the body, those of solid triangles
  Index3 triangles_;                    ///< of these, in the order of the tree
  Index3 across_;                       ///< triangles across the edges (k, k + 1), kNone where there is none
  std::vector<float> from_border_;      ///< of the vertices
  std::size_t visits_first_ = 0;        ///< where these begin in Links
  std::size_t triangles_first_ = 0;
  std::size_t vertices_first_ = 0;
};

}  // namespace pucker::drape
