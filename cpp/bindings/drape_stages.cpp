#include <pybind11/pybind11.h>
#include <pybind11/typing.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "arrays.h"
#include "method.h"
#include "pucker/drape/guide.h"
#include "pucker/drape/inertia.h"
#include "pucker/drape/multilevel.h"
#include "pucker/drape/springs.h"
#include "pucker/mesh/frames.h"

namespace pucker::bindings {

using namespace pucker::drape;

namespace {

/// An array a level, or None.
using MaybeArrays = py::typing::Optional<py::typing::List<ArrayLike>>;

std::vector<std::int32_t> numbers_to(std::int64_t count) {
  std::vector<std::int32_t> out(static_cast<std::size_t>(count));
  for (std::size_t v = 0; v < out.size(); ++v) out[v] = std::int32_t(v);
  return out;
}

/// The springs of a mesh in its own order, and the guide that they were aimed at.
struct BoundSprings {
  std::shared_ptr<const Mesh> mesh;
  std::vector<std::int32_t> order;
  double unit;
  Springs core;
  std::vector<double> cut_areas, squeezed;
  Array3 guide;

  BoundSprings(std::shared_ptr<const Mesh> of, const Array3& cut, const std::vector<double>& tightness,
               const SpringOptions& options)
      : mesh(std::move(of)),
        order(numbers_to(mesh->vertex_count())),
        core(*mesh, order, cut, tightness, options),
        guide(cut) {
    unit = core.unit();
    vertex_areas(*mesh, cut, unit, cut_areas);
    for (std::size_t v = 0; v < cut_areas.size(); ++v) cut_areas[v] /= tightness[v] * tightness[v];
    aim(cut);
  }

  void aim(const Array3& to) {
    guide = to;
    vertex_areas(*mesh, guide, unit, squeezed);
    for (std::size_t v = 0; v < squeezed.size(); ++v) squeezed[v] = cut_areas[v] > 0 ? cut_areas[v] / squeezed[v] : 1;
    core.aim(guide, squeezed, unit);
  }

  double evaluate(const Array3& fine, Array3& gradient) const {
    const Array3 away = (fine - guide) / unit;
    gradient = Array3::Zero(fine.rows(), 3);
    const double energy = core.add_exact(away, gradient);
    gradient *= unit;
    return energy * unit * unit / 2;
  }
};

/// An Inertia that knows how many vertices it is of.
struct BoundInertia {
  Inertia core;
  py::ssize_t count;  ///< -1: not known yet

  Array3 places(const ArrayLike& given, const char* name) {
    Array3 out = input_array3(given, count, name);
    require(out.allFinite(), name, " must be finite");
    count = out.rows();
    return out;
  }
};

void require_passed(double passed) {
  require(std::isfinite(passed) && passed > 0, "a step must be of a finite time above 0, got ", passed);
}

/// The levels below the finest one of a subdivision, and the order that they want gradients in.
struct BoundMultilevel {
  std::shared_ptr<const Mesh> fine;
  std::vector<std::int32_t> order;
  Multilevel core;
  Fours gradient;

  BoundMultilevel(const LoopSubdivision& subdivision, const Steps& steps, std::vector<LevelStiffness> stiffness)
      : fine(subdivision.fine()),
        order(order_of(*fine)),
        core(steps, order, std::move(stiffness)),
        gradient(order.size(), Four{}) {
    core.aim(std::vector<double>(order.size(), 1));
  }

