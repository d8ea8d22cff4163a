#include "pucker/dynamic/labelling.h"

#include <pybind11/native_enum.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "arrays.h"

namespace pucker::bindings {

using namespace pybind11::literals;

namespace {

using Costs = InputArray<double>;
using Mask = InputArray<std::uint8_t>;

Eigen::Map<const Array3> rows_of(const Costs& costs) { return {costs.data(), costs.size() / 3, 3}; }

/// An array of truth values, empty for None.
Mask input_mask(const MaybeArray& inert, std::initializer_list<py::ssize_t> shape) {
  if (inert.is_none()) return Mask(0);
  const auto flags = input<bool>(inert, "inert");
  require_shape(flags, shape, "inert");
  return py::cast<Mask>(flags);
}

std::vector<std::int8_t> input_labels(const py::object& object, py::ssize_t triangles, const char* name) {
  const auto integers = input_indices(object, name);
  require_shape(integers, {triangles}, name);
  const auto numbers = span_of(integers);
  const auto wrong = [](std::int32_t label) { return label < kNone || label > kStretch; };
  if (const auto first = std::find_if(numbers.begin(), numbers.end(), wrong); first != numbers.end())
    refuse(name, " must be labels, but ", name, "[", first - numbers.begin(), "] is ", *first);
  std::vector<std::int8_t> labels(numbers.size());
  std::transform(numbers.begin(), numbers.end(), labels.begin(), [](std::int32_t label) { return std::int8_t(label); });
  return labels;
}

py::array_t<double> costs_of(const ArrayLike& minimum, const ArrayLike& maximum, const Params& params,
                             const MaybeArray& inert) {
  const auto low = input<double>(minimum, "minimum");
  const auto high = input<double>(maximum, "maximum");
  require_shape(low, {-1}, "minimum");
  require_shape(high, {low.size()}, "maximum");
  const Mask mask = input_mask(inert, {low.size()});
  py::array_t<double> costs({low.size(), py::ssize_t(3)});
  Array3 out;
  {
    const Unlocked unlocked;
    label_costs(span_of(low), span_of(high), params, out, span_of(mask));
  }
  std::copy(out.data(), out.data() + out.size(), costs.mutable_data());
  return costs;
}

/// A Labeller with the number of its triangles, which shapes are checked against.
class BoundLabeller {
 public:
  BoundLabeller(const Mesh& mesh, const Params& params)
      : triangles_(mesh.triangle_count()), labeller_(mesh.shared_from_this(), params.label) {}

  py::array_t<std::int8_t> step(const ArrayLike& costs_object, const MaybeArray& inert) {
    const Costs costs = input_costs(costs_object);
    const Mask mask = input_mask(inert, {triangles_});
    const Changing call(*this, kKind);
    std::span<const std::int8_t> labels;
    {
      const Unlocked unlocked;
      labels = labeller_.step(rows_of(costs), span_of(mask));
    }
    return copy(labels);
  }

  py::array_t<std::int8_t> solve_clip(const ArrayLike& costs_object, const MaybeArray& inert) const {
    const auto costs = input<double>(costs_object, "costs");
    require_shape(costs, {-1, triangles_, 3}, "costs");
    const py::ssize_t frames = costs.shape(0);
    const Mask mask = input_mask(inert, {frames, triangles_});
    const Reading call(*this, kKind);
    std::vector<std::int8_t> labels;
    {
      const Unlocked unlocked;
      labels = labeller_.solve_clip(rows_of(costs), span_of(mask));
    }
    return copy(labels).reshape({frames, triangles_});
  }

  double energy(const ArrayLike& costs, const ArrayLike& labels, const MaybeArray& previous,
                const MaybeArray& inert) const {
    const auto before =
        previous.is_none() ? std::vector<std::int8_t>{} : input_labels(previous, triangles_, "previous");
    const Reading call(*this, kKind);
    return labeller_.energy(rows_of(input_costs(costs)), input_labels(labels, triangles_, "labels"), before,
                            span_of(input_mask(inert, {triangles_})));
  }

  py::array_t<std::int8_t> previous() const {
    const Reading call(*this, kKind);
    return copy(labeller_.previous());
  }

  void set_previous(const MaybeArray& previous) {
    const Changing call(*this, kKind);
    if (previous.is_none())
      labeller_.reset();
    else
      labeller_.set_previous(input_labels(previous, triangles_, "previous"));
  }

