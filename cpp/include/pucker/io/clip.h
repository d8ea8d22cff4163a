/// A clip: one animated character, cut into the garment that wrinkles and the body that is only drawn.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pucker/io/skin.h"
#include "pucker/mesh/alpha.h"
#include "pucker/mesh/texture.h"
#include "pucker/mesh/topology.h"
#include "pucker/types.h"

namespace pucker::io {

/// How a triangle is painted.
struct Material {
  std::string name;
  std::array<double, 4> color{0.8, 0.8, 0.8, 1.0};  ///< linear RGBA; multiplies the texture
  std::string texture_name;                         ///< as the file names it, empty if there is no texture
  std::vector<std::uint8_t> texture;                ///< the encoded picture (PNG, JPEG …), empty if it was not found
  Alpha alpha = {};                                 ///< what the alpha of colour times texture says

  bool operator==(const Material&) const = default;
};

/// A clip a file offers.
struct ClipInfo {
  std::string name;
  double duration = 0.0;  ///< seconds

  bool operator==(const ClipInfo&) const = default;
};

/// What names of nodes begin with in a file and in the one that moves it, where the rest of the names agrees.
struct NamePrefixes {
  std::string own;
  std::string motion;

  bool operator==(const NamePrefixes&) const = default;
};

/// Triangles as the file stores them, where a vertex is split at seams of texture or normal.
struct StoredSurface {
  Index3 faces;                         ///< (m, 3) stored vertices
  UvArray uv;                           ///< (N, 2), or (0, 2) if the file has none
  std::vector<std::int32_t> materials;  ///< (m,) index into the clip's materials
  std::vector<std::int32_t> weld;       ///< (N,) the welded vertex of each stored one
  Array3 normals = Array3(0, 3);        ///< (N, 3) the file's own, zero where it has none; (0, 3) if it has none at all
  Array3 normal_pose = Array3(0, 3);    ///< (N, 3) positions in the pose that has these normals, or (0, 3)
  /// Triangles of the file that were left out as the other side of one of `faces`, rising; numbered as the garment's,
  /// or the body's, triangles lie in the file.
  std::vector<std::int32_t> other_sides = {};
};

/// Unit normals of the stored vertices in one frame.
struct ShadingNormals {
  Array3 garment;  ///< (N, 3)
  Array3 body;     ///< (nb, 3)
};

/// What follows from all frames of a clip, for one that has only some of them.
struct Whole {
  double height = 0.0;                    ///< Clip::height
  std::vector<std::int32_t> shared;       ///< Clip::shared_vertices
  std::vector<std::int32_t> shared_with;  ///< (nb,) the garment vertex that a body vertex is in the place of, or kNone
};

/// A pose of the character in its file in which it stands upright with its arms low, as clothes are cut.
///
/// It is the first frame of a clip whose name has the word idle, stand, standing, relaxed or apose (a_pose) in it, the
/// name of fewest words first; else of a clip with walk or walking; else, if the bind pose is a T-pose, at least 0.8
/// times as wide or deep as high, of any clip, or a frame of the clip that is loaded: of these the one whose vertices
/// are nearest to their vertical. Upright is what is at least 0.9 times as high as the bind pose, 0.97 times where no
/// name decides, and arms are low where the vertices are less than 0.9 times as far, root mean square, from the
/// vertical through their middle as in the bind pose. Files without a skin have no known bind pose: where they have
/// several clips, the pose beside these is taken for it, else there is no standing pose.
struct Standing {
  std::string from;               ///< "the first frame of Idle"
  Array3 garment = Array3(0, 3);  ///< (n, 3)
  Array3 body = Array3(0, 3);     ///< (nb, 3)
};

/// Everything a clip is made of. The rest follows from it.
struct ClipData {
  std::string name;
  std::vector<double> times;                        ///< (frames,) seconds, strictly increasing
  std::int64_t vertices = 0;                        ///< n, welded vertices of the garment
  std::vector<double> positions;                    ///< frames × n × 3, welded vertices of the garment
  std::optional<Array3> rest;                       ///< (n, 3), see Clip::rest
  Array3 body_rest = Array3(0, 3);                  ///< (nb, 3) the body in the pose `rest`; (0, 3) without one
  std::optional<Standing> standing = std::nullopt;  ///< see Clip::standing
  std::optional<Skin> skin;                         ///< see Clip::skin
  std::optional<Skin> body_skin = std::nullopt;     ///< see Clip::body_skin
  Skeleton skeleton = {};                           ///< see Clip::skeleton
  std::optional<double> front = std::nullopt;       ///< front_of the clip whose surfaces were subdivided to these
  StoredSurface garment;
  std::vector<double> body_positions;  ///< frames × nb × 3, stored vertices of the body
  StoredSurface body;
  std::vector<Material> materials;
  std::vector<std::string> parts;  ///< the names that chose the garment
  std::vector<ClipInfo> clips;     ///< all clips of the file
  std::optional<Whole> whole;      ///< of the clip that this is the beginning of
};

/// What a clip holds, for a reader who wants to know what a file is made of.
struct ClipReport {
  std::int64_t stored_vertices = 0;      ///< of the garment
  std::int64_t welded_vertices = 0;      ///< of the garment
  std::int64_t triangles = 0;            ///< of the garment
  std::int64_t zero_area_triangles = 0;  ///< of the garment, in the first frame
  std::int64_t duplicate_faces = 0;      ///< garment triangles with the same three welded vertices as an earlier one
  std::int64_t other_sides = 0;          ///< triangles of the file, body's too, left out as the other side of one
  std::int64_t body_vertices = 0;
  std::int64_t body_triangles = 0;
  std::int64_t frames = 0;
  double duration = 0.0;  ///< seconds from the first frame to the last
  MeshReport mesh;
};

/// A clip, checked and fixed for its life.
class Clip {
 public:
  /// Throws InvalidArgument unless the arrays fit each other, there is at least one frame, times are finite and
  /// strictly increasing, positions are finite, and every index is in its range.
  explicit Clip(ClipData data);

