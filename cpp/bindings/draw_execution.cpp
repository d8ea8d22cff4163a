#include "pucker/draw/execution.h"

#include <pybind11/functional.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "draw.h"
#include "pucker/draw/picture.h"

namespace pucker::bindings {

namespace {

using namespace draw;

using SurfaceList = std::vector<std::shared_ptr<const SurfaceObjects>>;

/// The functions by the addresses that `load` gives, as whole numbers.
OpenGl loaded(const py::function& load) {
  return OpenGl::loaded(
      [&](const char* name) { return reinterpret_cast<void*>(py::cast<std::uintptr_t>(load(py::str(name)))); });
}

std::vector<const SurfaceObjects*> pointers(const SurfaceList& objects) {
  std::vector<const SurfaceObjects*> out;
  out.reserve(objects.size());
  for (const auto& surface : objects) {
    if (!surface) throw py::type_error("objects must hold SurfaceObjects, got None");
    out.push_back(surface.get());
  }
  return out;
}

void require_surfaces(std::span<const Step> steps, const SurfaceList& objects) {
  for (const Step& step : steps)
    require(step.surface < std::int32_t(objects.size()), "objects must hold number ", step.surface,
            ", which a step draws, got ", objects.size());
}

}  // namespace

void register_draw_execution(py::module_& m) {
  py::class_<SurfaceObjects, std::shared_ptr<SurfaceObjects>>(
      m, "SurfaceObjects",
      "Names of OpenGL's objects that hold a surface: of its buffers by binding, and its textures.")
      .def(py::init<std::vector<std::uint32_t>, std::vector<std::uint32_t>>(), py::arg("buffers"), py::arg("textures"))
      .def_readonly("buffers", &SurfaceObjects::buffers, "Of its buffers, by binding.")
      .def_readonly("textures", &SurfaceObjects::textures, "Of its textures, by number.");
  py::class_<Execution>(m, "Execution", R"(Does the steps of pictures with OpenGL, in the context that is current.

They go into the framebuffer that is bound. Blending is off, depths are tested and written, and polygons are filled, before
and after.

Args:
    load: The address of one of OpenGL's functions by its name, 0 for one that there is not.
    compile: Names of the program of a step, compiled for its constants, and of the vertex array, of no attributes, that it
        draws with, 0 if it computes; asked for once for each.

Raises pucker.Error for a function that there is not.)")
      .def(py::init([](const py::function& load, const py::function& compile) {
             return Execution(loaded(load), [compile](const Step& step) {
               const auto [program, vertex_array] =
                   py::cast<std::pair<std::uint32_t, std::uint32_t>>(compile(py::cast(step)));
               return CompiledProgram{program, vertex_array};
             });
           }),
           py::arg("load"), py::arg("compile"))
      .def(
          "run",
          [](Execution& self, const std::vector<Step>& steps, const SurfaceList& objects) {
            require_surfaces(steps, objects);
            for (const Step& step : steps)
              require(step.frame == kNone && step.lines == kNone, "steps must read surfaces alone, but ", step.program,
                      " reads what is a picture's");
            self.run(steps, pointers(objects));
          },
          py::arg("steps"), py::arg("objects"),
          "Does steps that read nothing but surfaces, whose objects these are by number. Raises ValueError for one "
          "that reads more, and what compiling raises.")
      .def(
          "run_batch",
          [](Execution& self, const Picture& picture, const Batch& batch, const SurfaceList& objects,
             std::uint32_t frames, const std::vector<std::uint32_t>& line_ends) {
            require(batch.first + batch.count <= picture.steps.size(), "batch must be one of the picture's, which has ",
                    picture.steps.size(), " steps, but ends at ", batch.first + batch.count);
            require(line_ends.size() == picture.line_ends.size(), "line_ends must hold ", picture.line_ends.size(),
                    " buffers, got ", line_ends.size());
            const auto steps = std::span(picture.steps).subspan(batch.first, batch.count);
            require_surfaces(steps, objects);
            self.run(steps, pointers(objects), {frames, line_ends});
          },
          py::arg("picture"), py::arg("batch"), py::arg("objects"), py::arg("frames"), py::arg("line_ends"),
          "Does a batch of a picture. `frames` holds all its blocks Frame, `line_ends` one group of lines each. Raises "
          "ValueError for a batch of another picture, too few objects and another number of groups, and what compiling "
          "raises.");
}

}  // namespace pucker::bindings
