#include "pucker/byexample/trained.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arrays.h"
#include "byexample.h"
#include "pucker/enum_names.h"
#include "pucker/io/npz.h"

namespace pucker::bindings {

using namespace pybind11::literals;
using namespace pucker::byexample;

namespace {

template <class Enum>
std::string name_of(Enum member) {
  return enum_names<Enum>()[std::size_t(member)];
}

}  // namespace

void register_trained(py::module_& m) {
  m.def(
      "read_trained",
      [](const std::string& path) {
        const TrainedSet set = [&] {
          const Unlocked unlocked;
          return read_trained(path, [](const std::string& file, std::span<const std::string_view> names) {
            return io::read_npz(file, names);
          });
        }();
        const SynthesisOptions& options = set.options;
        py::object regression = py::none();
        if (set.regression) {
          const RegressionTables& learned = *set.regression;
          py::array_t<double> coefficients({py::ssize_t(learned.coefficients.size()), py::ssize_t(set.poses.size() + 1),
                                            py::ssize_t(set.details.size() - 1)});
          double* to = coefficients.mutable_data();
          for (const Table& table : learned.coefficients) to = std::copy_n(table.data(), table.size(), to);
          regression = py::dict("points"_a = copy(learned.points), "velocities"_a = stacked(learned.velocities),
                                "coefficients"_a = coefficients, "width"_a = learned.width, "motion"_a = learned.motion,
                                "pose_step"_a = set.pose_step, "velocity_step"_a = set.velocity_step,
                                "coefficient_steps"_a = py::tuple(py::cast(set.coefficient_steps)),
                                "displacements"_a = stacked(learned.displacements),
                                "displacement"_a = learned.displacement, "displacement_step"_a = set.displacement_step);
        }
        py::object cloth = py::none();
        if (set.cloth) cloth = py::cast(*set.cloth);
        return py::dict(
            "faces"_a = copy_matrix(set.faces), "rest"_a = copy_matrix(set.rest), "levels"_a = set.levels,
            "poses"_a = stacked(set.poses), "details"_a = stacked(set.details),
            "options"_a = py::dict("places"_a = name_of(options.places), "falloff"_a = options.metric.falloff,
                                   "edges"_a = options.metric.edges, "kernel"_a = name_of(options.pose_space.kernel),
                                   "equal"_a = name_of(options.pose_space.equal), "trail"_a = options.trail),
            "parts"_a = set.parts,
            "origin"_a =
                py::dict("file"_a = set.origin.file, "clips"_a = set.origin.clips, "simulator"_a = set.origin.simulator,
                         "correlation"_a = set.origin.correlation, "left_out"_a = set.origin.left_out,
                         "again"_a = set.origin.again, "untaught"_a = set.origin.untaught,
                         "frames"_a = set.origin.frames, "made"_a = set.origin.made, "date"_a = set.origin.date),
            "step"_a = set.step, "by_level"_a = set.by_level, "regression"_a = regression, "cloth"_a = cloth);
      },
      py::arg("path"),
      R"(What the file of a trained set holds, as `TrainedSet` takes it; `options`, `origin` and `regression` are dicts, `cloth` a GuideCloth.

Raises pucker.Error, naming the file, if it is missing, truncated or damaged, no trained set, or of a newer version.)");

  m.def(
      "require_mesh_of_set",
      [](const ArrayLike& faces, std::int64_t vertex_count, const Mesh& mesh, const std::vector<std::string>& parts,
         const std::string& file) {
        require_mesh_of_set(input_index3(faces, "faces"), vertex_count, parts, file, mesh);
      },
      py::arg("faces"), py::arg("vertex_count"), py::arg("mesh"), py::kw_only(),
      py::arg("parts") = std::vector<std::string>(), py::arg("file") = "",
      "Raises ValueError unless `mesh` has these vertices and triangles (m, 3), saying what differs, and which parts "
      "of "
      "which file the set is for.");
  m.def(
      "require_rest_of_set",
      [](const Features& set, const ArrayLike& rest) {
        require_rest_of_set(set, input_positions(*set.mesh(), rest, "rest"));
      },
      py::arg("set"), py::arg("rest"),
      "Raises ValueError unless the edges of `rest` (n, 3) are as long as those of the features' rest pose, to a "
      "thousandth.");
  m.def(
      "require_unit_of_set",
      [](const Features& set, const ArrayLike& positions) {
        require_unit_of_set(set, input_positions(*set.mesh(), positions));
      },
      py::arg("set"), py::arg("positions"),
      "Raises ValueError if positions (n, 3) of any pose are of another unit of length than the features: if the "
      "median "
      "of the edges' stretch is not within a factor of 1.5.");
}

}  // namespace pucker::bindings
