#include "pucker/draw/surface.h"

#include <tuple>
#include <utility>

#include "colours.h"
#include "draw.h"
#include "pucker/draw/lighting.h"
#include "pucker/draw/shaders.h"
#include "pucker/enum_names.h"

namespace pucker::bindings {

namespace {

using namespace draw;

/// Cutoffs are glTF's own where there are none.
std::vector<Alpha> input_alphas(const MaybeArray& modes, const MaybeArray& cutoffs, py::ssize_t count) {
  std::vector<Alpha> out(static_cast<std::size_t>(count));
  const auto numbers = input_list<std::int32_t>(modes, count, "alpha_modes");
  for (std::size_t t = 0; t < out.size(); ++t) {
    require(is_member(AlphaMode(numbers[t])), "alpha_modes must be those of AlphaMode, but triangle ", t, " has ",
            numbers[t]);
    out[t].mode = AlphaMode(numbers[t]);
  }
  if (cutoffs.is_none()) return out;
  const auto values = input_list<double>(cutoffs, count, "alpha_cutoffs");
  for (std::size_t t = 0; t < out.size(); ++t) out[t].cutoff = values[t];
  return out;
}

std::shared_ptr<Surface> make_surface(const ArrayLike& faces, std::int64_t vertex_count, const MaybeArray& colours,
                                      const MaybeArray& texcoords, const MaybeArray& textures,
                                      std::int32_t texture_count, const MaybeArray& weld, bool cloth,
                                      const MaybeArray& alpha_modes, const MaybeArray& alpha_cutoffs) {
  require_numbers(faces, "faces");
  const bool none = py::array::ensure(faces).size() == 0;
  SurfaceMesh mesh;
  mesh.mesh = std::make_shared<Mesh>(none ? Index3(0, 3) : input_index3(faces, "faces"), vertex_count);
  const auto count = py::ssize_t(mesh.mesh->triangle_count());
  if (!colours.is_none()) mesh.colours = input_colours(colours, count, "colours");
  if (!texcoords.is_none()) {
    const auto array = input<float>(texcoords, "texcoords");
    require_shape(array, {count, 3, 2}, "texcoords");
    mesh.texcoords.assign(array.data(), array.data() + array.size());
  }
  if (!textures.is_none()) mesh.textures = input_list<std::int32_t>(textures, count, "textures");
  mesh.texture_count = texture_count;
  if (!weld.is_none()) mesh.weld = input_list<std::int32_t>(weld, vertex_count, "weld");
  mesh.cloth = cloth;
  if (!alpha_modes.is_none()) mesh.alphas = input_alphas(alpha_modes, alpha_cutoffs, count);
  return std::make_shared<Surface>(std::move(mesh));
}

/// A detail that is an object of Python; see pucker.method.Detail.
class DetailOfPython final : public Detail {
 public:
  DetailOfPython(const Surface& surface, py::object detail)
      : Detail(surface.mesh(), surface.positions()), detail_(std::move(detail)) {}

  void evaluate_into(std::span<const std::int32_t> triangles, const ConstArray3& barycentrics,
                     Evaluation& out) const override {
    const py::array_t<std::int32_t> numbers(py::ssize_t(triangles.size()), triangles.data());
    const py::array_t<double> coordinates({py::ssize_t(barycentrics.rows()), py::ssize_t(3)}, barycentrics.data());
    out.points = py::cast<SurfacePoints>(detail_.attr("evaluate")(numbers, coordinates));
  }
  std::vector<std::uint8_t> reached() const override {
    std::vector<std::uint8_t> out;
    for (const double size : feature_sizes()) out.push_back(std::isfinite(size));
    return out;
  }
  double feature_size() const override { return py::cast<double>(detail_.attr("feature_size")); }
  std::vector<double> feature_sizes() const override {
    return input_list<double>(detail_.attr("feature_sizes"), py::ssize_t(mesh().triangle_count()), "feature_sizes");
  }
  std::array<double, 2> offset_range() const override {
    return py::cast<std::array<double, 2>>(detail_.attr("offset_range"));
  }

