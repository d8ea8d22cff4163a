#include "byexample.h"

namespace pucker::bindings {
namespace {

/// A matrix from anything with the arrays of SciPy's csr_matrix: data, indices, indptr, shape.
SparseRows input_rows(const py::object& object, const char* name) {
  if (object.is_none()) throw py::type_error(message(name, " must be SparseRows or SciPy's csr_matrix, got None"));
  if (py::isinstance<BoundRows>(object)) return *py::cast<const BoundRows&>(object).rows;
  for (const char* part : {"shape", "data", "indices", "indptr"})
    require(py::hasattr(object, part), name, " must be SparseRows or SciPy's csr_matrix, got ",
            std::string(py::str(py::type::of(object))));
  const auto shape = py::cast<std::pair<std::int64_t, std::int64_t>>(object.attr("shape"));
  const auto values = input<double>(object.attr("data"), name);
  const auto columns = input_indices(object.attr("indices"), name);
  const auto starts = input_indices(object.attr("indptr"), name);
  require_shape(starts, {py::ssize_t(shape.first + 1)}, "indptr");
  require_shape(columns, {values.size()}, "indices");
  require(starts.at(0) == 0 && starts.at(shape.first) == values.size(), "indptr must go from 0 to ", values.size(),
          ", not from ", starts.at(0), " to ", starts.at(shape.first));
  SparseRows out(Eigen::Index(shape.first), Eigen::Index(shape.second));
  std::vector<Eigen::Triplet<double, std::int32_t>> entries;
  for (std::int32_t row = 0; row < shape.first; ++row) {
    require(starts.at(row) <= starts.at(row + 1), "indptr must not fall, but does after row ", row);
    for (std::int32_t k = starts.at(row); k < starts.at(row + 1); ++k) {
      require(columns.at(k) >= 0 && columns.at(k) < shape.second, "indices must lie in [0, ", shape.second, "), got ",
              columns.at(k));
      entries.emplace_back(row, columns.at(k), values.at(k));
    }
  }
  out.setFromTriplets(entries.begin(), entries.end());
  return out;
}

}  // namespace

void register_pose_space(py::module_& m) {
  bind_enum<Kernel>(m, "Kernel",
                    "The radial basis function of the distance r: r itself, or r squared, which equation 3 prints.");
  bind_enum<EqualPoses>(
      m, "EqualPoses",
      "What becomes of poses that are the same at a point, though not everywhere: an error that names "
      "them, or they are one pose there, and share its weight.");

  py::class_<PoseSpace, std::shared_ptr<PoseSpace>>(
      m, "PoseSpace", R"(Weighted pose-space deformation: how much of each pose a deformation is, point by point.

Weights w(f) = sum of lambda phi(dist(f, f_i)), 1 at their own pose and 0 at the others, divided by their sum (Zurdo 2013,
section 4.2). A single pose has the weight 1; where the sum is below 1e-6 the nearest have.

Args:
    metric: (k, e): `Features.metric`, or SciPy's csr_matrix.
    poses: (P, e) feature vectors.
    kernel: `Kernel` or its name.
    equal: `EqualPoses` or its name.

Raises ValueError for shapes that do not fit, numbers that are not finite, poses equal at a point (naming both and the
point) unless they share, and a singular system, as the squared kernel has for more poses than edges at a point, plus 2.)")
      .def(py::init(
               [](const ArrayLike& metric, const ArrayLike& poses, const py::object& kernel, const py::object& equal) {
                 SparseRows rows = input_rows(metric, "metric");
                 Table table = input_table(poses, -1, "poses");
                 const PoseSpaceOptions options{.kernel = member_from<Kernel>(kernel, "kernel"),
                                                .equal = member_from<EqualPoses>(equal, "equal")};
                 const Unlocked unlocked;
                 return std::make_shared<PoseSpace>(std::move(rows), std::move(table), options);
               }),
           py::arg("metric"), py::arg("poses"), py::kw_only(), py::arg("kernel") = "distance",
           py::arg("equal") = "refuse")
      .def("__repr__",
           [](const PoseSpace& self) {
             return message("<PoseSpace, ", self.pose_count(), " poses at ", self.point_count(), " points>");
           })
      .def_property_readonly("point_count", &PoseSpace::point_count, "k, rows of the metric.")
      .def_property_readonly("pose_count", &PoseSpace::pose_count, "P")
      .def_property_readonly("shared_points", &PoseSpace::shared_points, "Points at which poses share a weight.")
      .def_property_readonly(
          "poses", [](const py::object& self) { return view_matrix(py::cast<const PoseSpace&>(self).poses(), self); },
          "(P, e), a view.")
      .def(
          "weights",
          [](PoseSpace& self, const ArrayLike& features) {
            const auto f = input<double>(features, "features");
            require_shape(f, {self.poses().cols()}, "features");
            Table out;
            const Changing call(self, "PoseSpace");
            {
              const Unlocked unlocked;
              self.weights(span_of(f), out);
            }
            return copy_matrix(out);
          },
          py::arg("features"), "(k, P) weights of a feature vector (e,); rows sum to 1.")
      .def(
          "distances",
          [](const PoseSpace& self, const ArrayLike& features) {
            const auto f = input<double>(features, "features");
            require_shape(f, {self.poses().cols()}, "features");
            Table out;
            self.distances(span_of(f), out);
            return copy_matrix(out);
          },
          py::arg("features"), "(k, P) distances of a feature vector (e,) from the poses.");
}

}  // namespace pucker::bindings