  Array3 applied(const Array3& to) {
    for (std::size_t v = 0; v < order.size(); ++v) {
      const Eigen::Index row = order[v];
      gradient[v] = Four{float(to(row, 0)), float(to(row, 1)), float(to(row, 2)), 0};
    }
    core.apply(gradient);
    const Stencils& finest = core.finest();
    Array3 out(to.rows(), 3);
    for (std::size_t v = 0; v < order.size(); ++v) {
      Four sum = {};
      for (auto k = std::size_t(finest.begins[v]); k < std::size_t(finest.begins[v + 1]); ++k)
        sum += finest.shares[k].weight * core.coarse()[finest.shares[k].column];
      out.row(order[v]) << double(sum[0]), double(sum[1]), double(sum[2]);
    }
    return out;
  }
};

std::vector<float> numbers_of(const py::handle& object, std::int64_t count, const char* name) {
  const std::vector<double> given = input_list<double>(object, py::ssize_t(count), name);
  for (const double each : given)
    require(std::isfinite(each) && each >= 0, name, " must be finite and at least 0, got ", each);
  return {given.begin(), given.end()};
}

std::unique_ptr<BoundMultilevel> multilevel_of(const LoopSubdivision& subdivision, const MaybeArrays& own,
                                               const MaybeArrays& hold) {
  const Steps steps = [&] {
    const Unlocked unlocked;
    return Steps(subdivision);
  }();
  std::vector<LevelStiffness> stiffness;
  for (const auto& [list, name] : {std::pair<py::object, const char*>(own, "own"), {hold, "hold"}})
    if (!list.is_none())
      require(py::len(list) == std::size_t(steps.count()), name, " must have an array for each of the ", steps.count(),
              " levels below the finest, got ", py::len(list));
  for (int level = 0; level < steps.count(); ++level) {
    const Mesh& mesh = *steps.mesh(level);
    LevelStiffness& next = stiffness.emplace_back();
    next.own.assign(std::size_t(mesh.vertex_count()), 0);
    next.hold = next.own;
    if (!own.is_none()) {
      next.own = numbers_of(own[py::int_(level)], mesh.vertex_count(), "own");
    } else {
      for (Eigen::Index e = 0; e < mesh.edges().rows(); ++e)
        for (int end = 0; end < 2; ++end) next.own[std::size_t(mesh.edges()(e, end))] += 0.5F;
    }
    if (!hold.is_none()) next.hold = numbers_of(hold[py::int_(level)], mesh.vertex_count(), "hold");
  }
  const Unlocked unlocked;
  return std::make_unique<BoundMultilevel>(subdivision, steps, std::move(stiffness));
}

void register_guide_stage(py::module_& m) {
  py::class_<drape::Guide>(m, "Guide", R"(The smooth surface that draped cloth is held to, one frame after the other.

Args:
    subdivision: The LoopSubdivision of the coarse mesh.
    shared: Coarse vertices that a mesh which is not subdivided has as well; the guide is sewn to it there.

Raises:
    ValueError: For vertices that there are not.)")
      .def(py::init([](const LoopSubdivision& subdivision, const ArrayLike& shared) {
             const std::vector<std::int32_t> vertices = input_list<std::int32_t>(shared, -1, "shared");
             const Unlocked unlocked;
             return std::make_unique<drape::Guide>(
                 std::make_shared<const Levels>(subdivision.shared_from_this(), vertices));
           }),
           py::arg("subdivision"), py::arg("shared") = py::tuple())
      .def(
          "step",
          [](drape::Guide& self, const ArrayLike& positions) {
            const Array3 points = input_positions(*self.levels().coarse(), positions);
            const Changing call(self, "Guide");
            {
              const Unlocked unlocked;
              self.step(points);
            }
            return copy_matrix(self.positions());
          },
          py::arg("positions"),
          "Takes the guide to coarse positions (n, 3). Returns its own, (N, 3).\n\n"
          "Raises ValueError for another shape and positions that are not finite.")
      .def_property_readonly(
          "positions",
          reading<drape::Guide>("Guide", [](const drape::Guide& self) { return copy_matrix(self.positions()); }),
          "(N, 3); (0, 3) before the first step.")
      .def_property_readonly(
          "normals",
          reading<drape::Guide>("Guide", [](const drape::Guide& self) { return copy_matrix(self.normals()); }),
          "(N, 3), unit; zero for a vertex without area.")
      .def_property_readonly(
          "frames",
          reading<drape::Guide>("Guide",
                                [](const drape::Guide& self) {
                                  const py::ssize_t count = self.positions().rows();
                                  py::array_t<double> out({count, py::ssize_t(3), py::ssize_t(3)});
                                  for (py::ssize_t v = 0; v < count; ++v) {
                                    const RowMatrix3 frame = self.frame(std::size_t(v), self.positions());
                                    std::copy(frame.data(), frame.data() + frame.size(), out.mutable_data(v, 0, 0));
                                  }
                                  return out;
                                }),
          "(N, 3, 3): a frame for each vertex, whose columns are an edge made orthogonal to the normal, normal × that, "
          "and the normal; zero where there is none.")
      .def("__repr__", [](const drape::Guide& self) {
        return message("<Guide, ", self.levels().whole().fine()->vertex_count(), " vertices>");
      });
}

void register_springs(py::module_& m) {
  py::class_<BoundSprings>(m, "Springs", R"(A spring of stiffness 1 along each edge of a mesh.

Args:
    mesh: The fine mesh.
    cut: (N, 3), its positions in the pose that the garment was cut for, which the springs are aimed at first.
    creep: Share by which a spring is longer where the guide is longer than cut.
    compression: How many times as long as on the guide a spring may be, at least 1.
    tightness: (N,), what lengths in the cut pose are divided by; None: 1 everywhere.

Raises:
    ValueError: For shapes that do not fit, and numbers that are not finite and positive.)")
      .def(py::init([](const Mesh& mesh, const ArrayLike& cut, double creep, double compression,
                       const MaybeArray& tightness) {
             const Array3 points = input_positions(mesh, cut, "cut");
             require_positions(mesh, points);
             std::vector<double> tight(std::size_t(mesh.vertex_count()), 1);
             if (!tightness.is_none())
               tight = input_list<double>(tightness, py::ssize_t(mesh.vertex_count()), "tightness");
             for (const double each : tight)
               require(std::isfinite(each) && each > 0, "tightness must be finite and above 0, got ", each);
             require(creep >= 0 && creep <= 1, "creep must lie in [0, 1], got ", creep);
             require(std::isfinite(compression) && compression >= 1, "compression must be finite and at least 1, got ",
                     compression);
             const Unlocked unlocked;
             return std::make_unique<BoundSprings>(mesh.shared_from_this(), points, tight,
                                                   SpringOptions{.creep = creep, .compression = compression});
           }),
           py::arg("mesh"), py::arg("cut"), py::kw_only(), py::arg("creep") = drape::Params{}.creep,
           py::arg("compression") = drape::Params{}.compression, py::arg("tightness") = py::none())
      .def(
          "aim",
          [](BoundSprings& self, const ArrayLike& guide) {
            const Array3 points = input_positions(*self.mesh, guide, "guide");
            require_positions(*self.mesh, points);
            const Changing call(self, "Springs");
            const Unlocked unlocked;
            self.aim(points);
          },
          py::arg("guide"),
          "Sets the guide (N, 3) that rest lengths follow. Raises ValueError for another shape and positions that are "
          "not finite.")
      .def_property_readonly("rest_lengths",
                             reading<BoundSprings>("Springs",
                                                   [](const BoundSprings& self) {
                                                     return copy(self.core.rest_lengths(*self.mesh, self.order,
                                                                                        self.guide, self.squeezed));
                                                   }),
                             "(E,) at the last aim, along the edges of the mesh.")
      .def(
          "evaluate",
          [](BoundSprings& self, const ArrayLike& fine) {
            const Array3 points = input_positions(*self.mesh, fine, "fine");
            const Changing call(self, "Springs");
            Array3 gradient;
            double energy = 0;
            {
              const Unlocked unlocked;
              energy = self.evaluate(points, gradient);
            }
            return py::make_tuple(energy, copy_matrix(gradient));
          },
          py::arg("fine"),
          "½ Σ (length − rest length)² of positions (N, 3), and its gradient (N, 3). Raises ValueError for another "
          "shape.")
      .def("__repr__",
           [](const BoundSprings& self) { return message("<Springs, ", self.mesh->edge_count(), " of them>"); });
}

void register_inertia(py::module_& m) {
  py::class_<BoundInertia>(m, "Inertia",
                           R"(The inertia of draped cloth: where it would be by itself after a step of time.

Args:
    swing: Root of mass over hold where `shares` is 1, in seconds; 0: no inertia.
    shares: (N,), what the mass of each vertex is multiplied with; empty: 1 everywhere.
    farthest: If a vertex would go farther in a step, times or places have jumped, and it starts anew.

Raises:
    ValueError: For a swing and shares that are not finite or below 0, and a farthest that is not above 0.)")
      .def(py::init([](double swing, const ArrayLike& shares, double farthest) {
             std::vector<double> masses = input_list<double>(shares, -1, "shares");
             require(farthest > 0, "farthest must be above 0, got ", farthest);
             const py::ssize_t count = masses.empty() ? -1 : py::ssize_t(masses.size());
             return std::make_unique<BoundInertia>(BoundInertia{Inertia(swing, std::move(masses), farthest), count});
           }),
           py::arg("swing"), py::arg("shares") = py::tuple(),
           py::arg("farthest") = std::numeric_limits<double>::infinity())
      .def(
          "start",
          [](BoundInertia& self) {
            const Changing call(self, "Inertia");
            self.core.start();
          },
          "Forgets what was: the cloth stands in another place.")
      .def(
          "pull",
          [](BoundInertia& self, const ArrayLike& places, double passed) {
            const Changing call(self, "Inertia");
            const Array3 from = self.places(places, "places");
            require_passed(passed);
            Array3 target = from;
            double weight = 0;
            {
              const Unlocked unlocked;
              weight = self.core.pull(from, passed, target).weight;
            }
            return py::make_tuple(copy_matrix(weight > 0 ? target : from), weight);
          },
          py::arg("places"), py::arg("passed"),
          R"(Where the cloth would be `passed` seconds after it was at `places` (N, 3), and the weight of the pull to it.

The weight is a multiple of the hold; both are what `Balance.aim` takes as `before` and `weight`. Without inertia the
places and 0. Raises ValueError for another shape and a time that is not above 0.)")
      .def(
          "step",
          [](BoundInertia& self, const ArrayLike& places, const ArrayLike& ended, double passed) {
            const Changing call(self, "Inertia");
            const Array3 from = self.places(places, "places");
            const Array3 to = self.places(ended, "ended");
            require_passed(passed);
            const Unlocked unlocked;
            // What a step from these places is reckoned by, whether or not its pull was asked for.
            Array3 target;
            self.core.pull(from, passed, target);
            self.core.step(from, to, passed);
          },
          py::arg("places"), py::arg("ended"), py::arg("passed"),
          "Tells where (N, 3) the step from `places` (N, 3) has ended. Raises ValueError as `pull` does.")
      .def("__repr__", [](const BoundInertia&) { return "<Inertia>"; });
}

void register_multilevel(py::module_& m) {
  py::class_<BoundMultilevel>(m, "Multilevel", R"(Σ P…P D⁻¹ Pᵀ…Pᵀ over all levels of a subdivision below the finest.

P are Loop's weights from level to level, D the diagonal stiffness of the vertices of a level. In single precision.

Args:
    subdivision: The LoopSubdivision.
    own: For each level below the finest, from the coarsest on, the stiffness (n,) of its vertices; None: half the edges of
        each, as of springs of stiffness 1.
    hold: The same, of what the weights of `aim` multiply; None: 0.

Raises:
    ValueError: For other shapes, and numbers that are not finite or below 0.)")
      .def(py::init([](const LoopSubdivision& subdivision, const MaybeArrays& own, const MaybeArrays& hold) {
             return multilevel_of(subdivision, own, hold);
           }),
           py::arg("subdivision"), py::arg("own") = py::none(), py::arg("hold") = py::none())
      .def(
          "aim",
          [](BoundMultilevel& self, const ArrayLike& weights) {
            const std::vector<double> numbers = input_list<double>(weights, py::ssize_t(self.order.size()), "weights");
            for (const double each : numbers)
              require(std::isfinite(each) && each >= 0, "weights must be finite and at least 0, got ", each);
            const Changing call(self, "Multilevel");
            self.core.aim(numbers);
          },
          py::arg("weights"),
          R"(Sets D = own + weight · hold, of weights (N,) of the finest vertices; those of coarser levels come first.

1 before the first call. Raises ValueError for another shape and weights below 0.)")
      .def(
          "apply",
          [](BoundMultilevel& self, const ArrayLike& gradient) {
            const Array3 given = input_positions(*self.fine, gradient, "gradient");
            const Changing call(self, "Multilevel");
            Array3 out;
            {
              const Unlocked unlocked;
              out = self.applied(given);
            }
            return copy_matrix(out);
          },
          py::arg("gradient"), "The sum times a gradient (N, 3), (N, 3). Raises ValueError for another shape.")
      .def("__repr__", [](const BoundMultilevel& self) {
        return message("<Multilevel, ", self.fine->vertex_count(), " vertices>");
      });
}

}  // namespace

void register_drape_stages(py::module_& m) {
  register_guide_stage(m);
  register_springs(m);
  register_inertia(m);
  register_multilevel(m);
}

}  // namespace pucker::bindings
