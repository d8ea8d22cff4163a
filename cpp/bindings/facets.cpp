#include "pucker/io/facets.h"

#include <pybind11/pybind11.h>

#include "calls.h"

namespace py = pybind11;

namespace pucker::bindings {

void register_facets(py::module_& m) {
  using io::Facets;
  py::class_<Facets>(m, "Facets", "What the triangles of a garment look like; see `facets_of`.")
      .def_readonly("turn", &Facets::turn,
                    "Degrees that neighbouring triangles turn by, mean over the length of their edges, in the frame\n"
                    "where that is largest.")
      .def_readonly("edge", &Facets::edge, "Median length of edges at rest, as a share of the clip's height.")
      .def_property_readonly(
          "is_fine", [](const Facets& self) { return self.edge < io::kFineEdge; },
          "Whether edges are so short that the garment is shown as it is, whatever the frames.")
      .def_readonly("smooth", &Facets::smooth, "Levels of `Clip.smoothed` to show the garment with: 0 or 1.");
  m.def(
      "facets_of",
      [](const io::Clip& clip) {
        const Unlocked unlocked;
        return io::facets_of(clip);
      },
      py::arg("clip"),
      R"(What a clip's garment looks like in up to 16 frames, evenly spread, the first among them.

The one rule by which every command shows a character smooth or as it is: cloth is fine already if neighbouring triangles
turn by less than 8 degrees, or if half of the edges are shorter than 0.02 of the height. Clips whose positions would take
more than 1 GiB when smooth are left as they are, too.)");
}

}  // namespace pucker::bindings