 private:
  py::object detail_;
};

/// (binding, content, size) of what has changed; the contents are copies.
py::list uploads_of(Surface& surface) {
  const Changing call(surface, kSurface);
  py::list out;
  for (const Upload& upload : surface.take_uploads()) {
    const py::bytes content(reinterpret_cast<const char*>(upload.bytes.data()), upload.bytes.size());
    out.append(py::make_tuple(upload.binding, content, upload.size));
  }
  return out;
}

/// Of each triangle: its mode, as its number in AlphaMode, and its cutoff.
std::pair<py::array_t<std::int32_t>, py::array_t<double>> alphas_of(const Surface& surface) {
  std::vector<std::int32_t> modes;
  std::vector<double> cutoffs;
  for (const Alpha& alpha : surface.made_of().alphas) {
    modes.push_back(std::int32_t(alpha.mode));
    cutoffs.push_back(alpha.cutoff);
  }
  return {copy(modes), copy(cutoffs)};
}

py::dict method_blocks_of(const Surface& surface) {
  py::dict out;
  for (const Buffer& buffer : surface.content().buffers)
    out[py::str(std::string(buffer.block))] = buffer.bytes.size() + buffer.room;
  return out;
}

}  // namespace

std::vector<Texels> texels_of(const TextureList& textures) {
  std::vector<Texels> out;
  for (const auto& [width, height, content] : textures) {
    const std::string_view bytes = content;
    require(width >= 1 && height >= 1 && bytes.size() == 4 * std::size_t(width) * std::size_t(height), "a texture of ",
            width, " x ", height, " pixels cannot have ", bytes.size(), " bytes");
    out.push_back({width, height, {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}});
  }
  return out;
}

void register_draw_surface(py::module_& m) {
  py::dict bindings;
  for (std::size_t block = 0; block < kBlockNames.size(); ++block)
    bindings[py::str(std::string(kBlockNames[block]))] = block;
  bindings["Grid"] = kGridBinding;
  bindings["Captured"] = kCapturedBinding;
  bindings["Lines"] = kLinesBinding;
  m.attr("STORAGE_BINDINGS") = bindings;
  m.attr("METHOD_BINDING") = kMethodBinding;
  m.attr("SURFACE_BINDINGS") = kSurfaceBindings;
  m.attr("FRAME_BINDING") = kFrameBinding;
  py::class_<Surface, std::shared_ptr<Surface>>(m, "Surface", "What a mesh is for the shaders, as bytes.")
      .def(py::init(&make_surface), py::arg("faces"), py::arg("vertex_count"), py::arg("colours") = py::none(),
           py::arg("texcoords") = py::none(), py::arg("textures") = py::none(), py::arg("texture_count") = 0,
           py::arg("weld") = py::none(), py::arg("cloth").none(false) = false, py::arg("alpha_modes") = py::none(),
           py::arg("alpha_cutoffs") = py::none())
      .def_property_readonly("triangle_count", &Surface::triangle_count, "Number m of triangles.")
      .def_property_readonly(
          "colours", [](const Surface& self) { return copy_colours(self.made_of().colours); },
          "Of each triangle (m, 4) uint8, sRGB and opacity.")
      .def_property_readonly("alphas", &alphas_of, "Alpha modes (m,) int32 and cutoffs (m,) of the triangles.")
      .def_property_readonly(
          "textures", [](const Surface& self) { return copy(self.made_of().textures); },
          "Number (m,) int32 of each triangle's texture, -1 for none.")
      .def_property_readonly(
          "texcoords",
          [](const Surface& self) {
            const std::vector<float>& texcoords = self.made_of().texcoords;
            return py::array_t<float>({py::ssize_t(self.triangle_count()), py::ssize_t(3), py::ssize_t(2)},
                                      texcoords.data());
          },
          "Texture coordinates (m, 3, 2) float32 of the corners, from the lower left.\n\n"
          "Of cloth without a texture those of its threads.")
      .def_property_readonly("target_edge", &Surface::target_edge,
                             "Wanted length of tessellated edges; 0 without detail.")
      .def_property_readonly(
          "method", [](const Surface& self) { return std::string(self.method()); },
          "Folder of the shaders that draw it.")
      .def_property_readonly("method_blocks", &method_blocks_of, "Sizes of the blocks of its detail's method, by name.")
      .def_property_readonly("displaced", &Surface::displaced, "Whether shaders displace some of it.")
      .def_property_readonly(
          "mesh", [](const Surface& self) { return std::const_pointer_cast<Mesh>(self.mesh().shared_from_this()); },
          "The mesh.")
      .def_property_readonly(
          "positions", [](const Surface& self) { return copy_matrix(self.positions()); },
          "The vertices (n, 3), as they were set.")
      .def_property_readonly(
          "origin", [](const Surface& self) { return tuple_of(self.origin()); },
          "The point that positions on the GPU are relative to, (x, y, z).")
      .def(
          "set_positions",
          [](Surface& self, const ArrayLike& positions, const MaybeArray& normals, const std::optional<Colour>& origin,
             const MaybeArray& corner_normals) {
            const auto rows = py::ssize_t(self.mesh().vertex_count());
            const Array3 points = input_array3(positions, rows, "positions");
            std::optional<Array3> given;
            if (!normals.is_none()) given = input_array3(normals, rows, "normals");
            std::optional<Array3> corners;
            if (!corner_normals.is_none()) {
              const auto array = input<double>(corner_normals, "corner_normals");
              require_shape(array, {py::ssize_t(self.triangle_count()), 3, 3}, "corner_normals");
              corners = Eigen::Map<const Array3>(array.data(), 3 * array.shape(0), 3);
            }
            const Changing call(self, kSurface);
            self.set_positions(points, given, origin ? std::optional(vector_of(*origin)) : std::nullopt, corners);
          },
          py::arg("positions"), py::arg("normals") = py::none(), py::arg("origin") = py::none(),
          py::arg("corner_normals") = py::none(),
          "Moves the vertices (n, 3); normals (n, 3) and origin are found where they are None. corner_normals\n"
          "(m, 3, 3): what is lit by; None: the vertices' normals.")
      .def(
          "set_detail",
          [](Surface& self, const py::object& detail, Mode mode) {
            const Changing call(self, kSurface);
            if (detail.is_none()) {
              self.clear_detail();
            } else if (py::isinstance<Detail>(detail)) {
              self.set_detail(py::cast<const Detail&>(detail), mode);
            } else {
              self.set_detail(DetailOfPython(self, detail), mode);
            }
          },
          py::arg("detail") = py::none(), py::arg_v("mode", Mode::both, "Mode.both"),
          "Puts the detail of a frame, None for none, over the mesh, which shows what `mode` says.")
      .def(
          "set_tints",
          [](Surface& self, const MaybeArray& tints) {
            const std::vector<Rgba8> rows = tints.is_none()
                                                ? std::vector<Rgba8>{}
                                                : input_colours(tints, py::ssize_t(self.triangle_count()), "tints");
            const Changing call(self, kSurface);
            self.set_tints(rows);
          },
          py::arg("tints") = py::none(), "Lays colours (m, 4) over the triangles; None takes them off.")
      .def(
          "exposure",
          [](const Surface& self, const TextureList& textures) { return self.exposure(texels_of(textures)); },
          py::arg("textures"), "The factor of light that suits the surface; textures are (width, height, RGBA).")
      .def("take_uploads", &uploads_of, "(binding, content, size) of each buffer that has changed since the last call.")
      .def(
          "report",
          [](Surface& self, double target_edge) {
            const Changing call(self, kSurface);
            const Tessellation& cut = self.tessellation(target_edge);
            return py::make_tuple(cut.patches, self.triangle_count() - cut.patches,
                                  self.ranges().size() + self.patch_ranges(target_edge).size(), cut.limited_edges);
          },
          py::arg("target_edge"),
          "Tessellated triangles, plain ones, draws, and edges that wanted more pieces than there can be.");
  m.def(
      "vertex_normals",
      [](const ArrayLike& positions, const ArrayLike& faces, const MaybeArray& weld) {
        const Array3 points = input_array3(positions, -1, "positions");
        const Mesh mesh(input_index3(faces, "faces"), points.rows());
        const auto numbers =
            weld.is_none() ? std::vector<std::int32_t>{} : input_list<std::int32_t>(weld, points.rows(), "weld");
        for (const std::int32_t number : numbers)
          require(number >= 0 && number < points.rows(), "weld must lie in [0, ", points.rows(), "), got ", number);
        Array3 normals;
        drawn_normals(mesh.faces(), points, numbers, normals);
        return normals;
      },
      py::arg("positions"), py::arg("faces"), py::arg("weld") = py::none(),
      R"(Unit vertex normals (n, 3): the sum of the adjacent triangles' normals, weighted by their areas.

`weld` (n,) gives the same number to vertices that are one for the surface, which smooths over seams. A vertex whose sum
vanishes, of no triangle or of triangles that cancel, gets (0, 1, 0).)");
  py::class_<ClipStyle>(m, "ClipStyle",
                        "What suits all pictures of a clip, found from its first frame, so that none flickers.")
      .def(py::init([](const Surface& garment, double exposure) {
             const Reading call(garment, kSurface);
             return ClipStyle(garment, exposure);
           }),
           py::arg("garment"), py::arg("exposure"),
           "From the garment's surface in the first frame. Raises ValueError if it has no positions.")
      .def("of", &ClipStyle::of, py::arg("style"), py::arg("camera"),
           "The style with everything set that it leaves open, and the key light where it grazes the cloth.");
}

}  // namespace pucker::bindings
