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
#include "pucker/drape/drape.h"
#include "pucker/mesh/thickness.h"
#include "pucker/reuse.h"

namespace pucker::bindings {

using namespace pucker::drape;

void register_drape_computed(py::module_& m);
void register_drape_contact(py::module_& m);
void register_drape_height(py::module_& m);
void register_drape_layers(py::module_& m);
void register_drape_run(py::module_& m);
void register_drape_stages(py::module_& m);

namespace {

/// An object with what Python gave it, all of whose calls are one at a time.
struct BoundBalance {
  std::shared_ptr<const Levels> levels;
  drape::Guide guide;
  Lengths lengths;
  double depth;
  Balance core;
  Array3 gradient;

  BoundBalance(const std::shared_ptr<const Levels>& of, const Array3& cut, const drape::Params& params,
               const std::vector<std::uint8_t>& pinned, const Maps& maps)
      : levels(of),
        guide(of),
        lengths(lengths_of(*of, cut, params, maps)),
        depth(params.depth * lengths.extent),
        core(of, cut, lengths, pinned, {.creep = params.creep, .compression = params.compression}) {}
};

void register_stages(py::module_& m) {
  m.def(
      "thickness",
      [](const Mesh& mesh, const ArrayLike& positions) {
        const Array3 points = input_positions(mesh, positions);
        std::vector<double> out;
        {
          const Unlocked unlocked;
          out = thickness(mesh, points);
        }
        return copy(out);
      },
      py::arg("mesh"), py::arg("positions"),
      "(n,): from each vertex of positions (n, 3) straight inwards to the other side of the mesh, infinite where there "
      "is none, and of that the median of each vertex and its neighbours. Raises ValueError for another shape.");

  m.def(
      "keeps_mesh", &drape::keeps_mesh, py::arg("params"),
      "Whether parameters are for a garment's mesh as its file has it: they say how often that is subdivided, or name "
      "positions or numbers of its vertices.");

  py::class_<Lengths>(m, "Lengths", "The lengths that say how a garment folds, in the unit of its positions.")
      .def_readonly("extent", &Lengths::extent, "longest side of the box round the garment")
      .def_property_readonly(
          "fold_sizes", [](const py::object& self) { return view(py::cast<const Lengths&>(self).fold_sizes, self); },
          "(N,): over which the cloth may leave the guide; a view.")
      .def_property_readonly(
          "wavelengths", [](const py::object& self) { return view(py::cast<const Lengths&>(self).wavelengths, self); },
          "(N,): of the folds; a view.")
      .def_property_readonly(
          "tightness", [](const py::object& self) { return view(py::cast<const Lengths&>(self).tightness, self); },
          "(N,): what rest lengths are divided by, without a unit; a view.");

  m.def(
      "fabric_of",
      [](drape::Cloth cloth) {
        const std::optional<Fabric> found = fabric_of(cloth);
        return found ? py::object(py::make_tuple(found->bending, found->tension)) : py::object(py::none());
      },
      py::arg("cloth"),
      "Bending stiffness in N m of a cloth, and its tension in N/m, 1 or the weight of half a metre if that is more. "
      "None for unknown.");

  py::class_<Maps>(m, "Maps", R"(What differs over a garment, one number a coarse vertex.

Args:
    stiffness: (n,), what the bending stiffness is multiplied with, in [1e-9, 1e9]; None: 1 everywhere.
    tightness: (n,), what `params.tightness` is multiplied with, which stays in [0.1, 10]; None: 1 everywhere.)")
      .def(py::init([](const MaybeArray& stiffness, const MaybeArray& tightness) {
             Maps out;
             if (!stiffness.is_none()) out.stiffness = input_list<double>(stiffness, -1, "stiffness");
             if (!tightness.is_none()) out.tightness = input_list<double>(tightness, -1, "tightness");
             return out;
           }),
           py::arg("stiffness") = py::none(), py::arg("tightness") = py::none())
      .def_property_readonly(
          "stiffness", [](const py::object& self) { return view(py::cast<const Maps&>(self).stiffness, self); },
          "(n,), or (0,) for 1 everywhere; a view.")
      .def_property_readonly(
          "tightness", [](const py::object& self) { return view(py::cast<const Maps&>(self).tightness, self); },
          "(n,), or (0,) for 1 everywhere; a view.")
      .def("__repr__", [](const Maps& self) {
        return message("<Maps, ", self.stiffness.size(), " of stiffness, ", self.tightness.size(), " of tightness>");
      });

  py::class_<Solved>(m, "Solved", "How far a solver came.")
      .def_readonly("iterations", &Solved::iterations, "steps it took")
      .def_readonly("energy", &Solved::energy, "at the end, the stiffness of a spring being 1")
      .def_readonly("residual", &Solved::residual, "how far it is from the balance, as a strain")
      .def("__repr__", [](const Solved& self) {
        return message("<Solved, ", self.iterations, " iterations, residual ", self.residual, ">");
      });

  py::class_<BoundBalance>(m, "Balance", R"(The balance of a fine mesh between its own lengths and a guide.

Springs along the edges, as long as in the cut pose; a hold to the guide; bending of what lies between; and a limit to how deep
inside of the guide it lies. `aim` sets the guide, `evaluate` gives energy and gradient, `solve` makes the energy least.

Args:
    mesh: The coarse mesh.
    cut: (n, 3), the pose that the garment was cut for.
    params: A Params of this module.
    pinned: (N,) bool, fine vertices that stay on the guide; None for none.
    maps: Maps of what differs over the garment; None: nothing.

Raises:
    ValueError: For shapes that do not fit, a garment without extent, and maps out of range.)")
      .def(py::init([](const Mesh& mesh, const ArrayLike& cut, const drape::Params& params, const MaybeArray& pinned,
                       const Maps* maps) {
             const Array3 points = input_positions(mesh, cut, "cut");
             const Maps given = maps != nullptr ? *maps : Maps{};
             std::vector<std::uint8_t> stays;
             if (!pinned.is_none()) stays = input_list<std::uint8_t>(pinned, -1, "pinned");
             const Unlocked unlocked;
             params.validate();
             return std::make_unique<BoundBalance>(
                 std::make_shared<const Levels>(
                     subdivided(mesh.shared_from_this(), levels_of(mesh, points, params, given), points)),
                 points, params, stays, given);
           }),
           py::arg("mesh"), py::arg("cut"), py::arg("params") = drape::Params{}, py::arg("pinned") = py::none(),
           py::arg("maps") = py::none())
      .def_property_readonly(
          "subdivision",
          [](const BoundBalance& self) { return std::const_pointer_cast<LoopSubdivision>(self.levels->share()); },
          "The `LoopSubdivision` of the coarse mesh.")
      .def_property_readonly(
          "lengths", [](const BoundBalance& self) -> const Lengths& { return self.lengths; },
          py::return_value_policy::reference_internal, "`Lengths` of the garment.")
      .def_property_readonly(
          "rest_lengths", [](const BoundBalance& self) { return copy(self.core.rest_lengths()); },
          "(E,) of the springs at the last aim, along the edges of the fine mesh.")
      .def_property_readonly(
          "holds", [](const BoundBalance& self) { return copy(self.core.holds()); },
          "(N,): stiffness of the hold of each fine vertex, that of a spring being 1.")
      .def(
          "aim",
          [](BoundBalance& self, const ArrayLike& positions, const MaybeArray& before, double weight) {
            const Array3 points = input_positions(*self.levels->coarse(), positions);
            Array3 last;
            if (!before.is_none()) last = input_positions(*self.levels->whole().fine(), before, "before");
            const Changing call(self, "Balance");
            {
              const Unlocked unlocked;
              self.guide.step(points);
              const Pull pull{&last, last.rows() > 0 ? weight : 0};
              self.core.aim(self.guide.positions(), self.guide.normals(), std::span(&pull, 1), self.depth);
            }
            return copy_matrix(self.guide.positions());
          },
          py::arg("positions"), py::arg("before") = py::none(), py::arg("weight") = 0.0,
          "Sets the guide to that of coarse positions (n, 3), and a pull to fine places `before` (N, 3) that is "
          "`weight` "
          "times the hold. Returns the guide, (N, 3). Raises ValueError for other shapes and a weight below 0.")
      .def(
          "evaluate",
          [](BoundBalance& self, const ArrayLike& fine) {
            const Array3 x = input_positions(*self.levels->whole().fine(), fine, "fine");
            const Changing call(self, "Balance");
            double energy = 0;
            {
              const Unlocked unlocked;
              energy = self.core.evaluate(x, self.gradient);
            }
            return py::make_tuple(energy, copy_matrix(self.gradient));
          },
          py::arg("fine"),
          "Energy of fine positions (N, 3) at the last aim, and its gradient (N, 3). Raises ValueError for another "
          "shape.")
      .def(
          "solve",
          [](BoundBalance& self, const ArrayLike& fine, int iterations, double tolerance) {
            Array3 x = input_positions(*self.levels->whole().fine(), fine, "fine");
            const Changing call(self, "Balance");
            Solved solved;
            {
              const Unlocked unlocked;
              solved = self.core.solve(x, iterations, tolerance);
            }
            return py::make_tuple(copy_matrix(x), solved);
          },
          py::arg("fine"), py::arg("iterations") = 30, py::arg("tolerance") = 1e-6,
          "The balance that is found from fine positions (N, 3), and `Solved`. Raises ValueError for another shape.")
      .def("__repr__", [](const BoundBalance& self) {
        return message("<Balance, ", self.levels->whole().fine()->vertex_count(), " vertices>");
      });
}

}  // namespace

void register_drape(py::module_& m) {
  py::module_ drape = m.def_submodule(
      "_drape", "Draped cloth: a fine mesh held softly to the coarse motion and brought into balance in every frame.");
  bind_enum<drape::Compute>(drape, "Compute", "Where the cloth is balanced.");
  bind_int_enum<drape::Cloth>(drape, "Cloth", "What a garment is sewn of.");
  bind_node<drape::FabricParams>(drape, "FabricParams", "What the cloth is made of (Cerda and Mahadevan 2003).");
  bind_tree<drape::Params>(drape, "Params",
                           "Every number a run of draped cloth depends on besides its clip: one frozen tree.");
  register_stages(drape);
  register_drape_stages(drape);
  register_drape_contact(drape);
  register_drape_height(drape);
  register_drape_layers(drape);
  register_drape_run(drape);
  register_drape_computed(drape);
}

}  // namespace pucker::bindings
