#include <pybind11/pybind11.h>

#include <exception>
#include <string_view>

#include "arguments.h"
#include "calls.h"
#include "pucker/errors.h"

namespace pucker::bindings {

void register_params(pybind11::module_& m);
void register_mesh(pybind11::module_& m);
void register_method(pybind11::module_& m);
void register_io_skin(pybind11::module_& m);
void register_io(pybind11::module_& m);
void register_facets(pybind11::module_& m);
void register_source(pybind11::module_& m);
void register_labelling(pybind11::module_& m);
void register_profile(pybind11::module_& m);
void register_stretch(pybind11::module_& m);
void register_buckling(pybind11::module_& m);
void register_vertex_factors(pybind11::module_& m);
void register_guide(pybind11::module_& m);
void register_glyphs(pybind11::module_& m);
void register_reference(pybind11::module_& m);
void register_wrinkle(pybind11::module_& m);
void register_tracing(pybind11::module_& m);
void register_persistence(pybind11::module_& m);
void register_junctions(pybind11::module_& m);
void register_shape(pybind11::module_& m);
void register_packing(pybind11::module_& m);
void register_border(pybind11::module_& m);
void register_surface(pybind11::module_& m);
void register_wrinkler(pybind11::module_& m);
void register_threads(pybind11::module_& m);
void register_crowd(pybind11::module_& m);
void register_waves(pybind11::module_& m);
void register_byexample(pybind11::module_& m);
void register_byexample_run(pybind11::module_& m);
void register_drape(pybind11::module_& m);
void register_drape_overlays(pybind11::module_& m);
void register_draw(pybind11::module_& m);
void register_overlays(pybind11::module_& m);
void register_scene(pybind11::module_& m);

}  // namespace pucker::bindings

namespace {

void raise(const pybind11::handle& type, std::string_view text) {
  const auto words = pybind11::reinterpret_steal<pybind11::object>(
      PyUnicode_DecodeUTF8(text.data(), pybind11::ssize_t(text.size()), "replace"));
  PyErr_SetObject(type.ptr(), words.ptr());
}

}  // namespace

PYBIND11_MODULE(_core, m) {
  m.doc() = "Compiled core of pucker.";
  m.attr("__version__") = PUCKER_VERSION;
  pybind11::register_exception<pucker::Error>(m, "Error").doc() = "A file or a device could not be used.";
  // Tried before the one above: a message may name a file or a word in it that is not UTF-8.
  // NOLINTNEXTLINE(performance-unnecessary-value-param): the type that pybind11 asks for
  pybind11::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const pucker::Error& error) {
      raise(pybind11::module_::import("pucker._core").attr("Error"), error.what());
    } catch (const pucker::InvalidArgument& error) {
      raise(PyExc_ValueError, error.what());
    }
  });

  namespace bindings = pucker::bindings;
  bindings::register_params(m);
  bindings::register_mesh(m);
  bindings::register_method(m);
  bindings::register_io_skin(m);
  bindings::register_io(m);
  bindings::register_facets(m);
  bindings::register_source(m);
  bindings::register_labelling(m);
  bindings::register_profile(m);
  bindings::register_stretch(m);
  bindings::register_buckling(m);
  bindings::register_vertex_factors(m);
  bindings::register_guide(m);
  bindings::register_glyphs(m);
  bindings::register_reference(m);
  bindings::register_wrinkle(m);
  bindings::register_tracing(m);
  bindings::register_persistence(m);
  bindings::register_junctions(m);
  bindings::register_shape(m);
  bindings::register_packing(m);
  bindings::register_border(m);
  bindings::register_surface(m);
  bindings::register_wrinkler(m);
  bindings::register_threads(m);
  bindings::register_crowd(m);
  bindings::register_waves(m);
  bindings::register_byexample(m);
  bindings::register_drape(m);
  bindings::register_byexample_run(m);
  bindings::register_drape_overlays(m);
  bindings::register_draw(m);
  bindings::register_overlays(m);
  bindings::register_scene(m);
  bindings::explain_refused_calls(m);
  bindings::refuse_uninitialised(m);
  bindings::join_calls_at_exit();
}
