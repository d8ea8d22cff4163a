/// What a program that runs any method needs to know of each: its name, its parameters, how a run is started, and its
/// overlays.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pucker/any_params.h"
#include "pucker/draw/picture.h"
#include "pucker/mesh/bones.h"
#include "pucker/mesh/texture.h"
#include "pucker/method.h"
#include "pucker/named_arrays.h"

namespace pucker {

/// The body: all of a character but the garment, with coincident vertices joined.
struct Wearer {
  Eigen::Index vertices = 0;      ///< nb
  Index3 faces;                   ///< (m, 3)
  std::vector<double> positions;  ///< frames × nb × 3
  Array3 rest;                    ///< (nb, 3) in the garment's pose `rest`; (0, 3) if not known
  Array3 standing;                ///< (nb, 3) in its pose `standing`; (0, 3) if not known
};

/// What a run may start from besides its parameters.
struct StartInput {
  std::shared_ptr<const Mesh> mesh;
  Array3 first;                         ///< (n, 3), of the first frame
  std::optional<Array3> rest;           ///< (n, 3), the pose it was made in, if known
  std::vector<std::int32_t> shared;     ///< vertices that are also vertices of what is not cloth
  double height;                        ///< of the character
  ReadArrays read;                      ///< how files are read that parameters name, as the core reads none
  std::optional<Bones> bones = {};      ///< what vertices follow, if known; then `rest` is, too
  std::optional<Array3> standing = {};  ///< (n, 3), a pose in which the character stands, arms low, if known
  std::string standing_from = {};       ///< where that pose is from, for messages
  ReadArray read_array = {};            ///< likewise, of files that hold one array
  TextureCoordinates texture = {};      ///< if known
  /// Makes the body, called only by methods that need it; empty if there is none.
  std::function<Wearer()> wearer = {};
  /// Called with warnings for the user; may be empty.
  std::function<void(const std::string&)> warn = {};
};

/// Something a method can draw over the last frame of a run: strokes, tints or lines.
struct Overlay {
  std::string_view name;
  std::string_view doc;
  /// Lines that the method's own shaders draw.
  bool strokes = false;
  /// Colours (m,) laid over the triangles.
  std::vector<draw::Rgba8> (*tints)(const Method& run) = nullptr;
  std::vector<draw::Lines> (*lines)(const Method& run) = nullptr;
};

/// Descriptor of a method.
class MethodType {
 public:
  virtual ~MethodType() = default;
  /// As Method::name.
  virtual std::string_view name() const = 0;
  /// With their defaults.
  virtual std::unique_ptr<AnyParams> params() const = 0;
  /// Names of the parts that are cloth if the user chose none; empty for the whole character. Throws Error for a file
  /// that `read` cannot read.
  virtual std::vector<std::string> parts(const AnyParams& /*params*/, const ReadArrays& /*read*/) const { return {}; }
  /// A run before its first frame, with parameters of the type of params(). Throws InvalidArgument for a value out of
  /// range and for a start that does not fit the parameters, and Error for a file that `read` cannot read.
  virtual std::unique_ptr<Method> start(const StartInput& start, const AnyParams& params) const = 0;
  /// Whether a run with these parameters takes the garment's mesh as it is: because they are for the file's own, or it
  /// needs what belongs to the file's vertices. Otherwise programs may give it the clip made smooth (io::facets_of),
  /// else one whose body alone is (io::with_smooth_body).
  virtual bool keeps_mesh(const AnyParams& /*params*/) const { return false; }
  virtual std::span<const Overlay> overlays() const { return {}; }

 protected:
  MethodType() = default;
  MethodType(const MethodType&) = default;
  MethodType& operator=(const MethodType&) = default;
};

/// All methods; the first is the default.
std::span<const MethodType* const> methods();
/// The method of a name; throws InvalidArgument naming those there are. `what` heads the message.
const MethodType& method_named(std::string_view name, const std::string& what);

}  // namespace pucker
