#include <pybind11/pybind11.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "method.h"
#include "params.h"
#include "pucker/drape/drape.h"
#include "pucker/sharing.h"

namespace pucker::bindings {

using namespace pucker::drape;

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
               const std::vector<std::uint8_t>& pinned)
      : levels(of),
        guide(of),
        lengths(lengths_of(*of, cut, params)),
        depth(params.depth * lengths.extent),
        core(of, cut, lengths, pinned,
             {.creep = params.creep, .compression = params.compression, .tightness = params.tightness}) {}
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

  py::class_<Lengths>(m, "Lengths", "The lengths that say how a garment folds, in the unit of its positions.")
      .def_readonly("extent", &Lengths::extent, "longest side of the box round the garment")
      .def_property_readonly(
          "fold_sizes", [](const py::object& self) { return view(py::cast<const Lengths&>(self).fold_sizes, self); },
          "(N,): over which the cloth may leave the guide; a view.")
      .def_property_readonly(
          "wavelengths", [](const py::object& self) { return view(py::cast<const Lengths&>(self).wavelengths, self); },
          "(N,): of the folds; a view.");

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

Raises:
    ValueError: For shapes that do not fit, and a garment without extent.)")
      .def(py::init([](const Mesh& mesh, const ArrayLike& cut, const drape::Params& params, const MaybeArray& pinned) {
             const Array3 points = input_positions(mesh, cut, "cut");
             std::vector<std::uint8_t> stays;
             if (!pinned.is_none()) stays = input_list<std::uint8_t>(pinned, -1, "pinned");
             const Unlocked unlocked;
             params.validate();
             return std::make_unique<BoundBalance>(
                 std::make_shared<const Levels>(mesh.shared_from_this(), levels_of(mesh, points, params)), points,
                 params, stays);
           }),
           py::arg("mesh"), py::arg("cut"), py::arg("params") = drape::Params{}, py::arg("pinned") = py::none())
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
            const Array3 points = input_positions(*self.levels->mesh(0), positions);
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

/// A Contact with its body, all of whose calls are one at a time.
struct BoundContact {
  Contact core;

  BoundContact(const std::shared_ptr<const Body>& body, const LoopSubdivision& subdivision, const Array3& cut,
               const drape::Params& params)
      : core(made(body, Levels(subdivision.coarse(), subdivision.levels()), cut, params)) {}

  static Contact made(const std::shared_ptr<const Body>& body, const Levels& levels, const Array3& cut,
                      const drape::Params& params) {
    const double extent = lengths_of(levels, cut, params).extent;
    return {body, levels, cut, params.clearance * extent, kReach * extent};
  }
};

std::shared_ptr<Body> body_of(const ArrayLike& faces, const ArrayLike& positions, const MaybeArray& cut) {
  auto frames = input<double>(positions, "positions");
  require_shape(frames, {-1, -1, 3}, "positions");
  require(frames.shape(0) > 0, "positions must have a frame");
  Array3 pose;
  if (cut.is_none()) {
    pose = Eigen::Map<const Array3>(frames.data(), frames.shape(1), 3);
  } else {
    pose = input_array3(cut, frames.shape(1), "cut");
  }
  return std::make_shared<Body>(input_index3(faces, "faces"),
                                std::vector<double>(frames.data(), frames.data() + frames.size()), std::move(pose));
}

py::array_t<double> frames_of(const Body& body) {
  py::array_t<double> out({py::ssize_t(body.frame_count()), py::ssize_t(body.cut().rows()), py::ssize_t(3)});
  std::ranges::copy(body.all_positions(), out.mutable_data());
  return out;
}

