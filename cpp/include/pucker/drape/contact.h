/// What keeps draped cloth out of the body that wears it.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "pucker/drape/body.h"
#include "pucker/drape/guide.h"
#include "pucker/mesh/near_triangles.h"
#include "pucker/mesh/triangle_tree.h"
#include "pucker/types.h"

namespace pucker::drape {

/// How much deeper in the body than it was cut cloth is found, as a share of its largest extent.
inline constexpr double kReach = 0.03;
/// Mean cosine between the normals of a guide and of the body in it, from which cloth lies on the body …
inline constexpr double kUnder = 0.7;
/// … and up to which the body goes through it.
inline constexpr double kThrough = 0.4;
/// How deep in the body a guide is found, as a multiple of the reach: what is deeper is no longer told from what is on
/// the other side of a limb.
inline constexpr double kDeepest = 4;

/// A place of the body that a vertex must not come nearer to than `room`, along the unit `normal`.
struct Touch {
  Vector3 place;
  Vector3 normal;         ///< out of the body, the direction in which the distance grows
  double length;          ///< of the distance
  double distance;        ///< the same, negative inside
  double from_border;     ///< of the place from an opening of the body
  std::int32_t triangle;  ///< that the place is on, of those that are solid
};

/// Distances of fine vertices from a body, frame after frame, and what takes vertices out of it.
///
/// Solid is what of the body has a back: a ray inwards from the triangle's middle leaves the body again in the cut
/// pose; and all of a connected piece of which three quarters have one, as a head round its open neck. The rest, such
/// as capes and strands of hair, has no inside and does not count. Inside is a vertex that is behind the nearest place
/// (angle-weighted normals; Bærentzen and Aanæs 2005). Where that is a border of what is solid, such as the wrist of a
/// hand, or nearer to one than to the vertex, which has come in by the opening, there is no inside and no contact.
///
/// The room of a vertex is what it keeps from the body: `clearance` and what lies beneath it, or less where the coarse
/// surface itself is nearer or inside in the cut pose, or behind a border that is nearest to it. So what is modelled to
/// intersect is left, and what is rounded by subdivision is not. In a frame the guide may change it: cloth that was cut
/// in the body is no deeper than its guide is, and where a limb pierces the guide, cloth would have to be stretched
/// over it and has the guide's own distance for its room.
class Contact {
 public:
  /// `cut`: coarse positions (n, 3) of the garment; `clearance`, `reach`: lengths; what is deeper by more than `reach`
  /// than it was cut is not found; `beneath` (N,), empty for 0: what each fine vertex keeps beyond the clearance for
  /// what lies under it. Throws InvalidArgument for shapes that do not fit and lengths below 0.
  Contact(std::shared_ptr<const Body> body, const Levels& levels, const ConstArray3& cut, double clearance,
          double reach, std::span<const double> beneath = {});

  const std::shared_ptr<const Body>& body() const { return body_; }
  /// (N,) of the frame.
  const std::vector<double>& room() const { return room_; }
  /// Triangles that are solid.
  std::int64_t solid_count() const { return tree_.triangles().rows(); }
  /// These, of the body's vertices.
  const Mesh& solid() const { return *solid_; }
  /// Of its triangles.
  const TriangleTree& tree() const { return tree_; }
  /// (nb,) of the body's vertices from the border of what is solid, in the cut pose; infinite where there is none.
  const std::vector<double>& from_border() const { return from_border_; }
  /// The largest that a vertex has, with what lies under it.
  double clearance() const { return clearance_; }
  double reach() const { return reach_; }
  /// (N,) of the cut pose.
  const std::vector<double>& cut_room() const { return cut_room_; }
  /// (N,) distances from the body in the cut pose, negative inside, 0 outside.
  const std::vector<double>& cut_depth() const { return cut_depth_; }
  /// Fine vertices from which regions of the guide in the body are looked for: the first ones.
  std::int32_t seeds() const { return seeds_; }
  /// Share of the fine vertices that lie in the body in the cut pose, and so stay as deep in it, or behind an open
  /// border of it, no farther than kDeepest times the reach.
  double cut_inside() const;
  /// Takes the body to a frame, and the room to that of the cut pose. Throws InvalidArgument for a frame that it has
  /// not.
  void step(std::int64_t frame);
  /// The same for positions (nb, 3) that Body::require_positions takes.
  void step(const ConstArray3& positions);
  /// Changes the room by the guide (N, 3) of unit `normals` (N, 3) in the frame.
  ///
  /// A vertex that was cut in the body, and whose guide is within reach of its surface, keeps to that, or as deep as
  /// the guide is where that is less deep than where it was cut. And the body pierces the cloth where it pierces the
  /// guide. In a connected region of the guide in the body let d be its largest depth, beyond that of the cut pose, and
  /// c the mean cosine between the normals of guide and body, 1 for a body under the cloth and 0 for a limb through it:
  /// as d goes from a quarter to half of the reach and c from kUnder to kThrough, room goes to the guide's own
  /// distance. Regions are found by the vertices of a mesh two levels coarser that are in the body.
  void set_guide(const ConstArray3& guide, const ConstArray3& normals);
  /// Fills `near` (N,) with 1 for vertices x (N, 3) that have the body within reach and are not pinned (N,), else 0,
  /// and the rows of `places` and `normals` (N, 3) of the former with the nearest place and the unit direction out of
  /// the body there. Does not allocate.
  void touch(const Array3& x, std::span<const std::uint8_t> pinned, Array3& places, Array3& normals,
             std::span<std::uint8_t> near);
  /// (N,): of fine positions (N, 3) from the body, negative inside, infinite where it is not within reach.
  std::vector<double> distances(const ConstArray3& x) const;
  /// Takes vertices (N, 3) that are too near to where they have their room, those pinned (N,) left out; how many.
  /// Where they have hardly moved since touch() in the same frame, it need not look at them again.
  std::int64_t lift(Array3& x, std::span<const std::uint8_t> pinned = {});