  /// A clip of a garment alone. `faces`: (m, 3) of n stored vertices. `positions`: frames × n × 3. `times`: (frames,)
  /// seconds. `uv`: (n, 2). With `weld`, vertices that coincide in every frame, and in `rest` (n, 3) if there is one,
  /// become one (see pucker::weld). Throws as the constructor does.
  static Clip from_arrays(Index3 faces, std::vector<double> positions, std::vector<double> times,
                          std::optional<UvArray> uv = std::nullopt, bool weld = true,
                          const std::optional<Array3>& rest = std::nullopt);

  /// The first `frames` frames, and all else as it is: rest pose, skin, body and materials, and the height and the
  /// shared vertices of the whole clip. Throws InvalidArgument for a number outside [1, frame_count()].
  Clip beginning(std::int64_t frames) const;

  const ClipData& data() const { return data_; }
  /// Connectivity of the welded garment.
  const std::shared_ptr<Mesh>& mesh() const { return mesh_; }
  std::int64_t frame_count() const { return std::int64_t(data_.times.size()); }
  std::int64_t vertex_count() const { return data_.vertices; }
  std::int64_t body_vertex_count() const { return std::int64_t(data_.body.weld.size()); }
  /// Welded garment positions of one frame, (n, 3).
  Eigen::Map<const Array3> positions(std::int64_t frame) const;
  /// The pose the garment was bound to its joints in, (n, 3), in the unit and scale of `positions` (see
  /// Source::bind_pose); none if the file has no skin.
  const std::optional<Array3>& rest() const { return data_.rest; }
  /// The pose in which the character stands; none if its file has none, and for clips that are from no file.
  const std::optional<Standing>& standing() const { return data_.standing; }
  /// The garment's linear blend skin, with all its influences; none if the file has none, or frames instead.
  const std::optional<Skin>& skin() const { return data_.skin; }
  /// That of the body, whose vertices are the stored ones; none if the file has none, or morph targets move the body.
  const std::optional<Skin>& body_skin() const { return data_.body_skin; }
  /// The nodes that the joints of both are; empty without a skin.
  const Skeleton& skeleton() const { return data_.skeleton; }
  /// Vertices of the garment that are in the same place as a vertex of the body in every frame, ascending: there the
  /// garment is sewn to the rest of the character, at its border or, where three sheets meet, inside. Of cloth that
  /// lies on a copy of itself, only the border is.
  const std::vector<std::int32_t>& shared_vertices() const { return shared_vertices_; }
  /// The vertex (n + nb,) that each of the garment and then of the body is where both are one mesh: what of the body is
  /// in one place shares a number, which is the garment's where it is sewn to it.
  std::vector<std::int32_t> joined() const;
  /// Whether the file has normals of its own, for the garment or the body.
  bool has_authored_normals() const { return data_.garment.normals.rows() > 0 || data_.body.normals.rows() > 0; }
  /// What garment and body are to be shaded by in a frame: the mean of the triangles' normals round a vertex, weighted
  /// by area, of garment and body together where they are sewn to each other; with `authored` the file's normals where
  /// it has some, carried by the triangles from the pose that it gives them in (carry_normals). (0, 1, 0) where nothing
  /// has area.
  ShadingNormals shading_normals(std::int64_t frame, bool authored) const;
  /// Body positions of one frame, (nb, 3).
  Eigen::Map<const Array3> body_positions(std::int64_t frame) const;
  /// The size of the character, to which widths and tolerances are taken in proportion: the extent along y of garment
  /// and body in the first frame; of what lies flat there, less than a tenth as high as wide, the longest side of the
  /// box round any frame.
  double height() const { return height_; }
  const ClipReport& report() const { return report_; }

 private:
  ClipData data_;
  std::shared_ptr<Mesh> mesh_;
  std::vector<std::int32_t> shared_vertices_;
  std::vector<std::int32_t> shared_with_;  ///< (nb,) the garment vertex that a body vertex is in the place of, or kNone
  double height_ = 0.0;
  ClipReport report_;
};

/// The azimuth a character faces in its bind pose, in quarters of a turn: -90, 0 (+z), 90 (+x) or 180 degrees. By the
/// names of its joints: to where its toes are of its feet, else to the front of a left and a right side, as joints
/// that have left or L, right or R in them. A subdivided clip, whose vertices have no skin, faces as the one that it
/// was made of. 0 where nothing tells.
double front_of(const Clip& clip);

}  // namespace pucker::io