void register_contact(py::module_& m) {
  py::class_<Body, std::shared_ptr<Body>>(m, "Body", R"(What of a character is not the garment, in all frames of a clip.

Args:
    faces: (m, 3), counterclockwise seen from outside. Vertices in one place should be one: only what is closed has an inside.
    positions: (frames, nb, 3).
    cut: (nb, 3) in the pose that the garment was cut for; None: the first frame.

Raises:
    ValueError: For other shapes, a triangle out of range, and positions that are not finite.)")
      .def(py::init([](const ArrayLike& faces, const ArrayLike& positions, const MaybeArray& cut) {
             return body_of(faces, positions, cut);
           }),
           py::arg("faces"), py::arg("positions"), py::arg("cut") = py::none())
      .def_property_readonly(
          "faces", [](const Body& self) { return copy_matrix(self.faces()); }, "(m, 3).")
      .def_property_readonly("positions", &frames_of, "(frames, nb, 3).")
      .def_property_readonly(
          "cut", [](const Body& self) { return copy_matrix(self.cut()); }, "(nb, 3).")
      .def("__len__", &Body::frame_count)
      .def("__repr__",
           [](const Body& self) {
             return message("<Body, ", self.cut().rows(), " vertices, ", self.frame_count(), " frames>");
           })
      .def(py::pickle(
          [](const Body& self) {
            return py::make_tuple(copy_matrix(self.faces()), frames_of(self), copy_matrix(self.cut()));
          },
          [](const py::tuple& state) {
            require(state.size() == 3, "a pickled body has 3 parts, got ", state.size());
            return body_of(state[0], state[1], state[2]);
          }));

  py::class_<BoundContact>(m, "Contact", R"(Distances of fine vertices from a body, and what takes them out of it.

Solid is what of the body has a back: capes and strands of hair, which have none, do not count. A vertex has contact where its
nearest place is solid and no border, such as the wrist of a hand. The room that it keeps is `params.clearance`, or less where the
coarse surface is nearer or inside in the cut pose.

Args:
    body: A Body.
    subdivision: The LoopSubdivision of the garment.
    cut: (n, 3), the pose that the garment was cut for.
    params: A Params of this module.

Raises:
    ValueError: For shapes that do not fit, and a garment without extent.)")
      .def(py::init([](const std::shared_ptr<Body>& body, const LoopSubdivision& subdivision, const ArrayLike& cut,
                       const drape::Params& params) {
             const Array3 points = input_positions(*subdivision.coarse(), cut, "cut");
             const Unlocked unlocked;
             return std::make_unique<BoundContact>(body, subdivision, points, params);
           }),
           py::arg("body").none(false), py::arg("subdivision"), py::arg("cut"), py::arg("params") = drape::Params{})
      .def_property_readonly(
          "room", [](const BoundContact& self) { return copy(self.core.room()); },
          "(N,): what each fine vertex keeps from the body in the frame; negative where it is cut within it.")
      .def_property_readonly(
          "solid", [](const BoundContact& self) { return self.core.solid_count(); }, "Triangles that are solid.")
      .def(
          "step",
          [](BoundContact& self, std::int64_t frame) {
            const Changing call(self, "Contact");
            const Unlocked unlocked;
            self.core.step(frame);
          },
          py::arg("frame"),
          "Takes the body to a frame, and the room to that of the cut pose. Raises ValueError for one that it has not.")
      .def(
          "let_through",
          [](BoundContact& self, const ArrayLike& guide, const ArrayLike& normals) {
            const auto count = py::ssize_t(self.core.room().size());
            const Array3 x = input_array3(guide, count, "guide");
            const Array3 n = input_array3(normals, count, "normals");
            const Changing call(self, "Contact");
            const Unlocked unlocked;
            self.core.let_through(x, n);
          },
          py::arg("guide"), py::arg("normals"),
          R"(Lets the body pierce the cloth where it pierces its guide, as cloth cannot be stretched over it.

In a connected region of the guide that is in the body let d be its largest depth, beyond that of the cut pose, and c the mean
cosine between the normals of guide and body: as d goes from 0.75 to 1.5 % of the garment's extent and c from 0.7 to 0.4, `room` goes
to the guide's own distance.

Args:
    guide: (N, 3), fine positions of the guide.
    normals: (N, 3), of unit length, there.

Raises:
    ValueError: For another shape.)")
      .def(
          "distances",
          [](BoundContact& self, const ArrayLike& fine) {
            const Array3 x = input_array3(fine, py::ssize_t(self.core.room().size()), "fine");
            const Changing call(self, "Contact");
            std::vector<double> out;
            {
              const Unlocked unlocked;
              out = self.core.distances(x);
            }
            return copy(out);
          },
          py::arg("fine"),
          "(N,) of fine positions (N, 3) from the body, negative inside; infinite where it is not near. Raises "
          "ValueError "
          "for another shape.")
      .def(
          "lift",
          [](BoundContact& self, const ArrayLike& fine) {
            Array3 x = input_array3(fine, py::ssize_t(self.core.room().size()), "fine");
            const Changing call(self, "Contact");
            {
              const Unlocked unlocked;
              self.core.lift(x);
            }
            return copy_matrix(x);
          },
          py::arg("fine"),
          "Fine positions (N, 3), those that are too near the body taken to the nearest place where they have their "
          "room. "
          "Raises ValueError for another shape.")
      .def("__repr__",
           [](const BoundContact& self) { return message("<Contact, ", self.core.solid_count(), " triangles>"); });
}

