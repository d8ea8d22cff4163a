/// NumPy arrays in and out of the core: any number type and memory order comes in, row-major float64 or int32 goes out.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "calls.h"
#include "pucker/errors.h"
#include "pucker/mesh/topology.h"
#include "pucker/types.h"

namespace pucker::bindings {

namespace py = pybind11;

inline int takes_anything(PyObject* /*object*/) { return 1; }

/// An argument that becomes an array by one of the functions below, which refuse what does not by name; in stubs it is
/// NumPy's ArrayLike.
class ArrayLike : public py::object {
  PYBIND11_OBJECT(ArrayLike, py::object, takes_anything)
};

/// The same of an argument that may be left out.
class MaybeArray : public py::object {
  PYBIND11_OBJECT(MaybeArray, py::object, takes_anything)
};

}  // namespace pucker::bindings

// pybind11 reads the member by this name.
namespace pybind11::detail {

template <>
struct handle_type_name<pucker::bindings::ArrayLike> {
  static constexpr auto name = const_name("numpy.typing.ArrayLike");  // NOLINT(readability-identifier-naming)
};

template <>
struct handle_type_name<pucker::bindings::MaybeArray> {
  static constexpr auto name = const_name("numpy.typing.ArrayLike | None");  // NOLINT(readability-identifier-naming)
};

}  // namespace pybind11::detail

