/// What the bindings of wrinkles by example share.
#pragma once

#include <pybind11/pybind11.h>

#include <algorithm>
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
#include "pucker/byexample/low_frequency.h"
#include "pucker/byexample/synthesis.h"
#include "pucker/reuse.h"

namespace pucker::bindings {

using namespace pybind11::literals;
using namespace pucker::byexample;

/// The P arrays of one of shape (P, rows, 3); −1 stands for any number of rows.
inline std::vector<Array3> input_stack(const py::object& object, py::ssize_t rows, const char* name) {
  const auto array = input<double>(object, name);
  require_shape(array, {-1, rows, 3}, name);
  std::vector<Array3> out;
  out.reserve(std::size_t(array.shape(0)));
  for (py::ssize_t k = 0; k < array.shape(0); ++k)
    out.emplace_back(Eigen::Map<const Array3>(array.data() + k * array.shape(1) * 3, array.shape(1), 3));
  return out;
}

/// One array (P, rows, 3); of no shapes (0, `of_none`, 3).
inline py::array_t<double> stacked(const std::vector<Array3>& shapes, py::ssize_t of_none = 0) {
  const py::ssize_t rows = shapes.empty() ? of_none : py::ssize_t(shapes.front().rows());
  py::array_t<double> out({py::ssize_t(shapes.size()), rows, py::ssize_t(3)});
  double* to = out.mutable_data();
  for (const Array3& shape : shapes) to = std::copy_n(shape.data(), shape.size(), to);
  return out;
}

inline Table input_table(const py::object& object, py::ssize_t columns, const char* name) {
  const auto array = input<double>(object, name);
  require_shape(array, {-1, columns}, name);
  return Eigen::Map<const Table>(array.data(), array.shape(0), array.shape(1));
}

/// A matrix of few entries a row, with the object that keeps it alive.
struct BoundRows {
  const SparseRows* rows;
  py::object owner;
};

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

/// The guide of positions, as Python gives it; none for None.
inline std::optional<Array3> input_guide(const Mesh& mesh, const py::object& given) {
  if (given.is_none()) return std::nullopt;
  return input_positions(mesh, given, "guide");
}

/// A synthesis and the memory of its last result, used again unless Python still holds it.
struct BoundSynthesis {
  Synthesis core;
  std::shared_ptr<Synthesised> last = std::make_shared<Synthesised>();

  std::shared_ptr<Synthesised> step(const Array3& positions, const Before* before, const Array3* guide) {
    if (!held_alone(last)) last = std::make_shared<Synthesised>();
    core.step(positions, *last, before, guide);
    return last;
  }
};

}  // namespace pucker::bindings