void register_run(py::module_& m) {
  py::class_<DrapeDetail, Detail, std::shared_ptr<DrapeDetail>>(
      m, "DrapeDetail", "The fine mesh that one frame puts over the coarse one; arrays are views.")
      .def_property_readonly(
          "subdivision",
          [](const DrapeDetail& self) { return std::const_pointer_cast<LoopSubdivision>(self.subdivision()); },
          "The `LoopSubdivision`, whose `fine` has the triangles.")
      .def_property_readonly(
          "fine_positions",
          [](const py::object& self) { return view_matrix(py::cast<const DrapeDetail&>(self).fine_positions(), self); },
          "(N, 3) of the fine mesh.")
      .def_property_readonly(
          "fine_normals",
          [](const py::object& self) { return view_matrix(py::cast<const DrapeDetail&>(self).fine_normals(), self); },
          "(N, 3), unit; zero for a vertex without area.");

  py::class_<DrapeState, State, std::shared_ptr<DrapeState>>(
      m, "State", "What one frame gave. It stays as it is when the run goes on; arrays are views of it.")
      .def_property_readonly(
          "guide", [](const py::object& self) { return view_matrix(py::cast<const DrapeState&>(self).guide, self); },
          "(N, 3): the smooth surface that the cloth is held to.")
      .def_property_readonly(
          "draped", [](const py::object& self) { return view_matrix(py::cast<const DrapeState&>(self).draped, self); },
          "(N, 3): the cloth in balance.")
      .def_property_readonly(
          "solved", [](const DrapeState& self) -> const Solved& { return self.solved; },
          py::return_value_policy::reference_internal, "`Solved`: iterations and residual.")
      .def_readonly("started", &DrapeState::started,
                    "Whether nothing was taken over from the frame before: in the first, and where the guide has "
                    "jumped farther than the garment is large.")
      .def_property_readonly(
          "lengths", [](const DrapeState& self) -> const Lengths& { return self.setting().lengths; },
          py::return_value_policy::reference_internal, "`Lengths` of the garment.")
      .def_property_readonly(
          "cut",
          [](const py::object& self) { return view_matrix(py::cast<const DrapeState&>(self).setting().cut, self); },
          "(n, 3): the pose that the garment was cut for.")
      .def_property_readonly(
          "cut_from", [](const DrapeState& self) { return self.setting().cut_from; },
          "Which pose that is, as \"the first frame of Idle\"; empty if nobody said.")
      .def_property_readonly(
          "detail", [](const DrapeState& self) -> const DrapeDetail& { return self.detail(); },
          py::return_value_policy::reference_internal, "The surface, a DrapeDetail.")
      .def("__repr__", [](const DrapeState& self) {
        return message("<State, frame ", self.frame, " at ", self.time, " s, ",
                       self.detail().subdivision()->fine()->vertex_count(), " vertices>");
      });

  py::class_<Drape, Method>(m, "Drape", R"(The whole method: cloth draped over the guide, frame after frame.

It starts from the last balance, carried along with the guide. `params.cut` is not read.

Args:
    mesh: The coarse mesh.
    cut: (n, 3), the pose that the garment was cut for.
    params: A Params of this module.
    shared: Vertices that the rest of the character has as well; with `params.sewn` they stay where they are.
    cut_from: Which pose `cut` is, for those who ask.
    body: A Body that the cloth is kept out of, whose frames are those of the run; None for none.

Raises:
    ValueError: For parameters out of range, another shape, and vertices that there are not.)")
      .def(py::init([](const Mesh& mesh, const ArrayLike& cut, const drape::Params& params, const ArrayLike& shared,
                       const std::string& cut_from, const std::shared_ptr<Body>& body) {
             const Array3 points = input_positions(mesh, cut, "cut");
             std::vector<std::int32_t> sewn = input_list<std::int32_t>(shared, -1, "shared");
             const Unlocked unlocked;
             return Drape(mesh.shared_from_this(), points, params, std::move(sewn), cut_from, body);
           }),
           py::arg("mesh"), py::arg("cut"), py::arg("params") = drape::Params{}, py::arg("shared") = py::tuple(),
           py::arg("cut_from") = "", py::arg("body") = py::none())
      .def_property_readonly("params", &Drape::params, "What the run was made with.")
      .def_property_readonly(
          "body", [](const Drape& self) { return std::const_pointer_cast<Body>(self.body()); },
          "What the cloth is kept out of; None if nothing.")
      .def_property_readonly(
          "cut_from", [](const Drape& self) { return self.setting().cut_from; },
          "Which pose the garment was cut for; empty if nobody said.")
      .def_property_readonly(
          "lengths", [](const Drape& self) -> const Lengths& { return self.setting().lengths; },
          py::return_value_policy::reference_internal, "`Lengths` of the garment.")
      .def("advance", &advance<Drape>, py::arg("positions"), py::arg("time"), kAdvanceDoc)
      .def_property_readonly(
          "state", [](const Drape& self) { return shared_state(self); }, "Of the last frame.")
      .def_static(
          "restore",
          [](const py::bytes& bytes, const std::shared_ptr<Body>& body) {
            return Drape::restore(std::string_view(bytes), body);
          },
          py::arg("bytes"), py::arg("body") = py::none(),
          "A run that goes on as the saved one. Raises pucker.Error for bytes that save() has not made, and without "
          "the body "
          "that the saved run had.")
      .def("__repr__",
           [](const Drape& self) {
             return message("<Drape, ", self.setting().levels->whole().fine()->vertex_count(), " vertices>");
           })
      .def(py::pickle(
          [](const Drape& self) {
            return py::make_tuple(py::bytes(self.save()), std::const_pointer_cast<Body>(self.body()));
          },
          [](const py::tuple& state) {
            require(state.size() == 2, "a pickled run of draped cloth has 2 parts, got ", state.size());
            return Drape::restore(std::string_view(state[0].cast<py::bytes>()), state[1].cast<std::shared_ptr<Body>>());
          }));
}

}  // namespace

void register_drape(py::module_& m) {
  py::module_ drape = m.def_submodule(
      "_drape", "Draped cloth: a fine mesh held softly to the coarse motion and brought into balance in every frame.");
  bind_tree<drape::Params>(drape, "Params",
                           "Every number a run of draped cloth depends on besides its clip: one frozen tree.");
  register_stages(drape);
  register_contact(drape);
  register_run(drape);
}

}  // namespace pucker::bindings
