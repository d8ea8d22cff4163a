#include <pybind11/pybind11.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "enums.h"
#include "method.h"
#include "params.h"
#include "pucker/byexample/by_example.h"
#include "pucker/byexample/slow.h"
#include "pucker/byexample/synthesis.h"
#include "pucker/sharing.h"

namespace pucker::bindings {

using namespace pybind11::literals;
using namespace pucker::byexample;

void register_trained(py::module_& m);

namespace {

/// A member, or its name.
template <class Enum>
Enum member_from(const py::object& object, const char* name) {
  if (object.is_none()) throw py::type_error(message(name, " must be a member or its name, got None"));
  const py::dict members = py::type::of(py::cast(Enum{})).attr("__members__");
  if (py::isinstance<py::str>(object) && members.contains(object)) return py::cast<Enum>(members[object]);
  require(py::isinstance<Enum>(object), name, " must be one of ",
          std::string(py::str(py::str(", ").attr("join")(members))), ", got ", std::string(py::repr(object)));
  return py::cast<Enum>(object);
}

/// The P arrays of one of shape (P, rows, 3); −1 stands for any number of rows.
std::vector<Array3> input_stack(const py::object& object, py::ssize_t rows, const char* name) {
  const auto array = input<double>(object, name);
  require_shape(array, {-1, rows, 3}, name);
  std::vector<Array3> out;
  for (py::ssize_t k = 0; k < array.shape(0); ++k)
    out.emplace_back(Eigen::Map<const Array3>(array.data() + k * array.shape(1) * 3, array.shape(1), 3));
  return out;
}

Table input_table(const py::object& object, py::ssize_t columns, const char* name) {
  const auto array = input<double>(object, name);
  require_shape(array, {-1, columns}, name);
  return Eigen::Map<const Table>(array.data(), array.shape(0), array.shape(1));
}

/// A matrix of few entries a row, with the object that keeps it alive.
struct BoundRows {
  const SparseRows* rows;
  py::object owner;
};

py::array_t<double> applied(const BoundRows& matrix, const py::object& object) {
  const Array3 in = input_array3(object, py::ssize_t(matrix.rows->cols()), "positions");
  Array3 out;
  multiply(*matrix.rows, in, out);
  return copy_matrix(out);
}

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

void register_loop(py::module_& m) {
  py::class_<BoundRows>(m, "SparseRows",
                        "A matrix of few entries a row. `scipy.sparse.csr_matrix((s.data, s.indices, s.indptr), "
                        "s.shape)` is the same one; `s @ positions` multiplies (columns, 3).")
      .def_property_readonly(
          "data",
          [](const BoundRows& self) {
            return view(self.rows->valuePtr(), {py::ssize_t(self.rows->nonZeros())}, self.owner);
          },
          "The entries, row by row; a view.")
      .def_property_readonly(
          "indices",
          [](const BoundRows& self) {
            return view(self.rows->innerIndexPtr(), {py::ssize_t(self.rows->nonZeros())}, self.owner);
          },
          "int32: the column of each; a view.")
      .def_property_readonly(
          "indptr",
          [](const BoundRows& self) {
            return view(self.rows->outerIndexPtr(), {py::ssize_t(self.rows->rows() + 1)}, self.owner);
          },
          "(rows + 1,) int32: where each row begins; a view.")
      .def_property_readonly(
          "shape", [](const BoundRows& self) { return py::make_tuple(self.rows->rows(), self.rows->cols()); },
          "Rows and columns.")
      .def("__matmul__", &applied, py::arg("positions"), "(rows, 3): the matrix times positions (columns, 3).")
      .def("__repr__", [](const BoundRows& self) {
        return message("<SparseRows ", self.rows->rows(), " x ", self.rows->cols(), ", ", self.rows->nonZeros(),
                       " entries>");
      });

  py::class_<LoopReport>(m, "LoopReport", "Vertices that stay where they are, and triangles that are left out.")
      .def_readonly("isolated", &LoopReport::isolated, "coarse vertices of no triangle")
      .def_readonly("fans", &LoopReport::fans, "coarse vertices whose triangles form more than one fan")
      .def_readonly("degenerate", &LoopReport::degenerate, "coarse triangles that name a vertex twice");

  py::class_<LoopSubdivision, std::shared_ptr<LoopSubdivision>>(
      m, "LoopSubdivision",
      R"(A mesh subdivided any number of times at once: fine vertices are a sparse matrix times the coarse ones.

Loop's rules (1987), at the boundary those of a cubic B-spline (Hoppe et al. 1994). The vertices are those of the coarse
mesh in their order, then those of the edges of each level in theirs. A vertex of several fans or of no triangle stays.

Args:
    mesh: The coarse mesh.
    levels: How often each triangle becomes four; at least 0. Raises ValueError for less.)")
      .def(py::init([](const Mesh& mesh, int levels) {
             const Unlocked unlocked;
             return std::make_shared<LoopSubdivision>(mesh.shared_from_this(), levels);
           }),
           py::arg("mesh"), py::arg("levels"))
      .def_property_readonly(
          "coarse", [](const LoopSubdivision& self) { return std::const_pointer_cast<Mesh>(self.coarse()); },
          "The mesh that is subdivided.")
      .def_property_readonly(
          "fine", [](const LoopSubdivision& self) { return std::const_pointer_cast<Mesh>(self.fine()); },
          "The mesh of N vertices.")
      .def_property_readonly("levels", &LoopSubdivision::levels, "How often each triangle became four.")
      .def_property_readonly(
          "matrix",
          [](const py::object& self) {
            return BoundRows{&py::cast<const LoopSubdivision&>(self).matrix(), self};
          },
          "(N, n) SparseRows: fine vertices from coarse ones; rows sum to 1, no entry is negative.")
      .def_property_readonly(
          "barycentrics",
          [](const py::object& self) {
            return BoundRows{&py::cast<const LoopSubdivision&>(self).barycentrics(), self};
          },
          "(N, n) SparseRows: what values are interpolated with that reach the fine vertices linearly.")
      .def_property_readonly("report", &LoopSubdivision::report, "What no rule of a smooth surface fits.")
      .def("__repr__", [](const LoopSubdivision& self) {
        return message("<LoopSubdivision, ", self.levels(), " levels, ", self.coarse()->triangle_count(), " to ",
                       self.fine()->triangle_count(), " triangles>");
      });

  py::class_<SlowPart, std::shared_ptr<SlowPart>>(
      m, "SlowPart",
      R"(What of a displacement a subdivided mesh would follow as a whole: its least-squares fit by the subdivision matrix W.

Args:
    subdivision: The LoopSubdivision.)")
      .def(py::init([](const LoopSubdivision& subdivision) {
             const Unlocked unlocked;
             return std::make_shared<SlowPart>(subdivision.matrix());
           }),
           py::arg("subdivision"))
      .def(
          "of",
          [](const SlowPart& self, const py::object& displacements) {
            Array3 out = input_array3(displacements, self.matrix().rows(), "displacements");
            {
              const Unlocked unlocked;
              out = self.of(out);
            }
            return copy_matrix(out);
          },
          py::arg("displacements"),
          "W (WᵀW)⁻¹ Wᵀ d, (N, 3), of displacements d (N, 3). Raises ValueError for another shape and what is not "
          "finite.")
      .def("__repr__", [](const SlowPart& self) {
        return message("<SlowPart, ", self.matrix().rows(), " vertices from ", self.matrix().cols(), ">");
      });
}

void register_features(py::module_& m) {
  py::class_<Features, std::shared_ptr<Features>>(
      m, "Features",
      R"(The feature vector of a mesh: the length of each edge against that at rest (Zurdo 2013, equation 1).

Args:
    mesh: The feature mesh.
    rest: (n, 3) its positions at rest.

Raises ValueError for another shape, positions that are not finite, a mesh without edges, and an edge without length.)")
      .def(py::init([](const Mesh& mesh, const py::object& rest) {
             return std::make_shared<Features>(mesh.shared_from_this(), input_positions(mesh, rest, "rest"));
           }),
           py::arg("mesh"), py::arg("rest"))
      .def_property_readonly(
          "mesh", [](const Features& self) { return std::const_pointer_cast<Mesh>(self.mesh()); }, "The feature mesh.")
      .def_property_readonly(
          "rest", [](const py::object& self) { return view_matrix(py::cast<const Features&>(self).rest(), self); },
          "(n, 3), a view.")
      .def_property_readonly(
          "rest_lengths",
          [](const py::object& self) { return view(py::cast<const Features&>(self).rest_lengths(), self); },
          "(e,) in the unit of `rest`; a view.")
      .def_property_readonly("mean_length", &Features::mean_length, "Mean of `rest_lengths`.")
      .def("__repr__",
           [](const Features& self) {
             return message("<Features, ", self.rest_lengths().size(), " edges, ", self.mean_length(),
                            " units of length at rest on average>");
           })
      .def(
          "stretch",
          [](const Features& self, const py::object& positions) {
            std::vector<double> out;
            self.stretch(input_positions(*self.mesh(), positions), out);
            return copy(out);
          },
          py::arg("positions"), "(e,) the feature vector f of positions (n, 3), 1 at rest.")
      .def(
          "metric",
          [](const Features& self, const py::object& points, double falloff, std::int32_t edges) {
            const Array3 places = input_array3(points, -1, "points");
            auto out = std::make_unique<SparseRows>([&] {
              const Unlocked unlocked;
              return self.metric(places, {.falloff = falloff, .edges = edges});
            }());
            const SparseRows* rows = out.get();
            return BoundRows{rows, py::capsule(out.release(), [](void* p) { delete static_cast<SparseRows*>(p); })};
          },
          py::arg("points"), py::kw_only(), py::arg("falloff") = MetricOptions{}.falloff,
          py::arg("edges") = MetricOptions{}.edges,
          R"((k, e) SparseRows: how much each edge counts at points (k, 3) of the rest pose; rows sum to 1.

m̄ = exp(-falloff detour / mean length) (Bickel et al. 2008), the detour being how much longer the way from one end of the
edge to the other becomes by the point, of which the
`edges` largest are kept. Raises ValueError for another shape, points that are not finite, and options out of range.)");
}

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
      .def(py::init([](const py::object& metric, const py::object& poses, const py::object& kernel,
                       const py::object& equal) {
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
          [](PoseSpace& self, const py::object& features) {
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
          [](const PoseSpace& self, const py::object& features) {
            const auto f = input<double>(features, "features");
            require_shape(f, {self.poses().cols()}, "features");
            Table out;
            self.distances(span_of(f), out);
            return copy_matrix(out);
          },
          py::arg("features"), "(k, P) distances of a feature vector (e,) from the poses.");
}

/// The positions before a deformation, as Python gives them: both or neither.
struct PositionsBefore {
  std::optional<Array3> positions;
  std::optional<Before> before;

  PositionsBefore(const Mesh& mesh, const py::object& given, const py::object& seconds) {
    require(given.is_none() == seconds.is_none(), "before and seconds go together: give both or neither");
    if (given.is_none()) return;
    positions = input_positions(mesh, given, "before");
    before.emplace(Before{.positions = *positions, .seconds = py::cast<double>(seconds)});
  }
  PositionsBefore(const PositionsBefore&) = delete;
  PositionsBefore& operator=(const PositionsBefore&) = delete;
  const Before* get() const { return before ? &*before : nullptr; }
};

void register_regression(py::module_& m) {
  py::class_<Regions>(m, "Regions", R"(A few points of a feature mesh, spread over it, and what vertices take from them.

Distances d are those along edges at rest. A vertex takes from its four nearest points in the proportion of
exp(-(1.5 d/h)^2), h being the distance of the vertex that is farthest from any.

Args:
    features: Of the mesh.
    points: (R,) vertices, or how many: then each is the vertex farthest from those before it, and the first is vertex 0.

Raises ValueError for no points, vertices that there are not, the same one twice, and a vertex that no point is connected
with.)")
      .def(py::init([](const Features& features, const py::object& points) {
             if (py::isinstance<py::int_>(points)) return Regions::spread(features, py::cast<std::int64_t>(points));
             return Regions(features, input_list<std::int32_t>(points, -1, "points"));
           }),
           py::arg("features"), py::arg("points"))
      .def_property_readonly(
          "points", [](const py::object& self) { return view(py::cast<const Regions&>(self).points(), self); },
          "(R,) int32, a view.")
      .def_property_readonly(
          "shares",
          [](const py::object& self) {
            return BoundRows{&py::cast<const Regions&>(self).shares(), self};
          },
          "(n, R) SparseRows: how much each vertex takes from each point; rows sum to 1.")
      .def("__repr__", [](const Regions& self) {
        return message("<Regions, ", self.points().size(), " points of ", self.shares().rows(), " vertices>");
      });

  py::class_<Regression, std::shared_ptr<Regression>>(
      m, "Regression",
      R"(Weights of P details by kernel ridge regression on C recorded frames, at R points of the garment.

At a point the distance of a deformation f that moves with the velocity v from centre c is dist^2 = sum of
m_e (f_e - f_ce)^2 + motion^2 norm(v - v_c)^2, with the metric of the point, and the weight of detail i > 0 is
a_0i + sum of a_ci exp(-dist_c/width). Detail 0, the mean, has the weight 1. Vertices take weights from points as `Regions`
says. Computed in single precision.

Args:
    features: Of the feature mesh.
    poses: (C, n, 3): the deformations of the centres.
    points: (R,) vertices of the feature mesh.
    velocities: (C, R, 3): those of the points in their frames, in mean edge lengths a second.
    coefficients: (R, 1 + C, P - 1): a_0i, then a_ci.
    width: Of the kernel, in stretch.
    motion: What a velocity of 1 counts, in stretch.
    falloff, edges: As `Features.metric`.

Raises ValueError for shapes that do not fit each other, numbers that are not finite, and what `Regions` refuses.)")
      .def(py::init([](const Features& features, const py::object& poses, const py::object& points,
                       const py::object& velocities, const py::object& coefficients, double width, double motion,
                       double falloff, std::int32_t edges) {
             RegressionTables tables;
             tables.points = input_list<std::int32_t>(points, -1, "points");
             tables.velocities = input_stack(velocities, py::ssize_t(tables.points.size()), "velocities");
             const auto values = input<double>(coefficients, "coefficients");
             require_shape(values, {py::ssize_t(tables.points.size()), -1, -1}, "coefficients");
             for (py::ssize_t point = 0; point < values.shape(0); ++point)
               tables.coefficients.emplace_back(Eigen::Map<const Table>(
                   values.data() + point * values.shape(1) * values.shape(2), values.shape(1), values.shape(2)));
             tables.width = width;
             tables.motion = motion;
             return std::make_shared<Regression>(
                 features, input_stack(poses, py::ssize_t(features.mesh()->vertex_count()), "poses"), std::move(tables),
                 MetricOptions{.falloff = falloff, .edges = edges});
           }),
           py::arg("features"), py::arg("poses"), py::arg("points"), py::arg("velocities"), py::arg("coefficients"),
           py::kw_only(), py::arg("width"), py::arg("motion") = 0.0, py::arg("falloff") = MetricOptions{}.falloff,
           py::arg("edges") = MetricOptions{}.edges)
      .def_property_readonly("regions", &Regression::regions, py::return_value_policy::reference_internal,
                             "The points, and how their weights reach the vertices.")
      .def_property_readonly("centre_count", &Regression::centre_count, "C")
      .def_property_readonly("detail_count", &Regression::detail_count, "P")
      .def(
          "weights",
          [](Regression& self, const Features& features, const py::object& positions, const py::object& before,
             const py::object& seconds) {
            const Array3 points = input_positions(*features.mesh(), positions);
            const PositionsBefore moved(*features.mesh(), before, seconds);
            std::vector<double> stretches;
            features.stretch(points, stretches);
            Table out;
            const Changing call(self, "Regression");
            self.weights(stretches, points, moved.get(), out);
            return copy_matrix(out);
          },
          py::arg("features"), py::arg("positions"), py::arg("before") = py::none(), py::arg("seconds") = py::none(),
          "(n, P) weights of positions (n, 3), which moved there from those `before` in so many seconds.")
      .def("__repr__", [](const Regression& self) {
        return message("<Regression, ", self.centre_count(), " centres at ", self.regions().points().size(),
                       " points, weights of ", self.detail_count(), " details>");
      });
}

constexpr const char* kSmoothKind = "SmoothSurface";

py::array_t<double> frames_of(const SmoothSurface& surface) {
  const std::vector<RowMatrix3>& frames = surface.frames().frames();
  return py::array_t<double>({py::ssize_t(frames.size()), py::ssize_t(3), py::ssize_t(3)},
                             frames.empty() ? nullptr : frames.front().data());
}

void register_smooth(py::module_& m) {
  py::class_<SmoothSurface, std::shared_ptr<SmoothSurface>>(
      m, "SmoothSurface", R"(The smooth surface of a feature mesh, and what lies over it in frames that move with it.

The frame of a vertex has the columns edge, normal x edge, normal: the edge to one chosen neighbour, made orthogonal to the
normal (Zurdo 2013, section 3); zero where there is none.

Args:
    mesh: The feature mesh.
    levels: How often it is subdivided.
    positions: (n, 3) of the feature mesh.)")
      .def(py::init([](const Mesh& mesh, int levels, const py::object& positions) {
             const Array3 points = input_positions(mesh, positions);
             const Unlocked unlocked;
             return std::make_shared<SmoothSurface>(mesh.shared_from_this(), levels, points);
           }),
           py::arg("mesh"), py::arg("levels"), py::arg("positions"))
      .def_property_readonly(
          "subdivision", [](const SmoothSurface& self) -> const LoopSubdivision& { return self.subdivision(); },
          py::return_value_policy::reference_internal, "The `LoopSubdivision`.")
      .def("__repr__",
           [](const SmoothSurface& self) {
             return message("<SmoothSurface, ", self.subdivision().fine()->vertex_count(), " vertices>");
           })
      .def_property_readonly(
          "mesh", [](const SmoothSurface& self) { return std::const_pointer_cast<Mesh>(self.subdivision().fine()); },
          "The fine mesh.")
      .def_property_readonly(
          "positions",
          reading<SmoothSurface>(kSmoothKind, [](const SmoothSurface& self) { return copy_matrix(self.positions()); }),
          "(N, 3)")
      .def_property_readonly(
          "normals",
          reading<SmoothSurface>(kSmoothKind,
                                 [](const SmoothSurface& self) { return copy_matrix(self.frames().normals()); }),
          "(N, 3), unit; zero for a vertex without area.")
      .def_property_readonly("frames", reading<SmoothSurface>(kSmoothKind, &frames_of), "(N, 3, 3)")
      .def_property_readonly(
          "missing",
          reading<SmoothSurface>(kSmoothKind, [](const SmoothSurface& self) { return self.frames().missing(); }),
          "Vertices without a frame.")
      .def(
          "step",
          [](SmoothSurface& self, const py::object& positions) {
            const Array3 points = input_positions(*self.subdivision().coarse(), positions);
            const Changing call(self, kSmoothKind);
            {
              const Unlocked unlocked;
              self.step(points);
            }
            return copy_matrix(self.positions());
          },
          py::arg("positions"), "Moves the surface to feature positions (n, 3), and returns its own, (N, 3).")
      .def(
          "detail_of",
          [](const SmoothSurface& self, const py::object& fine) {
            const Array3 points = input_positions(*self.subdivision().fine(), fine, "fine");
            Array3 out;
            const Reading call(self, kSmoothKind);
            self.detail_of(points, out);
            return copy_matrix(out);
          },
          py::arg("fine"), "(N, 3): what fine positions (N, 3) are beyond the surface, in its frames.")
      .def(
          "add",
          [](const SmoothSurface& self, const py::object& detail) {
            const Array3 away = input_positions(*self.subdivision().fine(), detail, "detail");
            Array3 out;
            const Reading call(self, kSmoothKind);
            self.add(away, out);
            return copy_matrix(out);
          },
          py::arg("detail"), "(N, 3): the surface with a detail (N, 3) in its frames; the inverse of `detail_of`.");
}

/// A synthesis and the memory of its last result, used again unless Python still holds it.
struct BoundSynthesis {
  Synthesis core;
  std::shared_ptr<Synthesised> last = std::make_shared<Synthesised>();

  std::shared_ptr<Synthesised> step(const Array3& positions, const Before* before) {
    if (!held_alone(last)) last = std::make_shared<Synthesised>();
    core.step(positions, *last, before);
    return last;
  }
};

void register_synthesis(py::module_& m) {
  bind_enum<WeightPlaces>(m, "WeightPlaces",
                          "Where weights are computed: at the vertices of the feature mesh, from which they spread "
                          "linearly, or at all vertices of the smooth mesh.");

  py::class_<Synthesised, std::shared_ptr<Synthesised>>(m, "Synthesised",
                                                        "What one deformation gave; the arrays are views.")
      .def("__repr__",
           [](const Synthesised& self) {
             return message("<Synthesised, ", self.positions.rows(), " vertices, weights of ", self.pose_weights.cols(),
                            " poses>");
           })
      .def_property_readonly(
          "features", [](const py::object& self) { return view(py::cast<const Synthesised&>(self).features, self); },
          "(e,) the feature vector.")
      .def_property_readonly(
          "pose_weights",
          [](const py::object& self) { return view_matrix(py::cast<const Synthesised&>(self).pose_weights, self); },
          "(k, P) where weights are computed.")
      .def_property_readonly(
          "detail", [](const py::object& self) { return view_matrix(py::cast<const Synthesised&>(self).detail, self); },
          "(N, 3) in the frames of the smooth surface.")
      .def_property_readonly(
          "positions",
          [](const py::object& self) { return view_matrix(py::cast<const Synthesised&>(self).positions, self); },
          "(N, 3) of the detailed surface.");

  py::class_<BoundSynthesis>(m, "Synthesis", R"(Detail from example poses on the smooth surface of any deformation.

At a pose whose weights are its own alone the result is that pose's fine surface; turning or shifting the feature mesh turns
and shifts the result alike (Zurdo 2013, sections 4 and 5.2).

Args:
    mesh: The feature mesh.
    levels: How often it is subdivided.
    rest: (n, 3) of the feature mesh.
    poses: (P, n, 3) of the feature mesh.
    details: (P, N, 3) in the frames of the smooth surface, as `SmoothSurface.detail_of` gives them.
    places: `WeightPlaces` or its name.
    falloff, edges: As `Features.metric`.
    kernel, equal: As `PoseSpace`.
    regression: Where weights come from instead of a pose space, of the same mesh; `poses` are then those of its centres,
        and there are as many details as it has weights for.
    trail: Seconds by which the examples' cloth trails its guide, which the details leave out.

Raises ValueError for shapes that do not fit, numbers that are not finite, and what `Features` and `PoseSpace` refuse.)")
      .def(
          py::init([](const Mesh& mesh, int levels, const py::object& rest, const py::object& poses,
                      const py::object& details, const py::object& places, double falloff, std::int32_t edges,
                      const py::object& kernel, const py::object& equal, const py::object& regression, double trail) {
            const SynthesisOptions options{.places = member_from<WeightPlaces>(places, "places"),
                                           .metric = {.falloff = falloff, .edges = edges},
                                           .pose_space = {.kernel = member_from<Kernel>(kernel, "kernel"),
                                                          .equal = member_from<EqualPoses>(equal, "equal")},
                                           .trail = trail};
            const Array3 points = input_positions(mesh, rest, "rest");
            const std::vector<Array3> shapes = input_stack(poses, py::ssize_t(mesh.vertex_count()), "poses");
            std::vector<Array3> fine = input_stack(details, -1, "details");
            const auto* learned = regression.is_none() ? nullptr : &py::cast<const Regression&>(regression);
            const Unlocked unlocked;
            if (learned != nullptr)
              return BoundSynthesis{Synthesis(mesh.shared_from_this(), levels, points, shapes, std::move(fine),
                                              learned->tables(), options)};
            return BoundSynthesis{Synthesis(mesh.shared_from_this(), levels, points, shapes, std::move(fine), options)};
          }),
          py::arg("mesh"), py::arg("levels"), py::arg("rest"), py::arg("poses"), py::arg("details"), py::kw_only(),
          py::arg("places") = "sparse", py::arg("falloff") = MetricOptions{}.falloff,
          py::arg("edges") = MetricOptions{}.edges, py::arg("kernel") = "distance", py::arg("equal") = "refuse",
          py::arg("regression") = py::none(), py::arg("trail") = 0.0)
      .def_property_readonly(
          "features", [](const BoundSynthesis& self) -> const Features& { return self.core.features(); },
          py::return_value_policy::reference_internal, "Of the feature mesh.")
      .def_property_readonly(
          "pose_space", [](const BoundSynthesis& self) -> const PoseSpace& { return self.core.pose_space(); },
          py::return_value_policy::reference_internal,
          "Of the poses. Raises ValueError where weights come from a regression.")
      .def_property_readonly(
          "regression", [](const BoundSynthesis& self) { return self.core.regression(); },
          py::return_value_policy::reference_internal, "Where weights come from; None for a pose space.")
      .def("__repr__",
           [](const BoundSynthesis& self) {
             return message("<Synthesis, ", self.core.details().size(), " poses, ",
                            self.core.subdivision().fine()->vertex_count(), " vertices>");
           })
      .def(
          "copy",
          [](const BoundSynthesis& self) {
            const Reading call(self, "Synthesis");
            const Unlocked unlocked;
            return BoundSynthesis{self.core};
          },
          "Another one of the same numbers, for use beside this one.")
      .def_property_readonly(
          "subdivision",
          [](const BoundSynthesis& self) {
            return std::const_pointer_cast<LoopSubdivision>(self.core.share_subdivision());
          },
          "The `LoopSubdivision` of the feature mesh.")
      .def(
          "step",
          [](BoundSynthesis& self, const py::object& positions, const py::object& before, const py::object& seconds) {
            const Mesh& mesh = *self.core.features().mesh();
            const Array3 points = input_positions(mesh, positions);
            const PositionsBefore moved(mesh, before, seconds);
            const Changing call(self, "Synthesis");
            // Python has what weighs too.
            if (const Regression* regression = self.core.regression()) {
              const Changing weights(*regression, "Regression");
              const Unlocked unlocked;
              return self.step(points, moved.get());
            }
            const Changing weights(self.core.pose_space(), "PoseSpace");
            const Unlocked unlocked;
            return self.step(points, moved.get());
          },
          py::arg("positions"), py::arg("before") = py::none(), py::arg("seconds") = py::none(),
          "The detailed surface over feature positions (n, 3): `Synthesised`; it stays as it is. A regression takes "
          "the "
          "velocity from the positions `before`, so many seconds ago; without them nothing moves.")
      .def(
          "spread",
          [](const BoundSynthesis& self, const py::object& pose_weights) {
            const Table weights = input_table(pose_weights, py::ssize_t(self.core.details().size()), "pose_weights");
            Table out;
            const Reading call(self, "Synthesis");
            self.core.spread(weights, out);
            return copy_matrix(out);
          },
          py::arg("pose_weights"), "(N, P): weights (k, P) as they reach the vertices of the smooth mesh.");
}

void register_run(py::module_& m) {
  bind_enum<Compute>(m, "Compute", "Where surfaces are made.");
  bind_tree<byexample::Params>(m, "Params",
                               "Every number a run by example depends on besides its clip: one frozen tree.");

  py::class_<ExampleDetail, Detail, std::shared_ptr<ExampleDetail>>(
      m, "ExampleDetail", "The fine mesh that one frame puts over the coarse one; arrays are views.")
      .def_property_readonly(
          "subdivision",
          [](const ExampleDetail& self) { return std::const_pointer_cast<LoopSubdivision>(self.subdivision()); },
          "The `LoopSubdivision`, whose `fine` has the triangles.")
      .def_property_readonly(
          "fine_positions",
          [](const py::object& self) {
            return view_matrix(py::cast<const ExampleDetail&>(self).fine_positions(), self);
          },
          "(N, 3) of the fine mesh.")
      .def_property_readonly(
          "fine_normals",
          [](const py::object& self) { return view_matrix(py::cast<const ExampleDetail&>(self).fine_normals(), self); },
          "(N, 3), unit; zero for a vertex without area.");

  py::class_<Sway>(m, "Sway",
                   "Masses on springs to the coarse vertices; arrays are views. Both empty without `params.sway`.")
      .def_property_readonly(
          "offsets", [](const py::object& self) { return view_matrix(py::cast<const Sway&>(self).offsets, self); },
          "(n, 3): how far each is from its vertex.")
      .def_property_readonly(
          "speeds", [](const py::object& self) { return view_matrix(py::cast<const Sway&>(self).speeds, self); },
          "(n, 3): velocities over 2π / `params.sway`, lengths.");

  py::class_<Trail>(m, "Trail", "By how much the garment trails its guide; a view. Empty for a set that does not.")
      .def_property_readonly(
          "offsets", [](const py::object& self) { return view_matrix(py::cast<const Trail&>(self).offsets, self); },
          "(n, 3): how far each coarse vertex is behind its place.");

  py::class_<ExampleState, State, std::shared_ptr<ExampleState>>(
      m, "State", "What one frame gave. It stays as it is when the run goes on; arrays are views of it.")
      .def_property_readonly(
          "surface", [](const ExampleState& self) -> const Synthesised& { return self.surface(); },
          py::return_value_policy::reference_internal,
          "`Synthesised`, with the weights after the lag. With `compute` gpu it is made when it is first asked for.")
      .def_property_readonly(
          "pose_weights",
          [](const py::object& self) { return view_matrix(py::cast<const ExampleState&>(self).pose_weights(), self); },
          "(k, P) where weights are computed, after the lag.")
      .def_property_readonly(
          "sway", [](const ExampleState& self) -> const Sway& { return self.sway(); },
          py::return_value_policy::reference_internal, "`Sway`: how far the garment lags and swings as a whole.")
      .def_property_readonly(
          "trail", [](const ExampleState& self) -> const Trail& { return self.trail(); },
          py::return_value_policy::reference_internal, "`Trail`: how far the garment is behind its guide.")
      .def_property_readonly(
          "detail", [](const ExampleState& self) -> const ExampleDetail& { return self.detail(); },
          py::return_value_policy::reference_internal, "The surface, an ExampleDetail.")
      .def("__repr__", [](const ExampleState& self) {
        return message("<State, frame ", self.frame, " at ", self.time, " s, ",
                       self.detail().subdivision()->fine()->vertex_count(), " vertices>");
      });

  py::class_<ByExample, Method>(m, "ByExample", R"(The whole method: the detail of recorded poses, frame after frame.

The weights of the poses follow those of the deformation with a time constant of `params.lag`; with `params.sway` the garment
follows its guide on damped springs of that period. `params.trained`, the name of a file, is not read.

Args:
    synthesis: A Synthesis, which is copied.
    params: A Params of this module.
    shared: Vertices that the rest of the character has as well; with `params.sewn` they stay where they are.

Raises:
    ValueError: For parameters out of range and vertices that there are not.)")
      .def(py::init([](const BoundSynthesis& synthesis, const byexample::Params& params, const py::object& shared) {
             return ByExample(synthesis.core, params, input_list<std::int32_t>(shared, -1, "shared"));
           }),
           py::arg("synthesis"), py::arg("params") = byexample::Params{}, py::arg("shared") = py::tuple())
      .def_property_readonly("params", &ByExample::params, "What the run was made with.")
      .def("advance", &advance<ByExample>, py::arg("positions"), py::arg("time"), kAdvanceDoc)
      .def_property_readonly("state",
                             reading<ByExample>("run", [](const ByExample& self) { return shared_state(self); }),
                             "Of the last frame.")
      .def_static(
          "restore", [](const py::bytes& bytes) { return ByExample::restore(std::string_view(bytes)); },
          py::arg("bytes"),
          "A run that goes on as the saved one. Raises pucker.Error for bytes that save() has not made.")
      .def("__repr__",
           [](const ByExample& self) {
             return message("<ByExample, ", self.synthesis().details().size(), " poses, ",
                            self.synthesis().subdivision().fine()->vertex_count(), " vertices>");
           })
      .def(py::pickle([](const ByExample& self) { return saved(self); },
                      [](const py::bytes& bytes) { return ByExample::restore(std::string_view(bytes)); }));
}

}  // namespace

void register_byexample(py::module_& m) {
  py::module_ byexample = m.def_submodule(
      "_byexample", "Wrinkles by example (Zurdo, Brito and Otaduy 2013): detail of recorded poses on any deformation.");
  register_loop(byexample);
  register_features(byexample);
  register_pose_space(byexample);
  register_regression(byexample);
  register_smooth(byexample);
  register_synthesis(byexample);
  register_run(byexample);
  register_trained(byexample);
}

}  // namespace pucker::bindings