namespace pucker::bindings {

template <class T>
using InputArray = py::array_t<T, py::array::c_style | py::array::forcecast>;

/// The shape of an array as Python writes it.
inline std::string shape_of(const py::array& array) { return py::str(array.attr("shape")); }

/// Throws InvalidArgument unless the array has the sizes given; −1 stands for any.
inline void require_shape(const py::array& array, std::initializer_list<py::ssize_t> shape, const char* name) {
  bool fits = array.ndim() == py::ssize_t(shape.size());
  py::ssize_t axis = 0;
  for (const py::ssize_t size : shape) {
    fits = fits && (size < 0 || array.shape(axis) == size);
    ++axis;
  }
  if (fits) return;
  std::ostringstream wanted;
  for (const py::ssize_t size : shape) {
    wanted << (wanted.tellp() > 0 ? ", " : "");
    if (size < 0) {
      wanted << "any";
    } else {
      wanted << size;
    }
  }
  refuse(name, " must have shape (", wanted.str(), shape.size() == 1 ? ",), got " : "), got ", shape_of(array));
}

/// Numbers only: a string or an object would otherwise be converted element by element, or fail unnamed.
inline void require_numbers(const py::handle& object, const char* name) {
  if (object.is_none()) throw py::type_error(message(name, " must be an array of numbers, got None"));
  const py::array array = py::array::ensure(object);
  require(bool(array), name, " must be an array of numbers, got ", std::string(py::str(py::type::of(object))));
  const char kind = array.dtype().kind();
  require(kind == 'f' || kind == 'i' || kind == 'u' || kind == 'b', name, " must hold real numbers, got dtype ",
          std::string(py::str(array.dtype())));
}

template <class T>
InputArray<T> input(const py::handle& object, const char* name) {
  // An array that is just what is wanted, the usual case, needs neither a check nor a conversion.
  if (py::isinstance<InputArray<T>>(object)) return py::reinterpret_borrow<InputArray<T>>(object);
  require_numbers(object, name);
  return py::cast<InputArray<T>>(object);
}

template <class T>
std::span<const T> span_of(const InputArray<T>& array) {
  return {array.data(), std::size_t(array.size())};
}

/// Integers: a float array is taken only if all its values are whole numbers that fit.
inline InputArray<std::int32_t> input_indices(const py::handle& object, const char* name) {
  require_numbers(object, name);
  if (py::isinstance<py::array>(object)) {
    const py::dtype type = py::reinterpret_borrow<py::array>(object).dtype();
    const bool whole = type.kind() == 'i' || type.kind() == 'u';
    if (whole && type.itemsize() < py::ssize_t(sizeof(std::int32_t))) return py::cast<InputArray<std::int32_t>>(object);
  }
  const auto wide = py::cast<InputArray<double>>(object);
  constexpr double most = std::numeric_limits<std::int32_t>::max();
  for (py::ssize_t i = 0; i < wide.size(); ++i) {
    const double value = wide.data()[i];
    require(value >= -most && value <= most && std::trunc(value) == value, name,
            " must hold whole numbers of 32 bits, got ", value);
  }
  return py::cast<InputArray<std::int32_t>>(object);
}

inline Array3 input_array3(const py::handle& object, py::ssize_t rows, const char* name) {
  const auto array = input<double>(object, name);
  require_shape(array, {rows, 3}, name);
  return Eigen::Map<const Array3>(array.data(), array.shape(0), 3);
}

/// A position for each vertex.
inline Array3 input_positions(const Mesh& mesh, const py::handle& object, const char* name = "positions") {
  return input_array3(object, py::ssize_t(mesh.vertex_count()), name);
}

inline Index3 input_index3(const py::handle& object, const char* name) {
  const auto array = input_indices(object, name);
  require_shape(array, {-1, 3}, name);
  return Eigen::Map<const Index3>(array.data(), array.shape(0), 3);
}

/// Triangles as 2×2 matrices: finite and not mirrored.
inline Matrix2List input_matrices(const py::handle& object, py::ssize_t count, const char* name) {
  const auto array = input<double>(object, name);
  require_shape(array, {count, 2, 2}, name);
  Matrix2List out(std::size_t(array.shape(0)));
  std::copy(array.data(), array.data() + array.size(), reinterpret_cast<double*>(out.data()));
  for (std::size_t t = 0; t < out.size(); ++t) {
    require(out[t].allFinite(), name, " must be finite, but ", name, "[", t, "] is [[", out[t](0, 0), ", ",
            out[t](0, 1), "], [", out[t](1, 0), ", ", out[t](1, 1), "]]");
    require(out[t].determinant() >= 0, name, " must have determinants of at least 0, but that of ", name, "[", t,
            "] is ", out[t].determinant());
  }
  return out;
}

template <class T>
std::vector<T> input_list(const py::handle& object, py::ssize_t count, const char* name) {
  if constexpr (std::is_integral_v<T>) {
    const auto array = input_indices(object, name);
    require_shape(array, {count}, name);
    std::vector<T> out;
    for (py::ssize_t i = 0; i < array.size(); ++i) {
      require(std::in_range<T>(array.data()[i]), name, " must hold whole numbers of ", 8 * sizeof(T), " bits, but ",
              name, "[", i, "] is ", array.data()[i]);
      out.push_back(T(array.data()[i]));
    }
    return out;
  } else {
    const auto array = input<T>(object, name);
    require_shape(array, {count}, name);
    return {array.data(), array.data() + array.size()};
  }
}

/// A read-only array on memory that `owner` keeps alive, and that stays what it is while `owner` lives.
template <class T>
py::array_t<T> view(const T* data, std::vector<py::ssize_t> shape, py::handle owner) {
  py::array_t<T> out(std::move(shape), data, owner);
  out.attr("setflags")(py::arg("write") = false);
  return out;
}

template <class T>
py::array_t<T> view(const std::vector<T>& values, py::handle owner) {
  return view(values.data(), {py::ssize_t(values.size())}, owner);
}

inline py::array_t<double> view(const Matrix2List& matrices, py::handle owner) {
  return view(reinterpret_cast<const double*>(matrices.data()), {py::ssize_t(matrices.size()), 2, 2}, owner);
}

template <class Derived>
py::array_t<typename Derived::Scalar> view_matrix(const Eigen::PlainObjectBase<Derived>& matrix, py::handle owner) {
  static_assert(Derived::IsRowMajor);
  return view(matrix.data(), {py::ssize_t(matrix.rows()), py::ssize_t(matrix.cols())}, owner);
}

/// A new array with a copy of the values.
template <class T>
py::array_t<T> copy(const std::vector<T>& values) {
  return py::array_t<T>(py::ssize_t(values.size()), values.data());
}

template <class T>
py::array_t<T> copy(std::span<const T> values) {
  return py::array_t<T>(py::ssize_t(values.size()), values.data());
}

inline py::array_t<double> copy(const Matrix2List& matrices) {
  return py::array_t<double>({py::ssize_t(matrices.size()), py::ssize_t(2), py::ssize_t(2)},
                             reinterpret_cast<const double*>(matrices.data()));
}

template <class Derived>
py::array_t<typename Derived::Scalar> copy_matrix(const Eigen::PlainObjectBase<Derived>& matrix) {
  static_assert(Derived::IsRowMajor);
  return py::array_t<typename Derived::Scalar>({py::ssize_t(matrix.rows()), py::ssize_t(matrix.cols())}, matrix.data());
}

/// Faces (m, 3) whose numbers are those of positions (n, 3).
inline std::pair<Index3, Array3> input_surface(const ArrayLike& faces, const ArrayLike& positions) {
  std::pair<Index3, Array3> out(input_index3(faces, "faces"), input_array3(positions, -1, "positions"));
  const auto& [indices, points] = out;
  for (Eigen::Index t = 0; t < indices.rows(); ++t)
    require(indices.row(t).minCoeff() >= 0 && indices.row(t).maxCoeff() < points.rows(), "faces must lie in [0, ",
            points.rows(), "), but faces[", t, "] is ", indices.row(t));
  return out;
}

}  // namespace pucker::bindings