 private:
  Costs input_costs(const py::object& object) const {
    Costs costs = input<double>(object, "costs");
    require_shape(costs, {triangles_, 3}, "costs");
    return costs;
  }

  static constexpr const char* kKind = "Labeller";

  py::ssize_t triangles_;
  Labeller labeller_;
};

}  // namespace

void register_labelling(py::module_& m) {
  py::native_enum<Label>(
      m, "Label", "enum.IntEnum",
      "What a triangle does between two frames. Neighbours cost the more the farther apart they are in this "
      "order.")
      .value("compress", kCompress)
      .value("rest", kRest)
      .value("stretch", kStretch)
      .finalize();

  m.def("label_costs", &costs_of, "minimum"_a, "maximum"_a, "params"_a, "inert"_a = py::none(),
        R"(Data costs of the labels from the principal stretches against the previous frame.

Gillette 2015, equations 4.4-4.7.

Args:
    minimum: (m,) λ_min, 1 = no deformation.
    maximum: (m,) λ_max.
    params: A Params; its node `label` and `verbatim` are read.
    inert: (m,) bool, or None. Stretches of marked triangles are not looked at; their costs are 0.

Returns:
    (m, 3) float64, columns compress, rest, stretch. With `verbatim` a triangle that shrinks one way and grows the
    other strongly has negative costs.

Raises:
    ValueError: For arrays of different lengths, or a stretch that is not finite and positive.)");

  py::class_<BoundLabeller>(m, "Labeller",
                            R"(Labels that agree with the data costs and change little over the surface and over time.

They minimise the sum of the costs of the labels and of `params.label.smoothness` for each step in the order
0 compress < 1 rest < 2 stretch between neighbours across an edge and between a triangle and itself a frame before
(Gillette 2015, equation 4.3). The solver `exact` finds the optimum by one minimum cut (Ishikawa 2003); of several
optima it takes the one whose labels are lowest in every triangle at once. `expansion` and `swap` make the moves of
Boykov, Veksler and Zabih (2001) from the cheapest label of each triangle until none lowers the energy.

Costs are rounded to multiples of 2^-40 (of a larger power of two if those of one triangle differ by more than 512).
Triangles that the mesh calls degenerate, and those marked inert, have the label rest and no part in the energy.
Raises pucker.Error when it is stepped while another call is in it.

Args:
    mesh: The Mesh of the clip.
    params: A Params; its node `label` is read.)")
      .def(py::init<const Mesh&, const Params&>(), "mesh"_a, "params"_a)
      .def("step", &BoundLabeller::step, "costs"_a, "inert"_a = py::none(),
           R"(The labels of the next frame, those of the previous frame being fixed.

Args:
    costs: (m, 3) finite numbers, as from label_costs.
    inert: (m,) bool, or None.

Returns:
    (m,) int8, 0 compress, 1 rest, 2 stretch. A new array.

Raises:
    ValueError: For a wrong shape or a cost that is not finite; the state is then unchanged.)")
      .def("solve_clip", &BoundLabeller::solve_clip, "costs"_a, "inert"_a = py::none(),
           R"(The labels of all frames of a clip, solved at once over space and time.

Independent of `previous`, which it leaves alone. Takes about 550 bytes of memory a triangle and frame.

Args:
    costs: (frames, m, 3) finite numbers.
    inert: (frames, m) bool, or None.

Returns:
    (frames, m) int8.

Raises:
    ValueError: For a wrong shape or a cost that is not finite.)")
      .def("energy", &BoundLabeller::energy, "costs"_a, "labels"_a, "previous"_a = py::none(), "inert"_a = py::none(),
           R"(The energy of the labels of one frame. That of a clip is the sum over its frames.

Args:
    costs: (m, 3).
    labels: (m,) integers 0, 1, 2.
    previous: (m,) integers, the labels of the previous frame, -1 for a triangle that has none; None for a first frame.
    inert: (m,) bool, or None.

Raises:
    ValueError: For a wrong shape or a value that is not a label.)")
      .def_property("previous", &BoundLabeller::previous, &BoundLabeller::set_previous,
                    R"((m,) int8: what the next frame is tied to, -1 for a triangle that was inert or had no frame yet.

It is the whole state: setting it to a copy continues a run with the same bits, setting it to None starts anew.)");
}

}  // namespace pucker::bindings
