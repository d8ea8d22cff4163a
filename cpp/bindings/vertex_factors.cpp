#include "pucker/vertex_factors.h"

#include <string>
#include <vector>

#include "arrays.h"
#include "pucker/io/clip.h"
#include "pucker/io/npz.h"

namespace pucker::bindings {

void register_vertex_factors(py::module_& m) {
  m.def(
      "vertex_factors",
      [](const std::string& path, const std::string& what, const io::Clip& clip, const MaybeArray& pixels) {
        NamedArray picture;
        if (!pixels.is_none()) {
          const auto array = input<double>(pixels, "pixels");
          picture.shape.assign(array.shape(), array.shape() + array.ndim());
          picture.values.assign(array.data(), array.data() + array.size());
        }
        const auto read = [&](const std::string& file) { return holds_numbers(file) ? io::read_npy(file) : picture; };
        const io::StoredSurface& garment = clip.data().garment;
        std::vector<double> factors;
        {
          const Unlocked unlocked;
          factors = vertex_factors(path, what.c_str(), *clip.mesh(), {garment.faces, garment.uv}, read);
        }
        return copy(factors);
      },
      py::arg("path"), py::arg("what"), py::arg("clip"), py::arg("pixels") = py::none(),
      R"(What a quantity is multiplied with at each vertex of a clip's mesh, (n,).

Args:
    path: An .npy, which is read, or the name of a picture.
    what: The quantity, as messages name it.
    clip: The Clip.
    pixels: Of the picture, (rows, columns) from top to bottom, white as 1.

Raises:
    pucker.Error: For a file that is no .npy.
    ValueError: For numbers of another count, a clip without texture coordinates, a picture without pixels, and factors
        that are not finite and above 0, naming the vertex.)");
}

}  // namespace pucker::bindings