 private:
  /// What was found when a vertex was touched last.
  struct Touched {
    Vector3 point = Vector3::Zero();
    double clear = 0;               ///< nothing of the body is nearer to it in this frame
    std::int32_t triangle = kNone;  ///< nearest in whichever frame
  };

  enum class Asked : std::uint8_t { not_yet, no, yes };

  void pose(const ConstArray3& positions);
  /// Vertices from `begin` to `end` in order_, which are asked for together.
  struct Group {
    std::size_t begin, end;
    std::size_t number() const { return begin / NearTriangles::kPoints; }
  };
  /// Calls `visit` for all groups, from several threads.
  template <class Visit>
  void for_groups(const Visit& visit) const;
  void touch(Group group, const Array3& x, std::span<const std::uint8_t> pinned, Array3& places, Array3& normals,
             std::span<std::uint8_t> near);
  /// Of what was cut in the body and whose guide (N, 3) is within reach of its surface.
  void keep_to_guide(Group group, const ConstArray3& guide);
  std::int64_t lift(Group group, Array3& x, std::span<const std::uint8_t> pinned);
  /// Where the straight way of a vertex from its guide to `point` goes in through the surface; a triangle of kNone if
  /// it does not.
  RayHit entered(std::size_t v, const Vector3& point) const;
  /// Whether a vertex that was cut outside is as deep `at` its place only with its guide, which passes for outside: no
  /// surface is between them, as behind a bent knee, where the body goes through itself.
  bool is_with_guide(std::size_t v, const Vector3& point, const Touch& at) const;
  /// Whether the body keeps a vertex out at `point`: its nearest place has an inside in which it has not come by an
  /// opening, nor with its guide, or its way from the guide goes in through the surface, whose plane there counts then.
  bool keeps_out(std::size_t v, const Vector3& point, const NearestPoint& nearest, Touch& out) const;
  /// By which distances may be wrong.
  double rounding() const;
  /// How far from vertex `v` the body is looked for.
  double within(std::size_t v) const;
  /// Whether a place is within reach that has an inside in which the point has not come by an opening; `triangle` and
  /// `length` of `out` are those of the nearest place even if it has none. `guess`: see TriangleTree::nearest.
  bool find(const Vector3& point, double within, std::int32_t guess, Touch& out) const;
  /// The same, by whichever way it has come in.
  bool locate(const Vector3& point, double within, std::int32_t guess, Touch& out) const;
  /// The same, if the nearest place is known.
  bool locate(const Vector3& point, const NearestPoint& nearest, Touch& out) const;

  std::shared_ptr<const Body> body_;
  TriangleTree tree_;  ///< of what is solid
  NearTriangles facets_;
  std::shared_ptr<const Mesh> solid_;
  std::vector<double> from_border_;
  double clearance_;
  double reach_;
  std::vector<double> cut_room_;
  std::vector<double> cut_depth_;
  std::int64_t inside_ = 0;  ///< vertices that cut_inside() counts
  std::vector<double> room_;
  std::shared_ptr<const Mesh> fine_;
  std::int32_t seeds_ = 0;                  ///< vertices of a mesh two levels coarser
  std::vector<Asked> asked_;                ///< (N,) whether the guide is deep in the body
  Array3 guide_;                            ///< (N, 3) …
  bool guided_ = false;                     ///< … if it was set in the frame
  std::vector<double> guide_depth_;         ///< (N,) distances of the guide, where it was looked at
  std::vector<double> cosines_;             ///< (N,) between the normals of guide and body there
  std::vector<std::int32_t> region_;        ///< fine vertices
  std::vector<std::int32_t> order_;         ///< (N,) of fine vertices: those that are asked for together
  std::vector<Touched> touched_;            ///< (N,)
  std::vector<NearTriangles::List> lists_;  ///< of what was near those vertices when they were touched last
  Array3 faces_, edges_, corners_;          ///< normals of solid triangles, edges and vertices, not of unit length
};

}  // namespace pucker::drape
